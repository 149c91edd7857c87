package isa

import (
	"fmt"
	"slices"
	"strings"
)

// operandCheck applies the manual's operand type-checking rules to one operand.
type operandCheck struct {
	row    *Row
	opcode string
	arg    *Arg
	rule   *ArgType
}

// shape returns why the operand does not fit, or "".
func (c operandCheck) shape(s *Shape) string {
	switch c.arg.Kind {
	case ArgAddress:
		if s.Kind != ShapeAddress {
			return fmt.Sprintf("an address [a] is wanted, found %s", s.describe())
		}
		if t := s.Type; t != NoType && (t.Bits() < 32 || t.Bits() > 64 || t.Kind() == Float) {
			return fmt.Sprintf("an address needs a register of 32 or 64 bits, found %s", s.describe())
		}
		if s.Type.Bits() == 64 && c.rule.Narrow {
			return "an address in tensor memory has 32 bits, found a register of 64"
		}
		return ""
	case ArgLabel:
		return c.want(s, "a label", ShapeLabel)
	case ArgFunc:
		return c.want(s, "a function or a register with its address", ShapeFunc, ShapeRegister)
	case ArgList:
		return c.want(s, "a list in parentheses", ShapeList)
	case ArgTable:
		return c.want(s, "the label of a table or prototype", ShapeTable)
	}
	if c.arg.Vector == 0 && c.rule.Base != "pack" && s.Kind == ShapeVector && len(s.Elems) == 1 && takesBraces(c.opcode) {
		return c.value(&s.Elems[0])
	}
	if c.arg.Vector > 1 || c.arg.Vector == 1 && s.Kind == ShapeVector || c.rule.Vector == "?" || c.row.Op == OpMatrix && c.rule.isVector() {
		return c.vector(s)
	}
	return c.value(s)
}

func (c operandCheck) want(s *Shape, what string, kinds ...ShapeKind) string {
	for _, k := range kinds {
		if s.Kind == k {
			return ""
		}
	}
	return fmt.Sprintf("%s is wanted, found %s", what, s.describe())
}

func (c operandCheck) vector(s *Shape) string {
	if c.rule.Base == "pack" && c.arg.Type == NoType {
		return fmt.Sprintf("a vector of 2 or 4 is wanted, found %s", s.describe())
	}
	if c.arg.Vector == 0 {
		return fmt.Sprintf("a vector is wanted, found %s", s.describe())
	}
	if s.Kind != ShapeVector || len(s.Elems) != c.arg.Vector {
		return fmt.Sprintf("a vector of %d is wanted, found %s", c.arg.Vector, s.describe())
	}
	if c.opcode == "ld" && !slices.ContainsFunc(s.Elems, func(e Shape) bool { return e.Kind != ShapeSink }) {
		return "a vector to load has at least one register"
	}
	for i := range s.Elems {
		e := &s.Elems[i]
		if e.Kind == ShapeSink && (c.arg.Write || c.rule.Sink) {
			continue
		}
		element := c
		if i < len(c.rule.Each) {
			rule := *c.rule
			rule.Allowed, rule.AllowedText = c.rule.Each[i].Allowed, c.rule.Each[i].AllowedText
			element.rule = &rule
		}
		if text := element.value(e); text != "" {
			return fmt.Sprintf("element %d: %s", i, text)
		}
	}
	return ""
}

func (c operandCheck) value(s *Shape) string {
	t := c.arg.Type
	switch {
	case c.arg.Name == "_":
		return c.want(s, "the sink _", ShapeSink)
	case c.arg.Write && s.Kind == ShapeSink && c.rule.Sink && !c.rule.Kept:
		return ""
	case c.arg.Write && s.Negated:
		return "a predicate to write can not be negated"
	case c.arg.Write && s.Kind == ShapeSpecial:
		return "a special register can not be written"
	case c.arg.Write && s.Kind != ShapeRegister:
		return fmt.Sprintf("a register to write is wanted, found %s", s.describe())
	case c.rule.Imm && s.Kind != ShapeInteger:
		return fmt.Sprintf("an integer constant is wanted, found %s", s.describe())
	case c.rule.Reg && s.Kind != ShapeRegister:
		return fmt.Sprintf("a register is wanted, found %s", s.describe())
	case s.Select != "" && !c.rule.selects(s.Select):
		return fmt.Sprintf("the selector %s is not allowed", s.Select)
	case s.Minus && !c.rule.Minus:
		return "a register can not be negated here"
	}
	ok := false
	switch s.Kind {
	case ShapeRegister:
		ok = c.register(s.Type)
	case ShapeSpecial:
		if !c.rule.Special && c.opcode != "mov" {
			return "a special register is not allowed; only mov and cvt read them"
		}
		// mov.u16 of a 32-bit special register is what PTX 1 wrote.
		ok = c.rule.Special && (c.register(s.Type) || s.Type == U32 && t.Bits() == 16)
	case ShapeInteger:
		if t.Kind() != Float && t.Kind() != Opaque && t.Bits() <= 64 && t.Pack() == 1 {
			return c.constant(s.Value)
		}
	case ShapeFloat:
		ok = t == F32 || t == F64 || t == bitsType(s.Type.Bits())
	case ShapeVariable, ShapeParam, ShapeFunc:
		if c.row.Unit != TEX && !takesAddresses(c.opcode) {
			return fmt.Sprintf("a register is wanted, found %s; mov reads it", s.describe())
		}
		ok = (t.Bits() == 32 || t.Bits() == 64) && (t.Kind() == Untyped || t.Kind() == Unsigned || t.Kind() == Signed)
	}
	if !ok {
		return fmt.Sprintf("%s where .%s is wanted", s.describe(), t)
	}
	return ""
}

// takesBraces tells whether an instruction may write a value that is no vector in braces, {%r1}, as ptxas takes it.
func takesBraces(opcode string) bool {
	switch opcode {
	case "ld", "ldu", "st", "mov", "suld", "sust":
		return true
	}
	return false
}

// takesAddresses tells whether an instruction may name a variable for its address outside brackets.
func takesAddresses(opcode string) bool {
	switch opcode {
	case "mov", "cvta", "mapa", "getctarank":
		return true
	}
	return false
}

func (c operandCheck) constant(v uint64) string {
	if c.rule.Allowed == nil || c.rule.Allowed(v) {
		return ""
	}
	if n, ok := strings.CutPrefix(c.rule.AllowedText, "x"); ok {
		return fmt.Sprintf("the constant %d is not a multiple of %s", int64(v), n)
	}
	if values, n, ok := strings.Cut(c.rule.AllowedText, "/"); ok {
		return fmt.Sprintf("the constant %d is not a multiple of %s in %s", int64(v), n, values)
	}
	return fmt.Sprintf("the constant %d is not one of %s", int64(v), c.rule.AllowedText)
}

// register tells whether a register of type have may stand where the arg's type is wanted. Sizes must
// be equal, except that wider registers may hold narrower values in ld, st and cvt. Untyped bits
// agree with every type, integers agree whatever their sign, and floats agree with themselves.
func (c operandCheck) register(have Type) bool {
	want := c.arg.Type
	if want == Pred || have == Pred || want.Kind() == Opaque || have.Kind() == Opaque {
		return want == have
	}
	integer := func(t Type) bool { return (t.Kind() == Unsigned || t.Kind() == Signed) && t.Pack() == 1 }
	agree := want == have || have.Kind() == Untyped || want.Kind() == Untyped || integer(want) && integer(have)
	if c.rule.Wider && have.Bits() > want.Bits() {
		return have.Kind() == Untyped || integer(have) && want.Kind() != Float || have.Kind() == Float && want.Kind() == Untyped
	}
	return agree && have.Bits() == want.Bits()
}

// describe names what a program wrote, for messages.
func (s *Shape) describe() string {
	switch s.Kind {
	case ShapeRegister:
		if s.Type == Pred {
			return "predicate"
		}
		return fmt.Sprintf("register of type .%s", s.Type)
	case ShapeSpecial:
		return fmt.Sprintf("special register of type .%s", s.Type)
	case ShapeInteger:
		return fmt.Sprintf("the constant %d", int64(s.Value))
	case ShapeFloat:
		return "a floating-point constant"
	case ShapeVariable, ShapeParam:
		return "the address of a variable"
	case ShapeAddress:
		return "an address in brackets"
	case ShapeVector:
		return fmt.Sprintf("a vector of %d", len(s.Elems))
	case ShapePair:
		return "a pair"
	case ShapeList:
		return "a list in parentheses"
	case ShapeLabel:
		return "a label"
	case ShapeFunc:
		return "a function"
	case ShapeTable:
		return "the label of a table"
	}
	return "the sink _"
}

// selects tells whether a video operand may carry the selector: "scalar" (.b0 .. .b3, .h0, .h1), "half" and
// "byte" (.hXY and .bWXYZ, each digit one of the four halves or eight bytes of a and b), "halfmask" and
// "bytemask" (the parts of a result to write, highest first).
func (t *ArgType) selects(s string) bool {
	const digits = "01234567"
	picks := func(prefix string, count, below int) bool {
		rest, ok := strings.CutPrefix(s, prefix)
		return ok && len(rest) == count && strings.Trim(rest, digits[:below]) == ""
	}
	descends := func(prefix string) bool {
		rest, ok := strings.CutPrefix(s, prefix)
		for i := 1; i < len(rest); i++ {
			ok = ok && rest[i] < rest[i-1]
		}
		return ok && rest != ""
	}
	switch t.Select {
	case "scalar":
		return picks(".b", 1, 4) || picks(".h", 1, 2)
	case "half":
		return picks(".h", 2, 4)
	case "byte":
		return picks(".b", 4, 8)
	case "halfmask":
		return descends(".h") && strings.Trim(s[2:], "01") == ""
	case "bytemask":
		return descends(".b") && strings.Trim(s[2:], "0123") == ""
	}
	return false
}
