package exec

import (
	"silica/internal/isa"
	"silica/internal/mma"
)

// WarpgroupWarps is the number of warps of a warpgroup: consecutive ones, of which the first has an index in the
// block that is a multiple of it.
const WarpgroupWarps = 4

// Warpgroup is what the execution of an OpWarpgroup instruction sees.
//
// Each warp of a warpgroup computes 16 of the 64 rows of D and needs no other warp for it, so an engine may run the
// warps of a group one after the other or together. Together is faster: what they share, B, is read and decoded
// once.
type Warpgroup struct {
	Memory BlockMemory
	// Warps are the warps that execute the instruction, all of one warpgroup.
	Warps []WarpgroupWarp
	// Report is told of each access to shared memory: of the lanes of a warp (an index in Warps) in mask, bytes at an
	// address each. It is nil when nobody listens.
	Report func(warp int, mask uint32, addr *[32]uint64, bytes int)

	factors mma.WarpgroupFactors
	tiles   [WarpgroupWarps]mma.Tile
	a       []byte
	offsets []uint32
}

// WarpgroupWarp is one warp of a Warpgroup.
type WarpgroupWarp struct {
	Index  int    // in the warpgroup
	Active uint32 // lanes
	// Src and Dst are the registers of 32 bits among the sources and destinations, in the order of ir.Inst's; those
	// of other widths are nil. An accumulator's source and destination may be the same.
	Src, Dst []*[32]uint32
	// First holds the values of the sources in the first active lane.
	First []uint64
}

// WarpgroupFunc executes an OpWarpgroup instruction. It returns the warp (an index in Warps) that faults, with its fault.
type WarpgroupFunc func(x *Warpgroup) (warp int, fault *Fault)

// warpgroupProduct is a wgmma.mma_async form, bound.
type warpgroupProduct struct {
	*mma.WarpgroupProduct
	// Indices of sources; -1 for those that the form does not have.
	a, descriptorA, descriptorB, meta, selector, scaleD, scaleA, scaleB, transA, transB int
}

// WarpgroupOf binds a form whose Op is OpWarpgroup.
func WarpgroupOf(f *isa.Form) WarpgroupFunc {
	p := &warpgroupProduct{
		WarpgroupProduct: mma.Warpgroup(isa.WarpgroupProductOf(f)),
		a:                sourceNamed(f, "a"), descriptorA: sourceNamed(f, "a-desc"), descriptorB: sourceNamed(f, "b-desc"),
		meta: sourceNamed(f, "sp-meta"), selector: sourceNamed(f, "sp-sel"), scaleD: sourceNamed(f, "scale-d"),
		scaleA: sourceNamed(f, "scale-a"), scaleB: sourceNamed(f, "scale-b"),
		transA: sourceNamed(f, "trans-a"), transB: sourceNamed(f, "trans-b"),
	}
	return p.run
}

// chosen tells whether an optional source of a warp has the value.
func (w *WarpgroupWarp) chosen(source int, value uint32) bool {
	return source >= 0 && uint32(w.First[source]) == value
}

// run computes the product in the warps, those with the same B together.
func (p *warpgroupProduct) run(x *Warpgroup) (int, *Fault) {
	const minusOne = 1<<32 - 1
	for i := range x.Warps {
		if w := &x.Warps[i]; w.Active != 1<<32-1 {
			return i, illegal("a product of a warpgroup by lanes 0x%08x of a warp; all are needed", w.Active)
		}
	}
	for first := 0; first < len(x.Warps); {
		w := &x.Warps[first]
		last := first + 1
		for last < len(x.Warps) && x.Warps[last].First[p.descriptorB] == w.First[p.descriptorB] {
			last++
		}
		b := matrixOf(w.First[p.descriptorB], p.N, p.ColumnBytes(), w.chosen(p.transB, 1))
		if fault := x.gather(&b, &x.factors.B, 0); fault != nil {
			return first, fault
		}
		x.reportQuarters(&b, first, last)
		x.factors.NegateA, x.factors.NegateB = w.chosen(p.scaleA, minusOne), w.chosen(p.scaleB, minusOne)
		tiles := x.tiles[:last-first]
		for i := range tiles {
			if fault := p.tile(x, first+i, &tiles[i]); fault != nil {
				return first + i, fault
			}
		}
		p.Run(&x.factors, tiles)
		first = last
	}
	return 0, nil
}

// tile sets the operands of a warp.
func (p *warpgroupProduct) tile(x *Warpgroup, warp int, t *mma.Tile) *Fault {
	w := &x.Warps[warp]
	t.Accumulate = w.First[p.scaleD] != 0
	t.C, t.D = w.Src[:len(w.Dst)], w.Dst
	if p.meta >= 0 {
		t.Meta, t.Selector = w.Src[p.meta], w.First[p.selector]
	}
	if p.a >= 0 {
		t.SetA(w.Src[p.a:][:4])
		return nil
	}
	a := matrixOf(w.First[p.descriptorA], WarpgroupWarps*mma.TileRows, mma.RowBytes, w.chosen(p.transA, 1))
	a.first, a.rows = w.Index*mma.TileRows, mma.TileRows
	if fault := x.gather(&a, &x.a, warp); fault != nil {
		return fault
	}
	copy(t.A[:], x.a)
	if x.Report != nil {
		x.report(warp, x.offsets)
	}
	return nil
}

// gather packs the rows of a matrix one after the other in to. It leaves the addresses of its pieces in x.offsets.
func (x *Warpgroup) gather(d *sharedMatrix, to *[]byte, warp int) *Fault {
	x.offsets = d.pieces(x.offsets[:0])
	low, high := x.offsets[0], x.offsets[0]
	for _, o := range x.offsets {
		low, high = min(low, o), max(high, o)
	}
	memory, fault := x.Memory.Bytes(isa.Shared, uint64(low), int(high-low)+pieceBytes, pieceBytes)
	if fault != nil {
		// Everywhere else it is an illegal instruction to leave shared memory.
		fault.Kind, fault.Detail = IllegalAddress, d.String()+" is not all in the shared memory of the block"
		return fault
	}
	if size := d.rows * d.rowBytes; len(*to) != size {
		*to = make([]byte, size)
	}
	d.pack(memory, low, x.offsets, *to)
	return nil
}

// reportQuarters reports the pieces of B, of which each warp of a group reads a part.
func (x *Warpgroup) reportQuarters(d *sharedMatrix, first, last int) {
	if x.Report == nil {
		return
	}
	n := len(x.offsets)
	for warp := first; warp < last; warp++ {
		i := x.Warps[warp].Index
		x.report(warp, x.offsets[i*n/WarpgroupWarps:(i+1)*n/WarpgroupWarps])
	}
}

// report reports accesses to pieces, a lane each.
func (x *Warpgroup) report(warp int, offsets []uint32) {
	for len(offsets) > 0 {
		n := min(len(offsets), 32)
		var addr [32]uint64
		for lane, o := range offsets[:n] {
			addr[lane] = uint64(o)
		}
		x.Report(warp, uint32(1<<n-1), &addr, pieceBytes)
		offsets = offsets[n:]
	}
}
