package simd

import (
	"fmt"
	"math/bits"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/mem"
)

type ptr = unsafe.Pointer

// gang is up to eight warps of a block that run together: their registers, and their lanes as
// fragments that each have one program counter.
type gang struct {
	block     *block
	unit      *vectorUnit
	program   *program
	firstWarp int // in the block
	warps     int // that exist; the last gang of a block may have fewer than program.warps

	rows  []uint64 // the row stack, 8-byte words
	preds []uint32 // the predicate stack
	local localMemory

	fragments []*fragment
	free      []*fragment
	live      [gangWarps]uint32 // lanes that have not exited
	step      uint64            // segments run, for fairness
	executed  uint64            // warp instructions run

	// State of the running fragment.
	running  *fragment
	bases    [2]ptr // of its frame's rows and predicates
	mask     *uint32
	masks    [gangWarps]uint32 // its lanes
	guarded  [gangWarps]uint32 // its lanes with the guard of the current instruction true
	patterns [][gangWarps]pattern
	scratch  [gangWarps * warpLanes]uint64
	laneIO   isa.Lane
	warpIO   isa.Warp
	matrixIO exec.Matrix
	asyncIO  exec.Async
	asyncLog exec.AsyncLog
	access   exec.Access
	observed [warpLanes]uint64 // what access.Addr points to
	where    exec.Place
	framed   bool // the kernel's frame has been filled
	fault    *exec.Fault
}

// fragment is a set of lanes with one program counter.
type fragment struct {
	fn          *function
	pc          int
	rows, preds int // byte offsets of its frame
	masks       [gangWarps]uint32
	caller      *callSite // nil in the kernel itself
	depth       int
	state       fragmentState
	lastRun     uint64
	waited      bool // its last segment waited for a barrier object in vain
	barrier     int  // number of the barrier it waits at
	arrival     *op  // the barrier instruction it waits at
}

type fragmentState uint8

const (
	ready       fragmentState = iota
	atBarrier                 // waits for other warps of the block
	atWarpSync                // waits for other lanes of its warps
	fragmentEnd               // all lanes have exited
)

// callSite is where a called function returns to. Fragments share one when they were called together.
type callSite struct {
	parent      *callSite
	fn          *function
	op          *op
	rows, preds int
}

func (c *callSite) equal(o *callSite) bool {
	return c == o || c != nil && o != nil && c.op == o.op && c.rows == o.rows && c.parent.equal(o.parent)
}

// start makes the gang ready to run its warps from the kernel's first instruction.
func (g *gang) start(threads int) {
	g.fragments = g.fragments[:0]
	g.step, g.fault = 0, nil
	fn := g.program.funcs[0]
	f := g.newFragment()
	*f = fragment{fn: fn}
	for w := range g.warps {
		n := min(threads-(g.firstWarp+w)*warpLanes, warpLanes)
		f.masks[w] = uint32(1<<n - 1)
	}
	g.live = f.masks
	g.fragments = append(g.fragments, f)
	g.enter(f)
	if fn.localTop.offset >= 0 {
		g.fillRow(fn.localBase, 0, &f.masks)
		g.fillRow(fn.localTop, uint64(fn.ir.Frame.Local), &f.masks)
	}
	if fn.ir.Frame.Local > 0 {
		g.local.reserve(g.warps, fn.ir.Frame.Local)
	}
	g.makeFrame(f, !g.framed)
	g.framed = true
}

func (g *gang) newFragment() *fragment {
	if n := len(g.free); n > 0 {
		f := g.free[n-1]
		g.free = g.free[:n-1]
		return f
	}
	return new(fragment)
}

// enter makes room for f's frame and points the bases at it.
func (g *gang) enter(f *fragment) {
	if need := (f.rows + f.fn.rows) / 8; need > len(g.rows) {
		grown := alignedWords(max(need, 2*len(g.rows)))
		copy(grown, g.rows)
		g.rows = grown
	}
	if need := (f.preds + f.fn.preds) / 4; need > len(g.preds) {
		g.preds = append(g.preds, make([]uint32, max(need, 2*len(g.preds))-len(g.preds))...)
	}
	g.point(f)
}

func (g *gang) point(f *fragment) {
	g.bases[0] = unsafe.Add(ptr(unsafe.SliceData(g.rows)), f.rows)
	g.bases[1] = unsafe.Add(ptr(unsafe.SliceData(g.preds)), f.preds)
	g.masks = f.masks
	g.mask = &g.masks[0]
	full := true
	for _, m := range f.masks[:g.warps] {
		full = full && m == ^uint32(0)
	}
	if full {
		g.mask = nil
	}
}

// alignedWords returns n zero words that start on a cache line.
func alignedWords(n int) []uint64 {
	words := make([]uint64, n+7)
	skip := int(-uintptr(ptr(unsafe.SliceData(words)))&63) / 8
	return words[skip : skip+n : skip+n]
}

// makeFrame fills the rows of a new frame that instructions only read, for the fragment's lanes. The
// kernel's own frame stays from block to block, and only what differs is filled again.
func (g *gang) makeFrame(f *fragment, whole bool) {
	frame := &f.fn.ir.Frame
	for _, z := range frame.Zero {
		g.fillRow(g.program.operand(z), 0, &f.masks)
	}
	g.fillSpecials(f, whole)
	if !whole {
		return
	}
	for _, c := range frame.Consts {
		o := g.program.operand(c.Row)
		value := c.Value
		switch c.Kind {
		case ir.ConstGlobal:
			value += g.block.launch.Symbols[c.Symbol]
		case ir.ConstFunc:
			value += ir.FuncAddress(c.Symbol)
		case ir.ConstLocal:
			if base := f.fn.localBase; base.offset >= 0 {
				g.eachLane(&f.masks, func(w, lane int) { g.write(o, w, lane, value+g.read(base, w, lane)) })
				continue
			}
		}
		g.fillRow(o, value, &f.masks)
	}
}

// fillSpecials fills the rows of special registers. Those that differ between lanes are the same in every block.
func (g *gang) fillSpecials(f *fragment, whole bool) {
	for _, s := range f.fn.specials {
		switch {
		case s.perBlock:
			g.fillRow(s.row, s.value(g.place(0), 0), &f.masks)
		case whole:
			for w := range g.warps {
				p := g.place(w)
				for m := f.masks[w]; m != 0; m &= m - 1 {
					lane := bits.TrailingZeros32(m)
					g.write(s.row, w, lane, s.value(p, lane))
				}
			}
		}
	}
}

// fillRow gives a register the same value in all lanes of masks.
func (g *gang) fillRow(o operand, value uint64, masks *[gangWarps]uint32) {
	for w := range g.warps {
		m := masks[w]
		switch {
		case m == 0:
		case o.bits == 1:
			p := g.predicate(o, w)
			*p &^= m
			if value&1 != 0 {
				*p |= m
			}
		case o.bits == 128:
			g.unit.fill64(g.row(o, w), value, m)
			g.unit.fill64(g.row(o.half(g.program), w), 0, m)
		case o.bits == 64:
			g.unit.fill64(g.row(o, w), value, m)
		default:
			g.unit.fill32(g.row(o, w), uint32(value)&uint32(1<<o.bits-1), m)
		}
	}
}

// half returns the high half of a 128-bit register.
func (o operand) half(p *program) operand {
	return operand{offset: o.offset + p.warps*warpLanes*8, bits: 64}
}

// row returns the lanes of warp w of a register of 64 bits or of 32 and less.
func (g *gang) row(o operand, w int) ptr {
	if o.bits >= 64 {
		return unsafe.Add(g.bases[0], o.offset+w*warpLanes*8)
	}
	return unsafe.Add(g.bases[0], o.offset+w*warpLanes*4)
}

func (g *gang) predicate(o operand, w int) *uint32 {
	return (*uint32)(unsafe.Add(g.bases[1], o.offset+w*4))
}

// read returns a register's value in one lane, zero-extended (the low half of 128 bits).
func (g *gang) read(o operand, w, lane int) uint64 {
	switch {
	case o.bits == 1:
		v := uint64(*g.predicate(o, w)>>lane) & 1
		if o.negate {
			v ^= 1
		}
		return v
	case o.bits >= 64:
		return *at[uint64](g.row(o, w), lane)
	}
	return uint64(*at[uint32](g.row(o, w), lane))
}

// write sets a register in one lane, cutting the value to its width; an absent register drops it.
func (g *gang) write(o operand, w, lane int, v uint64) {
	switch {
	case o.offset < 0:
	case o.bits == 1:
		p := g.predicate(o, w)
		*p = *p&^(1<<lane) | uint32(v&1)<<lane
	case o.bits >= 64:
		*at[uint64](g.row(o, w), lane) = v
	default:
		*at[uint32](g.row(o, w), lane) = uint32(v) & uint32(1<<o.bits-1)
	}
}

func (g *gang) eachLane(masks *[gangWarps]uint32, visit func(w, lane int)) {
	for w := range g.warps {
		for m := masks[w]; m != 0; m &= m - 1 {
			visit(w, bits.TrailingZeros32(m))
		}
	}
}

// guard computes the lanes that execute o: those of the fragment whose guard is true. It reports
// whether there are any.
func (g *gang) guard(o *op) (masks *[gangWarps]uint32, any bool) {
	if o.guard.offset < 0 {
		return &g.masks, true
	}
	var union uint32
	for w := range g.warps {
		p := *g.predicate(o.guard, w)
		if o.guardNegate {
			p = ^p
		}
		g.guarded[w] = g.masks[w] & p
		union |= g.guarded[w]
	}
	g.countPredicated(o)
	return &g.guarded, union != 0
}

// raise records what a lane did wrong and stops the gang.
func (g *gang) raise(o *op, kind exec.FaultKind, w, lane int, address uint64, bytes int, detail string) bool {
	g.fault = &exec.Fault{
		Kind: kind, Kernel: g.program.kernel, Func: o.fn.ir, PC: o.pc,
		Block: g.block.index, Thread: exec.ThreadIndex(g.block.launch.Block, g.firstWarp+w, lane),
		Address: address, Bytes: bytes, Detail: detail,
	}
	return false
}

// localMemory is the local memory of a gang's warps. Each warp's is stored as rows of 32-bit words, so
// that the lanes of a warp that access the same offset touch one row.
type localMemory struct {
	words [][]uint32 // [warp][word*32+lane]
	limit int        // bytes a thread
}

// reserve makes the first size bytes of every thread usable; it reports false over the limit.
func (l *localMemory) reserve(warps, size int) bool {
	if size > l.limit {
		return false
	}
	for len(l.words) < warps {
		l.words = append(l.words, nil)
	}
	need := (size + 3) / 4 * warpLanes
	for w := range warps {
		if need > len(l.words[w]) {
			l.words[w] = append(l.words[w], make([]uint32, max(need, min(2*len(l.words[w]), l.limit/4*warpLanes))-len(l.words[w]))...)
		}
	}
	return true
}

func (l *localMemory) overflow() string {
	return fmt.Sprintf("the thread's %d bytes of local memory are used up", l.limit)
}

// load reads n bytes (1, 2, 4 or 8; aligned) at a thread's local address.
func (l *localMemory) load(w, lane int, addr uint64, n int) uint64 {
	word := l.words[w][int(addr/4)*warpLanes+lane:]
	switch n {
	case 8:
		return uint64(word[0]) | uint64(word[warpLanes])<<32
	case 4:
		return uint64(word[0])
	}
	return uint64(word[0]>>(addr%4*8)) & (1<<(n*8) - 1)
}

func (l *localMemory) store(w, lane int, addr uint64, n int, v uint64) {
	word := l.words[w][int(addr/4)*warpLanes+lane:]
	switch n {
	case 8:
		word[0], word[warpLanes] = uint32(v), uint32(v>>32)
	case 4:
		word[0] = uint32(v)
	default:
		shift := addr % 4 * 8
		field := uint32(1<<(n*8)-1) << shift
		word[0] = word[0]&^field | uint32(v)<<shift&field
	}
}

// view is the worker's last global allocation.
func (g *gang) view() *mem.View { return &g.block.worker.view }
