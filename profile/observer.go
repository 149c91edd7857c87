package profile

import (
	"math/bits"

	"silica/internal/exec"
)

// observer adds up the accesses that one worker makes. It allocates nothing while a kernel runs, but for the pages of
// memory touched and the memos.
type observer struct {
	sites   [][]site
	traffic []Traffic
	memos   []*memos // of each slot, once it is needed
	scratch scratch
	// read and written are the sectors of global memory touched.
	read, written sectorSet
}

func newObserver(sites [][]site, slots int) *observer {
	return &observer{sites: sites, traffic: make([]Traffic, slots), memos: make([]*memos, slots)}
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
	if x.Spans != nil {
		o.spans(t, slot, s, spaces[space], uint64(x.Bytes), x.Spans)
		return
	}
	a := access{addr: x.Addr, mask: x.Mask, size: uint64(x.Bytes)}
	t.Requests += x.Times
	t.Threads += x.Times * a.lanes()
	t.Bytes += x.Times * a.lanes() * a.size
	if a.size > widestAccess {
		o.pieces(t, s, spaces[space], a)
		return
	}
	kind, base := a.shape()
	if kind == scattered {
		o.scattered(t, slot, s, spaces[space], a, base)
		return
	}
	if kind == uniform {
		t.Uniform += x.Times
	} else {
		t.Contiguous += x.Times
	}
	c := o.scratch.measure(s, spaces[space], a, kind, base)
	t.count(&c, x.Times)
	if spaces[space] == Global {
		o.touch(s, a, kind, base)
	}
}

// spans adds accesses of several warps.
func (o *observer) spans(t *Traffic, slot int32, s *site, space Space, size uint64, list []exec.Span) {
	t.Requests += uint64(len(list))
	for i := range list {
		x := &list[i]
		apart := x.Base[1] - x.Base[0]
		lanes := uint64(bits.OnesCount32(x.Mask))
		t.Threads += lanes
		t.Bytes += lanes * size
		switch {
		case apart == 0 && !x.Contiguous[0] && !x.Contiguous[1]:
			o.span(t, s, space, x, x.Base[0], size, uniform)
		case lanes == 1: // in one place, however lanes would lie
			o.span(t, s, space, x, x.Base[0]+uint64(bits.TrailingZeros32(x.Mask))*size, size, uniform)
		case apart == warpLanes/2*size && x.Contiguous[0] && x.Contiguous[1]:
			o.span(t, s, space, x, x.Base[0], size, contiguous)
		default:
			form := spanForm{apart, x.Contiguous, phaseOf(space, size, x.Base[0]), size}
			m := o.kept(slot).of(form.phase, apart)
			if m.form != form {
				addr := x.Addresses(int(size))
				m.keep(access{&addr, fullWarp, size}, x.Base[0], form.phase)
				o.remember(m, s, space, access{&addr, fullWarp, size}, x.Base[0])
				m.form = form
			}
			o.again(t, m, s, space, x.Base[0])
		}
	}
}

// span adds an access that is uniform or contiguous.
func (o *observer) span(t *Traffic, s *site, space Space, x *exec.Span, base, size uint64, kind shape) {
	if kind == uniform {
		t.Uniform++
	} else {
		t.Contiguous++
	}
	if space == Global && (kind == uniform || x.Mask == fullWarp) {
		length := size
		if kind == contiguous {
			length *= warpLanes
		}
		o.run(t, s, base, length, uint64(bits.OnesCount32(x.Mask))*size)
		return
	}
	addr := x.Addresses(int(size))
	a := access{&addr, x.Mask, size}
	c := o.scratch.measure(s, space, a, kind, base)
	t.count(&c, 1)
	if space == Global {
		o.touch(s, a, kind, base)
	}
}

// run adds an access to global memory that touches length bytes side by side, by lanes that move so many bytes together.
func (o *observer) run(t *Traffic, s *site, base, length, moved uint64) {
	last := base + length - 1
	sectors := last/sectorBytes - base/sectorBytes + 1
	t.Sectors += sectors
	t.Lines += last/lineBytes - base/lineBytes + 1
	t.Unique += length
	t.Ideal += min(sectors, (moved+sectorBytes-1)/sectorBytes)
	o.touched(s).span(base, length)
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
		t.count(&c, 1)
	}
}

// scattered adds an access that is neither uniform nor contiguous.
func (o *observer) scattered(t *Traffic, slot int32, s *site, space Space, a access, base uint64) {
	all := o.kept(slot)
	if all.useless() {
		c := o.scratch.measure(s, space, a, scattered, base)
		t.count(&c, 1)
		t.vote(a.stride(), 1)
		if space == Global {
			o.touchLines(s)
		}
		return
	}
	phase := phaseOf(space, a.size, base)
	m := all.of(phase, a.addr[warpLanes-1]-base+uint64(a.mask))
	if !m.fits(a, base, phase) {
		all.missed++
		m.keep(a, base, phase)
		o.remember(m, s, space, a, base)
	}
	o.again(t, m, s, space, base)
}

// kept returns the memos of a slot.
func (o *observer) kept(slot int32) *memos {
	if o.memos[slot] == nil {
		o.memos[slot] = new(memos)
	}
	return o.memos[slot]
}

// remember measures the access that a memo keeps.
func (o *observer) remember(m *memo, s *site, space Space, a access, base uint64) {
	m.counts = o.scratch.measure(s, space, a, scattered, base)
	m.stride = a.stride()
	if space == Global {
		m.lines = o.scratch.keys.count
		for i := range m.lines {
			m.line[i], m.sectors[i] = o.scratch.keys.keys[i]-base/lineBytes, o.scratch.sectors[i]
		}
	}
}

// again adds an access of the form that a memo keeps.
func (o *observer) again(t *Traffic, m *memo, s *site, space Space, base uint64) {
	t.count(&m.counts, 1)
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
		o.touchLines(s)
	}
}

// touchLines enters the sectors of the lines that extent has found.
func (o *observer) touchLines(s *site) {
	touched := o.touched(s)
	for i := range o.scratch.keys.count {
		touched.line(o.scratch.keys.keys[i], uint64(o.scratch.sectors[i]))
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

// count adds the counts of a number of such accesses.
func (t *Traffic) count(c *counts, times uint64) {
	t.Sectors += times * c.sectors
	t.Ideal += times * c.ideal
	t.Lines += times * c.lines
	t.Unique += times * c.unique
	t.ReplaySectors += times * c.replay
	t.Parts += times * c.parts
	t.Wavefronts += times * c.wavefronts
	t.IdealWavefronts += times * c.idealWavefronts
	t.PipeWavefronts += times * c.pipe
	t.Conflicts += times * c.conflicts
	t.Serial += times * c.serial
	t.Words += times * c.words
}

// measure counts what an access asks of a space. For the lines of global memory that it touches see extent.
func (s *scratch) measure(site *site, space Space, a access, kind shape, base uint64) (c counts) {
	switch space {
	case Global:
		var replays uint64
		if site.atomic {
			// The numbering of keys is extent's in the end.
			c.serial, replays = s.atomic(space, a, kind)
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
			c.serial, _ = s.atomic(space, a, kind)
		}
		var use bankUse
		if site.shared == sharedCount && a.size == wordBytes && kind == scattered {
			use = s.countedWords()
		} else {
			use = s.banks(a, site.shared, kind)
		}
		c.wavefronts, c.idealWavefronts, c.pipe, c.conflicts = use.wavefronts, use.ideal, use.pipe, use.conflicts
	case Const, Parameter:
		c.words = s.words(a, kind)
	}
	return c
}
