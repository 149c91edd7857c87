package simd

import (
	"silica/internal/exec"
	"silica/internal/isa"
	"silica/internal/mem"
)

// callSystem runs a function that the engine provides, for each lane of f, and lets f go on.
func (g *gang) callSystem(f *fragment, o *op) {
	call := o.inst.Call
	fault := false
	g.eachLane(&f.masks, func(w, lane int) {
		if fault {
			return
		}
		base := g.localBase(f, w, lane)
		args := exec.SystemArguments(call.Args, func(offset, bytes int) uint64 {
			g.roomFor(base + uint64(offset+bytes))
			return g.loadLocal(w, lane, base+uint64(offset), bytes)
		})
		thread := exec.Thread{
			Launch: g.worker.Launch, Block: g.block.index,
			Thread: exec.ThreadIndex(g.worker.Block, g.firstWarp+w, lane),
			Func:   o.fn.index, PC: o.pc,
			Read:   func(addr uint64, n int) (uint64, bool) { return g.readGeneric(w, lane, addr, n) },
			Write:  func(addr uint64, n int, value uint64) bool { return g.writeGeneric(w, lane, addr, n, value) },
			Stdout: g.worker.stdout,
		}
		result, problem := thread.CallSystem(call.System, args)
		if problem != nil {
			g.fail(o, w, lane, problem)
			fault = true
			return
		}
		if len(call.Results) > 0 {
			r := call.Results[0]
			g.roomFor(base + uint64(r.Offset+r.Size))
			g.storeLocal(w, lane, base+uint64(r.Offset), r.Size, result)
		}
	})
	f.pc = o.inst.Next
}

// readGeneric reads the bytes at any address a thread can form.
func (g *gang) readGeneric(w, lane int, addr uint64, bytes int) (uint64, bool) {
	m := memoryOp{space: isa.Generic, elem: bytes, count: 1, bytes: bytes}
	c, _, fault := g.resolve(&m, addr)
	switch {
	case fault != nil:
		return 0, false
	case c.local:
		return g.loadLocal(w, lane, c.address, bytes), true
	}
	return mem.Load(c.p, bytes), true
}

// writeGeneric changes the bytes at any address a thread can form.
func (g *gang) writeGeneric(w, lane int, addr uint64, bytes int, value uint64) bool {
	m := memoryOp{space: isa.Generic, elem: bytes, count: 1, bytes: bytes}
	c, _, fault := g.resolve(&m, addr)
	switch {
	case fault != nil:
		return false
	case c.local:
		g.storeLocal(w, lane, c.address, bytes, value)
	default:
		mem.Store(c.p, bytes, value)
	}
	return true
}
