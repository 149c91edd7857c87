package forms

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"silica/internal/isa"
	"silica/ptx"
)

// A value kernel runs one instruction on Lanes inputs, a thread for each, and stores every result as 64 bits.
const (
	// Lanes is the number of threads, in one block.
	Lanes = 256
	// operands is the number of inputs a thread can read of one kind.
	operandsEach = 6
)

// ValueKernel is a kernel that shows what an instruction computes. Its parameters are the addresses of Inputs and of
// Outputs*Lanes words of 64 bits.
type ValueKernel struct {
	Name        string
	Instruction string
	Outputs     int
	Source      string // the entry function
}

// ValueHeader stands before the kernels of a module.
const ValueHeader = ".version 8.7\n.target sm_90a\n.address_size 64\n"

// ValueKernels returns kernels of the pure instructions of every row up to sm_90, of each row about limit forms.
func ValueKernels(limit int) []ValueKernel {
	var kernels []ValueKernel
	seen := map[string]bool{}
	for _, row := range isa.Rows() {
		if row.Since.SM > 90 || row.ReadsCarry != nil || row.WritesCarry != nil || row.Until.PTX != 0 {
			continue
		}
		for _, s := range row.Spellings(limit) {
			name := fmt.Sprintf("v%d", len(kernels))
			var k ValueKernel
			ok := false
			switch {
			case row.Op == isa.OpLane && s.Opcode != "createpolicy": // a policy is opaque
				k, ok = valueKernel(name, &s)
			case row.Op == isa.OpAtom || row.Op == isa.OpRed:
				k, ok = atomicKernel(name, &s)
			}
			if !ok || seen[k.Instruction] {
				continue
			}
			if _, err := ptx.Load("", []byte(ValueHeader+k.Source)); err != nil {
				continue
			}
			seen[k.Instruction] = true
			kernels = append(kernels, k)
		}
	}
	return kernels
}

func valueKernel(name string, s *isa.Spelling) (k ValueKernel, ok bool) {
	in := Write(s)
	random := randomFor(in.String())
	var before, after strings.Builder
	next := 0
	for i := range s.Operands {
		o := &s.Operands[i]
		parts := []*isa.SpelledOperand{o}
		if o.Pair != nil {
			parts = append(parts, o.Pair)
		}
		for _, p := range parts {
			if p.Kind != isa.ArgValue || p.Vector > 0 {
				return k, false
			}
			if p.Constant || p.Name == "_" {
				continue
			}
			if p.Write {
				store(&after, p.Type, next, k.Outputs)
				k.Outputs++
			}
			if p.Read {
				load(&before, p.Type, next, next%operandsEach)
			}
			next++
		}
		in.Operands[i] = decorate(random, s, i, in.Operands[i])
	}
	if k.Outputs == 0 {
		return k, false
	}
	k.Name, k.Instruction = name, in.String()
	k.Source = entry(name, before.String(), k.Instruction, after.String())
	return k, true
}

// atomicKernel has each thread perform an atomic operation on a slot of its own, which holds the input of operand 0
// before; the outputs are the old value, if the operation gives it, and what the slot then holds.
func atomicKernel(name string, s *isa.Spelling) (k ValueKernel, ok bool) {
	if contains(s.Mods, ".L2::cache_hint") { // any bits are no policy
		return k, false
	}
	in := Write(s)
	var before, after strings.Builder
	var t isa.Type
	next := 1
	for i := range s.Operands {
		o := &s.Operands[i]
		switch {
		case o.Kind == isa.ArgAddress:
			in.Operands[i] = "[%p]"
			continue
		case o.Vector > 0 || o.Type.Bits() > 64:
			return k, false
		}
		t = o.Type
		in.Operands[i] = register(t, next)
		if o.Write {
			store(&after, t, next, 0)
			k.Outputs++
		} else {
			load(&before, t, next, next%operandsEach)
		}
		next++
	}
	bits := fmt.Sprint(".b", t.Bits())
	shared := strings.Contains(in.String(), ".shared")
	if shared {
		before.WriteString("mov.u64 %p, sh;\nmad.wide.u32 %p, %t, 16, %p;\n")
	} else {
		fmt.Fprintf(&before, "add.u64 %%p, %%o, %d;\n", k.Outputs*Lanes*8)
	}
	space := "global"
	if shared {
		space = "shared"
	}
	load(&before, t, 0, 0)
	fmt.Fprintf(&before, "mov.u64 %%x10, 0;\nst.%s.u64 [%%p], %%x10;\nst.%s%s [%%p], %s;\n", space, space, bits, register(t, 0))
	if shared {
		fmt.Fprintf(&after, "ld.shared.u64 %%x11, [%%p];\nst.global.u64 [%%o+%d], %%x11;\n", k.Outputs*Lanes*8)
	}
	k.Outputs++
	k.Name, k.Instruction = name, in.String()
	k.Source = entry(name, before.String(), k.Instruction, after.String())
	return k, true
}

func entry(name, before, instruction, after string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".visible .entry %s(.param .u64 in, .param .u64 out)\n{\n", name)
	for _, t := range registerTypes {
		fmt.Fprintf(&b, ".reg .%s %s<12>;\n", t, prefix(t))
	}
	b.WriteString(".reg .u32 %t; .reg .u64 %i, %o, %p, %x<12>; .reg .b32 %lo, %hi;\n.shared .align 16 .b8 sh[4096];\n")
	b.WriteString("mov.u32 %t, %tid.x;\nld.param.u64 %i, [in];\nld.param.u64 %o, [out];\nmad.wide.u32 %i, %t, 8, %i;\nmad.wide.u32 %o, %t, 8, %o;\n")
	fmt.Fprintf(&b, "%s%s\n%sret;\n}\n", before, instruction, after)
	return b.String()
}

func randomFor(text string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(text))
	return rand.New(rand.NewPCG(h.Sum64(), 2))
}

// decorate adds selectors to a video operand and picks a constant where only constants may stand.
func decorate(random *rand.Rand, s *isa.Spelling, i int, text string) string {
	o := &s.Operands[i]
	pick := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	switch {
	case s.Opcode == "lop3" && o.Constant:
		return fmt.Sprint(random.IntN(256))
	case !strings.HasPrefix(s.Opcode, "v") || o.Type == isa.Pred || o.Name == "c":
		return text
	case strings.HasSuffix(s.Opcode, "2") && o.Write:
		return text + pick("", ".h10", ".h0", ".h1")
	case strings.HasSuffix(s.Opcode, "2"):
		return text + pick("", ".h10", ".h32", ".h21", ".h03", ".h13", ".h30", ".h11")
	case strings.HasSuffix(s.Opcode, "4") && o.Write:
		return text + pick("", ".b3210", ".b0", ".b31", ".b210", ".b2")
	case strings.HasSuffix(s.Opcode, "4"):
		return text + pick("", ".b3210", ".b7654", ".b0426", ".b5173", ".b7531", ".b1111")
	case o.Write && len(s.Operands) == 4 && !hasSecond(s.Mods) && s.Opcode != "vmad":
		return text + pick(".b0", ".b1", ".b2", ".b3", ".h0", ".h1", "")
	case o.Write:
		return text
	}
	minus := ""
	if s.Opcode == "vmad" && !contains(s.Mods, ".po") && o.Name == "a" {
		minus = pick("", "", "-")
	}
	return minus + text + pick("", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1")
}

func hasSecond(mods []string) bool {
	return contains(mods, ".add") || contains(mods, ".min") || contains(mods, ".max")
}

func contains(mods []string, mod string) bool {
	for _, m := range mods {
		if m == mod {
			return true
		}
	}
	return false
}

// load fills register i of a type from the input words of its kind.
func load(b *strings.Builder, t isa.Type, i, operand int) {
	fmt.Fprintf(b, "ld.global.u64 %%x%d, [%%i+%d];\n", i, (int(kindOf(t))*operandsEach+operand)*Lanes*8)
	r := register(t, i)
	switch {
	case t == isa.Pred:
		fmt.Fprintf(b, "and.b64 %%x%d, %%x%d, 1;\nsetp.ne.u64 %s, %%x%d, 0;\n", i, i, r, i)
	case t.Bits() == 64:
		fmt.Fprintf(b, "mov.b64 %s, %%x%d;\n", r, i)
	case t.Bits() == 32:
		fmt.Fprintf(b, "mov.b64 {%s, %%hi}, %%x%d;\n", r, i)
	case t.Bits() == 16:
		fmt.Fprintf(b, "mov.b64 {%s, %%b16_10, %%b16_10, %%b16_11}, %%x%d;\n", r, i)
	default:
		fmt.Fprintf(b, "cvt.u8.u64 %s, %%x%d;\n", r, i)
	}
}

// store writes register i of a type as a word of the outputs.
func store(b *strings.Builder, t isa.Type, i, output int) {
	r := register(t, i)
	switch {
	case t == isa.Pred:
		fmt.Fprintf(b, "selp.u64 %%x11, 1, 0, %s;\n", r)
	case t.Bits() == 64:
		fmt.Fprintf(b, "mov.b64 %%x11, %s;\n", r)
	case t.Bits() == 32:
		fmt.Fprintf(b, "mov.b32 %%lo, %s;\nmov.b64 %%x11, {%%lo, 0};\n", r)
	case t.Bits() == 16:
		fmt.Fprintf(b, "mov.b16 %%b16_11, %s;\nmov.b64 %%x11, {%%b16_11, 0, 0, 0};\n", r)
	default:
		fmt.Fprintf(b, "cvt.u64.u8 %%x11, %s;\n", r)
	}
	fmt.Fprintf(b, "st.global.u64 [%%o+%d], %%x11;\n", output*Lanes*8)
}

// inputKind is what the input words of an operand are made of.
type inputKind int

const (
	integers inputKind = iota
	halves
	brains
	singles
	doubles
	bytes8
	inputKinds
)

func kindOf(t isa.Type) inputKind {
	switch t {
	case isa.F16, isa.F16x2:
		return halves
	case isa.BF16, isa.BF16x2:
		return brains
	case isa.F32, isa.TF32:
		return singles
	case isa.F64:
		return doubles
	}
	return integers
}

// Inputs returns the input words of all kinds: corner values in all pairings first, then random bits.
func Inputs() []byte {
	var out []byte
	random := rand.New(rand.NewPCG(90, 1))
	for kind := range inputKinds {
		corners := cornersOf(kind)
		for operand := range operandsEach {
			for lane := range Lanes {
				var v uint64
				n := len(corners)
				switch {
				case lane < n*n && lane < 200 && operand == 0:
					v = corners[lane%n]
				case lane < n*n && lane < 200 && operand%2 == 1:
					v = corners[lane/n%n]
				case lane < 200:
					v = corners[random.IntN(n)]
				default:
					v = randomOf(random, kind)
				}
				out = binary.LittleEndian.AppendUint64(out, v)
			}
		}
	}
	return out
}

// cornersOf returns special values of a kind, those of 16 and 32 bits repeated in the upper part or mixed.
func cornersOf(kind inputKind) []uint64 {
	twice16 := func(values ...uint64) []uint64 {
		for i, v := range values {
			values[i] = v | values[(i*5+3)%len(values)]&0xffff<<16 | v<<32
		}
		return values
	}
	switch kind {
	case halves:
		return twice16(0, 0x8000, 1, 0x83ff, 0x400, 0x3c00, 0xbc00, 0x3555, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfd01)
	case brains:
		return twice16(0, 0x8000, 1, 0x807f, 0x80, 0x3f80, 0xbf80, 0x3eab, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xff81)
	case singles:
		return []uint64{0, 0x80000000, 1, 0x807fffff, 0x800000, 0x3f800000, 0xbf800000, 0x3fffffff, 0x4b000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc01234}
	case doubles:
		return []uint64{0, 1 << 63, 1, 0x800fffffffffffff, 1 << 52, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000010000001, 0x41dfffffffe00000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff << 52, 0xfff << 52, 0xfff8000000001234}
	}
	return []uint64{0, 1, ^uint64(0), 0x7fffffff7fffffff, 0x8000000080000000, 0x7fffffffffffffff, 1 << 63, 31, 32, 0x7fff8000, 0x80ff7f01, 0xfffffffe00000040, 5, 0xffffffffffff8000}
}

func randomOf(random *rand.Rand, kind inputKind) uint64 {
	v := random.Uint64()
	switch kind {
	case halves:
		return v&0x83ff83ff83ff83ff | 0x2c002c002c002c00 + uint64(random.IntN(8))<<10*0x1000100010001
	case brains:
		return v&0x807f807f807f807f | 0x3c003c003c003c00 + uint64(random.IntN(16))<<7*0x1000100010001
	case singles:
		return v&0xffffffff807fffff | 0x3c000000 + uint64(random.IntN(16))<<23
	case doubles:
		return v&0x800fffffffffffff | 0x3f00000000000000 + uint64(random.IntN(512))<<52
	}
	if random.IntN(2) == 0 {
		return v
	}
	return v >> random.IntN(64)
}
