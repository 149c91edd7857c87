package exectest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
)

// tracedPrograms are launches whose warps are followed.
var tracedPrograms = []struct {
	program     string
	grid, block int
	// free tells that lanes wait for what others change: which runs when is the engine's business.
	free bool
}{
	{"paths", 4, 288, false},
	{"paths", 2, 50, false},
	{"counts", 3, 64, false},
	{"reconvergence", 2, 64, false},
	{"shuffles_in_both_arms", 1, 32, false},
	{"sync_with_exited_lanes", 1, 64, false},
	{"functions_side_by_side", 1, 64, false},
	{"variable_arguments", 1, 96, false},
	{"spaces_of_lanes", 1, 32, false},
	{"copies_of_lanes", 1, 32, false},
	{"warpgroups", 1, 256, false},
	{"lock_between_lanes", 4, 96, true},
	{"flag_from_a_later_warp", 1, 64, true},
	{"full_and_empty", 2, 64, true},
	{"grid_barrier", 8, 64, true},
}

const tracedBytes = 1 << 13

// warpID names a warp of a launch.
type warpID struct{ block, warp int }

// step is what a warp did: it entered the basic block at, or made an access at that pc.
type step struct {
	access bool
	fn, at int
	mask   uint32
	space  isa.Space
	bytes  int
	addr   uint64 // a hash of the addresses
}

func (s step) String() string {
	if s.access {
		return fmt.Sprintf("lanes %08x access %d bytes of %s at %d of function %d: addresses %x", s.mask, s.bytes, s.space, s.at, s.fn, s.addr)
	}
	return fmt.Sprintf("lanes %08x enter block %d of function %d", s.mask, s.at, s.fn)
}

// paths records what the warps of a launch do.
type paths struct {
	mu    sync.Mutex
	steps map[warpID][]step
	out   uint64 // where the launch's output is; global addresses are counted from there
}

func newPaths(l *exec.Launch) *paths {
	return &paths{steps: map[warpID][]step{}, out: binary.LittleEndian.Uint64(l.Params)}
}

func (p *paths) add(block, warp int, s step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := warpID{block, warp}
	p.steps[id] = append(p.steps[id], s)
}

func (p *paths) access(a *exec.Access) {
	s := step{access: true, fn: a.Func, at: a.PC, mask: a.Mask, space: a.Space, bytes: a.Bytes}
	for lane, addr := range a.Addr {
		if a.Mask>>lane&1 == 0 {
			continue
		}
		if a.Space == isa.Global {
			addr -= p.out
		}
		const prime = 1099511628211 // FNV
		s.addr = (s.addr ^ addr) * prime
	}
	p.add(a.Block, a.Warp, s)
}

// pathObserver is an exec.Observer that records accesses.
type pathObserver struct{ *paths }

func (pathObserver) BlockStart(int)          {}
func (pathObserver) BlockEnd(int)            {}
func (o pathObserver) Access(a *exec.Access) { o.access(a) }

// pathTracer is an exec.Tracer of a block.
type pathTracer struct {
	*paths
	block int
}

func (t pathTracer) Enter(warp, fn, block int, mask uint32) {
	t.add(t.block, warp, step{fn: fn, at: block, mask: mask})
}

func (t pathTracer) Access(a *exec.Access) { t.access(a) }

// follow runs a launch and records the paths of the blocks that chosen picks.
func follow(t *testing.T, e exec.Engine, l *exec.Launch, chosen func(block int) bool) (*paths, *exec.Stats) {
	t.Helper()
	p := newPaths(l)
	l.Count, l.Workers = true, 2
	l.Trace = func(block int) exec.Tracer {
		if !chosen(block) {
			return nil
		}
		return pathTracer{p, block}
	}
	var work atomic.Uint64
	l.Work = func(_ int, instructions uint64) { work.Add(instructions) }
	stats, err := e.Run(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	checkWork(t, l, stats, work.Load())
	return p, stats
}

// checkWork compares what the blocks are said to have taken with the counts of instructions: the blocks of a cluster share what it took.
func checkWork(t *testing.T, l *exec.Launch, stats *exec.Stats, work uint64) {
	t.Helper()
	var counted uint64
	for _, f := range stats.Funcs {
		for _, c := range f {
			counted += c.Warps
		}
	}
	if work > counted || work+uint64(l.Grid.Count()) <= counted {
		t.Errorf("the blocks took %d instructions, %d were counted", work, counted)
	}
}

func everyBlock(int) bool { return true }

func checkTraces(t *testing.T, e exec.Engine) {
	for _, c := range tracedPrograms {
		t.Run(fmt.Sprintf("%s %dx%d", c.program, c.grid, c.block), func(t *testing.T) {
			l, _ := newLaunch(t, c.program, c.grid, c.block, tracedBytes)
			checkTrace(t, e, l)
		})
	}
	for i := range shortCases {
		c := &shortCases[i]
		t.Run(c.name, func(t *testing.T) {
			l, _ := c.launch(t)
			checkTrace(t, e, l)
		})
	}
	checkPath(t, e)
	checkChosenBlocks(t, e)
}

// checkTrace compares what a Tracer is told of a launch with the counts and with what an Observer is told.
func checkTrace(t *testing.T, e exec.Engine, l *exec.Launch) {
	observed := newPaths(l)
	l.Observe = func(int) exec.Observer { return pathObserver{observed} }
	traced, stats := follow(t, e, l, everyBlock)
	entered := exec.NewStats(l.Kernel) // of the first instruction of each block
	accesses := 0
	for id, steps := range traced.steps {
		var list []step
		for _, s := range steps {
			if s.access {
				list = append(list, s)
				continue
			}
			c := &entered.Funcs[s.fn][l.Kernel.Funcs[s.fn].Blocks[s.at].Start]
			c.Warps++
			c.Threads += uint64(bits.OnesCount32(s.mask))
		}
		accesses += len(list)
		if text := pathDifference(list, observed.steps[id]); text != "" {
			t.Errorf("block %d, warp %d, the Tracer and the Observer: %s", id.block, id.warp, text)
		}
	}
	for _, list := range observed.steps {
		accesses -= len(list)
	}
	if accesses != 0 {
		t.Errorf("the Tracer is told of %d accesses more than the Observer", accesses)
	}
	for f, fn := range l.Kernel.Funcs {
		for i, b := range fn.Blocks {
			pc, ok := counted(fn, b)
			if !ok {
				continue
			}
			got, want := entered.Funcs[f][b.Start], stats.Funcs[f][pc]
			if got.Warps != want.Warps || got.Threads != want.Threads {
				t.Errorf("block %d of %s is entered by %d warps and %d threads, its first instruction (line %d) counts %d and %d",
					i, fn.Name, got.Warps, got.Threads, fn.Code[pc].Pos.Line, want.Warps, want.Threads)
			}
		}
	}
}

// counted returns the first instruction of a block that has counts; false when there is none that all of the block's lanes
// reach together.
func counted(fn *ir.Func, b ir.Block) (pc int, ok bool) {
	for pc = b.Start; pc < b.End; pc++ {
		if in := &fn.Code[pc]; !in.Synthetic {
			if pc == b.Start || in.Op == isa.OpBarrier {
				return pc, true
			}
			waits, _ := isa.WarpSync(in.Form)
			return pc, !waits
		}
	}
	return 0, false
}

func pathDifference(got, want []step) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("step %d is missing: %s", i, want[i])
		case i >= len(want):
			return fmt.Sprintf("step %d is one too many: %s", i, got[i])
		case got[i] != want[i]:
			return fmt.Sprintf("step %d: %s, want: %s", i, got[i], want[i])
		}
	}
	return ""
}

// checkPath compares paths with those worked out by hand, by the line of a block's first instruction and its lanes.
func checkPath(t *testing.T, e exec.Engine) {
	type entry struct {
		line int
		mask uint32
	}
	const all = 0xffffffff
	for program, want := range map[string][]entry{
		"counts": {{10, all}, {15, 0xffffff00}, {17, all}, {19, all}, {19, all}, {19, all}, {22, all}},
		// The lanes of both arms begin their shuffles when all have arrived, the lowest lane first.
		"shuffles_in_both_arms": {{10, all}, {18, 0x55555555}, {15, 0xaaaaaaaa}, {20, all}},
	} {
		l, _ := newLaunch(t, program, 1, 32, tracedBytes)
		p, _ := follow(t, e, l, everyBlock)
		var got []entry
		for _, s := range p.steps[warpID{0, 0}] {
			if fn := l.Kernel.Funcs[s.fn]; !s.access && !fn.Code[fn.Blocks[s.at].Start].Synthetic {
				got = append(got, entry{fn.Code[fn.Blocks[s.at].Start].Pos.Line, s.mask})
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s goes %x\nwant %x", program, got, want)
		}
	}
}

// checkChosenBlocks checks that following some blocks changes nothing, and tells the same of them as following all.
func checkChosenBlocks(t *testing.T, e exec.Engine) {
	launch := func() *exec.Launch {
		l, _ := newLaunch(t, "paths", 8, 288, tracedBytes)
		return l
	}
	all, want := follow(t, e, launch(), everyBlock)
	some, got := follow(t, e, launch(), func(block int) bool { return block%3 == 1 })
	for id, steps := range all.steps {
		if id.block%3 != 1 {
			steps = nil
		}
		if text := pathDifference(some.steps[id], steps); text != "" {
			t.Errorf("block %d, warp %d: %s", id.block, id.warp, text)
		}
	}
	l := launch()
	l.Count = true
	plain, err := e.Run(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	for f := range plain.Funcs {
		if !slices.Equal(plain.Funcs[f], got.Funcs[f]) || !slices.Equal(plain.Funcs[f], want.Funcs[f]) {
			t.Errorf("the counts of %s depend on who follows", l.Kernel.Funcs[f].Name)
		}
	}
}

// CompareTraces checks that an engine tells the same of each warp as another.
func CompareTraces(t *testing.T, oracle, engine exec.Engine) {
	for _, c := range tracedPrograms {
		if c.free {
			continue
		}
		t.Run(fmt.Sprintf("%s %dx%d", c.program, c.grid, c.block), func(t *testing.T) {
			l, _ := newLaunch(t, c.program, c.grid, c.block, tracedBytes)
			want, _ := follow(t, oracle, l, everyBlock)
			l, _ = newLaunch(t, c.program, c.grid, c.block, tracedBytes)
			got, _ := follow(t, engine, l, everyBlock)
			if len(got.steps) != len(want.steps) {
				t.Errorf("%d warps, want %d", len(got.steps), len(want.steps))
			}
			for id, steps := range want.steps {
				if text := pathDifference(got.steps[id], steps); text != "" {
					t.Errorf("block %d, warp %d: %s", id.block, id.warp, text)
				}
			}
		})
	}
}
