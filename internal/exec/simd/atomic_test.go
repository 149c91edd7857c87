package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/isa"
)

// TestAtomicKernels compares the kernels of atomic operations with exec.AtomicOf, lane by lane, on few addresses, so that
// lanes meet.
func TestAtomicKernels(t *testing.T) {
	eachUnit(t, func(t *testing.T, u *vectorUnit) {
		for name := range u.kernels {
			operation, ok := strings.CutPrefix(name, "atomic ")
			if !ok {
				continue
			}
			t.Run(operation, func(t *testing.T) {
				for seed := range uint64(100) {
					compareAtomic(t, u, operation, rand.New(rand.NewPCG(seed, 2)))
				}
			})
		}
	})
}

func compareAtomic(t *testing.T, u *vectorUnit, name string, rng *rand.Rand) {
	t.Helper()
	operation, place, _ := strings.Cut(name, " ")
	op, typ, _ := strings.Cut(operation, ".")
	bits, address, space := 32, uint8(64), isa.Shared
	if strings.HasSuffix(typ, "64") {
		bits = 64
	}
	if strings.HasSuffix(place, "32") {
		address = 32
	}
	if strings.HasPrefix(place, "global") {
		space = isa.Global
	}
	form := atomicForm(t, op, typ, space)
	atomic := exec.AtomicOf(form, space)

	b := newBench(u, 3)
	width := uint8(bits)
	d, a, v, w := b.operand(width), b.operand(address), b.operand(width), b.operand(width)
	memory := alignedWords(16)
	base := uint64(uintptr(unsafe.Pointer(&memory[0])))
	start := base
	if space == isa.Shared {
		start = 4096
	}
	for i := range memory {
		memory[i] = randomValue(rng, 32) | randomValue(rng, 32)<<32
	}
	const offset = 16
	stops := -1
	for l := range b.warps * 32 {
		addr := start + uint64(rng.IntN(4)*8)
		if rng.IntN(300) == 0 {
			addr = start + uint64(len(memory)*8)
		}
		b.setLane(a, l, addr-offset)
		b.setLane(v, l, randomValue(rng, width))
		b.setLane(w, l, randomValue(rng, width))
		if rng.IntN(2) == 0 { // a comparison that may hold
			b.setLane(v, l, memory[rng.IntN(4)])
		}
	}
	b.setLanes(rng)
	regions := [1]region{{start, uint64(len(memory) * 8), uintptr(base)}}
	b.machine.regions = unsafe.Pointer(&regions)
	k := u.kernels["atomic "+name][0]
	if k.control != 0 {
		b.machine.control = k.control
	}

	words, after := slices.Clone(b.words), b.words
	changed := slices.Clone(memory)
	b.machine.frame, b.words = unsafe.Pointer(&words[0]), words
	for l := range b.warps * 32 {
		off := b.lane(a, l) + offset - start
		if b.machine.masks[l/32]>>(l%32)&1 == 0 {
			continue
		}
		if off >= uint64(len(memory)*8) {
			stops = l
			break
		}
		value := changed[off/8]
		old := atomic(unsafe.Pointer(&value), b.lane(v, l), b.lane(w, l))
		if typ == "f64" && math.IsNaN(math.Float64frombits(value)) { // left to Go
			stops = l
			break
		}
		changed[off/8] = value
		b.setLane(d, l, old)
	}
	b.machine.frame, b.words = unsafe.Pointer(&after[0]), after

	done := b.run(step{code: k.code, d: uint32(d.offset), a: uint32(a.offset), b: uint32(v.offset), c: uint32(w.offset), imm: offset})
	switch {
	case done != (stops < 0):
		t.Fatalf("done %v, it should stop at lane %d", done, stops)
	case !done && (int(b.machine.warp) != stops/32 || b.machine.rest != b.machine.masks[stops/32]&^(1<<(stops%32)-1)):
		t.Fatalf("stopped at warp %d with lanes %08x left, it should stop at lane %d", b.machine.warp, b.machine.rest, stops)
	case !slices.Equal(changed, memory):
		t.Fatalf("memory is %x, want %x", memory, changed)
	case !slices.Equal(words, b.words):
		t.Fatal("the old values differ")
	}
}

// atomicForm returns the form of an atom instruction.
func atomicForm(t *testing.T, op, typ string, space isa.Space) *isa.Form {
	t.Helper()
	register := isa.Shape{Kind: isa.ShapeRegister, Type: isa.ParseType(typ)}
	operands := []isa.Shape{register, {Kind: isa.ShapeAddress, Type: isa.U64}, register}
	if op == "cas" {
		operands = append(operands, register)
	}
	f, err := isa.Match(isa.Context{PTX: 87, SM: 90}, "atom", []string{"." + space.String(), "." + op, "." + typ}, operands)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
