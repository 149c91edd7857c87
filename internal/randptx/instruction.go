package randptx

import (
	"fmt"
	"strings"

	"silica/internal/isa"
)

// instruction writes a statement with an instruction of the row. It returns false when the row has no form here.
func (g *generator) instruction(row *isa.Row) bool {
	form, operands := row.Sample(g.ctx, g.random)
	if form == nil {
		return false
	}
	switch row.Op {
	case isa.OpLane, isa.OpMov, isa.OpSpecial:
		return g.lane(form, operands)
	case isa.OpWarp:
		return g.warp(form, operands)
	case isa.OpBarrierWarp:
		return g.synchronous() && g.write("", form, operands, values{"membermask": g.mask()})
	case isa.OpLoad, isa.OpStore, isa.OpAtom, isa.OpRed:
		return g.access(form, operands)
	case isa.OpPrefetch:
		return g.prefetch(form, operands)
	case isa.OpCvta:
		return g.cvta(form)
	case isa.OpIsspacep:
		return g.isspacep(form, operands)
	case isa.OpMapa:
		return g.mapa(form, operands)
	case isa.OpBranch, isa.OpBranchIndexed:
		g.jumpOver(form)
		return true
	case isa.OpCall:
		return g.calling(form, operands)
	case isa.OpRet, isa.OpExit, isa.OpTrap:
		return g.leave(form)
	case isa.OpBarrier:
		return g.barrier(form, operands)
	case isa.OpBarrierCluster:
		return g.clusterBarrier(form)
	case isa.OpFence:
		return g.write(g.guard(), form, operands, values{"a": "%out"})
	case isa.OpNanosleep:
		return g.write(g.guard(), form, operands, values{"t": fmt.Sprint(g.random.IntN(100))})
	case isa.OpAlloca, isa.OpStackSave, isa.OpStackRestore:
		return g.stack(form)
	case isa.OpAsync:
		return g.async(form, operands)
	case isa.OpMatrix:
		return g.matrix(form, operands)
	case isa.OpNop:
		return g.nop(form, operands)
	}
	return false
}

// values gives the text of operands by name.
type values map[string]string

// write adds the instruction with operands chosen at random but for those given; addresses have to be given.
func (g *generator) write(guard string, form *isa.Form, operands []isa.Operand, given values) bool {
	var texts []string
	for i := range operands {
		o := &operands[i]
		text, ok := given[o.Name]
		switch {
		case ok && o.Kind == isa.ArgAddress:
			text = "[" + text + "]"
		case ok:
		case o.Kind != isa.ArgValue:
			return false
		default:
			if text, ok = g.value(form, o); !ok {
				return false
			}
		}
		texts = append(texts, text)
	}
	g.do("%s%s;", guard, strings.TrimSpace(form.Name()+" "+strings.Join(texts, ", ")))
	return true
}

func (g *generator) lane(form *isa.Form, operands []isa.Operand) bool {
	if row := form.Row; row.ReadsCarry != nil && row.ReadsCarry(form) {
		g.do("add.cc.u32 %s, %s, %s;", g.b32(), g.b32(), g.b32())
	}
	given := values{}
	for i := range operands {
		switch o := &operands[i]; {
		case o.Kind == isa.ArgAddress: // createpolicy.range
			given[o.Name] = "%in"
		case o.Name == "policy" && o.Write:
			given[o.Name] = "%pol"
		case o.Name == "property":
			given[o.Name] = "0x10f0000000000000"
		case o.Name == "primary-size":
			given[o.Name] = "1024"
		case o.Name == "total-size":
			given[o.Name] = "4096"
		case o.Name == "fraction":
			given[o.Name] = "0f3F000000"
		}
	}
	guard := g.guard()
	if g.options.Hardware && ignoresGuard(form) {
		guard = ""
	}
	return g.write(guard, form, operands, given)
}

// ignoresGuard tells of forms of which ptxas 13.0 converts, or writes, the result of lanes whose guard is false.
func ignoresGuard(form *isa.Form) bool {
	return form.Opcode == "set" || form.Opcode == "testp" || form.Opcode[0] == 'v' && form.Has(".add")
}

// synchronous tells whether the lanes that are here are known.
func (g *generator) synchronous() bool { return !g.loose }

// together tells whether whole warps are here, and makes the statement one that warps with lanes missing skip: it returns what ends
// the statement.
func (g *generator) together() (end func(), ok bool) {
	if g.depth > 0 || g.function || g.loose {
		return nil, false
	}
	skip := g.label()
	g.do("setp.ne.s32 %%q, %%m0, -1; @%%q bra %s; bar.warp.sync %%m0;", skip)
	return func() { g.do("bar.warp.sync %%m0; %s:", skip) }, true
}

func (g *generator) warp(form *isa.Form, operands []isa.Operand) bool {
	waits, member := isa.WarpSync(form)
	switch {
	case g.options.Hardware && (!waits || smallFloats(form)):
		return false
	case !waits:
		return g.write("", form, operands, nil)
	case member >= 0:
		return g.synchronous() && g.write("", form, operands, values{"membermask": g.mask()})
	}
	end, ok := g.together()
	if !ok {
		return false
	}
	given := values{}
	if strings.Contains(form.Row.Syntax, "spvariant") || form.Has(".sp") {
		given["e"] = g.metadata()
	}
	if !g.write("", form, operands, given) {
		return false
	}
	end()
	return true
}

// smallFloats tells of products of 8-bit floats, of which an H200 gives other infinities and NaNs.
func smallFloats(form *isa.Form) bool {
	return strings.Contains(form.Name(), ".e4m3") || strings.Contains(form.Name(), ".e5m2")
}

// metadata gives a register the positions of a sparse matrix, in ascending order, which suit every type of elements.
func (g *generator) metadata() string {
	v := uint32(0)
	for range 8 {
		v = v<<4 | [...]uint32{4, 14}[g.random.IntN(2)]
	}
	g.do("mov.b32 %%w0, 0x%x;", v)
	return "%w0"
}

// jumpOver writes a branch of the form to the next statement.
func (g *generator) jumpOver(form *isa.Form) {
	next, guard := g.label(), ""
	if form.Row.Op == isa.OpBranchIndexed {
		table := g.label()
		g.do("mov.u32 %%w0, %%ctaid.x; and.b32 %%w0, %%w0, 1; %s: .branchtargets %s, %s; %s %%w0, %s; %s:", table, next, next, form.Name(), table, next)
		return
	}
	if !form.Has(".uni") {
		guard = g.guard()
	}
	g.do("%s%s %s; %s:", guard, form.Name(), next, next)
}

// leave writes an instruction that ends a thread or a function: for no lane, or exit where lanes may miss.
func (g *generator) leave(form *isa.Form) bool {
	if form.Row.Op == isa.OpExit && g.depth == 0 && !g.function && !g.loose && g.one(2) {
		p := g.predicate()
		g.do("vote.sync.ballot.b32 %%m0, !%s, %%m0; @%s exit;", p, p)
		g.exited = true
		return true
	}
	g.do("@%%never %s;", form.Name())
	return true
}

// barrier writes a barrier of the block, or one at which some warps only arrive.
func (g *generator) barrier(form *isa.Form, operands []isa.Operand) bool {
	b := isa.BarrierOf(form)
	if g.depth > 0 || g.function || g.loose || b.HasCount && g.exited || b.Kind == isa.BarrierArrive && g.warps < 2 {
		return false
	}
	given := values{"a": fmt.Sprint(1 + g.random.IntN(15)), "b": "%count"}
	if b.Kind != isa.BarrierArrive {
		return g.write("", form, operands, given)
	}
	wait, end := g.label(), g.label()
	g.do("mov.u32 %%w0, %%tid.x; setp.lt.u32 %%q, %%w0, 32; @%%q bra %s;", wait)
	g.write("", form, operands, given)
	g.do("bra %s; %s: %s.sync %s, %%count; %s: bar.sync 0;", end, wait, form.Opcode, given["a"], end)
	return true
}

func (g *generator) clusterBarrier(form *isa.Form) bool {
	if g.depth > 0 || g.function || g.loose || g.exited {
		return false
	}
	g.do("bar.sync 0;")
	if isa.ClusterBarrierOf(form) {
		g.do("%s; barrier.cluster.wait;", form.Name())
	} else {
		g.do("barrier.cluster.arrive; %s;", form.Name())
	}
	return true
}

// stack writes memory of the stack and reads it again.
func (g *generator) stack(form *isa.Form) bool {
	wide := form.Get("type") == ".u64"
	if g.options.Hardware { // optimised, ptxas 13.0 forgets what is stored in such memory
		return false
	}
	switch form.Row.Op {
	case isa.OpAlloca:
		if !wide {
			g.do("alloca.u32 %%w0, 16;")
			return true
		}
		g.do("stacksave.u64 %%t1; alloca.u64 %%t0, %d, 16; st.local.b32 [%%t0+4], %s; ld.local.b32 %s, [%%t0+4]; stackrestore.u64 %%t1;", 16*(1+g.random.IntN(3)), g.b32(), g.b32())
	default:
		if wide {
			g.do("stacksave.u64 %%t1; stackrestore.u64 %%t1;")
		} else {
			g.do("stacksave.u32 %%w1; stackrestore.u32 %%w1;")
		}
	}
	return true
}

// nop writes what has no effect on results.
func (g *generator) nop(form *isa.Form, operands []isa.Operand) bool {
	given, guard := values{"a": "%in", "src": "%in", "size": "16"}, g.guard()
	for i := range operands {
		if o := &operands[i]; o.Name == "a" && o.Kind == isa.ArgValue {
			delete(given, "a")
		}
	}
	if form.Has(".aligned") {
		if guard = ""; g.depth > 0 || g.function || g.loose {
			return false
		}
	}
	return g.write(guard, form, operands, given)
}
