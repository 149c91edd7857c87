package isa

// shiftRows holds shifts, funnel shifts and the byte permutation.
func shiftRows() []Row {
	shf := func(syntax string, lane func(*Form) LaneFunc) Row {
		return Row{Syntax: syntax, Mods: Mods{"mode": ".clamp .wrap"}, Types: "c:u32", Since: Since{PTX: 31, SM: 32}, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: lane}
	}
	return []Row{
		shf("shf.l.mode.b32 d, a, b, c", funnelLeftLane),
		shf("shf.r.mode.b32 d, a, b, c", funnelRightLane),
		{Syntax: "shl.type d, a, b", Mods: Mods{"type": ".b16 .b32 .b64"}, Types: "b:u32", Since: first, Unit: ALU, Class: ClassInteger, Op: OpLane,
			Lane: byType(shl[uint16], shl[uint32], shl[uint64], nil, nil, shl[uint64])},
		{Syntax: "shr.type d, a, b", Mods: Mods{"type": ".b16 .b32 .b64 " + integerTypes}, Types: "b:u32", Since: first, Unit: ALU, Class: ClassInteger, Op: OpLane,
			Lane: byType(shr[uint16], shr[uint32], shr[uint64], shr[int16], shr[int32], shr[int64])},
		{Syntax: "prmt.b32{.mode} d, a, b, c", Mods: Mods{"mode": ".f4e .b4e .rc8 .ecl .ecr .rc16"}, Since: Since{PTX: 20, SM: 20}, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: prmtLane},
	}
}

// Go's shifts give what PTX asks for counts past the width: zeros, or copies of the sign.
func shl[T integer](l *Lane) { l.Dst[0] = uint64(T(l.Src[0]) << l.Src[1]) }
func shr[T integer](l *Lane) { l.Dst[0] = uint64(T(l.Src[0]) >> l.Src[1]) }

// funnelCount returns the function that limits a shift count to 32 (.clamp) or takes it modulo 32.
func funnelCount(f *Form) func(uint64) uint64 {
	if f.Has(".clamp") {
		return func(n uint64) uint64 { return min(n, 32) }
	}
	return func(n uint64) uint64 { return n & 31 }
}

func funnelLeftLane(f *Form) LaneFunc {
	count := funnelCount(f)
	return func(l *Lane) { l.Dst[0] = (l.Src[1]<<32 | l.Src[0]) << count(l.Src[2]) >> 32 }
}

func funnelRightLane(f *Form) LaneFunc {
	count := funnelCount(f)
	return func(l *Lane) { l.Dst[0] = (l.Src[1]<<32 | l.Src[0]) >> count(l.Src[2]) & ones(32) }
}

// prmtSelectors returns the four byte selectors of a special mode by the low two bits of c.
func prmtSelectors(mode string) (selectors [4]uint64, special bool) {
	switch mode {
	case ".f4e":
		return [4]uint64{0x3210, 0x4321, 0x5432, 0x6543}, true
	case ".b4e":
		return [4]uint64{0x5670, 0x6701, 0x7012, 0x0123}, true
	case ".rc8":
		return [4]uint64{0x0000, 0x1111, 0x2222, 0x3333}, true
	case ".ecl":
		return [4]uint64{0x3210, 0x3211, 0x3222, 0x3333}, true
	case ".ecr":
		return [4]uint64{0x0000, 0x1110, 0x2210, 0x3210}, true
	case ".rc16":
		return [4]uint64{0x1010, 0x3232, 0x1010, 0x3232}, true
	}
	return selectors, false
}

// prmtLane picks four of the eight bytes of b:a. In the default mode bit 3 of a selector asks for
// eight copies of the byte's sign.
func prmtLane(f *Form) LaneFunc {
	selectors, special := prmtSelectors(f.Get("mode"))
	return func(l *Lane) {
		bytes, selector := l.Src[1]<<32|l.Src[0], l.Src[2]
		if special {
			selector = selectors[selector&3]
		}
		var d uint64
		for i := range 4 {
			s := selector >> (4 * i)
			b := bytes >> (s & 7 * 8) & 0xff
			if s&8 != 0 {
				b = b >> 7 * 0xff
			}
			d |= b << (8 * i)
		}
		l.Dst[0] = d
	}
}
