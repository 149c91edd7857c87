package mem

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNoFiles is returned where the system has no memory that processes can share.
var ErrNoFiles = errors.New("the system has no files in memory")

// Export lets other processes map the memory of an allocation, and returns the file that holds it and where in it. No kernel may use the
// memory meanwhile.
func (m *Memory) Export(addr uint64) (f *File, offset uint64, r Range, err error) {
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.position(addr+1) - 1
	if i < 0 || !s.live[i].Contains(addr) || s.live[i].kind != allocation || s.live[i].file != nil {
		return nil, 0, r, fmt.Errorf("%w: 0x%x", ErrNotAllocated, addr)
	}
	r = s.live[i].Range
	p := s.live[i].owner.Physical
	if err := p.export(r); err != nil {
		return nil, 0, r, err
	}
	return p.mirror, r.Base - p.reserved.Base, r, nil
}

// export moves the pages of r into the mirror. The caller holds the lock.
func (p *Physical) export(r Range) error {
	if p.mirror == nil {
		var err error
		if p.mirror, err = NewFile(p.reserved.Size); err != nil {
			return err
		}
	}
	page := pageSize()
	lo, hi := r.Base&^(page-1), roundUp(r.End(), page)
	for _, gap := range without(Range{lo, hi - lo}, p.exported) {
		if err := p.mirror.replace(p.at(gap.Base), gap.Size, gap.Base-p.reserved.Base); err != nil {
			return fmt.Errorf("sharing %d bytes at 0x%x: %w", gap.Size, gap.Base, err)
		}
		i, _ := slices.BinarySearchFunc(p.exported, gap.Base, func(o Range, base uint64) int { return int(int64(o.Base) - int64(base)) })
		p.exported = slices.Insert(p.exported, i, gap)
	}
	return nil
}

// takeBack ends the sharing of pages that hold nothing any more. The caller holds the lock.
func (p *Physical) takeBack(r Range) {
	var kept []Range
	for _, o := range p.exported {
		kept = append(kept, without(o, []Range{r})...)
		if lo, hi := max(o.Base, r.Base), min(o.End(), r.End()); lo < hi {
			mapNothing(p.at(lo), hi-lo)
			p.mirror.Discard(lo-p.reserved.Base, hi-lo)
		}
	}
	p.exported = kept
}

// without returns the parts of r that are in none of the others, which are sorted.
func without(r Range, others []Range) (rest []Range) {
	for _, o := range others {
		if o.End() <= r.Base || o.Base >= r.End() {
			continue
		}
		if o.Base > r.Base {
			rest = append(rest, Range{r.Base, o.Base - r.Base})
		}
		if o.End() >= r.End() {
			return rest
		}
		r = Range{o.End(), r.End() - o.End()}
	}
	return append(rest, r)
}
