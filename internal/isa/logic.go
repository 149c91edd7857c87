package isa

// logicRows holds bitwise operations.
func logicRows() []Row {
	const types = ".pred .b16 .b32 .b64"
	row := func(syntax, types string, lane LaneFunc) Row {
		return Row{Syntax: syntax, Mods: Mods{"type": types}, Since: first, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: always(lane)}
	}
	return []Row{
		row("and.type d, a, b", types, func(l *Lane) { l.Dst[0] = l.Src[0] & l.Src[1] }),
		row("or.type d, a, b", types, func(l *Lane) { l.Dst[0] = l.Src[0] | l.Src[1] }),
		row("xor.type d, a, b", types, func(l *Lane) { l.Dst[0] = l.Src[0] ^ l.Src[1] }),
		{Syntax: "not.type d, a", Mods: Mods{"type": types}, Since: first, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: notLane},
		row("cnot.type d, a", ".b16 .b32 .b64", func(l *Lane) { l.Dst[0] = truth(l.Src[0] == 0) }),
		{Syntax: "lop3.b32 d, a, b, c, immLut", Types: "immLut:b32:imm=0..255", Since: Since{PTX: 43, SM: 50}, Unit: ALU, Class: ClassInteger, Op: OpLane,
			Lane: always(func(l *Lane) { l.Dst[0] = lop3(l) })},
		{Syntax: "lop3.BoolOp.b32 d|p, a, b, c, immLut, q", Mods: Mods{"BoolOp": ".or .and"}, Types: "p:pred:kept immLut:b32:imm=0..255 q:pred",
			Since: Since{PTX: 82, SM: 70}, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: lop3PredicateLane},
	}
}

// truth is 1 for true, as predicates are held.
func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func notLane(f *Form) LaneFunc {
	mask := ones(uint64(typeBits(f)))
	return func(l *Lane) { l.Dst[0] = ^l.Src[0] & mask }
}

// lop3 looks up each bit in an 8-bit table; the index is made of the bits of a (4), b (2) and c (1).
func lop3(l *Lane) uint64 {
	a, b, c, table := l.Src[0], l.Src[1], l.Src[2], l.Src[3]
	entry := func(i int) uint64 { return -(table >> i & 1) }
	pick := func(index, one, zero uint64) uint64 { return zero ^ index&(one^zero) }
	high := pick(b, pick(c, entry(7), entry(6)), pick(c, entry(5), entry(4)))
	low := pick(b, pick(c, entry(3), entry(2)), pick(c, entry(1), entry(0)))
	return pick(a, high, low) & ones(32)
}

func lop3PredicateLane(f *Form) LaneFunc {
	if f.Get("BoolOp") == ".or" {
		return func(l *Lane) {
			d := lop3(l)
			l.Dst[0], l.Dst[1] = d, truth(d != 0)|l.Src[4]
		}
	}
	return func(l *Lane) {
		d := lop3(l)
		l.Dst[0], l.Dst[1] = d, truth(d != 0)&l.Src[4]
	}
}
