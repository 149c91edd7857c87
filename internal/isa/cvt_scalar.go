package isa

import (
	"fmt"
	"strings"

	"silica/internal/fp"
)

const (
	integralRoundings = ".rni .rzi .rmi .rpi"
	allIntegers       = ".u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64"
	wordIntegers      = ".u16 .u32 .u64 .s16 .s32 .s64" // those bf16 converts from and to
)

// convertRow is a row of cvt. In its syntax .irnd, .frnd, .frnd2 and .frnd3 stand for roundings, .int, .from and
// .word for integer types, .real for f16 and f64, and the others for packed types.
func convertRow(syntax, types string, since Since, lane func(*Form) LaneFunc) Row {
	mods := Mods{"irnd": integralRoundings, "frnd": roundings, "frnd2": ".rn .rz", "frnd3": ".rz .rp",
		"int": allIntegers, "from": allIntegers, "word": wordIntegers, "real": ".f16 .f64", "half2": ".f16x2 .bf16x2",
		"f8x2": ".e4m3x2 .e5m2x2", "f6x2": ".e2m3x2 .e3m2x2", "f4x2": ".e2m1x2", "x4": ".e4m3x4 .e5m2x4 .e2m3x4 .e3m2x4 .e2m1x4"}
	return Row{Syntax: syntax, Mods: mods, Types: types, Since: since, Unit: XU, Class: ClassConversion, Op: OpLane, Lane: lane}
}

// scalarConversionRows holds cvt between single values.
func scalarConversionRows() []Row {
	// Registers may be wider than the types, but for bf16 and tf32.
	row := func(syntax, d, a string, since Since) Row {
		wider := ":wider"
		if strings.Contains(syntax, "bf16") || strings.Contains(syntax, "tf32") {
			wider = ""
		}
		return convertRow(syntax+" d, a", "d:"+d+wider+" a:"+a+wider, since, convertLane)
	}
	ampere := Since{PTX: 70, SM: 80, Mod: map[string]Since{".satfinite": {PTX: 81, SM: 80}}}
	hopper := Since{PTX: 78, SM: 90}
	half := Since{PTX: 10, SM: 10}
	integers := row("cvt{.sat}.int.from", "int", "from", first)
	integers.Unit, integers.Check = ALU, checkSaturation
	integers.Types += ":special"
	brain := ampere
	brain.Mod = map[string]Since{".satfinite": {PTX: 81, SM: 80}, ".rm": hopper, ".rp": hopper, ".rz": hopper, ".ftz": hopper}
	tf32 := hopper
	tf32.Mod = map[string]Since{".satfinite": {PTX: 86, SM: 100}}
	return []Row{
		integers,
		// float to integer
		row("cvt.irnd{.sat}.int.real", "int", "real", first),
		row("cvt.irnd{.ftz}{.sat}.int.f32", "int", "f32", first),
		row("cvt.irnd.word.bf16", "word", "bf16", hopper),
		// integer to float; .ftz changes nothing, but ptxas takes it
		row("cvt.frnd{.sat}.real.int", "real", "int", first),
		row("cvt.frnd{.ftz}{.sat}.f32.int", "f32", "int", first),
		row("cvt.frnd.bf16.word", "bf16", "word", hopper),
		// to the same type, rounding to an integral value
		row("cvt{.irnd}{.sat}.f16.f16", "f16", "f16", half),
		row("cvt{.irnd}.bf16.bf16", "bf16", "bf16", hopper),
		row("cvt{.irnd}{.ftz}{.sat}.f32.f32", "f32", "f32", first),
		row("cvt{.irnd}{.sat}.f64.f64", "f64", "f64", first),
		// to a wider type, exactly
		row("cvt{.ftz}{.sat}.f32.f16", "f32", "f16", half),
		row("cvt{.sat}.f64.f16", "f64", "f16", half),
		row("cvt{.ftz}{.sat}.f64.f32", "f64", "f32", first),
		row("cvt{.frnd}{.ftz}.f32.bf16", "f32", "bf16", Since{PTX: 71, SM: 80}.with(".ftz", hopper)),
		row("cvt{.frnd}.f64.bf16", "f64", "bf16", hopper),
		// between the halves, and to a narrower type
		row("cvt{.frnd}.bf16.f16", "bf16", "f16", hopper),
		row("cvt{.frnd}.f16.bf16", "f16", "bf16", hopper),
		row("cvt.frnd{.ftz}{.sat}.f16.f32", "f16", "f32", half),
		row("cvt.frnd2{.relu}{.satfinite}.f16.f32", "f16", "f32", ampere),
		row("cvt.frnd{.sat}.f16.f64", "f16", "f64", half),
		row("cvt.frnd{.ftz}.bf16.f32", "bf16", "f32", brain),
		row("cvt.frnd2{.relu}{.satfinite}.bf16.f32", "bf16", "f32", ampere),
		row("cvt.frnd.bf16.f64", "bf16", "f64", hopper),
		row("cvt.frnd{.ftz}{.sat}.f32.f64", "f32", "f64", first),
		row("cvt.rna{.satfinite}.tf32.f32", "b32", "f32", ampere),
		row("cvt.frnd2{.satfinite}{.relu}.tf32.f32", "b32", "f32", tf32),
	}
}

// checkSaturation refuses .sat where the destination holds every value of the source.
func checkSaturation(f *Form) string {
	to, from := f.Args[0].Type, f.Args[1].Type
	holds := to.Kind() == from.Kind() && to.Bits() >= from.Bits() || to.Kind() == Signed && to.Bits() > from.Bits()
	if f.Has(".sat") && holds {
		return fmt.Sprintf("modifier .sat does not apply: .%s holds every .%s", to, from)
	}
	return ""
}

// conversion returns the destination and source types that the modifiers of a cvt name.
func conversion(f *Form) (to, from Type) {
	n := len(f.Mods)
	return ParseType(f.Mods[n-2]), ParseType(f.Mods[n-1])
}

func convertLane(f *Form) LaneFunc {
	to, from := conversion(f)
	mode := modeOf(f)
	cut := ones(uint64(from.Bits()))
	toFloat, fromFloat := to.Kind() == Float, from.Kind() == Float
	switch {
	case !toFloat && !fromFloat && f.Has(".sat"):
		return saturateLane(to, from)
	case !toFloat && !fromFloat:
		source, result := extender(from), extender(to)
		return func(l *Lane) { l.Dst[0] = result(source(l.Src[0])) }
	case !toFloat:
		format, integer := floatFormat(from), integerFormat(to)
		return func(l *Lane) { l.Dst[0] = fp.FloatToInt(format, integer, l.Src[0]&cut, mode) }
	case !fromFloat:
		integer, format := integerFormat(from), floatFormat(to)
		return func(l *Lane) { l.Dst[0] = fp.IntToFloat(integer, format, l.Src[0]&cut, mode) }
	case f.Get("irnd") != "":
		format := floatFormat(to)
		return func(l *Lane) { l.Dst[0] = fp.RoundToIntegral(format, l.Src[0]&cut, mode) }
	}
	source, result := floatFormat(from), floatFormat(to)
	return func(l *Lane) { l.Dst[0] = fp.Convert(source, result, l.Src[0]&cut, mode) }
}

// saturateLane clamps an integer to the range of to.
func saturateLane(to, from Type) LaneFunc {
	source := extender(from)
	bits := uint64(to.Bits())
	low, high := uint64(0), ones(bits)
	if to.Kind() == Signed {
		low, high = -(uint64(1) << (bits - 1)), ones(bits-1)
	}
	if from.Kind() == Signed {
		limit := int64(min(high, 1<<63-1))
		return func(l *Lane) { l.Dst[0] = uint64(min(max(int64(source(l.Src[0])), int64(low)), limit)) }
	}
	return func(l *Lane) { l.Dst[0] = min(source(l.Src[0]), high) }
}

func integerFormat(t Type) fp.Int {
	switch t {
	case U8:
		return fp.U8
	case S8:
		return fp.S8
	case U16:
		return fp.U16
	case S16:
		return fp.S16
	case U32:
		return fp.U32
	case S32:
		return fp.S32
	case U64:
		return fp.U64
	}
	return fp.S64
}
