package isa

import "silica/internal/fp"

// selectRows holds selection by a predicate or a sign.
func selectRows() []Row {
	const types = ".b16 .b32 .b64 " + integerTypes + " .f32 .f64"
	row := func(syntax, args string, lane func(*Form) LaneFunc) Row {
		return Row{Syntax: syntax, Mods: Mods{"type": types}, Types: args, Since: first, Unit: ALU, Class: ClassMisc, Op: OpLane, Lane: lane}
	}
	return []Row{
		row("selp.type d, a, b, {!}c", "c:pred", always(func(l *Lane) { l.Dst[0] = pick(l.Src[2] != 0, l.Src[0], l.Src[1]) })),
		row("slct.type.s32 d, a, b, c", "c:s32", always(func(l *Lane) { l.Dst[0] = pick(int32(l.Src[2]) >= 0, l.Src[0], l.Src[1]) })),
		row("slct{.ftz}.type.f32 d, a, b, c", "c:f32", slctFloatLane),
	}
}

func pick(first bool, a, b uint64) uint64 {
	if first {
		return a
	}
	return b
}

// slctFloatLane takes a when c is not below zero; a NaN takes b.
func slctFloatLane(f *Form) LaneFunc {
	mode := modeOf(f)
	return func(l *Lane) { l.Dst[0] = pick(fp.GE.Has(fp.Compare32(uint32(l.Src[2]), 0, mode)), l.Src[0], l.Src[1]) }
}
