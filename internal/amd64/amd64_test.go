package amd64

import (
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"
)

// operandOf reads an operand of testdata/vectors.txt.
func operandOf(t *testing.T, text string) any {
	t.Helper()
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return n
	}
	registers := map[string]Register{"rax": RAX, "eax": RAX, "rbx": RBX, "rsi": RSI, "r8": R8, "r9": R9, "r11": R11, "r12": R12}
	if r, ok := registers[text]; ok {
		return r
	}
	if memory, ok := strings.CutPrefix(text, "bcst:"); ok {
		m := operandOf(t, memory).(Memory)
		m.Broadcast = true
		return m
	}
	switch text[0] {
	case 'z':
		return Z(uint8(number(text[1:])))
	case 'y':
		return Y(uint8(number(text[1:])))
	case 'x':
		return X(uint8(number(text[1:])))
	case 'k':
		return Mask(number(text[1:]))
	case '$':
		return Immediate(number(text[1:]))
	}
	parts := strings.Split(strings.Trim(text, "[]"), "+")
	m := At(registers[parts[0]], int32(number(parts[len(parts)-1])))
	if len(parts) == 3 {
		index, scale, _ := strings.Cut(parts[1], "*")
		m.Index, m.Scale = registers[index], int(number(scale))
	}
	return m
}

// TestVectorInstructions compares every instruction with its encoding by another assembler.
func TestVectorInstructions(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	e := NewEncoder()
	seen := map[string]bool{}
	for l := range strings.Lines(string(data)) {
		instruction, want, ok := strings.Cut(strings.TrimSpace(l), " | ")
		if !ok {
			continue
		}
		name, rest, _ := strings.Cut(instruction, " ")
		var operands []any
		for _, o := range strings.Split(rest, ", ") {
			operands = append(operands, operandOf(t, o))
		}
		var a Assembler
		a.Vector(e, name, operands...)
		if got := hex.EncodeToString(a.code); a.err != nil || got != want {
			t.Errorf("%s: %s (%v), want %s", instruction, got, a.err, want)
		}
		base, _, _ := strings.Cut(name, ".")
		seen[base] = true
	}
	for name := range e.table {
		if !seen[name] {
			t.Errorf("%s is not compared", name)
		}
	}
	for name := range maskOperations {
		if !seen[name] {
			t.Errorf("%s is not compared", name)
		}
	}
}

func TestOtherInstructions(t *testing.T) {
	far := func(m Memory) Memory {
		m.Displacement = 4112
		return m
	}
	masks := far(Memory{Base: R13, Index: R14, Scale: 1})
	lane := Memory{Base: RCX, Index: RDI, Scale: 1}
	for _, c := range []struct {
		name string
		emit func(a *Assembler)
		want string // by LLVM 19
	}{
		{"mov rax, [r13+r14+4112]", func(a *Assembler) { a.Do(Move, RAX, masks) }, "4b8b843510100000"},
		{"xor r9d, [r11+r14+4112]", func(a *Assembler) { a.Do32(Xor, R9, far(Memory{Base: R11, Index: R14, Scale: 1})) }, "47338c3310100000"},
		{"add rcx, r12", func(a *Assembler) { a.Do(Add, RCX, R12) }, "4903cc"},
		{"mov [rbx+4112], r12", func(a *Assembler) { a.Store(At(RBX, 4112), R12) }, "4c89a310100000"},
		{"mov [rbx+rdx*4+4112], edi", func(a *Assembler) { a.Store32(far(Memory{Base: RBX, Index: RDX, Scale: 4}), RDI) }, "89bc9310100000"},
		{"mov [rcx+rdi], dx", func(a *Assembler) { a.Store16(lane, RDX) }, "66891439"},
		{"mov [rcx+rdi], dl", func(a *Assembler) { a.Store8(lane, RDX) }, "881439"},
		{"movzx edi, word [rcx+rdi]", func(a *Assembler) { a.Load16(RDI, lane) }, "0fb73c39"},
		{"movzx edi, byte [rcx+rdi]", func(a *Assembler) { a.Load8(RDI, lane) }, "0fb63c39"},
		{"add r9, 4096", func(a *Assembler) { a.DoImmediate(Add, R9, 4096) }, "4981c100100000"},
		{"sub r10d, 4096", func(a *Assembler) { a.DoImmediate32(Sub, R10, 4096) }, "4181ea00100000"},
		{"mov qword [r13+4112], 4096", func(a *Assembler) { a.StoreImmediate(At(R13, 4112), 4096) }, "49c7851010000000100000"},
		{"test r15, r15", func(a *Assembler) { a.Test(R15, R15) }, "4d85ff"},
		{"test r8d, 4096", func(a *Assembler) { a.TestImmediate32(R8, 4096) }, "41f7c000100000"},
		{"mov eax, 4096", func(a *Assembler) { a.Load64(RAX, 4096) }, "b800100000"},
		{"mov r12, 0x123456789abcdef0", func(a *Assembler) { a.Load64(R12, 0x123456789abcdef0) }, "49bcf0debc9a78563412"},
		{"lea r15, [rax+4112]", func(a *Assembler) { a.Address(R15, At(RAX, 4112)) }, "4c8db810100000"},
		{"lea edx, [rax+4112]", func(a *Assembler) { a.Address32(RDX, At(RAX, 4112)) }, "8d9010100000"},
		{"popcnt eax, r9d", func(a *Assembler) { a.CountBits32(RAX, R9) }, "f3410fb8c1"},
		{"tzcnt edx, eax", func(a *Assembler) { a.LowestBit32(RDX, RAX) }, "f30fbcd0"},
		{"imul r12, rax, 4096", func(a *Assembler) { a.Multiply(R12, RAX, 4096) }, "4c69e000100000"},
		{"movsxd r8, eax", func(a *Assembler) { a.SignExtend(R8, RAX) }, "4c63c0"},
		{"sar rdi, 5", func(a *Assembler) { a.ShiftRight(RDI, 5) }, "48c1ff05"},
		{"vpgatherdd zmm20 {k5}, [rcx+zmm25*4]", func(a *Assembler) { a.Gather(32, Indexed{RCX, Z(25), 4}, 5, Z(20)) }, "62a27d45902489"},
		{"vpgatherdq zmm3 {k6}, [rcx+ymm28*8]", func(a *Assembler) { a.Gather(64, Indexed{RCX, Y(28), 8}, 6, Z(3)) }, "62b2fd46901ce1"},
		{"vpscatterdd [rcx+zmm4*4] {k5}, zmm7", func(a *Assembler) { a.Scatter(32, Z(7), Indexed{RCX, Z(4), 4}, 5) }, "62f27d4da03ca1"},
		{"vpscatterdq [rcx+ymm20*8] {k5}, zmm7", func(a *Assembler) { a.Scatter(64, Z(7), Indexed{RCX, Y(20), 8}, 5) }, "62f2fd45a03ce1"},
		{"jmp r10", func(a *Assembler) { a.JumpTo(R10) }, "41ffe2"},
		{"jmp [r12+4112]", func(a *Assembler) { a.JumpTo(At(R12, 4112)) }, "41ffa42410100000"},
		{"ldmxcsr [r13+4112]", func(a *Assembler) { a.LoadControl(At(R13, 4112)) }, "410fae9510100000"},
		{"sfence", func(a *Assembler) { a.StoreFence() }, "0faef8"},
		{"prefetcht0 [r15+rax*4]", func(a *Assembler) { a.Prefetch(Memory{Base: R15, Index: RAX, Scale: 4}) }, "410f180c87"},
		{"add [rcx+4112], rax", func(a *Assembler) { a.AddTo(At(RCX, 4112), RAX) }, "48018110100000"},
		{"not edx", func(a *Assembler) { a.Not32(RDX) }, "f7d2"},
		{"kmovw k1, [r13+r14+4112]", func(a *Assembler) { a.LoadMask(16, masks, 1) }, "c48178908c3510100000"},
		{"kmovb k7, [r13+r14+4112]", func(a *Assembler) { a.LoadMask(8, masks, 7) }, "c4817990bc3510100000"},
		{"kmovd k7, [r13+r14+4112]", func(a *Assembler) { a.LoadMask(32, masks, 7) }, "c481f990bc3510100000"},
		{"kmovw [r13+r14+4112], k4", func(a *Assembler) { a.StoreMask(16, 4, masks) }, "c4817891a43510100000"},
		{"kmovd [r13+r14+4112], k4", func(a *Assembler) { a.StoreMask(32, 4, masks) }, "c481f991a43510100000"},
		{"kmovw k7, eax", func(a *Assembler) { a.LoadMask(16, RAX, 7) }, "c4e17892f8"},
		{"kmovw eax, k7", func(a *Assembler) { a.StoreMask(16, 7, RAX) }, "c4e17893c7"},
		{"kortestw k5, k6", func(a *Assembler) { a.TestMasks(5, 6) }, "c4e17898ee"},
		{"kshiftrw k6, k7, 8", func(a *Assembler) { a.ShiftMask(8, 7, 6) }, "c4e3f930f708"},
		{"kunpckbw k4, k3, k2", func(a *Assembler) { a.JoinMasks(8, 2, 3, 4) }, "c4e1654be2"},
		{"kunpckwd k4, k3, k2", func(a *Assembler) { a.JoinMasks(16, 2, 3, 4) }, "c4e1644be2"},
		{"vmovq rax, xmm20", func(a *Assembler) { a.FirstLane(64, Z(20), RAX) }, "62e1fd087ee0"},
		{"vmovd eax, xmm20", func(a *Assembler) { a.FirstLane(32, Z(20), RAX) }, "62e17d087ee0"},
		{"vpinsrd xmm25, xmm25, [rcx+rdi], 3", func(a *Assembler) { a.InsertLane(32, 3, lane, X(25), X(25)) }, "62633500220c3903"},
		{"vpinsrq xmm25, xmm25, [rcx+rdi], 1", func(a *Assembler) { a.InsertLane(64, 1, lane, X(25), X(25)) }, "6263b500220c3901"},
		{"vmovd xmm25, [rcx+rdi]", func(a *Assembler) { a.LoadLane(32, lane, X(25)) }, "62617d086e0c39"},
		{"vmovq xmm25, [rcx+rdi]", func(a *Assembler) { a.LoadLane(64, lane, X(25)) }, "6261fd086e0c39"},
	} {
		var a Assembler
		c.emit(&a)
		if got := hex.EncodeToString(a.code); got != c.want || a.err != nil {
			t.Errorf("%s: %s (%v), want %s", c.name, got, a.err, c.want)
		}
	}
}

// TestReferences checks jumps forth and back, addresses of labels and constants: 64-bit aligned behind the code.
func TestReferences(t *testing.T) {
	var a Assembler
	back, forth := a.NewLabel(), a.NewLabel()
	a.Place(back)
	a.JumpIf(Equal, forth)
	a.AddressOf(R10, back)
	a.Place(forth)
	a.Jump(back)
	a.Vector(NewEncoder(), "VPBROADCASTD", a.Constant([]byte{1, 2, 3, 4}), Z(1))
	a.Vector(NewEncoder(), "VPBROADCASTD", a.Constant([]byte{1, 2, 3, 4}), Z(2))
	got, err := a.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	const want = "0f8407000000" + "4c8d15f3ffffff" + "e9eeffffff" + "62f27d48580d24000000" + "62f27d4858151a000000"
	if code := hex.EncodeToString(got); !strings.HasPrefix(code, want) || !strings.HasSuffix(code, "cc01020304") || len(got) != 68 {
		t.Errorf("%s, want %s", code, want)
	}
	var open Assembler
	open.Jump(open.NewLabel())
	if _, err := open.Bytes(); err == nil {
		t.Error("a jump to nowhere is no error")
	}
}
