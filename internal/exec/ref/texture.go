package ref

import "silica/internal/exec"

// executeTexture samples textures and accesses surfaces for the active lanes.
func executeTexture(w *warp, f *fragment, s *step, active uint32) {
	x := &w.worker.scratch
	t := &x.texture
	t.Launch, t.Warp.Active, t.Space = w.worker.Launch, active, s.Addr.Space
	t.Memory = asyncMemory{w, &x.views[s.view], firstLane(active)}
	for i, o := range s.Src {
		lanes(active, func(lane int) { t.Warp.Src[i][lane] = w.get(f, o, lane) })
	}
	lanes(active, func(lane int) { t.Addr[lane] = w.formAddress(f, &s.Addr, lane) })
	t.Reached = nil
	if w.observed() {
		t.Reached = &x.reached
	}
	if lane, fault := s.texture(t); fault != nil {
		w.fail(f, lane, fault)
		return
	}
	for i, o := range s.Dst {
		lanes(active, func(lane int) { w.set(f, o, lane, t.Warp.Dst[i][lane]) })
	}
	if t.Reached != nil {
		t.Reached.Each(&exec.Access{Func: f.frame.fn.ir.Index, PC: f.pc, Block: w.block.number, Warp: w.index, Inst: s.Inst}, w.listen)
	}
}
