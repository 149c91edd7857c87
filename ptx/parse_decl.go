package ptx

import (
	"math"
	"math/bits"
	"slices"

	"silica/internal/isa"
)

// linkage parses the linking directive of a declaration, if there is one.
func (p *parser) linkage() Linkage {
	switch l := Linkage(p.tok.text); l {
	case Extern, Visible, Weak, Common:
		if p.tok.kind == tokenDot {
			p.next()
			return l
		}
	}
	return Static
}

// space parses a state space, and the bank of .const[bank].
func (p *parser) space() (space isa.Space, bank int) {
	switch {
	case p.accept(".reg"):
		return isa.Reg, 0
	case p.accept(".sreg"):
		return isa.SReg, 0
	case p.accept(".const"):
		if p.accept("[") {
			bank = int(p.number("a constant bank", 0))
			p.expect("]", "after a constant bank")
		}
		return isa.Const, bank
	case p.accept(".global"):
		return isa.Global, 0
	case p.accept(".local"):
		return isa.Local, 0
	case p.accept(".param"):
		return isa.ParamFunc, 0
	case p.accept(".shared"), p.accept(".shared::cta"):
		return isa.Shared, 0
	case p.accept(".tex"):
		return isa.Tex, 0
	}
	p.fail("expected a directive or a declaration, found %s", p.tok.describe())
	return isa.Generic, 0
}

// variables parses a declaration of one or more variables of a type, up to the semicolon.
func (p *parser) variables(pos Pos, linkage Linkage) []*Variable {
	shape := Variable{Pos: pos, Linkage: linkage}
	p.variableType(&shape)
	var list []*Variable
	for !p.failed() {
		v := shape
		v.Pos = p.tok.pos
		p.declarator(&v)
		if p.accept("=") {
			v.Init = p.initializer()
		}
		list = append(list, &v)
		if !p.accept(",") {
			p.expect(";", "after a declaration")
			break
		}
	}
	return list
}

// parameter parses one parameter of a function. An entry's parameters are in another space than
// those of a device function.
func (p *parser) parameter(entry bool) *Variable {
	v := &Variable{}
	p.variableType(v)
	v.Pos = p.tok.pos
	if entry && v.Space == isa.ParamFunc {
		v.Space = isa.ParamEntry
	}
	p.declarator(v)
	return v
}

// parameters parses ( parameter, ... ).
func (p *parser) parameters(entry bool) []*Variable {
	p.expect("(", "before parameters")
	var list []*Variable
	for !p.failed() && !p.at(")") {
		list = append(list, p.parameter(entry))
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "after parameters")
	return list
}

// variableType parses the space, alignment, attributes, vector size and type of a declaration.
func (p *parser) variableType(v *Variable) {
	v.Space, v.Bank = p.space()
	for p.tok.kind == tokenDot {
		t := p.tok
		p.next()
		switch t.text {
		case ".align":
			align := int(p.alignment())
			if v.Ptr != nil {
				v.Ptr.Align = align
			} else {
				v.Align = align
			}
		case ".attribute":
			v.Attributes = p.attributes()
		case ".v2":
			v.Vector = 2
		case ".v4":
			v.Vector = 4
		case ".v8":
			v.Vector = 8
		case ".ptr":
			v.Ptr = &Ptr{}
			if p.at(".global") || p.at(".const") || p.at(".local") || p.at(".shared") {
				v.Ptr.Space, _ = p.space()
			}
		default:
			typ := isa.ParseType(t.text)
			switch {
			case typ == isa.NoType:
				p.failAt(t.pos, "%s is no type", t.text)
			case v.Type != isa.NoType:
				p.failAt(t.pos, "a declaration has one type: .%s or %s", v.Type, t.text)
			}
			v.Type = typ
		}
	}
	if v.Type == isa.NoType {
		p.fail("expected a type such as .u32, found %s", p.tok.describe())
	}
}

func (p *parser) alignment() int64 {
	pos := p.tok.pos
	n := p.tightNumber("an alignment", 1)
	if n&(n-1) != 0 || n > math.MaxInt32 {
		p.failAt(pos, "alignment %d is no power of two", n)
	}
	return n
}

// maxCount limits N of %r<N>.
const maxCount = math.MaxUint32

// declarator parses the name, register count and dimensions of a variable.
func (p *parser) declarator(v *Variable) {
	v.Name = p.name("a name")
	if p.accept("<") {
		if v.Count = int(p.tightNumber("a register count", 1)); v.Count > maxCount {
			p.failAt(p.prev.pos, "a register count is at most %d", int64(maxCount))
		}
		p.expect(">", "after a register count")
	}
	for p.accept("[") {
		if p.accept("]") {
			v.Dims = append(v.Dims, -1)
			continue
		}
		v.Dims = append(v.Dims, int(p.number("an array dimension", 0)))
		p.expect("]", "after an array dimension")
	}
}

// attributes parses ( name [( number, ... )], ... ) of .attribute.
func (p *parser) attributes() []Attribute {
	p.expect("(", "after .attribute")
	var list []Attribute
	for !p.failed() {
		if p.tok.kind != tokenDot {
			p.fail("expected an attribute such as .managed, found %s", p.tok.describe())
			break
		}
		a := Attribute{Name: p.tok.text}
		p.next()
		if p.accept("(") {
			for {
				a.Args = append(a.Args, p.bits("an argument of "+a.Name))
				if !p.accept(",") {
					break
				}
			}
			p.expect(")", "after the arguments of an attribute")
		}
		list = append(list, a)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "after attributes")
	return list
}

// initializer parses { initializer, ... }, { field = value, ... } or a value.
func (p *parser) initializer() *Init {
	init := &Init{Pos: p.tok.pos}
	if !p.accept("{") {
		init.Value = p.initialValue()
		return init
	}
	p.braces++
	if !p.enter() {
		return init
	}
	defer p.leave()
	init.List = []*Init{}
	for !p.failed() && !p.at("}") {
		field, pos := "", p.tok.pos
		if p.tok.kind == tokenName && p.after().is("=") {
			field = p.tok.text
			p.next()
			p.next()
		}
		item := p.initializer()
		if field != "" {
			item.Pos, item.Field = pos, field
		}
		init.List = append(init.List, item)
		if !p.accept(",") {
			break
		}
	}
	p.expect("}", "after an initialiser")
	p.braces--
	return init
}

// initialValue parses a constant, an address, or the value of a field of a sampler.
func (p *parser) initialValue() Operand {
	if p.tok.kind == tokenName && p.tok.text != warpSize {
		return p.addressOf()
	}
	if p.tok.kind == tokenInt && p.after().is("(") {
		pos := p.tok.pos
		mask := parseInteger(p.tok.text).bits
		if low := bits.TrailingZeros64(mask); low%8 != 0 || mask>>low != 0xff {
			p.fail("a mask selects one byte: 0xff, 0xff00, ...")
		}
		p.next()
		p.next()
		a := p.addressOf()
		a.Pos, a.Mask = pos, mask
		p.expect(")", "after a masked address")
		return a
	}
	if !p.startsExpression() {
		p.fail("expected a value, found %s", p.tok.describe())
	}
	return p.immediate()
}

// addressOf parses name, generic(name), and either with a constant offset, inside or outside.
func (p *parser) addressOf() *AddressOf {
	a := &AddressOf{Pos: p.tok.pos}
	switch {
	case !p.enter():
		return a
	case p.at("generic") && p.after().is("("):
		p.next()
		p.next()
		*a = *p.addressOf()
		a.Generic = true
		p.expect(")", "after generic(")
	case p.accept("("):
		*a = *p.addressOf()
		p.expect(")", "after an address")
	default:
		a.Name = p.name("the name of a variable or function")
	}
	p.leave()
	a.Offset = p.offset(a.Offset)
	return a
}

// maxOffset limits the offset of an address, in bytes either way.
const maxOffset = 1 << 48

// offset parses an optional + n or - n and returns it on top of base.
func (p *parser) offset(base int64) int64 {
	if !p.at("+") && !p.at("-") {
		return base
	}
	pos := p.tok.pos
	n := p.number("an offset", -maxOffset)
	if n > maxOffset || base+n > maxOffset || base+n < -maxOffset {
		p.failAt(pos, "an offset must be at most %d", maxOffset)
		return base
	}
	return base + n
}

// function parses an .entry or .func, and its body when there is one.
func (p *parser) function(pos Pos, linkage Linkage) *Function {
	f := &Function{Pos: pos, Linkage: linkage, Entry: p.at(".entry")}
	p.next()
	if p.accept(".attribute") {
		f.Attributes = p.attributes()
	}
	if p.at("(") {
		if f.Entry {
			p.fail("an .entry returns nothing: expected its name")
		}
		f.Returns = p.parameters(false)
	}
	f.Name = p.name("the name of a function")
	if p.at("(") {
		f.Params = p.parameters(f.Entry)
	}
	f.Directives, f.Noreturn = p.functionDirectives()
	switch {
	case p.accept(";"):
	case p.at("{"):
		f.Body = p.block()
		p.hoistParameters(f)
	default:
		p.fail("expected \"{\" or \";\" after the head of a function, found %s", p.tok.describe())
	}
	return f
}

// hoistParameters moves the parameters that PTX 1.0 to 1.3 declare in the body of an .entry to its
// head, where later versions have them.
func (p *parser) hoistParameters(f *Function) {
	if !f.Entry || p.module.Version.number() >= 14 {
		return
	}
	f.Body.Body = slices.DeleteFunc(f.Body.Body, func(s Statement) bool {
		v, ok := s.(*Variable)
		if ok = ok && v.Space == isa.ParamFunc; ok {
			v.Space = isa.ParamEntry
			f.Params = append(f.Params, v)
		}
		return ok
	})
}

// functionDirectives parses the directives between the parameters and the body.
func (p *parser) functionDirectives() (list []FuncDirective, noreturn bool) {
	for p.tok.kind == tokenDot {
		d := FuncDirective{Pos: p.tok.pos, Name: p.tok.text}
		switch d.Name {
		case ".noreturn":
			p.next()
			noreturn = true
			continue
		case ".pragma":
			d.Text = p.pragmaText()
			p.expect(";", "after .pragma")
			list = append(list, d)
			continue
		default:
			if _, ok := functionRules[d.Name]; !ok {
				p.fail("%s is no directive of a function%s", d.Name, suggest(d.Name, mapKeys(functionRules)))
				return list, noreturn
			}
			p.next()
		}
		if p.startsExpression() {
			for {
				d.Args = append(d.Args, int(p.number("an argument of "+d.Name, 0)))
				if !p.accept(",") {
					break
				}
			}
		}
		list = append(list, d)
	}
	return list, noreturn
}

// prototype parses .callprototype [(returns)] _ [(parameters)] directives ;
func (p *parser) prototype(pos Pos, name string) *Prototype {
	p.next()
	t := &Prototype{Pos: pos, Name: name}
	if p.at("(") {
		t.Returns = p.parameters(false)
	}
	p.expect("_", "for the name in .callprototype")
	if p.at("(") {
		t.Params = p.parameters(false)
	}
	t.Directives, t.Noreturn = p.functionDirectives()
	p.expect(";", "after .callprototype")
	return t
}
