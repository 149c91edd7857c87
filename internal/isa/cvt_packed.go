package isa

import (
	"strconv"

	"silica/internal/fp"
)

// packedConversionRows holds cvt to and from packed types, and cvt.pack.
func packedConversionRows() []Row {
	stochastic := Since{PTX: 87, SM: 100, On: "100a 103a"}
	ampere := Since{PTX: 70, SM: 80, Mod: map[string]Since{".satfinite": {PTX: 81, SM: 80}}}
	ada := Since{PTX: 78, SM: 89}
	blackwell := Since{PTX: 86, SM: 100, Arch: "f"}
	pack := func(syntax, types string, since Since) Row {
		r := convertRow(syntax, types, since, packLane)
		r.Mods["type"] = ".u16 .s16"
		return r
	}
	packed := pack("cvt.pack.sat.type.s32.b32 d, a, b, c", "d:b32 a:s32 b:s32 c:b32", Since{PTX: 65, SM: 72})
	packed.Mods["type"] = ".u8 .s8 .u4 .s4 .u2 .s2"
	turing := Since{PTX: 65, SM: 75}
	packed.Since.Mod = map[string]Since{".u4": turing, ".s4": turing, ".u2": turing, ".s2": turing}
	return []Row{
		convertRow("cvt.frnd2{.relu}{.satfinite}.half2.f32 d, a, b", "d:half2 a:f32 b:f32", ampere, pairLane),
		convertRow("cvt.rs{.relu}{.satfinite}.half2.f32 d, a, b, rbits", "d:half2 a:f32 b:f32 rbits:b32", stochastic, stochasticLane),

		convertRow("cvt.rn.satfinite{.relu}.f8x2.f32 d, a, b", "d:b16 a:f32 b:f32", ada, pairLane),
		convertRow("cvt.rn.satfinite{.relu}.f8x2.f16x2 d, a", "d:b16 a:f16x2", ada, repackLane),
		convertRow("cvt.rn{.relu}.f16x2.f8x2 d, a", "d:f16x2 a:b16:reg", ada, repackLane),

		convertRow("cvt.rn.satfinite{.relu}.f6x2.f32 d, a, b", "d:b16 a:f32 b:f32", blackwell, pairLane),
		convertRow("cvt.rn{.relu}.f16x2.f6x2 d, a", "d:f16x2 a:b16", blackwell, repackLane),
		convertRow("cvt.rn.satfinite{.relu}.f4x2.f32 d, a, b", "d:b8 a:f32 b:f32", blackwell, pairLane),
		convertRow("cvt.rn.satfinite{.relu}.f4x2.f16x2 d, a", "d:b8 a:f16x2", blackwell, repackLane),
		convertRow("cvt.rn{.relu}.f16x2.f4x2 d, a", "d:f16x2 a:b8", blackwell, repackLane),
		convertRow("cvt.rs{.relu}.satfinite.x4.f32 d, a, rbits", "d:x4 a:f32*4 rbits:b32", stochastic, stochasticLane),

		convertRow("cvt.frnd3{.satfinite}.ue8m0x2.f32 d, a, b", "d:b16 a:f32 b:f32", blackwell, pairLane),
		convertRow("cvt.frnd3{.satfinite}.ue8m0x2.bf16x2 d, a", "d:b16 a:bf16x2", blackwell, repackLane),
		convertRow("cvt.rn.bf16x2.ue8m0x2 d, a", "d:bf16x2 a:b16", blackwell, repackLane),

		pack("cvt.pack.sat.type.s32 d, a, b", "d:b32 a:s32 b:s32", Since{PTX: 65, SM: 72}),
		packed,
	}
}

// pairLane converts a and b and packs them, a above b.
func pairLane(f *Form) LaneFunc {
	to, from := conversion(f)
	source, result, mode := floatFormat(from), floatFormat(to), modeOf(f)
	return func(l *Lane) { l.Dst[0] = uint64(fp.ConvertPair(source, result, l.Src[0], l.Src[1], mode)) }
}

// repackLane converts both values of a packed operand.
func repackLane(f *Form) LaneFunc {
	to, from := conversion(f)
	source, result, mode := floatFormat(from), floatFormat(to), modeOf(f)
	return func(l *Lane) { l.Dst[0] = uint64(fp.ConvertX2(source, result, uint32(l.Src[0]), mode)) }
}

// stochasticLane rounds values by random bits and packs them, the first on top. Two values share 16 bits: of the upper
// half of rbits the first two, of the lower half the others. In an e2m1x4 the first two have the upper bytes of
// both halves. A result of two halves has the bits of one each, f16 the lower 13 of them.
func stochasticLane(f *Form) LaneFunc {
	to, _ := conversion(f)
	result, mode := floatFormat(to), modeOf(f)
	count := to.Pack()
	width := to.Bits() / count
	random := func(l *Lane, i int) uint64 {
		bits := l.Src[count]
		switch {
		case to == F16x2:
			return bits >> (16 * (1 - i)) << 51
		case to == E2M1x4 && i < 2:
			return bits>>24&0xFF<<56 | bits>>8&0xFF<<48
		case to == E2M1x4:
			return bits>>16&0xFF<<56 | bits&0xFF<<48
		}
		return bits >> (16 * (1 - 2*i/count)) << 48
	}
	return func(l *Lane) {
		var packed uint64
		for i := range count {
			packed = packed<<width | fp.ConvertStochastic(fp.F32, result, l.Src[i], random(l, i), mode)
		}
		l.Dst[0] = packed
	}
}

// packLane saturates two integers and packs them, a above b, below what c holds.
func packLane(f *Form) LaneFunc {
	name := f.Get("type") // ".s16": signed, 16 bits
	signed := name[1] == 's'
	width, _ := strconv.Atoi(name[2:])
	return func(l *Lane) {
		l.Dst[0] = uint64(fp.PackInts(int32(l.Src[0]), int32(l.Src[1]), uint32(l.Src[2]), width, signed))
	}
}
