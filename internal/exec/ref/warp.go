package ref

import (
	"math/bits"
	"slices"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/ir"
)

// row is one 32-bit register of a warp.
type row = [32]uint32

// warp is the state of 32 threads.
type warp struct {
	worker *worker
	block  *block
	index  int    // in the block
	live   uint32 // lanes that have not exited
	// fragments holds every live lane once.
	fragments []*fragment
	running   *fragment
	idle      []*fragment // to be used again
	root      *frame
	rows      []row    // registers of all frames
	preds     []uint32 // predicates of all frames
	local     []row    // local memory: word i of every lane
	place     exec.Place
	spins     int // instructions of this turn that only wait
}

func newWarp(b *block, index int) *warp {
	w := &warp{worker: b.cluster.worker, block: b, index: index}
	w.root = &frame{fn: w.worker.program.funcs[0]}
	w.reserve(w.root)
	return w
}

// reset starts the warp at the entry of the kernel.
func (w *warp) reset() {
	g := w.worker
	w.live = exec.LanesOf(g.Block, w.index)
	w.place = exec.Place{Launch: g.Launch, Block: w.block.index, Warp: w.index, SM: w.block.number % max(g.Machine.SMs, 1)}
	clear(w.local)
	w.idle = append(w.idle, w.fragments...)
	w.fragments = w.fragments[:0]
	f := w.newFragment(w.live, w.root)
	var base [32]uint64
	w.fill(f, &base)
}

// frame is one activation of a function: where its registers are. Frames are made once for each chain of
// calls and are kept, so that fragments in the same activation have the same frame.
type frame struct {
	parent   *frame
	fn       *function
	call     int // pc of the call in the parent
	depth    int // number of calls that led here
	children []*frame

	live  uint32 // lanes that have entered and not left
	rows  int    // the first of its rows in the warp's, while lanes are live
	preds int
}

// enter returns the frame of fn called at pc, entered by the lanes of mask. The rows of a frame that
// was empty begin after those of all others in use: lanes of the warp may be in different functions, and
// the parts of a row that belong to a lane depend on the width of the register.
func (w *warp) enter(fr *frame, pc int, fn *function, mask uint32) *frame {
	c := fr.child(pc, fn)
	if c.live == 0 {
		c.rows, c.preds = 0, 0
		for _, f := range w.fragments {
			c.rows = max(c.rows, f.frame.rows+f.frame.fn.ir.Frame.Rows)
			c.preds = max(c.preds, f.frame.preds+f.frame.fn.ir.Frame.Preds)
		}
		w.reserve(c)
	}
	c.live |= mask
	return c
}

// child returns the frame of fn called at pc.
func (fr *frame) child(pc int, fn *function) *frame {
	for _, c := range fr.children {
		if c.call == pc && c.fn == fn {
			return c
		}
	}
	c := &frame{parent: fr, fn: fn, call: pc, depth: fr.depth + 1}
	fr.children = append(fr.children, c)
	return c
}

// before orders the frames of different calls: the deeper one first, else by the first call that is not the same, and the
// function called there.
func (fr *frame) before(o *frame) bool {
	switch {
	case fr.depth != o.depth:
		return fr.depth > o.depth
	case fr.parent != o.parent:
		return fr.parent.before(o.parent)
	case fr.call != o.call:
		return fr.call < o.call
	}
	return fr.fn.ir.Index < o.fn.ir.Index
}

// leave takes the lanes of mask out of a frame and of those it was called from up to, not including, end.
func (fr *frame) leave(mask uint32, end *frame) {
	for ; fr != end; fr = fr.parent {
		fr.live &^= mask
	}
}

// reserve makes room for the registers of a frame.
func (w *warp) reserve(fr *frame) {
	if n := fr.rows + fr.fn.ir.Frame.Rows - len(w.rows); n > 0 {
		w.rows = append(w.rows, make([]row, n)...)
	}
	if n := fr.preds + fr.fn.ir.Frame.Preds - len(w.preds); n > 0 {
		w.preds = append(w.preds, make([]uint32, n)...)
	}
}

// fill sets the constants, special registers and bases of a new activation for the lanes of f. base is
// where each lane's frame begins in local memory.
func (w *warp) fill(f *fragment, base *[32]uint64) {
	fn := f.frame.fn
	fr := &fn.ir.Frame
	for _, o := range fr.Zero {
		lanes(f.mask, func(lane int) { w.set128(f, o, lane, 0, 0) })
	}
	for i, c := range fr.Consts {
		v := w.worker.constants[fn.ir.Index][i]
		lanes(f.mask, func(lane int) {
			if c.Kind == ir.ConstLocal {
				w.set(f, c.Row, lane, v+base[lane])
			} else {
				w.set(f, c.Row, lane, v)
			}
		})
	}
	for i, s := range fr.Specials {
		lanes(f.mask, func(lane int) { w.set(f, s.Row, lane, fn.specials[i](&w.place, lane)) })
	}
	lanes(f.mask, func(lane int) {
		if fr.LocalBase.Slot >= 0 {
			w.set(f, fr.LocalBase, lane, base[lane])
		}
		if fr.LocalTop.Slot >= 0 {
			w.set(f, fr.LocalTop, lane, base[lane]+uint64(fr.Local))
		}
	})
}

// localBase returns where a lane's frame begins in local memory, localTop what follows it.
func (w *warp) localBase(f *fragment, lane int) uint64 {
	if o := f.frame.fn.ir.Frame.LocalBase; o.Slot >= 0 {
		return w.get(f, o, lane)
	}
	return 0
}

func (w *warp) localTop(f *fragment, lane int) uint64 {
	if o := f.frame.fn.ir.Frame.LocalTop; o.Slot >= 0 {
		return w.get(f, o, lane)
	}
	return w.localBase(f, lane) + uint64(f.frame.fn.ir.Frame.Local)
}

// column is the place of an operand in the warp: up to 64 bits for each lane, or the low half of 128.
type column struct {
	p      unsafe.Pointer // nil when the operand has no place
	bits   int
	negate bool
}

func (w *warp) column(f *fragment, o ir.Operand) column {
	switch {
	case o.Slot < 0:
		return column{}
	case o.Bits == 1:
		return column{unsafe.Pointer(&w.preds[f.frame.preds+o.Slot]), 1, o.Negate}
	}
	return column{unsafe.Pointer(&w.rows[f.frame.rows+o.Slot]), o.Bits, false}
}

// get returns a lane's value.
func (c column) get(lane int) uint64 {
	switch {
	case c.bits >= 64:
		return (*[32]uint64)(c.p)[lane]
	case c.bits > 1:
		return uint64((*row)(c.p)[lane])
	case c.negate:
		return uint64(^*(*uint32)(c.p) >> lane & 1)
	}
	return uint64(*(*uint32)(c.p) >> lane & 1)
}

// set stores a lane's value, cut to the operand's width; without a place it is dropped.
func (c column) set(lane int, v uint64) {
	switch c.bits {
	case 0:
	case 1:
		p := (*uint32)(c.p)
		*p = *p&^(1<<lane) | uint32(v&1)<<lane
	case 8:
		(*row)(c.p)[lane] = uint32(uint8(v))
	case 16:
		(*row)(c.p)[lane] = uint32(uint16(v))
	case 32:
		(*row)(c.p)[lane] = uint32(v)
	default:
		(*[32]uint64)(c.p)[lane] = v
	}
}

func (w *warp) get(f *fragment, o ir.Operand, lane int) uint64 { return w.column(f, o).get(lane) }

func (w *warp) set(f *fragment, o ir.Operand, lane int, v uint64) { w.column(f, o).set(lane, v) }

// high returns the high half of a lane's value of an operand of 128 bits, 0 for others.
func (w *warp) high(f *fragment, o ir.Operand, lane int) uint64 {
	if o.Bits != 128 {
		return 0
	}
	o.Slot += 2
	return w.get(f, o, lane)
}

// set128 is set with the high half of an operand of 128 bits.
func (w *warp) set128(f *fragment, o ir.Operand, lane int, low, high uint64) {
	w.set(f, o, lane, low)
	if o.Slot >= 0 && o.Bits == 128 {
		o.Slot += 2
		w.set(f, o, lane, high)
	}
}

// predicate returns the lanes in which a predicate operand is true.
func (w *warp) predicate(f *fragment, o ir.Operand) uint32 {
	p := w.preds[f.frame.preds+o.Slot]
	if o.Negate {
		p = ^p
	}
	return p
}

// lanesWith returns the lanes of mask in which an operand has the value v.
func (w *warp) lanesWith(f *fragment, o ir.Operand, mask uint32, v uint64) (same uint32) {
	lanes(mask, func(lane int) {
		if w.get(f, o, lane) == v {
			same |= 1 << lane
		}
	})
	return same
}

// lanes calls do for each lane of mask, lowest first.
func lanes(mask uint32, do func(lane int)) {
	for ; mask != 0; mask &= mask - 1 {
		do(bits.TrailingZeros32(mask))
	}
}

func firstLane(mask uint32) int { return bits.TrailingZeros32(mask) }

// fail records a fault of a lane at the instruction that the fragment is at, and stops the launch.
func (w *warp) fail(f *fragment, lane int, fault *exec.Fault) {
	g := w.worker
	fault.Kernel, fault.Func, fault.PC = g.Kernel, f.frame.fn.ir, f.pc
	fault.Block, fault.Thread = w.block.index, exec.ThreadIndex(g.Block, w.index, lane)
	g.fail(fault, w.block.number)
}

// exit ends the threads of the lanes of f.
func (w *warp) exit(f *fragment, mask uint32) {
	w.live &^= mask
	f.frame.leave(mask, nil)
	if f.mask &^= mask; f.mask == 0 {
		w.drop(f)
	}
	w.rendezvous()
	w.block.exited()
}

// drop takes a fragment that has no lanes off the list.
func (w *warp) drop(f *fragment) {
	i := slices.Index(w.fragments, f)
	w.fragments = slices.Delete(w.fragments, i, i+1)
	w.idle = append(w.idle, f)
}
