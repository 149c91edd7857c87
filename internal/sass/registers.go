package sass

import "silica/internal/isa"

// webs groups virtual registers that are one: the sources of a phi and the phi, a value under a predicate and what it
// replaces, the halves of a pair and the pair.
type webs struct {
	parent map[int]int
	words  map[int]int
}

func newWebs() *webs { return &webs{parent: map[int]int{}, words: map[int]int{}} }

func (w *webs) find(r int) int {
	for {
		p, ok := w.parent[r]
		if !ok || p == r {
			return r
		}
		if g, ok := w.parent[p]; ok {
			w.parent[r] = g
		}
		r = p
	}
}

func (w *webs) union(a, b int) {
	a, b = w.find(a), w.find(b)
	if a == b {
		return
	}
	w.parent[a] = b
	w.words[b] = max(w.words[b], w.words[a])
}

// joinRegisters finds the webs of the function that was selected.
func (s *selector) joinRegisters() {
	w := newWebs()
	s.out.webs = w
	for r, n := range s.tempWords {
		w.words[r] = n
	}
	for v := range s.leafUse {
		w.words[v.id] = max(v.bits/32, 1)
	}
	s.eachValue(func(v *value) {
		if !v.needed || v.bits == 0 {
			return
		}
		w.words[w.find(v.id)] = max(w.words[w.find(v.id)], max(v.bits/32, 1))
		switch {
		case v.op == opPhi:
			for _, a := range v.args {
				if !a.leaf() && a.bits == v.bits && !s.interferes(v, a) {
					w.union(a.id, v.id)
				}
			}
		case v.op == opLow || v.op == opHigh:
			w.union(v.id, v.args[0].id)
		case v.op == opPair:
			for _, a := range v.args {
				if !a.leaf() && a.uses == 1 {
					w.union(a.id, v.id)
				}
			}
		}
		for i, sum := range sums(v) {
			w.union(sum.id, resultOf(v, i).id)
		}
		if v.old != nil && !v.old.leaf() && v.old.bits == v.bits {
			w.union(v.old.id, v.id)
		}
	})
}

// sums lists what v adds to, element by element, where nothing else reads it: the sum is made in its place.
func sums(v *value) []*value {
	if v.guard != nil || len(v.args) == 0 {
		return nil
	}
	n := 0
	switch {
	case v.op == opFloat && (v.name == "fma" || v.name == "add"):
		n = 1
	case v.op == opOther && isMatrixProduct(v):
		n = 1 + len(v.results)
	}
	if n == 0 || n > len(v.args) {
		return nil
	}
	list := v.args[len(v.args)-n:]
	for i, a := range list {
		if a.leaf() || a.uses != 1 || a.bits != resultOf(v, i).bits || a.block != v.block && a.op != opPhi {
			return nil
		}
	}
	return list
}

// isMatrixProduct tells whether an instruction of a warp multiplies matrices and adds to a third.
func isMatrixProduct(v *value) bool {
	return v.inst != nil && v.inst.Form.Row.Unit == isa.Tensor && (v.inst.Form.Opcode == "mma" || v.inst.Form.Opcode == "wmma" && !isFragment(v))
}

// resultOf is one of the results of v.
func resultOf(v *value, i int) *value {
	if i == 0 {
		return v
	}
	return v.results[i-1]
}

// pressure is what registers of one kind are live in a function.
type pressure struct {
	fn      *Func
	kind    OperandKind
	in, out []map[int]bool // webs by block
}

// each lists the webs of one kind of registers that operands name.
func (fn *Func) each(kind OperandKind, list []Operand, f func(web int)) {
	for _, o := range list {
		named := o.Kind == kind || o.Kind == Address && kind == Register
		if named && o.Reg >= 0 {
			f(fn.webs.find(o.Reg))
		}
		if o.Uniform > 0 && kind == UniformRegister {
			f(fn.webs.find(o.Uniform))
		}
	}
}

// reads and writes list the webs of one kind that an instruction reads and writes.
func (p *pressure) reads(in *Inst, f func(web int)) {
	p.fn.each(p.kind, in.Src, f)
	p.fn.each(p.kind, []Operand{in.Guard}, f)
}

func (p *pressure) writes(in *Inst, f func(web int)) { p.fn.each(p.kind, in.Dst, f) }

// live computes what registers of a kind are live at the ends of blocks.
func (fn *Func) live(kind OperandKind) *pressure {
	p := &pressure{fn: fn, kind: kind, in: make([]map[int]bool, len(fn.Blocks)), out: make([]map[int]bool, len(fn.Blocks))}
	for i := range fn.Blocks {
		p.in[i], p.out[i] = map[int]bool{}, map[int]bool{}
	}
	for changed := true; changed; {
		changed = false
		for i := len(fn.Blocks) - 1; i >= 0; i-- {
			live := map[int]bool{}
			for _, s := range fn.Blocks[i].Succs {
				for r := range p.in[s] {
					live[r] = true
				}
			}
			for r := range live {
				p.out[i][r] = true
			}
			code := fn.Blocks[i].Code
			for j := len(code) - 1; j >= 0; j-- {
				if !code[j].keeps {
					p.writes(code[j], func(r int) { delete(live, r) })
				}
				p.reads(code[j], func(r int) { live[r] = true })
			}
			if len(live) != len(p.in[i]) {
				changed = true
				p.in[i] = live
			}
		}
	}
	return p
}
