package randptx

import (
	"fmt"

	"silica/internal/isa"
)

// statements writes up to n statements.
func (g *generator) statements(n int) {
	for range 1 + g.random.IntN(max(n, 1)) {
		if g.budget--; g.budget < 0 {
			return
		}
		if g.depth < mostDepth && g.one(6) {
			g.nested()
			continue
		}
		if g.depth == 0 && !g.function && g.one(20) {
			g.exchange()
			continue
		}
		for !g.instruction(g.rows.choose(g.random)) {
			g.drop()
		}
		g.flush()
	}
}

// mask is the register that holds the lanes which are here.
func (g *generator) mask() string { return fmt.Sprintf("%%m%d", g.depth) }

// inner runs body one level deeper; the mask there is a new one.
func (g *generator) inner(body func()) {
	g.depth++
	body()
	g.depth--
}

// spell returns the instruction of an opcode without operands, in a form of one of its rows: "bra" or "bra.uni".
func (g *generator) spell(opcode string, uniform bool) string {
	if uniform && g.one(2) {
		return opcode + ".uni"
	}
	return opcode
}

// nested writes a branch or a loop around statements.
func (g *generator) nested() {
	if g.loose {
		g.skip()
		return
	}
	switch g.random.IntN(7) {
	case 0, 1:
		g.choice()
	case 2, 3:
		g.loop()
	case 4:
		g.table()
	case 5:
		g.uniform()
	default:
		g.jumps()
	}
}

// skip branches over statements.
func (g *generator) skip() {
	end := g.label()
	g.put("@%s%s bra %s;", g.pick("", "!"), g.predicate(), end)
	g.inner(func() { g.statements(4) })
	g.put("%s:", end)
}

// choice is an if, with or without else.
func (g *generator) choice() {
	p, otherwise, end := g.predicate(), g.label(), g.label()
	inside := fmt.Sprintf("%%m%d", g.depth+1)
	both := g.one(2)
	g.do("vote.sync.ballot.b32 %s, %s, %s;", inside, p, g.mask())
	if both {
		g.do("@!%s xor.b32 %s, %s, %s;", p, inside, inside, g.mask())
	}
	g.put("@!%s bra %s;", p, otherwise)
	g.inner(func() { g.statements(5) })
	if both {
		g.put("bra %s;", end)
	}
	g.put("%s:", otherwise)
	if both {
		g.inner(func() { g.statements(5) })
		g.put("%s:", end)
	}
}

// loop repeats statements as often as a register of the lane says, and may be left from its middle.
func (g *generator) loop() {
	head, end := g.label(), g.label()
	inside, counter := fmt.Sprintf("%%m%d", g.depth+1), fmt.Sprintf("%%n%d", g.depth+1)
	trips := g.random.IntN(8)
	if g.depth > 0 {
		trips &= 3
	}
	g.put("and.b32 %s, %s, %d; mov.b32 %s, %s;", counter, g.b32(), trips, inside, g.mask())
	g.put("%s:", head)
	g.inner(func() {
		g.statements(5)
		if g.one(3) {
			p := g.predicate()
			g.put("vote.sync.ballot.b32 %s, !%s, %s; @%s bra %s;", inside, p, inside, p, end)
			g.statements(2)
		}
	})
	g.put("sub.s32 %s, %s, 1; setp.ge.s32 %%q, %s, 0; vote.sync.ballot.b32 %s, %%q, %s; @%%q bra %s;", counter, counter, counter, inside, inside, head)
	g.put("%s:", end)
}

// table branches by an index. The mask of a target holds the lanes with the same index.
func (g *generator) table() {
	a, b, end, name := g.label(), g.label(), g.label(), g.label()
	inside := fmt.Sprintf("%%m%d", g.depth+1)
	uniform := g.one(4) || g.ctx.SM < 70
	if uniform {
		g.do("mov.u32 %%w0, %%ctaid.x; and.b32 %%w0, %%w0, 3; mov.b32 %s, %s;", inside, g.mask())
	} else {
		g.do("and.b32 %%w0, %s, 3; match.any.sync.b32 %s, %%w0, %s;", g.b32(), inside, g.mask())
	}
	g.do("%s: .branchtargets %s, %s, %s, %s;", name, a, b, end, b)
	g.put("%s %%w0, %s;", g.spell("brx.idx", uniform), name)
	g.put("%s:", a)
	g.inner(func() { g.statements(4) })
	g.put("bra %s;", end)
	g.put("%s:", b)
	g.inner(func() { g.statements(4) })
	g.put("%s:", end)
}

// uniform is a branch that the whole block takes or does not take.
func (g *generator) uniform() {
	end := g.label()
	g.put("mov.u32 %%w0, %%ctaid.x; setp.eq.u32 %%q, %%w0, %d; mov.b32 %%m%d, %s; @%%q %s %s;", g.random.IntN(3), g.depth+1, g.mask(), g.spell("bra", true), end)
	g.inner(func() { g.statements(4) })
	g.put("%s:", end)
}

// jumps are branches into each other's middle, as no structured program has them.
func (g *generator) jumps() {
	first, second, end := g.label(), g.label(), g.label()
	counter := fmt.Sprintf("%%n%d", g.depth+1)
	g.loose = true
	g.inner(func() {
		g.put("mov.b32 %s, %d; @%s bra %s;", counter, g.random.IntN(3), g.predicate(), first)
		g.statements(3)
		g.put("%s:", second)
		g.statements(3)
		g.put("sub.s32 %s, %s, 1; setp.lt.s32 %%q, %s, 0; @%%q bra %s; @!%s bra %s;", counter, counter, counter, end, g.predicate(), end)
		g.put("%s:", first)
		g.statements(3)
		g.put("@%s bra %s;", g.predicate(), second)
	})
	g.loose = false // nested is not called where it was set
	g.put("%s:", end)
}

// exchange gives every thread a word of another one's slot.
func (g *generator) exchange() {
	at := 4 * g.random.IntN(slotBytes/4)
	g.do("st.shared.b32 [%%sh+%d], %s; bar.sync 0;", at, g.b32())
	g.do("mov.u32 %%w0, %%tid.x; mov.u32 %%w1, %%ntid.x; mad.lo.u32 %%w0, %%w0, %d, %d; rem.u32 %%w0, %%w0, %%w1; mov.u32 %%w1, slots; mad.lo.u32 %%w0, %%w0, %d, %%w1;",
		1+2*g.random.IntN(4), g.random.IntN(64), slotBytes)
	g.put("ld.shared.b32 %s, [%%w0+%d]; bar.sync 0;", g.b32(), at)
}

// functions writes device functions: f calls itself, with results and arguments; the others lack some of them.
func (g *generator) functions() {
	g.put(".func nothing() { .reg .b32 %%w<2>; mov.u32 %%w0, %%tid.x; mov.u32 %%w1, slots; mad.lo.u32 %%w1, %%w0, %d, %%w1; st.shared.b32 [%%w1+4], %%w0; ret; }", slotBytes)
	g.put(".func (.param .b32 r) number() { .reg .b32 %%w<2>; mov.u32 %%w0, %%laneid; mad.lo.u32 %%w0, %%w0, 77, 3; st.param.b32 [r], %%w0; ret%s; }", g.pick("", ".uni"))
	g.put(".func (.param .align 16 .b8 r[32]) copy(.param .align 16 .b8 a[32]) { .reg .b32 %%w<4>; ld.param.v4.b32 {%%w0, %%w1, %%w2, %%w3}, [a]; st.param.v4.b32 [r], {%%w1, %%w0, %%w3, %%w2}; " +
		"ld.param.v4.b32 {%%w0, %%w1, %%w2, %%w3}, [a+16]; st.param.v4.b32 [r+16], {%%w0, %%w1, %%w2, %%w3}; ret; }")
	const arguments = "(.param .b32 px, .param .b32 pm, .param .b64 pin, .param .b64 pout)"
	for _, recursive := range []bool{false, true} {
		result, name := "", "store"
		if recursive {
			result, name = "(.param .b32 r) ", "f"
		}
		g.put(".func %s%s%s", result, name, arguments)
		g.put("{")
		g.declare()
		g.put("ld.param.u32 %%x, [px]; ld.param.u32 %%m0, [pm]; ld.param.u64 %%in, [pin]; ld.param.u64 %%out, [pout];")
		g.function = true
		g.prologue()
		g.put(beginMark)
		g.initialize()
		g.budget = 5
		g.statements(5)
		if recursive {
			end := g.label()
			g.put("and.b32 %%n0, %%x, 3; setp.ne.u32 %%q, %%n0, 0; vote.sync.ballot.b32 %%m1, %%q, %%m0; @!%%q bra %s;", end)
			g.put("sub.u32 %%n0, %%n0, 1;")
			g.depth++
			g.call("f", "%n0", "%r3")
			g.flush()
			g.depth--
			g.put("%s:", end)
		}
		for _, r := range []string{"%r1", "%r2", "%r3", "%s0", "%f0"} {
			g.put("xor.b32 %%r0, %%r0, %s;", r)
		}
		g.put(endMark)
		if recursive {
			g.put("st.param.b32 [r], %%r0;")
		} else {
			g.put("st.global.b32 [%%own], %%r0;")
		}
		g.put("ret;")
		g.put("}")
		g.function = false
	}
}

// call calls f with x and gives its result to the register.
func (g *generator) call(name, x, result string) {
	g.callForm("call", name, x, result, "")
}

// callForm writes a call as opcode spells it. The function is one of functions; table is what follows the arguments.
func (g *generator) callForm(opcode, name, x, result, table string) {
	results, arguments := "", ""
	g.do("{")
	if name == "f" || name == "number" {
		g.do(".param .b32 pr;")
		results = "(pr), "
	}
	if name == "f" || name == "store" {
		g.do(".param .b32 a0; .param .b32 a1; .param .b64 a2; .param .b64 a3; st.param.b32 [a0], %s; st.param.b32 [a1], %s; st.param.b64 [a2], %%in; st.param.b64 [a3], %%out;", x, g.mask())
		arguments = ", (a0, a1, a2, a3)"
	}
	callee := name
	if table != "" {
		callee = "%t3"
	}
	g.do("%s %s%s%s%s;", opcode, results, callee, arguments, table)
	if results != "" {
		g.do("ld.param.b32 %s, [pr];", result)
	}
	g.do("}")
}

// calling writes a call in a form of the row.
func (g *generator) calling(form *isa.Form, operands []isa.Operand) bool {
	if !g.calls || g.function || g.loose {
		return false
	}
	var results, arguments, indirect bool
	for i := range operands {
		switch operands[i].Name {
		case "results":
			results = true
		case "arguments":
			arguments = true
		case "targets":
			indirect = true
		}
	}
	name := map[[2]bool]string{{true, true}: "f", {true, false}: "number", {false, true}: "store", {false, false}: "nothing"}[[2]bool{results, arguments}]
	table := ""
	if indirect {
		table = g.label()
		g.do("mov.u64 %%t3, %s;", name)
		if g.one(2) {
			g.do("%s: .calltargets %s;", table, name)
		} else {
			result, list := "_", "()"
			if results {
				result = "(.param .b32 _) _"
			}
			if arguments {
				list = "(.param .b32 _, .param .b32 _, .param .b64 _, .param .b64 _)"
			}
			g.do("%s: .callprototype %s %s;", table, result, list)
		}
		table = ", " + table
	}
	g.callForm(form.Name(), name, g.b32(), g.b32(), table)
	return true
}
