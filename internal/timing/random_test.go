package timing_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"silica/internal/timing"
)

// randomKernel is a kernel that goes round a loop of random pieces.
type randomKernel struct{ pieces []string }

// pieces are what a loop may have: %l is the lane's own address, %s a scattered one, %t a thread's number, %k the trip's.
var pieces = []string{
	"fma.rn.f32 %f, %f, %f, %f;",
	"mad.lo.u32 %x, %x, %t, %k;",
	"sin.approx.f32 %f, %f;",
	"fma.rn.f64 %d, %d, %d, %d;",
	"ld.global.u32 %x, [%l];",
	"ld.global.u32 %x, [%s];",
	"ld.global.v4.f32 {%f, %g, %g, %g}, [%l];",
	"st.global.u32 [%l], %x;",
	"st.global.u32 [%s], %x;",
	"red.global.add.u32 [%s], 1;",
	"atom.global.add.u32 %x, [%b], 1;",
	"st.shared.f32 [%m], %f;",
	"ld.shared.f32 %f, [%m];",
	"shfl.sync.bfly.b32 %x, %x, 1, 31, -1;",
	"bar.sync 0;",
	"setp.lt.u32 %q, %t, 7;\n\t@%q add.u32 %x, %x, 1;",
}

func (r *randomKernel) text() []byte {
	return fmt.Appendf(nil, `.version 8.0
.target sm_70
.address_size 64
.visible .entry random(.param .u64 p, .param .u64 n)
{
	.shared .align 16 .b8 room[4096];
	.reg .b64 %%a, %%b, %%l, %%s, %%o;
	.reg .f64 %%d;
	.reg .f32 %%f, %%g;
	.reg .b32 %%t, %%c, %%w, %%k, %%n, %%x, %%y, %%z, %%m, %%h;
	.reg .pred %%q;
	ld.param.u64 %%b, [p];
	ld.param.u32 %%n, [n];
	mov.u32 %%t, %%tid.x;
	mov.u32 %%c, %%ctaid.x;
	mov.u32 %%w, %%ntid.x;
	mad.lo.u32 %%c, %%c, %%w, %%t;
	and.b32 %%c, %%c, 0xffff;
	mad.wide.u32 %%l, %%c, 16, %%b;
	mul.lo.u32 %%h, %%c, 0x9e3779b1;
	shr.u32 %%h, %%h, 12;
	and.b32 %%h, %%h, 0xffffc;
	cvt.u64.u32 %%o, %%h;
	add.u64 %%s, %%b, %%o;
	shl.b32 %%h, %%t, 2;
	mov.u32 %%m, room;
	add.u32 %%m, %%m, %%h;
	mov.u32 %%x, %%t;
	mov.u32 %%z, %%t;
	mov.f32 %%f, 0f3F000000;
	mov.f64 %%d, 0d3FE0000000000000;
	mov.u32 %%k, 0;
LOOP:
	%s
	add.u32 %%k, %%k, 1;
	setp.lt.u32 %%q, %%k, %%n;
	@%%q bra LOOP;
	cvt.rn.f32.f64 %%g, %%d;
	add.f32 %%f, %%f, %%g;
	st.global.f32 [%%l], %%f;
	st.global.u32 [%%l+4], %%x;
	st.global.u32 [%%l+8], %%z;
	ret;
}
`, strings.Join(r.pieces, "\n\t"))
}

// drawn is a random launch, and how much longer ones are.
type drawn struct {
	kernel                randomKernel
	trips, grid, warps    int
	moreTrips, moreBlocks int
}

// draw draws launches. Seeds are fixed, as what a launch takes depends on how its requests fall: a test that drew others each day would fail for a reason
// of its own some day.
var draw = rapid.Custom(func(r *rapid.T) drawn {
	return drawn{
		kernel: randomKernel{rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(r, "pieces")},
		trips:  8 * rapid.IntRange(1, 3).Draw(r, "trips"), grid: rapid.IntRange(1, 400).Draw(r, "grid"), warps: rapid.IntRange(1, 8).Draw(r, "warps"),
		moreTrips: 8 * rapid.IntRange(1, 2).Draw(r, "more trips"), moreBlocks: rapid.IntRange(1, 300).Draw(r, "more blocks"),
	}
})

// TestAnyKernel holds of any kernel: what warps do fills their time, the sectors that go into a cache are those that it serves and those that it asks
// for, and more trips, blocks or loads never take less time.
func TestAnyKernel(t *testing.T) {
	const launches = 150
	for seed := range launches {
		c := draw.Example(seed)
		s := setup{kernel: "random", n: c.trips, grid: c.grid, block: 32 * c.warps, text: c.kernel.text()}
		one := simulate(t, s)
		var sum float64
		for _, x := range one.States {
			sum += x
		}
		if math.Abs(sum-one.WarpCycles) > 1e-6*sum {
			t.Errorf("%+v: warps are in some state for %.0f cycles, and live for %.0f", c, sum, one.WarpCycles)
		}
		if one.States[timing.Selected] != one.Instructions {
			t.Errorf("%+v: %.0f cycles selected, %.0f instructions", c, one.States[timing.Selected], one.Instructions)
		}
		tr := one.Traffic
		if reads := tr.L2ReadHits + tr.L2ReadMisses + tr.L2Merged; math.Abs(reads-tr.L1Misses) > 1e-6*reads || min(tr.L2ReadHits, tr.L2Merged, tr.DRAMReads, tr.DRAMWrites) < 0 {
			t.Errorf("%+v: %.1f sectors missed L1, L2 was asked for %.1f: %+v", c, tr.L1Misses, reads, tr)
		}
		// Requests that come together by chance, and warps that take each other's place, make differences of a few percent, and another program lies
		// otherwise in the caches of instructions.
		const slack, code = 0.95, 700
		longer := func(what string, s setup) {
			if r2 := simulate(t, s); r2.Elapsed < slack*one.Elapsed-code {
				t.Errorf("%+v: with %s the launch takes %.0f cycles, without %.0f", c, what, r2.Elapsed, one.Elapsed)
			}
		}
		more := s
		more.n += c.moreTrips
		longer("more trips", more)
		more = s
		more.grid += c.moreBlocks
		longer("more blocks", more)
		more = s
		more.text = (&randomKernel{append(c.kernel.pieces[:len(c.kernel.pieces):len(c.kernel.pieces)], "ld.global.u32 %y, [%s];", "add.u32 %z, %z, %y;")}).text()
		longer("a load", more)
	}
}
