package simd

import "silica/internal/isa"

// Accesses of a few elements of 8 or 16 bits each move a word or two, of which the elements are fields.

// packed returns an access of several small elements as one of the words that they are; nil where it is none, or has no machine code.
func (b *builder) packed(m *memoryOp) *memoryOp {
	store := b.inst.Op == isa.OpStore
	if m.count < 2 || m.elem > 2 || m.bytes > 8 || !b.unit.hasCode() || b.isLocal(m) || store && m.space == isa.ParamEntry {
		return nil
	}
	for _, r := range m.regs {
		if r.bits > 32 || store && r.offset < 0 {
			return nil
		}
	}
	p := *m
	p.elem, p.count, p.signed = min(m.bytes, 4), max(m.bytes/4, 1), false
	p.regs = []operand{b.narrow(0), b.narrow(1)}[:p.count]
	if len(b.unit.kernels[p.kernel(store)]) == 0 {
		return nil
	}
	return &p
}

// lowerPacked emits the access of the words, and what takes them apart or puts them together; Go makes what is left as the access of its elements.
func (b *builder) lowerPacked(m, p *memoryOp, reported bool, run func(g *gang, f *fragment, o *op) int) {
	store := b.inst.Op == isa.OpStore
	if store {
		b.packFields(m, p)
	}
	w := work{kind: accesses, mem: p, store: store, rows: p.regs, reported: reported}
	if reported {
		b.observe(m, w)
	}
	o := b.accessStep(p, w, run)
	o.mem, o.coded, o.again = m, true, !store
	if !store {
		b.unpackFields(m, p)
	}
}

// fieldsOf calls visit for the elements: with the register of each as one of 32 bits, its word, and where in that it is.
func (m *memoryOp) fieldsOf(p *memoryOp, visit func(r, field, word operand, at int)) {
	each := m.count / p.count
	for i, r := range m.regs {
		visit(r, operand{offset: r.offset, bits: 32}, p.regs[i/each], i%each*8*m.elem)
	}
}

// unpackFields emits the elements of words.
func (b *builder) unpackFields(m, p *memoryOp) {
	m.fieldsOf(p, func(r, field, word operand, at int) {
		if r.offset < 0 {
			return
		}
		if at > 0 {
			b.try("shr.b32", field, word, b.constant(uint64(at), 32))
			word = field
		}
		b.try("and.b32", field, word, b.constant(1<<(8*m.elem)-1, 32))
		if m.signed {
			b.extend(r, 8*m.elem)
		}
	})
}

// packFields emits the words that elements make.
func (b *builder) packFields(m, p *memoryOp) {
	scratch := operand{offset: b.scratch[1].offset + b.warps*rowBytes, bits: 32}
	m.fieldsOf(p, func(_, field, word operand, at int) {
		to := word
		if at > 0 {
			to = scratch
		}
		b.try("and.b32", to, field, b.constant(1<<(8*m.elem)-1, 32))
		if at > 0 {
			b.try("shl.b32", scratch, scratch, b.constant(uint64(at), 32))
			b.try("or.b32", word, word, scratch)
		}
	})
}
