package isa

import (
	"silica/internal/mma"
)

// matrixElement returns the type of matrix elements that a modifier names (".f16").
func matrixElement(mod string) mma.Element {
	e, _ := mma.ParseElement(mod[1:])
	return e
}

// productOf describes the product of an mma or wmma.mma form.
func productOf(f *Form) mma.Spec {
	s := mma.Spec{
		Mode: modeOf(f).Rounding(), Saturate: f.Has(".satfinite"), And: f.Has(".and"),
		Sparse: f.Get("spvariant") != "", ColumnA: f.Get("alayout") == ".col", RowB: f.Get("blayout") == ".row",
		D: matrixElement(f.Get("dtype")), C: matrixElement(f.Get("ctype")),
	}
	s.M, s.N, s.K = matrixShape(f.Get("shape"))
	if a := f.Get("atype"); a != "" { // wmma of f16 does not name it
		s.A, s.B = matrixElement(a), matrixElement(f.Get("btype"))
	}
	switch kind := f.Get("kind"); {
	case kind == "":
		return s
	case kind == ".kind::f8f6f4", kind == ".kind::mxf8f6f4":
		s.A, s.B = s.A.InByte(), s.B.InByte()
	}
	s.Kind = true
	s.Sparse = f.Has(".sp::ordered_metadata")
	if f.Has(".block_scale") {
		s.Blocks = 2
		switch {
		case f.Get("kind") == ".kind::mxf8f6f4":
			s.Blocks = 1
		case f.Has(".scale_vec::4X"):
			s.Blocks = 4
		}
	}
	if f.Get("stype") == ".ue4m3" {
		s.Scale = mma.UE4M3
	}
	return s
}

// ProductOf returns the product of an mma.sync or wmma.mma form, nil for others. The layouts that wmma.mma names are those that its
// fragments were loaded with, which are the same in registers.
func ProductOf(f *Form) *mma.Product {
	switch {
	case f.Opcode == "mma":
		return mma.MMA(productOf(f))
	case f.Opcode == "wmma" && f.Has(".mma"):
		return mma.WMMA(productOf(f))
	}
	return nil
}

func productWarp(f *Form) WarpFunc {
	p := ProductOf(f)
	return func(w *Warp) { p.Run(w.Src[:], w.Dst[:], w.Active) }
}

// FragmentMove is a wmma.load or wmma.store form, decoded. Its sources are the registers of a store, then the
// stride when Stride is 0.
type FragmentMove struct {
	Store    bool
	Fragment *mma.Fragment
	// Along tells that the elements of a row of the fragment lie next to each other in memory, else those
	// of a column do.
	Along bool
	// Bits is the width of an element in memory.
	Bits int
	// Stride is the distance of rows (or columns) in memory in elements, 0 when a source gives it.
	Stride int
}

// FragmentMoveOf decodes a wmma.load or wmma.store form. A row of a fragment of the second factor is a column of
// the matrix.
func FragmentMoveOf(f *Form) FragmentMove {
	m, n, k := matrixShape(f.Get("shape"))
	e, rowMajor := matrixElement(f.Get("type")), f.Get("layout") == ".row"
	x := FragmentMove{Along: rowMajor, Bits: ParseType(f.Get("type")).Bits(), Store: f.Has(".store")}
	rows, columns := m, n
	switch {
	case f.Has(".a"):
		x.Fragment, columns = mma.FragmentA(e, m, k), k
	case f.Has(".b"):
		x.Fragment, rows, x.Along = mma.FragmentB(e, n, k), k, !rowMajor
	default:
		x.Fragment = mma.FragmentC(e, m, n)
	}
	switch {
	case f.Args[len(f.Args)-1].Name == "stride":
	case rowMajor:
		x.Stride = columns
	default:
		x.Stride = rows
	}
	return x
}
