package timing

import (
	"container/heap"
	"math"
)

// work is how much the blocks of a launch do.
type work struct {
	sampled   float64 // for how long the simulated blocks keep their multiprocessor, beside the busiest
	even      float64 // the average multiprocessor's time, beside the busiest's
	deviation float64 // of the average work of as many blocks as were simulated, beside it
	traffic   float64 // how many times as much memory all blocks touch as those simulated
}

// share deals the blocks to the multiprocessors as the chip does: in order, to one that has room. Blocks that run at a time share a
// multiprocessor, which so many of them keep busy. The first one's are simulated, as if the blocks were dealt out in turn.
func (f *Footprint) share(blocks, simulated, resident int, busy float64) (w work) {
	of := func(list []uint64, block int) float64 {
		if block < len(list) && list[block] > 0 {
			return float64(list[block])
		}
		return 1
	}
	var sum, squares, seen float64
	all, first := make([]float64, blocks), make([]float64, simulated)
	for b := range all {
		all[b] = of(f.work, b)
		sum += all[b]
		squares += all[b] * all[b]
		w.traffic += of(f.sectors, b)
	}
	for i := range first {
		first[i] = all[i*f.sms]
		seen += of(f.sectors, i*f.sms)
	}
	w.traffic /= seen
	mean := sum / float64(blocks)
	busiest, total := deal(all, f.sms, resident, busy, mean/grain)
	alone, _ := deal(first, 1, resident, busy, mean/grain)
	w.sampled, w.even = alone/busiest, total/busiest/float64(f.sms)
	if variance := squares/float64(blocks) - mean*mean; variance > 1e-9*mean*mean {
		w.deviation = math.Sqrt(variance/float64(simulated)) / mean
	}
	return w
}

// grain is the part of the average block's work from which on blocks differ: others end in the order in which they started.
const grain = 32

// deal runs blocks that do so much on multiprocessors that hold a number of them; it returns when the last multiprocessor ends, and the sum of
// when each does.
func deal(blocks []float64, sms, resident int, busy, unit float64) (last, sum float64) {
	all := make(schedule, sms)
	for i := range all {
		all[i].busy = max(busy, 1)
	}
	next := 0
	start := func(m *multiprocessor) {
		m.blocks = append(m.blocks, running{m.done + max(math.Round(blocks[next]/unit), 1), next})
		next++
	}
	for range min(len(blocks), sms*resident) {
		start(&all[next%sms])
	}
	for i := range all {
		all[i].wait()
	}
	heap.Init(&all)
	for !math.IsInf(all[0].at, 1) {
		m := &all[0]
		m.end()
		if next < len(blocks) {
			start(m)
		}
		m.wait()
		heap.Fix(&all, 0)
	}
	for _, m := range all {
		last, sum = max(last, m.now), sum+m.now
	}
	return last, sum
}

// multiprocessor runs blocks: each has done as much as the others since it started. So many as busy, and more, share all that it can do; each of
// fewer does as much as one of those.
type multiprocessor struct {
	busy      float64
	now, done float64 // what each resident block has done since the beginning
	blocks    []running
	at        float64 // when the next block ends
	first     int     // that block
}

// running is a block: what others have done when it ends, and its number.
type running struct {
	ends  float64
	block int
}

// wait finds the block that ends next.
func (m *multiprocessor) wait() {
	m.at, m.first = math.Inf(1), 0
	for i, b := range m.blocks {
		if f := m.blocks[m.first]; b.ends < f.ends || b.ends == f.ends && b.block < f.block {
			m.first = i
		}
	}
	if n := len(m.blocks); n > 0 {
		m.at = m.now + (m.blocks[m.first].ends-m.done)*max(float64(n), m.busy)
	}
}

// end ends it.
func (m *multiprocessor) end() {
	m.now, m.done = m.at, m.blocks[m.first].ends
	m.blocks = append(m.blocks[:m.first], m.blocks[m.first+1:]...)
}

// schedule has the multiprocessors in the order in which their next blocks end.
type schedule []multiprocessor

func (q schedule) Len() int { return len(q) }
func (q schedule) Less(i, j int) bool {
	a, b := &q[i], &q[j]
	if a.at != b.at || len(a.blocks) == 0 {
		return a.at < b.at
	}
	return a.blocks[a.first].block < b.blocks[b.first].block
}
func (q schedule) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *schedule) Push(any)     {}
func (q *schedule) Pop() any     { return nil }
