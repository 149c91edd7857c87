package timing

import (
	"slices"
	"strings"

	"silica/internal/sass"
)

func hasModifier(in *sass.Inst, mod string) bool {
	return slices.Contains(strings.Split(in.Mods, "."), mod)
}

// barrier lets a warp arrive at a barrier of its block.
func (c *core) barrier(w *warp, op *operation) {
	id, wanted := 0, 0
	for i, s := range op.inst.Src {
		if s.Kind == sass.Immediate {
			if i == 0 {
				id = int(s.Value)
			} else {
				wanted = int(s.Value) / 32
			}
		}
	}
	b := w.block
	m := b.bars[id]
	if m == nil {
		m = &meeting{}
		b.bars[id] = m
	}
	m.wanted = wanted
	m.arrived++
	b.adu = max(b.adu, float64(c.now)) + c.m.model.BarrierArrival
	if !hasModifier(op.inst, "ARV") {
		m.waiting = append(m.waiting, w)
		w.earliest, w.why = never, Barrier
	}
	c.meet(b, m)
}

// meet ends a barrier at which all warps have arrived.
func (c *core) meet(b *residentBlock, m *meeting) {
	wanted := m.wanted
	if wanted == 0 {
		wanted = b.live
	}
	if m.arrived == 0 || m.arrived < wanted {
		return
	}
	at := int64(max(b.adu, float64(c.now)) + c.m.latency.barrierBase - c.m.model.BarrierArrival)
	waiting := m.waiting
	m.waiting, m.arrived = nil, 0
	for _, w := range waiting {
		w.earliest, w.why = at, Barrier
		if w.op != nil && w.depends == never { // it waits for this barrier with its next operation at hand
			c.rearm(w)
		}
	}
}

// rearm prepares a warp again whose barrier has ended.
func (c *core) rearm(w *warp) {
	c.arrive(w)
	w.sub.next = min(w.sub.next, max(w.depends, c.now+1))
}
