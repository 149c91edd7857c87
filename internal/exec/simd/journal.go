package simd

import (
	"sync"
	"unsafe"

	"silica/internal/ir"
	"silica/internal/isa"
)

// The journal is where native code writes down the accesses that it makes and somebody listens to: entries one behind the other, of which Go tells
// whenever native code has returned. Accesses that may be reported together are not entered one by one: how often a warp makes those of a group
// is tallied, while each time it makes them as far from where it did before; a tally is entered once that has an end.

// note is what entries and tallies of native code are about: one access with the addresses of its lanes, or some of a group.
type note struct {
	sites  []noted
	number int // of the program's notes
	slot   int // of the tally, -1 without one
	// addressed tells that the entry has the address of each lane.
	addressed bool
	// counted tells that it does not matter where the accesses are: they are in shared memory or parameters, and all lanes make them.
	counted    bool
	joint      bool // both halves of the warp lie together
	contiguous bool // of the lanes of a half; else they are at one place
	single     [1]noted
}

// noteOf returns a note about one access.
func noteOf(o *op) *note {
	n := &note{single: [1]noted{notedOf(o, 0)}}
	n.sites = n.single[:]
	return n
}

// noted is an access of a note: its step, and how far it is from the address that the entry has. What listeners are told of it stands here, close
// together: a journal goes through many.
type noted struct {
	op            *op
	apart         uint64
	fn, pc, bytes int
	inst          *ir.Inst
	space         isa.Space
	narrow        bool
}

func notedOf(o *op, apart uint64) noted {
	return noted{o, apart, o.fn.index, o.pc, o.mem.bytes, o.inst, o.mem.space, o.mem.narrow}
}

// entry is what the journal has of a note. Machine code knows it.
type entry struct {
	note *note
	mask uint32
	warp uint32 // of the gang, times 4
	x    uint32 // of the block's index
	_    uint32
	run  spanRun
	_    uint64
}

// addressedEntry is an entry with the address of each lane.
type addressedEntry struct {
	entry
	addresses [warpLanes]uint64
}

// spanRun is a number of accesses each of which is a step behind the one before. In each the second half of the warp is apart from the first.
type spanRun struct{ first, step, times, apart uint64 }

// tally is a run that goes on with an access at next. Machine code knows it.
type tally struct {
	next uint64
	run  spanRun
	_    uint64
}

// maskedRun is a run that Go puts together, of entries of a note that has no tally, by the same lanes. It goes on with an access at next.
type maskedRun struct {
	mask uint32 // 0 before there is one
	next uint64
	run  spanRun
}

const (
	// journalBytes is the size of the journal from which on Go has a look; journalSlack is what native code may write beyond before it sees
	// that: of one chain of segments, or of a run with all its warps.
	journalBytes, journalSlack = 1 << 16, 1 << 20
	// tallySlots is how many tallies the native code of a program may keep.
	tallySlots = 512
	// entryBytesMost is what an access may add to the journal at most.
	entryBytesMost = int(unsafe.Sizeof(entry{}) + unsafe.Sizeof(addressedEntry{}))
)

// notes are those of a program's native code. They live as long as the program: only code and journals point to them.
type notes struct {
	mu    sync.Mutex
	list  []*note
	slots int
}

// add keeps a note, and gives it a slot where it wants one and one is left.
func (n *notes) add(x *note, tallies bool) *note {
	n.mu.Lock()
	defer n.mu.Unlock()
	x.slot, x.number = -1, len(n.list)
	if tallies && n.slots < tallySlots {
		x.slot = n.slots
		n.slots++
	}
	n.list = append(n.list, x)
	return x
}

// openJournal begins the journal of a worker that is observed.
func (w *worker) openJournal() {
	if w.program.unit.encoder == nil {
		return
	}
	if w.journal == nil {
		w.journal = alignedWords((journalBytes + journalSlack) / 8)
	}
	s := w.suspension
	clear(s.tallies[:])
	clear(w.runs)
	s.journal = uintptr(ptr(unsafe.SliceData(w.journal)))
	s.journalLimit = s.journal + journalBytes
}

// written tells whether the journal has entries.
func (w *worker) written() bool {
	return w.observer != nil && w.journal != nil && w.suspension.journal != uintptr(ptr(unsafe.SliceData(w.journal)))
}

// tell reports what the journal has, of blocks in the row of the gang's, and empties it.
func (g *gang) tell() {
	w := g.worker
	if !w.written() {
		return
	}
	w.program.text.ready.Load()
	start := ptr(unsafe.SliceData(w.journal))
	size := w.suspension.journal - uintptr(start)
	w.suspension.journal = uintptr(start)
	x := &w.access
	var last *note
	for at := uintptr(0); at < size; {
		e := (*entry)(unsafe.Add(start, at))
		n := e.note
		if !n.addressed {
			at += unsafe.Sizeof(entry{})
			if n.slot < 0 {
				w.join(n, e.mask, &e.run)
			} else {
				w.tellRun(n, e.mask, e.run)
			}
			last = nil
			continue
		}
		a := (*addressedEntry)(unsafe.Add(start, at))
		at += unsafe.Sizeof(addressedEntry{})
		if e.mask == 0 {
			continue
		}
		s := &n.single[0]
		number, warp := g.block.number+int(e.x)-g.block.index.X, int(e.warp/4)
		if w.block < number {
			w.bracket(number)
		}
		if s.space == isa.Generic || s.space == isa.SharedCluster {
			g.report(s.op, warp, s.space, e.mask, &a.addresses, s.bytes)
			last = nil
			continue
		}
		if n != last {
			last = n
			x.Func, x.PC, x.Inst, x.Space, x.Bytes, x.Times, x.Spans = s.fn, s.pc, s.inst, s.space, s.bytes, 1, nil
		}
		x.Block, x.Warp, x.Mask, x.Addr = number, g.firstWarp+warp, e.mask, &a.addresses
		w.observer.Access(x)
	}
}

// join puts an access of a note that has no tally to the run of those before it, which is reported where it does not go on.
func (w *worker) join(n *note, mask uint32, r *spanRun) {
	if mask == 0 {
		return
	}
	if n.number >= len(w.runs) {
		w.runs = append(w.runs, make([]maskedRun, n.number+1-len(w.runs))...)
	}
	m := &w.runs[n.number]
	if m.mask == mask && (n.joint || m.run.apart == r.apart) {
		if m.run.times == 1 {
			m.run.step, m.next = r.first-m.run.first, r.first
		}
		if r.first == m.next {
			m.run.times++
			m.next += m.run.step
			return
		}
	}
	w.tellRun(n, m.mask, m.run)
	m.mask, m.run = mask, *r
}

// tellRun reports accesses of a note together.
func (w *worker) tellRun(n *note, mask uint32, r spanRun) {
	if mask == 0 || r.times == 0 {
		return
	}
	x := &w.access
	x.Block, x.Warp, x.Mask, x.Addr, x.Spans = 0, 0, 0, nil, nil
	for i := range n.sites {
		s := &n.sites[i]
		x.Func, x.PC, x.Inst, x.Space, x.Bytes, x.Times = s.fn, s.pc, s.inst, s.space, s.bytes, 1
		if n.counted {
			x.Mask, x.Times, x.Addr = allLanes, r.times, &w.addresses[0]
			for lane := range x.Addr {
				x.Addr[lane] = 0
				if n.contiguous {
					x.Addr[lane] = uint64(lane * s.bytes)
				}
			}
			w.observer.Access(x)
			continue
		}
		apart := r.apart
		if n.joint {
			apart = 0
			if n.contiguous {
				apart = uint64(warpLanes / 2 * s.bytes)
			}
		}
		first := r.first + s.apart
		if s.narrow {
			first = uint64(uint32(first))
		}
		if s.space == isa.Generic {
			x.Space = isa.Global
		}
		span := &w.spans[0] // word by word: what is written in parts takes long to copy
		span.Base[0], span.Base[1], span.Contiguous[0], span.Contiguous[1] = first, first+apart, n.contiguous, n.contiguous
		span.Mask, span.Times, span.Step = mask, r.times, r.step
		x.Spans = w.spans[:1]
		w.observer.Access(x)
		x.Spans = nil
	}
}

// tellBlock reports what is left in the tallies, where accesses of blocks are to be told apart.
func (w *worker) tellBlock() {
	if w.Together && !w.AcrossBlocks {
		w.tellTallies()
	}
}

// tellTallies reports what is left in the tallies and in the runs of entries.
func (w *worker) tellTallies() {
	if w.observer == nil || w.journal == nil {
		return
	}
	w.program.notes.mu.Lock()
	list := w.program.notes.list
	w.program.notes.mu.Unlock()
	for _, n := range list {
		if n.slot >= 0 {
			t := &w.suspension.tallies[n.slot]
			w.tellRun(n, allLanes, t.run)
			*t = tally{}
		} else if n.number < len(w.runs) {
			m := &w.runs[n.number]
			w.tellRun(n, m.mask, m.run)
			*m = maskedRun{}
		}
	}
}

// begun tells the observer that native code of the whole kernel begins a block, bracket that it has come to one in the same row, and
// complete that it has done it.
func (w *worker) begun(block int) {
	if w.observer != nil {
		w.observer.BlockStart(block)
		w.inside, w.block = true, block
	}
}

func (w *worker) bracket(block int) {
	for w.inside && w.block < block {
		w.observer.BlockEnd(w.block)
		w.block++
		w.observer.BlockStart(w.block)
	}
}

func (w *worker) complete(block int) {
	if w.inside {
		w.bracket(block)
		w.observer.BlockEnd(block)
		w.inside = false
	}
}
