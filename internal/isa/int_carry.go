package isa

import "math/bits"

// integerCarryRows holds extended-precision arithmetic through the condition code CC.CF. A
// subtraction is an addition of the complement, so it sets the carry when it does not borrow.
func integerCarryRows() []Row {
	wide := map[string]Since{".u64": {PTX: 43}, ".s64": {PTX: 43}}
	row := func(syntax string, since Since, unit Unit, reads bool, lane func(*Form) LaneFunc) Row {
		r := Row{Syntax: syntax, Mods: Mods{"type": ".u32 .s32 .u64 .s64"}, Since: since, Unit: unit, Class: ClassInteger, Op: OpLane, Lane: lane,
			WritesCarry: func(f *Form) bool { return f.Has(".cc") }}
		if reads {
			r.ReadsCarry = func(*Form) bool { return true }
		}
		return r
	}
	mad := func(syntax string, reads bool, lane func(*Form) LaneFunc) Row {
		r := row(syntax, Since{PTX: 30, SM: 20, Mod: wide}, FMA, reads, lane)
		r.Mods["mode"] = ".lo .hi"
		return r
	}
	add := Since{PTX: 12, SM: 10, Mod: wide}
	return []Row{
		row("add.cc.type d, a, b", add, ALU, false, addCarryLane),
		row("addc{.cc}.type d, a, b", add, ALU, true, addCarryLane),
		row("sub.cc.type d, a, b", add, ALU, false, subCarryLane),
		row("subc{.cc}.type d, a, b", add, ALU, true, subCarryLane),
		mad("mad.mode.cc.type d, a, b, c", false, madCarryLane),
		mad("madc.mode{.cc}.type d, a, b, c", true, madCarryLane),
	}
}

// adder adds two values and a carry of 0 or 1 and returns the sum and the carry out.
type adder func(a, b, carry uint64) (sum, out uint64)

// adderOf returns the adder of the form's width, and a mask of that width.
func adderOf(f *Form) (add adder, mask uint64) {
	if ParseType(f.Get("type")).Bits() == 64 {
		return bits.Add64, 1<<64 - 1
	}
	return func(a, b, carry uint64) (sum, out uint64) {
		s := a + b + carry
		return s & (1<<32 - 1), s >> 32
	}, 1<<32 - 1
}

func addCarryLane(f *Form) LaneFunc {
	add, _ := adderOf(f)
	if f.Row.ReadsCarry == nil {
		return func(l *Lane) { l.Dst[0], l.Dst[1] = add(l.Src[0], l.Src[1], 0) }
	}
	return func(l *Lane) { l.Dst[0], l.Dst[1] = add(l.Src[0], l.Src[1], l.Src[2]) }
}

func subCarryLane(f *Form) LaneFunc {
	add, mask := adderOf(f)
	if f.Row.ReadsCarry == nil {
		return func(l *Lane) { l.Dst[0], l.Dst[1] = add(l.Src[0], ^l.Src[1]&mask, 1) }
	}
	return func(l *Lane) { l.Dst[0], l.Dst[1] = add(l.Src[0], ^l.Src[1]&mask, l.Src[2]) }
}

func madCarryLane(f *Form) LaneFunc {
	add, mask := adderOf(f)
	product := func(a, b uint64) uint64 { return a * b }
	if f.Get("mode") == ".hi" {
		product = mulHi(f)
	}
	if f.Row.ReadsCarry == nil {
		return func(l *Lane) { l.Dst[0], l.Dst[1] = add(product(l.Src[0], l.Src[1])&mask, l.Src[2], 0) }
	}
	return func(l *Lane) { l.Dst[0], l.Dst[1] = add(product(l.Src[0], l.Src[1])&mask, l.Src[2], l.Src[3]) }
}
