package ref

// executeWarpSync lets the active lanes arrive at an instruction that runs when all lanes of its member
// mask, or of the warp, have arrived. Lanes may name different masks.
func executeWarpSync(w *warp, f *fragment, s *step, active uint32) {
	if guarded := f.mask &^ active; guarded != 0 {
		w.count(f, guarded, 0)
		w.goOn(f, s, guarded)
	}
	for active != 0 {
		member, same := uint64(^uint32(0)), active
		if s.member >= 0 {
			member = w.get(f, s.Src[s.member], firstLane(active))
			same = w.lanesWith(f, s.Src[s.member], active, member)
		}
		active &^= same
		g := w.split(f, same)
		g.waits, g.member = waitsWarp, uint32(member)
	}
	w.rendezvous()
}

// rendezvous runs the instructions whose lanes have all arrived or exited. Lanes that arrived at other
// instructions with the same mask count, as on the hardware; each then runs its own with the lanes that
// are there.
func (w *warp) rendezvous() {
	for {
		f := w.lowest(func(f *fragment) bool { return w.allArrived(f.member) })
		if f == nil {
			return
		}
		w.release(f.member)
	}
}

// lowest returns the fragment with the lowest lane of those that wait for lanes of the warp and that chosen picks, nil when
// there is none.
func (w *warp) lowest(chosen func(f *fragment) bool) (best *fragment) {
	for _, f := range w.fragments {
		if f.waits == waitsWarp && (best == nil || firstLane(f.mask) < firstLane(best.mask)) && chosen(f) {
			best = f
		}
	}
	return best
}

// allArrived tells whether every live lane of member waits for it.
func (w *warp) allArrived(member uint32) bool {
	var arrived uint32
	for _, f := range w.fragments {
		if f.waits == waitsWarp && f.member == member {
			arrived |= f.mask
		}
	}
	return member&w.live&^arrived == 0
}

// release lets the fragments that wait for member go on, those at the same instruction together, the lowest lane first.
func (w *warp) release(member uint32) {
	for {
		f := w.lowest(func(f *fragment) bool { return f.member == member })
		if f == nil {
			break
		}
		f.waits = waitsNot
		f.member = 0
		w.gather(f, member)
		s := &f.frame.fn.code[f.pc]
		w.count(f, f.mask, f.mask)
		if s.together != nil {
			s.together(w, f, s, f.mask)
		}
		f.pc = s.Next
	}
	for i := len(w.fragments) - 1; i >= 0; i-- {
		if f := w.fragments[i]; f.mask == 0 {
			w.drop(f)
		}
	}
}

// gather moves to f the lanes of the others that wait for member at the same instruction.
func (w *warp) gather(f *fragment, member uint32) {
	for _, g := range w.fragments {
		if g.waits == waitsWarp && g.member == member && g.pc == f.pc && g.frame == f.frame {
			g.waits = waitsNot
			f.mask |= g.mask
			f.age, f.spins, f.gaveWay = 0, 0, false
			g.mask = 0
		}
	}
}
