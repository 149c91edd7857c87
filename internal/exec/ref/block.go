package ref

import (
	"fmt"

	"silica/internal/exec"
)

// block is a block of threads: its warps, its shared memory and its barriers.
type block struct {
	cluster *cluster
	rank    int // in the cluster
	index   exec.Dim3
	number  int // linear index in the grid
	warps   []*warp
	shared  []uint64 // the window of shared memory
	named   [barriers]barrier
	tensor  exec.TensorMemory
	tracer  exec.Tracer // nil when nobody follows the block
}

func newBlock(c *cluster, rank int) *block {
	b := &block{cluster: c, rank: rank}
	b.shared = make([]uint64, c.worker.SharedWindowBytes()/8)
	for i := range exec.Warps(c.worker.Block) {
		b.warps = append(b.warps, newWarp(b, i))
	}
	for i := range b.named {
		b.named[i].arrived = make([]uint32, len(b.warps))
	}
	return b
}

// reset starts the block at an index of the grid.
func (b *block) reset(index exec.Dim3) {
	grid := b.cluster.worker.Grid
	b.index = index
	b.number = index.X + grid.X*(index.Y+grid.Y*index.Z)
	if trace := b.cluster.worker.Trace; trace != nil {
		b.tracer = trace(b.number)
	}
	clear(b.shared)
	b.tensor.Reset()
	for i := range b.named {
		b.named[i].open()
	}
	for _, w := range b.warps {
		w.reset()
	}
}

// exited checks what may have waited for lanes that are gone.
func (b *block) exited() {
	for i := range b.named {
		b.checkBarrier(i)
	}
	b.cluster.checkBarrier()
}

// deadlock reports that the warps of a cluster, w first, wait for ever.
func (c *cluster) deadlock(w *warp) {
	f := w.fragments[0]
	w.fail(f, firstLane(f.mask), &exec.Fault{Kind: exec.Deadlock, Detail: exec.Standings(c.standings())})
}

// standings tells where the lanes of the cluster are.
func (c *cluster) standings() (all []exec.Standing) {
	for _, b := range c.blocks {
		for _, w := range b.warps {
			for _, f := range w.fragments {
				s := exec.Standing{Warp: w.index}
				s.Waits, s.Where = f.where(w)
				if f.mask != w.live {
					s.Lanes = f.mask
				}
				all = append(all, s)
			}
		}
	}
	return all
}

// where tells where the fragment is, and what it waits for.
func (f *fragment) where(w *warp) (waits bool, where string) {
	k, fn := w.worker.Kernel, f.frame.fn.ir
	if f.waits == waitsNot {
		if wait := f.polling(w, firstLane(f.mask)).Tests(); wait != nil {
			return true, wait.Says(k, fn)
		}
		return false, exec.Running(k, fn, f.pc)
	}
	return true, f.awaited(w.block)
}

// awaited tells what a fragment that waits waits for.
func (f *fragment) awaited(b *block) string {
	k, fn := b.cluster.worker.Kernel, f.frame.fn.ir
	at := exec.Position(k, fn, f.pc)
	switch f.waits {
	case waitsBarrier:
		bar := &b.named[f.barrier]
		if bar.expected == 0 {
			return fmt.Sprintf("at barrier %d for all threads of the block, %s", f.barrier, at)
		}
		return fmt.Sprintf("at barrier %d for %d threads, %d arrived, %s", f.barrier, bar.expected, b.count(bar), at)
	case waitsWarp:
		return fmt.Sprintf("for lanes 0x%08x of the warp, %s", f.member, at)
	}
	return "at the barrier of the cluster, " + at
}

// unfinished reports the first cluster of the workers that has not ended.
func unfinished(l *exec.Launch, cause error, workers []*worker) error {
	var first *cluster
	for _, w := range workers {
		for _, c := range w.queue {
			if first == nil || c.blocks[0].number < first.blocks[0].number {
				first = c
			}
		}
	}
	if first == nil {
		return exec.NewUnfinished(l, cause, nil)
	}
	u := exec.NewUnfinished(l, cause, &first.blocks[0].index)
	u.Where = exec.Standings(first.standings())
	for _, w := range first.blocks[0].warps {
		if len(w.fragments) > 0 {
			f := w.fragments[0]
			u.At = exec.Position(l.Kernel, f.frame.fn.ir, f.pc)
			break
		}
	}
	return u
}
