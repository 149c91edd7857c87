package simd

import (
	"math/bits"
	"strings"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
)

// asyncMemory is the memory that asynchronous instructions of a gang reach; it is an exec.BlockMemory.
type asyncMemory struct{ g *gang }

func (m asyncMemory) Rank() int { return m.g.block.rank }

func (m asyncMemory) Tensor(rank int) *exec.TensorMemory {
	if blocks := m.g.block.cluster.blocks; rank < len(blocks) {
		return &blocks[rank].tensor
	}
	return nil
}

func (m asyncMemory) Bytes(space isa.Space, addr uint64, n, align int) ([]byte, *exec.Fault) {
	space, offset := spaceOf(space, addr)
	switch {
	case space == isa.Local:
		return nil, &exec.Fault{Kind: exec.IllegalAddress, Address: addr, Bytes: n, Detail: "asynchronous instructions do not reach local memory"}
	case offset%uint64(align) != 0:
		return nil, exec.Misaligned(addr, align)
	}
	c, ok := m.g.cellOf(space, offset, n)
	if !ok {
		return nil, exec.Outside(m.g.worker.Launch, space, addr, n)
	}
	return unsafe.Slice((*byte)(c.p), n), nil
}

// asyncOp is a prepared instruction on barrier objects or asynchronous copies.
type asyncOp struct {
	execute   exec.AsyncFunc
	addresses []*memoryOp // only where they are
	waits     bool        // for a phase of a barrier object
	source    *memoryOp   // where a copy reads that machine code makes
}

func (b *builder) lowerAsync() {
	in := b.inst
	x := &asyncOp{execute: exec.AsyncOf(in.Form), addresses: b.allAddresses(), waits: in.Form.Has(".try_wait")}
	if x.waits || in.Form.Has(".test_wait") {
		b.poll()
	}
	if b.observed || !b.lowerCopy(x) {
		b.goStep(runAsync).async = x
	}
}

// tensorOp prepares an instruction on tensor memory and a warp.
func (b *builder) tensorOp() *asyncOp {
	return &asyncOp{execute: exec.TensorOf(b.inst.Form), addresses: b.allAddresses()}
}

// allAddresses prepares the memory operands of the instruction.
func (b *builder) allAddresses() []*memoryOp {
	list := []*memoryOp{b.address(b.inst.Addr)}
	for _, a := range b.inst.MoreAddrs {
		list = append(list, b.address(a))
	}
	return list
}

// lowerCopy emits an asynchronous copy of a few bytes a lane as a load and a store. Its sources are the size and how much
// of that to read.
func (b *builder) lowerCopy(x *asyncOp) bool {
	in := b.inst
	name := in.Form.Name()
	if !b.unit.hasCode() || !strings.HasPrefix(name, "cp.async.ca.") && !strings.HasPrefix(name, "cp.async.cg.") || len(in.Src) > 2 {
		return false
	}
	from, to := *x.addresses[1], *x.addresses[0]
	for bytes := 4; bytes <= 16; bytes *= 2 {
		if !b.allConstant(in.Src, uint64(bytes)) {
			continue
		}
		var rows []operand
		for i := range bytes / 4 {
			rows = append(rows, operand{offset: b.scratch[0].offset + i*b.warps*rowBytes, bits: 32})
		}
		for _, m := range []*memoryOp{&from, &to} {
			m.elem, m.count, m.bytes = 4, len(rows), bytes
		}
		from.space, from.region = isa.Global, b.regions
		to.space, to.region = isa.Shared, sharedRegion
		b.regions++
		x.source = &from
		b.accessStep(&from, work{kind: accesses, mem: &from, rows: rows}, runAsync).async = x
		b.accessStep(&to, work{kind: accesses, mem: &to, store: true, rows: rows}, runAsync).async = x
		return true
	}
	return false
}

// allConstant tells whether registers of 32 bits hold the value in every lane.
func (b *builder) allConstant(list []ir.Operand, value uint64) bool {
	for _, o := range list {
		if o.Bits != 32 || !b.isConstant(b.operand(o), value) {
			return false
		}
	}
	return true
}

// address prepares a memory operand.
func (b *builder) address(a ir.Addr) *memoryOp {
	base := b.operand(a.Base)
	return &memoryOp{space: a.Space, base: base, offset: uint64(a.Offset), narrow: base.bits == 32}
}

// runAsync runs barrier objects and asynchronous copies lane by lane.
func runAsync(g *gang, _ *fragment, o *op) int {
	ok, waited := g.async(o, g.lanesOf(o))
	if !ok {
		return stop
	}
	if waited { // in vain: let others run
		g.machine.budget -= patience * g.machine.pollCost
		g.machine.polls += patience
	}
	return o.after
}

// tensorLanes runs an instruction on tensor memory for lanes of each warp.
func tensorLanes(g *gang, o *op, lanes *masks) bool {
	ok, _ := g.async(o, lanes)
	return ok
}

// async runs an instruction lane by lane; it returns false on a fault, and whether all lanes have waited in vain.
func (g *gang) async(o *op, lanes *masks) (ok, waited bool) {
	x := o.async
	a := exec.Async{
		Src: make([]uint64, len(o.srcs)), Dst: make([]uint64, len(o.dst)), Addr: make([]uint64, len(x.addresses)),
		Memory: asyncMemory{g},
	}
	waited = x.waits
	for w, active := range lanes {
		for mask := active; mask != 0; mask &= mask - 1 {
			lane := bits.TrailingZeros32(mask)
			a.Lane, a.Warp, a.First = lane, g.firstWarp+w, mask == active
			if g.observed() {
				a.Report = func(space isa.Space, addr uint64, bytes int) { g.worker.async.Add(lane, space, addr, bytes) }
			}
			if fault := g.asyncLane(o, &a, w, lane); fault != nil {
				g.fail(o, w, lane, fault)
				return false, false
			}
			if x.source != nil {
				g.resolve(x.source, g.addressOf(x.source, w, lane)) // for the machine code to know the region
			}
			waited = waited && a.Dst[0] == 0
		}
		g.worker.async.Flush(func(space isa.Space, mask uint32, addr *[warpLanes]uint64, bytes int) {
			g.worker.addresses[w] = *addr
			g.report(o, w, space, mask, &g.worker.addresses[w], bytes)
		})
	}
	return true, waited
}

func (g *gang) asyncLane(o *op, a *exec.Async, w, lane int) *exec.Fault {
	for i := range o.srcs {
		a.Src[i] = g.read(o.srcs[i], w, lane)
	}
	for i, m := range o.async.addresses {
		a.Addr[i] = g.addressOf(m, w, lane)
	}
	if fault := o.async.execute(a); fault != nil {
		return fault
	}
	for i := range o.dst {
		g.write(o.dst[i], w, lane, a.Dst[i])
	}
	return nil
}

// matrixLanes moves matrices between memory and the registers of lanes of each warp.
func matrixLanes(g *gang, o *op, lanes *masks) bool {
	for w, active := range lanes {
		if active != 0 && !g.matrix(o, w, active) {
			return false
		}
	}
	return true
}

func (g *gang) matrix(o *op, w int, active uint32) bool {
	m := g.describeMatrix(o, w, active)
	m.Moved = false
	if lane, fault := o.matrix(m); fault != nil {
		g.fail(o, w, lane, fault)
		return false
	}
	for i, d := range o.dst {
		g.writeLanes(d, w, active, &m.Warp.Dst[i])
	}
	return true
}

// describeMatrix sets up a move of matrices by warp w, and who listens to it.
func (g *gang) describeMatrix(o *op, w int, active uint32) *exec.Matrix {
	m := &g.worker.matrixIO
	m.Warp.Active, m.Space, m.Memory, m.Report = active, o.mem.space, asyncMemory{g}, nil
	m.ReportUnits = nil
	for i, s := range o.srcs {
		g.readLanes(s, w, active, &m.Warp.Src[i])
	}
	g.addresses(o.mem, w, active, &m.Addr)
	if g.observed() {
		m.Report = func(mask uint32, addr *[warpLanes]uint64, bytes int) {
			g.report(o, w, m.Space, mask, addr, bytes)
		}
		m.ReportUnits = func(units [][warpLanes]uint64, base uint64, bytes int) bool {
			return g.reportUnits(o, m.Space, units, base, bytes)
		}
	}
	return m
}
