package isa

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"testing"
)

// The recorded cases of the families whose rows have Lane semantics are straight-line code: a machine
// runs them statement by statement over Match and the Lane functions, without an engine.
func TestConformance(t *testing.T) {
	families := []string{
		"int_arith", "int_bits", "int_div", "int_ext", "int_imm", "int_mul", "logic", "prmt", "shift",
		"select", "set_int", "set_float", "set_half", "setp_int", "setp_float", "setp_half", "mov",
		"f32_arith", "f64_arith", "float_approx", "float_div", "float_minmax", "float_unary", "f16_arith", "bf16_arith",
		"cvt_f2f", "cvt_f2i", "cvt_i2f", "cvt_int", "cvt_packed", "cvt_pack",
		"video", "simd_video",
	}
	for _, family := range families {
		t.Run(family, func(t *testing.T) { runFamily(t, family) })
	}
}

// constantExpression finds the cases that test the parser, not the rows.
var constantExpression = regexp.MustCompile(`,\(|WARP_SZ|0x1f{16}`)

func runFamily(t *testing.T, family string) {
	ran := 0
	for _, c := range readFamily(t, family) {
		if constantExpression.MatchString(c.body) {
			continue
		}
		if err := runCase(c); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		ran++
	}
	if ran == 0 {
		t.Error("no case ran")
	}
}

// bufferBase is the address of the i-th parameter's buffer.
func bufferBase(i int) uint64 { return uint64(i+1) << 32 }

func runCase(c *recordedCase) error {
	m := machine{params: make([]uint64, len(c.Params)), buffers: make([][]byte, len(c.Params)), block: c.Launch.Block}
	for i, p := range c.Params {
		m.params[i] = bufferBase(i)
		switch {
		case p.Kind == "scalar":
			b, err := hex.DecodeString(p.Hex)
			if err != nil || len(b) > 8 {
				return fmt.Errorf("scalar parameter %q", p.Hex)
			}
			m.params[i] = binary.LittleEndian.Uint64(append(b, make([]byte, 8)...))
		case p.Data != nil:
			m.buffers[i] = bytes.Clone(p.data)
		default:
			m.buffers[i] = bytes.Repeat([]byte{*p.Fill}, len(p.expect))
		}
	}
	code, err := m.parse(c.body)
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
		if err := compareBuffer(p.Rule, ParseType(p.Expect.Type), m.buffers[i], p.expect); err != nil {
			var at mismatchAt
			if errors.As(err, &at) {
				return fmt.Errorf("parameter %d, %w%s", i, err, c.inputsAt(int(at)))
			}
			return err
		}
	}
	return nil
}

// inputsAt shows the elements of the input buffers at an index.
func (c *recordedCase) inputsAt(at int) string {
	s := ""
	for i, p := range c.Params {
		if p.Dir == "in" && p.Data != nil {
			if size := ParseType(p.Data.Type).Bytes(); (at+1)*size <= len(p.data) {
				s += fmt.Sprintf(" in%d=%#x", i, element(p.data, size, at))
			}
		}
	}
	return s
}

// mismatchAt is the index of the first element that differs.
type mismatchAt int

func (m mismatchAt) Error() string { return fmt.Sprintf("element %d", int(m)) }

// compareBuffer applies a rule of the recorded suite.
func compareBuffer(rule *recordedRule, t Type, got, want []byte) error {
	size := t.Bytes() / t.Pack()
	if rule.Kind == "exact" {
		size = t.Bytes()
	}
	for i := 0; i+size <= len(want); i += size {
		g, w := element(got, size, i/size), element(want, size, i/size)
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

func withinRule(rule *recordedRule, t Type, got, want uint64) bool {
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
