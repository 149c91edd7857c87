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

const pageBits = 22 // bytes of memory that a page stands for

type sectorPage [1 << pageBits / sectorBytes / 64]uint64

// line adds sectors of one line, a bit for each of its four.
func (s *sectorSet) line(line uint64, sectors uint64) {
	const lines = 64 * sectorBytes / lineBytes // of a word
	*s.word(line / lines) |= sectors << (line % lines * (lineBytes / sectorBytes))
}

// word returns the bits of 64 sectors.
func (s *sectorSet) word(number uint64) *uint64 {
	page := number / uint64(len(sectorPage{}))
	slot := &s.recent[page%uint64(len(s.recent))]
	if slot.page == nil || slot.number != page {
		slot.number, slot.page = page, s.page(page)
	}
	return &slot.page[number%uint64(len(sectorPage{}))]
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
	if first/64 == last/64 {
		*s.word(first / 64) |= ^uint64(0) >> (63 - (last - first)) << (first % 64)
		return
	}
	for word := first / 64; word <= last/64; word++ {
		sectors := ^uint64(0)
		if word == first/64 {
			sectors &= ^uint64(0) << (first % 64)
		}
		if word == last/64 {
			sectors &= ^uint64(0) >> (63 - last%64)
		}
		*s.word(word) |= sectors
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
