package sass

import (
	"testing"

	"silica/gpu"
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
