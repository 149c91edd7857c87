package ref

import (
	"silica/internal/exec"
	"silica/internal/isa"
)

// cluster is a cluster of blocks (one block when the launch has no clusters): they run together on one
// worker, which serves their warps in turn.
type cluster struct {
	worker *worker
	blocks []*block
	// arrived holds the lanes of each block's warps that arrived at the cluster barrier.
	arrived  [][]uint32
	patience exec.Patience
}

// outcome is how the turn of a cluster ended.
type outcome uint8

const (
	ended    outcome = iota // all threads have exited
	busy                    // the turn is over
	spinning                // every warp that can run only spins
	stopped                 // the launch is over
)

func newCluster(w *worker) *cluster {
	c := &cluster{worker: w, blocks: make([]*block, w.Cluster.Count()), arrived: make([][]uint32, w.Cluster.Count())}
	for i := range c.blocks {
		c.blocks[i] = newBlock(c, i)
		c.arrived[i] = make([]uint32, len(c.blocks[i].warps))
	}
	return c
}

// reset starts cluster number i of the grid.
func (c *cluster) reset(i int) {
	w := c.worker
	size := w.Cluster
	clusters := exec.Dim3{X: w.Grid.X / size.X, Y: w.Grid.Y / size.Y, Z: w.Grid.Z / size.Z}
	at := exec.BlockIndex(clusters, i)
	c.patience = exec.Patience{}
	for rank, b := range c.blocks {
		in := exec.BlockIndex(size, rank)
		b.reset(exec.Dim3{X: at.X*size.X + in.X, Y: at.Y*size.Y + in.Y, Z: at.Z*size.Z + in.Z})
		clear(c.arrived[rank])
		if w.observer != nil {
			w.observer.BlockStart(b.number)
		}
	}
}

const (
	// warpTurn is the most instructions of a warp's turn, spinTurn the most that only wait.
	warpTurn, spinTurn = 4096, 64
	// spinPasses is the number of passes over all warps in which every warp only spins before the
	// cluster's turn ends, clusterTurn the most passes of a turn. A loop that waits with plain loads is
	// not seen as spinning, but ends with the latter.
	spinPasses, clusterTurn = 4, 1 << 12
)

// run serves the warps in turn.
func (c *cluster) run() outcome {
	spun := 0
	for pass := 0; spun < spinPasses && pass < clusterTurn; pass++ {
		ready, progress := false, false
		for _, b := range c.blocks {
			for _, w := range b.warps {
				if !w.ready() {
					continue
				}
				if c.worker.stop.Load() {
					return stopped
				}
				ready = true
				progress = w.run() || progress
			}
		}
		if !ready {
			return c.rest()
		}
		spun++
		if progress {
			spun = 0
		}
	}
	if spun < spinPasses {
		return busy
	}
	return spinning
}

// meets tells whether all threads that can run wait for the barrier of the grid: in loops that load its word.
func (c *cluster) meets() bool {
	for _, b := range c.blocks {
		for _, w := range b.warps {
			for _, f := range w.fragments {
				if f.waits == waitsNot && !f.meets(w) {
					return false
				}
			}
		}
	}
	return true
}

func (f *fragment) meets(w *warp) bool {
	fn := f.frame.fn.ir
	start, end := exec.LoopCode(fn, f.pc)
	for pc := start; pc < end; pc++ {
		in := &fn.Code[pc]
		if in.Op == isa.OpLoad && w.worker.meeting.Place(w.formAddress(f, &in.Addr, firstLane(f.mask))) {
			return true
		}
	}
	return false
}

// absent reports that the grid waits for ever at its barrier.
func (c *cluster) absent() {
	for _, b := range c.blocks {
		for _, w := range b.warps {
			for _, f := range w.fragments {
				if f.waits == waitsNot {
					w.fail(f, firstLane(f.mask), c.worker.meeting.Absent(int(c.worker.exited.Load())))
					return
				}
			}
		}
	}
}

// rest is reached when no warp can run: all have exited, or those that are left wait for ever.
func (c *cluster) rest() outcome {
	for _, b := range c.blocks {
		for _, w := range b.warps {
			if w.live != 0 {
				c.deadlock(w)
				return stopped
			}
		}
	}
	if o := c.worker.observer; o != nil {
		for _, b := range c.blocks {
			o.BlockEnd(b.number)
		}
	}
	if w := c.worker; w.Work != nil && w.Count {
		for _, b := range c.blocks {
			w.Work(b.number, w.executed/uint64(len(c.blocks)))
		}
		w.executed = 0
	}
	c.worker.BlocksEnded(len(c.blocks))
	return ended
}

// live returns the lanes of the cluster's warps that have not exited and not arrived at its barrier.
func (c *cluster) missing() bool {
	for i, b := range c.blocks {
		for _, w := range b.warps {
			if w.live&^c.arrived[i][w.index] != 0 {
				return true
			}
		}
	}
	return false
}

// checkBarrier opens the cluster barrier when every thread has arrived or exited.
func (c *cluster) checkBarrier() {
	if c.missing() {
		return
	}
	for i, b := range c.blocks {
		clear(c.arrived[i])
		for _, w := range b.warps {
			w.wake(func(f *fragment) bool { return f.waits == waitsCluster })
		}
	}
}
