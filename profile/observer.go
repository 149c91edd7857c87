package profile

import (
	"math/bits"

	"silica/internal/exec"
)

// observer adds up the accesses that one worker makes. It allocates nothing while a kernel runs, but for the pages of
// memory touched.
type observer struct {
	sites   [][]site
	traffic []Traffic
	memos   []memo // of each slot
	scratch scratch
	// read and written are the sectors of global memory touched.
	read, written sectorSet
}

func newObserver(sites [][]site, slots int) *observer {
	return &observer{sites: sites, traffic: make([]Traffic, slots), memos: make([]memo, slots)}
}

func (o *observer) BlockStart(int) {}
func (o *observer) BlockEnd(int)   {}

// Access adds one warp's access.
func (o *observer) Access(x *exec.Access) {
	s := &o.sites[x.Func][x.PC]
	slot := s.slot
	if slot < 0 {
		return
	}
	space := spaceIndex(x.Space)
	if s.generic {
		slot += space
	}
	t := &o.traffic[slot]
	a := access{addr: x.Addr, mask: x.Mask, size: uint64(x.Bytes)}
	t.Requests++
	t.Threads += a.lanes()
	t.Bytes += a.lanes() * a.size
	if a.size > widestAccess {
		o.pieces(t, s, spaces[space], a)
		return
	}
	kind, base := a.shape()
	if kind == scattered {
		o.scattered(t, &o.memos[slot], s, spaces[space], a, base)
		return
	}
	if kind == uniform {
		t.Uniform++
	} else {
		t.Contiguous++
	}
	c := o.scratch.measure(s, spaces[space], a, kind, base)
	t.count(&c)
	if spaces[space] == Global {
		o.touch(s, a, kind, base)
	}
}

// widestAccess is the most bytes that a lane moves by one load or store. What moves more is a bulk copy.
const widestAccess = 32

// pieces adds what a bulk or tensor copy moves: a run of bytes for each lane. It passes the units that serve lanes by, and
// fills each wavefront.
func (o *observer) pieces(t *Traffic, s *site, space Space, a access) {
	for m := a.mask; m != 0; m &= m - 1 {
		first := a.addr[bits.TrailingZeros32(m)&(warpLanes-1)]
		last := first + a.size - 1
		var c counts
		switch space {
		case Global:
			c.sectors, c.lines, c.unique = last/sectorBytes-first/sectorBytes+1, last/lineBytes-first/lineBytes+1, a.size
			c.ideal = (a.size + sectorBytes - 1) / sectorBytes
			o.touched(s).span(first, a.size)
		case Shared, DShared:
			c.wavefronts = (a.size + banks*wordBytes - 1) / (banks * wordBytes)
			c.idealWavefronts = c.wavefronts
		}
		t.count(&c)
	}
}

// scattered adds an access that is neither uniform nor contiguous.
func (o *observer) scattered(t *Traffic, m *memo, s *site, space Space, a access, base uint64) {
	if phase := phaseOf(space, a.size, base); !m.fits(a, base, phase) {
		m.keep(a, base, phase)
		m.counts = o.scratch.measure(s, space, a, scattered, base)
		m.stride = a.stride()
		if space == Global {
			m.lines = o.scratch.keys.count
			for i := range m.lines {
				m.line[i], m.sectors[i] = o.scratch.keys.keys[i]-base/lineBytes, o.scratch.sectors[i]
			}
		}
	}
	t.count(&m.counts)
	t.vote(m.stride, 1)
	if space == Global {
		touched := o.touched(s)
		for i := range m.lines {
			touched.line(base/lineBytes+m.line[i], uint64(m.sectors[i]))
		}
	}
}

// touch enters the sectors of a uniform or contiguous access to global memory.
func (o *observer) touch(s *site, a access, kind shape, base uint64) {
	touched := o.touched(s)
	switch {
	case kind == uniform:
		touched.span(base, a.size)
	case a.mask == fullWarp:
		touched.span(base, warpLanes*a.size)
	default:
		for i := range o.scratch.keys.count {
			touched.line(o.scratch.keys.keys[i], uint64(o.scratch.sectors[i]))
		}
	}
}

func (o *observer) touched(s *site) *sectorSet {
	if s.writes {
		return &o.written
	}
	return &o.read
}

// counts is what one access asks of its space; see Traffic.
type counts struct {
	sectors, ideal, lines, unique, replay, parts uint64
	wavefronts, idealWavefronts, pipe, conflicts uint64
	serial, words                                uint64
}

// count adds the counts of an access.
func (t *Traffic) count(c *counts) {
	t.Sectors += c.sectors
	t.Ideal += c.ideal
	t.Lines += c.lines
	t.Unique += c.unique
	t.ReplaySectors += c.replay
	t.Parts += c.parts
	t.Wavefronts += c.wavefronts
	t.IdealWavefronts += c.idealWavefronts
	t.PipeWavefronts += c.pipe
	t.Conflicts += c.conflicts
	t.Serial += c.serial
	t.Words += c.words
}

// measure counts what an access asks of a space. For the lines of global memory that it touches see extent.
func (s *scratch) measure(site *site, space Space, a access, kind shape, base uint64) (c counts) {
	switch space {
	case Global:
		var replays uint64
		if site.atomic {
			// The numbering of keys is extent's in the end.
			c.serial, replays = s.atomic(a, kind)
		}
		e := s.extent(a, kind, base)
		c.sectors, c.lines, c.unique = e.sectors, e.lines, e.unique
		c.ideal = a.ideal(sectorBytes, e.sectors)
		c.replay = max(replays, e.sectors) - e.sectors
	case Local:
		c.sectors = s.localSectors(a, kind)
		c.ideal = a.ideal(sectorBytes, c.sectors)
		c.parts = max(a.size/wordBytes, 1)
		c.unique = s.unique(a, kind)
	case Shared, DShared:
		if site.atomic {
			c.serial, _ = s.atomic(a, kind)
		}
		use := s.banks(a, site.shared, kind)
		c.wavefronts, c.idealWavefronts, c.pipe, c.conflicts = use.wavefronts, use.ideal, use.pipe, use.conflicts
	case Const, Parameter:
		c.words = s.words(a, kind)
	}
	return c
}
