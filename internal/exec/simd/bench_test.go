package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// BenchmarkSteps measures single steps over a whole gang whose registers are in the first cache: nanoseconds a warp.
func BenchmarkSteps(b *testing.B) {
	for _, u := range units() {
		if !u.hasCode() {
			continue
		}
		for _, name := range []string{"fma.rn.f32", "add.u32", "add.u64", "mul.wide.u32", "setp.lt.s32", "ex2.approx.f32", "rsqrt.approx.f32", "shuffle bfly"} {
			if len(u.kernels[name]) == 0 {
				continue
			}
			k := u.kernels[name][0]
			b.Run(u.name+"/"+name, func(b *testing.B) {
				x := newBench(u, gangWarps)
				s := step{code: k.code, d: uint32(x.operand(64).offset)}
				for i, at := range []*uint32{&s.a, &s.b, &s.c, &s.e} {
					*at = uint32(x.operand(max(k.shape.src[i], 32)).offset)
				}
				x.machine.control = max(k.control, defaultControl)
				x.repeat(b, s)
			})
		}
		for _, access := range []string{"pattern 64", "load 4x1 at 64", "store 4x1 at 64", "load 4x4 at 64"} {
			for _, lie := range []string{"uniform", "contiguous", "halves", "scattered"} {
				b.Run(fmt.Sprintf("%s/%s/%s", u.name, access, lie), func(b *testing.B) { benchmarkAccess(b, u, access, lie) })
			}
		}
	}
}

func benchmarkAccess(b *testing.B, u *vectorUnit, name, lie string) {
	x := newBench(u, gangWarps)
	rng := rand.New(rand.NewPCG(1, 1))
	bytes := 4
	if name == "load 4x4 at 64" {
		bytes = 16
	}
	memory := make([]byte, 1<<13)
	base := uint64(uintptr(unsafe.Pointer(&memory[0])))
	address := x.operand(64)
	for l := range gangWarps * 32 {
		addr := base + uint64(l/32*64)
		switch lie {
		case "contiguous":
			addr += uint64(l % 32 * bytes)
		case "halves":
			addr += uint64(l % 16 * bytes)
		case "scattered":
			addr = base + uint64(rng.IntN(len(memory)/16)*16)
		}
		x.setLane(address, l, addr)
	}
	var patterns [1][gangWarps]pattern
	regions := [1]region{{base, uint64(len(memory)), uintptr(base)}}
	x.machine.regions, x.machine.patterns = unsafe.Pointer(&regions), unsafe.Pointer(&patterns)
	s := step{a: uint32(address.offset), imm: uint64(bytes), code: u.kernels["pattern 64"][0].code}
	x.run(s)
	if name != "pattern 64" {
		s.code, s.imm = u.kernels[name][0].code, 0
		for _, at := range []*uint32{&s.d, &s.b, &s.c, &s.e} {
			*at = uint32(x.operand(32).offset)
		}
	}
	x.repeat(b, s)
}

// repeat measures a step.
func (x *bench) repeat(b *testing.B, s step) {
	const times = 64
	s.lanes = lanesOffset
	steps := make([]step, times+1)
	for i := range times {
		steps[i] = s
	}
	steps[times].code = x.unit.controls[controlExit]
	for b.Loop() {
		enter(&x.machine, &steps[0])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*times*x.warps), "ns/warp")
}
