package isa

import "math/bits"

// integerMulRows holds integer multiplication, with and without addition, and the dot products.
func integerMulRows() []Row {
	const narrow = ".u16 .u32 .s16 .s32"
	row := func(syntax, types string, lane func(*Form) LaneFunc) Row {
		return Row{Syntax: syntax, Mods: Mods{"type": types}, Since: first, Unit: FMA, Class: ClassInteger, Op: OpLane, Lane: lane}
	}
	mode := func(syntax, types string, lane func(*Form) LaneFunc) Row {
		r := row(syntax, types, lane)
		r.Mods["mode"] = ".lo .hi"
		return r
	}
	typed := func(types string, r Row) Row {
		r.Types = types
		return r
	}
	dot := func(syntax string, lane func(*Form) LaneFunc) Row {
		r := Row{Syntax: syntax, Mods: Mods{"atype": ".u32 .s32", "btype": ".u32 .s32"}, Types: "d:s32 a:u32 b:u32 c:s32", Since: Since{PTX: 50, SM: 61},
			Unit: FMA, Class: ClassInteger, Op: OpLane, Lane: lane}
		return r
	}
	return []Row{
		mode("mul.mode.type d, a, b", integerTypes, mulLane),
		typed("d:wide", row("mul.wide.type d, a, b", narrow, byType(mulWide[uint16], mulWide[uint32], nil, mulWide[int16], mulWide[int32], nil))),
		mode("mad.mode.type d, a, b, c", integerTypes, madLane),
		typed("d:wide c:wide", row("mad.wide.type d, a, b, c", narrow, byType(madWide[uint16], madWide[uint32], nil, madWide[int16], madWide[int32], nil))),
		{Syntax: "mad.hi.sat.s32 d, a, b, c", Since: first, Unit: FMA, Class: ClassInteger, Op: OpLane,
			Lane: always(func(l *Lane) { l.Dst[0] = saturate32(int64(mulHi32(l.Src[0], l.Src[1])) + int64(int32(l.Src[2]))) })},

		mode("mul24.mode.type d, a, b", ".u32 .s32", mul24Lane),
		mode("mad24.mode.type d, a, b, c", ".u32 .s32", mad24Lane),
		{Syntax: "mad24.hi.sat.s32 d, a, b, c", Since: first, Unit: FMA, Class: ClassInteger, Op: OpLane,
			Lane: always(func(l *Lane) {
				l.Dst[0] = saturate32(signed24(l.Src[0])*signed24(l.Src[1])>>16 + int64(int32(l.Src[2])))
			})},

		dot("dp4a.atype.btype d, a, b, c", dp4aLane),
		dot("dp2a.lo.atype.btype d, a, b, c", dp2aLane(0)),
		dot("dp2a.hi.atype.btype d, a, b, c", dp2aLane(16)),
	}
}

func mulLane(f *Form) LaneFunc {
	if f.Get("mode") == ".lo" {
		return byType(mulLo[uint16], mulLo[uint32], mulLo[uint64], mulLo[int16], mulLo[int32], mulLo[int64])(f)
	}
	hi := mulHi(f)
	return func(l *Lane) { l.Dst[0] = hi(l.Src[0], l.Src[1]) }
}

func madLane(f *Form) LaneFunc {
	if f.Get("mode") == ".lo" {
		return byType(madLo[uint16], madLo[uint32], madLo[uint64], madLo[int16], madLo[int32], madLo[int64])(f)
	}
	hi, extend := mulHi(f), extender(ParseType(f.Get("type")))
	return func(l *Lane) { l.Dst[0] = extend(hi(l.Src[0], l.Src[1]) + l.Src[2]) }
}

func mulLo[T integer](l *Lane) { l.Dst[0] = uint64(T(l.Src[0]) * T(l.Src[1])) }
func madLo[T integer](l *Lane) { l.Dst[0] = uint64(T(l.Src[0])*T(l.Src[1]) + T(l.Src[2])) }

// Products of 32-bit and narrower factors are exact in 64 bits, whichever sign the factors have.
func mulWide[T integer](l *Lane) { l.Dst[0] = uint64(T(l.Src[0])) * uint64(T(l.Src[1])) }
func madWide[T integer](l *Lane) { l.Dst[0] = uint64(T(l.Src[0]))*uint64(T(l.Src[1])) + l.Src[2] }

func mulHi32(a, b uint64) int32 { return int32(int64(int32(a)) * int64(int32(b)) >> 32) }

// mulHi returns the function that gives the upper half of a product of the form's type.
func mulHi(f *Form) func(a, b uint64) uint64 {
	switch f.Get("type") {
	case ".u16":
		return func(a, b uint64) uint64 { return a * b >> 16 }
	case ".s16":
		return func(a, b uint64) uint64 { return uint64(int64(int16(a)) * int64(int16(b)) >> 16) }
	case ".u32":
		return func(a, b uint64) uint64 { return a * b >> 32 }
	case ".s32":
		return func(a, b uint64) uint64 { return uint64(mulHi32(a, b)) }
	case ".u64":
		return func(a, b uint64) uint64 {
			hi, _ := bits.Mul64(a, b)
			return hi
		}
	}
	return func(a, b uint64) uint64 {
		hi, _ := bits.Mul64(a, b)
		// Each negative factor counts 2^64 times the other one too much.
		return hi - uint64(int64(a)>>63)&b - uint64(int64(b)>>63)&a
	}
}

// extender returns the function that cuts a value to the width of t and extends it to 64 bits.
func extender(t Type) func(uint64) uint64 {
	shift := 64 - t.Bits()
	if t.Kind() == Signed {
		return func(v uint64) uint64 { return uint64(int64(v<<shift) >> shift) }
	}
	return func(v uint64) uint64 { return v << shift >> shift }
}

func signed24(v uint64) int64   { return int64(v<<40) >> 40 }
func unsigned24(v uint64) int64 { return int64(v & (1<<24 - 1)) }

// product24 returns the function that gives bits 0 to 31 (.lo) or 16 to 47 (.hi) of a 48-bit product.
func product24(f *Form) func(a, b uint64) int64 {
	factor, shift := unsigned24, 0
	if f.Get("type") == ".s32" {
		factor = signed24
	}
	if f.Get("mode") == ".hi" {
		shift = 16
	}
	return func(a, b uint64) int64 { return factor(a) * factor(b) >> shift }
}

func mul24Lane(f *Form) LaneFunc {
	product, extend := product24(f), extender(ParseType(f.Get("type")))
	return func(l *Lane) { l.Dst[0] = extend(uint64(product(l.Src[0], l.Src[1]))) }
}

func mad24Lane(f *Form) LaneFunc {
	product, extend := product24(f), extender(ParseType(f.Get("type")))
	return func(l *Lane) { l.Dst[0] = extend(uint64(product(l.Src[0], l.Src[1])) + l.Src[2]) }
}

// dp4aLane sums four products of bytes; the signs of the two sides are chosen apart.
func dp4aLane(f *Form) LaneFunc {
	a, b := fieldOf(f.Get("atype"), 8), fieldOf(f.Get("btype"), 8)
	return func(l *Lane) {
		sum := l.Src[2]
		for shift := 0; shift < 32; shift += 8 {
			sum += a(l.Src[0]>>shift) * b(l.Src[1]>>shift)
		}
		l.Dst[0] = uint64(int32(sum))
	}
}

// dp2aLane sums the products of the two halves of a and two bytes of b, from bit shift on.
func dp2aLane(shift int) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		a, b := fieldOf(f.Get("atype"), 16), fieldOf(f.Get("btype"), 8)
		return func(l *Lane) {
			bytes := l.Src[1] >> shift
			l.Dst[0] = uint64(int32(l.Src[2] + a(l.Src[0])*b(bytes) + a(l.Src[0]>>16)*b(bytes>>8)))
		}
	}
}

// fieldOf returns the function that extends the low n bits by the sign of the type.
func fieldOf(typ string, n int) func(uint64) uint64 {
	shift := 64 - n
	if typ == ".s32" {
		return func(v uint64) uint64 { return uint64(int64(v<<shift) >> shift) }
	}
	return func(v uint64) uint64 { return v << shift >> shift }
}
