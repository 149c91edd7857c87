package kernelarg

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"silica/internal/truth"
)

// Arg is one kernel argument.
type Arg struct {
	Text string // as given
	// Type is the element type: f32, f64, f16, bf16, i8, u8, i32, u32, i64 or u64.
	Type string
	// Count is the number of elements of a buffer, 0 for a scalar.
	Count int
	// Out marks a buffer whose contents after the launch are of interest.
	Out  bool
	init truth.Init
	file string
	bits uint64
}

// Usage describes the syntax in one line.
const Usage = "TYPE=VALUE for a scalar, [out|inout] TYPE[COUNT][=CONTENTS] for a buffer; " +
	"TYPE is f32 f64 f16 bf16 i8 u8 i32 u32 i64 u64; CONTENTS is zero, a number, iota, iota(start,step), " +
	"uniform(seed), uniform(seed,low,high) or file:PATH"

var (
	syntax   = regexp.MustCompile(`^(?:(in|out|inout)\s+)?([a-z]+[0-9]+)(?:\[([0-9]+)\])?(?:=(.*))?$`)
	function = regexp.MustCompile(`^([a-z]+)(?:\(([^()]*)\))?$`)
)

// Parse reads one argument.
func Parse(text string) (Arg, error) {
	bad := func(format string, args ...any) (Arg, error) {
		return Arg{}, fmt.Errorf("argument %q: %s", text, fmt.Sprintf(format, args...))
	}
	m := syntax.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return bad("want %s", Usage)
	}
	a := Arg{Text: text, Type: m[2], Out: m[1] == "out" || m[1] == "inout", init: truth.Init{Kind: "zero"}}
	if truth.ElementBytes(a.Type) == 0 {
		return bad("there is no type %s; the types are f32 f64 f16 bf16 i8 u8 i32 u32 i64 u64", a.Type)
	}
	if m[3] == "" {
		if m[1] != "" {
			return bad("%s needs a buffer: %s[COUNT]", m[1], a.Type)
		}
		bits, err := truth.Bits(a.Type, json.RawMessage(m[4]))
		if err != nil || m[4] == "" {
			return bad("a scalar needs a number: %s=1", a.Type)
		}
		a.bits = bits
		return a, nil
	}
	count, err := strconv.Atoi(m[3])
	if err != nil || count == 0 || count > 1<<40 {
		return bad("a buffer has at least one element and at most 2^40")
	}
	a.Count = count
	if err := a.contents(m[4]); err != nil {
		return bad("%v", err)
	}
	return a, nil
}

// contents reads what follows the equal sign of a buffer.
func (a *Arg) contents(text string) error {
	if text == "" || text == "zero" {
		return nil
	}
	if path, ok := strings.CutPrefix(text, "file:"); ok {
		a.file = path
		return nil
	}
	if _, err := truth.Bits(a.Type, json.RawMessage(text)); err == nil {
		a.init = truth.Init{Kind: "const", Value: json.RawMessage(text)}
		return nil
	}
	m := function.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("contents %q: want %s", text, Usage)
	}
	var numbers []float64
	for _, part := range strings.Split(m[2], ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return fmt.Errorf("contents %q: %q is not a number", text, part)
		}
		numbers = append(numbers, v)
	}
	switch {
	case m[1] == "iota" && len(numbers) == 0:
		a.init = truth.Init{Kind: "iota"}
	case m[1] == "iota" && len(numbers) == 2:
		a.init = truth.Init{Kind: "iota", Start: &numbers[0], Step: &numbers[1]}
	case m[1] == "uniform" && (len(numbers) == 1 || len(numbers) == 3):
		a.init = uniform(a.Type, numbers)
	default:
		return fmt.Errorf("contents %q: want %s", text, Usage)
	}
	return nil
}

// uniform fills with random numbers: floats in [0, 1) and integers in [0, 100) unless bounds are given.
func uniform(typ string, numbers []float64) truth.Init {
	low, high, kind := 0.0, 1.0, "uniform_f32"
	switch typ[0] {
	case 'i', 'u':
		high, kind = 100, "uniform_int"
	}
	if typ == "f64" {
		kind = "uniform_f64"
	}
	if len(numbers) == 3 {
		low, high = numbers[1], numbers[2]
	}
	number := func(v float64) json.RawMessage { return json.RawMessage(strconv.FormatFloat(v, 'g', -1, 64)) }
	return truth.Init{Kind: kind, Seed: uint64(numbers[0]), Lo: number(low), Hi: number(high)}
}

// IsBuffer tells a buffer from a scalar.
func (a Arg) IsBuffer() bool { return a.Count > 0 }

// Bytes is the size of a buffer, or of a scalar.
func (a Arg) Bytes() int { return max(a.Count, 1) * truth.ElementBytes(a.Type) }

// Bits returns the value of a scalar.
func (a Arg) Bits() uint64 { return a.bits }

// Zero tells that a buffer starts as zeros.
func (a Arg) Zero() bool { return a.file == "" && a.init.Kind == "zero" }

// Contents returns the initial bytes of a buffer.
func (a Arg) Contents() ([]byte, error) {
	if a.file == "" {
		return a.init.Bytes(a.Type, a.Count)
	}
	b, err := os.ReadFile(a.file)
	if err != nil {
		return nil, fmt.Errorf("argument %q: %w", a.Text, err)
	}
	if len(b) != a.Bytes() {
		return nil, fmt.Errorf("argument %q: %s has %d bytes, the buffer %d", a.Text, a.file, len(b), a.Bytes())
	}
	return b, nil
}

// format writes one element: integers in full, floating-point numbers with the digits that a float32 has, f64 with all.
func format(t string, b []byte) string {
	switch t {
	case "u64":
		return strconv.FormatUint(binary.LittleEndian.Uint64(b), 10)
	case "i64":
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10)
	case "u8", "i8", "u32", "i32":
		return strconv.FormatInt(int64(truth.Number(t, b)), 10)
	case "f64":
		return strconv.FormatFloat(truth.Number(t, b), 'g', -1, 64)
	}
	return strconv.FormatFloat(truth.Number(t, b), 'g', -1, 32)
}

// Format returns the first n elements of a buffer's bytes as text.
func (a Arg) Format(b []byte, n int) []string {
	size := truth.ElementBytes(a.Type)
	var out []string
	for i := range min(n, len(b)/size) {
		out = append(out, format(a.Type, b[i*size:(i+1)*size]))
	}
	return out
}
