package validate

import (
	"slices"
	"strings"
	"testing"

	"silica/gpu"
	"silica/internal/truth"
)

// modelled are quick cases of many kinds whose machine code is followed closely.
var modelled = []string{
	"vecadd_65536", "saxpy4_262144", "transpose_tiled_512", "matmul_naive_256", "matmul_tiled32_256", "matmul_conflict_256", "matmul_reg8x8_256",
	"reduce1_1048576", "reduce5_1048576", "shared_float1", "bank_conflict_8", "stencil2d_shared_512", "scan_blelloch", "divergence_2", "tail_66",
}

// TestMachineCode compares the machine code of recorded kernels with what the H200 executed. It needs ../shared.
func TestMachineCode(t *testing.T) {
	suite, err := truth.Load("../../../shared/truth/h200")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	var results []MachineCode
	for _, c := range suite.Cases {
		if !slices.Contains(modelled, c.ID) {
			continue
		}
		r := Sass(t.Context(), c, Options{GPU: g, Engine: "simd"})
		if r.Error != "" {
			t.Errorf("%s: %s", r.Case, r.Error)
		}
		results = append(results, r)
	}
	s := Summarise(results)
	if s.Cases != len(modelled) || s.Executed > 0.05 || s.Within20 < 1 || s.Accesses < 0.9 {
		var text strings.Builder
		SassText(&text, results)
		t.Errorf("machine code is farther from the chip's than it was:\n%s", text.String())
	}
}

// TestArchitectures compares registers with those that ptxas gave the recorded kernels on each architecture. It needs ../shared.
func TestArchitectures(t *testing.T) {
	suite, err := truth.Load("../../../shared/truth/h200")
	if err != nil {
		t.Fatal(err)
	}
	all, err := Architectures(suite)
	if err != nil {
		t.Fatal(err)
	}
	most := map[int]float64{75: 0.15, 80: 0.11, 86: 0.12, 89: 0.12, 90: 0.11, 100: 0.17, 120: 0.17}
	if len(all) != len(most) {
		t.Errorf("%d architectures, want %d", len(all), len(most))
	}
	for _, a := range all {
		if a.Kernels < 80 || a.Error > most[a.SM] {
			var text strings.Builder
			ArchitecturesText(&text, []Architecture{a})
			t.Errorf("farther from ptxas than it was: %s", text.String())
		}
	}
}
