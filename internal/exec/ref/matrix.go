package ref

// executeMatrix moves matrices between memory and the registers of the active lanes.
func executeMatrix(w *warp, f *fragment, s *step, active uint32) {
	x := &w.worker.scratch
	m := &x.matrix
	m.Warp.Active, m.Space = active, s.Addr.Space
	m.Memory = asyncMemory{w, &x.views[s.view], firstLane(active)}
	for i, o := range s.Src {
		lanes(active, func(lane int) { m.Warp.Src[i][lane] = w.get(f, o, lane) })
	}
	lanes(active, func(lane int) { m.Addr[lane] = w.formAddress(f, &s.Addr, lane) })
	m.Report = nil
	if w.observed() {
		m.Report = func(mask uint32, addr *[32]uint64, bytes int) {
			x.formed = *addr
			w.observe(f, s, m.Space, mask, bytes)
		}
	}
	if lane, fault := s.matrix(m); fault != nil {
		w.fail(f, lane, fault)
		return
	}
	for i, o := range s.Dst {
		lanes(active, func(lane int) { w.set(f, o, lane, m.Warp.Dst[i][lane]) })
	}
}
