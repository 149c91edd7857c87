package fp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"testing"
)

// The oracle rounds exact values by searching the ordered values of a format, which shares nothing
// with the package but the table of layouts.

// oraclePrecision is enough bits for the exact sum of the smallest and the largest product of two f64.
const oraclePrecision = 4400

// significandOf returns the value of a magnitude pattern as an integer times a power of two, and as a
// float64.
func significandOf(f Format, magnitude uint64) (value float64, n uint64, exponent int) {
	l := layouts[f]
	exponent, n = int(magnitude>>l.fraction), magnitude&(1<<l.fraction-1)
	bias := 1<<(l.exponent-1) - 1
	switch {
	case !l.signed: // a power of two, with no zero
		n = 1
	case exponent == 0:
		exponent = 1
	default:
		n |= 1 << l.fraction
	}
	exponent -= bias + int(l.fraction)
	return math.Ldexp(float64(n), exponent), n, exponent
}

// valueOf returns the value of a magnitude pattern; of the pattern after the last finite one, the value
// it would have if the format went on.
func valueOf(f Format, magnitude uint64) *big.Float {
	_, n, exponent := significandOf(f, magnitude)
	v := new(big.Float).SetPrec(64).SetUint64(n)
	return v.SetMantExp(v, exponent)
}

// exactOf returns the value of a finite pattern.
func exactOf(f Format, x uint64) *big.Float {
	l := layouts[f]
	v := valueOf(f, x>>l.pad&l.magnitude())
	if l.signed && x>>(l.exponent+l.fraction+l.pad) != 0 {
		v.Neg(v)
	}
	return v
}

// oracle returns x, which carries the sign of a zero, in format f under m.
func oracle(f Format, x *big.Float, m Mode) uint64 {
	l := layouts[f]
	negative := x.Signbit() && l.signed
	a := new(big.Float).Abs(x)
	infinity := l.infinity()
	truncated, accuracy := a.Float64()
	if accuracy == big.Above {
		truncated = math.Nextafter(truncated, 0)
	}
	below := uint64(sort.Search(int(infinity), func(k int) bool {
		v, _, _ := significandOf(f, uint64(k)) // every finite value of every format is a float64
		return v > truncated
	}))
	below -= min(below, 1)
	low, high := valueOf(f, below), valueOf(f, below+1)
	chosen := below
	if c := a.Cmp(low); c > 0 {
		middle := new(big.Float).Add(low, high)
		middle.SetMantExp(middle, -1)
		side := a.Cmp(middle)
		switch m.Rounding() {
		case RN:
			if side > 0 || side == 0 && below&1 != 0 {
				chosen++
			}
		case RNA:
			if side >= 0 {
				chosen++
			}
		case RM:
			if negative {
				chosen++
			}
		case RP:
			if !negative {
				chosen++
			}
		}
	}
	if m&SatFinite != 0 || l.specials != ieee {
		chosen = min(chosen, infinity-1)
	}
	if m&Ftz != 0 && tinyAfterRounding(f, x, m) {
		chosen = 0
	}
	if m&Sat != 0 {
		if negative {
			negative, chosen = false, 0
		}
		chosen = min(chosen, uint64(1<<(l.exponent-1)-1)<<l.fraction)
	}
	if m&Relu != 0 && negative {
		negative, chosen = false, 0
	}
	if negative {
		chosen |= 1 << (l.exponent + l.fraction)
	}
	return chosen << l.pad
}

// tinyAfterRounding reports whether x, rounded to the format's precision with an unlimited exponent, is
// below the smallest normal value.
func tinyAfterRounding(f Format, x *big.Float, m Mode) bool {
	l := layouts[f]
	r := new(big.Float).SetPrec(uint(l.fraction) + 1).SetMode(map[Mode]big.RoundingMode{
		RN: big.ToNearestEven, RZ: big.ToZero, RM: big.ToNegativeInf, RP: big.ToPositiveInf, RNA: big.ToNearestAway,
	}[m.Rounding()])
	r.Set(x)
	return r.Abs(r).Cmp(valueOf(f, 1<<l.fraction)) < 0
}

// approximate returns an irrational or periodic value, given truncated, with a bit below all others.
func approximate(v *big.Float) *big.Float {
	if v.Acc() == big.Exact {
		return v
	}
	tail := new(big.Float).SetMantExp(big.NewFloat(math.Copysign(1, float64(v.Sign()))), v.MantExp(nil)-500)
	return new(big.Float).SetPrec(oraclePrecision).Add(v, tail)
}

// draw returns a random value of format f: often a special one, or one near the others in magnitude.
func draw(f Format, r *rand.Rand) uint64 {
	l := layouts[f]
	x := r.Uint64() >> (64 - f.Width())
	switch bias := uint64(1)<<(l.exponent-1) - 1; r.IntN(6) {
	case 0: // near one
		x = (bias+r.Uint64N(5)-2)<<l.fraction | x&(1<<l.fraction-1) | x&(l.magnitude()+1)
	case 1: // about the smallest normal values
		x = r.Uint64N(4<<l.fraction) | x&(l.magnitude()+1)
	case 2: // few fraction bits
		x &^= 1<<(l.fraction-l.fraction/4) - 1
	case 3: // a power of two and its neighbours
		x = (x&l.magnitude())>>l.fraction<<l.fraction + r.Uint64N(5) | x&(l.magnitude()+1)
	}
	return x & (l.magnitude()<<1 | 1)
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// drawFinite returns a random finite value of format f, flushed if m says so.
func drawFinite(f Format, r *rand.Rand, m Mode) uint64 {
	for {
		x := draw(f, r)
		if Finite.Has(f.Classify(x)) {
			if m&Ftz != 0 {
				return f.flush(x)
			}
			return x
		}
	}
}

// arithmeticModes are the modes that arithmetic of a format is tested with.
func arithmeticModes(f Format) []Mode {
	switch f {
	case F64:
		return []Mode{RN, RZ, RM, RP}
	case F32:
		return []Mode{RN, RZ, RM, RP, RN | Ftz, RZ | Ftz, RM | Ftz, RP | Ftz, RN | Sat, RP | Sat, RM | Sat | Ftz}
	default:
		return []Mode{RN, RN | Ftz, RN | Sat, RN | Relu, RN | Ftz | Relu}
	}
}

// TestArithmetic compares every operation of every format with the oracle on finite operands.
func TestArithmetic(t *testing.T) {
	const rounds = 3000
	for _, f := range []Format{F16, BF16, F32, F64} {
		for name, op := range arithmeticOf(f) {
			t.Run(f.String()+" "+name, func(t *testing.T) {
				r := newRand()
				for _, m := range arithmeticModes(f) {
					for range rounds {
						a, b, c := drawFinite(f, r, m), drawFinite(f, r, m), drawFinite(f, r, m)
						if r.IntN(3) == 0 {
							c = op.nearProduct(f, a, b, m)
						}
						want, defined := op.exact(exactOf(f, a), exactOf(f, b), exactOf(f, c), m)
						if !defined {
							continue
						}
						if got, want := op.compute(a, b, c, m), oracle(f, want, m); got != want {
							t.Fatalf("%x, %x, %x in mode %x: got %x, want %x", a, b, c, m, got, want)
						}
					}
				}
			})
		}
	}
}

// arithmetic is an operation as the package computes it and as the oracle does.
type arithmetic struct {
	compute func(a, b, c uint64, m Mode) uint64
	exact   func(a, b, c *big.Float, m Mode) (*big.Float, bool)
}

// nearProduct returns a third operand that nearly cancels the product of the others.
func (arithmetic) nearProduct(f Format, a, b uint64, m Mode) uint64 {
	p := new(big.Float).SetPrec(oraclePrecision).Mul(exactOf(f, a), exactOf(f, b))
	c := oracle(f, p.Neg(p), m&Ftz|SatFinite)
	return c
}

// sum returns x + y, with the sign of an exact zero as IEEE 754 has it.
func sum(x, y *big.Float, m Mode) *big.Float {
	s := new(big.Float).SetPrec(oraclePrecision).Add(x, y)
	if s.Sign() == 0 && x.Signbit() != y.Signbit() {
		s.Abs(s)
		if m.Rounding() == RM {
			s.Neg(s)
		}
	}
	return s
}

func product(x, y *big.Float) *big.Float {
	return new(big.Float).SetPrec(oraclePrecision).Mul(x, y)
}

func truncated() *big.Float { return new(big.Float).SetPrec(400).SetMode(big.ToZero) }

var exactOperations = map[string]func(a, b, c *big.Float, m Mode) (*big.Float, bool){
	"add": func(a, b, c *big.Float, m Mode) (*big.Float, bool) { return sum(a, b, m), true },
	"sub": func(a, b, c *big.Float, m Mode) (*big.Float, bool) {
		return sum(a, new(big.Float).Neg(b), m), true
	},
	"mul": func(a, b, c *big.Float, m Mode) (*big.Float, bool) { return product(a, b), true },
	"fma": func(a, b, c *big.Float, m Mode) (*big.Float, bool) { return sum(product(a, b), c, m), true },
	"div": func(a, b, c *big.Float, m Mode) (*big.Float, bool) {
		if b.Sign() == 0 {
			return nil, false
		}
		return approximate(truncated().Quo(a, b)), true
	},
	"rcp": func(a, b, c *big.Float, m Mode) (*big.Float, bool) {
		if a.Sign() == 0 {
			return nil, false
		}
		return approximate(truncated().Quo(big.NewFloat(1), a)), true
	},
	"sqrt": func(a, b, c *big.Float, m Mode) (*big.Float, bool) {
		if a.Sign() < 0 {
			return nil, false
		}
		root := truncated().Sqrt(a)
		square := product(root, root)
		if square.Cmp(a) != 0 {
			// Sqrt rounds to nearest whatever the mode: lower it below the true root.
			root = new(big.Float).SetPrec(oraclePrecision).Sub(root, new(big.Float).SetMantExp(big.NewFloat(1), root.MantExp(nil)-401))
			root.Add(root, new(big.Float).SetMantExp(big.NewFloat(1), root.MantExp(nil)-500))
		}
		return root, true
	},
}

// arithmeticOf returns the operations of a format.
func arithmeticOf(f Format) map[string]arithmetic {
	compute := map[string]func(a, b, c uint64, m Mode) uint64{
		"add":  func(a, b, c uint64, m Mode) uint64 { return Add64(a, b, m) },
		"sub":  func(a, b, c uint64, m Mode) uint64 { return Sub64(a, b, m) },
		"mul":  func(a, b, c uint64, m Mode) uint64 { return Mul64(a, b, m) },
		"fma":  Fma64,
		"div":  func(a, b, c uint64, m Mode) uint64 { return Div64(a, b, m) },
		"rcp":  func(a, b, c uint64, m Mode) uint64 { return Rcp64(a, m) },
		"sqrt": func(a, b, c uint64, m Mode) uint64 { return Sqrt64(a, m) },
	}
	switch f {
	case F32:
		compute = map[string]func(a, b, c uint64, m Mode) uint64{
			"add":  func(a, b, c uint64, m Mode) uint64 { return uint64(Add32(uint32(a), uint32(b), m)) },
			"sub":  func(a, b, c uint64, m Mode) uint64 { return uint64(Sub32(uint32(a), uint32(b), m)) },
			"mul":  func(a, b, c uint64, m Mode) uint64 { return uint64(Mul32(uint32(a), uint32(b), m)) },
			"fma":  func(a, b, c uint64, m Mode) uint64 { return uint64(Fma32(uint32(a), uint32(b), uint32(c), m)) },
			"div":  func(a, b, c uint64, m Mode) uint64 { return uint64(Div32(uint32(a), uint32(b), m)) },
			"rcp":  func(a, b, c uint64, m Mode) uint64 { return uint64(Rcp32(uint32(a), m)) },
			"sqrt": func(a, b, c uint64, m Mode) uint64 { return uint64(Sqrt32(uint32(a), m)) },
		}
	case F16, BF16:
		twice := func(x uint64) uint32 { return uint32(x | x<<16) }
		compute = map[string]func(a, b, c uint64, m Mode) uint64{
			"add": func(a, b, c uint64, m Mode) uint64 { return uint64(Add16(f, uint16(a), uint16(b), m)) },
			"sub": func(a, b, c uint64, m Mode) uint64 { return uint64(Sub16x2(f, twice(a), twice(b), m) >> 16) },
			"mul": func(a, b, c uint64, m Mode) uint64 { return uint64(Mul16(f, uint16(a), uint16(b), m)) },
			"fma": func(a, b, c uint64, m Mode) uint64 {
				return uint64(Fma16(f, uint16(a), uint16(b), uint16(c), m))
			},
		}
	}
	operations := map[string]arithmetic{}
	for name, op := range compute {
		operations[name] = arithmetic{op, exactOperations[name]}
	}
	return operations
}
