package isa

import "silica/internal/fp"

const roundings = ".rn .rz .rm .rp"

// f32Row and f64Row are rows of one floating-point type; .rnd stands for the four roundings.
func f32Row(syntax string, since Since, unit Unit, lane func(*Form) LaneFunc) Row {
	return floatRow(syntax, since, unit, ClassFP32, lane)
}

func f64Row(syntax string, lane func(*Form) LaneFunc) Row {
	return floatRow(syntax, Since{PTX: 10, SM: 13}, FP64, ClassFP64, lane)
}

func floatRow(syntax string, since Since, unit Unit, class Class, lane func(*Form) LaneFunc) Row {
	return Row{Syntax: syntax, Mods: Mods{"rnd": roundings}, Since: since, Unit: unit, Class: class, Op: OpLane, Lane: lane}
}

// before returns the row with the first PTX version and target that no longer have it.
func (r Row) before(ptx, sm int) Row {
	r.Until = Since{PTX: ptx, SM: sm}
	return r
}

// withTypes returns the row with the types of its operands.
func (r Row) withTypes(types string) Row {
	r.Types = types
	return r
}

// f32x2Since is when arithmetic on pairs of f32, and of f32 with halves, came.
var f32x2Since = Since{PTX: 86, SM: 100}

// directed adds to a Since that the roundings toward infinity of f32 need a Fermi.
func directed(s Since) Since {
	s.Mod = map[string]Since{".rm": {SM: 20}, ".rp": {SM: 20}}
	return s
}

// floatArithmeticRows holds addition, multiplication, sign, extremes and classification of f32 and f64.
func floatArithmeticRows() []Row {
	fermi := Since{PTX: 20, SM: 20}
	extremes := Since{PTX: 10, SM: 10, Mod: map[string]Since{".NaN": {PTX: 70, SM: 80}, ".xorsign": {PTX: 72, SM: 86}}}
	three := Since{PTX: 88, SM: 100}
	testp := Row{Syntax: "testp.op.type p, a", Types: "p:pred", Since: fermi, Unit: ALU, Class: ClassFP32, Op: OpLane, Lane: testpLane,
		Mods: Mods{"op": ".finite .infinite .number .notanumber .normal .subnormal", "type": ".f32 .f64"}}
	return []Row{
		testp,
		f32Row("copysign.f32 d, a, b", fermi, ALU, always(func(l *Lane) { l.Dst[0] = uint64(fp.CopySign32(uint32(l.Src[0]), uint32(l.Src[1]))) })),
		f64Row("copysign.f64 d, a, b", plain64(fp.CopySign64)),

		f32Row("add{.rnd}{.ftz}{.sat}.f32 d, a, b", directed(first), FMA, binary32(fp.Add32)),
		f64Row("add{.rnd}.f64 d, a, b", binary64(fp.Add64)),
		f32Row("add{.rnd}{.ftz}.f32x2 d, a, b", f32x2Since, FMA, packed32(binary32(fp.Add32))),
		mixedRow("add{.rnd}{.sat}.f32.atype d, a, c", "a:atype", mixed2(fp.Add32)),
		f32Row("sub{.rnd}{.ftz}{.sat}.f32 d, a, b", directed(first), FMA, binary32(fp.Sub32)),
		f64Row("sub{.rnd}.f64 d, a, b", binary64(fp.Sub64)),
		f32Row("sub{.rnd}{.ftz}.f32x2 d, a, b", f32x2Since, FMA, packed32(binary32(fp.Sub32))),
		mixedRow("sub{.rnd}{.sat}.f32.atype d, a, c", "a:atype", mixed2(fp.Sub32)),
		f32Row("mul{.rnd}{.ftz}{.sat}.f32 d, a, b", directed(first), FMA, binary32(fp.Mul32)),
		f64Row("mul{.rnd}.f64 d, a, b", binary64(fp.Mul64)),
		f32Row("mul{.rnd}{.ftz}.f32x2 d, a, b", f32x2Since, FMA, packed32(binary32(fp.Mul32))),
		f32Row("fma.rnd{.ftz}{.sat}.f32 d, a, b, c", fermi, FMA, ternary32(fp.Fma32)),
		f64Row("fma.rnd.f64 d, a, b, c", ternary64(fp.Fma64)),
		f32Row("fma.rnd{.ftz}.f32x2 d, a, b, c", f32x2Since, FMA, packed32(ternary32(fp.Fma32))),
		mixedRow("fma.rnd{.sat}.f32.atype d, a, b, c", "a:atype b:atype", mixed3(fp.Fma32)),
		f32Row("mad.rnd{.ftz}{.sat}.f32 d, a, b, c", fermi, FMA, ternary32(fp.Fma32)),
		f32Row("mad{.ftz}{.sat}.f32 d, a, b, c", first, FMA, ternary32(fp.Fma32)).before(10, 20),
		f64Row("mad.rnd.f64 d, a, b, c", ternary64(fp.Fma64)),

		f32Row("abs{.ftz}.f32 d, a", first, ALU, unary32(fp.Abs32)),
		f64Row("abs.f64 d, a", unary64(anyMode(fp.Abs64))),
		f32Row("neg{.ftz}.f32 d, a", first, ALU, unary32(fp.Neg32)),
		f64Row("neg.f64 d, a", unary64(anyMode(fp.Neg64))),
		f32Row("min{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b", extremes, ALU, binary32(fp.Min32)),
		f32Row("min{.ftz}{.NaN}{.abs}.f32 d, a, b, c", three, ALU, extreme3(fp.Min32)),
		f64Row("min.f64 d, a, b", plain64(fp.Min64)),
		f32Row("max{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b", extremes, ALU, binary32(fp.Max32)),
		f32Row("max{.ftz}{.NaN}{.abs}.f32 d, a, b, c", three, ALU, extreme3(fp.Max32)),
		f64Row("max.f64 d, a, b", plain64(fp.Max64)),
	}
}

// mixedRow is a row of f32 arithmetic in which some operands are f16 or bf16.
func mixedRow(syntax, types string, lane func(*Form) LaneFunc) Row {
	r := f32Row(syntax, f32x2Since, FMA, lane).withTypes(types + " d:f32 c:f32")
	r.Mods["atype"] = ".f16 .bf16"
	return r
}

// mixed2 widens the first operand, mixed3 the first two, which is exact.
func mixed2(fn func(a, b uint32, m fp.Mode) uint32) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		format, mode := floatFormat(f.Args[1].Type), modeOf(f)
		return func(l *Lane) {
			l.Dst[0] = uint64(fn(uint32(fp.Convert(format, fp.F32, l.Src[0], 0)), uint32(l.Src[1]), mode))
		}
	}
}

func mixed3(fn func(a, b, c uint32, m fp.Mode) uint32) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		format, mode := floatFormat(f.Args[1].Type), modeOf(f)
		return func(l *Lane) {
			a, b := fp.Convert(format, fp.F32, l.Src[0], 0), fp.Convert(format, fp.F32, l.Src[1], 0)
			l.Dst[0] = uint64(fn(uint32(a), uint32(b), uint32(l.Src[2]), mode))
		}
	}
}

// extreme3 is the minimum or maximum of three values, with .abs of their magnitudes.
func extreme3(fn func(a, b uint32, m fp.Mode) uint32) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		mode := modeOf(f)
		keep := uint64(1<<32 - 1)
		if f.Has(".abs") {
			keep = 1<<31 - 1
		}
		return func(l *Lane) {
			a, b, c := uint32(l.Src[0]&keep), uint32(l.Src[1]&keep), uint32(l.Src[2]&keep)
			l.Dst[0] = uint64(fn(fn(a, b, mode), c, mode))
		}
	}
}

func testpLane(f *Form) LaneFunc {
	format := floatFormat(f.Args[1].Type)
	var class fp.Class
	switch f.Get("op") {
	case ".finite":
		class = fp.Finite
	case ".infinite":
		class = fp.Infinite
	case ".number":
		class = fp.Number
	case ".notanumber":
		class = fp.NotANumber
	case ".normal":
		class = fp.Normal
	case ".subnormal":
		class = fp.Subnormal
	}
	return func(l *Lane) { l.Dst[0] = truth(class.Has(format.Classify(l.Src[0]))) }
}
