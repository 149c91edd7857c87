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

// async returns the handler of an instruction on barrier objects or asynchronous copies.
func (p *program) async(inst *ir.Inst) func(g *gang, o *op) bool {
	execute := exec.AsyncOf(inst.Form)
	waits := inst.Form.Has(".test_wait") || inst.Form.Has(".try_wait")
	operands := []memoryOp{p.asyncAddress(inst.Addr)}
	for _, a := range inst.MoreAddrs {
		operands = append(operands, p.asyncAddress(a))
	}
	return func(g *gang, o *op) bool {
		masks, any := g.guard(o)
		if !any {
			return true
		}
		g.block.polled = g.block.polled || waits
		a := exec.Async{
			Src: make([]uint64, len(o.srcs)), Dst: make([]uint64, len(o.dst)), Addr: make([]uint64, len(operands)),
			Memory: asyncMemory{g},
		}
		for w := range g.warps {
			for m := masks[w]; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros32(m)
				for i := range o.srcs {
					a.Src[i] = g.read(o.srcs[i], w, lane)
				}
				for i := range operands {
					a.Addr[i] = operands[i].offset
					if base := operands[i].base; base.offset >= 0 {
						a.Addr[i] = operands[i].wrap(g.read(base, w, lane))
					}
				}
				if fault := execute(&a); fault != nil {
					return g.raise(o, fault.Kind, w, lane, fault.Address, fault.Bytes, fault.Detail)
				}
				for i := range o.dst {
					g.write(o.dst[i], w, lane, a.Dst[i])
				}
			}
		}
		return true
	}
}

func (p *program) asyncAddress(a ir.Addr) memoryOp {
	base := p.operand(a.Base)
	return memoryOp{base: base, offset: uint64(a.Offset), narrow: base.bits == 32}
}
