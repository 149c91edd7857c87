package isa

import "errors"

// Shape is one operand as a program writes it, for Match.
type Shape struct {
	Kind ShapeKind
	// Type is the declared type of a register, Pred for %p, the special register's type, or the
	// type of an immediate (S64, U64, F32 for 0f literals, F64).
	Type Type
	// Value is the bits of an integer immediate.
	Value uint64
	// Negated is set for !p.
	Negated bool
	// Elems holds the elements of a vector, a pair (two), a list or what follows the base of an address.
	Elems []Shape
}

// ShapeKind is the syntactic kind of an operand.
type ShapeKind uint8

// The kinds of operand shapes.
const (
	ShapeRegister ShapeKind = iota
	ShapeSpecial
	ShapeInteger
	ShapeFloat
	ShapeVariable // name of a variable: its address
	ShapeParam    // name of a .param variable
	ShapeAddress  // [..]; Elems holds the shapes after the base
	ShapeVector
	ShapePair
	ShapeList
	ShapeLabel
	ShapeFunc
	ShapeTable
	ShapeSink
)

// ErrNoRow is what a mismatch wraps when the opcode itself is unknown.
var ErrNoRow = errors.New("unknown instruction")

// Context is the module an instruction stands in.
type Context struct {
	PTX  int    // PTX version, 87 for 8.7
	SM   int    // target, 90 for sm_90
	Arch string // "a" for sm_90a, "f" for sm_100f, else ""
}
