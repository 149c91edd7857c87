package isa

import (
	"fmt"
	"strings"

	"silica/internal/mma"
)

// wgmmaForm is a line of the manual's table of warpgroup products. k is the depth of the dense product.
type wgmmaForm struct {
	k         int
	d, ab     string
	negate    bool // the factors' signs may be given
	transpose bool // the layout of matrices in shared memory may be given
	mods      string
	tail      string
	sparse    bool
}

// wgmmaForms lists the types; n runs from 8 to 256 in steps of 8, for integers in steps of 16 from 32 on.
var wgmmaForms = [...]wgmmaForm{
	{k: 16, d: ".f16", ab: ".f16", negate: true, transpose: true, sparse: true},
	{k: 16, d: ".f32", ab: ".f16", negate: true, transpose: true, sparse: true},
	{k: 16, d: ".f32", ab: ".bf16", negate: true, transpose: true, sparse: true},
	{k: 8, d: ".f32", ab: ".tf32", negate: true, sparse: true},
	{k: 32, d: ".f16", ab: fp8Types, negate: true, sparse: true},
	{k: 32, d: ".f32", ab: fp8Types, negate: true, sparse: true},
	{k: 32, d: ".s32", ab: byteTypes, mods: "{.satfinite}", sparse: true},
	{k: 256, d: ".s32", ab: ".b1", tail: ".and.popc"},
}

func wgmmaRows() []Row {
	rows := []Row{
		{Syntax: "wgmma.fence.sync.aligned"},
		{Syntax: "wgmma.commit_group.sync.aligned"},
		{Syntax: "wgmma.wait_group.sync.aligned n", Types: "n:u32:imm=0..7"},
	}
	for _, o := range wgmmaForms {
		for _, a := range []string{"a-desc", "a"} {
			rows = append(rows, wgmmaRow(o, a, false))
			if o.sparse {
				rows = append(rows, wgmmaRow(o, a, true))
			}
		}
	}
	for i := range rows {
		r := &rows[i]
		r.Since, r.Unit, r.Class = Since{PTX: 80, SM: 90, Arch: "a"}, Tensor, ClassMisc
		if r.Check == nil { // products are complete when they have been issued
			r.Op = OpNop
		}
	}
	return rows
}

// wgmmaRow gives one form: a is "a-desc" for a matrix in shared memory, "a" for one in registers.
func wgmmaRow(o wgmmaForm, a string, sparse bool) Row {
	head, k, meta := "wgmma.mma_async", o.k, ""
	if sparse {
		head, k, meta = head+".sp", 2*o.k, ", sp-meta, sp-sel"
	}
	operands := " d, " + a + ", b-desc" + meta + ", scale-d"
	if o.negate {
		operands += ", scale-a, scale-b"
	}
	if o.transpose && a == "a-desc" {
		operands += ", trans-a"
	}
	if o.transpose {
		operands += ", trans-b"
	}
	return Row{
		Syntax: head + ".sync.aligned.shape" + o.mods + ".dtype.atype.btype" + o.tail + operands,
		Mods:   Mods{"shape": wgmmaShapes(k, o.d == ".s32"), "dtype": o.d, "atype": o.ab, "btype": o.ab},
		Types: "d:" + fragmentRegister(o.d) + "*?:rw a:b32*4 a-desc:b64 b-desc:b64 sp-meta:b32 sp-sel:u32:imm=0..3 scale-d:pred" +
			" scale-a:s32:imm=-1|1 scale-b:s32:imm=-1|1 trans-a:u32:imm=0|1 trans-b:u32:imm=0|1",
		Check: wgmmaCheck, Op: OpWarpgroup,
	}
}

func wgmmaShapes(k int, integer bool) string {
	var shapes []string
	for n := 8; n <= 256; n += 8 {
		if integer && n > 24 && n%16 != 0 {
			continue
		}
		shapes = append(shapes, fmt.Sprintf(".m64n%dk%d", n, k))
	}
	return strings.Join(shapes, " ")
}

// wgmmaCheck compares the accumulator's registers, held by the 128 lanes of four warps, with the shape.
func wgmmaCheck(f *Form) string {
	m, n, _ := matrixShape(f.Get("shape"))
	return wantFragment(f, "d", fragmentLength(m*n, ParseType(f.Get("dtype")).Bits(), 128))
}

// WarpgroupProductOf describes the product of a wgmma.mma_async form.
func WarpgroupProductOf(f *Form) mma.Spec {
	s := mma.Spec{
		Saturate: f.Has(".satfinite"), And: f.Has(".and"), Sparse: f.Has(".sp"),
		A: matrixElement(f.Get("atype")), B: matrixElement(f.Get("btype")), D: matrixElement(f.Get("dtype")),
	}
	s.M, s.N, s.K = matrixShape(f.Get("shape"))
	return s
}
