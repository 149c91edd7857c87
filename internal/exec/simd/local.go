package simd

import "silica/internal/isa"

// lowerLocalBytes emits an access of one element of 8 or 16 bits in local memory: of the word that has it, which a store loads, changes and stores. Go makes
// what is left as the access that it is.
func (b *builder) lowerLocalBytes(m *memoryOp, run func(g *gang, f *fragment, o *op) int) bool {
	r, store := m.regs[0], b.inst.Op == isa.OpStore
	if m.count > 1 || r.offset < 0 || r.bits > 32 || m.base.offset >= 0 && m.base.bits != 64 {
		return false
	}
	half := func(i int) operand { return operand{offset: b.scratch[i].offset + b.warps*rowBytes, bits: 32} }
	constant := func(v uint64) operand { return b.constant(v, 32) }
	word, shift, address, value, mask := b.narrow(0), half(0), b.scratch[1], b.narrow(2), half(2)
	if m.base.offset < 0 {
		b.try("mov", address, b.constant(m.offset, 64))
	} else {
		b.try("add.u64", address, m.base, b.constant(m.offset, 64))
	}
	b.try("unpack low", shift, address)
	b.try("and.b32", shift, shift, constant(3))
	b.try("shl.b32", shift, shift, constant(3))
	// An address that is not aligned keeps a bit that no word has.
	b.try("and.b64", address, address, b.constant(^uint64(4-m.elem), 64))
	b.localWord("local load at 64", m, word, address, run)
	element := constant(1<<(8*m.elem) - 1)
	if !store {
		d := operand{offset: r.offset, bits: 32}
		b.try("shr.b32", word, word, shift)
		b.try("and.b32", d, word, element)
		if m.signed {
			b.extend(r, 8*m.elem)
		}
		return true
	}
	b.try("and.b32", value, operand{offset: r.offset, bits: 32}, element)
	b.try("shl.b32", value, value, shift)
	b.try("shl.b32", mask, element, shift)
	b.try("not.b32", mask, mask)
	b.try("and.b32", word, word, mask)
	b.try("or.b32", word, word, value)
	b.localWord("local store at 64", m, word, address, run)
	return true
}

// localWord emits the load or store of a word of local memory, for an access that Go makes anew where that stops.
func (b *builder) localWord(kernel string, m *memoryOp, word, address operand, run func(g *gang, f *fragment, o *op) int) {
	b.shared.forget(address, b.warps)
	x := uint32(b.pattern(&memoryOp{base: address, bytes: 4}, work{}))
	s := step{code: b.unit.kernels[kernel][0].code, d: uint32(word.offset), a: uint32(address.offset), lanes: b.lanesOf(), x: x, y: 4}
	o := b.goStep(run)
	o.mem, o.again = m, true
	b.steps[o.index] = s
}
