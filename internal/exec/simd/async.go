package simd

import (
	"math/bits"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
)

// asyncMemory is the memory that asynchronous instructions of a gang reach; it is an exec.BlockMemory.
type asyncMemory struct{ g *gang }

func (m asyncMemory) Rank() int { return 0 }

func (m asyncMemory) Bytes(space isa.Space, addr uint64, n, align int) ([]byte, *exec.Fault) {
	if addr%uint64(align) != 0 {
		return nil, exec.Misaligned(addr, align)
	}
	at := addr
	if space == isa.Generic {
		if space = isa.SpaceOf(addr); space == isa.Generic {
			space = isa.Global
		}
		at -= exec.Window(space)
	}
	if space == isa.Shared || space == isa.SharedCluster {
		rank, offset := exec.SharedOwner(at, 0)
		if rank != 0 {
			return nil, exec.Outside(m.g.block.launch, space, addr, n)
		}
		at = offset
	}
	p := m.g.host(&memoryOp{space: space, bytes: align}, at, n)
	if p == nil {
		return nil, exec.Outside(m.g.block.launch, space, addr, n)
	}
	return unsafe.Slice((*byte)(p), n), nil
}

// asyncOp is a prepared instruction on barrier objects or asynchronous copies.
type asyncOp struct {
	execute  exec.AsyncFunc
	operands []memoryOp // only where they are
	// waits marks tests of a barrier object.
	waits bool
}

// async returns the handler of an instruction on barrier objects or asynchronous copies.
func (p *program) async(inst *ir.Inst) func(g *gang, o *op) bool {
	x := &asyncOp{execute: exec.AsyncOf(inst.Form), waits: inst.Form.Has(".test_wait") || inst.Form.Has(".try_wait")}
	x.operands = append(x.operands, p.asyncAddress(inst.Addr))
	for _, a := range inst.MoreAddrs {
		x.operands = append(x.operands, p.asyncAddress(a))
	}
	return x.run
}

func (p *program) asyncAddress(a ir.Addr) memoryOp {
	base := p.operand(a.Base)
	return memoryOp{base: base, offset: uint64(a.Offset), narrow: base.bits == 32}
}

// run executes the instruction lane by lane.
func (x *asyncOp) run(g *gang, o *op) bool {
	masks, any := g.guard(o)
	if !any {
		return true
	}
	a := &g.asyncIO
	a.Src, a.Dst = sized(a.Src, len(o.srcs)), sized(a.Dst, len(o.dst))
	a.Addr, a.Memory, a.Report = sized(a.Addr, len(x.operands)), asyncMemory{g}, nil
	observer := g.block.worker.observer
	for w := range g.warps {
		for m := masks[w]; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			if observer != nil {
				a.Report = func(space isa.Space, addr uint64, bytes int) {
					if space == isa.SharedCluster { // the block is its whole cluster
						space = isa.Shared
						_, addr = exec.SharedOwner(addr, 0)
					}
					g.asyncLog.Add(lane, space, addr, bytes)
				}
			}
			if !x.lane(g, o, a, w, lane) {
				return false
			}
		}
		g.asyncLog.Flush(func(space isa.Space, mask uint32, addr *[32]uint64, bytes int) {
			g.observed = *addr
			g.report(observer, o, w, mask, space, bytes)
		})
	}
	return true
}

// lane executes the instruction in one lane.
func (x *asyncOp) lane(g *gang, o *op, a *exec.Async, w, lane int) bool {
	for i := range o.srcs {
		a.Src[i] = g.read(o.srcs[i], w, lane)
	}
	for i := range x.operands {
		a.Addr[i] = x.operands[i].offset
		if base := x.operands[i].base; base.offset >= 0 {
			a.Addr[i] = x.operands[i].wrap(g.read(base, w, lane))
		}
	}
	if fault := x.execute(a); fault != nil {
		return g.raise(o, fault.Kind, w, lane, fault.Address, fault.Bytes, fault.Detail)
	}
	for i := range o.dst {
		g.write(o.dst[i], w, lane, a.Dst[i])
	}
	if x.waits && a.Dst[0] == 0 {
		g.running.waited = true
		g.block.polls++
	}
	return true
}

// sized returns a slice of n values, s itself when it is large enough.
func sized(s []uint64, n int) []uint64 {
	if cap(s) < n {
		return make([]uint64, n)
	}
	return s[:n]
}
