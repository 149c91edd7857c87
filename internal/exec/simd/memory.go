package simd

import (
	"math"
	"math/bits"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/isa"
	"silica/internal/mem"
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
	frame       bool // relative to the frame's local base
	offset      uint64
	narrow      bool // the base is a 32-bit register: addresses wrap at 2^32
	// Instructions of a segment with the same base and size share an entry of gang.patterns; the first
	// computes it.
	pattern int
	first   bool
	polls   bool // may wait for another block: compare-and-swap, exchange, volatile or ordered load
	atomic  *atomicOp
	// move is the routine for simple patterns, nil when there is none; wrapMask is 2^32-1 for narrow addresses.
	move     transfer
	wrapMask uint64
	// lanes holds lane*bytes, the addresses of a contiguous access from lane 0's.
	lanes *[warpLanes]uint64
}

func (p *program) memory(o *op, unit *vectorUnit) {
	inst := o.inst
	access := inst.Mem
	m := &memoryOp{
		space: inst.Addr.Space, elem: access.Type.Bytes(), count: max(access.Vector, 1),
		signed: access.Type.Kind() == isa.Signed, base: p.operand(inst.Addr.Base), offset: uint64(inst.Addr.Offset),
		polls: access.Order != "",
	}
	m.narrow = m.base.bits == 32
	m.frame = m.base.offset < 0 && (m.space == isa.Local || m.space == isa.ParamFunc)
	m.bytes = m.elem * m.count
	m.lanes = laneOffsets(m.bytes)
	m.wrapMask = math.MaxUint64
	if m.narrow {
		m.wrapMask = math.MaxUint32
	}
	o.mem = m
	switch inst.Op {
	case isa.OpLoad:
		m.regs, o.run = p.pieces(m, o.dst), runLoad
		m.move = m.transferOf(unit, true)
	case isa.OpStore:
		m.regs, o.run = p.pieces(m, o.srcs[:m.count]), runStore
		m.move = m.transferOf(unit, false)
	case isa.OpAtom, isa.OpRed:
		p.atomic(o)
	case isa.OpPrefetch:
		o.run = runNothing
	}
}

// pieces splits the registers of 128-bit elements in halves.
func (p *program) pieces(m *memoryOp, regs []operand) []operand {
	if m.elem != 16 {
		return regs
	}
	m.elem, m.count = 8, m.count*2
	var out []operand
	for _, r := range regs {
		low := r
		low.bits = 64
		if r.offset < 0 {
			out = append(out, low, low)
			continue
		}
		out = append(out, low, r.half(p))
	}
	return out
}

// sharePatterns lets the memory instructions of a segment that use the same base register, unchanged
// between them, share one address pattern. Guarded instructions run with lanes of their own and use
// entry 0; atomics look at each lane's address.
func (p *program) sharePatterns(fn *function) {
	type key struct {
		base, bytes int
		frame       bool
	}
	known := map[key]int{}
	next := 1
	for pc := range fn.ops {
		o := &fn.ops[pc]
		if pc == 0 || fn.ops[pc-1].segmentEnd != o.segmentEnd || o.segmentEnd == pc {
			clear(known)
			next = 1
		}
		if m := o.mem; m != nil && m.atomic == nil {
			k := key{m.base.offset, m.bytes, m.frame}
			index, seen := known[k]
			switch {
			case o.guard.offset >= 0:
				index, seen = 0, false
			case !seen:
				index = next
				known[k] = index
				next++
			}
			m.pattern, m.first = index, !seen
		}
		for _, d := range o.dst {
			for k := range known {
				if d.bits != 1 && d.offset >= 0 && k.base == d.offset {
					delete(known, k)
				}
			}
		}
		fn.patterns = max(fn.patterns, next)
	}
}

// addresses returns the pattern of each warp's addresses, before the instruction's offset is added.
func (g *gang) addresses(o *op, masks *[gangWarps]uint32) *[gangWarps]pattern {
	m := o.mem
	out := &g.patterns[m.pattern]
	if !m.first {
		return out
	}
	switch {
	case m.frame && o.fn.localBase.offset >= 0:
		g.unit.widen32(ptr(&g.scratch), g.row(o.fn.localBase, 0), g.warps)
		g.unit.patterns(ptr(&g.scratch), &masks[0], uint64(m.bytes), g.warps, &out[0])
	case m.base.offset < 0:
		for w := range g.warps {
			out[w] = pattern{kind: uniform}
		}
	case m.narrow:
		g.unit.widen32(ptr(&g.scratch), g.row(m.base, 0), g.warps)
		g.unit.patterns(ptr(&g.scratch), &masks[0], uint64(m.bytes), g.warps, &out[0])
	default:
		g.unit.patterns(g.row(m.base, 0), &masks[0], uint64(m.bytes), g.warps, &out[0])
	}
	return out
}

// laneAddress returns the address of one lane with the offset added.
func (g *gang) laneAddress(o *op, w, lane int) uint64 {
	m := o.mem
	switch {
	case m.frame && o.fn.localBase.offset >= 0:
		return g.read(o.fn.localBase, w, lane) + m.offset
	case m.base.offset < 0:
		return m.offset
	}
	return m.wrap(g.read(m.base, w, lane))
}

// wrap adds the offset to a base address.
func (m *memoryOp) wrap(base uint64) uint64 {
	if m.narrow {
		return uint64(uint32(base + m.offset))
	}
	return base + m.offset
}

// host returns a pointer to n bytes at an aligned address of a space that is one piece of host
// memory; nil when the access is not legal or has to be made lane by lane.
func (g *gang) host(m *memoryOp, addr uint64, n int) ptr {
	space := m.space
	if space == isa.Generic {
		space = isa.SpaceOf(addr)
		if space != isa.Global && space != isa.SpaceOf(addr+uint64(n)-1) {
			return nil
		}
		addr -= exec.Window(space)
	}
	if addr&uint64(m.bytes-1) != 0 {
		return nil
	}
	switch space {
	case isa.Global, isa.Const:
		if p, ok := g.view().Range(addr, uint64(n)); ok {
			return p
		}
	case isa.Shared, isa.SharedCluster:
		if b := g.block; addr+uint64(n) <= uint64(b.sharedBytes) {
			return unsafe.Add(b.shared, addr)
		}
	case isa.ParamEntry:
		if p := g.block.launch.Params; addr+uint64(n) <= uint64(len(p)) {
			return unsafe.Add(ptr(unsafe.SliceData(p)), addr)
		}
	}
	return nil
}

// locate returns where one lane's access goes: a host pointer, or (for local memory) nil and the
// thread's local address. It raises the fault of an illegal access.
func (g *gang) locate(o *op, w, lane int) (p ptr, local uint64, ok bool) {
	m := o.mem
	addr := g.laneAddress(o, w, lane)
	space, offset := m.space, addr
	if space == isa.Generic {
		space = isa.SpaceOf(addr)
		offset = addr - exec.Window(space)
	}
	legal := offset&uint64(m.bytes-1) == 0
	if space == isa.Local || space == isa.ParamFunc {
		if legal && offset+uint64(m.bytes) <= uint64(g.local.limit) && g.local.reserve(g.warps, int(offset)+m.bytes) {
			return nil, offset, true
		}
	} else if p := g.host(m, addr, m.bytes); p != nil {
		return p, 0, true
	}
	fault := exec.ExplainAccess(g.block.launch, space, addr, m.bytes)
	return nil, 0, g.raise(o, fault.Kind, w, lane, addr, m.bytes, fault.Detail)
}

func runLoad(g *gang, o *op) bool {
	masks, any := g.guard(o)
	if !any {
		return true
	}
	m := o.mem
	if m.polls {
		g.block.polls++
	}
	patterns := g.addresses(o, masks)
	g.observe(o, masks, patterns)
	for w := 0; w < g.warps; w++ {
		if m.move != nil {
			if w += g.transfer(m, masks, patterns, w); w == g.warps {
				break
			}
		}
		mask := masks[w]
		if mask == 0 {
			continue
		}
		pat := &patterns[w]
		switch pat.kind {
		case uniform:
			if p := g.host(m, m.wrap(pat.base), m.bytes); p != nil {
				for i, r := range m.regs {
					g.fill(r, w, mask, m.extend(mem.Load(unsafe.Add(p, i*m.elem), m.elem)))
				}
				continue
			}
		case contiguous:
			if p := g.lane0(m, pat, mask); p != nil {
				g.loadContiguous(m, w, mask, p)
				continue
			}
		case scattered:
			if p := g.span(m, pat); p != nil {
				g.loadAt(m, w, mask, g.addressRow(o, w), uint64(uintptr(p))-pat.base)
				continue
			}
		}
		if !g.loadLanes(o, w, mask) {
			return false
		}
	}
	return true
}

// transfer moves the warps from w on as far as one region of memory and simple patterns go; it returns how many.
func (g *gang) transfer(m *memoryOp, masks *[gangWarps]uint32, patterns *[gangWarps]pattern, w int) int {
	var base, size uint64
	var start ptr
	switch m.space {
	case isa.Shared:
		size, start = uint64(g.block.sharedBytes), g.block.shared
	default:
		base, size, start = g.view().Hit()
	}
	return m.move(g.row(m.regs[0], w), &patterns[w], &masks[w], m.offset, m.wrapMask, base, size, start, g.warps-w)
}

// transferOf returns the routine for accesses of one aligned piece to shared or global memory.
func (m *memoryOp) transferOf(u *vectorUnit, isLoad bool) transfer {
	if m.count != 1 || m.regs[0].offset < 0 || m.space != isa.Shared && m.space != isa.Global {
		return nil
	}
	switch {
	case m.elem == 4 && m.regs[0].bits == 32 && isLoad:
		return u.load32
	case m.elem == 4 && m.regs[0].bits == 32:
		return u.store32
	case m.elem == 8 && m.regs[0].bits == 64 && isLoad:
		return u.load64
	case m.elem == 8 && m.regs[0].bits == 64:
		return u.store64
	}
	return nil
}

// lane0 returns the host address that lane 0 has in a contiguous access; nil when it is not legal.
func (g *gang) lane0(m *memoryOp, pat *pattern, mask uint32) ptr {
	first, last := bits.TrailingZeros32(mask), 31-bits.LeadingZeros32(mask)
	start := m.wrap(pat.base + uint64(first*m.bytes))
	p := g.host(m, start, (last-first+1)*m.bytes)
	if p == nil {
		return nil
	}
	return unsafe.Add(p, -first*m.bytes)
}

// span returns the host address of the lowest address of a scattered access whose addresses all lie in
// one legal range; nil otherwise.
func (g *gang) span(m *memoryOp, pat *pattern) ptr {
	low, high := m.wrap(pat.base), m.wrap(pat.high)
	if high < low || high-low != pat.high-pat.base || high-low > 1<<40 || (pat.bits|m.offset)&uint64(m.bytes-1) != 0 {
		return nil
	}
	return g.host(m, low, int(high-low)+m.bytes)
}

func (m *memoryOp) extend(v uint64) uint64 {
	if m.signed {
		shift := 64 - m.elem*8
		return uint64(int64(v<<shift) >> shift)
	}
	return v
}

// fill sets the masked lanes of one warp.
func (g *gang) fill(o operand, w int, mask uint32, v uint64) {
	switch {
	case o.offset < 0:
	case o.bits >= 64:
		g.unit.fill64(g.row(o, w), v, mask)
	default:
		g.unit.fill32(g.row(o, w), uint32(v)&uint32(1<<o.bits-1), mask)
	}
}

// laneOffsets returns the row of 64-bit numbers lane*bytes.
func laneOffsets(bytes int) *[warpLanes]uint64 {
	var row [warpLanes]uint64
	for i := range row {
		row[i] = uint64(i * bytes)
	}
	return &row
}

func (g *gang) loadContiguous(m *memoryOp, w int, mask uint32, lane0 ptr) {
	if m.count == 1 && m.regs[0].offset >= 0 {
		switch {
		case m.elem == 4 && m.regs[0].bits == 32:
			g.unit.copy32(g.row(m.regs[0], w), lane0, mask)
			return
		case m.elem == 8 && m.regs[0].bits >= 64:
			g.unit.copy64(g.row(m.regs[0], w), lane0, mask)
			return
		}
	}
	g.loadAt(m, w, mask, ptr(m.lanes), uint64(uintptr(lane0)))
}

// addressRow returns the 64-bit addresses of one warp's lanes, without the offset.
func (g *gang) addressRow(o *op, w int) ptr {
	m := o.mem
	switch {
	case m.frame:
		g.unit.widen32(ptr(&g.scratch), g.row(o.fn.localBase, w), 1)
	case m.narrow:
		g.unit.widen32(ptr(&g.scratch), g.row(m.base, w), 1)
	default:
		return g.row(m.base, w)
	}
	return ptr(&g.scratch)
}

// loadAt loads the pieces of each lane from the host address addr[lane]+delta, which has been checked.
func (g *gang) loadAt(m *memoryOp, w int, mask uint32, addr ptr, delta uint64) {
	for i, r := range m.regs {
		at := delta + uint64(i*m.elem)
		switch {
		case r.offset < 0:
		case m.elem == 4 && r.bits == 32:
			g.unit.gather32(g.row(r, w), addr, at, mask)
		case m.elem == 8 && r.bits >= 64:
			g.unit.gather64(g.row(r, w), addr, at, mask)
		default:
			for rest := mask; rest != 0; rest &= rest - 1 {
				lane := bits.TrailingZeros32(rest)
				g.write(r, w, lane, m.extend(m.loadHost(laneAt(addr, lane)+at)))
			}
		}
	}
}

// storeAt stores the pieces of each lane to the host address addr[lane]+delta, which has been checked.
func (g *gang) storeAt(m *memoryOp, w int, mask uint32, addr ptr, delta uint64) {
	for i, r := range m.regs {
		at := delta + uint64(i*m.elem)
		switch {
		case m.elem == 4 && r.bits == 32:
			g.unit.scatter32(g.row(r, w), addr, at, mask)
		case m.elem == 8 && r.bits >= 64:
			g.unit.scatter64(g.row(r, w), addr, at, mask)
		default:
			for rest := mask; rest != 0; rest &= rest - 1 {
				lane := bits.TrailingZeros32(rest)
				mem.Store(ptr(hostAt[uint32](laneAt(addr, lane)+at)), m.elem, g.read(r, w, lane))
			}
		}
	}
}

func laneAt(addr ptr, lane int) uint64 { return *at[uint64](addr, lane) }

func (m *memoryOp) loadHost(a uint64) uint64 { return mem.Load(ptr(hostAt[uint32](a)), m.elem) }

func (g *gang) loadLanes(o *op, w int, mask uint32) bool {
	m := o.mem
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros32(mask)
		p, local, ok := g.locate(o, w, lane)
		if !ok {
			return false
		}
		for i, r := range m.regs {
			var v uint64
			if p != nil {
				v = mem.Load(unsafe.Add(p, i*m.elem), m.elem)
			} else {
				v = g.local.load(w, lane, local+uint64(i*m.elem), m.elem)
			}
			g.write(r, w, lane, m.extend(v))
		}
	}
	return true
}

func runStore(g *gang, o *op) bool {
	masks, any := g.guard(o)
	if !any {
		return true
	}
	m := o.mem
	patterns := g.addresses(o, masks)
	g.observe(o, masks, patterns)
	for w := 0; w < g.warps; w++ {
		if m.move != nil {
			if w += g.transfer(m, masks, patterns, w); w == g.warps {
				break
			}
		}
		mask := masks[w]
		if mask == 0 {
			continue
		}
		pat := &patterns[w]
		switch pat.kind {
		case contiguous:
			if p := g.lane0(m, pat, mask); p != nil {
				g.storeContiguous(m, w, mask, p)
				continue
			}
		case scattered:
			if p := g.span(m, pat); p != nil {
				g.storeAt(m, w, mask, g.addressRow(o, w), uint64(uintptr(p))-pat.base)
				continue
			}
		}
		if !g.storeLanes(o, w, mask) {
			return false
		}
	}
	return true
}

func (g *gang) storeContiguous(m *memoryOp, w int, mask uint32, lane0 ptr) {
	if m.count == 1 {
		switch {
		case m.elem == 4 && m.regs[0].bits == 32:
			g.unit.copy32(lane0, g.row(m.regs[0], w), mask)
			return
		case m.elem == 8 && m.regs[0].bits >= 64:
			g.unit.copy64(lane0, g.row(m.regs[0], w), mask)
			return
		}
	}
	g.storeAt(m, w, mask, ptr(m.lanes), uint64(uintptr(lane0)))
}

func (g *gang) storeLane(m *memoryOp, w, lane int, p ptr) {
	for i, r := range m.regs {
		mem.Store(unsafe.Add(p, i*m.elem), m.elem, g.read(r, w, lane))
	}
}

func (g *gang) storeLanes(o *op, w int, mask uint32) bool {
	m := o.mem
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros32(mask)
		p, local, ok := g.locate(o, w, lane)
		switch {
		case !ok:
			return false
		case p != nil:
			g.storeLane(m, w, lane, p)
		default:
			for i, r := range m.regs {
				g.local.store(w, lane, local+uint64(i*m.elem), m.elem, g.read(r, w, lane))
			}
		}
	}
	return true
}

// observe reports an access to whoever listens, a warp at a time. patterns is nil when nobody computed them.
func (g *gang) observe(o *op, masks *[gangWarps]uint32, patterns *[gangWarps]pattern) {
	observer := g.block.worker.observer
	if observer == nil {
		return
	}
	for w := range g.warps {
		if masks[w] == 0 {
			continue
		}
		var pat *pattern
		if patterns != nil {
			pat = &patterns[w]
		}
		g.observeAddresses(o, w, masks[w], pat)
		g.report(observer, o, w, masks[w], o.mem.space, o.mem.bytes)
	}
}

// report tells of an access of one warp to the addresses in g.observed, once for each space that it reaches.
func (g *gang) report(observer exec.Observer, o *op, w int, mask uint32, space isa.Space, bytes int) {
	a := &g.access
	a.Func, a.PC, a.Block, a.Inst, a.Bytes = o.fn.ir.Index, o.pc, g.block.linear, o.inst, bytes
	a.Addr, a.Warp, a.Space, a.Mask = &g.observed, g.firstWarp+w, space, mask
	if space != isa.Generic {
		observer.Access(a)
		return
	}
	for left := mask; left != 0; {
		a.Mask = 0
		a.Space = isa.SpaceOf(g.observed[bits.TrailingZeros32(left)])
		for m := left; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			if v := &g.observed[lane]; isa.SpaceOf(*v) == a.Space {
				*v -= exec.Window(a.Space)
				a.Mask |= 1 << lane
			}
		}
		left &^= a.Mask
		observer.Access(a)
	}
}

// observeAddresses writes the addresses of one warp's lanes to g.observed.
func (g *gang) observeAddresses(o *op, w int, mask uint32, pat *pattern) {
	m := o.mem
	switch {
	case pat != nil && pat.kind != scattered:
		v, step := m.wrap(pat.base), uint64(0)
		if pat.kind == contiguous {
			step = uint64(m.bytes)
		}
		for lane := range g.observed {
			g.observed[lane] = v
			v += step
		}
	case m.base.offset >= 0 && m.base.bits == 64:
		row := g.row(m.base, w)
		for lane := range g.observed {
			g.observed[lane] = *at[uint64](row, lane) + m.offset
		}
	default:
		for ; mask != 0; mask &= mask - 1 {
			lane := bits.TrailingZeros32(mask)
			g.observed[lane] = g.laneAddress(o, w, lane)
		}
	}
}
