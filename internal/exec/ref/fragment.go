package ref

import (
	"math/bits"

	"silica/internal/exec"
)

// fragment is a set of lanes of a warp that are at the same place.
type fragment struct {
	mask  uint32
	pc    int
	frame *frame

	waits   waits
	member  uint32 // lanes waited for (waitsWarp)
	barrier int    // barrier waited at (waitsBarrier)

	// age counts the instructions, spins those that only wait, since the fragment last gained or lost
	// lanes. A fragment that gave way lets others run first.
	age, spins int
	gaveWay    bool
}

// waits is what a fragment waits for.
type waits uint8

const (
	waitsNot     waits = iota
	waitsWarp          // the lanes of its member mask
	waitsBarrier       // a barrier of the block
	waitsCluster       // the barrier of the cluster
)

const (
	// patience is how often a fragment may spin, endurance how many instructions it may run, while others of
	// its warp could run too, before it gives way. The former makes spin locks between the lanes of a
	// warp progress; the latter is for loops that wait without looking like it.
	patience, endurance = 64, 1 << 20
)

func (w *warp) newFragment(mask uint32, fr *frame) *fragment {
	var f *fragment
	if n := len(w.idle); n > 0 {
		f, w.idle = w.idle[n-1], w.idle[:n-1]
	} else {
		f = new(fragment)
	}
	*f = fragment{mask: mask, frame: fr}
	w.fragments = append(w.fragments, f)
	return f
}

// split returns a fragment that has just the lanes of mask, taken from f, at the same place: f itself
// when it has no others.
func (w *warp) split(f *fragment, mask uint32) *fragment {
	if mask == f.mask {
		return f
	}
	g := w.newFragment(mask, f.frame)
	g.pc = f.pc
	f.mask &^= mask
	f.age, f.spins = 0, 0
	return g
}

// goOn lets the lanes of mask, some of f's, go on after the instruction.
func (w *warp) goOn(f *fragment, s *step, mask uint32) {
	if mask != 0 {
		w.split(f, mask).pc = s.Next
	}
}

// wake lets the fragments that chosen picks go on after the instruction they wait at.
func (w *warp) wake(chosen func(f *fragment) bool) {
	for _, f := range w.fragments {
		if chosen(f) {
			f.waits = waitsNot
			f.pc = f.frame.fn.code[f.pc].Next
		}
	}
}

// join merges into f the fragments that are where it is.
func (w *warp) join(f *fragment) {
	for i := 0; i < len(w.fragments); i++ {
		g := w.fragments[i]
		if g == f || g.waits != waitsNot || g.pc != f.pc || g.frame != f.frame {
			continue
		}
		f.mask |= g.mask
		f.age, f.spins, f.gaveWay = 0, 0, false
		w.drop(g)
		i--
	}
}

// ready tells whether the warp can run.
func (w *warp) ready() bool {
	for _, f := range w.fragments {
		if f.waits == waitsNot {
			return true
		}
	}
	return false
}

// pick returns the fragment to run: of those that did not give way those with the deepest call, of these those with
// the first call, and there the one with the lowest pc. It is nil when all wait.
func (w *warp) pick() *fragment {
	var best *fragment
	gaveWay := false
	for _, f := range w.fragments {
		switch {
		case f.waits != waitsNot:
		case f.gaveWay:
			gaveWay = true
		case best == nil || f.before(best):
			best = f
		}
	}
	if best == nil && gaveWay {
		for _, f := range w.fragments {
			f.gaveWay = false
		}
		return w.pick()
	}
	return best
}

// before tells whether f runs before o.
func (f *fragment) before(o *fragment) bool {
	if f.frame == o.frame {
		return f.pc < o.pc
	}
	return f.frame.before(o.frame)
}

// meets returns the pc at which f, running straight on, first meets another fragment.
func (w *warp) meets(f *fragment) int {
	pc := len(f.frame.fn.code)
	for _, g := range w.fragments {
		if g != f && g.waits == waitsNot && g.frame == f.frame && g.pc > f.pc {
			pc = min(pc, g.pc)
		}
	}
	return pc
}

// run executes instructions of the warp for a turn. It tells whether the warp did more than spin.
func (w *warp) run() (progress bool) {
	g := w.worker
	g.current = w
	w.spins = 0
	n := 0
	for n < warpTurn && w.spins < spinTurn && !g.stop.Load() {
		f := w.pick()
		if f == nil {
			break
		}
		w.join(f)
		n += w.runFragment(f, warpTurn-n)
		w.running = nil
	}
	g.spend(n)
	return w.spins < spinTurn
}

// runFragment executes at most most instructions of f, until it meets another fragment, steers, or
// gives way. It returns how many it executed.
func (w *warp) runFragment(f *fragment, most int) int {
	w.running = f
	alone := len(w.fragments) == 1
	meets := w.meets(f)
	for n := 0; ; {
		s := &f.frame.fn.code[f.pc]
		w.step(f, s)
		n++
		if s.spins {
			w.spins++
			f.spins++
		}
		if n >= most || w.spins >= spinTurn || w.worker.ending.Fault != nil {
			return n
		}
		if alone && len(w.fragments) == 1 && w.fragments[0] == f && f.waits == waitsNot {
			continue
		}
		f.age++
		if f.spins >= patience || f.age >= endurance {
			f.gaveWay = true
			f.age, f.spins = 0, 0
			return n
		}
		if s.steers || !s.straight || f.pc >= meets {
			return n
		}
	}
}

// step executes one instruction of f.
func (w *warp) step(f *fragment, s *step) {
	active := f.mask
	if s.Guard.Slot >= 0 {
		active &= w.predicate(f, s.Guard)
	}
	w.place.Cycles += exec.InstructionCycles
	if s.steers {
		if !s.syncs {
			w.count(f, f.mask, active)
		}
		s.execute(w, f, s, active)
		return
	}
	w.count(f, f.mask, active)
	if active != 0 {
		s.execute(w, f, s, active)
	}
	f.pc = s.Next
}

// count counts an execution of the instruction that f is at, and tells of a basic block that begins with it.
func (w *warp) count(f *fragment, mask, active uint32) {
	s := &f.frame.fn.code[f.pc]
	if t := w.block.tracer; t != nil && s.block != noBlock {
		t.Enter(w.index, f.frame.fn.ir.Index, s.block, mask)
	}
	if w.worker.stats == nil || s.Synthetic {
		return
	}
	w.worker.executed++
	c := &w.worker.stats.Funcs[f.frame.fn.ir.Index][f.pc]
	c.Warps++
	c.Threads += uint64(bits.OnesCount32(mask))
	c.PredOn += uint64(bits.OnesCount32(active))
}

// diverged counts a branch of f whose lanes went different ways.
func (w *warp) diverged(f *fragment) {
	if w.worker.stats != nil {
		w.worker.stats.Funcs[f.frame.fn.ir.Index][f.pc].Divergent++
	}
}
