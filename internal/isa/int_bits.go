package isa

import "math/bits"

// integerBitRows holds counting, searching, reversing and moving of bits.
func integerBitRows() []Row {
	fermi := Since{PTX: 20, SM: 20}
	row := func(syntax, types, args string, since Since, unit Unit, lane func(*Form) LaneFunc) Row {
		return Row{Syntax: syntax, Mods: Mods{"type": types}, Types: args, Since: since, Unit: unit, Class: ClassInteger, Op: OpLane, Lane: lane}
	}
	return []Row{
		row("popc.type d, a", ".b32 .b64", "d:u32", fermi, XU, always(func(l *Lane) { l.Dst[0] = uint64(bits.OnesCount64(l.Src[0])) })),
		row("clz.type d, a", ".b32 .b64", "d:u32", fermi, XU, clzLane),
		row("bfind{.shiftamt}.type d, a", ".u32 .u64 .s32 .s64", "d:u32", fermi, XU, bfindLane),
		row("brev.type d, a", ".b32 .b64", "", fermi, XU, brevLane),
		row("bfe.type d, a, b, c", ".u32 .u64 .s32 .s64", "b:u32:const=0..255 c:u32:const=0..255", fermi, ALU, bfeLane),
		row("bfi.type f, a, b, c, d", ".b32 .b64", "f:type:w c:u32:const=0..255 d:u32:r:const=0..255", fermi, ALU, bfiLane),
		{Syntax: "fns.b32 d, mask, base, offset", Types: "base:b32 offset:s32", Since: Since{PTX: 60, SM: 30}, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: always(findNthSet)},
		{Syntax: "bmsk.mode.b32 d, a, b", Mods: Mods{"mode": ".clamp .wrap"}, Types: "d:u32 a:u32 b:u32", Since: Since{PTX: 76, SM: 70}, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: bmskLane},
		{Syntax: "szext.mode.type d, a, b", Mods: Mods{"mode": ".clamp .wrap", "type": ".u32 .s32"}, Types: "b:u32", Since: Since{PTX: 76, SM: 70},
			Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: szextLane},
	}
}

func typeBits(f *Form) int { return ParseType(f.Get("type")).Bits() }

func clzLane(f *Form) LaneFunc {
	unused := 64 - typeBits(f)
	return func(l *Lane) { l.Dst[0] = uint64(bits.LeadingZeros64(l.Src[0]) - unused) }
}

// bfindLane finds the highest bit that differs from the sign; there is none in 0 and -1.
func bfindLane(f *Form) LaneFunc {
	t := ParseType(f.Get("type"))
	width, extend, shiftamt := t.Bits(), extender(t), f.Has(".shiftamt")
	return func(l *Lane) {
		a := extend(l.Src[0])
		if t.Kind() == Signed {
			a ^= uint64(int64(a) >> 63)
		}
		pos := bits.Len64(a) - 1
		if shiftamt && pos >= 0 {
			pos = width - 1 - pos
		}
		l.Dst[0] = uint64(uint32(pos))
	}
}

func brevLane(f *Form) LaneFunc {
	unused := 64 - typeBits(f)
	return func(l *Lane) { l.Dst[0] = bits.Reverse64(l.Src[0]) >> unused }
}

// ones returns a mask of the low n bits, n up to 64 and beyond.
func ones(n uint64) uint64 { return 1<<n - 1 }

// fieldLimit masks the position and length of bit fields: 32-bit forms read one byte of them as the manual
// says, 64-bit ones the whole register.
func fieldLimit(f *Form) uint64 {
	if typeBits(f) == 64 {
		return 1<<32 - 1
	}
	return 0xff
}

// bfeLane extracts c bits from bit b on. Bits past the end of a repeat the sign: the highest bit
// extracted, or the highest of a.
func bfeLane(f *Form) LaneFunc {
	t := ParseType(f.Get("type"))
	width := uint64(t.Bits())
	signed := t.Kind() == Signed
	extend, limit := extender(t), fieldLimit(f)
	return func(l *Lane) {
		a, pos, n := l.Src[0], l.Src[1]&limit, l.Src[2]&limit
		d := a >> pos & ones(n)
		if signed && n > 0 && a>>min(pos+n-1, width-1)&1 == 1 {
			if valid := min(n, width-min(pos, width)); valid < 64 {
				d |= ^ones(valid)
			}
		}
		l.Dst[0] = extend(d)
	}
}

// bfiLane inserts the low d bits of a into b from bit c on.
func bfiLane(f *Form) LaneFunc {
	whole, limit := ones(uint64(typeBits(f))), fieldLimit(f)
	return func(l *Lane) {
		a, b, pos, n := l.Src[0], l.Src[1], l.Src[2]&limit, l.Src[3]&limit
		field := ones(n) << pos & whole
		l.Dst[0] = b&^field | a<<pos&field
	}
}

// findNthSet finds the offset-th set bit of a mask from bit base on, upward or downward.
func findNthSet(l *Lane) {
	mask, pos, offset := l.Src[0], int64(int32(l.Src[1])), int64(int32(l.Src[2]))
	l.Dst[0] = 1<<32 - 1
	step, count := int64(1), offset-1
	switch {
	case offset == 0:
		count = 0
		if pos < 0 || pos > 31 || mask>>pos&1 == 0 {
			return
		}
	case offset < 0:
		step, count = -1, -offset-1
	}
	for ; pos >= 0 && pos < 32; pos += step {
		if mask>>pos&1 == 0 {
			continue
		}
		if count == 0 {
			l.Dst[0] = uint64(pos)
			return
		}
		count--
	}
}

// bmskLane makes a mask of b bits from bit a on.
func bmskLane(f *Form) LaneFunc {
	clamp := f.Has(".clamp")
	return func(l *Lane) {
		pos, n := l.Src[0], l.Src[1]
		if !clamp {
			pos, n = pos&31, n&31
		}
		l.Dst[0] = ones(min(n, 32)) << pos & ones(32)
	}
}

// szextLane extends the low b bits of a by their sign or with zeros.
func szextLane(f *Form) LaneFunc {
	clamp, signed := f.Has(".clamp"), f.Get("type") == ".s32"
	return func(l *Lane) {
		a, n := l.Src[0], l.Src[1]
		if !clamp {
			n &= 31
		}
		switch {
		case n >= 32:
		case signed && n > 0:
			a = uint64(int64(a<<(64-n)) >> (64 - n))
		default:
			a &= ones(n)
		}
		if signed {
			a = uint64(int32(a))
		}
		l.Dst[0] = a
	}
}
