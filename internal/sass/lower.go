package sass

import (
	"slices"

	"silica/internal/ir"
)

// Lower turns a kernel into machine code for an architecture.
func Lower(k *ir.Kernel, arch Arch) *Program {
	p := &Program{Arch: arch, Kernel: k, Funcs: make([]*Func, len(k.Funcs))}
	plan := newPlan(k)
	graphs := make([]*graph, len(k.Funcs))
	for _, f := range plan.order { // what all callers pass alike is known when a function is prepared
		graphs[f] = newGraph(plan, k.Funcs[f], arch)
		prepare(graphs[f])
		plan.pass(graphs[f])
	}
	for _, f := range slices.Backward(plan.order) { // what a function overwrites is known when its callers are selected
		p.Funcs[f] = graphs[f].lower()
		plan.own[f].selected(p.Funcs[f])
		p.Registers = max(p.Registers, p.Funcs[f].taken)
	}
	p.link()
	return p
}

// lower makes machine code of a graph that is prepared.
func (g *graph) lower() *Func {
	code := g.selectCode(g.fn.Name)
	code.steps = registerSteps(g.kernel, g.arch)
	code.taken = code.fit(registerLimit(g.kernel, g.arch), g.levels())
	code.withoutMoves()
	code.balance()
	code.number()
	code.nameBarriers()
	code.nameCarries()
	code.keepRegisters(g.frame(), g.convention.abi)
	return code
}

// prepare brings a graph into the form that is selected.
func prepare(g *graph) {
	g.analyse()
	g.simplify()
	g.markUses()
	g.convert()
	g.simplify()
	g.markUses()
	g.markUniform()
	g.unroll()
	g.analyse()
	g.simplify()
	g.markUses()
	g.simplify()
	g.markUses()
	g.joinProducts()
	g.markUses()
	g.merge()
	g.markUses()
	g.markUniform()
	g.markSplit()
}
