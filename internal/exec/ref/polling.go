package ref

import (
	"math/bits"

	"silica/internal/exec"
	"silica/internal/ir"
)

// polling is what a lane of the fragment does next.
func (f *fragment) polling(w *warp, lane int) *exec.Polling {
	view := w.worker.Memory.View()
	return &exec.Polling{
		Kernel: w.worker.Kernel, Func: f.frame.fn.ir, PC: f.pc,
		Read:   func(o ir.Operand) uint64 { return w.get(f, o, lane) },
		Memory: asyncMemory{w, &view, lane},
	}
}

// stuck tells whether the cluster waits for ever: all its lanes that run test mbarriers that only they could change. It
// fails there.
func (c *cluster) stuck() bool {
	var fault *exec.Fault
	block := 0
	for _, b := range c.blocks {
		for _, w := range b.warps {
			for _, f := range w.fragments {
				if f.waits != waitsNot {
					continue
				}
				for mask := f.mask; mask != 0; mask &= mask - 1 {
					lane := bits.TrailingZeros32(mask)
					wait, forever := f.polling(w, lane).Follow()
					if !forever {
						return false
					}
					if fault == nil {
						block, fault = b.number, &exec.Fault{
							Kind: exec.Deadlock, Kernel: c.worker.Kernel, Func: f.frame.fn.ir, PC: wait.PC,
							Block: b.index, Thread: exec.ThreadIndex(c.worker.Block, w.index, lane),
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
