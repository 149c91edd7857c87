package simd

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/isa"
	"silica/internal/mem"
)

// regionBytes is the size of a region.
const regionBytes = int(unsafe.Sizeof(region{}))

// addressOf returns the address of a lane's access as the instruction forms it. An address of 32 bits
// wraps around.
func (g *gang) addressOf(m *memoryOp, w, lane int) uint64 {
	if m.base.offset < 0 {
		return m.offset
	}
	addr := g.read(m.base, w, lane) + m.offset
	if m.narrow {
		addr = uint64(uint32(addr))
	}
	return addr
}

// addresses forms the addresses of the lanes of warp w; those of other lanes may be anything.
func (g *gang) addresses(m *memoryOp, w int, lanes uint32, out *[warpLanes]uint64) {
	switch {
	case m.base.offset < 0:
		for lane := range out {
			out[lane] = m.offset
		}
		return
	case m.base.bits == 64 && !m.narrow:
		for lane, base := range (*[warpLanes]uint64)(g.row(m.base, w)) {
			out[lane] = base + m.offset
		}
		return
	case m.base.bits == 32 && m.narrow:
		for lane, base := range (*[warpLanes]uint32)(g.row(m.base, w)) {
			out[lane] = uint64(base + uint32(m.offset))
		}
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		out[lane] = g.addressOf(m, w, lane)
	}
}

// spaceOf resolves an address as an instruction forms it to the space it reaches and the offset there.
func spaceOf(space isa.Space, addr uint64) (isa.Space, uint64) {
	if space != isa.Generic {
		return space, addr
	}
	switch space = isa.SpaceOf(addr); space {
	case isa.Shared:
		return isa.SharedCluster, addr - isa.SharedWindow
	case isa.Generic:
		return isa.Global, addr
	}
	return space, addr - exec.Window(space)
}

// cell is where a lane's access begins: in host memory, or at an address of the thread's local memory.
type cell struct {
	p       ptr
	around  region // of the space that p is in
	local   bool
	address uint64
}

// resolve returns the place of an access of a lane and the space it reaches, or the fault it is.
func (g *gang) resolve(m *memoryOp, addr uint64) (c cell, space isa.Space, fault *exec.Fault) {
	named := m.space
	if m.window != 0 {
		named, addr = isa.Generic, addr+m.window
	}
	space, offset := spaceOf(named, addr)
	if offset%uint64(m.bytes) == 0 {
		if c, ok := g.cellOf(space, offset, m.bytes); ok && !(m.writes && space == isa.Global && !g.worker.view.Writable()) {
			if !c.local && space != isa.ParamEntry {
				g.remember(m, addr-offset, c.around)
			}
			return c, space, nil
		}
	}
	return cell{}, space, exec.ExplainAccess(g.worker.Launch, space, addr, m.bytes)
}

// cellOf returns the place of bytes at an offset in a space.
func (g *gang) cellOf(space isa.Space, offset uint64, bytes int) (cell, bool) {
	n := uint64(bytes)
	switch space {
	case isa.Global, isa.Const:
		r, p, ok := g.worker.view.Region(offset)
		if !ok || n > r.End()-offset {
			return cell{}, false
		}
		return cell{p: unsafe.Add(p, offset-r.Base), around: region{r.Base, r.Size, uintptr(p)}}, true
	case isa.Shared, isa.SharedCluster:
		b, at := g.block, offset
		if space == isa.SharedCluster {
			var owner int
			if owner, at = exec.SharedOwner(offset, b.rank); owner >= len(b.cluster.blocks) {
				return cell{}, false
			}
			b = b.cluster.blocks[owner]
		}
		size := uint64(b.sharedBytes)
		if at >= size || n > size-at {
			return cell{}, false
		}
		return cell{p: unsafe.Add(b.shared, at), around: region{offset - at, size, uintptr(b.shared)}}, true
	case isa.Local, isa.ParamFunc:
		if limit := uint64(g.worker.Machine.LocalPerThread); offset >= limit || n > limit-offset {
			return cell{}, false
		}
		g.roomFor(offset + n)
		return cell{local: true, address: offset}, true
	case isa.ParamEntry:
		if size := uint64(len(g.worker.Params)); offset >= size || n > size-offset {
			return cell{}, false
		}
		return cell{p: unsafe.Add(ptr(unsafe.SliceData(g.worker.params)), offset)}, true
	}
	return cell{}, false
}

// remember notes the region of a memory instruction for the machine code. Addresses are more by window than
// offsets in the space.
func (g *gang) remember(m *memoryOp, window uint64, r region) {
	r.start += window
	if m.region >= firstRegion && (!m.narrow || r.start+r.size <= 1<<32) {
		g.regions[m.region] = r
	}
}

// at returns where element i of an access is, in host memory.
func (m *memoryOp) at(c cell, i int) ptr { return unsafe.Add(c.p, i*m.elem) }

// learns tells whether an access that machine code could not begin may go better now that the region of its first lane
// is known.
func (g *gang) learns(o *op) bool {
	m := o.mem
	if !o.coded || g.machine.warp != 0 || g.machine.rest != 0 {
		return false
	}
	known := g.regions[m.region]
	w, lane := firstLane(g.lanesOf(o))
	_, _, fault := g.resolve(m, g.addressOf(m, w, lane))
	return fault == nil && g.regions[m.region] != known
}

// eachAccess calls do with the place of each lane's access, from where machine code stopped.
func (g *gang) eachAccess(o *op, do func(w, lane int, c cell, space isa.Space) *exec.Fault) int {
	m := o.mem
	if g.learns(o) {
		return o.index
	}
	if o.again {
		g.machine.warp, g.machine.rest = 0, 0
	}
	first := int(g.machine.warp)
	lanes := g.lanesOf(o)
	for w := first; w < g.warps; w++ {
		left := lanes[w]
		if w == first && g.machine.rest != 0 {
			left = g.machine.rest
		}
		for ; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left)
			addr := g.addressOf(m, w, lane)
			c, space, fault := g.resolve(m, addr)
			if fault == nil {
				fault = do(w, lane, c, space)
			}
			if fault != nil {
				return g.fail(o, w, lane, fault)
			}
		}
	}
	return o.after
}

func runLoad(g *gang, _ *fragment, o *op) int {
	m := o.mem
	next := g.eachAccess(o, func(w, lane int, c cell, _ isa.Space) *exec.Fault {
		var values [8]uint64
		for i := range m.regs {
			if c.local {
				values[i] = g.loadLocal(w, lane, c.address+uint64(i*m.elem), m.elem)
			} else {
				values[i] = mem.Load(m.at(c, i), m.elem)
			}
		}
		for i, r := range m.regs {
			g.write(r, w, lane, m.extend(values[i]))
		}
		return nil
	})
	if m.ordered {
		g.worker.orderAccesses()
	}
	return next
}

func (m *memoryOp) extend(v uint64) uint64 {
	if m.signed {
		shift := 64 - m.elem*8
		return uint64(int64(v<<shift) >> shift)
	}
	return v
}

func runStore(g *gang, _ *fragment, o *op) int {
	m := o.mem
	if m.ordered {
		g.worker.orderAccesses()
	}
	return g.eachAccess(o, func(w, lane int, c cell, space isa.Space) *exec.Fault {
		if space == isa.ParamEntry {
			return &exec.Fault{Kind: exec.IllegalAddress, Detail: "the parameters of a kernel can not be written"}
		}
		for i, r := range m.regs {
			if r.offset < 0 {
				continue
			}
			if c.local {
				g.storeLocal(w, lane, c.address+uint64(i*m.elem), m.elem, g.read(r, w, lane))
			} else {
				mem.Store(m.at(c, i), m.elem, g.read(r, w, lane))
			}
		}
		return nil
	})
}

// orderAccesses orders the accesses of this goroutine with those of others.
func (w *worker) orderAccesses() { atomic.AddUint32(&w.fence, 1) }

func runFence(g *gang, _ *fragment, o *op) int {
	g.worker.orderAccesses()
	return o.after
}
