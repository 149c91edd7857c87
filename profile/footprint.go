package profile

import (
	"math/bits"

	"silica/internal/lanes"
)

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

// pageSectors is how many sectors of memory a page stands for.
const pageSectors = lanes.MapBytes / sectorBytes

type sectorPage = lanes.Map

// enter adds sectors, which are listed by how far they are behind one.
func (s *sectorSet) enter(first uint64, list []uint64) {
	for i := 0; i < len(list); {
		number := (list[i] + first) / pageSectors
		page := s.near(number)
		for ; i < len(list); i++ {
			n := list[i] + first
			if n/pageSectors != number {
				break
			}
			page[n%pageSectors/64] |= 1 << (n % 64)
		}
	}
}

// enterLanes adds the sectors of an access, each lane's in one. Most often all are in one page.
func (s *sectorSet) enterLanes(a access) {
	number := a.addr[bits.TrailingZeros32(a.mask)] / lanes.MapBytes
	for rest := s.near(number).Mark(number*lanes.MapBytes, a.addr, a.mask); rest != 0; rest &= rest - 1 {
		sector := a.addr[bits.TrailingZeros32(rest)&(warpLanes-1)] / sectorBytes
		*s.word(sector / 64) |= 1 << (sector % 64)
	}
}

// word returns the bits of 64 sectors.
func (s *sectorSet) word(number uint64) *uint64 {
	const words = pageSectors / 64
	return &s.near(number / words)[number%words]
}

// near is page, which is most often one of those used last.
func (s *sectorSet) near(number uint64) *sectorPage {
	slot := &s.recent[number%uint64(len(s.recent))]
	if slot.page == nil || slot.number != number {
		slot.number, slot.page = number, s.page(number)
	}
	return slot.page
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

// rows adds the sectors of n bytes a number of times, each a step behind the ones before.
func (s *sectorSet) rows(base, n, step, times uint64) {
	sectors := (base+n-1)/sectorBytes - base/sectorBytes + 1
	if step%sectorBytes != 0 || sectors > 64 {
		for range times {
			s.span(base, n)
			base += step
		}
		return
	}
	var page *sectorPage
	first, number, row := base/sectorBytes, ^uint64(0), ^uint64(0)>>(64-sectors)
	for range times {
		if first/pageSectors != number {
			number = first / pageSectors
			page = s.near(number)
		}
		page[first%pageSectors/64] |= row << (first % 64)
		if rest := row >> (63 - first%64) >> 1; rest != 0 {
			*s.word(first/64 + 1) |= rest
		}
		first += step / sectorBytes
	}
}

// strip adds sectors from one on, a bit for each.
func (s *sectorSet) strip(first, sectors uint64) {
	*s.word(first / 64) |= sectors << (first % 64)
	if rest := sectors >> (63 - first%64) >> 1; rest != 0 {
		*s.word(first/64 + 1) |= rest
	}
}

// strip is some of 64 sectors that begin at one: a bit for each.
type strip struct{ first, sectors uint64 }

// stripsOf appends the strips of sectors to a list, each as far behind a sector as it is.
func stripsOf(list []strip, sectors []uint64, from uint64) []strip {
	for _, sector := range sectors {
		at := sector - from
		if n := len(list); n == 0 || at-list[n-1].first >= 64 {
			list = append(list, strip{first: at})
		}
		last := &list[len(list)-1]
		last.sectors |= 1 << (at - last.first)
	}
	return list
}

// enterStrips adds strips, which are listed by how far they are behind a sector.
func (s *sectorSet) enterStrips(from uint64, list []strip) {
	var page *sectorPage
	number := ^uint64(0)
	for i := range list {
		first := from + list[i].first
		if first/pageSectors != number {
			number = first / pageSectors
			page = s.near(number)
		}
		sectors := list[i].sectors
		page[first%pageSectors/64] |= sectors << (first % 64)
		if rest := sectors >> (63 - first%64) >> 1; rest != 0 {
			*s.word(first/64 + 1) |= rest
		}
	}
}

// merge adds the sectors of o, which is not used any more: pages that only o has are taken over.
func (s *sectorSet) merge(o *sectorSet) {
	if s.pages == nil {
		s.pages = map[uint64]*sectorPage{}
	}
	for number, from := range o.pages {
		to := s.pages[number]
		if to == nil {
			s.pages[number] = from
			continue
		}
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
