package isa

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// machine runs straight-line code of one thread at a time.
type machine struct {
	params  []uint64
	buffers [][]byte
	block   [3]int
}

// statement is one instruction of a case.
type statement struct {
	text     string
	opcode   string
	mods     []string
	operands []operand
	form     *Form
	lane     LaneFunc
}

// operand is an operand as the reader parsed it.
type operand struct {
	shape Shape
	name  string // register or special register; base of an address
	value uint64 // immediate; offset of an address
	elems []operand
}

// parse reads the instructions of a case's body, matches them and binds their semantics.
func (m *machine) parse(body string) ([]*statement, error) {
	var code []*statement
	for _, in := range readSource(body).insts {
		if in.opcode == "ret" {
			continue
		}
		s := &statement{text: in.text, opcode: in.opcode, mods: in.mods}
		for i, arg := range in.args {
			s.operands = append(s.operands, operandOf(arg, in.operands[i]))
		}
		if s.opcode != "ld" && s.opcode != "st" {
			form, err := Match(Context{PTX: 87, SM: 90, Arch: "a"}, in.opcode, in.mods, in.operands)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", in.text, err)
			}
			if form.Row.Unsupported != "" {
				return nil, fmt.Errorf("%s: unsupported: %s", in.text, form.Row.Unsupported)
			}
			s.form = form
			if form.Row.Op == OpLane {
				s.lane = form.Row.Lane(form)
			}
		}
		code = append(code, s)
	}
	return code, nil
}

// operandOf joins the text of an operand and its shape.
func operandOf(text string, shape Shape) operand {
	o := operand{shape: shape, value: shape.Value}
	switch shape.Kind {
	case ShapeVector, ShapePair:
		for i, name := range elementNames(text, shape) {
			o.elems = append(o.elems, operandOf(name, shape.Elems[i]))
		}
	case ShapeAddress:
		base, offset, _ := strings.Cut(strings.Trim(text, "[]"), "+")
		v, _ := strconv.ParseInt(offset, 0, 64)
		o.name, o.value = base, uint64(v)
	case ShapeRegister:
		o.name = strings.TrimSuffix(strings.TrimLeft(text, "!-"), shape.Select)
		if name, component, ok := strings.Cut(o.name, "."); ok { // colours name components too
			o.name = name + "." + strings.NewReplacer("r", "x", "g", "y", "b", "z", "a", "w").Replace(component)
		}
	case ShapeSpecial:
		o.name = text
	}
	return o
}

// elementNames splits a vector or a pair; a vector register stands for its components.
func elementNames(text string, shape Shape) []string {
	switch {
	case shape.Kind == ShapePair:
		return strings.Split(text, "|")
	case text[0] == '{':
		return splitArgs(strings.Trim(text, "{}"))
	}
	var names []string
	for i := range shape.Elems {
		names = append(names, text+"."+"xyzw"[i:i+1])
	}
	return names
}

// thread is the state of one thread: each register holds its bits, 128-bit ones in two words.
type thread struct {
	m     *machine
	x     int
	regs  map[string][2]uint64
	carry uint64
}

func (m *machine) run(code []*statement, x int) error {
	t := thread{m: m, x: x, regs: map[string][2]uint64{}}
	for _, s := range code {
		if err := t.step(s); err != nil {
			return fmt.Errorf("thread %d: %s: %w", x, s.text, err)
		}
	}
	return nil
}

func (t *thread) step(s *statement) error {
	switch {
	case s.opcode == "ld":
		return t.load(s)
	case s.opcode == "st":
		return t.store(s)
	case s.form.Row.Op == OpMov || s.form.Row.Op == OpSpecial:
		t.move(s)
		return nil
	case s.lane == nil:
		return fmt.Errorf("the reader can not run op %s", s.form.Row.Op)
	}
	var l Lane
	in := l.Src[:0]
	var out []operand
	flat := flattenOperands(s.operands)
	i := 0
	for _, a := range s.form.Args {
		for range max(a.Vector, 1) {
			if a.Read {
				in = append(in, t.read(flat[i], a.Type)[0])
			}
			if a.Write {
				out = append(out, flat[i])
			}
			i++
		}
	}
	if r := s.form.Row.ReadsCarry; r != nil && r(s.form) {
		l.Src[len(in)] = t.carry
	}
	s.lane(&l)
	for i, o := range out {
		t.write(o, [2]uint64{l.Dst[i]})
	}
	if w := s.form.Row.WritesCarry; w != nil && w(s.form) {
		t.carry = l.Dst[len(out)]
	}
	return nil
}

func flattenOperands(list []operand) []operand {
	var flat []operand
	for _, o := range list {
		if o.elems != nil {
			flat = append(flat, o.elems...)
		} else {
			flat = append(flat, o)
		}
	}
	return flat
}

// read returns an operand's bits; immediates are converted to the type where they stand.
func (t *thread) read(o operand, want Type) [2]uint64 {
	switch o.shape.Kind {
	case ShapeSpecial:
		if o.name == "%tid.x" {
			return [2]uint64{uint64(t.x)}
		}
		return [2]uint64{}
	case ShapeFloat:
		v := o.value
		if o.shape.Type == F64 && want.Bits() == 32 {
			v = uint64(math.Float32bits(float32(math.Float64frombits(v))))
		} else if o.shape.Type == F32 && want.Bits() == 64 {
			v = math.Float64bits(float64(math.Float32frombits(uint32(v))))
		}
		return [2]uint64{v}
	case ShapeInteger:
		if want == Pred {
			return [2]uint64{truth(o.value != 0)}
		}
		return [2]uint64{o.value & ones(uint64(want.Bits()))}
	}
	v := t.regs[o.name]
	if o.shape.Negated {
		v[0] ^= 1
	}
	return v
}

func (t *thread) write(o operand, v [2]uint64) {
	if o.shape.Kind == ShapeSink {
		return
	}
	if n := o.shape.Type.Bits(); n < 64 {
		v[0] &= ones(uint64(n))
	}
	t.regs[o.name] = v
}

// move runs mov: the bits of all sources, low first, go to the destinations in order.
func (t *thread) move(s *statement) {
	var bits [2]uint64
	at := uint64(0)
	source, dest := &s.form.Args[1], &s.form.Args[0]
	if source.Vector > 0 && source.Vector == dest.Vector {
		for i := range source.Vector {
			t.write(s.operands[0].elems[i], t.read(s.operands[1].elems[i], source.Type))
		}
		return
	}
	for _, o := range flattenOperands(s.operands[1:]) {
		v := t.read(o, source.Type)
		if at < 64 {
			bits[0] |= v[0] << at
			bits[1] |= v[1]
		} else {
			bits[1] |= v[0] << (at - 64)
		}
		at += uint64(source.Type.Bits())
	}
	at = 0
	for _, o := range flattenOperands(s.operands[:1]) {
		if at < 64 {
			t.write(o, [2]uint64{bits[0] >> at, bits[1]})
		} else {
			t.write(o, [2]uint64{bits[1] >> (at - 64), 0})
		}
		at += uint64(dest.Type.Bits())
	}
}

func (t *thread) load(s *statement) error {
	dst, addr := s.operands[0], s.operands[1]
	if s.mods[0] == ".param" {
		i, err := strconv.Atoi(strings.TrimPrefix(addr.name, "p"))
		if err != nil || i >= len(t.m.params) {
			return fmt.Errorf("no parameter %s", addr.name)
		}
		t.write(dst, [2]uint64{t.m.params[i]})
		return nil
	}
	typ := ParseType(s.mods[len(s.mods)-1])
	b, err := t.memory(addr, typ)
	if err != nil {
		return err
	}
	t.write(dst, [2]uint64{extender(typ)(element(b, typ.Bytes(), 0))})
	return nil
}

func (t *thread) store(s *statement) error {
	typ := ParseType(s.mods[len(s.mods)-1])
	b, err := t.memory(s.operands[0], typ)
	if err != nil {
		return err
	}
	v := t.read(s.operands[1], typ)
	for i := range typ.Bytes() {
		b[i] = byte(v[0] >> (8 * i))
	}
	return nil
}

func (t *thread) memory(addr operand, typ Type) ([]byte, error) {
	a := t.regs[addr.name][0] + addr.value
	i, offset := int(a>>32)-1, int(uint32(a))
	if i < 0 || i >= len(t.m.buffers) || offset+typ.Bytes() > len(t.m.buffers[i]) {
		return nil, fmt.Errorf("address %#x is outside the buffers", a)
	}
	return t.m.buffers[i][offset:], nil
}
