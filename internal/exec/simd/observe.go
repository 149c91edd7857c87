package simd

import (
	"math/bits"

	"silica/internal/exec"
	"silica/internal/isa"
)

// reportsTogether tells whether the accesses of an instruction are reported together.
func (b *builder) reportsTogether(m *memoryOp) bool {
	return b.counted && b.unit.hasCode() && m.atomic == nil && m.space != isa.SharedCluster && (m.space != isa.Generic || !m.narrow)
}

// togetherBytes is the size of the counters of an instruction: of uniform accesses and of contiguous ones.
const togetherBytes = 16

// observe emits the steps that report the accesses of an instruction; w is what native code does for it, which reports them itself.
func (b *builder) observe(m *memoryOp, w work) {
	if b.reportsTogether(m) {
		b.observeTogether(m, w)
		return
	}
	formed := b.formAddresses(m, w)
	o := b.reportStep(w, runObserve)
	o.mem, o.formed = m, formed
}

// reportStep appends a step that only Go runs, in front of an access for which native code does w.
func (b *builder) reportStep(w work, run func(g *gang, f *fragment, o *op) int) *op {
	if b.joins(w) {
		return b.native(work{kind: describes}, step{code: b.unit.controls[controlExit]}, b.goOp(run))
	}
	o := b.goStep(run)
	o.reports = true
	return o
}

// observeTogether emits the steps that report the accesses of an instruction together. Where it does not matter at which word they
// begin, machine code counts those of full warps that are uniform or contiguous; Go reports the others.
func (b *builder) observeTogether(m *memoryOp, w work) {
	const word = 4
	s := step{x: uint32(b.pattern(m, w)), lanes: b.lanesOf()}
	o := b.reportStep(w, runSpans)
	o.mem, o.pattern = m, int(s.x)/patternBytes
	if (m.space == isa.Shared || m.space == isa.ParamEntry) && m.bytes >= word {
		s.d = uint32(b.counters)
		b.counters += togetherBytes
		s.code = b.unit.controls[controlObserve]
		b.steps[o.index], o.counter, o.counted = s, int(s.d), true
	}
}

// runSpans reports the access that follows.
func runSpans(g *gang, _ *fragment, o *op) int {
	m, n := o.mem, 0
	spans := &g.worker.spans
	for w, lanes := range g.lanesOf(o) {
		if lanes == 0 {
			continue
		}
		if g.patterns[o.pattern][w].span(m, lanes, &spans[n]) {
			n++
			continue
		}
		addr := &g.worker.addresses[w]
		g.addresses(m, w, lanes, addr)
		g.report(o, w, m.space, lanes, addr, m.bytes)
	}
	if n > 0 {
		x := &g.worker.access
		*x = exec.Access{
			Func: o.fn.index, PC: o.pc, Inst: o.inst, Space: m.space, Bytes: m.bytes, Times: 1, Spans: spans[:n],
		}
		if m.space == isa.Generic {
			x.Space = isa.Global
		}
		g.worker.observer.Access(x)
		x.Spans = nil
	}
	return o.index + 1
}

// span sets where lanes of a warp access memory; false when their addresses are not alike, or generic ones that may be of another
// space than global memory.
func (p *pattern) span(m *memoryOp, lanes uint32, s *exec.Span) bool {
	low := p.base + m.offset
	high := low
	s.Times, s.Step = 1, 0
	switch {
	case p.kind == scattered || p.kind >= halves && lanes != allLanes:
		return false
	case p.kind == uniform:
		s.Contiguous = [2]bool{}
	case p.kind == contiguous:
		high += warpLanes / 2 * uint64(m.bytes)
		s.Contiguous = [2]bool{true, true}
	default:
		high = p.high + m.offset
		s.Contiguous = [2]bool{p.kind&1 != 0, p.kind&2 != 0}
	}
	if m.narrow {
		low, high = uint64(uint32(low)), uint64(uint32(high))
	}
	s.Base[0], s.Base[1], s.Mask = low, high, lanes
	return m.space != isa.Generic || min(low, high) >= isa.GlobalBase
}

// runObserve reports the access that follows, once for each warp and space that it reaches.
func runObserve(g *gang, _ *fragment, o *op) int {
	m := o.mem
	for w, lanes := range g.lanesOf(o) {
		if lanes == 0 {
			continue
		}
		addr := &g.worker.addresses[w]
		if !o.formed {
			g.addresses(m, w, lanes, addr)
		}
		g.report(o, w, m.space, lanes, addr, m.bytes)
	}
	return o.index + 1
}

// observed tells whether anybody listens to the accesses of the gang.
func (g *gang) observed() bool { return g.worker.observer != nil || g.block.tracer != nil }

// listen passes an access to those who listen.
func (g *gang) listen(x *exec.Access) {
	if o := g.worker.observer; o != nil {
		o.Access(x)
	}
	if t := g.block.tracer; t != nil {
		t.Access(x)
	}
}

// report reports an access of lanes of warp w to addresses, which it may change, in the space that the instruction names,
// once for each space that it reaches.
func (g *gang) report(o *op, w int, named isa.Space, lanes uint32, addr *[warpLanes]uint64, bytes int) {
	x := &g.worker.access
	x.Func, x.PC, x.Block, x.Warp, x.Inst = o.fn.index, o.pc, g.block.number, g.firstWarp+w, o.inst
	x.Addr, x.Bytes, x.Times = addr, bytes, 1
	if named != isa.Generic && named != isa.SharedCluster {
		x.Space, x.Mask = named, lanes
		g.listen(x)
		return
	}
	if named == isa.Generic && allGlobal(addr, lanes) {
		x.Space, x.Mask = isa.Global, lanes
		g.listen(x)
		return
	}
	var reached [16]uint32 // lanes by space
	for left := lanes; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left)
		space, offset := spaceOf(named, addr[lane])
		if space == isa.SharedCluster {
			if owner, in := exec.SharedOwner(offset, g.block.rank); owner == g.block.rank {
				space, offset = isa.Shared, in
			}
		}
		addr[lane] = offset
		reached[space] |= 1 << lane
	}
	for space, mask := range reached {
		if mask != 0 {
			x.Space, x.Mask = isa.Space(space), mask
			g.listen(x)
		}
	}
}

// reportUnits reports accesses by all lanes of a warp that are so far behind a base; false where they have to be reported one by one.
func (g *gang) reportUnits(o *op, space isa.Space, units [][warpLanes]uint64, base uint64, bytes int) bool {
	w := g.worker
	switch {
	case w.observer == nil || g.block.tracer != nil || !w.Together || !w.AcrossBlocks:
		return false
	case space == isa.Generic && base >= isa.GlobalBase:
		space = isa.Global
	case space != isa.Global && space != isa.Shared:
		return false
	}
	x := &w.access
	*x = exec.Access{Func: o.fn.index, PC: o.pc, Inst: o.inst, Space: space, Bytes: bytes, Times: 1, Units: units, Base: base}
	w.observer.Access(x)
	x.Units = nil
	return true
}

// allGlobal tells whether the generic addresses of all lanes are known to be in global memory.
func allGlobal(addr *[warpLanes]uint64, lanes uint32) bool {
	if lanes == allLanes {
		least := [4]uint64{addr[0], addr[1], addr[2], addr[3]}
		for lane := len(least); lane < warpLanes; lane += len(least) { // side by side
			least[0] = min(least[0], addr[lane])
			least[1] = min(least[1], addr[lane+1])
			least[2] = min(least[2], addr[lane+2])
			least[3] = min(least[3], addr[lane+3])
		}
		return min(least[0], least[1], least[2], least[3]) >= isa.GlobalBase
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		if addr[bits.TrailingZeros32(lanes)] < isa.GlobalBase {
			return false
		}
	}
	return true
}

// reportTogether reports the accesses that machine code has counted.
func (w *worker) reportTogether() {
	for _, fn := range w.program.funcs {
		for i := range fn.plain.ops {
			o := &fn.plain.ops[i]
			if !o.counted {
				continue
			}
			counters := (*[togetherBytes / 8]uint64)(w.counters[fn.index][o.counter/8:])
			for contiguous, times := range counters {
				if times == 0 {
					continue
				}
				var addr [warpLanes]uint64
				for lane := range addr {
					addr[lane] = uint64(contiguous * lane * o.mem.bytes)
				}
				w.observer.Access(&exec.Access{
					Func: fn.index, PC: o.pc, Inst: o.inst, Space: o.mem.space, Mask: allLanes, Addr: &addr, Bytes: o.mem.bytes, Times: times,
				})
			}
		}
	}
}
