package randptx

import (
	"fmt"
	"slices"

	"silica/internal/isa"
)

// Addresses are formed in front of the instruction, in %t0 or %w0, or stand in it as they are.

// place is memory that a thread may use.
type place struct {
	base string // register or variable
	size int
	wide bool // the base has 64 bits
}

func (p place) at(offset int) string {
	if offset == 0 {
		return p.base
	}
	return fmt.Sprintf("%s+%d", p.base, offset)
}

var (
	input   = place{"%in", InputBytes, true}
	scratch = place{"%own", scratchBytes, true}
	slot    = place{"%sh", slotBytes, false}
	local   = place{"array", localBytes, true}
)

// within returns an address in the place, a multiple of the number of bytes: a constant distance from its base, or one that a register gives.
func (g *generator) within(p place, bytes int) string {
	if g.one(2) {
		return g.at(p, bytes)
	}
	align := alignment(bytes)
	mask := p.size - align // sizes are powers of two
	if !p.wide {
		g.do("and.b32 %%w0, %s, %d; add.u32 %%w0, %%w0, %s;", g.b32(), mask, p.base)
		return "%w0"
	}
	if p.base == "%in" && g.one(3) { // neighbouring lanes read neighbouring words
		g.do("mov.u32 %%w0, %%laneid; mul.lo.u32 %%w0, %%w0, %d;", align)
	} else {
		g.do("and.b32 %%w0, %s, %d;", g.b32(), mask)
	}
	base := p.base
	if base[0] != '%' {
		g.do("mov.u64 %%t1, %s;", base)
		base = "%t1"
	}
	g.do("cvt.u64.u32 %%t0, %%w0; add.u64 %%t0, %%t0, %s;", base)
	return "%t0"
}

// generic returns a generic address in the place, which lies in a space.
func (g *generator) generic(space string, p place, bytes int) string {
	g.wide("%t2", p.base, p.wide)
	g.do("cvta.%s.u64 %%t2, %%t2;", space)
	return g.at(place{"%t2", p.size, true}, bytes)
}

// wide moves an address to a register of 64 bits.
func (g *generator) wide(to, base string, wide bool) {
	if wide {
		g.do("mov.u64 %s, %s;", to, base)
	} else {
		g.do("cvt.u64.u32 %s, %s;", to, base)
	}
}

// address returns an address in a space for an access of so many bytes, "" when there is none. What is only
// read may be anybody's.
func (g *generator) address(space isa.Space, bytes int, readOnly bool) string {
	switch space {
	case isa.Global:
		switch {
		case readOnly && g.one(4):
			return g.within(place{"fixed", tableBytes, true}, bytes)
		case readOnly && g.one(2):
			return g.within(input, bytes)
		}
		return g.within(scratch, bytes)
	case isa.Shared, isa.SharedCluster:
		return g.within(slot, bytes)
	case isa.Local:
		return g.within(local, bytes)
	case isa.Const:
		if readOnly {
			return g.within(place{"table", tableBytes, true}, bytes)
		}
	case isa.ParamEntry:
		if readOnly && !g.function {
			return g.at(place{"blob", blobBytes, true}, bytes)
		}
	case isa.Generic:
		switch n := g.random.IntN(8); {
		case n < 2:
			return g.within(scratch, bytes)
		case n < 4:
			return g.generic("shared", slot, bytes)
		case n < 5 && bytes <= 16:
			return g.generic("local", local, bytes)
		case n < 6 && readOnly:
			return g.generic("const", place{"table", tableBytes, true}, bytes)
		case readOnly:
			return g.within(input, bytes)
		}
		return g.within(scratch, bytes)
	}
	return ""
}

// alignment is the power of two that an access of so many bytes has to be aligned to.
func alignment(bytes int) int {
	align := 1
	for align < bytes {
		align *= 2
	}
	return align
}

// access writes a load, store or atomic operation.
func (g *generator) access(form *isa.Form, operands []isa.Operand) bool {
	a, op := isa.AccessOf(form), form.Row.Op
	if g.options.Hardware && miscompiled(form, a) {
		return false
	}
	if a.Space == isa.ParamFunc || a.Space == isa.ParamEntry && op == isa.OpStore {
		return g.parameter(form, operands)
	}
	space := a.Space
	if a.NonCoherent {
		return g.write(g.guard(), form, operands, values{"a": g.within(input, a.Bytes())})
	}
	if atomic := op == isa.OpAtom || op == isa.OpRed; atomic {
		if space == isa.Generic {
			return g.write(g.guard(), form, operands, values{"a": g.anyAtomic(a)})
		}
		if op == isa.OpRed && commutes(form, a) && (space == isa.Global || space == isa.Shared) && g.one(3) {
			return g.write(g.guard(), form, operands, values{"a": g.common(form, space, a)})
		}
	}
	at := g.address(space, a.Bytes(), op == isa.OpLoad)
	if at == "" {
		return false
	}
	return g.write(g.guard(), form, operands, values{"a": at})
}

// miscompiled tells of forms that ptxas 13.0 accepts but gets wrong: of stores of eight bytes or halves it writes the first, and
// additions of pairs of halves in shared memory add the lower one twice.
func miscompiled(form *isa.Form, a isa.Access) bool {
	return form.Row.Op == isa.OpStore && a.Vector == 8 && a.Type.Bits() < 32 ||
		form.Has(".noftz") && form.Has(".add") && a.Type.Pack() == 2 && a.Space != isa.Global
}

// anyAtomic returns a generic address that atomic operations reach.
func (g *generator) anyAtomic(a isa.Access) string {
	if a.Vector == 1 && g.one(2) { // those of vectors reach global memory only
		return g.generic("shared", slot, a.Bytes())
	}
	return g.within(scratch, a.Bytes())
}

// sums are the operations whose result does not depend on the order. Each has words of its own, as they do not commute with each other.
var sums = []string{".add", ".and", ".or", ".xor", ".min", ".max"}

func commutes(form *isa.Form, a isa.Access) bool {
	return slices.Contains(sums, isa.CombineOp(form)) && a.Type.Kind() != isa.Float && a.Vector == 1
}

// common returns the address of a word that all threads of the grid or block add to by the form's operation.
func (g *generator) common(form *isa.Form, space isa.Space, a isa.Access) string {
	n := slices.Index(sums, isa.CombineOp(form))
	if space == isa.Shared {
		if a.Bytes() == 8 || n > 3 { // min and max differ by sign
			return g.address(space, a.Bytes(), false)
		}
		g.do("mov.u32 %%w0, sums;")
		return fmt.Sprintf("%%w0+%d", 4*n)
	}
	signed := 0
	if a.Type.Kind() == isa.Signed {
		signed = 1
	}
	if a.Bytes() == 4 {
		n = 4 * (n + signed*(n/4*2)) // 8 words: add and or xor min max, and min and max of signed ones
	} else {
		n = 32 + 8*(n+signed*(n/4*2))
	}
	if g.function {
		return g.address(space, a.Bytes(), false)
	}
	g.do("ld.param.u64 %%t0, [pout];")
	return fmt.Sprintf("%%t0+%d", n)
}

// parameter passes a value to a function through memory of the form, and reads the result.
func (g *generator) parameter(form *isa.Form, operands []isa.Operand) bool {
	if !g.calls || g.loose || g.function {
		return false
	}
	a := isa.AccessOf(form)
	bytes := a.Bytes()
	if bytes > 16 {
		return false
	}
	offset := alignment(bytes) * g.random.IntN(32/alignment(bytes))
	g.do("{ .param .align 16 .b8 pa[32]; .param .align 16 .b8 pr[32];")
	g.do("st.param.v4.b32 [pa], {%%r0, %%r1, %%r2, %%r3}; st.param.v4.b32 [pa+16], {%%r4, %%r5, %%r6, %%r7};")
	if form.Row.Op == isa.OpStore {
		if !g.write("", form, operands, values{"a": fmt.Sprintf("pa+%d", offset)}) {
			return false
		}
	}
	g.do("call (pr), copy, (pa);")
	if form.Row.Op == isa.OpLoad {
		if !g.write("", form, operands, values{"a": fmt.Sprintf("pr+%d", offset)}) {
			return false
		}
	}
	g.do("ld.param.b32 %s, [pr+%d]; }", g.b32(), 4*g.random.IntN(8))
	return true
}

// prefetch names memory that is the thread's, or read by all; discard leaves contents that do not count.
func (g *generator) prefetch(form *isa.Form, operands []isa.Operand) bool {
	at := fmt.Sprintf("%%out+%d", voidAt)
	switch space := isa.AccessOf(form).Space; {
	case form.Has(".tensormap") && space == isa.ParamEntry && g.function:
		return false
	case form.Has(".tensormap") && space == isa.ParamEntry:
		at = "blob"
	case form.Has(".tensormap") && space == isa.Const:
		at = "table"
	case space == isa.Local:
		at = "array"
	case form.Opcode == "prefetch" || form.Opcode == "prefetchu":
		at = g.within(input, 16)
	}
	return g.write(g.guard(), form, operands, values{"a": at})
}

// cvta converts an address and back, and reads there. Addresses themselves differ from machine to machine.
func (g *generator) cvta(form *isa.Form) bool {
	space, back := isa.CvtaOf(form)
	if form.Get("type") != ".u64" {
		if g.options.Hardware {
			return false
		}
		g.do("mov.u32 %%w1, 0; %s %%w1, %%w1;", form.Name())
		return true
	}
	names := map[isa.Space]struct {
		place
		load string
	}{
		isa.Const: {place{"table", tableBytes, true}, "const"}, isa.Global: {scratch, "global"}, isa.Local: {local, "local"},
		isa.Shared: {slot, "shared"}, isa.SharedCluster: {slot, "shared"}, isa.ParamEntry: {place{"blob", blobBytes, true}, "param"},
	}
	p, ok := names[space]
	if !ok || space == isa.ParamEntry && g.function {
		return false
	}
	to := form.Get("space")
	g.wide("%t0", p.base, p.wide)
	if back {
		g.do("cvta%s.u64 %%t0, %%t0; %s %%t0, %%t0; ld%s.b32 %s, [%%t0+%d];", to, form.Name(), to, g.b32(), 4*g.random.IntN(p.size/4))
	} else {
		g.do("%s %%t0, %%t0; ld.b32 %s, [%%t0+%d];", form.Name(), g.b32(), 4*g.random.IntN(p.size/4))
	}
	return true
}

// isspacep asks about the generic address of something.
func (g *generator) isspacep(form *isa.Form, operands []isa.Operand) bool {
	if operands[1].Type.Bits() != 64 {
		if g.options.Hardware {
			return false
		}
		g.do("mov.u32 %%w0, 0;")
		return g.write("", form, operands, values{"a": "%w0"})
	}
	switch g.random.IntN(5) {
	case 0:
		g.do("mov.u64 %%t0, array; cvta.local.u64 %%t0, %%t0;")
	case 1:
		g.do("cvt.u64.u32 %%t0, %%sh; cvta.shared.u64 %%t0, %%t0;")
	case 2:
		g.do("mov.u64 %%t0, table; cvta.const.u64 %%t0, %%t0;")
	default:
		g.do("mov.u64 %%t0, %s;", g.pick("%in", "%own"))
	}
	return g.write(g.guard(), form, operands, values{"a": "%t0"})
}

// mapa finds the thread's slot by its block's rank and reads it, or asks for the rank.
func (g *generator) mapa(form *isa.Form, operands []isa.Operand) bool {
	rank, space := isa.MapaOf(form)
	wide := form.Get("type") == ".u64"
	if space == isa.Generic && !wide {
		return false
	}
	at := "%sh"
	if wide {
		g.do("cvt.u64.u32 %%t0, %%sh;")
		at = "%t0"
	}
	if space == isa.Generic {
		g.do("cvta.shared.u64 %%t0, %%t0;")
	}
	if rank {
		return g.write(g.guard(), form, operands, values{"a": at})
	}
	d := "%w0"
	if wide {
		d = "%t0"
	}
	g.do("mov.u32 %%w1, %%cluster_ctarank;")
	g.write("", form, operands, values{"d": d, "a": at, "b": "%w1"})
	load := "ld.shared::cluster"
	if space == isa.Generic {
		load = "ld"
	}
	g.do("%s.b32 %s, [%s+%d];", load, g.b32(), d, 4*g.random.IntN(slotBytes/4))
	return true
}
