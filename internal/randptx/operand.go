package randptx

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"

	"silica/internal/isa"
)

// class is a group of registers of one type, which a program's instructions read and write.
type class struct {
	prefix string
	typ    isa.Type
	count  int
}

// classes returns the registers that the module's target knows.
func (g *generator) classes() []class {
	list := []class{
		{"r", isa.B32, 8}, {"l", isa.B64, 4}, {"h", isa.B16, 4}, {"p", isa.Pred, 5}, {"f", isa.F32, 2}, {"d", isa.F64, 2},
		{"s", isa.S32, 1}, {"u", isa.U64, 1}, {"c", isa.U16, 1}, {"e", isa.F16, 1}, {"g", isa.F16x2, 1}, {"y", isa.B8, 4},
	}
	if g.ctx.PTX >= 83 && g.ctx.SM >= 70 {
		list = append(list, class{"v", isa.B128, 2})
	}
	return list
}

// name is a register of a class.
type name struct {
	class class
	index int
}

func (n name) String() string { return fmt.Sprintf("%%%s%d", n.class.prefix, n.index) }

// layout yields the registers, each with where it stands among the thread's registers in the output.
func layout(classes []class) iter.Seq2[name, int] {
	return func(yield func(name, int) bool) {
		at := 0
		for _, c := range classes {
			size := max(1, c.typ.Bytes())
			at = (at + size - 1) / size * size
			for i := range c.count {
				if !yield(name{c, i}, at) {
					return
				}
				at += size
			}
		}
	}
}

// registersAt names the registers that stand in a word of the output.
func registersAt(word int) string {
	var names []string
	for n, at := range layout((&generator{ctx: targets[0].ctx}).classes()) {
		if at < word+4 && word < at+max(1, n.class.typ.Bytes()) {
			names = append(names, n.String())
		}
	}
	return strings.Join(names, " ")
}

// memoryType is the type by which a register is loaded and stored with all its bits.
func memoryType(t isa.Type) string { return fmt.Sprintf("b%d", t.Bits()) }

// mostDepth is the number of branches and loops around a statement.
const mostDepth = 4

// declare writes the registers of a function, and its local memory.
//
// Beside the classes there are: %in, %out and %own (addresses of the input, of the thread's part of the output and of its scratch memory),
// %sh and %bar (shared addresses of the thread's slot and barrier object), %x (a number of the thread or call),
// %m (masks of the lanes at a depth), %n (counters of loops), %count (threads of the block in whole warps), %pol (a cache policy),
// %never (false), %z (zero), and %w, %t and %q to use within a statement.
func (g *generator) declare() {
	for _, c := range g.classes() {
		g.put(".reg .%s %%%s<%d>;", c.typ, c.prefix, c.count)
	}
	g.put(".reg .b64 %%in, %%out, %%own, %%pol, %%t<4>;")
	g.put(".reg .b32 %%x, %%z, %%sh, %%bar, %%count, %%w<4>, %%m<%d>, %%n<%d>;", mostDepth+2, mostDepth+2)
	g.put(".reg .pred %%never, %%q;")
	g.put(".local .align 16 .b8 array[%d];", localBytes)
}

// need is what an operand asks of a register.
type need struct {
	typ            isa.Type
	wider, untyped bool // may have more bits; has to be untyped
}

// needOf returns what a single operand asks for. ptxas wants untyped registers for the narrow floats of a conversion.
func (g *generator) needOf(form *isa.Form, o *isa.Operand) need {
	if g.options.Hardware && form.Row.Op == isa.OpStore {
		return need{typ: o.Type} // of a wider register that holds a float ptxas 13.0 converts the value
	}
	if form.Opcode == "vset" && o.Type == isa.B32 {
		return need{isa.U32, false, false} // ptxas takes no float here
	}
	return need{o.Type, o.Rule.Wider, form.Opcode == "cvt" && o.Type.Kind() == isa.Untyped}
}

// register returns a register, "" when there is none.
func (g *generator) register(n need) string {
	names := g.registers(n, 1)
	if names == nil {
		return ""
	}
	return names[0]
}

// registers returns n different registers of one class for a vector, nil when no class has so many.
func (g *generator) registers(want need, n int) []string {
	var fit []class
	total := 0
	for _, c := range g.classes() {
		if c.count >= n && registerFits(c.typ, want) {
			fit = append(fit, c)
			total += c.count
		}
	}
	if total == 0 {
		return nil
	}
	at := g.random.IntN(total)
	for _, c := range fit {
		if at -= c.count; at < 0 {
			var names []string
			for _, i := range g.random.Perm(c.count)[:n] {
				names = append(names, fmt.Sprintf("%%%s%d", c.prefix, i))
			}
			return names
		}
	}
	return nil
}

// registerFits applies the manual's rules of operand types, and ptxas's of operands that have to be untyped.
func registerFits(have isa.Type, n need) bool {
	want := n.typ
	if have == isa.Pred || want == isa.Pred {
		return have == want
	}
	integer := func(t isa.Type) bool { return t.Kind() == isa.Unsigned || t.Kind() == isa.Signed }
	untyped := have.Kind() == isa.Untyped
	if n.untyped || want.Pack() > 1 && integer(want) {
		return untyped && have.Bits() == want.Bits()
	}
	if n.wider && have.Bits() > want.Bits() {
		// A float moves to and from wider registers as another type would; not all of that is in the manual.
		return have.Bits() <= 64 && (untyped || integer(have)) && want.Kind() != isa.Float
	}
	agree := have == want || untyped || want.Kind() == isa.Untyped || integer(have) && integer(want)
	return agree && have.Bits() == want.Bits()
}

// b32 returns a register of 32 bits for an untyped or integer operand.
func (g *generator) b32() string { return g.register(need{typ: isa.U32}) }

func (g *generator) predicate() string { return g.register(need{typ: isa.Pred}) }

// guard returns a guard or nothing.
func (g *generator) guard() string {
	if g.one(4) {
		return "@" + g.pick("", "!") + g.predicate() + " "
	}
	return ""
}

// value writes an operand that is no address, label, list or table; ok is false when there are no registers for it.
func (g *generator) value(form *isa.Form, o *isa.Operand) (text string, ok bool) {
	text, ok = g.single(form, o)
	if ok && o.Pair != nil {
		second, fine := g.single(form, o.Pair)
		for try := 0; second == text && try < 8; try++ {
			second, fine = g.single(form, o.Pair)
		}
		return text + "|" + second, fine && (second != text || text == "_")
	}
	return text, ok
}

func (g *generator) single(form *isa.Form, o *isa.Operand) (string, bool) {
	switch {
	case o.Name == "_":
		return "_", true
	case o.Name == "policy" && o.Type.Bits() == 64:
		return "%pol", true
	case o.Vector > 0:
		return g.vector(form, o)
	case o.Write:
		if o.Rule.Sink && !o.Rule.Kept && g.one(8) {
			return "_", true
		}
		r := g.register(g.needOf(form, o))
		return r + o.Select, r != ""
	case o.Rule.Imm:
		return g.integer(o), true
	case form.Row.Op == isa.OpSpecial || o.Rule.Special && g.one(8):
		if s := g.special(g.needOf(form, o)); s != "" {
			return s, true
		}
		if form.Row.Op == isa.OpSpecial {
			return "", false
		}
	case !o.Rule.Reg && o.Select == "" && !o.Minus && !g.folded(form, o) && g.one(4):
		if c := g.constant(o); c != "" {
			return c, true
		}
	}
	if o.Rule.Allowed != nil {
		return g.integer(o), true
	}
	r := g.register(g.needOf(form, o))
	if o.Type == isa.Pred && strings.Contains(form.Row.Syntax, "{!}"+o.Name) && g.one(3) {
		r = "!" + r
	}
	if o.Minus {
		r = "-" + r
	}
	return r + o.Select, r != ""
}

// folded tells whether ptxas computes or moves a constant in its own way: approximations, and the first operand, for which it swaps
// operands, so that another of two NaNs comes out. It negates NaNs of 64 bits, and drops bits of what halves are shifted by.
func (g *generator) folded(form *isa.Form, o *isa.Operand) bool {
	return g.options.Hardware && (form.Has(".approx") || o.Name == "a" && form.Row.Op == isa.OpLane || o.Type == isa.F64 ||
		(form.Opcode == "shl" || form.Opcode == "shr") && form.Args[0].Type.Bits() == 16)
}

// vector writes a vector of registers, different ones when they are written.
func (g *generator) vector(form *isa.Form, o *isa.Operand) (string, bool) {
	want := g.needOf(form, o)
	want.untyped = want.untyped || (form.Row.Unit == isa.Tensor || form.Opcode == "wmma") && o.Type.Kind() == isa.Untyped
	n := o.Vector
	if !o.Write {
		n = 1
	}
	names := g.registers(want, n)
	if names == nil {
		return "", false
	}
	for class := names[0][:2]; len(names) < o.Vector; {
		if more := g.registers(want, 1); more[0][:2] == class {
			names = append(names, more...)
		}
	}
	if o.Write && o.Rule.Sink && g.one(4) {
		names[g.random.IntN(len(names))] = "_"
	}
	return "{" + strings.Join(names, ", ") + "}", true
}

// integer returns a constant that the operand takes.
func (g *generator) integer(o *isa.Operand) string {
	return fmt.Sprint(o.Rule.SampleConstant(g.random))
}

// constant returns a constant of the operand's type, "" when the type has none.
func (g *generator) constant(o *isa.Operand) string {
	t := o.Type
	switch {
	case o.Rule.Allowed != nil:
		return g.integer(o)
	case t == isa.F32:
		return fmt.Sprintf("0f%08X", randomBits(g.random, 32))
	case t == isa.F64:
		return fmt.Sprintf("0d%016X", randomBits(g.random, 64))
	case t.Kind() == isa.Float || t.Kind() == isa.Opaque || t.Kind() == isa.Predicate || t.Bits() > 64 || t.Pack() > 1:
		return ""
	}
	v := randomBits(g.random, t.Bits())
	if t.Kind() == isa.Signed {
		shift := 64 - t.Bits()
		return fmt.Sprint(int64(v<<shift) >> shift)
	}
	return fmt.Sprintf("0x%x", v)
}

// special returns a special register that an operand may be.
func (g *generator) special(n need) string {
	var fit []string
	for _, name := range isa.SpecialNames() {
		r, _ := isa.Special(name)
		if r.Varies == isa.Dynamic || g.ctx.SM < r.Since.SM || g.ctx.PTX < r.Since.PTX || g.options.Hardware && !sameOnHardware(name) {
			continue
		}
		if !registerFits(r.Type, n) && !(r.Vector && r.Since.PTX == 10 && n.typ.Bits() == 16) {
			continue
		}
		if r.Vector {
			name += g.pick(".x", ".y", ".z")
		}
		fit = append(fit, name)
	}
	if len(fit) == 0 {
		return ""
	}
	return fit[g.random.IntN(len(fit))]
}

// sameOnHardware tells whether a special register that keeps its value has the same one on an H200 for the launch, however the driver made it.
func sameOnHardware(name string) bool {
	for _, part := range []string{"envreg", "gridid", "warpid", "nsmid", "smem", "graph"} {
		if strings.Contains(name, part) {
			return false
		}
	}
	return true
}

// randomBits returns a value of so many bits: a corner of integers or of floating-point numbers, or any.
func randomBits(random *rand.Rand, bits int) uint64 {
	var v uint64
	switch random.IntN(6) {
	case 0:
		v = uint64(random.IntN(40))
	case 1:
		v = -uint64(random.IntN(40))
	case 2:
		v = 1 << random.IntN(bits)
		if random.IntN(2) == 0 {
			v--
		}
	case 3: // exponents of corner cases, with few bits below
		format := [...]struct{ bits, fraction int }{{16, 10}, {16, 7}, {32, 23}, {64, 52}}[random.IntN(4)]
		top := uint64(1)<<(format.bits-1-format.fraction) - 1
		exponent := [...]uint64{0, 1, top / 2, top/2 + uint64(random.IntN(8)), top - 1, top}[random.IntN(6)]
		v = uint64(random.IntN(2))<<(format.bits-1) | exponent<<format.fraction
		v |= [...]uint64{0, 1, 1 << (format.fraction - 1), random.Uint64() & (1<<format.fraction - 1)}[random.IntN(4)]
		if format.bits == 16 {
			v |= v << 16
		}
		if format.bits < 64 {
			v |= v << 32
		}
	default:
		v = random.Uint64()
	}
	if bits < 64 {
		v &= 1<<bits - 1
	}
	return v
}

// Input returns the bytes of the input, which are the same for all programs.
func Input() []byte {
	random := rand.New(rand.NewPCG(9, 9))
	b := make([]byte, 0, InputBytes+blobBytes)
	for len(b) < InputBytes+blobBytes {
		v := randomBits(random, 64)
		for range 8 {
			b, v = append(b, byte(v)), v>>8
		}
	}
	return b
}
