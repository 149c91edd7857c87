package simd

import (
	"math/bits"

	"silica/internal/exec"
	"silica/internal/ir"
)

// polling is what a lane of warp w of the fragment does next.
func (f *fragment) polling(g *gang, w, lane int) *exec.Polling {
	g.point(f)
	fn := f.frame.fn
	return &exec.Polling{
		Kernel: g.program.kernel, Func: fn.ir, PC: f.pc,
		Read:   func(o ir.Operand) uint64 { return g.read(fn.place(o, g.program.warps), w, lane) },
		Memory: asyncMemory{g},
	}
}

// stuck tells whether the cluster waits for ever: all its lanes that run test mbarriers that only they could change. It
// fails there.
func (c *cluster) stuck() bool {
	var fault *exec.Fault
	block := 0
	for _, b := range c.blocks {
		for _, g := range b.gangs {
			for _, f := range g.fragments {
				if f.waits != waitsNot {
					continue
				}
				for w, mask := range f.masks {
					for ; mask != 0; mask &= mask - 1 {
						lane := bits.TrailingZeros32(mask)
						wait, forever := f.polling(g, w, lane).Follow()
						if !forever {
							return false
						}
						if fault == nil {
							block, fault = b.number, &exec.Fault{
								Kind: exec.Deadlock, Kernel: c.worker.Kernel, Func: f.frame.fn.ir, PC: wait.PC,
								Block: b.index, Thread: exec.ThreadIndex(c.worker.Block, g.firstWarp+w, lane),
							}
						}
					}
				}
			}
		}
	}
	if fault == nil {
		return false
	}
	fault.Detail = exec.Standings(c.standings())
	c.worker.fail(fault, block)
	return true
}
