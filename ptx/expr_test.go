package ptx

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// parseConstant parses a constant expression as an operand of mov.
func parseConstant(text string) (*Immediate, error) {
	m, err := Parse("in.ptx", fmt.Appendf(nil, ".version 8.7\n.target sm_90\n.func f()\n{\nmov.b64 d, %s;\n}\n", text))
	if err != nil {
		return nil, err
	}
	return m.Decls[0].(*Function).Body.Body[0].(*Instruction).Operands[1].(*Immediate), nil
}

func TestIntegerExpressions(t *testing.T) {
	const u = true // unsigned
	tests := []struct {
		text     string
		bits     int64
		unsigned bool
	}{
		{"0", 0, false},
		{"42", 42, false},
		{"0x1F", 31, false},
		{"0XfFU", 255, u},
		{"017", 15, false},
		{"0b101", 5, false},
		{"0B11U", 3, u},
		{"7U", 7, u},
		{"9223372036854775807", math.MaxInt64, false},
		{"9223372036854775808", math.MinInt64, u},
		{"18446744073709551615", -1, u},
		{"0xffffffffffffffff", -1, u},
		{"0x1ffffffffffffffff", -1, u}, // as ptxas has it
		{"WARP_SZ", 32, false},
		{"-5", -5, false},
		{"- -5", 5, false},
		{"+5", 5, false},
		{"-1U", -1, u},
		{"~0", -1, u},
		{"!0", 1, false},
		{"!7", 0, false},
		{"(.u64)(-1) >> 60", 15, u},
		{"(.s64) 0xffffffffffffffff >> 60", -1, false},
		{"(.s64)(-1)", -1, false},
		{"-64 >> 2", -16, false},
		{"1 << 64", 0, false},
		{"-1 >> 64", -1, false},
		{"1 << -1", 0, false},
		{"1 + 2 * 3", 7, false},
		{"(1 + 2) * 3", 9, false},
		{"20 - 5 - 3", 12, false},
		{"-7 / 2", -3, false},
		{"-7 / 2U", math.MaxInt64 - 3, u},
		{"100 % 7", 2, false},
		{"-7 % 16", 9, false}, // unsigned remainder
		{"0xf0 & 0x3c | 3 ^ 1", 0x32, false},
		{"1 | 2 ^ 3 & 4", 3, false},
		{"1 < 2", 1, false},
		{"-1 < 0", 1, false},
		{"-1 < 0U", 0, false},
		{"3 >= 4", 0, false},
		{"3 <= 3", 1, false},
		{"2 > 1 == 1", 1, false},
		{"3 != 3", 0, false},
		{"1 << 2 < 5", 1, false},
		{"1 && 0 || 1", 1, false},
		{"2 && 4", 1, false},
		{"1 ? 10 : 20", 10, false},
		{"0 ? 10 : 0 ? 20 : 30", 30, false},
		{"1 ? -1 : 0U", -1, u},
		{"1.5 < 2.0", 1, false},
		{"9223372036854775807 + 1", math.MinInt64, false},
		{"(0x8000000000000000 + 0) / -1", 0, u},
		{"(.s64)0x8000000000000000 / -1", math.MinInt64, false},
	}
	for _, test := range tests {
		got, err := parseConstant(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got.Float != ImmInt || int64(got.Bits) != test.bits || got.Unsigned != test.unsigned {
			t.Errorf("%s: got %d (kind %d, unsigned %t), want %d (unsigned %t)", test.text, int64(got.Bits), got.Float, got.Unsigned, test.bits, test.unsigned)
		}
	}
}

func TestFloatExpressions(t *testing.T) {
	tests := []struct {
		text string
		kind ImmediateKind
		bits uint64
	}{
		{"0f3F800000", ImmF32, 0x3f800000},
		{"0F7fc00001", ImmF32, 0x7fc00001},
		{"0d400921FB54442D18", ImmF64, 0x400921fb54442d18},
		{"0D8000000000000000", ImmF64, 1 << 63},
		{"1.5", ImmF64, math.Float64bits(1.5)},
		{".5", ImmF64, math.Float64bits(0.5)},
		{"3.", ImmF64, math.Float64bits(3)},
		{"1e10", ImmF64, math.Float64bits(1e10)},
		{"2.5E+10", ImmF64, math.Float64bits(2.5e10)},
		{"1e-3", ImmF64, math.Float64bits(1e-3)},
		{"-0.1", ImmF64, math.Float64bits(-0.1)},
		{"-0.0", ImmF64, 1 << 63},
		{"1.0 + 2.0 * 3.0 - 4.0 / 2.0", ImmF64, math.Float64bits(5)},
		{"1 ? 1.5 : 2.5", ImmF64, math.Float64bits(1.5)},
	}
	for _, test := range tests {
		got, err := parseConstant(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got.Float != test.kind || got.Bits != test.bits {
			t.Errorf("%s: got kind %d bits %#x, want kind %d bits %#x", test.text, got.Float, got.Bits, test.kind, test.bits)
		}
	}
}

// TestFaultyExpressions gives the column of the fault, after "mov.b64 d, ", and part of the message.
func TestFaultyExpressions(t *testing.T) {
	tests := []struct {
		text string
		col  int
		msg  string
	}{
		{"100%7", 3, `expected ";" after the instruction, found "%7"`}, // %7 is a name
		{"1 / 0", 2, "division by zero"},
		{"5 % (3 - 3)", 2, "division by zero"},
		{"08", 0, "octal"},
		{"0x", 0, "hexadecimal"},
		{"0b2", 0, "binary"},
		{"0f3F80", 0, "8 hexadecimal digits"},
		{"0d3F800000", 0, "16 hexadecimal digits"},
		{"12abc", 0, "malformed number"},
		{"5u", 0, "malformed number"},
		{"1e999", 0, "does not fit a double-precision number"},
		{"-0f3F800000", 0, "a 0f literal stands alone"},
		{"1.0 + 0f3F800000", 4, "a 0f literal stands alone"},
		{"1 + 1.5", 2, "two integers or two floating-point numbers"},
		{"1.5 % 2.0", 4, "needs integers"},
		{"~1.5", 0, "needs an integer"},
		{"1.0 ? 2 : 3", 4, "must be an integer"},
		{"1 ? 2 : 3.0", 2, "both values of ?:"},
		{"(.s64)1.5", 1, "cannot be cast"},
		{"(1 + 2", 6, `expected ")"`},
		{"1 ? 2", 5, `expected ":"`},
		{"1 +", 3, "expected a constant"},
		{strings.Repeat("(", 1000) + "1" + strings.Repeat(")", 1000), 99, "nested too deeply"},
		{strings.Repeat("-", 1000) + "1", 198, "nested too deeply"},
	}
	for _, test := range tests {
		_, err := parseConstant(test.text)
		errs, ok := err.(Errors)
		if !ok || len(errs) != 1 {
			t.Errorf("%.40s: got %v, want one error", test.text, err)
			continue
		}
		if want := (Pos{5, 12 + test.col}); errs[0].Pos != want || !strings.Contains(errs[0].Msg, test.msg) {
			t.Errorf("%.40s: got %v, want %d:%d: ...%s", test.text, errs[0], want.Line, want.Col, test.msg)
		}
	}
}
