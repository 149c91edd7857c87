package isa

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The recorded cases of the families whose rows have Lane semantics are straight-line code: a small
// reader below runs them statement by statement over Match and the Lane functions, without an engine.
const conformanceDir = "../../../shared/conformance"

func TestConformance(t *testing.T) {
	families := []string{
		"int_arith", "int_bits", "int_div", "int_ext", "int_imm", "int_mul", "logic", "prmt", "shift",
		"select", "set_int", "set_float", "set_half", "setp_int", "setp_float", "setp_half", "mov",
		"f32_arith", "f64_arith", "float_approx", "float_div", "float_minmax", "float_unary", "f16_arith", "bf16_arith",
		"cvt_f2f", "cvt_f2i", "cvt_i2f", "cvt_int", "cvt_packed", "cvt_pack",
		"simd_video",
	}
	for _, family := range families {
		t.Run(family, func(t *testing.T) { runFamily(t, family) })
	}
}

// conformanceCase is the part of a recorded case that the reader needs.
type conformanceCase struct {
	ID     string
	Entry  string
	Instr  string
	Launch struct{ Block [3]int }
	Params []conformanceParam
}

type conformanceParam struct {
	Kind, Dir    string
	Hex          string
	Fill         *byte
	Data, Expect *conformanceRef
	Rule         *conformanceRule
}

type conformanceRef struct {
	File          string
	Offset, Bytes int
	Type          string
}

type conformanceRule struct {
	Kind            string
	N               float64
	Tol, Rtol, Atol float64
}

func readJSON(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(conformanceDir, name))
	if err != nil {
		t.Fatalf("the recorded cases are missing: %v", err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(conformanceDir, name))
	if err != nil {
		t.Fatalf("the recorded cases are missing: %v", err)
	}
	return string(text)
}

var constantExpression = regexp.MustCompile(`,\(|WARP_SZ|0x1f{16}`)

func runFamily(t *testing.T, family string) {
	var cases []conformanceCase
	readJSON(t, family+".json", &cases)
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	source, blob := readText(t, family+".ptx"), []byte(readText(t, family+".bin"))
	for _, c := range cases {
		_, body, _ := strings.Cut(source, "// @begin "+c.Entry+"\n")
		body, _, ok := strings.Cut(body, "// @end "+c.Entry+"\n")
		if !ok {
			t.Fatalf("%s: not in %s.ptx", c.ID, family)
		}
		if constantExpression.MatchString(body) {
			continue // these test the parser, not the rows
		}
		if err := runCase(&c, body, blob); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
	}
}

// bufferBase is the address of the i-th parameter's buffer.
func bufferBase(i int) uint64 { return uint64(i+1) << 32 }

func runCase(c *conformanceCase, body string, blob []byte) error {
	m := machine{params: make([]uint64, len(c.Params)), buffers: make([][]byte, len(c.Params)), block: c.Launch.Block}
	for i, p := range c.Params {
		switch {
		case p.Kind == "scalar":
			b, err := hex.DecodeString(p.Hex)
			if err != nil || len(b) > 8 {
				return fmt.Errorf("scalar parameter %q", p.Hex)
			}
			m.params[i] = binary.LittleEndian.Uint64(append(b, make([]byte, 8)...))
			continue
		case p.Data != nil:
			m.buffers[i] = append([]byte(nil), blob[p.Data.Offset:p.Data.Offset+p.Data.Bytes]...)
		default:
			m.buffers[i] = make([]byte, p.Expect.Bytes)
			for j := range m.buffers[i] {
				m.buffers[i][j] = *p.Fill
			}
		}
		m.params[i] = bufferBase(i)
	}
	code, err := m.parse(body)
	if err != nil {
		return err
	}
	for x := range c.Launch.Block[0] {
		if err := m.run(code, x); err != nil {
			return err
		}
	}
	for i, p := range c.Params {
		if p.Expect == nil {
			continue
		}
		want := blob[p.Expect.Offset : p.Expect.Offset+p.Expect.Bytes]
		if err := compareBuffer(p.Rule, ParseType(p.Expect.Type), m.buffers[i], want); err != nil {
			var detail mismatchAt
			if errors.As(err, &detail) {
				return fmt.Errorf("parameter %d, %w%s", i, err, m.inputsAt(c, int(detail)))
			}
			return err
		}
	}
	return nil
}

// inputsAt shows the elements of the input buffers at an index.
func (m *machine) inputsAt(c *conformanceCase, at int) string {
	s := ""
	for i, p := range c.Params {
		if p.Dir == "in" && p.Data != nil {
			size := ParseType(p.Data.Type).Bytes()
			if (at+1)*size <= len(m.buffers[i]) {
				s += fmt.Sprintf(" in%d=%#x", i, load(m.buffers[i][at*size:], size))
			}
		}
	}
	return s
}

// mismatchAt is the index of the first element that differs.
type mismatchAt int

func (m mismatchAt) Error() string { return fmt.Sprintf("element %d", int(m)) }

func load(b []byte, size int) uint64 {
	var v uint64
	for i := range size {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// compareBuffer applies a rule of the recorded suite.
func compareBuffer(rule *conformanceRule, t Type, got, want []byte) error {
	size := t.Bytes() / t.Pack()
	if rule.Kind == "exact" {
		size = t.Bytes()
	}
	for i := 0; i+size <= len(want); i += size {
		g, w := load(got[i:], size), load(want[i:], size)
		if g == w || rule.Kind != "exact" && withinRule(rule, elementOf(t), g, w) {
			continue
		}
		return fmt.Errorf("%w: got %#x, want %#x", mismatchAt(i/size), g, w)
	}
	return nil
}

func elementOf(t Type) Type {
	switch t {
	case F16x2:
		return F16
	case BF16x2:
		return BF16
	}
	return t
}

// floatValue decodes the bits of an f16, bf16, f32 or f64.
func floatValue(t Type, bits uint64) float64 {
	switch t {
	case F64:
		return math.Float64frombits(bits)
	case F32:
		return float64(math.Float32frombits(uint32(bits)))
	case BF16:
		return float64(math.Float32frombits(uint32(bits) << 16))
	}
	sign, exponent, fraction := 1-2*float64(bits>>15), int(bits>>10&31), float64(bits&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

func withinRule(rule *conformanceRule, t Type, got, want uint64) bool {
	g, w := floatValue(t, got), floatValue(t, want)
	if math.IsNaN(g) || math.IsNaN(w) {
		return false
	}
	switch rule.Kind {
	case "ulp":
		return math.Abs(step(t, got)-step(t, want)) <= rule.N || rule.Atol > 0 && math.Abs(g-w) <= rule.Atol
	case "abs":
		return math.Abs(g-w) <= rule.Tol
	case "rel":
		return math.Abs(g-w) <= max(rule.Atol, rule.Rtol*math.Abs(w))
	}
	return false
}

// step is the place of a value on the ordered line of all values, on which -0 and +0 are the same point.
func step(t Type, bits uint64) float64 {
	sign := uint64(1) << (t.Bits() - 1)
	if bits&sign != 0 {
		return -float64(bits &^ sign)
	}
	return float64(bits)
}

// machine runs straight-line code of one thread at a time.
type machine struct {
	params  []uint64
	buffers [][]byte
	block   [3]int
	types   map[string]Type
	vectors map[string]int // registers declared .v2 or .v4
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

func (m *machine) parse(body string) ([]*statement, error) {
	m.types, m.vectors = map[string]Type{}, map[string]int{}
	_, body, _ = strings.Cut(body, "{\n")
	body = body[:strings.LastIndex(body, "}")]
	var code []*statement
	for text := range strings.SplitSeq(body, ";") {
		text = strings.TrimSpace(text)
		switch {
		case text == "" || text == "ret":
		case strings.HasPrefix(text, ".reg"):
			m.declare(strings.TrimSpace(text[len(".reg"):]))
		default:
			s, err := m.statement(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", text, err)
			}
			code = append(code, s)
		}
	}
	return code, nil
}

func (m *machine) declare(text string) {
	vec := 0
	if strings.HasPrefix(text, ".v") {
		vec = int(text[2] - '0')
		text = strings.TrimSpace(text[3:])
	}
	typ, names, _ := strings.Cut(text, " ")
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		base, count, numbered := strings.Cut(strings.TrimSuffix(name, ">"), "<")
		if !numbered {
			m.types[name], m.vectors[name] = ParseType(typ), vec
			continue
		}
		n, _ := strconv.Atoi(count)
		for i := range n {
			m.types[base+strconv.Itoa(i)] = ParseType(typ)
		}
	}
}

func (m *machine) statement(text string) (*statement, error) {
	head, tail, _ := strings.Cut(text, " ")
	parts := strings.Split(head, ".")
	s := &statement{text: text, opcode: parts[0]}
	for _, p := range parts[1:] {
		s.mods = append(s.mods, "."+p)
	}
	var shapes []Shape
	for _, part := range commaList(tail) {
		o, err := m.operand(part)
		if err != nil {
			return nil, err
		}
		s.operands = append(s.operands, o)
		shapes = append(shapes, o.shape)
	}
	if s.opcode == "ld" || s.opcode == "st" {
		return s, nil
	}
	form, err := Match(Context{PTX: 87, SM: 90, Arch: "a"}, s.opcode, s.mods, shapes)
	if err != nil {
		return nil, err
	}
	if form.Row.Unsupported != "" {
		return nil, fmt.Errorf("unsupported: %s", form.Row.Unsupported)
	}
	s.form = form
	if form.Row.Op == OpLane {
		s.lane = form.Row.Lane(form)
	}
	return s, nil
}

// commaList splits at the commas outside braces and brackets.
func commaList(text string) []string {
	var parts []string
	depth, start := 0, 0
	for i, r := range text {
		switch r {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(text[start:i]))
				start = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

func (m *machine) operand(text string) (operand, error) {
	switch {
	case text == "_":
		return operand{shape: Shape{Kind: ShapeSink}}, nil
	case strings.HasPrefix(text, "["):
		inner := strings.Trim(text, "[]")
		base, offset, _ := strings.Cut(inner, "+")
		v, _ := strconv.ParseInt(offset, 0, 64)
		return operand{shape: Shape{Kind: ShapeAddress, Type: m.types[base]}, name: base, value: uint64(v)}, nil
	case strings.HasPrefix(text, "{"):
		return m.vector(strings.Split(strings.Trim(text, "{}"), ","))
	case strings.HasPrefix(text, "!"), strings.HasPrefix(text, "-%"):
		o, err := m.operand(text[1:])
		o.shape.Negated, o.shape.Minus = text[0] == '!', text[0] == '-'
		return o, err
	case strings.Contains(text, "|"):
		left, right, _ := strings.Cut(text, "|")
		a, err := m.operand(left)
		if err != nil {
			return a, err
		}
		b, err := m.operand(right)
		return operand{shape: Shape{Kind: ShapePair, Elems: []Shape{a.shape, b.shape}}, elems: []operand{a, b}}, err
	case strings.HasPrefix(text, "%tid"), strings.HasPrefix(text, "%laneid"):
		return operand{shape: Shape{Kind: ShapeSpecial, Type: U32}, name: text}, nil
	case strings.HasPrefix(text, "%"):
		return m.register(text)
	}
	return immediate(text)
}

func (m *machine) vector(names []string) (operand, error) {
	o := operand{shape: Shape{Kind: ShapeVector}}
	for _, name := range names {
		e, err := m.operand(strings.TrimSpace(name))
		if err != nil {
			return o, err
		}
		o.elems, o.shape.Elems = append(o.elems, e), append(o.shape.Elems, e.shape)
	}
	return o, nil
}

func (m *machine) register(text string) (operand, error) {
	name, suffix, _ := strings.Cut(text, ".")
	t, ok := m.types[name]
	switch {
	case !ok:
		return operand{}, fmt.Errorf("no register %s", name)
	case m.vectors[name] > 0 && suffix == "":
		var names []string
		for i := range m.vectors[name] {
			names = append(names, name+"."+"xyzw"[i:i+1])
		}
		return m.vector(names)
	case m.vectors[name] > 0:
		return operand{shape: Shape{Kind: ShapeRegister, Type: t}, name: name + "." + strings.NewReplacer("r", "x", "g", "y", "b", "z", "a", "w").Replace(suffix)}, nil
	case suffix != "":
		return operand{shape: Shape{Kind: ShapeRegister, Type: t, Select: "." + suffix}, name: name}, nil
	}
	return operand{shape: Shape{Kind: ShapeRegister, Type: t}, name: name}, nil
}

func immediate(text string) (operand, error) {
	lower := strings.ToLower(text)
	switch {
	case strings.HasPrefix(lower, "0f") || strings.HasPrefix(lower, "0d"):
		v, err := strconv.ParseUint(text[2:], 16, 64)
		t := F32
		if lower[1] == 'd' {
			t = F64
		}
		return operand{shape: Shape{Kind: ShapeFloat, Type: t, Value: v}, value: v}, err
	case strings.ContainsAny(text, ".") || strings.ContainsAny(lower, "e") && !strings.HasPrefix(lower, "0x"):
		v, err := strconv.ParseFloat(text, 64)
		return operand{shape: Shape{Kind: ShapeFloat, Type: F64, Value: math.Float64bits(v)}, value: math.Float64bits(v)}, err
	}
	text = strings.TrimSuffix(text, "U")
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		var u uint64
		if u, err = strconv.ParseUint(text, 0, 64); err == nil {
			v = int64(u)
		}
	}
	return operand{shape: Shape{Kind: ShapeInteger, Type: S64, Value: uint64(v)}, value: uint64(v)}, err
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
		return t.loadWord(s)
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

func (t *thread) loadWord(s *statement) error {
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
	t.write(dst, [2]uint64{extender(typ)(load(b, typ.Bytes()))})
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
