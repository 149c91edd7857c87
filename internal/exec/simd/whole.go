package simd

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"silica/internal/exec"
)

// whole is a kernel that native code runs from start to end, block after block.
type whole struct {
	flow *flow
	// run is all the work, as that of one run; numbers are that of each segment.
	run     run
	numbers [][]int
	stored  int  // bytes that a thread stores past the caches when it makes each store once
	counts  bool // instructions
	steps   [wholeSteps]step
	calls   []step  // that native code runs for a warp, each with one behind it that leads back
	called  []*work // for which it does
	polls   bool    // lanes may wait for others

	begun, left atomic.Int64 // blocks, and those of them that the engine had to go on with
	unfit       atomic.Bool  // blocks wait for each other
}

// The steps of a whole: those that native code begins with, and those at which it returns to Go.
const (
	nativeStep    = iota // blocks begin; Go is asked for an access
	goOnStep             // where Go was asked
	againStep            // where the budget was used up
	resumeStep           // behind a barrier
	doneStep             // the blocks have run, or wait for a barrier
	exhaustedStep        // the budget of jumps back is used up
	leftStep             // lanes wait for others of their warp
	wholeSteps
)

// wholeState is what a program knows of its native code as a whole.
type wholeState struct {
	begun atomic.Int64 // blocks, since the program is hot
	mu    sync.Mutex
	tried bool
	code  atomic.Pointer[whole]
}

const (
	// wholeBlocks is how many blocks of a hot program begin before native code is made of the whole of it.
	wholeBlocks = 32
	// mostWork bounds the instructions of a kernel that native code is made of as a whole.
	mostWork = 1 << 13
	// turnWork is about how many warp instructions native code runs before Go has another look, strip the most blocks.
	turnWork, strip = 1 << 18, 64
	// mostJumps is how often the warps of a gang jump back before the gang is left to the engine.
	mostJumps = 1 << 22
)

func (h *whole) step(i int) uintptr { return uintptr(unsafe.Pointer(&h.steps[i])) }

// wholeKernel returns the native code of the whole kernel, nil when there is none or the launch asks for more than that.
func (w *worker) wholeKernel() *whole {
	if !w.plain || w.program.unit.encoder == nil {
		return nil
	}
	p, s := w.program, &w.program.wholes[0]
	if w.Count {
		s = &p.wholes[1]
	}
	if h := s.code.Load(); h != nil {
		if h.pays(p.unit) {
			return h
		}
		s.code.Store(nil)
	}
	if p.unit.eager && !p.unit.wholes || !p.unit.eager && (!p.hot.Load() || s.begun.Add(1) < wholeBlocks) {
		return nil
	}
	if !s.mu.TryLock() { // another worker makes it
		return nil
	}
	defer s.mu.Unlock()
	if !s.tried {
		s.tried = true
		s.code.Store(p.makeWhole(w.Count))
	}
	return s.code.Load()
}

// mostLeft is how many blocks may be left to the engine before one in sixteen is too many.
const mostLeft = 64

// pays tells whether native code is still of use: nearly all blocks end in it.
func (h *whole) pays(u *vectorUnit) bool {
	left := h.left.Load()
	return u.wholes || !h.unfit.Load() && (left < mostLeft || 16*left < h.begun.Load())
}

// makeWhole makes native code of the kernel, with counts or without; nil when there is none.
func (p *program) makeWhole(counts bool) *whole {
	f := newFlow(p)
	if f == nil {
		return nil
	}
	h := &whole{flow: f, run: run{fn: f.fn, code: &f.fn.plain, control: defaultControl}, counts: counts}
	if len(f.fn.plain.flow) > mostWork {
		return nil
	}
	for _, x := range f.segments {
		var numbers []int
		for _, fw := range x.work {
			w, watched := fw.seen()
			w.number = len(h.run.work)
			h.polls = h.polls || w.kind == polls
			numbers = append(numbers, w.number)
			switch {
			case w.kind != accesses:
			case w.scattered:
				w.lies = liesAnyhow
			case p.unit.eager:
				w.lies, w.joint = lies(w.number*7%3), w.number%2 == 0
			case !watched: // it was too short for native code
				w.lies = liesContiguous
			}
			h.run.work = append(h.run.work, w)
		}
		h.numbers = append(h.numbers, numbers)
	}
	f.derivation = derive(f, h.run.work, h.numbers)
	f.findLive(h.run.work, h.numbers)
	h.stored = storedBytes(h.run.work)
	h.prepareCalls()
	code, err := compileWhole(h)
	if err != nil {
		return nil
	}
	at, err := p.text.add(code)
	if err != nil {
		return nil
	}
	c := p.unit.controls
	for i, code := range [wholeSteps]uintptr{at, c[controlResume], at + entryBytes, at + 2*entryBytes, c[controlExit], c[controlExit], c[controlExit]} {
		h.steps[i].code = code
	}
	for i := range h.called {
		h.calls[2*i+1].code = at + 3*entryBytes
	}
	return h
}

// seen returns the work as the run knows it, and whether it has been watched.
func (w flowWork) seen() (work, bool) {
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	return *w.work(), w.run.tried
}

// beginWhole runs the next blocks of the grid in native code; false when there are none.
func (w *worker) beginWhole(h *whole) bool {
	left := w.clusters - int(w.next.Load())
	n := max(min(left/(4*max(w.Workers, 1)), strip, h.turn()/w.program.warps), 1)
	first := int(w.next.Add(int64(n))) - n
	n = min(n, w.clusters-first)
	if n <= 0 {
		return false
	}
	h.begun.Add(int64(n))
	copy(w.suspension.params[:], w.params)
	w.suspension.cached = h.cachedStores(w.grid)
	for n > 0 && !w.stop.Load() {
		c := w.cluster()
		some := min(n, c.row(h, first))
		done := c.runWhole(h, first, some)
		first, n = first+done, n-done
	}
	return true
}

// turn returns how many warps run before Go has another look.
func (h *whole) turn() int { return max(turnWork/len(h.run.work), 1) }

// row returns how many blocks from one on native code can run without Go: of one row of the grid.
func (c *cluster) row(h *whole, first int) int {
	b := c.blocks[0]
	apart := b.worker.observer != nil && !b.worker.AcrossBlocks // accesses come block by block
	if h.flow.shared || len(h.flow.resumes) > 0 || (h.flow.loops || apart) && len(b.gangs) > 1 || apart && b.worker.Together {
		return 1
	}
	return b.worker.Grid.X - exec.BlockIndex(b.worker.Grid, first).X
}

// runWhole runs n blocks from one on and returns how many it is done with. The cluster is idle again, or in the worker's queue when the engine has
// to go on with the last of them.
func (c *cluster) runWhole(h *whole, first, n int) int {
	w, b := c.worker, c.blocks[0]
	at := exec.BlockIndex(w.Grid, first)
	if !b.gangs[0].framed {
		b.reset(at)
	}
	if h.flow.shared {
		clear(b.sharedWords)
	}
	b.index, b.number = at, first
	s := w.suspension
	w.begun(first)
	for entry, again := nativeStep, true; again; entry = resumeStep {
		again = false
		for i, g := range b.gangs {
			s.place, s.blocks = [3]uint32{uint32(at.X), uint32(at.Y), uint32(at.Z)}, uint32(n)
			switch g.runWhole(h, entry) {
			case stopped:
				// A gang that comes later may fail in a block that comes before.
				clear(s.pending[:])
				for _, g := range b.gangs {
					clear(g.waiting)
				}
				n, again = b.number-first, false
			case busy:
				h.left.Add(1)
				w.bracket(b.number)
				w.inside = false
				w.tellBlock()
				c.leaveWhole(h, i, entry)
				w.BlocksEnded(b.number - first)
				w.exited.Add(int64(b.number - first))
				return b.number - first + 1
			}
			if n == 0 {
				break
			}
			again = again || g.waits(h)
		}
	}
	w.tellBlock()
	if !w.stop.Load() {
		w.complete(first + n - 1)
	}
	w.idle = append(w.idle, c)
	w.BlocksEnded(n)
	w.exited.Add(int64(n))
	return n
}

// runWhole runs the gang's warps until they have ended, or wait for a barrier: busy tells that they have taken long.
func (g *gang) runWhole(h *whole, entry int) outcome {
	m, s := &g.machine, g.worker.suspension
	g.worker.current, g.at = g, h.run.work[0].step
	g.forgetRegions()
	if g.waiting == nil && len(h.flow.resumes) > 0 {
		g.waiting = make([]masks, len(h.flow.segments))
		m.waiting = ptr(unsafe.SliceData(g.waiting))
	}
	budget := int64(h.turn())
	patience := mostJumps / int(budget)
	if g.program.unit.wholes && g.block.number%2 > 0 { // tests see blocks left to the engine
		budget, patience = 3, g.block.number%7
	}
	m.control, m.budget = defaultControl, budget
	m.counters = nil
	if h.counts {
		m.counters = ptr(unsafe.SliceData(g.worker.counters[h.flow.fn.index]))
	}
	for at := &h.steps[entry]; ; {
		enter(m, at)
		if s.suspended == 0 && m.stopped == h.step(doneStep) {
			g.tell()
			return ended
		}
		b := g.block
		b.number += int(s.place[0]) - b.index.X
		b.index.X = int(s.place[0])
		if s.suspended != 0 {
			s.suspended = 0
			if !g.serve(&h.run, s) {
				return stopped
			}
			at = &h.steps[goOnStep]
			continue
		}
		g.tell() // it may be what native code returned for
		if call, ok := h.callAt(m.stopped); ok {
			if at = g.runCall(h, call); at == nil {
				return stopped
			}
			continue
		}
		if m.stopped == h.step(leftStep) {
			return busy
		}
		at = &h.steps[againStep]
		if m.budget >= 0 && !g.worker.stop.Load() {
			continue
		}
		if patience--; patience < 0 || g.worker.stop.Load() {
			h.unfit.Store(h.unfit.Load() || h.polls)
			return busy
		}
		m.budget = budget
	}
}

// waits tells whether lanes of the gang wait for a barrier.
func (g *gang) waits(h *whole) bool {
	for _, i := range h.flow.resumes {
		if !isEmpty(&g.waiting[i]) {
			return true
		}
	}
	return false
}

// leaveWhole leaves the block to the engine, while native code that came by an entry is in the midst of a gang.
func (c *cluster) leaveWhole(h *whole, running, entry int) {
	w, b := c.worker, c.blocks[0]
	shared := slices.Clone(b.sharedWords)
	b.reset(b.index)
	clear(c.arrived[0])
	copy(b.sharedWords, shared)
	c.patience, c.some = exec.Patience{}, false
	for i, g := range b.gangs {
		warp := len(g.start) // the first that has not begun
		switch {
		case i == running:
			warp = int(w.suspension.registers[warpRegister]/4) + 1
		case i > running:
			warp = 0
		}
		g.live = masks{}
		g.idle = append(g.idle, g.fragments...)
		g.fragments = g.fragments[:0]
		for k := range h.flow.segments {
			var ready, waiting masks
			for n := range g.warps {
				if g.waiting != nil && n >= warp {
					ready[n] = g.waiting[k][n]
				} else if g.waiting != nil {
					waiting[n] = g.waiting[k][n]
				}
				if k == 0 && n >= warp && entry == nativeStep {
					ready[n] = g.start[n]
				}
			}
			if i == running {
				ready[warp-1] |= w.suspension.pending[k]
			}
			g.stand(h, k, &ready, nil)
			g.stand(h, k, &waiting, h.flow.arrivalBefore(k))
		}
		clear(g.waiting)
	}
	clear(w.suspension.pending[:])
	for _, g := range b.gangs {
		for _, f := range slices.Clone(g.fragments) {
			if f.arrival != nil {
				g.point(f)
				g.arrive(f, f.arrival, 0)
			}
		}
	}
	w.queue = slices.Insert(w.queue, 0, c)
}

// stand puts lanes at the start of a segment, or at a barrier in front of it.
func (g *gang) stand(h *whole, segment int, lanes *masks, arrival *op) {
	if isEmpty(lanes) {
		return
	}
	f := g.newFragment(lanes, g.root)
	h.flow.restore(g, segment, lanes)
	f.pc = h.flow.fn.segments[segment].start
	if f.arrival = arrival; arrival != nil {
		f.pc = arrival.pc
	}
	for w := range lanes {
		g.live[w] |= lanes[w]
	}
}
