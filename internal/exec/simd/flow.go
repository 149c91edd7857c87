package simd

import (
	"maps"
	"slices"
	"strings"

	"silica/internal/ir"
	"silica/internal/isa"
)

// flow is a kernel as native code runs the whole of it: segments of work, and where lanes go from each. A kernel has one when native code can
// do all that it does.
type flow struct {
	program  *program
	fn       *function
	segments []*flowSegment
	// resumes are the segments behind barriers.
	resumes []int
	loops   bool        // some lanes go back
	shared  bool        // shared memory is used
	cells   map[int]int // rows of %ctaid, by its axis
	uniform []int       // rows of other special registers that are the same in all lanes
	*derivation
}

// flowWork is work of a run.
type flowWork struct {
	run *run
	at  int
}

// flowSegment is a segment of a flow.
type flowSegment struct {
	work   []flowWork
	ending ending
	guard  operand // of the lanes that do not go on to next, absent where all do not
	// counter is where warps and threads are counted that begin the segment; ons, for those with the guard true and behind it the warps that part.
	counter, ons int
	// target and next are where lanes go, in order of the code; ends when they end.
	target, next int
	live         map[int]bool // rows that are read before they are written, here or later
	joined       bool         // only the lanes of the segment before come here, and it comes next
	arrival      *op          // of waits
}

// ending is how a segment ends.
type ending uint8

const (
	proceeds ending = iota // all lanes go to next
	branches               // those with the guard to target
	exits                  // those with the guard end
	meets                  // all lanes wait for a barrier
)

// ends is where lanes go that end.
const ends = -1

// newFlow returns the flow of a program's kernel, nil when it has none.
func newFlow(p *program) *flow {
	fn := p.funcs[0]
	frame := &fn.ir.Frame
	if len(p.funcs) > 1 || len(fn.zero) > 0 || frame.Local > 0 || fn.localTop.offset >= 0 || fn.localBase.offset >= 0 || len(fn.segments) > pendingSlots {
		return nil
	}
	f := &flow{program: p, fn: fn, cells: map[int]int{}}
	for _, c := range fn.consts {
		if c.Kind == ir.ConstLocal {
			return nil
		}
	}
	for i, s := range fn.specials {
		if !f.special(frame.Specials[i].Name, s) {
			return nil
		}
	}
	if len(fn.plain.flow) == 0 || !f.collect() {
		return nil
	}
	f.join()
	return f
}

// special notes a special register; false when it may change while native code runs.
func (f *flow) special(name string, s specialRow) bool {
	if s.perLane {
		return true
	}
	base, axis, ok := strings.Cut(name, ".")
	if !ok || s.row.bits != 32 {
		return false
	}
	switch base {
	case "%ctaid":
		f.cells[s.row.offset] = int(axis[0] - 'x')
	case "%ntid", "%nctaid":
		f.uniform = append(f.uniform, s.row.offset)
	default:
		return false
	}
	return true
}

// collect finds the segments; false when one has a step that is not native.
func (f *flow) collect() bool {
	c, at := &f.fn.plain, 0
	number := map[int]int{}
	for i, s := range f.fn.segments {
		number[s.start] = i
	}
	for i, s := range f.fn.segments {
		first, end := int(c.entry[s.start]), len(c.steps)
		if i+1 < len(f.fn.segments) {
			end = int(c.entry[f.fn.segments[i+1].start])
		}
		x := &flowSegment{guard: operand{offset: -1}, counter: s.counter}
		f.segments = append(f.segments, x)
		for step := first; step < end; step++ {
			o := &c.ops[step]
			waits := step == first && rendezvous(o.inst)
			if waits && !x.assemble(o) {
				return false
			}
			switch {
			case at < len(c.flow) && c.flow[at].step() == step:
				x.work = append(x.work, c.flow[at])
				f.shared = f.shared || c.flow[at].uses(isa.Shared) || c.flow[at].uses(isa.SharedCluster)
				at++
			case o.native != nil, step == first && !waits, c.steps[step].code == f.program.unit.controls[controlJump]:
			case waits && (c.steps[step].code == f.program.unit.controls[controlRendezvous] || o.together == nil):
			case o.inst != nil && o.pc == s.end-1 && steers(o.inst.Op):
			default:
				if w, ok := f.looseWork(step); ok {
					x.work = append(x.work, flowWork{&run{fn: f.fn, code: c, work: []work{w}}, 0})
					break
				}
				return false
			}
		}
		if !f.end(x, s.end-1, &c.ops[end-1], number) {
			return false
		}
		back := func(to int) bool { return to != ends && to <= i }
		f.loops = f.loops || back(x.next) || back(x.target)
	}
	slices.Sort(f.resumes)
	f.resumes = slices.Compact(f.resumes)
	return true
}

// assemble notes that the segment begins with waiting for lanes; false where only some of those that come may.
func (x *flowSegment) assemble(o *op) bool {
	w := work{kind: assembles, step: o.index}
	if o.member >= 0 {
		w.srcs = []operand{o.srcs[o.member]}
	}
	x.work = append(x.work, flowWork{&run{fn: o.fn, work: []work{w}}, 0})
	return o.guard.offset < 0
}

// checks tells whether all lanes of a warp have to be looked at for the lanes that they name, at the start of the segment.
func (f *flow) checks(x *flowSegment) bool {
	if len(x.work) == 0 || x.work[0].work().kind != assembles {
		return false
	}
	srcs := x.work[0].work().srcs
	return len(srcs) > 0 && !slices.ContainsFunc(f.fn.consts, func(c constRow) bool { return c.Kind == ir.ConstValue && c.row == srcs[0] })
}

func (w flowWork) work() *work { return &w.run.work[w.at] }

func (w flowWork) step() int { return w.work().step }

func (w flowWork) uses(s isa.Space) bool { return w.work().kind == accesses && w.work().mem.space == s }

// end finds how a segment ends.
func (f *flow) end(x *flowSegment, pc int, last *op, number map[int]int) bool {
	in := &f.fn.ir.Code[pc]
	to := func(pc int) int {
		if i, ok := number[pc]; ok {
			return i
		}
		return ends
	}
	x.target, x.next = ends, to(in.Next)
	guarded := in.Guard.Slot >= 0
	if guarded && steers(in.Op) {
		x.guard, x.ons = f.fn.place(in.Guard, f.program.warps), f.fn.guards[pc]
	}
	switch {
	case !steers(in.Op):
	case in.Op == isa.OpBranch && guarded:
		x.ending, x.target = branches, to(in.Target)
		return x.target != ends && x.next != ends
	case in.Op == isa.OpBranch:
		x.next = to(in.Target)
	case in.Op == isa.OpExit || in.Op == isa.OpRet:
		x.ending = exits
		if !guarded {
			x.next = ends
			return true
		}
	case in.Op == isa.OpBarrier && !guarded:
		x.ending, x.arrival = meets, last
		b := x.arrival.barrier
		if x.next == ends || b.Kind != isa.BarrierSync || b.HasCount || !f.isZero(x.arrival.srcs[0]) {
			return false
		}
		f.resumes = append(f.resumes, x.next)
	default:
		return false
	}
	return x.next != ends
}

// isZero tells whether a register is a constant of zero.
func (f *flow) isZero(o operand) bool {
	return slices.ContainsFunc(f.fn.consts, func(c constRow) bool { return c.Kind == ir.ConstValue && c.row == o && c.Value == 0 })
}

// join finds the segments that converged code comes to from the one before alone.
func (f *flow) join() {
	from := make([]int, len(f.segments))
	from[0]++
	for _, i := range f.resumes {
		from[i]++
	}
	for _, x := range f.segments {
		if x.next != ends {
			from[x.next]++
		}
		if x.ending == branches {
			from[x.target]++
		}
	}
	for i, x := range f.segments[1:] {
		before := f.segments[i]
		x.joined = from[i+1] == 1 && before.next == i+1 && before.ending != meets && !f.checks(x)
	}
}

// after returns the rows that are read after a segment.
func (f *flow) after(x *flowSegment) map[int]bool {
	rows := map[int]bool{}
	for _, i := range []int{x.target, x.next} {
		if i != ends {
			maps.Copy(rows, f.segments[i].live)
		}
	}
	return rows
}

// findLive finds the rows that are live at the start of each segment, of which numbers are the works.
func (f *flow) findLive(list []work, numbers [][]int) {
	for changed := true; changed; {
		changed = false
		for i := len(f.segments) - 1; i >= 0; i-- {
			x := f.segments[i]
			live := f.after(x)
			for _, n := range slices.Backward(numbers[i]) {
				list[n].backward(live)
			}
			if len(live) != len(x.live) {
				x.live, changed = live, true
			}
		}
	}
}

// backward turns the rows that are live behind the work into those live before it.
func (w *work) backward(live map[int]bool) {
	read := func(list ...operand) {
		for _, o := range list {
			if o.bits != 1 && o.offset >= 0 {
				live[o.offset] = true
			}
		}
	}
	write := func(o operand) {
		switch {
		case w.guarded:
			read(o)
		case o.bits != 1:
			delete(live, o.offset)
		}
	}
	switch w.kind {
	case computes, exchanges:
		write(w.dst)
		read(w.srcs...)
	case assembles:
		read(w.srcs...)
	case calls:
		for _, o := range w.rows {
			if o.offset >= 0 {
				write(o)
			}
		}
		read(w.srcs...)
	case accesses:
		for _, o := range w.rows {
			if w.store {
				read(o)
			} else {
				write(o)
			}
		}
		read(w.base())
	}
}

// arrivalBefore returns a barrier behind which lanes go on at a segment.
func (f *flow) arrivalBefore(segment int) *op {
	for _, x := range f.segments {
		if x.ending == meets && x.next == segment {
			return x.arrival
		}
	}
	return nil
}
