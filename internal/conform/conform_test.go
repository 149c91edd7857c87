package conform

import (
	"context"
	"strings"
	"testing"

	"silica/internal/exec"
	"silica/internal/exec/ref"
	"silica/internal/exec/simd"
)

// recorded is the suite that an H200 recorded. Tests that need it fail when it is missing.
const recorded = "../../../shared/conformance"

// passingFamilies are the families that pass whole.
const passingFamilies = `
	int_arith int_bits int_div int_ext int_imm int_mul logic prmt shift
	f32_arith f64_arith float_approx float_div float_minmax float_unary
	bf16_arith f16_arith simd_video
	select set_int set_float set_half setp_int setp_float setp_half
	cvt_f2f cvt_f2i cvt_i2f cvt_int cvt_pack cvt_packed
	address mov sreg
	ld_const ld_global ld_local ld_param ld_shared st_global st_local st_shared
	call control barrier fence match redux shfl vote warp_misc
	ldmatrix stmatrix mma_float mma_int mma_probe mma_sparse wmma
	cluster mbarrier cp_async cp_async_bulk cp_async_bulk_tensor cp_reduce_async_bulk
	atom_global atom_shared atom_generic atom_patterns atom_vector red_global red_shared red_generic
	texture surface
	syntax errors misc`

func TestFamiliesPassOnBothEngines(t *testing.T) {
	suite, err := Load(recorded)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []exec.Engine{ref.New(), simd.New()} {
		for _, family := range strings.Fields(passingFamilies) {
			t.Run(engine.Name()+"/"+family, func(t *testing.T) {
				cases := 0
				err := suite.Run(context.Background(), engine, []string{family}, func(r Result) {
					cases++
					if r.Failure != "" {
						t.Errorf("%s: %s", r.ID, r.Failure)
					}
				})
				if err != nil || cases == 0 {
					t.Fatalf("%d cases: %v", cases, err)
				}
			})
		}
	}
}
