package sass

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"silica/internal/isa"
)

// sources is how many sources nvdisasm writes for an opcode, with RZ for those that it does not need. Recorded sequences know less of theirs.
var sources = map[string]int{
	"FADD": 2, "FMUL": 2, "FFMA": 3, "DADD": 2, "DMUL": 2, "DFMA": 3, "IADD3": 3, "UIADD3": 3, "VIADD": 2, "IMAD": 3, "UIMAD": 3, "SHF": 3, "USHF": 3, "LOP3": 3, "ULOP3": 3,
	"PRMT": 3, "MUFU": 1, "F2I": 1, "I2F": 1, "F2F": 1, "I2FP": 1, "FRND": 1, "POPC": 1, "FLO": 1, "BREV": 1, "IABS": 1, "MOV": 1, "UMOV": 1, "SHFL": 3, "FCHK": 2,
}

// String is the instruction as nvdisasm writes it.
func (in *Inst) String() string { return in.text(0) }

// text is the instruction, with labels that count from first.
func (in *Inst) text(first int) string {
	dst, src := in.named()
	list, from := in.texts(dst), in.texts(src)
	carry := "P" + number32(in.Carry)
	hands, takes := in.withCarry()
	if n, ok := sources[in.Op.Name]; ok && !(strings.HasPrefix(in.Mods, ".MOV") && len(from) == 3) {
		if in.Op.Name == "SHFL" { // the last of PTX is the mask
			from = from[:min(n, len(from))]
		}
		from = from[max(0, len(from)-n):]
		for len(from) < n {
			from = append(from, "RZ")
		}
	}
	guard := ""
	if in.Guard.Kind != NoOperand {
		guard = "@" + in.Guard.String() + " "
	}
	switch name := in.Op.Name; {
	case setsPredicate(name):
		list, from = predicates2(list), comparison(in, from)
		if name == "FCHK" {
			list = list[:1]
		}
	case name == "LOP3", name == "ULOP3":
		from = append(from, fmt.Sprintf("%#x", in.table()), "!PT")
		if len(list) == 1 && strings.HasPrefix(list[0], "P") {
			list = append(list, "RZ")
		} else if len(list) == 2 {
			list[0], list[1] = list[1], list[0]
		}
	case name == "PLOP3":
		from = slices.DeleteFunc(from, func(o string) bool { return !strings.Contains(o, "P") }) // of a recorded sequence
		for len(from) < 3 {
			from = append(from, "PT")
		}
		list, from = predicates2(list), append(from, "0x80", "0x0")
	case name == "FMNMX", name == "IMNMX", name == "VIMNMX", name == "VIADDMNMX":
		from = append(from, map[bool]string{false: "PT", true: "!PT"}[in.Largest])
	case name == "LEA" && in.Mods == ".HI.X" && len(from) == 3:
		low, high := in.Src[0], "RZ"
		if low.Words == 2 {
			low.Part, high = 0, from[0]
		}
		from = []string{low.text(in), from[1], high, from[2], carry}
	case name == "LEA" && takes && len(from) == 2:
		from = append(from, "0x1", carry)
	case name == "LEA" && hands:
		list = append(list, carry)
	case name == "LEA" && len(from) == 2: // of a recorded sequence
		from = append(from, "0x1")
	case name == "SHF" && (in.Mods == ".L.U64.HI" || in.Mods == ".R.U64") && in.Src[0].Words == 2:
		low, high := in.Src[0], in.Src[0]
		low.Part, high.Part = 0, 1
		from[0], from[2] = low.text(in), high.text(in)
	case name == "IADD3" && takes:
		for i := range from { // what is taken away is complemented: the carry adds the one
			from[i] = strings.Replace(from[i], "-", "~", 1)
		}
		from = append(from, carry, "!PT")
	case name == "IADD3" && hands:
		list = append(list, carry)
	case name == "CS2R" && (len(from) == 0 || from[0] == "RZ" || from[0] == "0x0"):
		from = []string{"SRZ"}
	case name == "DEPBAR":
		from = append([]string{"SB0"}, from...)
	case name == "SHF" && strings.HasPrefix(in.Mods, ".R.") && strings.HasSuffix(in.Mods, ".HI") && len(from) == 3 && from[2] == "RZ":
		from[0], from[2] = from[2], from[0]
	case (name == "SEL" || name == "FSEL") && !strings.Contains(from[len(from)-1], "P"): // of a recorded sequence
		from = []string{from[0], from[min(1, len(from)-1)], "P0"}
	case name == "SHFL":
		list = append([]string{"PT"}, list...)
	case name == "BSSY":
		list = append(list, fmt.Sprintf("B%d", in.Barrier))
	case name == "BSYNC":
		from = append(from, fmt.Sprintf("B%d", in.Barrier))
	case name == "BRA" && in.Target < 0: // of a recorded sequence: around its way out of the ordinary
		guard, list, from = "@!P0 ", nil, []string{"`(slow path)"}
	case name == "BAR" && len(from) > 0 && from[0] == "RZ":
		from[0] = "0x0"
	}
	list = append(list, from...)
	if in.Op.Pipe == isa.Uniform {
		for i := range list {
			if list[i] == "RZ" {
				list[i] = "URZ"
			}
		}
	}
	switch {
	case in.Callee != "":
		list = append(list, "`("+in.Callee+")")
	case in.Target >= 0:
		list = append(list, fmt.Sprintf("`(.L_x_%d)", first+in.Target))
	}
	text := guard + in.Name()
	if len(list) > 0 {
		text += " " + strings.Join(list, ", ")
	}
	return text
}

func (in *Inst) texts(operands []Operand) []string {
	var out []string
	for _, o := range operands {
		out = append(out, o.text(in))
	}
	return out
}

// setsPredicate tells whether an opcode compares.
func setsPredicate(name string) bool {
	return strings.HasSuffix(name, "SETP") || name == "HSETP2" || name == "FCHK"
}

// predicates2 are the two destinations of a comparison, mostly PT for the second.
func predicates2(list []string) []string {
	if len(list) == 0 || !strings.HasPrefix(list[0], "P") { // of a recorded sequence
		list = []string{"P0"}
	}
	if len(list) == 1 {
		list = append(list, "PT")
	}
	return list
}

// comparison are the sources of a comparison: two values, a predicate that it is combined with, and that of the low half.
func comparison(in *Inst, from []string) []string {
	if in.Op.Name == "FCHK" {
		return from
	}
	from = from[:min(len(from), 3)]
	if len(from) == 3 && !strings.HasPrefix(strings.TrimPrefix(from[2], "!"), "P") { // of a recorded sequence
		from = from[:2]
	}
	for len(from) < 2 {
		from = append(from, "RZ")
	}
	switch {
	case len(from) == 2:
		from = append(from, "PT")
	case strings.HasSuffix(in.Mods, ".EX"):
		from = append(from[:2], "PT", from[2])
	}
	return from
}

// table is the truth table of a logic operation; of recorded sequences, which do not tell, that of and.
func (in *Inst) table() uint8 {
	if in.Table == 0 {
		return 0xc0
	}
	return in.Table
}

// String is the operand as nvdisasm writes it.
func (o Operand) String() string { return o.text(nil) }

// text is the operand of an instruction, which tells what its numbers are.
func (o Operand) text(in *Inst) string {
	s := ""
	switch o.Kind {
	case Register, UniformRegister:
		s = registerName("R", o.Reg, o.Part)
		if o.Kind == UniformRegister {
			s = "U" + s
		}
	case Predicate:
		s = "P" + number32(o.Reg)
		if o.Reg == -1 {
			s = "PT"
		}
		if o.Negate {
			return "!" + s
		}
		return s
	case Immediate:
		s = numberText(in, o.Value)
	case ConstantBank:
		s = fmt.Sprintf("c[%#x][%#x]", o.Bank, o.Value+4*uint64(o.Part))
	case SpecialRegister:
		s = specialName(o.Name)
	case Address:
		s = o.address()
	}
	if o.Absolute {
		s = "|" + s + "|"
	}
	if o.Negate {
		s = "-" + s
	}
	return s + o.Suffix
}

func (o Operand) address() string {
	wide := ""
	if o.Wide {
		wide = ".64"
	}
	if o.Scale > 0 {
		wide = fmt.Sprintf(".X%d", o.Scale)
	}
	var parts []string
	if o.Reg != -1 || o.Uniform == 0 {
		parts = append(parts, "R"+number32(o.Reg)+wide)
	}
	if o.Uniform != 0 {
		parts = append(parts, "UR"+number32(o.Uniform-1))
	}
	s := o.Name + "[" + strings.Join(parts, "+")
	if o.Value != 0 {
		s += fmt.Sprintf("%+#x", int64(o.Value))
	}
	return s + "]"
}

func registerName(prefix string, register, part int) string {
	if register < 0 {
		return prefix + number32(register)
	}
	return fmt.Sprintf("%s%d", prefix, register+part)
}

func number32(r int) string {
	switch r {
	case -1:
		return "Z"
	case stackRegister:
		return "1"
	}
	return fmt.Sprint(r)
}

// numberText writes a number as the instruction takes it: a float, with its sign, or as bits.
func numberText(in *Inst, v uint64) string {
	if in == nil {
		return fmt.Sprintf("%#x", v)
	}
	switch name := in.Op.Name; {
	case name == "FADD", name == "FMUL", name == "FFMA", name == "FSETP", name == "FSEL", name == "FMNMX":
		return float(float64(math.Float32frombits(uint32(v))))
	case name == "DADD", name == "DMUL", name == "DFMA", name == "DSETP":
		return float(math.Float64frombits(v))
	case name == "IADD3", name == "UIADD3", name == "IMAD", name == "UIMAD", name == "ISETP" && !strings.Contains(in.Mods, ".U32"):
		return fmt.Sprintf("%#x", int32(uint32(v)))
	}
	return fmt.Sprintf("%#x", uint32(v))
}

func float(f float64) string {
	switch {
	case math.IsNaN(f):
		return "+QNAN"
	case math.IsInf(f, 0):
		return fmt.Sprintf("%+.0f", f)[:1] + "INF"
	}
	return strconv.FormatFloat(f, 'g', 20, 64)
}

// specialName is a special register as machine code names it.
func specialName(name string) string {
	switch name {
	case "%cgactaid":
		return "SR_CgaCtaId"
	case "%laneid":
		return "SR_LANEID"
	}
	if rest, ok := strings.CutPrefix(name, "%"); ok {
		return "SR_" + strings.ToUpper(rest)
	}
	return name
}
