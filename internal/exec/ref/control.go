package ref

import (
	"fmt"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
)

func executeBranch(w *warp, f *fragment, s *step, active uint32) {
	if active != 0 && active != f.mask {
		w.diverged(f)
	}
	w.goOn(f, s, f.mask&^active)
	if active != 0 {
		w.split(f, active).pc = s.Target
	}
}

func executeBranchIndexed(w *warp, f *fragment, s *step, active uint32) {
	if active != 0 && (active != f.mask || w.lanesWith(f, s.Src[0], active, w.get(f, s.Src[0], firstLane(active))) != active) {
		w.diverged(f)
	}
	w.goOn(f, s, f.mask&^active)
	for active != 0 {
		i := w.get(f, s.Src[0], firstLane(active))
		same := w.lanesWith(f, s.Src[0], active, i)
		if i >= uint64(len(s.Targets)) {
			w.fail(f, firstLane(same), &exec.Fault{Kind: exec.InvalidPC, Detail: fmt.Sprintf("branch index %d, there are %d targets", i, len(s.Targets))})
			return
		}
		w.split(f, same).pc = s.Targets[i]
		active &^= same
	}
}

func executeCall(w *warp, f *fragment, s *step, active uint32) {
	w.goOn(f, s, f.mask&^active)
	if active == 0 {
		return
	}
	switch c := s.Call; {
	case c.System != "":
		w.callSystem(f, s, active)
	case c.Func >= 0:
		w.call(f, s, w.worker.program.funcs[c.Func])
	default:
		w.callIndirect(f, s, active)
	}
}

// callIndirect calls, for each lane, the function at the address in its register.
func (w *warp) callIndirect(f *fragment, s *step, active uint32) {
	for active != 0 {
		lane := firstLane(active)
		addr := w.get(f, s.Call.Target, lane)
		same := w.lanesWith(f, s.Call.Target, active, addr)
		fn, ok := w.candidate(s.Call, addr)
		if !ok {
			w.fail(f, lane, &exec.Fault{Kind: exec.InvalidPC, Detail: fmt.Sprintf("call of 0x%x, which is no function that this call may reach", addr)})
			return
		}
		w.call(w.split(f, same), s, fn)
		active &^= same
	}
}

// candidate returns the function at an address that the call may reach.
func (w *warp) candidate(c *ir.Call, addr uint64) (*function, bool) {
	i, ok := ir.FuncOfAddress(addr, len(w.worker.program.funcs))
	if !ok {
		return nil, false
	}
	for _, candidate := range c.Candidates {
		if candidate == i {
			return w.worker.program.funcs[i], true
		}
	}
	return nil, false
}

// callBytes is what a call takes of a thread's stack beside the callee's frame.
const callBytes = 16

// call takes the lanes of f, which are at a call, to the start of fn.
func (w *warp) call(f *fragment, s *step, fn *function) {
	var base [32]uint64
	lanes(f.mask, func(lane int) { base[lane] = w.localTop(f, lane) })
	calls := uint64(f.frame.depth+1) * callBytes
	for mask := f.mask; mask != 0; mask &= mask - 1 {
		lane := firstLane(mask)
		if need := base[lane] + uint64(fn.ir.Frame.Local) + calls; need > uint64(w.worker.Machine.LocalPerThread) {
			w.fail(f, lane, &exec.Fault{Kind: exec.StackOverflow, Detail: w.stackDetail(need)})
			return
		}
	}
	lanes(f.mask, func(lane int) {
		from := w.localBase(f, lane)
		for i, p := range fn.ir.Params {
			if i < len(s.Call.Args) {
				a := s.Call.Args[i]
				w.copyLocal(lane, base[lane]+uint64(p.Offset), from+uint64(a.Offset), min(a.Size, p.Size))
			}
		}
	})
	f.frame = w.enter(f.frame, f.pc, fn, f.mask)
	f.pc = 0
	w.fill(f, &base)
}

func (w *warp) stackDetail(need uint64) string {
	return fmt.Sprintf("%d bytes of stack needed, a thread has %d", need, w.worker.Machine.LocalPerThread)
}

// executeRet returns from a function; from the entry it ends the threads.
func executeRet(w *warp, f *fragment, s *step, active uint32) {
	if f.frame.parent == nil {
		executeExit(w, f, s, active)
		return
	}
	w.goOn(f, s, f.mask&^active)
	if active == 0 {
		return
	}
	callee := f.frame
	f.frame, f.pc = callee.parent, callee.call
	callee.leave(active, f.frame)
	call := &f.frame.fn.code[f.pc]
	lanes(active, func(lane int) {
		to, from := w.localBase(f, lane), w.localTop(f, lane) // the callee's frame began at the top
		for i, p := range callee.fn.ir.Returns {
			if i < len(call.Call.Results) {
				r := call.Call.Results[i]
				w.copyLocal(lane, to+uint64(r.Offset), from+uint64(p.Offset), min(r.Size, p.Size))
			}
		}
	})
	f.pc = call.Next
}

func executeExit(w *warp, f *fragment, s *step, active uint32) {
	w.goOn(f, s, f.mask&^active)
	if active != 0 {
		w.exit(f, active)
	}
}

// callSystem runs a system function for each lane.
func (w *warp) callSystem(f *fragment, s *step, active uint32) {
	c := s.Call
	for mask := active; mask != 0; mask &= mask - 1 {
		lane := firstLane(mask)
		base := w.localBase(f, lane)
		args := exec.SystemArguments(c.Args, func(offset, bytes int) uint64 {
			return w.localCell(lane, base+uint64(offset)).load(0, bytes)
		})
		thread := exec.Thread{
			Launch: w.worker.Launch, Block: w.block.index, Thread: exec.ThreadIndex(w.worker.Block, w.index, lane),
			Func: f.frame.fn.ir.Index, PC: f.pc, Stdout: w.worker.stdout,
			Read: func(addr uint64, bytes int) (uint64, bool) {
				view := w.worker.Memory.View()
				c, fault := w.resolve(&view, isa.Generic, lane, addr, bytes)
				if fault != nil {
					return 0, false
				}
				return c.load(0, bytes), true
			},
			Write: func(addr uint64, bytes int, value uint64) bool {
				view := w.worker.Memory.View()
				c, fault := w.resolve(&view, isa.Generic, lane, addr, bytes)
				if fault != nil {
					return false
				}
				c.store(0, bytes, value)
				return true
			},
		}
		result, fault := thread.CallSystem(c.System, args)
		if fault != nil {
			w.fail(f, lane, fault)
			return
		}
		if len(c.Results) > 0 {
			r := c.Results[0]
			w.localCell(lane, base+uint64(r.Offset)).store(0, r.Size, result)
		}
	}
	f.pc = s.Next
}
