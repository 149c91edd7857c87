package timing

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"silica/internal/exec"
	"silica/internal/isa"
)

const (
	sectorBytes = 32
	pageShift   = 16
	pageSectors = 1 << pageShift / sectorBytes
	smBits      = 32
)

// Footprint is the global memory that the blocks of a launch touch, by sectors of 32 bytes: the first block of each, and about
// how many multiprocessors touch it.
type Footprint struct {
	sms   int
	mu    sync.Mutex
	pages map[uint64]*page
}

// page holds, for each sector, the first block's index + 1 above a set of multiprocessors, hashed to 32 bits.
type page [pageSectors]atomic.Uint64

// NewFootprint returns an empty footprint on a GPU with so many multiprocessors.
func NewFootprint(sms int) *Footprint {
	return &Footprint{sms: max(sms, 1), pages: map[uint64]*page{}}
}

// Observer returns what one worker of an engine tells its accesses.
func (f *Footprint) Observer() exec.Observer { return &toucher{footprint: f} }

// maxPages bounds the memory of a footprint to 512 MiB; what lies beyond counts as touched by one block.
const maxPages = 1 << 15

func (f *Footprint) page(number uint64, make bool) *page {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.pages[number]
	if p == nil && make && len(f.pages) < maxPages {
		p = new(page)
		f.pages[number] = p
	}
	return p
}

// sectors counts those that were touched.
func (f *Footprint) sectors() (n int) {
	for _, p := range f.pages {
		for i := range p {
			if p[i].Load() != 0 {
				n++
			}
		}
	}
	return n
}

// touched tells of a sector the first block, and how many multiprocessors touch it; 0 for none.
func (f *Footprint) touched(sector uint64) (first, sms int) {
	p := f.pages[sector*sectorBytes>>pageShift]
	if p == nil {
		return 0, 0
	}
	word := p[sector%pageSectors].Load()
	if word == 0 {
		return 0, 0
	}
	return int(word>>32) - 1, f.estimate(bits.OnesCount32(uint32(word)))
}

// estimate is how many multiprocessors are behind so many bits of the set.
func (f *Footprint) estimate(n int) int {
	if n <= 1 || f.sms <= smBits {
		return n
	}
	if n == smBits {
		return f.sms
	}
	return min(f.sms, int(math.Round(math.Log(1-float64(n)/smBits)/math.Log(1-1.0/smBits))))
}

// toucher is one worker's view of a footprint.
type toucher struct {
	footprint *Footprint
	number    uint64
	page      *page
	block     int
	last      uint64
}

func (t *toucher) BlockStart(block int) { t.block, t.last = block, math.MaxUint64 }
func (t *toucher) BlockEnd(int)         {}

func (t *toucher) Access(a *exec.Access) {
	if a.Space != isa.Global {
		return
	}
	bytes := uint64(a.Bytes)
	for _, s := range a.Spans {
		for half, base := range s.Base {
			if s.Contiguous[half] {
				t.span(base, 16*bytes)
			} else {
				t.span(base, bytes)
			}
		}
	}
	if a.Spans != nil {
		return
	}
	for m := a.Mask; m != 0; m &= m - 1 {
		t.span(a.Addr[bits.TrailingZeros32(m)], bytes)
	}
}

// span touches the sectors of n bytes.
func (t *toucher) span(addr, n uint64) {
	for s := addr / sectorBytes; s <= (addr+n-1)/sectorBytes; s++ {
		if s != t.last {
			t.touch(s)
			t.last = s
		}
	}
}

func (t *toucher) touch(sector uint64) {
	if number := sector * sectorBytes >> pageShift; t.page == nil || number != t.number {
		t.number, t.page = number, t.footprint.page(number, true)
	}
	if t.page == nil {
		return
	}
	word := &t.page[sector%pageSectors]
	for {
		old := word.Load()
		first := uint64(t.block + 1)
		if f := old >> 32; f != 0 && f < first {
			first = f
		}
		now := first<<32 | old&math.MaxUint32 | 1<<(t.block%t.footprint.sms%smBits)
		if now == old || word.CompareAndSwap(old, now) {
			return
		}
	}
}
