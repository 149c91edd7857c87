package sass

import (
	"testing"

	"silica/gpu"
	"silica/internal/ir"
)

// TestArchitecturesOfGPUs checks what architectures leave a thread against what GPUs hold.
func TestArchitecturesOfGPUs(t *testing.T) {
	for _, name := range gpu.Names() {
		g, err := gpu.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		arch, err := ArchOf(g)
		if err != nil {
			continue
		}
		if want := g.Limits.RegistersPerSM / g.Limits.ThreadsPerSM &^ 7; arch.fullWarps() != want {
			t.Errorf("%s: %d registers with all warps, want %d", name, arch.fullWarps(), want)
		}
	}
}

// Blocks that .minnctapersm asks for and a multiprocessor can not hold do not limit registers; ptxas says that it ignores them.
func TestImpossibleBlocks(t *testing.T) {
	k := &ir.Kernel{MaxThreads: [3]int{256}, MinBlocks: 6}
	for sm, want := range map[int]int{75: 255, 80: 40, 86: 40, 90: 40} {
		if got := registerLimit(k, Arch{SM: sm}); got != want {
			t.Errorf("sm_%d: %d registers, want %d", sm, got, want)
		}
	}
}
