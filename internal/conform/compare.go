package conform

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"silica/internal/fp"
)

// rule is how results are compared.
type rule struct {
	Kind            string
	N               int64   // ulp
	Tol, Rtol, Atol float64 // abs; rel; rel and ulp
}

// element is the type of what is compared: its size in bytes, and how its bits are read as a number.
type element struct {
	name  string
	size  int
	value func(bits uint64) float64 // nil when it is no floating-point type
}

// elementOf returns the element of a reference's type; of a packed type it is each half.
func elementOf(name string) element {
	scalar := strings.TrimSuffix(name, "x2")
	e := element{name: name}
	read := func(f fp.Format) func(uint64) float64 {
		return func(b uint64) float64 { return math.Float64frombits(fp.Convert(f, fp.F64, b, fp.RN)) }
	}
	switch scalar {
	case "f64":
		e.size, e.value = 8, math.Float64frombits
	case "f32":
		e.size, e.value = 4, read(fp.F32)
	case "f16":
		e.size, e.value = 2, read(fp.F16)
	case "bf16":
		e.size, e.value = 2, read(fp.BF16)
	default:
		e.size = 1
		for _, bits := range []int{64, 32, 16} {
			if strings.HasSuffix(scalar, fmt.Sprint(bits)) {
				e.size = bits / 8
				break
			}
		}
	}
	return e
}

// compare returns an error that names the first element that breaks the rule.
func (r *rule) compare(got, want []byte, e element) error {
	if r == nil || r.Kind == "exact" {
		return exact(got, want, e)
	}
	if e.value == nil {
		return fmt.Errorf("rule %s on elements of type %s", r.Kind, e.name)
	}
	for i := 0; i+e.size <= len(want); i += e.size {
		g, w := word(got[i:], e.size), word(want[i:], e.size)
		if g != w && !r.close(g, w, e) {
			return mismatch(i, g, w, e)
		}
	}
	return nil
}

// exact wants equal bytes.
func exact(got, want []byte, e element) error {
	if bytes.Equal(got, want) {
		return nil
	}
	for i := 0; i+e.size <= len(want); i += e.size {
		if g, w := word(got[i:], e.size), word(want[i:], e.size); g != w {
			return mismatch(i, g, w, e)
		}
	}
	return fmt.Errorf("%d bytes, want %d", len(got), len(want))
}

func mismatch(offset int, got, want uint64, e element) error {
	text := fmt.Sprintf("element %d (%s) is 0x%0*x, want 0x%0*x", offset/e.size, e.name, 2*e.size, got, 2*e.size, want)
	if e.value != nil {
		text += fmt.Sprintf(" (%v, want %v)", e.value(got), e.value(want))
	}
	return fmt.Errorf("%s", text)
}

// close tells whether two different bit patterns are near enough. A NaN is met by nothing else.
func (r *rule) close(got, want uint64, e element) bool {
	g, w := e.value(got), e.value(want)
	if math.IsNaN(w) || math.IsNaN(g) {
		return false
	}
	apart := math.Abs(g - w)
	switch r.Kind {
	case "ulp":
		d := ordered(got, e.size) - ordered(want, e.size)
		return max(d, -d) <= r.N || r.Atol > 0 && apart <= r.Atol
	case "abs":
		return !math.IsInf(w, 0) && apart <= r.Tol
	case "rel":
		return !math.IsInf(w, 0) && apart <= max(r.Atol, r.Rtol*math.Abs(w))
	}
	return false
}

// ordered places a floating-point pattern on the line of all values, on which both zeros are one point.
func ordered(b uint64, size int) int64 {
	sign := uint64(1) << (8*size - 1)
	if b&sign != 0 {
		return -int64(b &^ sign)
	}
	return int64(b)
}

func word(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}
