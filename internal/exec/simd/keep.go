package simd

import (
	"slices"
	"unsafe"

	"silica/internal/exec"
)

// idleCluster is a cluster of a launch that has ended, for one of another of the same program: to make one takes as long as to run a few blocks.
type idleCluster struct {
	*cluster
	threads     exec.Dim3
	sharedBytes int
	constants   [][]uint64 // that its frames have
}

// keep leaves the worker's clusters to launches to come.
func (w *worker) keep() {
	if !w.plain {
		return
	}
	for _, c := range w.idle {
		b := c.blocks[0]
		c.worker, b.worker = nil, nil
		for _, g := range b.gangs {
			g.worker, g.place, g.machine.addresses, g.machine.suspension = nil, exec.Place{}, nil, nil
			clear(g.regions[paramRegion:])
		}
		w.program.idle.Put(&idleCluster{c, w.Block, b.sharedBytes, w.constants})
	}
	w.idle = nil
}

// keptCluster returns a cluster that an earlier launch left, nil when there is none that fits.
func (w *worker) keptCluster() *cluster {
	if !w.plain {
		return nil
	}
	k, ok := w.program.idle.Get().(*idleCluster)
	if !ok || k.threads != w.Block || k.sharedBytes != w.SharedWindowBytes() {
		return nil
	}
	c, b := k.cluster, k.blocks[0]
	c.worker, b.worker = w, w
	same := slices.EqualFunc(k.constants, w.constants, slices.Equal)
	for _, g := range b.gangs {
		g.worker, g.changes, g.framed = w, 0, g.framed && same
		m := &g.machine
		m.addresses, m.suspension = ptr(&w.addresses), ptr(w.suspension)
		g.regions[paramRegion] = region{0, uint64(len(w.Params)), uintptr(ptr(unsafe.SliceData(w.params)))}
	}
	b.reset(exec.BlockIndex(w.Grid, 0))
	return c
}
