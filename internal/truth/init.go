package truth

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"silica/internal/fp"
)

// Init describes the contents of a buffer; see the suite's README for each kind.
type Init struct {
	Kind   string            `json:"kind"`
	Seed   uint64            `json:"seed"`
	Value  json.RawMessage   `json:"value"`
	Values []json.RawMessage `json:"values"`
	Start  *float64          `json:"start"`
	Step   *float64          `json:"step"`
	Lo     json.RawMessage   `json:"lo"` // a number, or a list for uniform_f32_mod
	Hi     json.RawMessage   `json:"hi"`
	A      uint64            `json:"a"`
	C      uint64            `json:"c"`
	Shape  string            `json:"shape"`
}

// z is output i of splitmix64 started at seed.
func z(seed, i uint64) uint64 {
	x := seed + (i+1)*0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// ElementBytes returns the size of an element type, 0 for an unknown one.
func ElementBytes(t string) int {
	switch t {
	case "u8", "i8":
		return 1
	case "f16", "bf16":
		return 2
	case "f32", "u32", "i32":
		return 4
	case "f64", "u64", "i64":
		return 8
	}
	return 0
}

// Bytes returns the initial bytes of count elements of type t, little endian.
func (in Init) Bytes(t string, count int) ([]byte, error) {
	size := ElementBytes(t)
	if size == 0 {
		return nil, fmt.Errorf("element type %q is unknown", t)
	}
	out := make([]byte, size*count)
	if in.Kind == "zero" || in.Kind == "" {
		return out, nil
	}
	element, err := in.element(t, count)
	if err != nil {
		return nil, err
	}
	for i := range count {
		put(out[i*size:], size, element(uint64(i)))
	}
	return out, nil
}

func put(b []byte, size int, v uint64) {
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// element returns the generator of the bits of element i.
func (in Init) element(t string, count int) (func(i uint64) uint64, error) {
	switch in.Kind {
	case "const":
		v, err := Bits(t, in.Value)
		return func(uint64) uint64 { return v }, err
	case "values":
		bits := make([]uint64, count)
		for i := range bits {
			if i >= len(in.Values) {
				return nil, fmt.Errorf("%d values for %d elements", len(in.Values), count)
			}
			var err error
			if bits[i], err = Bits(t, in.Values[i]); err != nil {
				return nil, err
			}
		}
		return func(i uint64) uint64 { return bits[i] }, nil
	case "iota":
		start, step := 0.0, 1.0
		if in.Start != nil {
			start = *in.Start
		}
		if in.Step != nil {
			step = *in.Step
		}
		return func(i uint64) uint64 { return fromFloat(t, start+float64(i)*step) }, nil
	case "uniform_f32", "uniform_f32_mod":
		lo, hi, err := in.bounds()
		return func(i uint64) uint64 {
			n := i % uint64(len(lo))
			u := float64(z(in.Seed, i)>>40) / (1 << 24)
			p := float64((hi[n] - lo[n]) * u)
			return fromFloat(t, float64(float32(lo[n]+p)))
		}, err
	case "uniform_f64":
		lo, hi, err := in.bounds()
		return func(i uint64) uint64 {
			u := float64(z(in.Seed, i)>>11) / (1 << 53)
			p := float64((hi[0] - lo[0]) * u)
			return math.Float64bits(lo[0] + p)
		}, err
	case "uniform_int":
		lo, hi, err := in.bounds()
		return func(i uint64) uint64 {
			return uint64(int64(lo[0]) + int64((z(in.Seed, i)>>32)*uint64(int64(hi[0])-int64(lo[0]))>>32))
		}, err
	case "bits64":
		return func(i uint64) uint64 { return z(in.Seed, i) }, nil
	case "lcg_perm":
		return func(i uint64) uint64 { return (in.A*i + in.C) % uint64(count) }, nil
	case "csr_rowptr":
		return in.rowPointers(count)
	}
	return nil, fmt.Errorf("buffer contents of kind %q are unknown", in.Kind)
}

// rowPointers is the running sum of random row lengths.
func (in Init) rowPointers(count int) (func(i uint64) uint64, error) {
	lo, hi, err := in.bounds()
	if err != nil {
		return nil, err
	}
	low, span := uint64(lo[0]), uint64(hi[0])-uint64(lo[0])
	sums := make([]uint64, count)
	for row := range count - 1 {
		r := z(in.Seed, uint64(row)) >> 48
		length := low + (r*span)>>16
		if in.Shape == "cubic" {
			length = low + (span*r*r*r)>>48
		}
		sums[row+1] = sums[row] + length
	}
	return func(i uint64) uint64 { return sums[i] }, nil
}

// bounds returns lo and hi as lists of equal length.
func (in Init) bounds() (lo, hi []float64, err error) {
	if lo, err = numbers(in.Lo); err != nil {
		return nil, nil, err
	}
	if hi, err = numbers(in.Hi); err != nil {
		return nil, nil, err
	}
	if len(lo) != len(hi) || len(lo) == 0 {
		return nil, nil, fmt.Errorf("%s needs lo and hi of the same length", in.Kind)
	}
	return lo, hi, nil
}

func numbers(raw json.RawMessage) ([]float64, error) {
	var one float64
	if json.Unmarshal(raw, &one) == nil {
		return []float64{one}, nil
	}
	var many []float64
	err := json.Unmarshal(raw, &many)
	return many, err
}

// fromFloat converts a number to the bits of an element type.
func fromFloat(t string, v float64) uint64 {
	switch t {
	case "f64":
		return math.Float64bits(v)
	case "f32":
		return uint64(math.Float32bits(float32(v)))
	case "f16":
		return fp.Convert(fp.F32, fp.F16, uint64(math.Float32bits(float32(v))), fp.RN)
	case "bf16":
		return fp.Convert(fp.F32, fp.BF16, uint64(math.Float32bits(float32(v))), fp.RN)
	}
	if v < 0 {
		return uint64(int64(v))
	}
	return uint64(v)
}

// Bits converts a JSON number to the bits of an element type: a float to the nearest value, an integer
// exactly.
func Bits(t string, raw json.RawMessage) (uint64, error) {
	var i int64
	var u uint64
	switch t {
	case "u8", "i8", "u32", "i32", "u64", "i64":
		if json.Unmarshal(raw, &i) == nil {
			return uint64(i), nil
		}
		if json.Unmarshal(raw, &u) == nil {
			return u, nil
		}
	}
	var v float64
	if err := json.Unmarshal(raw, &v); err != nil {
		return 0, fmt.Errorf("%s is not a number of type %s", raw, t)
	}
	return fromFloat(t, v), nil
}
