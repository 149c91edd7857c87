package simd

import (
	"math/bits"
	"slices"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/mma"
)

// masks holds lanes of a gang's warps.
type masks = [gangWarps]uint32

// gang is up to eight warps of a block that run together: their registers, and their lanes as
// fragments that each have one program counter.
type gang struct {
	machine   machine
	block     *block
	worker    *worker
	program   *program
	index     int // in the block
	firstWarp int // in the block
	warps     int // that exist; the last gang of a block may have fewer than program.warps

	rows     []uint64 // frames
	regions  []region
	changes  uint64 // of the device's memory, that regions know of
	patterns [][gangWarps]pattern
	local    []uint32 // word i of the gang's warps is a row at i*warps*warpLanes

	fills    []step   // of fill, the last one left to Go
	specials []uint64 // what the kernel's frame has in the rows of special registers

	start     masks // lanes that the gang begins with
	whole     bool  // they are all lanes of its warps
	root      *frame
	fragments []*fragment
	idle      []*fragment // to be used again
	live      masks       // lanes that have not exited
	running   *fragment
	at        int  // step that Go runs
	framed    bool // the kernel's frame has been filled
	place     exec.Place
	slept     uint64  // cycles that nanosleep asked for
	waiting   []masks // by segments: the lanes that go on there when the barrier opens at which they wait in native code of the whole kernel
}

// frame is one activation of a function: where its registers are. Frames are made once for each chain of
// calls and are kept, so that fragments in the same activation have the same frame.
type frame struct {
	parent   *frame
	fn       *function
	call     *op // in the parent
	depth    int // number of calls that led here
	children []*frame
	live     masks // lanes that have entered and not left
	base     int   // bytes in the gang's rows, while lanes are live
	// local is where the frame begins in the local memory of its lanes; level tells that this is so for all, since no caller moves its top.
	local uint64
	level bool
}

func newGang(b *block, p *program, firstWarp, warps int) *gang {
	g := &gang{block: b, worker: b.worker, program: p, firstWarp: firstWarp, warps: warps}
	m := &g.machine
	m.guardedLanes, m.onlyOne, m.span = &m.guarded[0], &m.one[0], uintptr(warps*rowBytes)
	for w := range m.all {
		m.all[w] = 1<<warpLanes - 1
	}
	m.control, m.defaultControl = defaultControl, defaultControl
	g.whole = true
	for w := range warps {
		g.start[w] = exec.LanesOf(b.worker.Block, firstWarp+w)
		g.whole = g.whole && g.start[w] == allLanes
	}
	m.start = g.start
	g.regions = make([]region, p.regions)
	g.patterns = make([][gangWarps]pattern, p.patterns)
	for w := range gangWarps {
		g.patterns[0][w] = pattern{kind: uniform}
	}
	m.regions, m.patterns = ptr(unsafe.SliceData(g.regions)), ptr(unsafe.SliceData(g.patterns))
	g.regions[sharedRegion] = region{0, uint64(b.sharedBytes), uintptr(b.shared)}
	m.addresses, m.suspension = ptr(&b.worker.addresses), ptr(b.worker.suspension)
	if p.multiplies && b.worker.scratch == nil {
		b.worker.scratch = mma.NewScratch()
	}
	m.scratch = ptr(b.worker.scratch)
	params := b.worker.params
	g.regions[paramRegion] = region{0, uint64(len(b.worker.Params)), uintptr(ptr(unsafe.SliceData(params)))}
	g.root = &frame{fn: p.funcs[0], level: true}
	g.specials = make([]uint64, len(p.funcs[0].specials))
	g.reserve(g.root)
	return g
}

// reset starts the gang's warps at the entry of the kernel.
func (g *gang) reset() {
	m := &g.machine
	m.executed, g.slept = 0, 0
	g.idle = append(g.idle, g.fragments...)
	g.fragments = g.fragments[:0]
	g.live = g.start
	clear(g.local)
	g.place = exec.Place{
		Launch: g.worker.Launch, Block: g.block.index, SM: g.block.number % max(g.worker.Machine.SMs, 1),
	}
	f := g.newFragment(&g.start, g.root)
	g.fill(f, nil, !g.framed)
	g.framed = true
}

// reserve makes room for the registers of a frame.
func (g *gang) reserve(fr *frame) {
	if need := (fr.base + fr.fn.size) / 8; need > len(g.rows) {
		grown := alignedWords(max(need, 2*len(g.rows)))
		copy(grown, g.rows)
		g.rows = grown
	}
	clear(g.rows[fr.base/8:][:scratchPredicates*predicateBytes/8])
}

// forgetRegions drops what is known of global memory when allocations have changed.
func (g *gang) forgetRegions() {
	if changes := g.worker.Memory.Changes(); changes != g.changes {
		clear(g.regions[firstRegion:])
		g.changes = changes
	}
}

// alignedWords returns n zero words that start on a cache line, with room behind them for a vector.
func alignedWords(n int) []uint64 {
	const line = 64
	words := make([]uint64, n+2*line/8)
	skip := int(-uintptr(ptr(unsafe.SliceData(words)))&(line-1)) / 8
	return words[skip : skip+n : skip+n+line/8]
}

// point makes f the running fragment.
func (g *gang) point(f *fragment) {
	m := &g.machine
	g.running = f
	m.frame = unsafe.Add(ptr(unsafe.SliceData(g.rows)), f.frame.base)
	m.control = defaultControl
	m.masks = f.masks
	if g.whole && f.masks == g.start { // as most often
		m.lanes = nil
		m.warps, m.threads, m.converged = uint64(g.warps), uint64(g.warps*warpLanes), 1
	} else {
		g.countLanes(f)
	}
	m.counters = nil
	if g.worker.counters != nil {
		m.counters = ptr(unsafe.SliceData(g.worker.counters[f.frame.fn.index]))
	}
}

// countLanes notes which lanes run, and whether they are all that their warps have left.
func (g *gang) countLanes(f *fragment) {
	m := &g.machine
	m.lanes = &m.masks[0]
	m.warps, m.threads, m.converged = 0, 0, 1
	full := true
	for w := range g.warps {
		lanes := f.masks[w]
		if lanes != 0 {
			m.warps++
			m.threads += uint64(bits.OnesCount32(lanes))
			if lanes != g.live[w] {
				m.converged = 0
			}
		}
		full = full && lanes == allLanes
	}
	if full {
		m.lanes = nil
	}
}

// fill sets the constants, special registers and bases of a new activation for the lanes of f. base is where each lane's frame begins in
// local memory, nil where it is one place for all. Of the kernel's own frame all but what differs from block to block stays filled.
func (g *gang) fill(f *fragment, base *laneValues, whole bool) {
	g.point(f)
	fn := f.frame.fn
	for _, z := range fn.zero {
		g.queueFill(z, 0)
	}
	for i, s := range fn.specials {
		if s.perLane {
			continue
		}
		v := s.value(g.placeOf(0), 0)
		if f.frame == g.root { // most are what they were in the block before
			if !whole && v == g.specials[i] {
				continue
			}
			g.specials[i] = v
		}
		g.queueFill(s.row, v)
	}
	local := f.frame.local
	g.queueFill(fn.localTop, local+uint64(fn.ir.Frame.Local)) // alloca moves it
	if !whole {
		g.runFills()
		return
	}
	g.queueFill(fn.localBase, local)
	g.runFills()
	// Kernels take a table that is a constant from whatever lane they like.
	lanes := g.machine.lanes
	g.machine.lanes = nil
	for i, c := range fn.consts {
		v := g.worker.constants[fn.index][i]
		if c.Kind == ir.ConstLocal {
			if base != nil {
				continue
			}
			v += local
		}
		g.queueFill(c.row, v)
	}
	g.runFills()
	g.machine.lanes = lanes
	g.fillLanes(f, base)
}

// fillLanes sets the rows of a new activation that differ from lane to lane.
func (g *gang) fillLanes(f *fragment, base *laneValues) {
	fn := f.frame.fn
	for _, s := range fn.specials {
		if s.perLane {
			g.eachLane(&f.masks, func(w, lane int) { g.write(s.row, w, lane, s.value(g.placeOf(w), lane)) })
		}
	}
	if base == nil {
		return
	}
	top := uint64(fn.ir.Frame.Local)
	g.eachLane(&f.masks, func(w, lane int) {
		for i, c := range fn.consts {
			if c.Kind == ir.ConstLocal {
				g.write(c.row, w, lane, g.worker.constants[fn.index][i]+base[w][lane])
			}
		}
		g.write(fn.localBase, w, lane, base[w][lane])
		g.write(fn.localTop, w, lane, base[w][lane]+top)
	})
}

// queueFill notes that a register gets the same value in all lanes of the running fragment, which runFills does.
func (g *gang) queueFill(o operand, value uint64) {
	unit := g.program.unit
	switch {
	case o.offset < 0:
	case !unit.hasCode() || o.bits == 1:
		g.fillRow(o, value, &g.machine.masks)
	case o.bits == 128:
		g.queueFill(operand{offset: o.offset, bits: 64}, value)
		g.queueFill(o.half(g.program.warps), 0)
	default:
		code := unit.fill32
		if o.bits == 64 {
			code = unit.fill64
		} else {
			value &= 1<<o.bits - 1
		}
		g.fills = append(g.fills, step{code: code, d: uint32(o.offset), imm: value, lanes: lanesOffset})
	}
}

func (g *gang) runFills() {
	if len(g.fills) == 0 {
		return
	}
	g.fills = append(g.fills, step{code: g.program.unit.controls[controlExit]})
	enter(&g.machine, &g.fills[0])
	g.fills = g.fills[:0]
}

// laneValues holds a value for each lane of a gang.
type laneValues [gangWarps][warpLanes]uint64

// placeOf tells special registers where warp w of the gang runs.
func (g *gang) placeOf(w int) *exec.Place {
	g.place.Warp = g.firstWarp + w
	return &g.place
}

// fillRow gives a register the same value in the lanes.
func (g *gang) fillRow(o operand, value uint64, lanes *masks) {
	if o.offset < 0 {
		return
	}
	for w := range g.warps {
		switch m := lanes[w]; {
		case m == 0:
		case o.bits == 1:
			p := g.predicate(o, w)
			*p &^= m
			if value&1 != 0 {
				*p |= m
			}
		case o.bits == 128:
			fillLanes((*[warpLanes]uint64)(g.row(o, w)), value, m)
			fillLanes((*[warpLanes]uint64)(g.row(o.half(g.program.warps), w)), 0, m)
		case o.bits == 64:
			fillLanes((*[warpLanes]uint64)(g.row(o, w)), value, m)
		default:
			fillLanes((*[warpLanes]uint32)(g.row(o, w)), uint32(value)&uint32(1<<o.bits-1), m)
		}
	}
}

func fillLanes[T uint32 | uint64](row *[warpLanes]T, value T, lanes uint32) {
	if lanes == 1<<warpLanes-1 {
		for i := range row {
			row[i] = value
		}
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		row[bits.TrailingZeros32(lanes)] = value
	}
}

// row returns the lanes of warp w of a register of 64 bits or of 32 and less.
func (g *gang) row(o operand, w int) ptr {
	if o.bits >= 64 {
		return unsafe.Add(g.machine.frame, o.offset+w*2*rowBytes)
	}
	return unsafe.Add(g.machine.frame, o.offset+w*rowBytes)
}

func (g *gang) predicate(o operand, w int) *uint32 {
	return (*uint32)(unsafe.Add(g.machine.frame, o.offset+w*4))
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
		return (*[warpLanes]uint64)(g.row(o, w))[lane]
	}
	return uint64((*[warpLanes]uint32)(g.row(o, w))[lane])
}

// high returns the high half of a lane's value of an operand of 128 bits, 0 for others.
func (g *gang) high(o operand, w, lane int) uint64 {
	if o.bits != 128 {
		return 0
	}
	return g.read(o.half(g.program.warps), w, lane)
}

// write sets a register in one lane, cutting the value to its width; an absent register drops it.
func (g *gang) write(o operand, w, lane int, v uint64) {
	switch {
	case o.offset < 0:
	case o.bits == 1:
		p := g.predicate(o, w)
		*p = *p&^(1<<lane) | uint32(v&1)<<lane
	case o.bits >= 64:
		(*[warpLanes]uint64)(g.row(o, w))[lane] = v
	default:
		(*[warpLanes]uint32)(g.row(o, w))[lane] = uint32(v) & uint32(1<<o.bits-1)
	}
}

// write128 is write with the high half of an operand of 128 bits.
func (g *gang) write128(o operand, w, lane int, low, high uint64) {
	g.write(o, w, lane, low)
	if o.offset >= 0 && o.bits == 128 {
		g.write(o.half(g.program.warps), w, lane, high)
	}
}

// eachLane calls visit for the lanes, lowest first.
func (g *gang) eachLane(lanes *masks, visit func(w, lane int)) {
	for w := range g.warps {
		for m := lanes[w]; m != 0; m &= m - 1 {
			visit(w, bits.TrailingZeros32(m))
		}
	}
}

// lanesOf returns the lanes that execute an instruction: those of the running fragment, or those a guard
// step has computed.
func (g *gang) lanesOf(o *op) *masks {
	if o.guarded {
		return &g.machine.guarded
	}
	return &g.machine.masks
}

// lanesWith returns the lanes in which a register has the value.
func (g *gang) lanesWith(o operand, value uint64, lanes *masks) (same masks) {
	g.eachLane(lanes, func(w, lane int) {
		if g.read(o, w, lane) == value {
			same[w] |= 1 << lane
		}
	})
	return same
}

func isEmpty(lanes *masks) bool { return *lanes == masks{} }

// without returns the lanes that are not in others.
func without(lanes, others *masks) (rest masks) {
	for w := range lanes {
		rest[w] = lanes[w] &^ others[w]
	}
	return rest
}

func firstLane(lanes *masks) (w, lane int) {
	w = slices.IndexFunc(lanes[:], func(m uint32) bool { return m != 0 })
	return w, bits.TrailingZeros32(lanes[w])
}

// fail records a fault of a lane at an instruction and stops the launch.
func (g *gang) fail(o *op, w, lane int, f *exec.Fault) int {
	f.Kernel, f.Func, f.PC = g.program.kernel, o.fn.ir, o.pc
	f.Block, f.Thread = g.block.index, exec.ThreadIndex(g.worker.Block, g.firstWarp+w, lane)
	g.worker.fail(f, g.block.number)
	return stop
}

// cycles is what the clock of the gang's warps shows at a step, of whose segment o.count instructions come behind it. Where the warps
// have gone different ways it is their mean.
func (g *gang) cycles(o *op) uint64 {
	return exec.InstructionCycles*(g.machine.executed/uint64(g.warps)-uint64(o.count)) + g.slept
}

// roomFor makes the first size bytes of every thread's local memory usable; false over the limit.
func (g *gang) roomFor(size uint64) bool {
	if size > uint64(g.worker.Machine.LocalPerThread) {
		return false
	}
	if need := int(size+3) / 4 * g.warps * warpLanes; need > len(g.local) {
		grown := alignedWords((max(need, 2*len(g.local)) + 1) / 2)
		words := unsafe.Slice((*uint32)(ptr(unsafe.SliceData(grown))), 2*len(grown))
		copy(words, g.local)
		g.local = words
		g.machine.local = ptr(unsafe.SliceData(words))
		g.machine.localBytes = uint64(len(words) / (g.warps * warpLanes) * 4)
	}
	return true
}

// localWord returns the word of a thread's local memory that holds a byte.
func (g *gang) localWord(w, lane int, addr uint64) *uint32 {
	return &g.local[(int(addr/4)*g.warps+w)*warpLanes+lane]
}

// loadLocal reads 1, 2, 4 or 8 bytes, aligned, of a thread's local memory, storeLocal writes them.
func (g *gang) loadLocal(w, lane int, addr uint64, bytes int) uint64 {
	word := uint64(*g.localWord(w, lane, addr))
	switch bytes {
	case 8:
		return word | uint64(*g.localWord(w, lane, addr+4))<<32
	case 4:
		return word
	}
	return word >> (addr % 4 * 8) & (1<<(bytes*8) - 1)
}

func (g *gang) storeLocal(w, lane int, addr uint64, bytes int, v uint64) {
	word := g.localWord(w, lane, addr)
	switch bytes {
	case 8:
		*word, *g.localWord(w, lane, addr+4) = uint32(v), uint32(v>>32)
	case 4:
		*word = uint32(v)
	default:
		shift := addr % 4 * 8
		field := uint32(1<<(bytes*8)-1) << shift
		*word = *word&^field | uint32(v)<<shift&field
	}
}

// moveLocal copies bytes within the local memory of lanes, from one place to another in all of them. There is room for them.
func (g *gang) moveLocal(lanes *masks, to, from uint64, bytes int) {
	const word = 4
	for ; (to|from)%word == 0 && bytes >= word; to, from, bytes = to+word, from+word, bytes-word {
		for w := range g.warps {
			row, values := (*[warpLanes]uint32)(ptr(g.localWord(w, 0, to))), (*[warpLanes]uint32)(ptr(g.localWord(w, 0, from)))
			if lanes[w] == allLanes {
				*row = *values
				continue
			}
			for m := lanes[w]; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros32(m)
				row[lane] = values[lane]
			}
		}
	}
	if bytes > 0 {
		g.eachLane(lanes, func(w, lane int) { g.copyLocal(w, lane, to, from, bytes) })
	}
}

// copyLocal copies bytes within a thread's local memory, which has room for them.
func (g *gang) copyLocal(w, lane int, to, from uint64, bytes int) {
	const word = 4
	for (to|from)%word == 0 && bytes >= word {
		*g.localWord(w, lane, to) = *g.localWord(w, lane, from)
		to, from, bytes = to+word, from+word, bytes-word
	}
	for i := range uint64(bytes) {
		g.storeLocal(w, lane, to+i, 1, g.loadLocal(w, lane, from+i, 1))
	}
}
