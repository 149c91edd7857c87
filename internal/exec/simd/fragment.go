package simd

import (
	"math"
	"slices"
	"sync/atomic"
	"unsafe"
)

// fragment is a set of lanes of a gang that are at the same place.
type fragment struct {
	masks masks
	pc    int
	frame *frame

	waits   waits
	members masks // of each warp, the lanes waited for (waitsWarp)
	barrier int   // barrier waited at (waitsBarrier)
	arrival *op   // instruction waited at

	// age counts the instructions since the fragment last gained or lost lanes; a poll counts for many. A
	// fragment that gave way lets others run first.
	age     int64
	gaveWay bool
}

// waits is what a fragment waits for.
type waits uint8

const (
	waitsNot     waits = iota
	waitsWarp          // the lanes of its member masks
	waitsBarrier       // a barrier of the block
	waitsCluster       // the barrier of the cluster
)

const (
	// endurance is how many instructions a fragment may run while others could run too, before it gives way;
	// patience how often it may poll. The former is for loops that wait without looking like it, the
	// latter makes spin locks between the lanes of a warp progress.
	endurance, patience = 1 << 20, 64
	// turnBudget is how many instructions a gang runs before others of its block do, turnPolls how often it
	// may poll instead. A turn of which polls take half is no progress.
	turnBudget, turnPolls = 1 << 16, 64
)

func (g *gang) newFragment(lanes *masks, fr *frame) *fragment {
	var f *fragment
	if n := len(g.idle); n > 0 {
		f, g.idle = g.idle[n-1], g.idle[:n-1]
	} else {
		f = new(fragment)
	}
	*f = fragment{masks: *lanes, frame: fr}
	g.fragments = append(g.fragments, f)
	return f
}

// split returns a fragment that has just the lanes, taken from f, at the same place: f itself when it has
// no others.
func (g *gang) split(f *fragment, lanes *masks) *fragment {
	if *lanes == f.masks {
		return f
	}
	n := g.newFragment(lanes, f.frame)
	n.pc = f.pc
	f.masks = without(&f.masks, lanes)
	f.age = 0
	return n
}

// goOn lets lanes of f go on after the instruction.
func (g *gang) goOn(f *fragment, o *op, lanes *masks) {
	if !isEmpty(lanes) {
		g.split(f, lanes).pc = o.inst.Next
	}
}

// absorb moves the lanes of o, at the same place, to f.
func (f *fragment) absorb(o *fragment) {
	for w := range f.masks {
		f.masks[w] |= o.masks[w]
	}
	f.age, f.gaveWay = 0, false
	o.masks = masks{}
}

// drop takes a fragment that has no lanes off the list.
func (g *gang) drop(f *fragment) {
	i := slices.Index(g.fragments, f)
	g.fragments = slices.Delete(g.fragments, i, i+1)
	g.idle = append(g.idle, f)
}

// join merges into f the fragments that are where it is.
func (g *gang) join(f *fragment) {
	for i := 0; i < len(g.fragments); i++ {
		o := g.fragments[i]
		if o == f || o.waits != waitsNot || o.pc != f.pc || o.frame != f.frame {
			continue
		}
		f.absorb(o)
		g.drop(o)
		i--
	}
}

// ready tells whether the gang can run.
func (g *gang) ready() bool {
	for _, f := range g.fragments {
		if f.waits == waitsNot {
			return true
		}
	}
	return false
}

// pick returns the fragment to run: of those that did not give way those with the deepest call, of these those with
// the first call, and there the one with the lowest pc. It is nil when all wait.
func (g *gang) pick() *fragment {
	var best *fragment
	gaveWay := false
	for _, f := range g.fragments {
		switch {
		case f.waits != waitsNot:
		case f.gaveWay:
			gaveWay = true
		case best == nil || f.before(best):
			best = f
		}
	}
	if best == nil && gaveWay {
		for _, f := range g.fragments {
			f.gaveWay = false
		}
		return g.pick()
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

// run runs the gang's fragments for a turn. It tells whether they did more than poll.
func (g *gang) run() (progress bool) {
	var instructions, polls int64
	for instructions+polls*(turnBudget/turnPolls) < turnBudget && !g.worker.stop.Load() {
		f := g.pick()
		if f == nil {
			break
		}
		g.join(f)
		n, p := g.runFragment(f)
		instructions, polls = instructions+n, polls+p
	}
	return polls < turnPolls/2
}

// runFragment runs f until it meets another fragment, is split, waits, ends or gives way. It returns how many
// instructions it ran, and how often it polled.
func (g *gang) runFragment(f *fragment) (instructions, polls int64) {
	m := &g.machine
	g.worker.current = g
	g.point(f)
	g.forgetRegions()
	g.worker.suspension.place[0] = uint32(g.block.index.X)
	budget := int64(turnBudget)
	m.pollCost, m.limit, m.polls = turnBudget/turnPolls, math.MaxUint64, 0
	alone := len(g.fragments) == 1
	if !alone {
		budget, m.pollCost = endurance-f.age, endurance/patience
		m.limit = g.meets(f)
	}
	m.budget = budget
	executed := m.executed
	code := g.code(f.frame.fn)
	steps, ops := code.steps, code.ops
	at := int(code.entry[f.pc])
	for at != stop {
		s := &steps[at]
		m.stopped = uintptr(unsafe.Pointer(s))
		if atomic.LoadUintptr(&s.code) != 0 {
			enter(m, s)
			g.tell()
		}
		at = int(m.stopped-uintptr(unsafe.Pointer(&steps[0]))) / int(unsafe.Sizeof(step{}))
		g.at = at
		o := &ops[at]
		at = o.run(g, f, o)
		m.warp, m.rest = 0, 0
	}
	g.worker.spend(m.executed - executed)
	g.program.heat(m.executed - executed)
	used := budget - m.budget
	if !alone {
		if f.age += used; f.age >= endurance {
			f.age, f.gaveWay = 0, true
		}
	}
	return used - int64(m.polls)*m.pollCost, int64(m.polls)
}

// code returns what runs a function for the gang.
func (g *gang) code(fn *function) *code {
	if g.block.tracer != nil {
		return &fn.traced
	}
	return &fn.plain
}

// meets returns the pc at which f, running straight on, first meets another fragment.
func (g *gang) meets(f *fragment) uint64 {
	pc := uint64(math.MaxUint64)
	for _, o := range g.fragments {
		if o != f && o.waits == waitsNot && o.frame == f.frame && o.pc > f.pc {
			pc = min(pc, uint64(o.pc))
		}
	}
	return pc
}

// runBegin begins a segment, unless f has to stop here.
func runBegin(g *gang, f *fragment, o *op) int {
	m := &g.machine
	if uint64(o.pc) >= m.limit || m.budget <= 0 {
		f.pc = o.pc
		return stop
	}
	g.count(o)
	return o.after
}

// count books the instructions of the segment that o begins.
func (g *gang) count(o *op) {
	m := &g.machine
	m.budget -= int64(o.count)
	m.executed += uint64(o.count) * m.warps
	if m.counters != nil {
		*g.counter(o.counter) += m.warps
		*g.counter(o.counter + 8) += m.threads
	}
}

// runEnter tells that the running fragment begins a basic block.
func runEnter(g *gang, f *fragment, o *op) int {
	g.enterBlock(o, &f.masks)
	return o.index + 1
}

// enterBlock tells that lanes begin the basic block of o.
func (g *gang) enterBlock(o *op, lanes *masks) {
	for w, mask := range lanes {
		if mask != 0 {
			g.block.tracer.Enter(g.firstWarp+w, o.fn.index, o.block, mask)
		}
	}
}

// counter returns one of the counters of the running function.
func (g *gang) counter(at int) *uint64 { return (*uint64)(unsafe.Add(g.machine.counters, at)) }
