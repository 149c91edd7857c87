package sass

import "silica/internal/isa"

// signs strips negations and absolute values, which are part of an operand.
func signs(v *value) (x *value, negate, absolute bool) {
	for v.op == opFloat && v.guard == nil {
		switch {
		case v.name == "neg" && !absolute:
			negate = !negate
		case v.name == "abs":
			absolute = true
		case v.name == "neg":
		default:
			return v, negate, absolute
		}
		v = v.args[0]
	}
	return v, negate, absolute
}

// floatOperands reads sources with their signs.
func (s *selector) floatOperands(args ...*value) []Operand {
	bare := make([]*value, len(args))
	for i, a := range args {
		bare[i], _, _ = signs(a)
	}
	out := s.operands(bare...)
	for i, a := range args {
		_, out[i].Negate, out[i].Absolute = signs(a)
	}
	return out
}

// floatNames are the opcodes of f32 and f64 arithmetic.
var floatNames = map[isa.Type]map[string]string{
	isa.F32: {"add": "FADD", "mul": "FMUL", "fma": "FFMA", "min": "FMNMX", "max": "FMNMX", "neg": "FADD", "abs": "FADD"},
	isa.F64: {"add": "DADD", "mul": "DMUL", "fma": "DFMA", "neg": "DADD", "abs": "DADD"},
}

// float selects f32 and f64 arithmetic.
func (s *selector) float(v *value) {
	name := floatNames[v.typ][v.name]
	mods := ""
	if v.inst.Form.Has(".ftz") {
		mods += ".FTZ"
	}
	if v.inst.Form.Has(".sat") {
		mods += ".SAT"
	}
	if v.name == "add" {
		for i, a := range v.args {
			m, negate, abs := signs(a)
			if m.op == opFloat && m.name == "mul" && (m.uses == 1 || s.onlySums(m)) && m.guard == nil && !abs && !s.want[m] && s.contracts(v) && s.contracts(m) && m.typ == v.typ {
				fused := map[isa.Type]string{isa.F32: "FFMA", isa.F64: "DFMA"}[v.typ]
				in := s.emit(fused, mods, s.dst(v), s.floatOperands(m.args[0], m.args[1], v.args[1-i])...)
				in.Src[0].Negate = in.Src[0].Negate != negate
				return
			}
		}
	}
	if v.name == "neg" || v.name == "abs" {
		x, negate, abs := signs(v)
		o := s.reg(x)
		o.Negate, o.Absolute = negate, abs
		s.emit(name, mods, s.dst(v), o, zero)
		return
	}
	s.emit(name, mods, s.dst(v), s.floatOperands(order(v)...)...).Largest = v.name == "max"
}

// order puts a number of a product or sum behind the other operand.
func order(v *value) []*value {
	if len(v.args) >= 2 && (v.args[0].isConst() || inBank(v.args[0])) && !v.args[1].isConst() {
		out := append([]*value(nil), v.args...)
		out[0], out[1] = out[1], out[0]
		return out
	}
	return v.args
}

// onlySums tells whether everything that reads a product is a sum that can take it in.
func (s *selector) onlySums(m *value) bool {
	for _, u := range m.users {
		if u.op == opFloat && u.name == "neg" && u.block == m.block && u.guard == nil && s.onlySums(u) {
			continue
		}
		if u.op != opFloat || u.name != "add" || u.typ != m.typ || !s.contracts(u) || u.block != m.block {
			return false
		}
	}
	return true
}

// contracts tells whether an operation may be fused with another: it says nothing about rounding.
func (s *selector) contracts(v *value) bool { return v.inst != nil && !v.inst.Form.Has(".rn") }
