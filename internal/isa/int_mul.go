package isa

import "math/bits"

// integerMulRows holds integer multiplication, with and without addition.
func integerMulRows() []Row {
	return []Row{
		{Syntax: "mul.mode.type d, a, b", Mods: Mods{"mode": ".lo .hi", "type": integerTypes}, Since: Since{PTX: 10, SM: 10}, Unit: FMA, Class: ClassInteger, Op: OpLane, Lane: mulLane},
		{Syntax: "mul.wide.type d, a, b", Mods: Mods{"type": ".u16 .u32 .s16 .s32"}, Types: "d:wide", Since: Since{PTX: 10, SM: 10}, Unit: FMA, Class: ClassInteger, Op: OpLane,
			Lane: byType(mulWide[uint16], mulWide[uint32], nil, mulWide[int16], mulWide[int32], nil)},
		{Syntax: "mad.mode.type d, a, b, c", Mods: Mods{"mode": ".lo .hi", "type": integerTypes}, Since: Since{PTX: 10, SM: 10}, Unit: FMA, Class: ClassInteger, Op: OpLane, Lane: madLane},
		{Syntax: "mad.wide.type d, a, b, c", Mods: Mods{"type": ".u16 .u32 .s16 .s32"}, Types: "d:wide c:wide", Since: Since{PTX: 10, SM: 10}, Unit: FMA, Class: ClassInteger, Op: OpLane,
			Lane: byType(madWide[uint16], madWide[uint32], nil, madWide[int16], madWide[int32], nil)},
		{Syntax: "mad.hi.sat.s32 d, a, b, c", Since: Since{PTX: 10, SM: 10}, Unit: FMA, Class: ClassInteger, Op: OpLane,
			Lane: always(func(l *Lane) { l.Dst[0] = saturate32(int64(mulHi32(l.Src[0], l.Src[1])) + int64(int32(l.Src[2]))) })},
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
		// Each negative factor counts 2^64 too much.
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
