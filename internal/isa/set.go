package isa

import "silica/internal/fp"

// The comparison operators that each kind of type has.
const (
	bitComparisons      = ".eq .ne"
	signedComparisons   = ".eq .ne .lt .le .gt .ge"
	unsignedComparisons = signedComparisons + " .lo .ls .hi .hs"
	floatComparisons    = signedComparisons + " .equ .neu .ltu .leu .gtu .geu .num .nan"
)

// compared is a set of source types with the comparisons they have.
type compared struct {
	types, ops string
	ftz        bool
	since      Since
	unit       Unit
	class      Class
}

// comparedTypes returns the source types of set and setp, halves apart.
func comparedTypes() []compared {
	f64 := first
	f64.Mod = map[string]Since{".f64": {SM: 13}}
	return []compared{
		{bitTypes, bitComparisons, false, first, ALU, ClassInteger},
		{".u16 .u32 .u64", unsignedComparisons, false, first, ALU, ClassInteger},
		{".s16 .s32 .s64", signedComparisons, false, first, ALU, ClassInteger},
		{".f32", floatComparisons, true, first, ALU, ClassFP32},
		{".f64", floatComparisons, false, f64, FP64, ClassFP64},
	}
}

// compareRows holds set, which gives a value, and setp, which gives predicates.
func compareRows() []Row {
	half, brain := Since{PTX: 42, SM: 53}, Since{PTX: 78, SM: 90}
	halves := compared{".f16", floatComparisons, true, half, FP16, ClassFP16}
	halfPairs := compared{".f16x2", floatComparisons, true, half, FP16, ClassFP16}
	brains := compared{".bf16", floatComparisons, false, brain, FP16, ClassFP16}
	brainPairs := compared{".bf16x2", floatComparisons, false, brain, FP16, ClassFP16}
	var rows []Row
	for _, c := range comparedTypes() {
		rows = append(rows, setRows(c, ".u32 .s32 .f32", c.since)...)
		rows = append(rows, setRows(c, ".f16", half)...)
		rows = append(rows, setpRows(c, "p{|q}")...)
		c.ftz = false
		rows = append(rows, setRows(c, ".bf16", brain)...)
	}
	rows = append(rows, setRows(halves, ".u16 .s16 .u32 .s32", Since{PTX: 65, SM: 53})...)
	rows = append(rows, setRows(halves, ".f16", half)...)
	rows = append(rows, setRows(halfPairs, ".u32 .s32", Since{PTX: 65, SM: 53})...)
	rows = append(rows, setRows(halfPairs, ".f16x2", half)...)
	rows = append(rows, setRows(brains, ".u16 .s16 .u32 .s32 .bf16", brain)...)
	rows = append(rows, setRows(brainPairs, ".u32 .s32 .bf16x2", brain)...)
	rows = append(rows, setpRows(halves, "p")...)
	rows = append(rows, setpRows(halfPairs, "p|q")...)
	rows = append(rows, setpRows(brains, "p")...)
	rows = append(rows, setpRows(brainPairs, "p|q")...)
	halves.ftz = false
	rows = append(rows, setRows(halves, ".bf16", brain)...)
	return rows
}

// row is what all rows of a source type share; with a Boolean operator the result of
// the comparison is combined with a predicate c.
func (c compared) row(head, tail, args string, boolean bool) Row {
	r := Row{Syntax: head + ".CmpOp", Mods: Mods{"CmpOp": c.ops, "type": c.types}, Types: args, Since: c.since, Unit: c.unit, Class: c.class, Op: OpLane}
	if boolean {
		r.Syntax += ".BoolOp"
		r.Mods["BoolOp"] = ".and .or .xor"
	}
	if c.ftz {
		r.Syntax += "{.ftz}"
	}
	r.Syntax += tail
	if boolean {
		r.Syntax += ", {!}c"
	}
	return r
}

func setRows(c compared, dtypes string, since Since) []Row {
	var rows []Row
	for _, boolean := range []bool{false, true} {
		r := c.row("set", ".dtype.type d, a, b", "d:dtype c:pred", boolean)
		if dtypes == ".bf16" {
			r.Types = "d:u16 c:pred"
		}
		r.Mods["dtype"], r.Lane = dtypes, setLane
		r.Since.PTX, r.Since.SM = since.PTX, since.SM
		rows = append(rows, r)
	}
	return rows
}

func setpRows(c compared, destinations string) []Row {
	var rows []Row
	for _, boolean := range []bool{false, true} {
		r := c.row("setp", ".type "+destinations+", a, b", "p:pred q:pred c:pred", boolean)
		r.Lane = setpLane
		rows = append(rows, r)
	}
	return rows
}

// comparison returns the form's comparison of one element of its source type.
func comparison(f *Form) func(a, b uint64) bool {
	op, mode := f.Get("CmpOp"), modeOf(f)
	relation := relationOf(op)
	switch f.Get("type") {
	case ".f32":
		return func(a, b uint64) bool { return relation.Has(fp.Compare32(uint32(a), uint32(b), mode)) }
	case ".f64":
		return func(a, b uint64) bool { return relation.Has(fp.Compare64(a, b)) }
	case ".f16", ".f16x2":
		return func(a, b uint64) bool { return relation.Has(fp.Compare16(fp.F16, uint16(a), uint16(b), mode)) }
	case ".bf16", ".bf16x2":
		return func(a, b uint64) bool { return relation.Has(fp.Compare16(fp.BF16, uint16(a), uint16(b), mode)) }
	case ".s16":
		return compareInt[int16](op)
	case ".s32":
		return compareInt[int32](op)
	case ".s64":
		return compareInt[int64](op)
	}
	return compareInt[uint64](op)
}

func relationOf(op string) fp.Relation {
	switch op {
	case ".eq":
		return fp.EQ
	case ".ne":
		return fp.NE
	case ".lt":
		return fp.LT
	case ".le":
		return fp.LE
	case ".gt":
		return fp.GT
	case ".ge":
		return fp.GE
	case ".equ":
		return fp.EQU
	case ".neu":
		return fp.NEU
	case ".ltu":
		return fp.LTU
	case ".leu":
		return fp.LEU
	case ".gtu":
		return fp.GTU
	case ".geu":
		return fp.GEU
	case ".num":
		return fp.NUM
	}
	return fp.NAN
}

func compareInt[T integer](op string) func(a, b uint64) bool {
	switch op {
	case ".eq":
		return func(a, b uint64) bool { return T(a) == T(b) }
	case ".ne":
		return func(a, b uint64) bool { return T(a) != T(b) }
	case ".lt", ".lo":
		return func(a, b uint64) bool { return T(a) < T(b) }
	case ".le", ".ls":
		return func(a, b uint64) bool { return T(a) <= T(b) }
	case ".gt", ".hi":
		return func(a, b uint64) bool { return T(a) > T(b) }
	}
	return func(a, b uint64) bool { return T(a) >= T(b) }
}

// combination returns how the form combines the result t of a comparison with the predicate c.
func combination(f *Form) func(t, c uint64) uint64 {
	switch f.Get("BoolOp") {
	case ".and":
		return func(t, c uint64) uint64 { return t & c }
	case ".or":
		return func(t, c uint64) uint64 { return t | c }
	case ".xor":
		return func(t, c uint64) uint64 { return t ^ c }
	}
	return func(t, _ uint64) uint64 { return t }
}

func isPacked(f *Form) bool { return ParseType(f.Get("type")).Pack() == 2 }

// setpLane gives the result of the comparison and its complement, or of packed sources the results of
// the low and the high halves.
func setpLane(f *Form) LaneFunc {
	compare, combine := comparison(f), combination(f)
	switch {
	case isPacked(f):
		return func(l *Lane) {
			a, b, c := l.Src[0], l.Src[1], l.Src[2]
			l.Dst[0], l.Dst[1] = combine(truth(compare(a, b)), c), combine(truth(compare(a>>16, b>>16)), c)
		}
	case f.Get("BoolOp") == "":
		return func(l *Lane) {
			t := truth(compare(l.Src[0], l.Src[1]))
			l.Dst[0], l.Dst[1] = t, t^1
		}
	}
	return func(l *Lane) {
		t, c := truth(compare(l.Src[0], l.Src[1])), l.Src[2]
		l.Dst[0], l.Dst[1] = combine(t, c), combine(t^1, c)
	}
}

// setLane gives all ones for true in an integer and 1.0 in a float, for each half of packed sources.
func setLane(f *Form) LaneFunc {
	compare, combine := comparison(f), combination(f)
	dtype := ParseType(f.Get("dtype"))
	yes := uint64(1<<64 - 1)
	switch dtype {
	case F16, F16x2:
		yes = 0x3c00
	case BF16, BF16x2:
		yes = 0x3f80
	case F32:
		yes = 0x3f800000
	}
	if isPacked(f) {
		yes &= 0xffff
		return func(l *Lane) {
			a, b, c := l.Src[0], l.Src[1], l.Src[2]
			low, high := combine(truth(compare(a, b)), c), combine(truth(compare(a>>16, b>>16)), c)
			l.Dst[0] = high*yes<<16 | low*yes
		}
	}
	extend := extender(dtype)
	return func(l *Lane) { l.Dst[0] = extend(combine(truth(compare(l.Src[0], l.Src[1])), l.Src[2]) * yes) }
}
