package profile

import "math/bits"

// Footprint is how much of global memory a launch touched, each byte counted once however often it was touched: no less
// has to come from DRAM if the caches are empty at the start.
type Footprint struct {
	Read    uint64 `json:"read"`    // bytes, in whole sectors
	Written uint64 `json:"written"` // bytes that were stored to or changed by atomic operations
}

// sectorSet is a set of sectors of global memory: a bit for each, in pages made as they are touched.
type sectorSet struct {
	pages map[uint64]*sectorPage
	// recent holds the pages used last, by the low bits of their number.
	recent [64]struct {
		number uint64
		page   *sectorPage
	}
}

const (
	pageBits   = 22 // bytes of memory that a page stands for
	pageSector = 1<<pageBits/sectorBytes - 1
)

type sectorPage [(pageSector + 1) / 64]uint64

// line adds sectors of one line, a bit for each of its four.
func (s *sectorSet) line(line uint64, sectors uint64) {
	number := line * lineBytes >> pageBits
	slot := &s.recent[number%uint64(len(s.recent))]
	if slot.page == nil || slot.number != number {
		slot.number, slot.page = number, s.page(number)
	}
	sector := line * (lineBytes / sectorBytes) & pageSector
	slot.page[sector/64] |= sectors << (sector % 64)
}

func (s *sectorSet) page(number uint64) *sectorPage {
	p := s.pages[number]
	if p == nil {
		if s.pages == nil {
			s.pages = map[uint64]*sectorPage{}
		}
		p = new(sectorPage)
		s.pages[number] = p
	}
	return p
}

// span adds the sectors of n bytes.
func (s *sectorSet) span(base, n uint64) {
	first, last := base/sectorBytes, (base+n-1)/sectorBytes
	for line := first / 4; line <= last/4; line++ {
		sectors := uint64(0xf)
		if line == first/4 {
			sectors &= 0xf << (first % 4)
		}
		if line == last/4 {
			sectors &= 0xf >> (3 - last%4)
		}
		s.line(line, sectors)
	}
}

// merge adds the sectors of o.
func (s *sectorSet) merge(o *sectorSet) {
	for number, from := range o.pages {
		to := s.page(number)
		for i, w := range from {
			to[i] |= w
		}
	}
}

// bytes returns the size of the sectors.
func (s *sectorSet) bytes() uint64 {
	n := 0
	for _, p := range s.pages {
		for _, w := range p {
			n += bits.OnesCount64(w)
		}
	}
	return uint64(n) * sectorBytes
}
