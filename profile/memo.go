package profile

import "silica/internal/lanes"

// memos keeps scattered accesses of an instruction to a space. Most instructions make accesses of a few forms over and over, each at
// another place; where that place does not matter, or does so only in its lowest bits (phase), the counts are the same.
type memos struct {
	// tries counts accesses, of which missed were of forms that were not kept; of so many more none is looked for.
	tries, missed, left int
	ways                [1 << memoBits]memo
	units               []unitsMemo
}

const memoBits = 4

// of returns where an access of a phase, which differs from others in some number too, is kept.
func (m *memos) of(phase, other uint64) *memo {
	return &m.ways[(phase+other*31)*0x9E3779B97F4A7C15>>(64-memoBits)]
}

// useless tells whether the access at hand is not worth looking for: of those tried last few were of a form that was kept.
func (m *memos) useless() bool {
	const trial, pause = 256, 1 << 14
	if m.left > 0 {
		m.left--
		return true
	}
	if m.tries++; m.tries == trial {
		if m.missed > trial*3/4 {
			m.left = pause
		}
		m.tries, m.missed = 0, 0
	}
	return false
}

// memo keeps an access, and what was counted for it.
type memo struct {
	form   spanForm
	kind   shape  // of a form
	mask   uint32 // 0 when there is none
	size   uint64
	phase  uint64
	apart  [warpLanes]uint64 // from the first active lane's address
	counts counts
	stride int64
	strips []strip // of global memory, from the first active lane's sector
}

// spanForm is what the counts of an access depend on whose halves are uniform or contiguous: how far the halves are apart, formOf, and the lanes.
type spanForm struct {
	apart, rest uint64
	mask        uint32 // 0 when the memo keeps another access
}

// formOf has in a word which halves are contiguous, the phase and the size.
func formOf(lie halves, phase, size uint64) uint64 {
	form := phase<<2 | size<<16
	if lie.low {
		form |= 1
	}
	if lie.high {
		form |= 2
	}
	return form
}

// phaseOf returns what of an address the counts of an access depend on, beside how the lanes lie.
func phaseOf(space Space, size, base uint64) uint64 {
	switch {
	case space == Global:
		return base % lineBytes
	case size < wordBytes:
		return base % wordBytes
	}
	return 0 // aligned to words; turning the banks around changes no count
}

// fits tells whether an access has the form that was kept.
func (m *memo) fits(a access, base, phase uint64) bool {
	if m.mask != a.mask || m.size != a.size || m.phase != phase {
		return false
	}
	return lanes.Alike(a.addr, a.mask, base, &m.apart)
}

// keep makes an access the one that is kept.
func (m *memo) keep(a access, base, phase uint64) {
	m.mask, m.size, m.phase, m.form = a.mask, a.size, phase, spanForm{}
	for lane, addr := range a.addr {
		m.apart[lane] = addr - base
	}
}
