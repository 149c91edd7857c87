package exec

import (
	"encoding/binary"
	"strings"
	"testing"

	"silica/internal/isa"
)

func TestEveryMatrixRowHasSemantics(t *testing.T) {
	rows := 0
	for _, r := range isa.Rows() {
		if r.Op != isa.OpMatrix {
			continue
		}
		rows++
		if !strings.HasPrefix(r.Syntax, "ldmatrix.") && !strings.HasPrefix(r.Syntax, "stmatrix.") &&
			!strings.HasPrefix(r.Syntax, "wmma.load.") && !strings.HasPrefix(r.Syntax, "wmma.store.") {
			t.Errorf("%s is bound to nothing", r.Syntax)
		}
	}
	if rows == 0 {
		t.Error("there are no such rows")
	}
}

// matrixForm returns a form of n registers and an address, with the address first in a store, and a stride.
func matrixForm(t *testing.T, opcode, mods string, n int, strided bool) *isa.Form {
	t.Helper()
	registers := isa.Shape{Kind: isa.ShapeVector}
	for range n {
		registers.Elems = append(registers.Elems, isa.Shape{Kind: isa.ShapeRegister, Type: isa.B32})
	}
	operands := []isa.Shape{registers, {Kind: isa.ShapeAddress}}
	if strings.HasPrefix(mods, ".store") || opcode == "stmatrix" {
		operands[0], operands[1] = operands[1], operands[0]
	}
	if strided {
		operands = append(operands, isa.Shape{Kind: isa.ShapeRegister, Type: isa.U32})
	}
	var list []string
	for m := range strings.SplitSeq(mods[1:], ".") {
		list = append(list, "."+m)
	}
	f, err := isa.Match(isa.Context{}, opcode, list, operands)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sharedWords is a memory of 4 KiB whose halves count up.
func sharedWords() *fakeMemory {
	m := &fakeMemory{shared: make([]byte, 4096)}
	for i := range 2048 {
		binary.LittleEndian.PutUint16(m.shared[2*i:], uint16(i))
	}
	return m
}

func TestMatricesOfAWarp(t *testing.T) {
	memory := sharedWords()
	m := &Matrix{Space: isa.Shared, Memory: memory}
	m.Warp.Active = ^uint32(0)
	for lane := range 32 {
		m.Addr[lane] = uint64(16 * lane)
	}
	var reported uint32
	m.Report = func(mask uint32, _ *[32]uint64, bytes int) { reported, _ = mask, bytes }
	if lane, fault := MatrixOf(matrixForm(t, "ldmatrix", ".sync.aligned.m8n8.x2.trans.shared.b16", 2, false))(m); fault != nil {
		t.Fatalf("lane %d: %v", lane, fault)
	}
	if reported != 0xFFFF {
		t.Errorf("lanes 0x%x gave addresses, want those of 16 rows", reported)
	}
	// Row r, column c of matrix j is 64j + 8r + c; lane 4c+i has rows 2i and 2i+1 of column c.
	if got, want := m.Warp.Dst[1][4*3+2], uint64(64+8*4+3)|uint64(64+8*5+3)<<16; got != want {
		t.Errorf("0x%x, want 0x%x", got, want)
	}
	m.Warp.Src[0], m.Warp.Src[1] = m.Warp.Dst[0], m.Warp.Dst[1]
	for lane := range 32 {
		m.Addr[lane] += 2048
	}
	if lane, fault := MatrixOf(matrixForm(t, "stmatrix", ".sync.aligned.m8n8.x2.trans.shared.b16", 2, false))(m); fault != nil {
		t.Fatalf("lane %d: %v", lane, fault)
	}
	if string(memory.shared[2048:2304]) != string(memory.shared[:256]) {
		t.Error("storing what was loaded did not give the same matrices")
	}
}

func TestFragmentsOfAWarp(t *testing.T) {
	load := matrixForm(t, "wmma", ".load.a.sync.aligned.row.m16n16k16.shared.f16", 8, true)
	store := matrixForm(t, "wmma", ".store.d.sync.aligned.col.m16n16k16.shared.f32", 8, false)
	memory := sharedWords()
	m := &Matrix{Space: isa.Shared, Memory: memory}
	m.Warp.Active = ^uint32(0)
	for lane := range 32 {
		m.Warp.Src[0][lane] = 20 // stride
	}
	var accesses, size int
	m.Report = func(_ uint32, _ *[32]uint64, bytes int) { accesses, size = accesses+1, bytes }
	if lane, fault := MatrixOf(load)(m); fault != nil {
		t.Fatalf("lane %d: %v", lane, fault)
	}
	// Lane 5 has columns 2 and 3 of row 1 first, and again in the fifth register.
	if want := uint64(22 | 23<<16); m.Warp.Dst[0][5] != want || m.Warp.Dst[4][5] != want {
		t.Errorf("0x%x and 0x%x, want 0x%x", m.Warp.Dst[0][5], m.Warp.Dst[4][5], want)
	}
	if accesses != 8 || size != 4 {
		t.Errorf("%d accesses of %d bytes, want 8 of 4", accesses, size)
	}
	m.Warp.Src[0] = [32]uint64{5: 77}
	if lane, fault := MatrixOf(store)(m); fault != nil {
		t.Fatalf("lane %d: %v", lane, fault)
	}
	if got := binary.LittleEndian.Uint32(memory.shared[4*(2*16+1):]); got != 77 { // column 2, row 1
		t.Errorf("stored %d, want 77", got)
	}
	// The whole matrix is not legal memory, but that of some lanes is.
	for lane := range 32 {
		m.Addr[lane] = 4096 - 64
	}
	if lane, fault := MatrixOf(store)(m); fault == nil || fault.Kind != IllegalAddress || lane != 1 {
		t.Errorf("lane %d: %+v, want an illegal address of lane 1, which begins in column 2", lane, fault)
	}
}
