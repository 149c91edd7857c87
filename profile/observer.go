package profile

import (
	"math/bits"

	"silica/internal/exec"
	"silica/internal/lanes"
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
	if x.Units != nil {
		o.units(t, slot, s, spaces[space], uint64(x.Bytes), x)
		return
	}
	o.lanes(t, slot, s, spaces[space], access{addr: x.Addr, mask: x.Mask, size: uint64(x.Bytes)}, x.Times)
}

// lanes adds a number of accesses by some lanes.
func (o *observer) lanes(t *Traffic, slot int32, s *site, space Space, a access, times uint64) {
	t.Requests += times
	t.move(times, a.mask, a.size)
	if a.size > widestAccess {
		o.pieces(t, s, space, a)
		return
	}
	o.access(t, slot, s, space, a, times)
}

// move adds what lanes move in a number of accesses.
func (t *Traffic) move(times uint64, mask uint32, size uint64) {
	lanes := times * uint64(bits.OnesCount32(mask))
	t.Threads += lanes
	t.Bytes += lanes * size
}

// access adds a number of accesses at the same addresses.
func (o *observer) access(t *Traffic, slot int32, s *site, space Space, a access, times uint64) {
	kind, base := a.shape()
	if kind == scattered {
		for range times {
			o.scattered(t, slot, s, space, a, base)
		}
		return
	}
	t.lie(kind, times)
	c := &o.scratch.counts
	o.scratch.measure(c, s, space, a, kind, base)
	t.count(c, times)
	if space == Global {
		o.touch(s, a, kind, base)
	}
}

// lie counts accesses that are uniform or contiguous.
func (t *Traffic) lie(kind shape, times uint64) {
	if kind == uniform {
		t.Uniform += times
	} else {
		t.Contiguous += times
	}
}

// halves is how the halves of a warp lie: how far apart, and which are contiguous.
type halves struct {
	apart     uint64
	low, high bool
}

// spans adds accesses of several warps.
func (o *observer) spans(t *Traffic, slot int32, s *site, space Space, size uint64, list []exec.Span) {
	for i := range list {
		x := &list[i]
		t.Requests += x.Times
		t.move(x.Times, x.Mask, size)
		base, lie := settled(x, size)
		switch {
		case lie == halves{}:
			o.steps(t, slot, s, space, x, base, lie, size, uniform)
		case lie == halves{warpLanes / 2 * size, true, true}:
			o.steps(t, slot, s, space, x, base, lie, size, contiguous)
		default:
			o.steps(t, slot, s, space, x, base, lie, size, scattered)
		}
	}
}

// settled returns where the first half of a warp is and how the halves lie. One without lanes lies as the other one does, and a lane alone is at one
// place.
func settled(x *exec.Span, size uint64) (base uint64, lie halves) {
	base, lie = x.Base[0], halves{x.Base[1] - x.Base[0], x.Contiguous[0], x.Contiguous[1]}
	half := 0
	switch {
	case x.Mask == fullWarp:
		return base, lie
	case x.Mask&(x.Mask-1) == 0:
		lane := bits.TrailingZeros32(x.Mask)
		half = lane / (warpLanes / 2)
		base = x.Base[half&1]
		if x.Contiguous[half&1] {
			base += uint64(lane%(warpLanes/2)) * size
		}
		return base, halves{}
	case x.Mask>>(warpLanes/2) == 0:
	case x.Mask<<(warpLanes/2) == 0:
		half = 1
	default:
		return base, lie
	}
	if !x.Contiguous[half] {
		return x.Base[half], halves{}
	}
	const lanes = warpLanes / 2
	return x.Base[half] - uint64(half)*lanes*size, halves{lanes * size, true, true}
}

// steps adds accesses that lie alike, each a step behind the one before. Where kind is scattered, lanes may lie evenly in spite of their halves.
func (o *observer) steps(t *Traffic, slot int32, s *site, space Space, x *exec.Span, base uint64, lie halves, size uint64, kind shape) {
	if kind != scattered {
		t.lie(kind, x.Times)
		switch {
		case space == Global && (kind == uniform || x.Mask == fullWarp):
			o.runs(t, s, x, base, size, kind)
			return
		case space == Global:
			o.strips(t, s, x, base, size)
			return
		case kind == contiguous && space == Shared && s.rowful(size):
			o.scratch.measure(&o.scratch.counts, s, space, access{mask: x.Mask, size: size}, kind, base)
			t.count(&o.scratch.counts, x.Times)
			return
		}
	}
	for left := x.Times; left > 0; {
		form := spanForm{lie.apart, formOf(lie, phaseOf(space, size, base), size), x.Mask}
		m := o.kept(slot).of(form.rest, form.apart+uint64(form.mask))
		if m.form != form {
			o.rememberForm(m, s, space, form, base, lie, size, kind)
		}
		n := uint64(1)
		if phaseOf(space, size, base+x.Step) == phaseOf(space, size, base) {
			n = left
		}
		t.count(&m.counts, n)
		switch {
		case kind != scattered:
		case m.kind == scattered:
			t.vote(m.stride, n)
		default:
			t.lie(m.kind, n)
		}
		left -= n
		for ; n > 0; n-- {
			o.touchKept(s, space, m, base)
			base += x.Step
		}
	}
}

// rememberForm measures the accesses of a form, the first half of which begins at base.
func (o *observer) rememberForm(m *memo, s *site, space Space, form spanForm, base uint64, lie halves, size uint64, kind shape) {
	x := exec.Span{Base: [2]uint64{base, base + lie.apart}, Contiguous: [2]bool{lie.low, lie.high}}
	addr := x.Addresses(int(size))
	a := access{&addr, form.mask, size}
	m.keep(a, base, phaseOf(space, size, base))
	if m.kind = kind; kind == scattered {
		m.kind, _ = a.shape()
	}
	if space != Global { // whose sectors are to be listed
		kind = m.kind
	}
	o.remember(m, s, space, a, base, kind)
	m.form = form
}

// runs adds accesses to global memory that touch bytes side by side.
func (o *observer) runs(t *Traffic, s *site, x *exec.Span, first, size uint64, kind shape) {
	length, moved := size, uint64(bits.OnesCount32(x.Mask))*size
	if kind == contiguous {
		length *= warpLanes
	}
	t.Unique += x.Times * length
	// Where in a line accesses begin comes back after so many of them.
	period := uint64(lineBytes) >> bits.TrailingZeros64(x.Step|lineBytes)
	base := first
	for i := range min(period, x.Times) {
		n := (x.Times-i-1)/period + 1
		last := base + length - 1
		sectors := last/sectorBytes - base/sectorBytes + 1
		t.Sectors += n * sectors
		t.Lines += n * (last/lineBytes - base/lineBytes + 1)
		t.Ideal += n * min(sectors, (moved+sectorBytes-1)/sectorBytes)
		base += x.Step
	}
	touched := o.touched(s)
	from, to := first, first+(x.Times-1)*x.Step
	if int64(x.Step) < 0 {
		from, to = to, from
	}
	step := (to - from) / max(x.Times-1, 1)
	if step <= max(length, sectorBytes) { // no sector is left out
		touched.span(from, to-from+length)
		return
	}
	touched.rows(from, length, step, x.Times)
}

// strips adds accesses to global memory by some of the lanes, which are contiguous.
func (o *observer) strips(t *Traffic, s *site, x *exec.Span, base, size uint64) {
	a := access{mask: x.Mask, size: size}
	c, touched := &o.scratch.counts, o.touched(s)
	phase, ideal := uint64(lineBytes), uint64(0) // none yet
	for range x.Times {
		if base%lineBytes != phase {
			phase = base % lineBytes
			*c = counts{}
			o.scratch.extent(c, a, s.atomic, contiguous, base)
			ideal = a.ideal(sectorBytes, c.sectors)
		}
		t.Sectors += c.sectors
		t.Ideal += ideal
		t.Lines += c.lines
		touched.strip(base/sectorBytes, o.scratch.strip)
		base += x.Step
	}
	t.Unique += x.Times * c.unique
	t.Serial += x.Times * c.serial
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
		if space == Global && !s.atomic && o.scratch.spread(t, a) {
			t.vote(a.stride(), 1)
			o.touched(s).enterLanes(a)
			return
		}
		c := &o.scratch.counts
		o.scratch.measure(c, s, space, a, scattered, base)
		t.count(c, 1)
		t.vote(a.stride(), 1)
		if space == Global {
			o.touch(s, a, scattered, base)
		}
		return
	}
	phase := phaseOf(space, a.size, base)
	m := all.of(phase, a.addr[warpLanes-1]-base+uint64(a.mask))
	if !m.fits(a, base, phase) {
		all.missed++
		m.keep(a, base, phase)
		o.remember(m, s, space, a, base, scattered)
	}
	t.count(&m.counts, 1)
	t.vote(m.stride, 1)
	o.touchKept(s, space, m, base)
}

// kept returns the memos of a slot.
func (o *observer) kept(slot int32) *memos {
	if o.memos[slot] == nil {
		o.memos[slot] = new(memos)
	}
	return o.memos[slot]
}

// remember measures the access that a memo keeps.
func (o *observer) remember(m *memo, s *site, space Space, a access, base uint64, kind shape) {
	o.scratch.measure(&m.counts, s, space, a, kind, base)
	m.stride = a.stride()
	if space == Global {
		m.strips = stripsOf(m.strips[:0], o.scratch.sectors[:o.scratch.count], base/sectorBytes)
	}
}

// touchKept enters the sectors of an access of the form that a memo keeps.
func (o *observer) touchKept(s *site, space Space, m *memo, base uint64) {
	if space == Global {
		o.touched(s).enterStrips(base/sectorBytes, m.strips)
	}
}

// touch enters the sectors of an access to global memory that has been measured.
func (o *observer) touch(s *site, a access, kind shape, base uint64) {
	touched := o.touched(s)
	switch {
	case kind == uniform:
		touched.span(base, a.size)
	case kind == contiguous && a.mask == fullWarp:
		touched.span(base, warpLanes*a.size)
	case kind == contiguous:
		touched.strip(base/sectorBytes, o.scratch.strip)
	default:
		touched.enter(0, o.scratch.sectors[:o.scratch.count])
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

// add adds the counts of another access.
func (c *counts) add(o *counts) {
	c.sectors += o.sectors
	c.ideal += o.ideal
	c.lines += o.lines
	c.unique += o.unique
	c.replay += o.replay
	c.parts += o.parts
	c.wavefronts += o.wavefronts
	c.idealWavefronts += o.idealWavefronts
	c.pipe += o.pipe
	c.conflicts += o.conflicts
	c.serial += o.serial
	c.words += o.words
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

// measure counts what an access asks of a space. For the sectors of global memory that it touches see extent.
func (s *scratch) measure(c *counts, site *site, space Space, a access, kind shape, base uint64) {
	*c = counts{} // in place: what is written in parts takes long to copy
	switch space {
	case Global:
		s.extent(c, a, site.atomic, kind, base)
		c.ideal = a.ideal(sectorBytes, c.sectors)
	case Local:
		c.sectors = s.localSectors(a, kind)
		c.ideal = a.ideal(sectorBytes, c.sectors)
		c.parts = max(a.size/wordBytes, 1)
		c.unique = s.unique(a, kind)
	case Shared, DShared:
		var use bankUse
		if site.shared == sharedCount && a.size == wordBytes && kind == scattered {
			use = s.countedWords(a)
		} else {
			use = s.banks(a, site.shared, kind)
		}
		switch {
		case !site.atomic:
		case kind == scattered && a.size == wordBytes: // which are in the order of their banks
			c.serial = lanes.Longest(s.order.Keys, s.order.N)
		default:
			c.serial = s.serial(a, kind)
		}
		c.wavefronts, c.idealWavefronts, c.pipe, c.conflicts = use.wavefronts, use.ideal, use.pipe, use.conflicts
	case Const, Parameter:
		c.words = s.words(a, kind)
	}
}
