package simd

import (
	"math/bits"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/isa"
	"silica/internal/mem"
)

// systemCall runs a function that the engine provides, for each lane of f in lane order.
func (g *gang) systemCall(f *fragment, o *op) {
	call := o.inst.Call
	g.point(f)
	for w := range g.warps {
		for m := f.masks[w]; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			base := uint64(0)
			if f.fn.localBase.offset >= 0 {
				base = g.read(f.fn.localBase, w, lane)
			}
			args := make([]uint64, len(call.Args))
			for i, a := range call.Args {
				args[i] = g.local.load(w, lane, base+uint64(a.Offset), a.Size)
			}
			thread := exec.Thread{
				Launch: g.block.launch, Block: g.block.index,
				Thread: exec.ThreadIndex(g.block.launch.Block, g.firstWarp+w, lane),
				Read:   func(addr uint64, n int) (uint64, bool) { return g.readGeneric(w, lane, addr, n) },
				Stdout: g.block.launch.Stdout,
			}
			result, fault := thread.CallSystem(call.System, args)
			if fault != nil {
				g.raise(o, fault.Kind, w, lane, fault.Address, fault.Bytes, fault.Detail)
				return
			}
			if len(call.Results) > 0 {
				r := call.Results[0]
				g.local.store(w, lane, base+uint64(r.Offset), r.Size, result)
			}
		}
	}
}

// readGeneric reads n bytes at any address a thread can form.
func (g *gang) readGeneric(w, lane int, addr uint64, n int) (uint64, bool) {
	if addr&uint64(n-1) != 0 {
		return 0, false
	}
	if offset := addr - isa.LocalWindow; offset < isa.WindowSize {
		if offset+uint64(n) > uint64(g.local.limit) || !g.local.reserve(g.warps, int(offset)+n) {
			return 0, false
		}
		return g.local.load(w, lane, offset, n), true
	}
	p := g.host(&memoryOp{space: isa.Generic, bytes: n}, addr, n)
	if p == nil {
		return 0, false
	}
	return mem.Load(unsafe.Add(p, 0), n), true
}
