package validate

import (
	"os"
	"slices"
	"strings"
	"testing"

	"silica/gpu"
	"silica/internal/truth"
)

// quick are the recorded cases that run in a moment: at least one of each kind of access and of control flow.
var quick = []string{
	"vecadd_65536", "vecadd_1048579", "saxpy4_262144", "strided_load_s1", "strided_load_s1_o1", "strided_load_s1_o8", "strided_load_s2", "strided_load_s32",
	"strided_store_s2", "strided_store_s32", "blocksize_32", "blocksize_257", "bank_conflict_1", "bank_conflict_8", "bank_conflict_32", "shared_float1",
	"shared_float2", "shared_float4", "transpose_naive_512", "transpose_tiled_512", "transpose_padded_512", "matmul_naive_256", "matmul_swapped_256",
	"matmul_tiled32_256", "matmul_conflict_256", "matmul_reg8x8_256", "matmul_vec4_256", "reduce1_1048576", "reduce5_1048576", "scan_blelloch",
	"atomic_sum_one", "atomic_sum_spread_31", "atomic_max_cas", "histogram_global_uniform", "histogram_shared_uniform", "histogram_shared_one",
	"const_divergent_32", "divergence_2", "divergent_switch", "spmv_vector_skewed", "spmv_scalar_uniform", "stencil2d_shared_512", "local_array",
	"occ_regs_8", "softmax_4096x128", "warpsum_shuffle", "tail_66", "mma_gemm_512", "wgmma_gemm_512", "matmul_cpasync_512", "pointer_chase_16KB",
}

// byAddress are the counters that follow from addresses and masks alone.
var byAddress = []string{
	"memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal", "memory_l1_tag_requests_global",
	"memory_l2_theoretical_sectors_local", "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal",
}

// otherAccesses are the quick cases whose machine code makes other accesses than the PTX.
var otherAccesses = []string{
	"matmul_tiled32_256", "matmul_conflict_256", // shared loads merged
	"occ_regs_8",          // registers spilled
	"spmv_scalar_uniform", // a loop split
	"matmul_cpasync_512",  // LDGSTS, whose rule is not known
	"atomic_max_cas",      // repeats as timing has it
}

// TestRecordedCases runs recorded kernels. Outputs must be right; counters must be equal to those of the H200, or have a
// reason why they are not; those that follow from addresses must be equal wherever PTX and machine code make the same
// accesses. SILICA_CASES names other cases to run, separated by commas, SILICA_ENGINE another engine.
func TestRecordedCases(t *testing.T) {
	suite, err := truth.Load("../../../shared/truth/h200")
	if err != nil {
		t.Fatal(err)
	}
	h200, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	cases := quick
	if only := os.Getenv("SILICA_CASES"); only != "" {
		cases = strings.Split(only, ",")
	}
	run := 0
	for _, c := range suite.Cases {
		if !slices.Contains(cases, c.ID) {
			continue
		}
		run++
		r := Run(t.Context(), c, Options{GPU: h200, Engine: os.Getenv("SILICA_ENGINE")})
		t.Logf("%-28s %-6s %7.3fs %s", r.Case, r.Outputs, r.WallS, r.Error)
		if r.Outputs != OK {
			t.Errorf("%s: outputs %s: %s", r.Case, r.Outputs, r.Error)
		}
		if len(r.Metrics) < 80 {
			t.Errorf("%s: only %d counters compared", r.Case, len(r.Metrics))
		}
		for _, m := range r.Metrics {
			switch {
			case m.Equal:
			case m.Note == "":
				t.Errorf("%s: %s is %v, the H200 gave %v, and nothing explains it", r.Case, m.Name, m.Silica, m.Hardware)
			case slices.Contains(byAddress, m.Name) && !slices.Contains(otherAccesses, r.Case):
				t.Errorf("%s: %s is %v, the H200 gave %v: %s", r.Case, m.Name, m.Silica, m.Hardware, m.Note)
			}
		}
	}
	if run != len(cases) {
		t.Errorf("%d cases of %d are in the recording", run, len(cases))
	}
}
