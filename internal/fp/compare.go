package fp

import "math"

// Relation is a set of the four ways in which two floating-point values can stand to each other.
// Comparing gives one of them; a comparison operator is the set for which it is true.
type Relation uint8

// The four relations.
const (
	Less Relation = 1 << iota
	Equal
	Greater
	Unordered
)

// The comparison operators of set and setp. Those ending in U hold for unordered operands too.
const (
	EQ  = Equal
	NE  = Less | Greater
	LT  = Less
	LE  = Less | Equal
	GT  = Greater
	GE  = Greater | Equal
	EQU = EQ | Unordered
	NEU = NE | Unordered
	LTU = LT | Unordered
	LEU = LE | Unordered
	GTU = GT | Unordered
	GEU = GE | Unordered
	NUM = Less | Equal | Greater
	NAN = Unordered
)

// Has reports whether the operator r is true of operands that relate as one does.
func (r Relation) Has(one Relation) bool { return r&one != 0 }

// Compare32 returns how a stands to b, of which Ftz flushes denormals.
func Compare32(a, b uint32, m Mode) Relation {
	if m&Ftz != 0 {
		a, b = Flush32(a), Flush32(b)
	}
	return relation(float64(math.Float32frombits(a)), float64(math.Float32frombits(b)))
}

// Compare64 returns how a stands to b.
func Compare64(a, b uint64) Relation {
	return relation(math.Float64frombits(a), math.Float64frombits(b))
}

// Compare16 returns how a stands to b, of which Ftz flushes denormals.
func Compare16(f Format, a, b uint16, m Mode) Relation {
	return relation(f.operand16(a, m), f.operand16(b, m))
}

func relation(x, y float64) Relation {
	switch {
	case x < y:
		return Less
	case x == y:
		return Equal
	case x > y:
		return Greater
	default:
		return Unordered
	}
}

// Class is a set of the kinds of floating-point value. Classifying gives one of them; a property of
// testp is the set for which it is true.
type Class uint8

// The four kinds. Zero counts as normal, as testp has it.
const (
	Subnormal Class = 1 << iota
	Normal
	Infinite
	NotANumber
)

// The properties of testp that are more than one kind.
const (
	Finite = Subnormal | Normal
	Number = Finite | Infinite
)

// Has reports whether the property c is true of a value of kind one.
func (c Class) Has(one Class) bool { return c&one != 0 }

// Classify returns the kind of x, a value of format f.
func (f Format) Classify(x uint64) Class {
	l := &layouts[f]
	magnitude := x >> l.pad & l.magnitude()
	switch infinity := l.infinity(); {
	case magnitude > infinity, magnitude == infinity && l.specials == nanOnly:
		return NotANumber
	case magnitude == infinity:
		return Infinite
	case magnitude != 0 && magnitude < 1<<l.fraction && l.signed:
		return Subnormal
	default:
		return Normal
	}
}
