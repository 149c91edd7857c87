package ptx

import "silica/internal/isa"

// shapesOf resolves the names in operands and returns their shapes. It is false when an operand
// makes no sense by itself, which has been reported.
func (c *checker) shapesOf(operands []Operand) (shapes []isa.Shape, ok bool) {
	if len(operands) == 0 {
		return nil, true
	}
	shapes, ok = c.newShapes(len(operands)), true
	for i, o := range operands {
		ok = c.shape(&shapes[i], o) && ok
	}
	return shapes, ok
}

func (c *checker) shape(s *isa.Shape, o Operand) (ok bool) {
	switch o := o.(type) {
	case *Name:
		return c.nameShape(s, o)
	case *Immediate:
		immediateShape(s, o)
		return true
	case *Address:
		return c.addressShape(s, o)
	case *Vector:
		s.Kind = isa.ShapeVector
		s.Elems, ok = c.shapesOf(o.Elems)
	case *List:
		s.Kind = isa.ShapeList
		s.Elems, ok = c.shapesOf(o.Elems)
	case *Pair:
		s.Kind = isa.ShapePair
		s.Elems = c.newShapes(2)
		left := c.shape(&s.Elems[0], o.Left)
		ok = c.shape(&s.Elems[1], o.Right) && left
	}
	return ok
}

func immediateShape(s *isa.Shape, i *Immediate) {
	s.Value = i.Bits
	switch {
	case i.Float == ImmF32:
		s.Kind, s.Type = isa.ShapeFloat, isa.F32
	case i.Float == ImmF64:
		s.Kind, s.Type = isa.ShapeFloat, isa.F64
	case i.Unsigned:
		s.Kind, s.Type = isa.ShapeInteger, isa.U64
	default:
		s.Kind, s.Type = isa.ShapeInteger, isa.S64
	}
}

// addressShape resolves the base of an address and what follows it.
func (c *checker) addressShape(s *isa.Shape, a *Address) (ok bool) {
	s.Kind = isa.ShapeAddress
	s.Elems, ok = c.shapesOf(a.Rest)
	base, isName := a.Base.(*Name)
	if !isName {
		return ok
	}
	var shape isa.Shape
	if !c.nameShape(&shape, base) {
		return false
	}
	switch shape.Kind {
	case isa.ShapeRegister:
		s.Type = shape.Type
	case isa.ShapeVariable, isa.ShapeParam:
	default:
		c.errs.add(base.Pos, "%s is no address: it is a %s", base.Name, base.Ref.describe())
		return false
	}
	return ok
}

// nameShape resolves a name and its component.
func (c *checker) nameShape(s *isa.Shape, n *Name) bool {
	if !c.name(n) {
		return false
	}
	s.Negated, s.Minus, s.Select = n.Negate, n.Minus, n.Half
	ok := true
	switch sym := n.Ref; sym.Kind {
	case SymRegister:
		ok = c.registerShape(s, n, sym.Var)
	case SymSpecial:
		ok = c.specialShape(s, n)
	case SymVariable:
		s.Kind = isa.ShapeVariable
	case SymParam:
		s.Kind = isa.ShapeParam
	case SymLabel:
		s.Kind = isa.ShapeLabel
	case SymFunc:
		s.Kind = isa.ShapeFunc
	case SymTable:
		s.Kind = isa.ShapeTable
	case SymSink:
		s.Kind = isa.ShapeSink
	}
	switch {
	case !ok:
	case n.Component != 0 && s.Kind != isa.ShapeRegister:
		c.errs.add(n.Pos, "%s has no component .%c: it is a %s", n.Name, n.Component, n.Ref.describe())
	case n.Offset != 0 && s.Kind != isa.ShapeVariable && s.Kind != isa.ShapeParam:
		c.errs.add(n.Pos, "an offset goes with a variable: %s is a %s", n.Name, n.Ref.describe())
	case n.Index != nil && (s.Kind != isa.ShapeVariable && s.Kind != isa.ShapeParam || len(n.Ref.Var.Dims) != 1):
		c.errs.add(n.Pos, "an index goes with an array of one dimension: %s is a %s", n.Name, n.Ref.describe())
	case n.Negate && (s.Kind != isa.ShapeRegister || s.Type != isa.Pred):
		c.errs.add(n.Pos, "! goes with a predicate: %s is a %s", n.Name, n.Ref.describe())
	case n.Minus && (s.Kind != isa.ShapeRegister || s.Type == isa.Pred):
		c.errs.add(n.Pos, "- goes with a register or a constant: %s is a %s", n.Name, n.Ref.describe())
	default:
		return true
	}
	return false
}

// registerShape gives a register, an element of a vector register, or all elements of one.
func (c *checker) registerShape(s *isa.Shape, n *Name, v *Variable) bool {
	s.Kind, s.Type = isa.ShapeRegister, v.Type
	switch {
	case n.Component != 0:
		if element := componentIndex(n.Component); element >= v.Vector {
			c.errs.add(n.Pos, "register %s has no component .%c", n.Name, n.Component)
			return false
		}
	case v.Vector > 0:
		element := isa.Shape{Kind: isa.ShapeRegister, Type: v.Type}
		s.Kind, s.Type = isa.ShapeVector, isa.NoType
		s.Elems = c.newShapes(v.Vector)
		for i := range s.Elems {
			s.Elems[i] = element
		}
	}
	return true
}

// componentIndex returns the number of component x, y, z or w.
func componentIndex(component byte) int {
	if component == 'w' {
		return 3
	}
	return int(component - 'x')
}

func (c *checker) specialShape(s *isa.Shape, n *Name) bool {
	r, component, _ := lookupSpecial(n.Name)
	if component && !r.Vector {
		c.errs.add(n.Pos, "special register %s has no components", n.Name)
		return false
	}
	before := len(c.errs.list)
	c.need(n.Pos, n.Name, r.Since.PTX, r.Since.SM)
	if len(c.errs.list) > before {
		return false
	}
	element := isa.Shape{Kind: isa.ShapeSpecial, Type: specialType(r, c.ctx.PTX)}
	if !r.Vector || component {
		s.Kind, s.Type = element.Kind, element.Type
		return true
	}
	const components = 4
	s.Kind = isa.ShapeVector
	s.Elems = c.newShapes(components)
	for i := range s.Elems {
		s.Elems[i] = element
	}
	return true
}
