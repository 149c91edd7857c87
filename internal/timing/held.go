package timing

// held is what the caches hold when a launch begins.
type held struct {
	footprints []*Footprint // of launches before, the latest first
	// part is how much of the last of them is still there.
	part float64
	code bool // the instructions and constants of the kernel
}

// newHeld finds which of the launches before fit in L2 together.
func newHeld(m *machine, l Launch) held {
	var h held
	room := m.room()
	for i := range l.Before {
		b := &l.Before[i]
		h.code = h.code || b.Program == l.Program
		n := b.Footprint.sums(m.model.L2Halves, &held{}).sectors
		if room <= 0 || n == 0 {
			continue
		}
		h.footprints, h.part = append(h.footprints, b.Footprint), min(1, room/n)
		room -= n
	}
	return h
}

// room is how many sectors of data L2 holds.
func (m *machine) room() float64 { return m.model.L2Useful * float64(m.l2Bytes) / sectorBytes }

// empty tells whether L2 holds nothing.
func (h *held) empty() bool { return len(h.footprints) == 0 }

// has tells whether L2 holds a sector.
func (h *held) has(sector uint64) bool {
	for i, f := range h.footprints {
		if f.touched(sector).sms == 0 {
			continue
		}
		// Which of the last one's sectors made room for others is anyone's guess.
		return i+1 < len(h.footprints) || float64(sector*0x9e3779b97f4a7c15>>32) < h.part*(1<<32)
	}
	return false
}
