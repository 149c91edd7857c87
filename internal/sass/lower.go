package sass

import "silica/internal/ir"

// Lower turns a kernel into machine code for an architecture.
func Lower(k *ir.Kernel, arch Arch) *Program {
	p := &Program{Arch: arch, Kernel: k}
	for _, fn := range k.Funcs {
		g := newGraph(k, fn, arch)
		prepare(g)
		code := g.selectCode(fn.Name)
		code.steps = registerSteps(k, arch)
		p.Registers = max(p.Registers, code.fit(registerLimit(k, arch), g.levels()))
		code.balance()
		code.number()
		p.Funcs = append(p.Funcs, code)
	}
	return p
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
	g.merge()
	g.markUses()
	g.markUniform()
}
