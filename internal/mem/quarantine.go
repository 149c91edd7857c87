package mem

import (
	"slices"
	"sort"
)

// freed is an allocation that was given back, and whose addresses are kept unused for a while, so that a use of them is found.
type freed struct {
	Range
	span            Range
	allocated, when uint64 // launches before
}

// What is kept unused: so many allocations, and so much of the addresses. They cost no memory but the parts of pages at their ends.
const (
	heldAllocations = 1024
	heldShare       = 4 // of the arena
)

// retire keeps the addresses of a region that is gone unused until others have followed it. Its whole pages hold nothing any
// more. The caller holds the lock.
func (p *Physical) retire(r region) {
	p.decommit(r.span, r.span)
	p.freed = append(p.freed, freed{r.Range, r.span, r.allocated, p.space.launches.Load()})
	p.held += r.span.Size
	for len(p.freed) > heldAllocations || p.held > p.reserved.Size/heldShare {
		p.release()
	}
}

// release gives back the addresses that have been kept the longest; ok is false when there are none. The caller holds the lock.
func (p *Physical) release() (ok bool) {
	if len(p.freed) == 0 {
		return false
	}
	f := p.freed[0]
	p.freed = p.freed[1:]
	p.held -= f.span.Size
	p.decommit(f.span, p.giveBack(f.span))
	return true
}

// lately returns the allocation given back last that held addr. The caller holds the lock.
func (p *Physical) lately(addr uint64) (freed, bool) {
	for i := len(p.freed) - 1; i >= 0; i-- {
		if p.freed[i].Contains(addr) {
			return p.freed[i], true
		}
	}
	return freed{}, false
}

// giveBack puts r on the free list and returns the free range that now holds it.
func (p *Physical) giveBack(r Range) Range {
	i := sort.Search(len(p.free), func(i int) bool { return p.free[i].Base >= r.End() })
	lo, hi := i, i
	if i < len(p.free) && p.free[i].Base == r.End() {
		r.Size += p.free[i].Size
		hi = i + 1
	}
	if i > 0 && p.free[i-1].End() == r.Base {
		r = Range{p.free[i-1].Base, p.free[i-1].Size + r.Size}
		lo = i - 1
	}
	p.free = slices.Replace(p.free, lo, hi, r)
	return r
}

// decommit returns the pages that gone touches and that lie in the range hole, where nothing is.
func (p *Physical) decommit(gone, hole Range) {
	page := pageSize()
	lo := max(gone.Base&^(page-1), roundUp(hole.Base, page))
	hi := min(roundUp(gone.End(), page), hole.End()&^(page-1))
	if lo < hi {
		discard(p.at(lo), hi-lo)
		p.takeBack(Range{lo, hi - lo})
	}
}
