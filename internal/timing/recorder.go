package timing

import (
	"math/bits"
	"sync"

	"silica/internal/exec"
	"silica/internal/isa"
)

// Recorder keeps what the warps of the blocks of one multiprocessor do. The blocks of a grid go to the multiprocessors in turn, and the
// first gets the most of them.
type Recorder struct {
	sms   int
	limit int

	mu     sync.Mutex
	blocks map[int]*blockTrace
	steps  int
	full   bool
}

// recordLimit is how many entries of basic blocks and accesses are kept, about 100 bytes each.
const recordLimit = 6 << 20

// NewRecorder returns a recorder for a GPU with so many multiprocessors.
func NewRecorder(sms int) *Recorder {
	return &Recorder{sms: max(sms, 1), limit: recordLimit, blocks: map[int]*blockTrace{}}
}

// Trace is for exec.Launch.Trace: it follows the blocks of the first multiprocessor, as long as there is room.
func (r *Recorder) Trace(block int) exec.Tracer {
	if block%r.sms != 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.steps > r.limit {
		r.full = true
		return nil
	}
	b := &blockTrace{index: block, recorder: r}
	r.blocks[block] = b
	return b
}

// blockTrace is what the warps of one block did.
type blockTrace struct {
	index    int
	recorder *Recorder
	warps    []warpTrace
	counted  int
}

// warpTrace is what one warp did, in its order.
type warpTrace struct {
	steps    []step
	accesses []access
	far      []uint64 // addresses of accesses that are no line
}

// step is the entry of a basic block.
type step struct {
	mask        uint32
	function    uint16
	block       uint16
	first, last int32 // accesses, -1 for none
}

// access is a memory instruction of a warp.
type access struct {
	base   uint64
	stride int64 // from lane to lane
	far    int32 // where the 32 addresses are in warpTrace.far; -1 for base + lane x stride
	next   int32 // the step's next access, -1 for none
	pc     int32
	mask   uint32
	bytes  uint16
	space  isa.Space
}

func (b *blockTrace) warp(i int) *warpTrace {
	for len(b.warps) <= i {
		b.warps = append(b.warps, warpTrace{})
	}
	return &b.warps[i]
}

// Enter is exec.Tracer's.
func (b *blockTrace) Enter(warp, fn, block int, mask uint32) {
	w := b.warp(warp)
	w.steps = append(w.steps, step{mask: mask, function: uint16(fn), block: uint16(block), first: -1, last: -1})
	b.count()
}

// Access is exec.Tracer's.
func (b *blockTrace) Access(a *exec.Access) {
	w := b.warp(a.Warp)
	if len(w.steps) == 0 || a.Mask == 0 {
		return
	}
	n := access{far: -1, next: -1, pc: int32(a.PC), mask: a.Mask, bytes: uint16(a.Bytes), space: a.Space}
	n.line(a, w)
	s := w.stepOf(a)
	at := int32(len(w.accesses))
	if s.first < 0 {
		s.first = at
	} else {
		w.accesses[s.last].next = at
	}
	s.last = at
	w.accesses = append(w.accesses, n)
	b.count()
}

// lookBack is how far an access looks for its basic block: past those that other lanes of the warp entered since.
const lookBack = 16

// stepOf finds the entry of the basic block that an access is in.
func (w *warpTrace) stepOf(a *exec.Access) *step {
	last := len(w.steps) - 1
	for i := last; i >= max(0, last-lookBack); i-- {
		if s := &w.steps[i]; int(s.function) == a.Func && a.Mask&^s.mask == 0 {
			return s
		}
	}
	return &w.steps[last]
}

// line keeps the addresses: as a line where they are one.
func (n *access) line(a *exec.Access, w *warpTrace) {
	first := bits.TrailingZeros32(a.Mask)
	n.base = a.Addr[first]
	rest := a.Mask & (a.Mask - 1)
	if rest != 0 {
		second := bits.TrailingZeros32(rest)
		n.stride = int64(a.Addr[second]-n.base) / int64(second-first)
	}
	n.base -= uint64(n.stride * int64(first))
	for m := a.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if a.Addr[lane] != n.base+uint64(n.stride*int64(lane)) {
			n.far = int32(len(w.far))
			w.far = append(w.far, a.Addr[:]...)
			return
		}
	}
}

// address is the address of a lane.
func (w *warpTrace) address(a *access, lane int) uint64 {
	if a.far >= 0 {
		return w.far[int(a.far)+lane]
	}
	return a.base + uint64(a.stride*int64(lane))
}

// flushed is how many entries a block counts before it tells its recorder.
const flushed = 4096

func (b *blockTrace) count() {
	if b.counted++; b.counted%flushed == 0 {
		b.recorder.mu.Lock()
		b.recorder.steps += flushed
		b.recorder.mu.Unlock()
	}
}

// Blocks returns the indices of the recorded blocks without a gap, in order.
func (r *Recorder) ordered() []*blockTrace {
	var out []*blockTrace
	for i := 0; ; i += r.sms {
		b := r.blocks[i]
		if b == nil {
			return out
		}
		out = append(out, b)
	}
}
