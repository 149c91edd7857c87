package simd

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"silica/internal/isa"
)

// edges are operand values where instructions tend to go wrong: the same bits serve as integers and floats.
var edges = []uint64{
	0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x7fffffff, 0x80000000, 0xffffffff, 0x80000001, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
	0x7f800001, 0xffc12345, 0x00800000, 0x007fffff, 0x807fffff, 0x80800000, 0x4f000000, 0xcf000000, 0x4f800000, 0x34000000, 0x7f7fffff,
	0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0x4b000001, 0x7e800000, 0x7e800001, 0xfe800001, 0xc2fc0000, 0xc2fc0001, 0x43000000, 0xc3160000,
	0x3c003c00, 0x7c007c01, 0xfc00fbff, 0x80010001, 0x03ff0400, 0x7bff7bff, 0x3f803f80, 0x7f807f81,
	0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
	0xfff8123456789abc, 0x0010000000000000, 0x000fffffffffffff, 0x8000000000000000, 0x7fefffffffffffff, 0x7fffffffffffffff,
	0xffffffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0x41dfffffffc00000, 0x41dfffffffe00000, 0x47efffffe0000000, 0x380fffffc0000000,
	0xc1e0000000000000, 0xc1e0000000100000, 0x7ff0000012345678, 0x3690000000000001,
}

func randomValue(rng *rand.Rand, bits uint8) uint64 {
	v := rng.Uint64()
	switch rng.IntN(5) {
	case 0:
		v = edges[rng.IntN(len(edges))]
	case 1: // a float near one, and pairs of halves
		v = 0x3f800000 + uint64(int32(rng.Uint32())>>rng.IntN(12))
		if bits == 64 {
			v = 0x3ff0000000000000 + uint64(int64(rng.Uint64())>>rng.IntN(14))
		}
	case 2: // small
		v = uint64(int64(rng.Uint64()) >> (30 + rng.IntN(33)))
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

// eachUnit runs a test on every vector unit of this CPU that has machine code.
func eachUnit(t *testing.T, test func(t *testing.T, u *vectorUnit)) {
	for _, u := range units() {
		if u.hasCode() {
			t.Run(u.name, func(t *testing.T) { test(t, u) })
		}
	}
}

// TestKernelsMatchRows runs every elementwise kernel on random and corner operands and masks and compares
// each lane with the row's own semantics.
func TestKernelsMatchRows(t *testing.T) {
	eachUnit(t, func(t *testing.T, u *vectorUnit) {
		for name, kernels := range u.kernels {
			for _, k := range kernels {
				lane := semantics(t, name, k.shape)
				if lane == nil {
					continue
				}
				t.Run(name, func(t *testing.T) {
					rng := rand.New(rand.NewPCG(7, uint64(len(name))))
					for range rounds(name) {
						compareKernel(t, rng, u, name, k, lane)
					}
				})
			}
		}
	})
}

// rounds returns how often to try a kernel: more where there are tables.
func rounds(name string) int {
	if strings.Contains(name, "approx") {
		return 100
	}
	return 20
}

// semantics returns the reference function of a kernel; nil for those that are not elementwise.
func semantics(t *testing.T, name string, s shape) isa.LaneFunc {
	carries := func(sum func(a, b, c uint64) uint64) isa.LaneFunc {
		return func(l *isa.Lane) { l.Dst[0] = sum(l.Src[0], l.Src[1], l.Src[2]) }
	}
	width := uint64(s.src[0])
	switch {
	case strings.HasPrefix(name, "load"), strings.HasPrefix(name, "fill"), strings.HasPrefix(name, "addresses"), strings.HasPrefix(name, "atomic"), strings.HasPrefix(name, "store"), strings.HasPrefix(name, "local"),
		strings.HasPrefix(name, "pattern"), strings.HasPrefix(name, "shuffle"), name == "ballot":
		return nil
	}
	switch name { // the engine's own
	case "mov", "unpack low", "zero":
		return func(l *isa.Lane) { l.Dst[0] = l.Src[0] }
	case "pack":
		return func(l *isa.Lane) { l.Dst[0] = l.Src[0] | l.Src[1]<<width }
	case "unpack high":
		return func(l *isa.Lane) { l.Dst[0] = l.Src[0] >> (width / 2) }
	case "extend 8":
		return func(l *isa.Lane) { l.Dst[0] = uint64(int8(l.Src[0])) }
	case "extend 16":
		return func(l *isa.Lane) { l.Dst[0] = uint64(int16(l.Src[0])) }
	case "extend":
		return func(l *isa.Lane) { l.Dst[0] = uint64(int32(l.Src[0])) }
	case "ones 32":
		return func(l *isa.Lane) { l.Dst[0] = -l.Src[0] }
	case "one 32":
		return func(l *isa.Lane) { l.Dst[0] = l.Src[0] * 0x3f800000 }
	case "add carry 32", "add carry 64":
		return carries(func(a, b, c uint64) uint64 { return a + b + c })
	case "sub carry 32", "sub carry 64":
		return carries(func(a, b, c uint64) uint64 { return a + ^b + c })
	}
	if carry, ok := strings.CutPrefix(name, "carry "); ok {
		opcode, _, _ := strings.Cut(carry, " ")
		operands := []isa.Shape{{Kind: isa.ShapeRegister, Type: isa.U32}, {Kind: isa.ShapeRegister, Type: isa.U32}, {Kind: isa.ShapeRegister, Type: isa.U32}}
		mods := []string{".cc", ".u32"}
		if width == 64 {
			mods[1] = ".u64"
			for i := range operands {
				operands[i].Type = isa.U64
			}
		}
		form, err := isa.Match(isa.Context{PTX: 87, SM: 90}, opcode, mods, operands)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lane := form.Row.Lane(form)
		return func(l *isa.Lane) {
			lane(l)
			l.Dst[0] = l.Dst[1]
		}
	}
	form, err := formOf(name, s)
	if err != nil {
		t.Fatalf("no form for %s: %v", name, err)
	}
	if form.Row.Lane == nil {
		t.Fatalf("row %q has no lane semantics", form.Row.Syntax)
	}
	return form.Row.Lane(form)
}

// bench is a gang's machine with a frame, for single steps.
type bench struct {
	unit    *vectorUnit
	warps   int
	machine machine
	words   []uint64
	size    int
}

func newBench(u *vectorUnit, warps int) *bench {
	b := &bench{unit: u, warps: warps, words: alignedWords(1 << 14)}
	m := &b.machine
	m.frame, m.span = unsafe.Pointer(&b.words[0]), uintptr(warps*rowBytes)
	m.control, m.defaultControl = defaultControl, defaultControl
	for w := range m.all {
		m.all[w] = 1<<warpLanes - 1
	}
	m.guardedLanes = &m.guarded[0]
	return b
}

// operand makes room for a register of a width.
func (b *bench) operand(bits uint8) operand {
	o := operand{offset: b.size, bits: int(bits)}
	b.size += (max(o.size(b.warps), 64) + 63) &^ 63
	return o
}

func (b *bench) lane(o operand, l int) uint64 {
	p := unsafe.Add(b.machine.frame, o.offset)
	switch {
	case o.bits == 1:
		return uint64(*(*uint32)(unsafe.Add(p, l/32*4)) >> (l % 32) & 1)
	case o.bits == 64:
		return *(*uint64)(unsafe.Add(p, l*8))
	}
	return uint64(*(*uint32)(unsafe.Add(p, l*4)))
}

func (b *bench) setLane(o operand, l int, v uint64) {
	p := unsafe.Add(b.machine.frame, o.offset)
	switch {
	case o.bits == 1:
		word := (*uint32)(unsafe.Add(p, l/32*4))
		*word = *word&^(1<<(l%32)) | uint32(v)<<(l%32)
	case o.bits == 64:
		*(*uint64)(unsafe.Add(p, l*8)) = v
	default:
		*(*uint32)(unsafe.Add(p, l*4)) = uint32(v)
	}
}

// setLanes chooses random masks, or all lanes.
func (b *bench) setLanes(rng *rand.Rand) {
	m := &b.machine
	m.masks, m.lanes = masks{}, nil
	all := rng.IntN(2) == 0
	for w := range b.warps {
		m.masks[w] = rng.Uint32() & rng.Uint32()
		if rng.IntN(4) == 0 {
			m.masks[w] = 0
		}
		if all {
			m.masks[w] = 1<<warpLanes - 1
		}
	}
	if !all {
		m.lanes = &m.masks[0]
	}
}

// run runs one step and reports whether machine code did all of it.
func (b *bench) run(s step) bool {
	s.lanes = uint32(unsafe.Offsetof(machine{}.lanes))
	steps := []step{s, {code: b.unit.controls[controlExit]}}
	enter(&b.machine, &steps[0])
	return b.machine.stopped == uintptr(unsafe.Pointer(&steps[1]))
}

func compareKernel(t *testing.T, rng *rand.Rand, u *vectorUnit, name string, k kernel, lane isa.LaneFunc) {
	t.Helper()
	b := newBench(u, 3)
	widths := append([]uint8{k.shape.d}, k.shape.src[:]...)
	var operands []operand
	table := randomValue(rng, 8)
	for i, bits := range widths {
		if bits == 0 {
			continue
		}
		o := b.operand(bits)
		operands = append(operands, o)
		for l := range b.warps * 32 {
			v := randomValue(rng, bits)
			if name == "lop3.b32" && i == 4 {
				v = table
			}
			b.setLane(o, l, v)
		}
	}
	b.setLanes(rng)
	d, srcs := operands[0], operands[1:]
	before := slices.Clone(b.words)
	s := step{code: k.code, d: uint32(d.offset)}
	for i, at := range []*uint32{&s.a, &s.b, &s.c, &s.e} {
		if i < len(srcs) {
			*at = uint32(srcs[i].offset)
		}
	}
	if k.control != 0 {
		b.machine.control = k.control
	}
	// What the kernel has to do, in a copy of the frame.
	after := b.words
	b.words = before
	b.machine.frame = unsafe.Pointer(&before[0])
	var reported isa.Lane
	for l := range b.warps * 32 {
		if b.machine.masks[l/32]>>(l%32)&1 == 0 {
			continue
		}
		io := isa.Lane{}
		for i, o := range srcs {
			io.Src[i] = b.lane(o, l)
		}
		reported = io
		lane(&io)
		v := io.Dst[0]
		if d.bits < 64 {
			v &= 1<<d.bits - 1
		}
		b.setLane(d, l, v)
	}
	b.machine.frame = unsafe.Pointer(&after[0])
	if !b.run(s) {
		t.Fatal("the kernel stopped")
	}
	if slices.Equal(before, after) {
		return
	}
	for l := range b.warps * 32 {
		b.machine.frame = unsafe.Pointer(&before[0])
		want := b.lane(d, l)
		for i, o := range srcs {
			reported.Src[i] = b.lane(o, l)
		}
		b.machine.frame = unsafe.Pointer(&after[0])
		if got := b.lane(d, l); got != want {
			t.Fatalf("lane %d of masks %08x: sources %x, got %x, want %x", l, b.machine.masks[:b.warps], reported.Src[:4], got, want)
		}
	}
	t.Fatalf("bytes outside the result changed")
}
