package profile

import (
	"slices"

	"silica/internal/exec"
)

// unitsMemo is what was counted of a list of accesses by all lanes of a warp, at one phase of its base.
type unitsMemo struct {
	list        *[warpLanes]uint64 // the first of it
	size, phase uint64
	counts      counts
	// uniform and contiguous of them lie so, the others are scattered.
	uniform, contiguous uint64
	strides             []int64 // of these, as they come
	strips              []strip // of global memory, from the base's sector
}

// unitsKept is how many lists an instruction's memo has at most.
const unitsKept = 64

// units adds accesses by all lanes of a warp, as the engines tell of the fragments of matrices: where the list of them is says what they are.
func (o *observer) units(t *Traffic, slot int32, s *site, space Space, size uint64, x *exec.Access) {
	n := uint64(len(x.Units))
	t.Requests += n
	t.move(n, fullWarp, size)
	m := o.unitsMemo(slot, s, space, size, x)
	t.count(&m.counts, 1)
	t.Uniform += m.uniform
	t.Contiguous += m.contiguous
	for _, stride := range m.strides {
		t.vote(stride, 1)
	}
	if space == Global {
		o.touched(s).enterStrips(x.Base/sectorBytes, m.strips)
	}
}

// unitsMemo returns the memo of a list, which is made when it is new.
func (o *observer) unitsMemo(slot int32, s *site, space Space, size uint64, x *exec.Access) *unitsMemo {
	all, phase := o.kept(slot), phaseOf(space, size, x.Base)
	for i := range all.units {
		if m := &all.units[i]; m.list == &x.Units[0] && m.size == size && m.phase == phase {
			return m
		}
	}
	if len(all.units) == unitsKept {
		all.units = all.units[:0]
	}
	all.units = append(all.units, o.measureUnits(s, space, size, phase, x))
	return &all.units[len(all.units)-1]
}

// measureUnits counts what a list of accesses asks of its space.
func (o *observer) measureUnits(s *site, space Space, size, phase uint64, x *exec.Access) unitsMemo {
	m := unitsMemo{list: &x.Units[0], size: size, phase: phase}
	var sectors []uint64
	for _, addr := range x.Units {
		for lane := range addr {
			addr[lane] += x.Base
		}
		a := access{&addr, fullWarp, size}
		kind, base := a.shape()
		switch kind {
		case uniform:
			m.uniform++
		case contiguous:
			m.contiguous++
		default:
			m.strides = append(m.strides, a.stride())
		}
		if space == Global {
			kind = scattered // whose sectors are listed
		}
		o.scratch.measure(&o.scratch.counts, s, space, a, kind, base)
		m.counts.add(&o.scratch.counts)
		if space == Global {
			sectors = append(sectors, o.scratch.sectors[:o.scratch.count]...)
		}
	}
	slices.Sort(sectors)
	m.strips = stripsOf(nil, sectors, x.Base/sectorBytes)
	return m
}
