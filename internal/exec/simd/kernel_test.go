package simd

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"silica/internal/isa"
)

// edges are operand values where instructions tend to go wrong: the same bits serve as integers and floats.
var edges = []uint64{
	0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x7fffffff, 0x80000000, 0xffffffff, 0x80000001, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
	0x7f800001, 0xffc12345, 0x00800000, 0x007fffff, 0x80000001, 0x4f000000, 0xcf000000, 0x4f800000, 0x34000000, 0x7f7fffff,
	0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
	0xfff8123456789abc, 0x0010000000000000, 0x000fffffffffffff, 0x8000000000000000, 0x7fefffffffffffff, 0x7fffffffffffffff,
	0xffffffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0x41dfffffffc00000, 0x47efffffe0000000, 0x380fffffc0000000,
}

func randomValue(rng *rand.Rand, bits uint8) uint64 {
	v := rng.Uint64()
	switch rng.IntN(4) {
	case 0:
		v = edges[rng.IntN(len(edges))]
	case 1: // a float near one
		v = 0x3f800000 + uint64(int32(rng.Uint32())>>rng.IntN(12))
		if bits == 64 {
			v = 0x3ff0000000000000 + uint64(int64(rng.Uint64())>>rng.IntN(14))
		}
	}
	if bits < 64 {
		v &= 1<<bits - 1
	}
	return v
}

// formOf finds the form a kernel's name spells, with registers of the kernel's shape.
func formOf(name string, s shape) (*isa.Form, error) {
	opcode, rest, _ := strings.Cut(name, ".")
	var mods []string
	for _, m := range strings.Split(rest, ".") {
		mods = append(mods, "."+m)
	}
	register := func(bits uint8) isa.Shape {
		types := map[uint8]isa.Type{1: isa.Pred, 16: isa.B16, 32: isa.B32, 64: isa.B64}
		return isa.Shape{Kind: isa.ShapeRegister, Type: types[bits]}
	}
	operands := []isa.Shape{register(s.d)}
	for i, bits := range s.src {
		if opcode == "lop3" && i == 3 {
			operands = append(operands, isa.Shape{Kind: isa.ShapeInteger, Type: isa.S64})
			break
		}
		if bits != 0 {
			operands = append(operands, register(bits))
		}
	}
	return isa.Match(isa.Context{PTX: 87, SM: 90, Arch: "a"}, opcode, mods, operands)
}

// TestKernelsMatchRows runs every vector kernel on random and corner operands and masks and compares
// each lane with the row's own semantics.
func TestKernelsMatchRows(t *testing.T) {
	unit := detect()
	if len(unit.kernels) == 0 {
		t.Logf("this CPU has no vector kernels (%s)", unit.name)
	}
	for name, k := range unit.kernels {
		t.Run(name, func(t *testing.T) {
			lane, skip := semantics(t, name, k.shape)
			if skip {
				return
			}
			rng := rand.New(rand.NewPCG(7, uint64(len(name))))
			for range 400 {
				compareKernel(t, rng, name, k, lane)
			}
		})
	}
}

// semantics returns the reference function of a kernel.
func semantics(t *testing.T, name string, s shape) (lane isa.LaneFunc, skip bool) {
	switch name { // the engine's own moves
	case "mov 16", "mov 32", "mov 64":
		return func(l *isa.Lane) { l.Dst[0] = l.Src[0] }, false
	case "pack 32 32":
		return func(l *isa.Lane) { l.Dst[0] = l.Src[0] | l.Src[1]<<32 }, false
	case "unpack low":
		return func(l *isa.Lane) { l.Dst[0] = l.Src[0] }, false
	case "unpack high":
		return func(l *isa.Lane) { l.Dst[0] = l.Src[0] >> 32 }, false
	}
	form, err := formOf(name, s)
	if err != nil {
		t.Fatalf("no form: %v", err)
	}
	if form.Row.Lane == nil {
		t.Fatalf("row %q has no lane semantics", form.Row.Syntax)
	}
	return form.Row.Lane(form), false
}

func compareKernel(t *testing.T, rng *rand.Rand, name string, k vectorKernel, lane isa.LaneFunc) {
	t.Helper()
	const warps = 2
	// Rows of 64 lanes; a predicate is a word a warp. d starts with a pattern that must survive outside the mask.
	var rows [5][warps * 32]uint64
	var narrow [5][warps * 32]uint32
	var preds [5][warps]uint32
	widths := [5]uint8{k.shape.d, k.shape.src[0], k.shape.src[1], k.shape.src[2], k.shape.src[3]}
	var args [5]unsafe.Pointer
	table := randomValue(rng, 8)
	for i, bits := range widths {
		for l := range rows[i] {
			v := randomValue(rng, max(bits, 1))
			if name == "lop3.b32" && i == 4 {
				v = table
			}
			rows[i][l], narrow[i][l] = v, uint32(v)
			if bits == 1 {
				preds[i][l/32] |= uint32(v&1) << (l % 32)
			}
		}
		switch bits {
		case 1:
			args[i] = unsafe.Pointer(&preds[i])
		case 64:
			args[i] = unsafe.Pointer(&rows[i])
		default:
			args[i] = unsafe.Pointer(&narrow[i])
		}
	}
	value := func(i, l int) uint64 {
		switch widths[i] {
		case 1:
			return uint64(preds[i][l/32] >> (l % 32) & 1)
		case 64:
			return rows[i][l]
		}
		return uint64(narrow[i][l])
	}
	masks := [warps]uint32{rng.Uint32(), rng.Uint32() & rng.Uint32()}
	mask := &masks[0]
	if rng.IntN(2) == 0 {
		masks, mask = [warps]uint32{^uint32(0), ^uint32(0)}, nil
	}
	var before [warps * 32]uint64
	for l := range before {
		before[l] = value(0, l)
	}
	k.run(args[0], args[1], args[2], args[3], args[4], mask, warps)
	for l := range before {
		want := before[l]
		io := isa.Lane{}
		for i := range 4 {
			if widths[i+1] != 0 {
				io.Src[i] = value(i+1, l)
			}
		}
		if masks[l/32]>>(l%32)&1 != 0 {
			lane(&io)
			want = io.Dst[0]
			if k.shape.d < 64 {
				want &= 1<<k.shape.d - 1
			}
		}
		if got := value(0, l); got != want {
			t.Fatalf("%s lane %d mask %s: sources %x, got %x, want %x", name, l, fmt.Sprintf("%08x", masks), io.Src[:4], got, want)
		}
	}
}
