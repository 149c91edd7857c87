package timing

import (
	"math"
	"math/bits"
	"strings"
	"sync"
	"sync/atomic"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
)

const (
	sectorBytes = 32
	lineSectors = 4
	pageShift   = 16
	pageSectors = 1 << pageShift / sectorBytes
)

// Footprint is the global memory that the blocks of a launch touch, by sectors of 32 bytes: how each is used, by which block first, and by
// about how many multiprocessors; and how much the blocks do.
type Footprint struct {
	sms       int
	estimates [hashedSMs + 1]int // multiprocessors by bits of those that are hashed
	mu        sync.Mutex
	pages     map[uint64]*page
	// Warp instructions of each block, and the sectors that its lanes touch one after the other.
	work, sectors []uint64
}

type page [pageSectors]use

// use is how a sector is used: who holds the first block's index + 1 above the bytes that are stored, a bit for each; what holds the flags
// read and changed above the multiprocessors: those of the first one's group, a bit for each, then the others, hashed.
type use struct{ who, what atomic.Uint64 }

const (
	// groupSMs is how many multiprocessors share a way to L2: a GPC of Hopper has 16 to 18.
	groupSMs   = 16
	hashedSMs  = 46
	read       = 1 << 62
	changed    = 1 << 63
	mates      = 1<<groupSMs - 1
	hashedMask = (1<<hashedSMs - 1) << groupSMs
)

// NewFootprint returns an empty footprint on a GPU with so many multiprocessors.
func NewFootprint(sms int) *Footprint {
	f := &Footprint{sms: max(sms, 1), pages: map[uint64]*page{}}
	for n := range f.estimates {
		f.estimates[n] = estimate(n, f.sms)
	}
	return f
}

// Observer returns what one worker of an engine tells its accesses.
func (f *Footprint) Observer() exec.Observer { return &toucher{footprint: f} }

// Work enters what a block did; see exec.Launch.
func (f *Footprint) Work(block int, instructions uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	add(&f.work, block, instructions)
}

func add(to *[]uint64, block int, n uint64) {
	for len(*to) <= block {
		*to = append(*to, 0)
	}
	(*to)[block] += n
}

// maxPages bounds the memory of a footprint to 512 MiB; what lies beyond counts as touched by one block.
const maxPages = 1 << 14

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

// sharing is who touches a sector: the first block, and how many multiprocessors, of the first one's group and of all; 0 for none.
type sharing struct{ first, group, sms int }

func (f *Footprint) touched(sector uint64) (s sharing) {
	p := f.pages[sector*sectorBytes>>pageShift]
	if p == nil {
		return s
	}
	u := &p[sector%pageSectors]
	who, what := u.who.Load(), u.what.Load()
	if who == 0 {
		return s
	}
	s = sharing{first: int(who>>32) - 1, group: bits.OnesCount64(what & mates)}
	s.sms = min(f.sms, s.group+f.estimates[bits.OnesCount64(what&hashedMask)])
	return s
}

// estimate is how many multiprocessors are behind so many bits of those that are hashed.
func estimate(n, sms int) int {
	if n <= 1 || sms <= groupSMs+hashedSMs {
		return n
	}
	if n == hashedSMs {
		return sms
	}
	return int(math.Round(math.Log(1-float64(n)/hashedSMs) / math.Log(1-1.0/hashedSMs)))
}

// bit is where a block's multiprocessor stands among those of a sector.
func (f *Footprint) bit(block int) uint64 {
	sm := block % f.sms
	if sm >= groupSMs {
		sm = groupSMs + (sm-groupSMs)%hashedSMs
	}
	return 1 << sm
}

// toucher is one worker's view of a footprint.
type toucher struct {
	footprint *Footprint
	block     int
	number    uint64
	page      *page
	who, what uint64 // of the block
	last, all uint64 // the last sector, with its flags
	sectors   uint64 // of the block
}

func (t *toucher) BlockStart(block int) {
	t.block, t.who, t.what, t.last = block, uint64(block+1)<<32, t.footprint.bit(block), math.MaxUint64
}

func (t *toucher) BlockEnd(int) {
	t.footprint.mu.Lock()
	defer t.footprint.mu.Unlock()
	add(&t.footprint.sectors, t.block, t.sectors)
	t.sectors = 0
}

// flags tells what an instruction does to global memory: it stores, or else has a flag.
func flags(in *ir.Inst) (flag uint64, stores bool) {
	switch in.Op {
	case isa.OpStore:
		return 0, true
	case isa.OpAtom, isa.OpRed:
		return changed, false
	case isa.OpMatrix:
		stores = in.Form.Has(".store")
	case isa.OpTexture:
		if in.Form.Opcode == "sured" {
			return changed, false
		}
		stores = in.Form.Opcode == "sust"
	case isa.OpAsync:
		stores = strings.Contains(in.Form.Name(), ".global.shared") // to, from
	}
	if stores {
		return 0, true
	}
	return read, false
}

func (t *toucher) Access(a *exec.Access) {
	if a.Space != isa.Global && a.Space != isa.Tex {
		return
	}
	if a.Spans == nil && a.Times <= 1 && a.Block != t.block { // those of a cluster take turns
		t.BlockEnd(t.block)
		t.BlockStart(a.Block)
	}
	what, stores := flags(a.Inst)
	bytes := uint64(a.Bytes)
	for _, s := range a.Spans {
		for range s.Times {
			t.halves(&s, bytes, what, stores)
			s.Base[0] += s.Step
			s.Base[1] += s.Step
		}
	}
	if a.Spans != nil {
		return
	}
	for m := a.Mask; m != 0; m &= m - 1 {
		t.span(a.Addr[bits.TrailingZeros32(m)], bytes, what, stores)
	}
}

// halves touches the sectors of the halves of a warp.
func (t *toucher) halves(s *exec.Span, bytes, what uint64, stores bool) {
	for half, base := range s.Base {
		const lanes = 1<<16 - 1
		mask := s.Mask >> (16 * half) & lanes
		switch {
		case mask == 0:
		case !s.Contiguous[half]:
			t.span(base, bytes, what, stores)
		case mask == lanes:
			t.span(base, 16*bytes, what, stores)
		default:
			for ; mask != 0; mask &= mask - 1 {
				t.span(base+uint64(bits.TrailingZeros32(mask))*bytes, bytes, what, stores)
			}
		}
	}
}

// span touches the sectors of n bytes.
func (t *toucher) span(addr, n, what uint64, stores bool) {
	end := addr + n
	for s := addr / sectorBytes; s <= (end-1)/sectorBytes; s++ {
		same := s == t.last && what == t.all
		if !same {
			t.sectors++
			t.last, t.all = s, what
		}
		if stores {
			from, to := max(addr, s*sectorBytes)%sectorBytes, min(end-s*sectorBytes, sectorBytes)
			t.touch(s, uint64(1)<<to-uint64(1)<<from, 0)
		} else if !same {
			t.touch(s, 0, what)
		}
	}
}

// touch enters a use of a sector: the bytes that are stored, or a flag.
func (t *toucher) touch(sector, stored, flag uint64) {
	if number := sector * sectorBytes >> pageShift; t.page == nil || number != t.number {
		t.number, t.page = number, t.footprint.page(number, true)
	}
	if t.page == nil {
		return
	}
	u := &t.page[sector%pageSectors]
	for {
		old := u.who.Load()
		first := t.who
		if f := old &^ math.MaxUint32; f != 0 && f < first {
			first = f
		}
		now := first | old&math.MaxUint32 | stored
		if now == old || u.who.CompareAndSwap(old, now) {
			break
		}
	}
	if old := u.what.Load(); old|flag|t.what != old {
		u.what.Or(flag | t.what)
	}
}

// memoryUse is what a launch does to memory, whatever the order in which it does: sums of sectors and lines.
type memoryUse struct {
	halves  int     // of L2
	sectors float64 // that are touched
	// read are the sectors that come from memory, misses the reads that L2 does not have: each half of L2 asks for itself.
	read, misses, stored, changed float64
	part                          float64 // stored in part, and not read
	// Lines that are stored to or changed, and stored in part.
	storedLines, partLines float64
	places                 float64 // lines that L2 has to hold: those of which both halves have a copy twice
}

// sums adds up the sectors, for an L2 of some halves that holds something.
func (f *Footprint) sums(halves int, held *held) (m memoryUse) {
	m.halves = halves
	for number, p := range f.pages {
		for i := 0; i < pageSectors; i += lineSectors {
			m.line((*[lineSectors]use)(p[i:]), number*pageSectors+uint64(i), held)
		}
	}
	return m
}

// line adds a line's sectors. A load brings two neighbours from memory. An atomic operation brings its sector, and on half of the ways, through
// the other half of L2, its neighbour.
func (m *memoryUse) line(line *[lineSectors]use, sector uint64, held *held) {
	var reads, changes [lineSectors]bool
	var touched, stored, part float64 // stored or changed
	most := 0.0                       // copies
	for k := range line {
		who, what := line[k].who.Load(), line[k].what.Load()
		if who == 0 {
			continue
		}
		touched++
		most = max(most, m.copies(what))
		here := !held.empty() && held.has(sector+uint64(k))
		reads[k], changes[k] = what&read != 0 && !here, what&changed != 0 && !here
		if reads[k] {
			m.misses += m.missing(what)
		}
		if what&changed != 0 {
			m.changed++
			stored++
		}
		if uint32(who) != 0 {
			m.stored++
			stored++
			if uint32(who) != math.MaxUint32 && what&(read|changed) == 0 && !here {
				part++
			}
		}
	}
	if touched == 0 {
		return
	}
	m.sectors += touched
	m.part += part
	m.places += most
	if stored > 0 {
		m.storedLines++
	}
	if part > 0 {
		m.partLines++
	}
	for k := 0; k < lineSectors; k += 2 {
		switch {
		case reads[k] || reads[k+1] || changes[k] && changes[k+1]:
			m.read += 2
		case changes[k] || changes[k+1]:
			m.read += 1.5
		}
	}
}

// copies is in how many places L2 has a sector: with the half that is next to its memory, and those that asked for it.
func (m *memoryUse) copies(what uint64) float64 {
	sms := what & (mates | hashedMask)
	switch {
	case m.halves == 1:
		return 1
	case sms&(sms-1) == 0: // one multiprocessor, which is far from half of memory
		return 1.5
	}
	return 2
}

// missing is how often a sector is not in the half of L2 that is asked for it: the second that is asked has it when it is at home there. Each
// group of multiprocessors is next to a half.
func (m *memoryUse) missing(what uint64) float64 {
	if m.halves == 1 {
		return 1
	}
	n := 1.5
	half := 0.5
	for at := what & (mates | hashedMask); at != 0; at >>= groupSMs {
		if at&mates != 0 {
			n, half = 1.5-half, half/2
		}
	}
	return n
}
