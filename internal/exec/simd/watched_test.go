package simd

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
)

// watching is what is asked of a launch beside that it runs.
type watching uint8

const (
	unwatched watching = iota
	counting
	observing  // each access
	grouping   // accesses of a block together
	collecting // accesses together
	watchings
)

// witness is an observer that keeps what it is told.
type witness struct {
	base   uint64 // from which on global addresses are counted
	each   bool   // each access is reported, in its block
	open   map[int]int
	closed map[int]int
	warps  map[[2]int][]sight
	forms  map[sight]uint64
	blocks map[blockSight]uint64 // accesses to global memory
	last   int                   // block that started last
	wrong  string
}

// sight is an access, without its place in memory where accesses are reported together and it does not matter.
type sight struct {
	pc, bytes int
	space     isa.Space
	mask      uint32
	addr      [32]uint64
}

type blockSight struct {
	sight
	block int
}

func (s sight) String() string {
	return fmt.Sprintf("pc %d: lanes %08x access %d bytes of %s at %x", s.pc, s.mask, s.bytes, s.space, s.addr)
}

func newWitness(base uint64, kind watching) *witness {
	return &witness{base: base, each: kind == observing, open: map[int]int{}, closed: map[int]int{}, warps: map[[2]int][]sight{}, forms: map[sight]uint64{}, blocks: map[blockSight]uint64{}}
}

func (w *witness) BlockStart(block int) {
	w.open[block]++
	w.last = block
}

func (w *witness) BlockEnd(block int) {
	if w.closed[block]++; w.closed[block] > w.open[block] {
		w.wrong = fmt.Sprintf("block %d ends before it starts", block)
	}
}

func (w *witness) Access(a *exec.Access) {
	for _, addr := range a.Units {
		for lane := range addr {
			addr[lane] += a.Base
		}
		w.see(a, 1<<32-1, &addr, 1, w.last)
	}
	if a.Spans == nil && a.Units == nil {
		if w.each && (w.open[a.Block] != 1 || w.closed[a.Block] != 0) {
			w.wrong = fmt.Sprintf("block %d started %d times and ended %d times when it makes an access", a.Block, w.open[a.Block], w.closed[a.Block])
		}
		w.see(a, a.Mask, a.Addr, a.Times, a.Block)
	}
	for _, s := range a.Spans {
		for range s.Times {
			addr := s.Addresses(a.Bytes)
			w.see(a, s.Mask, &addr, 1, w.last)
			s.Base[0] += s.Step
			s.Base[1] += s.Step
		}
	}
}

func (w *witness) see(a *exec.Access, mask uint32, addr *[32]uint64, times uint64, block int) {
	s := sight{pc: a.PC, bytes: a.Bytes, space: a.Space, mask: mask}
	for lane := range addr {
		if mask>>lane&1 != 0 {
			s.addr[lane] = addr[lane]
			if a.Space == isa.Global {
				s.addr[lane] -= w.base
			}
		}
	}
	id := [2]int{a.Block, a.Warp}
	w.warps[id] = append(w.warps[id], s)
	if a.Space != isa.Global && a.Bytes >= 4 {
		first := s.addr[bits.TrailingZeros32(mask)]
		for m := mask; m != 0; m &= m - 1 {
			s.addr[bits.TrailingZeros32(m)] -= first
		}
	}
	w.forms[s] += times
	if a.Space == isa.Global {
		w.blocks[blockSight{s, block}] += times
	}
}

// difference tells how what was seen differs from what an engine was seen to do that reports each access; "" when it does not.
func (w *witness) difference(kind watching, want *witness) string {
	if w.wrong != "" {
		return w.wrong
	}
	for block := range want.open {
		if w.open[block] != 1 || w.closed[block] != 1 {
			return fmt.Sprintf("block %d started %d times and ended %d times", block, w.open[block], w.closed[block])
		}
	}
	if kind == observing {
		for id, list := range want.warps {
			if got := w.warps[id]; !slices.Equal(got, list) {
				for i := range list {
					if i >= len(got) || got[i] != list[i] {
						return fmt.Sprintf("block %d, warp %d: access %d is not %s; of %d there are %d", id[0], id[1], i, list[i], len(list), len(got))
					}
				}
				return fmt.Sprintf("block %d, warp %d: %d accesses, want %d", id[0], id[1], len(got), len(list))
			}
		}
	}
	if kind == grouping && !maps.Equal(w.blocks, want.blocks) {
		return "the blocks make other accesses"
	}
	for s, n := range want.forms {
		if w.forms[s] != n {
			return fmt.Sprintf("%s: %d times, want %d", s, w.forms[s], n)
		}
	}
	for s, n := range w.forms {
		if want.forms[s] == 0 {
			return fmt.Sprintf("%s: %d times, want none", s, n)
		}
	}
	return ""
}

// statsDifference names an instruction whose counts are not the wanted ones; "" when there is none.
func statsDifference(k *ir.Kernel, got, want *exec.Stats) string {
	for f := range want.Funcs {
		for pc, w := range want.Funcs[f] {
			if g := got.Funcs[f][pc]; g != w {
				return fmt.Sprintf("%s is counted as %+v, want %+v", exec.Position(k, k.Funcs[f], pc), g, w)
			}
		}
	}
	return ""
}
