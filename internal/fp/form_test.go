package fp

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// form is an instruction form taken apart: enough of PTX to evaluate the recorded cases.
type form struct {
	operation string
	mode      Mode
	integral  bool     // the rounding is to an integral value
	words     []string // modifiers that are neither a mode nor a type
	types     []string
}

var modes = map[string]Mode{
	"rn": RN, "rz": RZ, "rm": RM, "rp": RP, "rna": RNA, "rni": RN, "rzi": RZ, "rmi": RM, "rpi": RP,
	"ftz": Ftz, "sat": Sat, "satfinite": SatFinite, "relu": Relu, "oob": OOB, "NaN": PropagateNaN,
}

var operators = map[string]Relation{
	"eq": EQ, "ne": NE, "lt": LT, "le": LE, "gt": GT, "ge": GE, "equ": EQU, "neu": NEU, "ltu": LTU, "leu": LEU,
	"gtu": GTU, "geu": GEU, "num": NUM, "nan": NAN,
}

var properties = map[string]Class{
	"finite": Finite, "infinite": Infinite, "number": Number, "notanumber": NotANumber, "normal": Normal,
	"subnormal": Subnormal,
}

var ints = map[string]Int{"u8": U8, "s8": S8, "u16": U16, "s16": S16, "u32": U32, "s32": S32, "u64": U64, "s64": S64}

func parseForm(text string) form {
	words := strings.Split(text, ".")
	f := form{operation: words[0]}
	for _, word := range words[1:] {
		if mode, found := modes[word]; found {
			f.mode |= mode
			f.integral = f.integral || len(word) == 3 && strings.HasSuffix(word, "i")
		} else if word == "xorsign" {
			f.mode |= XorSignAbs
		} else if last := word[len(word)-1]; '0' <= last && last <= '9' {
			f.types = append(f.types, word)
		} else {
			f.words = append(f.words, word)
		}
	}
	return f
}

// source is the type of the first source operand.
func (f form) source() string {
	if f.operation == "cvt" && len(f.types) == 3 {
		return f.types[1]
	}
	return f.types[len(f.types)-1]
}

// comparesIntegers reports whether the form is a set of integers or bit patterns.
func (f form) comparesIntegers() bool {
	return f.operation == "set" && formatOf(strings.TrimSuffix(f.source(), "x2")) == formatCount
}

func (f form) has(word string) bool {
	for _, w := range f.words {
		if w == word {
			return true
		}
	}
	return false
}

// evaluate returns the results of the form for one set of arguments.
func (f form) evaluate(args []uint64) ([]uint64, error) {
	source := f.source()
	element, packed := strings.CutSuffix(source, "x2")
	switch f.operation {
	case "set", "setp":
		return f.compare(element, packed, args)
	case "testp":
		return []uint64{truth(properties[f.words[0]].Has(formatOf(source).Classify(args[0])))}, nil
	case "cvt":
		r, err := f.convert(args)
		return []uint64{r}, err
	}
	args32 := make([]uint32, len(args))
	args16 := make([]uint16, len(args))
	for i, a := range args {
		args32[i], args16[i] = uint32(a), uint16(a)
	}
	name := f.operation
	if f.has("approx") || f.has("full") {
		name += "." + f.words[0]
	}
	m := f.mode
	key := fmt.Sprint(name, " ", len(args), " ", source)
	switch {
	case source == "f32":
		if op, found := operations32[key]; found {
			return []uint64{uint64(op(args32, m))}, nil
		}
	case source == "f64":
		if op, found := operations64[key]; found {
			return []uint64{op(args, m)}, nil
		}
	case packed:
		if op, found := operations16x2[fmt.Sprint(name, " ", len(args))]; found {
			return []uint64{uint64(op(formatOf(element), args32, m))}, nil
		}
	default:
		if op, found := operations16[fmt.Sprint(name, " ", len(args))]; found {
			return []uint64{uint64(op(formatOf(element), args16, m))}, nil
		}
	}
	return nil, fmt.Errorf("no operation %q", key)
}

type (
	operation32   = func(x []uint32, m Mode) uint32
	operation64   = func(x []uint64, m Mode) uint64
	operation16   = func(f Format, x []uint16, m Mode) uint16
	operation16x2 = func(f Format, x []uint32, m Mode) uint32
)

var operations32 = map[string]operation32{
	"add 2 f32":          func(x []uint32, m Mode) uint32 { return Add32(x[0], x[1], m) },
	"sub 2 f32":          func(x []uint32, m Mode) uint32 { return Sub32(x[0], x[1], m) },
	"mul 2 f32":          func(x []uint32, m Mode) uint32 { return Mul32(x[0], x[1], m) },
	"fma 3 f32":          func(x []uint32, m Mode) uint32 { return Fma32(x[0], x[1], x[2], m) },
	"mad 3 f32":          func(x []uint32, m Mode) uint32 { return Fma32(x[0], x[1], x[2], m) },
	"div 2 f32":          func(x []uint32, m Mode) uint32 { return Div32(x[0], x[1], m) },
	"rcp 1 f32":          func(x []uint32, m Mode) uint32 { return Rcp32(x[0], m) },
	"sqrt 1 f32":         func(x []uint32, m Mode) uint32 { return Sqrt32(x[0], m) },
	"min 2 f32":          func(x []uint32, m Mode) uint32 { return Min32(x[0], x[1], m) },
	"max 2 f32":          func(x []uint32, m Mode) uint32 { return Max32(x[0], x[1], m) },
	"abs 1 f32":          func(x []uint32, m Mode) uint32 { return Abs32(x[0], m) },
	"neg 1 f32":          func(x []uint32, m Mode) uint32 { return Neg32(x[0], m) },
	"copysign 2 f32":     func(x []uint32, m Mode) uint32 { return CopySign32(x[0], x[1]) },
	"div.approx 2 f32":   func(x []uint32, m Mode) uint32 { return DivApprox32(x[0], x[1], m) },
	"div.full 2 f32":     func(x []uint32, m Mode) uint32 { return DivFull32(x[0], x[1], m) },
	"rcp.approx 1 f32":   func(x []uint32, m Mode) uint32 { return RcpApprox32(x[0], m) },
	"sqrt.approx 1 f32":  func(x []uint32, m Mode) uint32 { return SqrtApprox32(x[0], m) },
	"rsqrt.approx 1 f32": func(x []uint32, m Mode) uint32 { return RsqrtApprox32(x[0], m) },
	"ex2.approx 1 f32":   func(x []uint32, m Mode) uint32 { return Ex2Approx32(x[0], m) },
	"lg2.approx 1 f32":   func(x []uint32, m Mode) uint32 { return Lg2Approx32(x[0], m) },
	"sin.approx 1 f32":   func(x []uint32, m Mode) uint32 { return SinApprox32(x[0]) },
	"cos.approx 1 f32":   func(x []uint32, m Mode) uint32 { return CosApprox32(x[0]) },
	"tanh.approx 1 f32":  func(x []uint32, m Mode) uint32 { return TanhApprox32(x[0]) },
}

var operations64 = map[string]operation64{
	"add 2 f64":          func(x []uint64, m Mode) uint64 { return Add64(x[0], x[1], m) },
	"sub 2 f64":          func(x []uint64, m Mode) uint64 { return Sub64(x[0], x[1], m) },
	"mul 2 f64":          func(x []uint64, m Mode) uint64 { return Mul64(x[0], x[1], m) },
	"fma 3 f64":          func(x []uint64, m Mode) uint64 { return Fma64(x[0], x[1], x[2], m) },
	"mad 3 f64":          func(x []uint64, m Mode) uint64 { return Fma64(x[0], x[1], x[2], m) },
	"div 2 f64":          func(x []uint64, m Mode) uint64 { return Div64(x[0], x[1], m) },
	"rcp 1 f64":          func(x []uint64, m Mode) uint64 { return Rcp64(x[0], m) },
	"sqrt 1 f64":         func(x []uint64, m Mode) uint64 { return Sqrt64(x[0], m) },
	"min 2 f64":          func(x []uint64, m Mode) uint64 { return Min64(x[0], x[1]) },
	"max 2 f64":          func(x []uint64, m Mode) uint64 { return Max64(x[0], x[1]) },
	"abs 1 f64":          func(x []uint64, m Mode) uint64 { return Abs64(x[0]) },
	"neg 1 f64":          func(x []uint64, m Mode) uint64 { return Neg64(x[0]) },
	"copysign 2 f64":     func(x []uint64, m Mode) uint64 { return CopySign64(x[0], x[1]) },
	"rcp.approx 1 f64":   func(x []uint64, m Mode) uint64 { return RcpApprox64(x[0]) },
	"rsqrt.approx 1 f64": func(x []uint64, m Mode) uint64 { return RsqrtApprox64(x[0], m) },
}

var operations16 = map[string]operation16{
	"add 2":         func(f Format, x []uint16, m Mode) uint16 { return Add16(f, x[0], x[1], m) },
	"sub 2":         func(f Format, x []uint16, m Mode) uint16 { return Sub16(f, x[0], x[1], m) },
	"mul 2":         func(f Format, x []uint16, m Mode) uint16 { return Mul16(f, x[0], x[1], m) },
	"fma 3":         func(f Format, x []uint16, m Mode) uint16 { return Fma16(f, x[0], x[1], x[2], m) },
	"min 2":         func(f Format, x []uint16, m Mode) uint16 { return Min16(f, x[0], x[1], m) },
	"max 2":         func(f Format, x []uint16, m Mode) uint16 { return Max16(f, x[0], x[1], m) },
	"abs 1":         func(f Format, x []uint16, m Mode) uint16 { return Abs16(f, x[0], m) },
	"neg 1":         func(f Format, x []uint16, m Mode) uint16 { return Neg16(f, x[0], m) },
	"ex2.approx 1":  func(f Format, x []uint16, m Mode) uint16 { return Ex2Approx16(f, x[0]) },
	"tanh.approx 1": func(f Format, x []uint16, m Mode) uint16 { return TanhApprox16(f, x[0]) },
}

var operations16x2 = map[string]operation16x2{
	"add 2":         func(f Format, x []uint32, m Mode) uint32 { return Add16x2(f, x[0], x[1], m) },
	"sub 2":         func(f Format, x []uint32, m Mode) uint32 { return Sub16x2(f, x[0], x[1], m) },
	"mul 2":         func(f Format, x []uint32, m Mode) uint32 { return Mul16x2(f, x[0], x[1], m) },
	"fma 3":         func(f Format, x []uint32, m Mode) uint32 { return Fma16x2(f, x[0], x[1], x[2], m) },
	"min 2":         func(f Format, x []uint32, m Mode) uint32 { return Min16x2(f, x[0], x[1], m) },
	"max 2":         func(f Format, x []uint32, m Mode) uint32 { return Max16x2(f, x[0], x[1], m) },
	"abs 1":         func(f Format, x []uint32, m Mode) uint32 { return Abs16x2(f, x[0], m) },
	"neg 1":         func(f Format, x []uint32, m Mode) uint32 { return Neg16x2(f, x[0], m) },
	"ex2.approx 1":  func(f Format, x []uint32, m Mode) uint32 { return Ex2Approx16x2(f, x[0]) },
	"tanh.approx 1": func(f Format, x []uint32, m Mode) uint32 { return TanhApprox16x2(f, x[0]) },
}

// convert evaluates a form of cvt.
func (f form) convert(args []uint64) (uint64, error) {
	destination, source := f.types[0], f.source()
	to, toInt := formatOf(destination), false
	from, fromInt := formatOf(source), false
	_, toInt = ints[destination]
	_, fromInt = ints[source]
	switch {
	case f.has("pack"):
		width, err := strconv.Atoi(destination[1:])
		c := uint32(0)
		if len(args) == 3 {
			c = uint32(args[2])
		}
		return uint64(PackInts(int32(args[0]), int32(args[1]), c, width, destination[0] == 's')), err
	case toInt:
		return FloatToInt(from, ints[destination], args[0], f.mode), nil
	case fromInt:
		return IntToFloat(ints[source], to, args[0], f.mode), nil
	case strings.HasSuffix(source, "x2"):
		from, to = formatOf(strings.TrimSuffix(source, "x2")), formatOf(strings.TrimSuffix(destination, "x2"))
		return uint64(ConvertX2(from, to, uint32(args[0]), f.mode)), nil
	case strings.HasSuffix(destination, "x2"):
		return uint64(ConvertPair(from, formatOf(strings.TrimSuffix(destination, "x2")), args[0], args[1], f.mode)), nil
	case f.integral:
		return RoundToIntegral(from, args[0], f.mode), nil
	default:
		return Convert(from, to, args[0], f.mode), nil
	}
}

// compare evaluates a form of set or setp. For setp the results are both predicates.
func (f form) compare(element string, packed bool, args []uint64) ([]uint64, error) {
	operator, known := operators[f.words[0]]
	if !known {
		return nil, fmt.Errorf("no comparison %q", f.words[0])
	}
	relate := func(a, b uint64) bool {
		switch element {
		case "f32":
			return operator.Has(Compare32(uint32(a), uint32(b), f.mode))
		case "f64":
			return operator.Has(Compare64(a, b))
		default:
			return operator.Has(Compare16(formatOf(element), uint16(a), uint16(b), f.mode))
		}
	}
	combine := func(p bool) bool {
		if len(args) < 3 {
			return p
		}
		q := args[2] != 0
		switch f.words[1] {
		case "and":
			return p && q
		case "or":
			return p || q
		default:
			return p != q
		}
	}
	p := relate(args[0], args[1])
	lower, upper := combine(p), combine(!p)
	if packed {
		upper = combine(relate(args[0]>>16, args[1]>>16))
	}
	if f.operation == "setp" {
		return []uint64{truth(lower), truth(upper)}, nil
	}
	yes, half := uint64(math.MaxUint64), uint64(0xFFFF)
	if to := formatOf(strings.TrimSuffix(f.types[0], "x2")); to != formatCount {
		yes = IntToFloat(U8, to, 1, RN)
		half = yes
	}
	if packed {
		return []uint64{truth(lower)*half | truth(upper)*half<<16}, nil
	}
	return []uint64{truth(lower) * yes}, nil
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
