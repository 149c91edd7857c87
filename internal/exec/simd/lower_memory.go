package simd

import (
	"fmt"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/isa"
)

// memoryOp is the prepared memory access of an instruction.
type memoryOp struct {
	space isa.Space
	// elem is the size of one piece in bytes, count the number of pieces a lane moves; a .b128 element
	// is two pieces of 8 bytes.
	elem, count int
	bytes       int // elem * count; also the alignment
	signed      bool
	regs        []operand // one a piece: destinations of a load, sources of a store
	base        operand
	offset      uint64
	narrow      bool // the base is a 32-bit register: addresses wrap at 2^32
	region      int  // index in the gang's regions
	ordered     bool // volatile, relaxed, ...
	writes      bool
	atomic      *atomicOp
	// window is what the offset lacks of a generic address that is known to be one of local memory.
	window uint64
}

// The regions that every gang has: the block's shared memory and the launch's parameters.
const (
	sharedRegion = iota
	paramRegion
	firstRegion
)

func (b *builder) lowerMemory() {
	in := b.inst
	access := in.Mem
	m := &memoryOp{
		space: in.Addr.Space, elem: access.Type.Bytes(), count: max(access.Vector, 1),
		signed: access.Type.Kind() == isa.Signed, base: b.operand(in.Addr.Base), offset: uint64(in.Addr.Offset),
		ordered: access.Order != "", writes: in.Op != isa.OpLoad,
	}
	if b.onStack[b.pc] {
		m.space, m.window = isa.Local, exec.Window(isa.Local)
		m.offset -= m.window
	}
	m.narrow = m.base.bits == 32
	m.bytes = m.elem * m.count
	switch m.space {
	case isa.Shared:
		m.region = sharedRegion
	case isa.ParamEntry:
		m.region = paramRegion
	default:
		m.region = b.regions
		b.regions++
	}
	run := runStore
	switch in.Op {
	case isa.OpLoad:
		m.regs, run = b.pieces(m, b.operands(in.Dst)), runLoad
		if m.ordered {
			b.poll()
		}
	case isa.OpStore:
		m.regs = b.pieces(m, b.operands(in.Src[:m.count]))
	case isa.OpAtom, isa.OpRed:
		run = runAtomic
		m.atomic = b.atomic(m)
		if in.Op == isa.OpAtom {
			b.poll()
		}
	}
	reported := b.observed && !in.Synthetic
	if m.atomic == nil {
		if p := b.packed(m); p != nil {
			b.lowerPacked(m, p, reported, run)
			return
		}
		if rows, after, ok := b.coded(m); ok {
			b.lowerAccess(m, rows, after, reported, run)
			return
		}
	}
	if reported {
		b.observe(m, work{})
	}
	if m.atomic == nil && b.isLocal(m) && b.lowerLocal(m, run) || m.atomic != nil && b.lowerAtomic(m) {
		return
	}
	b.goStep(run).mem = m
}

// formAddresses emits the computation of the addresses of all lanes, for runObserve.
func (b *builder) formAddresses(m *memoryOp, w work) bool {
	if !b.unit.hasCode() || m.base.offset < 0 {
		return false
	}
	name := "addresses at 64"
	if m.narrow {
		name = "addresses at 32"
	}
	s := step{code: b.unit.kernels[name][0].code, a: uint32(m.base.offset), imm: m.offset, lanes: b.lanesOf()}
	if b.joins(w) {
		b.native(work{kind: describes}, s, op{})
	} else {
		b.add(s, op{})
	}
	return true
}

// pieces splits the registers of 128-bit elements in halves.
func (b *builder) pieces(m *memoryOp, regs []operand) []operand {
	if m.elem != 16 {
		return regs
	}
	m.elem, m.count = 8, m.count*2
	var out []operand
	for _, r := range regs {
		low := operand{r.offset, 64, false}
		if r.offset < 0 {
			out = append(out, low, low)
			continue
		}
		out = append(out, low, r.half(b.warps))
	}
	return out
}

// isLocal tells whether an access is to memory of the thread.
func (b *builder) isLocal(m *memoryOp) bool {
	return b.unit.hasCode() && (m.space == isa.Local || m.space == isa.ParamFunc)
}

// coded tells whether a load or store has machine code, but for local memory: the rows that it moves, and what emits the conversion of
// its register to or from these, nil when there is none.
func (b *builder) coded(m *memoryOp) (rows []operand, convert func(), ok bool) {
	store := b.inst.Op == isa.OpStore
	if !b.unit.hasCode() || b.isLocal(m) || store && m.space == isa.ParamEntry || len(b.unit.kernels[m.kernel(store)]) == 0 {
		return nil, nil, false
	}
	rows = m.regs
	if m.count == 1 {
		rows, convert = b.adapt(m, store)
	}
	for _, r := range rows {
		if r.offset < 0 || r.bits != max(m.elem*8, 32) && !(m.elem <= 2 && r.bits == 16) {
			return nil, nil, false
		}
	}
	// What is loaded is converted when all warps have it. Where Go makes the rest of an access, it converts what it loads, and has to
	// make all of it.
	return rows, convert, store || convert == nil || !rows[0].overlaps(m.base, b.warps)
}

// lowerAccess emits the machine code of a load or store of rows; run is for what it leaves to Go.
func (b *builder) lowerAccess(m *memoryOp, rows []operand, convert func(), reported bool, run func(g *gang, f *fragment, o *op) int) {
	store := b.inst.Op == isa.OpStore
	if store && convert != nil {
		convert()
	}
	w := work{kind: accesses, mem: m, store: store, rows: rows, reported: reported}
	if reported {
		b.observe(m, w)
	}
	o := b.accessStep(m, w, run)
	o.mem, o.coded, o.again = m, true, !store && convert != nil
	if !store && convert != nil {
		convert()
	}
}

// kernel names the machine code of a load or store.
func (m *memoryOp) kernel(store bool) string {
	name, width := "load", 64
	if store {
		name = "store"
	}
	if m.narrow {
		width = 32
	}
	return fmt.Sprintf("%s %dx%d at %d", name, m.elem, m.count, width)
}

// accessStep emits the machine code of a load or store, for which native code does w; run is for what it leaves to Go.
func (b *builder) accessStep(m *memoryOp, w work, run func(g *gang, f *fragment, o *op) int) *op {
	s := step{
		code: b.unit.kernels[m.kernel(w.store)][0].code, lanes: b.lanesOf(), imm: m.offset,
		y: uint32(m.region * regionBytes), x: uint32(b.pattern(m, w)),
	}
	for i, at := range []*uint32{&s.d, &s.b, &s.c, &s.e} {
		if i < len(w.rows) {
			*at = uint32(w.rows[i].offset)
		}
	}
	if m.base.offset >= 0 {
		s.a = uint32(m.base.offset)
	}
	w.pattern = int(s.x) / patternBytes
	return b.native(w, s, b.goOp(run))
}

// lowerAtomic emits the machine code of an atomic operation on one element.
func (b *builder) lowerAtomic(m *memoryOp) bool {
	place := "global at 64"
	switch {
	case !b.unit.hasCode() || m.count != 1 || m.base.offset < 0:
		return false
	case (m.space == isa.Shared || m.space == isa.SharedCluster) && m.narrow:
		place = "own at 32"
	case m.space == isa.Shared || m.space == isa.SharedCluster:
		place = "own at 64"
	case m.narrow:
		return false
	}
	form := b.inst.Form
	k, ok := b.unit.kernels["atomic "+isa.CombineOp(form)[1:]+form.Get("type")+" "+place]
	if !ok {
		return false
	}
	old := operand{offset: b.scratch[0].offset, bits: m.elem * 8}
	if len(m.atomic.dst) > 0 && m.atomic.dst[0].offset >= 0 {
		old = m.atomic.dst[0]
	}
	for _, o := range append(m.atomic.srcs, old) {
		if o.bits != m.elem*8 {
			return false
		}
	}
	b.setControl(k[0].control)
	s := step{
		code: k[0].code, d: uint32(old.offset), a: uint32(m.base.offset), b: uint32(m.atomic.srcs[0].offset),
		lanes: b.lanesOf(), imm: m.offset, y: uint32(m.region * regionBytes),
	}
	if len(m.atomic.srcs) > 1 {
		s.c = uint32(m.atomic.srcs[1].offset)
	}
	o := b.goStep(runAtomic)
	o.mem, o.coded = m, true
	b.steps[o.index] = s
	return true
}

// adapt fits the one register of an access to the rows that kernels know: it returns the row to load or
// store, and what emits the conversion between it and the register, nil when there is none.
func (b *builder) adapt(m *memoryOp, store bool) (rows []operand, convert func()) {
	r := m.regs[0]
	width := m.elem * 8
	switch {
	case r.offset < 0 && !store:
		return []operand{{offset: b.scratch[0].offset, bits: max(width, 32)}}, nil
	case r.bits == 64 && width < 64:
		row := b.narrow(0)
		if store {
			return []operand{row}, func() { b.try("unpack low", row, r) }
		}
		return []operand{row}, func() {
			extend := "zero"
			if m.signed {
				extend = "extend"
				b.extend(row, width)
			}
			b.try(extend, r, row)
		}
	case m.signed && !store && width < r.bits:
		return m.regs, func() { b.extend(r, width) }
	}
	return m.regs, nil
}

// extend emits the sign extension of the low bits of a row in place.
func (b *builder) extend(row operand, width int) {
	if width < row.bits {
		b.try(fmt.Sprintf("extend %d", width), row, row)
	}
}

// lowerLocal emits accesses to local memory, whose words are apart: a step for each.
func (b *builder) lowerLocal(m *memoryOp, run func(g *gang, f *fragment, o *op) int) bool {
	store := b.inst.Op == isa.OpStore
	name, width := "local load", 64
	if store {
		name = "local store"
	}
	if m.narrow {
		width = 32
	}
	if m.elem < 4 {
		return b.lowerLocalBytes(m, run)
	}
	k, ok := b.unit.kernels[fmt.Sprintf("%s at %d", name, width)]
	if !ok {
		return false
	}
	rows, convert, ok := b.localWords(m, store)
	if !ok || m.overwritesBase(store, rows, b.warps) {
		return false
	}
	for _, r := range rows {
		if r.offset < 0 || r.bits != 32 {
			return false
		}
	}
	if store && convert != nil {
		convert()
	}
	x := uint32(b.pattern(m, work{}))
	for i, r := range rows {
		s := step{code: k[0].code, d: uint32(r.offset), lanes: b.lanesOf(), imm: m.offset + uint64(i*4), x: x, y: 4}
		if i == 0 {
			s.y = uint32(m.bytes) // the first looks after all
		}
		if m.base.offset >= 0 {
			s.a = uint32(m.base.offset)
		}
		o := b.goStep(run)
		o.mem, o.again = m, len(rows) > 1 || !store && convert != nil
		b.steps[o.index] = s
	}
	if !store && convert != nil {
		convert()
	}
	return true
}

// localWords returns the rows of words that an access of local memory moves, and what emits the conversion of its registers to or from these, nil when there
// is none; false for elements that are no words.
func (b *builder) localWords(m *memoryOp, store bool) (rows []operand, convert func(), ok bool) {
	switch {
	case m.elem == 4 && m.count == 1:
		rows, convert = b.adapt(m, store)
		return rows, convert, true
	case m.elem == 4:
		return m.regs, nil, true
	case m.elem != 8 || m.count > 1 || m.regs[0].bits != 64 || m.regs[0].offset < 0:
		return nil, nil, false
	}
	rows = []operand{b.narrow(0), b.narrow(1)}
	if store {
		return rows, func() {
			b.try("unpack low", rows[0], m.regs[0])
			b.try("unpack high", rows[1], m.regs[0])
		}, true
	}
	return rows, func() { b.try("pack", m.regs[0], rows...) }, true
}

// overwritesBase tells whether a load of several words changes its own addresses before the last.
func (m *memoryOp) overwritesBase(store bool, rows []operand, warps int) bool {
	if store || len(rows) == 1 {
		return false
	}
	for _, r := range rows {
		if r.overlaps(m.base, warps) {
			return true
		}
	}
	return false
}

// shared knows which address patterns the steps of a segment so far have computed.
type shared struct {
	known map[patternKey]int
	next  int // index of the next pattern
	// inside holds what was computed under the present guard, whose lanes are not those of what follows.
	inside map[patternKey]bool
}

// patternKey is what a pattern depends on.
type patternKey struct {
	base  operand
	bytes int
}

func newShared() shared {
	return shared{known: map[patternKey]int{}, next: 1, inside: map[patternKey]bool{}}
}

// forget drops the patterns of addresses in a register that changes.
func (s *shared) forget(o operand, warps int) {
	for k := range s.known {
		if k.base.overlaps(o, warps) {
			delete(s.known, k)
		}
	}
}

func (s *shared) leaveGuard() {
	for k := range s.inside {
		delete(s.known, k)
	}
	clear(s.inside)
}

// patternBytes is the size of the patterns of a gang's warps.
const patternBytes = gangWarps * int(unsafe.Sizeof(pattern{}))

// pattern returns where in machine.patterns the access finds the patterns of its addresses, and emits the step
// that computes them unless one before has. Entry 0 is that of absolute addresses. Native code leaves no patterns behind: they are for
// the steps of its run alone.
func (b *builder) pattern(m *memoryOp, access work) int {
	if m.base.offset < 0 {
		return 0
	}
	if !b.joins(access) {
		b.endRun()
	}
	key := patternKey{m.base, m.bytes}
	n, ok := b.shared.known[key]
	if !ok {
		n = b.shared.next
		b.shared.next++
		b.shared.known[key] = n
		b.program.patterns = max(b.program.patterns, b.shared.next)
		if b.guarded {
			b.shared.inside[key] = true
		}
		name := "pattern 64"
		if m.narrow {
			name = "pattern 32"
		}
		s := step{
			code: b.unit.kernels[name][0].code, a: uint32(m.base.offset), lanes: b.lanesOf(),
			imm: uint64(m.bytes), x: uint32(n * patternBytes),
		}
		if b.joins(access) {
			b.native(work{kind: describes}, s, op{})
		} else {
			b.add(s, op{})
		}
	}
	return n * patternBytes
}
