package sass

import (
	"math/bits"
	"sort"

	"silica/internal/isa"
)

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
		w.words[w.find(v.id)] = max(w.words[w.find(v.id)], v.words())
		switch {
		case v.op == opPhi:
			for _, a := range v.args {
				if s.joined.share(v, a) {
					w.union(a.id, v.id)
				}
			}
		case v.op == opLow || v.op == opHigh || v.op == opLower || v.op == opUpper && readAsHalf(v):
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

// uniformWebs tells of each web whether all of its values are the same in all lanes.
func (s *selector) uniformWebs() func(web int) bool {
	apart := map[int]bool{}
	s.eachValue(func(v *value) {
		if !v.uniform {
			apart[s.out.webs.find(v.id)] = true
		}
	})
	return func(web int) bool { return !apart[web] }
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
	case v.op == opOther && (isMatrixProduct(v) || isWarpgroup(v) && v.bits > 0):
		n = 1 + len(v.results)
	}
	if n == 0 || n > len(v.args) {
		return nil
	}
	list := v.args[len(v.args)-n:]
	if isWarpgroup(v) {
		list = v.args[:n]
	}
	for i, a := range list {
		if a.leaf() || a.op == opGiven || a.readers() != 1 || a.bits != resultOf(v, i).bits || a.block != v.block && a.op != opPhi {
			return nil
		}
	}
	return list
}

// readers is how often a value is read; its further results are not.
func (v *value) readers() int {
	n := v.uses
	for _, r := range v.results {
		if r.needed {
			n--
		}
	}
	return n
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

// set is a set of small numbers.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

func (s set) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s set) remove(i int) { s[i/64] &^= 1 << (i % 64) }

// with adds a number for which the set may be too small.
func (s set) with(i int) set {
	for i/64 >= len(s) {
		s = append(s, 0)
	}
	s.add(i)
	return s
}

// join adds the members of another set; it tells whether there were new ones.
func (s set) join(o set) bool {
	grown := false
	for i, w := range o {
		grown = grown || w&^s[i] != 0
		s[i] |= w
	}
	return grown
}

// each lists the members in ascending order.
func (s set) each(f func(i int)) {
	for at, w := range s {
		for ; w != 0; w &= w - 1 {
			f(64*at + bits.TrailingZeros64(w))
		}
	}
}

// pressure is what registers of one kind are live in a function. Their webs have numbers from 0, in the order of the registers that
// stand for them.
type pressure struct {
	fn      *Func
	kind    OperandKind
	webs    []int // the register of each
	words   []int
	named   map[*Inst]names
	in, out []set // by block
}

// names are the webs that an instruction reads and writes, as often as it names them.
type names struct{ reads, writes []int }

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

// live computes what registers of a kind are live at the ends of blocks.
func (fn *Func) live(kind OperandKind) *pressure {
	p := &pressure{fn: fn, kind: kind, named: map[*Inst]names{}, in: make([]set, len(fn.Blocks)), out: make([]set, len(fn.Blocks))}
	seen := map[int]int{}
	fn.eachInst(func(in *Inst) {
		for _, list := range [][]Operand{in.Dst, in.Src, {in.Guard}} {
			fn.each(kind, list, func(web int) { seen[web] = 0 })
		}
	})
	for web := range seen {
		p.webs = append(p.webs, web)
	}
	sort.Ints(p.webs)
	for i, web := range p.webs {
		seen[web] = i
		p.words = append(p.words, max(1, fn.webs.words[web]))
	}
	fn.eachInst(func(in *Inst) {
		var n names
		read := func(web int) { n.reads = append(n.reads, seen[web]) }
		fn.each(kind, in.Src, read)
		fn.each(kind, []Operand{in.Guard}, read)
		fn.each(kind, in.Dst, func(web int) { n.writes = append(n.writes, seen[web]) })
		p.named[in] = n
	})
	for i := range fn.Blocks {
		p.in[i], p.out[i] = newSet(len(p.webs)), newSet(len(p.webs))
	}
	for changed := true; changed; {
		changed = false
		for i := len(fn.Blocks) - 1; i >= 0; i-- {
			b := fn.Blocks[i]
			for _, s := range b.Succs {
				p.out[i].join(p.in[s])
			}
			live := append(set(nil), p.out[i]...)
			for j := len(b.Code) - 1; j >= 0; j-- {
				p.back(live, b.Code[j])
			}
			changed = p.in[i].join(live) || changed
		}
	}
	return p
}

// back makes what is live behind an instruction what is live before it.
func (p *pressure) back(live set, in *Inst) {
	n := p.named[in]
	if !in.keeps {
		for _, r := range n.writes {
			live.remove(r)
		}
	}
	for _, r := range n.reads {
		live.add(r)
	}
}

// eachInst lists the instructions of a function.
func (fn *Func) eachInst(f func(in *Inst)) {
	for _, b := range fn.Blocks {
		for _, in := range b.Code {
			f(in)
		}
	}
}
