package driver

import (
	"math"

	"silica/internal/mem"
)

// MemoryAlloc is an allocation by a graph. Its address is known from the beginning; there is memory from a launch to the free
// that follows, in the graph or after it.
type MemoryAlloc struct {
	Address, Size uint64
	block         *graphBlock
}

// graphBlock is the addresses of an allocation of a graph. They are kept as long as the graph, its exec or the memory needs them.
type graphBlock struct {
	mem.Range
	device *Device
	users  int // the system's lock guards it
}

// graphMemory counts the memory of a GPU that graphs have, in bytes.
type graphMemory struct{ Used, UsedHigh, Reserved, ReservedHigh uint64 }

// graphUnit is what the memory of a graph is a multiple of, in bytes: as an H200 answers.
const graphUnit = 32 << 20

// NewMemoryAlloc returns an allocation for a graph of the device.
func (d *Device) NewMemoryAlloc(size uint64) (MemoryAlloc, error) {
	if size == 0 || size > math.MaxInt64 {
		return MemoryAlloc{}, Fail(InvalidValue, "an allocation of %d bytes", size)
	}
	addr, err := d.memory.Reserve((size+allocationAlign-1)&^(allocationAlign-1), allocationAlign)
	if err != nil {
		return MemoryAlloc{}, wrap(OutOfMemory, err)
	}
	size = (size + allocationAlign - 1) &^ (allocationAlign - 1)
	b := &graphBlock{Range: mem.Range{Base: addr, Size: size}, device: d}
	d.system.mu.Lock()
	defer d.system.mu.Unlock()
	d.system.blocks[addr] = b
	return MemoryAlloc{addr, size, b}, nil
}

// The memory is there when the launch is submitted: calls that follow know it.
func (MemoryAlloc) prepare(*Device) (func() error, bool, error) { return nil, false, nil }

// inGraph makes the work of an operation of a graph. What is in memory that a graph allocates is found when the work runs: before, it
// need not be there.
func (d *Device) inGraph(o Operation) (work func() error, err error) {
	work, _, err = o.prepare(d)
	if !d.onGraphMemory(o) {
		return work, err
	}
	return func() error {
		work, _, err := o.prepare(d)
		if err != nil || work == nil {
			return err
		}
		return work()
	}, nil
}

// onGraphMemory tells whether an operation copies or fills memory that graphs allocate.
func (d *Device) onGraphMemory(o Operation) bool {
	switch o := o.(type) {
	case MemoryCopy:
		return d.allocatedByGraph(o.Dst, o.Extent) || d.allocatedByGraph(o.Src, o.Extent)
	case MemorySet:
		return d.allocatedByGraph(o.Dst, o.Extent)
	}
	return false
}

func (d *Device) allocatedByGraph(p Place, e Extent) bool {
	n, ok := e.span(p)
	if !ok || p.In.Array != nil {
		return false
	}
	s := d.system
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.blocks {
		if p.Addr >= b.Base && n <= b.Size && p.Addr-b.Base <= b.Size-n {
			return true
		}
	}
	return false
}

// live tells whether there is memory now.
func (b *graphBlock) live() bool { return b.device.MemoryAt(b.Base).Kind == DeviceMemory }

// use counts those that need the block, and gives it back when none does.
func (b *graphBlock) use(n int) {
	s := b.device.system
	s.mu.Lock()
	b.users += n
	last := b.users == 0
	if last {
		delete(s.blocks, b.Base)
	}
	s.mu.Unlock()
	if last {
		_ = b.device.memory.Unreserve(b.Range) // nothing is there any more
	}
}

// GraphFree gives memory of a MemoryAlloc back.
type GraphFree struct{ MemoryFree }

func (o GraphFree) prepare(d *Device) (func() error, bool, error) {
	return func() error { return d.FreeNow(uint64(o.MemoryFree)) }, false, nil
}

// freedGraphMemory tells that the memory at addr, which may be a graph's, is gone.
func (d *Device) freedGraphMemory(addr uint64) {
	s := d.system
	s.mu.Lock()
	b := s.blocks[addr]
	s.mu.Unlock()
	if b != nil {
		b.use(-1)
	}
}

// hasMemory tells whether a graph allocates or frees.
func (g *Graph) hasMemory() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.blocks()) > 0 || g.frees()
}

// blocks returns the allocations of the graph. The caller holds g.mu.
func (g *Graph) blocks() (all []*graphBlock) {
	for _, n := range g.nodes {
		if o, ok := n.operation.(MemoryAlloc); ok {
			all = append(all, o.block)
		}
	}
	return all
}

func (g *Graph) frees() bool {
	for _, n := range g.nodes {
		if _, ok := n.operation.(GraphFree); ok {
			return true
		}
	}
	return false
}

var errGraphMemory = Fail(NotSupported, "a graph that allocates or frees memory is there once: it has no clones and is no child, its nodes stay, and one exec is made of it")

// checkMemory checks an operation that is to become a node of the graph. The caller holds g.mu.
func (g *Graph) checkMemory(o Operation) error {
	f, ok := o.(GraphFree)
	if !ok {
		return nil
	}
	addr, allocated := uint64(f.MemoryFree), false
	for _, n := range g.nodes {
		switch o := n.operation.(type) {
		case MemoryAlloc:
			allocated = allocated || o.Address == addr
		case GraphFree:
			if o.MemoryFree == f.MemoryFree {
				return Fail(InvalidValue, "the graph frees the memory at 0x%x already", addr)
			}
		}
	}
	s := g.device.system
	s.mu.Lock()
	other := s.blocks[addr] != nil // that of another graph
	s.mu.Unlock()
	if !allocated && !other {
		return Fail(InvalidValue, "no graph allocates memory at 0x%x", addr)
	}
	return nil
}

// Destroy ends the use of a graph. What was instantiated of it stays.
func (g *Graph) Destroy() {
	g.mu.Lock()
	blocks := g.blocks()
	g.nodes = nil
	g.mu.Unlock()
	for _, b := range blocks {
		b.use(-1)
	}
}

// execMemory is what a GraphExec has of memory.
type execMemory struct {
	graph    *Graph // of which it is the only exec; nil when it has no memory
	autoFree bool
	blocks   []*graphBlock
	used     bool // it has been launched, and keeps its memory
	freed    map[uint64]bool
}

// takes lets an exec have the memory of its graph. The caller holds g.mu.
func (x *GraphExec) takes(g *Graph) error {
	if g.frees() || len(g.blocks()) > 0 {
		if g.exec {
			return errGraphMemory
		}
		g.exec, x.memory.graph = true, g
	}
	x.memory.blocks = g.blocks()
	x.memory.freed = map[uint64]bool{}
	for _, n := range g.nodes {
		if o, ok := n.operation.(GraphFree); ok {
			x.memory.freed[uint64(o.MemoryFree)] = true
		}
	}
	for _, b := range x.memory.blocks {
		b.use(1)
	}
	return nil
}

// bytes is the memory that the exec keeps.
func (x *execMemory) bytes() uint64 {
	var n uint64
	for _, b := range x.blocks {
		n += b.Size
	}
	return (n + graphUnit - 1) / graphUnit * graphUnit
}

// allocationsOf returns the indices of the nodes that allocate what is freed.
func allocationsOf(f GraphFree, nodes []*Node) (all []int) {
	for i, n := range nodes {
		if o, ok := n.operation.(MemoryAlloc); ok && o.Address == uint64(f.MemoryFree) {
			all = append(all, i)
		}
	}
	return all
}

// begin prepares a launch: what the one before left is freed, or an error. The caller holds x.mu.
func (x *GraphExec) begin(s *Stream) error {
	m := &x.memory
	if len(m.blocks) == 0 {
		return nil
	}
	x.last.Wait()
	for _, b := range m.blocks {
		if m.freed[b.Base] || !x.left(s, b) {
			continue
		}
		if !m.autoFree {
			return Fail(InvalidValue, "the memory at 0x%x that the launch before allocated is not freed", b.Base)
		}
		if err := x.device.FreeNow(b.Base); err != nil {
			return err
		}
	}
	for _, b := range m.blocks {
		if err := x.device.memory.AllocAt(b.Range); err != nil {
			return wrap(OutOfMemory, err)
		}
		b.use(1)
	}
	if !m.used {
		m.used = true
		x.device.system.countGraphMemory(x.device.Ordinal, int64(m.bytes()))
	}
	return nil
}

// left tells whether memory of the launch before is there when the stream's work has ended.
func (x *GraphExec) left(s *Stream, b *graphBlock) bool {
	if !b.live() {
		return false
	}
	s.Last().Wait()
	return b.live()
}

// Destroy ends the use of the exec, after its launches.
func (x *GraphExec) Destroy() {
	x.mu.Lock()
	defer x.mu.Unlock()
	m := &x.memory
	if len(m.blocks) == 0 && m.graph == nil {
		return
	}
	x.last.Wait()
	if m.used {
		x.device.system.countGraphMemory(x.device.Ordinal, -int64(m.bytes()))
	}
	if m.graph != nil {
		m.graph.mu.Lock()
		m.graph.exec = false
		m.graph.mu.Unlock()
	}
	for _, b := range m.blocks {
		b.use(-1)
	}
	x.memory = execMemory{}
}

func (s *System) countGraphMemory(ordinal int, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := &s.graphs[ordinal]
	g.Used = uint64(int64(g.Used) + n)
	g.Reserved = max(g.Reserved, g.Used)
	g.UsedHigh, g.ReservedHigh = max(g.UsedHigh, g.Used), max(g.ReservedHigh, g.Reserved)
}

// GraphMemory returns what graphs have of a GPU's memory.
func (s *System) GraphMemory(ordinal int) (used, usedHigh, reserved, reservedHigh uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.graphs[ordinal]
	return g.Used, g.UsedHigh, g.Reserved, g.ReservedHigh
}

// ResetGraphMemoryHigh lets the highest values be the current ones.
func (s *System) ResetGraphMemoryHigh(ordinal int, used, reserved bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := &s.graphs[ordinal]
	if used {
		g.UsedHigh = g.Used
	}
	if reserved {
		g.ReservedHigh = g.Reserved
	}
}

// TrimGraphMemory gives memory back that graphs do not use.
func (s *System) TrimGraphMemory(ordinal int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.graphs[ordinal].Reserved = s.graphs[ordinal].Used
}
