package ref

import (
	"fmt"
	"strings"

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
	var waits []string
	for _, b := range c.blocks {
		for _, w := range b.warps {
			for _, f := range w.fragments {
				waits = append(waits, f.threads(w)+f.reason(b))
			}
		}
	}
	const most = 4
	if n := len(waits); n > most {
		waits = append(waits[:most], fmt.Sprintf("and %d more", n-most))
	}
	f := w.fragments[0]
	w.fail(f, firstLane(f.mask), &exec.Fault{Kind: exec.Deadlock, Detail: strings.Join(waits, "; ")})
}

// threads names the fragment's threads, with the verb.
func (f *fragment) threads(w *warp) string {
	if f.mask == w.live {
		return fmt.Sprintf("warp %d waits", w.index)
	}
	return fmt.Sprintf("lanes 0x%08x of warp %d wait", f.mask, w.index)
}

// reason tells what the fragment waits for.
func (f *fragment) reason(b *block) string {
	switch f.waits {
	case waitsBarrier:
		bar := &b.named[f.barrier]
		if bar.expected == 0 {
			return fmt.Sprintf(" at barrier %d for all threads of the block", f.barrier)
		}
		return fmt.Sprintf(" at barrier %d for %d threads, %d arrived", f.barrier, bar.expected, b.count(bar))
	case waitsWarp:
		return fmt.Sprintf(" for lanes 0x%08x of the warp", f.member)
	case waitsCluster:
		return " at the barrier of the cluster"
	}
	return ""
}
