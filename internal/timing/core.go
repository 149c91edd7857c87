package timing

import (
	"math"

	"silica/internal/isa"
	"silica/internal/sass"
)

// core is one multiprocessor.
type core struct {
	m       *machine
	memory  *memory
	chip    *chip
	program []code
	codes   *fetcher
	waits   waits

	subs      [8]subCore
	waiting   []*blockTrace // blocks that have not started
	slots     int           // blocks that can be resident
	blocks    int           // that are
	started   int
	nextStart float64
	warps     int // number given to the next warp

	now    int64
	end    int64 // when the last warp ended
	issued int64
	active float64  // warps x cycles
	stats  []stalls // by operation
	watch  Window
	traces []*WarpTrace
	busy   [pipes]float64 // cycles of the pipes of all sub-cores
}

// stalls are the cycles that warps spent before an operation, by state, and how often it was issued.
type stalls struct {
	issued int64
	cycles [States]float64
	// on are the cycles of waiting for the results of other operations.
	on []waiting
}

// waiting is for how long warps waited for the result of an operation.
type waiting struct {
	op     int32 // its id
	cycles float64
}

func (s *stalls) waitOn(op int32, cycles float64) {
	for i := range s.on {
		if s.on[i].op == op {
			s.on[i].cycles += cycles
			return
		}
	}
	s.on = append(s.on, waiting{op, cycles})
}

// subCore is one of the parts of a multiprocessor that issue.
type subCore struct {
	warps []*warp // the oldest first
	wake  []int64 // when the operands of each are there
	last  *warp
	next  int64 // when it is to be looked at again
	free  [pipes]float64
	// takes is the first cycle in which each pipe takes an instruction: free, and when there is room in its queue.
	takes [pipes]int64
	ports ports
	busy  int64 // until when nothing is dispatched, as registers are still read
	// memory and textures are the queues of the units of the multiprocessor.
	memory, textures queue
	mio              float64
}

// queue is when the last instructions left for a unit, in a ring.
type queue struct {
	left []float64
	head int
}

// residentBlock is a block that runs.
type residentBlock struct {
	index int
	warps []*warp
	live  int
	bars  map[int]*meeting
	adu   float64 // until when arrivals at barriers are worked off
	bulk  []int64 // when asynchronous bulk copies are there
}

// meeting is a barrier at which warps wait.
type meeting struct {
	waiting []*warp
	arrived int
	wanted  int // warps, 0 for all that live
}

const never = math.MaxInt64

// warp is a warp that runs.
type warp struct {
	stream
	block  *residentBlock
	sub    *subCore
	place  int        // in sub.warps
	number int        // in the launch, on this multiprocessor
	frame  int        // of local memory, which the next warp in its place has after it
	traced *WarpTrace // nil when nothing is watched
	start  int64

	op        *operation
	turns     [pipes]int64 // when it can issue to a pipe again, after itself
	held      int64        // for how long reading the last one's registers held up the sub-core
	stalled   int64        // until when the last one keeps it, by its stall count
	resolved  int64        // until when the last branch is resolved
	earliest  int64        // the next operation is not issued before
	why       State
	depends   int64 // when its operands are there
	reason    State
	on        int32 // the operation whose result that is, -1 for none
	throttled int64 // for how long the pipe took none though they were
	refused   int64 // since when it takes none, as seen last; never if it does
	free      int64 // when it will again
	previous  int64 // when the last one was issued
	line      int32 // of code

	ready  [registers]int64
	cause  [registers]State
	writer [registers]*operation

	copies  int64   // when the asynchronous copies of the open group are there
	groups  []int64 // of the closed groups
	drained int64   // when its stores are done
	product int64   // when the warpgroup's products are there
}

// run simulates until all blocks have ended.
func (c *core) run() {
	for {
		c.startBlocks()
		next := int64(never)
		for i := range c.m.subCores {
			s := &c.subs[i]
			if s.next <= c.now {
				c.issue(s)
			}
			next = min(next, s.next)
		}
		if len(c.waiting) > 0 && c.blocks < c.slots {
			next = min(next, int64(c.nextStart))
		}
		if next == never {
			return
		}
		c.now = max(next, c.now+1)
	}
}

// startBlocks starts the blocks for which there is room, one after the other.
func (c *core) startBlocks() {
	for len(c.waiting) > 0 && c.blocks < c.slots && int64(c.nextStart) <= c.now {
		t := c.waiting[0]
		c.waiting = c.waiting[1:]
		b := &residentBlock{index: t.index, live: len(t.warps), bars: map[int]*meeting{}}
		for i := range t.warps {
			w := &warp{stream: newStream(c.program, &t.warps[i], &c.waits), block: b, number: c.warps, frame: c.warps % (c.slots * len(t.warps)), line: -1}
			w.start = c.now + int64(float64(i)*c.m.model.WarpStart)
			w.earliest, w.previous, w.why = w.start, w.start-1, NoInstruction
			s := &c.subs[c.warps%c.m.subCores]
			c.warps++
			b.warps = append(b.warps, w)
			w.sub, w.place = s, len(s.warps)
			w.traced = c.traceOf(w)
			s.warps, s.wake = append(s.warps, w), append(s.wake, never)
			c.arrive(w)
			s.next = min(s.next, max(w.start, c.now))
		}
		interval := c.m.model.NextBlock
		if c.started < c.slots {
			interval = c.m.model.FirstBlock
		}
		c.started++
		c.nextStart = float64(c.now) + max(interval, c.m.model.WarpStart*float64(len(t.warps)))
		if b.live > 0 {
			c.blocks++
		}
	}
}

// arrive prepares a warp for its next operation: when its operands are there.
func (c *core) arrive(w *warp) {
	op := w.next()
	w.op = op
	if op == nil {
		c.finish(w, c.now)
		return
	}
	if line := op.id / lineInstructions; line != w.line && w.earliest != never {
		if at := c.codes.fetch(line, w.earliest); at > w.earliest {
			w.earliest, w.why = at, NoInstruction
		}
		w.line = line
	}
	w.depends, w.reason, w.on = w.earliest, w.why, -1
	for _, r := range op.src {
		at := w.ready[r]
		if at > 0 && w.cause[r] == Wait && w.writer[r].pipe != op.pipe && op.kind == arithmetic && r < uniformBase {
			at += c.m.latency.pipeChange - c.m.latency.fixed
		}
		if r >= uniformBase && r < predicateBase && at > 0 && w.cause[r] == Wait {
			at += c.m.latency.fromUniform(op, w.writer[r])
		}
		w.waitFor(at, r)
	}
	for _, r := range op.dst {
		if w.cause[r] != Wait {
			w.waitFor(w.ready[r], r)
		}
	}
	if op.guard >= 0 {
		at := w.ready[op.guard]
		if w.cause[op.guard] == Wait && at > 0 {
			at += c.m.latency.predicate - c.m.latency.fixed
		}
		w.waitFor(at, uint16(op.guard))
	}
	switch op.kind {
	case waitAsync:
		if n := len(w.groups) - op.groups; n > 0 {
			for _, at := range w.groups[:n] {
				w.wait(at, LongScoreboard)
			}
		}
	case groupWait:
		w.wait(w.product, GMMA)
	case exit:
		if w.ended() {
			w.wait(w.drained, Drain)
		}
	case transaction:
		for _, at := range w.block.bulk {
			w.wait(at, LongScoreboard)
		}
		w.block.bulk = w.block.bulk[:0]
	}
	w.wait(w.turns[op.pipe], Wait)
	if op.constant {
		w.wait(c.memory.immediate(w.depends, op.bank, op.offset), IMCMiss)
	}
	w.throttled, w.refused = 0, never
	w.sub.wake[w.place] = w.depends
}

func (w *warp) wait(at int64, reason State) {
	if at > w.depends {
		w.depends, w.reason, w.on = at, reason, -1
	}
}

// waitFor lets the next operation wait for a register.
func (w *warp) waitFor(at int64, r uint16) {
	if at > w.depends {
		w.depends, w.reason, w.on = at, w.cause[r], w.writer[r].id
	}
}

// issue lets a sub-core issue one instruction: of the warp that it issued last, if that can go on, else of the youngest that can.
func (c *core) issue(s *subCore) {
	if s.busy > c.now {
		s.next = s.busy
		return
	}
	var best *warp
	next := int64(never)
	for i := len(s.wake) - 1; i >= 0; i-- {
		if s.wake[i] > c.now {
			next = min(next, s.wake[i])
			continue
		}
		w := s.warps[i]
		w.settle(c.now)
		if at := s.takes[w.op.pipe]; at > c.now {
			w.refused, w.free = c.now, at
			next = min(next, at)
			continue
		}
		if best == nil || w == s.last {
			best = w
		}
		next = c.now + 1
	}
	s.next = next
	if best == nil {
		return
	}
	s.next = c.now + 1
	s.last = best
	c.execute(s, best)
}

// settle counts how long the pipe took no operation of the warp, until now.
func (w *warp) settle(now int64) {
	if w.refused != never {
		w.throttled += min(w.free, now) - w.refused
		w.refused = never
	}
}

// keep keeps a pipe for some cycles, from one on or later.
func (s *subCore) keep(p pipe, now int64, interval float64) {
	s.free[p] = max(s.free[p], float64(now)) + interval
	at := s.free[p]
	if q := s.queue(p); q != nil {
		at = max(at, q.left[q.head]) // the oldest has left
	}
	s.takes[p] = int64(math.Ceil(at))
}

// queue is the one before a pipe, nil where there is none.
func (s *subCore) queue(p pipe) *queue {
	switch p {
	case pipeMIO:
		return &s.memory
	case pipeTEX:
		return &s.textures
	}
	return nil
}

// throttle is what a warp waits for while its operation's pipe takes none.
func (op *operation) throttle() State {
	switch {
	case op.kind == texture:
		return TexThrottle
	case op.pipe != pipeMIO:
		return MathPipeThrottle
	case op.kind == load, op.kind == store, op.kind == globalAtomic, op.kind == copyAsync:
		return LGThrottle
	}
	return MIOThrottle
}

// account adds the cycles since the warp's last operation to what it did in them.
func (c *core) account(w *warp) {
	st := &c.stats[w.op.id]
	st.issued++
	st.cycles[Selected]++
	from := w.previous + 1
	add := func(to int64, s State) {
		if to > from {
			st.cycles[s] += float64(to - from)
			c.trace(w, from, to, s)
			from = to
		}
	}
	add(min(from+w.held, c.now), DispatchStall)
	add(min(w.stalled, c.now), Wait)
	add(min(w.resolved, c.now), BranchResolving)
	add(min(w.earliest, c.now), w.why)
	if n := min(w.depends, c.now) - from; n > 0 && w.on >= 0 && w.reason != Wait {
		st.waitOn(w.on, float64(n))
	}
	add(min(w.depends, c.now), w.reason)
	add(min(from+w.throttled, c.now), w.op.throttle())
	add(c.now, NotSelected)
	c.trace(w, c.now, c.now+1, Selected)
	w.previous = c.now
}

// execute issues a warp's operation.
func (c *core) execute(s *subCore, w *warp) {
	op := w.op
	c.account(w)
	c.issued++
	w.earliest, w.why = c.now+1, Wait
	s.keep(op.pipe, c.now, op.interval)
	w.turns[op.pipe] = c.now + int64(op.interval)
	w.held = s.ports.read(c.now, w, op)
	s.busy = c.now + 1 + w.held
	if op.kind == special {
		w.turns[pipeMIO] = c.now + cycles(c.m.model.Special)
	}
	c.busy[op.pipe] += op.interval
	ready, cause := c.now+op.latency, Wait
	switch op.kind {
	case variable, exchange, special, invalidate:
		cause = ShortScoreboard
		if op.pipe == pipeMIO {
			from := s.enter(float64(c.now), c.m)
			var begin float64
			switch {
			case op.adu:
				begin = c.memory.address(from)
			case op.kind == invalidate: // what others stored is to be seen
				c.memory.l1.clear()
				begin = c.memory.pass(from, 1)
			case op.kind == exchange:
				c.memory.data++
				fallthrough
			default:
				begin = c.memory.pass(from, 1)
			}
			s.leave(pipeMIO, begin)
			ready = int64(begin) + op.latency
		}
	case constant:
		begin := c.memory.address(s.enter(float64(c.now), c.m))
		if op.indexed { // it stays in the queue until those before it are done
			begin, ready = c.memory.indexed(w, w.of(op), begin)
		} else {
			ready = c.constant(op, int64(begin))
		}
		s.leave(pipeMIO, begin)
		cause = ShortScoreboard
	case load, store, globalAtomic, sharedLoad, sharedStore, sharedAtomic, copyAsync:
		ready, cause = c.access(s, w, op)
	case commitAsync:
		w.groups = append(w.groups, w.copies)
		w.copies = 0
	case waitAsync:
		if n := len(w.groups) - op.groups; n > 0 {
			w.groups = append(w.groups[:0], w.groups[n:]...)
		}
	case barrier:
		c.barrier(w, op)
	case clusterWait:
		w.earliest, w.why = c.now+c.m.latency.fenceDevice, Barrier
	case fence:
		w.earliest, w.why = c.now+c.fence(op), Membar
	case branch:
		w.earliest = c.now + c.m.latency.notTaken
		if w.jumps() {
			// An H200's warps wait about as long for the target as for its instructions.
			w.stalled, w.earliest, w.why = w.earliest, c.now+c.m.latency.branch, NoInstruction
			w.resolved = (w.stalled + w.earliest) / 2
			if op.inst.Op.Name == "CALL" || op.inst.Op.Name == "RET" {
				w.resolved += c.m.latency.call
				w.earliest += c.m.latency.call
			}
		}
	case reconverge:
		w.stalled, w.resolved = c.now+c.m.latency.notTaken, c.now+c.m.latency.notTaken+c.m.latency.reconverge
		w.earliest = w.resolved
	case exit:
		if w.ended() {
			c.finish(w, c.now)
			return
		}
		w.earliest = c.now + c.m.latency.notTaken
	case groupMMA:
		w.product = max(w.product, int64(s.free[pipeTensor]-op.interval)+op.latency)
		ready, cause = c.now+1, Wait
	case mma:
		ready = int64(s.free[pipeTensor]-op.interval) + op.latency
	case texture:
		var begin float64
		begin, ready = c.memory.texture(w, op, w.of(op), s.enter(float64(c.now), c.m))
		s.leave(pipeTEX, begin)
		cause = LongScoreboard
	case bulk:
		ready, cause = c.bulk(w, op), LongScoreboard
	case sleep:
		w.earliest, w.why = c.now+cycles(c.m.model.Sleep), Sleeping
	}
	for _, r := range op.dst {
		w.ready[r], w.cause[r], w.writer[r] = ready, cause, op
	}
	if w.op != nil && w.op == op {
		w.at++
		c.arrive(w)
	}
}

// enter is when an instruction has gone through the sub-core's way to the load and store unit.
func (s *subCore) enter(now float64, m *machine) float64 {
	s.mio = max(s.mio, now) + m.interval.mio
	return s.mio - m.interval.mio
}

// leave notes when it has left the queue before a pipe.
func (s *subCore) leave(p pipe, at float64) {
	q := s.queue(p)
	q.left[q.head] = at
	q.head = (q.head + 1) % len(q.left)
	s.keep(p, 0, 0)
}

// access makes a memory access.
func (c *core) access(s *subCore, w *warp, op *operation) (ready int64, cause State) {
	list := w.of(op)
	from := s.enter(float64(c.now), c.m)
	cause = ShortScoreboard
	if len(list) == 0 && !op.spill {
		begin := c.memory.pass(from, 1)
		s.leave(pipeMIO, begin)
		return int64(begin) + c.m.latency.shared, cause
	}
	var begin float64
	switch op.kind {
	case sharedLoad, sharedStore, sharedAtomic:
		begin, ready = c.memory.shared(w, op, list, from)
	case copyAsync:
		begin, ready = c.memory.global(w, op, onlySpace(w, list, isa.Global), from)
		w.copies = max(w.copies, ready)
		ready = int64(begin) + 1
	default:
		cause = LongScoreboard
		begin, ready = c.memory.global(w, op, list, from)
	}
	s.leave(pipeMIO, begin)
	return ready, cause
}

// onlySpace selects the accesses of a state space.
func onlySpace(w *warp, list []int32, s isa.Space) []int32 {
	var out []int32
	for _, i := range list {
		if w.trace.accesses[i].space == s {
			out = append(out, i)
		}
	}
	return out
}

// constant is when a constant is there.
func (c *core) constant(op *operation, from int64) int64 {
	for _, s := range op.inst.Src {
		if s.Kind == sass.ConstantBank {
			return c.memory.constant(from, s.Bank, s.Value)
		}
	}
	return from + c.m.latency.constant
}

// fence is how long a fence takes.
func (c *core) fence(op *operation) int64 {
	switch {
	case hasModifier(op.inst, "SYS"):
		return c.m.latency.fenceSystem
	case hasModifier(op.inst, "GPU"):
		return c.m.latency.fenceDevice
	}
	return c.m.latency.fenceBlock
}

// bulk is a copy by TMA: it does not keep the warp.
func (c *core) bulk(w *warp, op *operation) int64 {
	last := c.now
	for _, i := range w.of(op) {
		a := &w.trace.accesses[i]
		if a.space != isa.Global {
			continue
		}
		w.lanes(a, int(a.bytes), func(addr uint64) {
			for s := addr / sectorBytes; s <= (addr+uint64(a.bytes)-1)/sectorBytes; s++ {
				last = max(last, c.chip.fetch(float64(c.now), []uint64{s}, w.block.index, true))
			}
		})
	}
	w.block.bulk = append(w.block.bulk, last)
	return c.now + c.m.latency.fixed
}

// remove takes a warp that has ended out.
func (s *subCore) remove(w *warp) {
	s.warps = append(s.warps[:w.place], s.warps[w.place+1:]...)
	s.wake = append(s.wake[:w.place], s.wake[w.place+1:]...)
	for i := w.place; i < len(s.warps); i++ {
		s.warps[i].place = i
	}
}

// finish ends a warp.
func (c *core) finish(w *warp, at int64) {
	w.op = nil
	if w.traced != nil {
		w.traced.End = at + 1
	}
	c.end = max(c.end, at)
	c.active += float64(at - w.start + 1)
	b := w.block
	b.live--
	w.sub.remove(w)
	if b.live == 0 {
		c.blocks--
		c.nextStart = max(c.nextStart, float64(at))
		return
	}
	for _, m := range b.bars {
		c.meet(b, m)
	}
}
