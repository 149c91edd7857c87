package profile

import (
	"math/bits"

	"silica/internal/lanes"
)

// The granules of memory accesses, in bytes, which are the same on all GPUs since Volta.
const (
	sectorBytes = 32 // what caches and DRAM move
	sectorBits  = 5
	lineBytes   = 128 // a cache line; one tag look-up
	lineBits    = 7
	wordBytes   = 4 // a bank's width
	banks       = 32
	warpLanes   = 32
	fullWarp    = ^uint32(0)
)

// access is one warp's memory access: the lanes of mask move size bytes each, at addresses that are
// multiples of size. At least one lane is in mask.
type access struct {
	addr *[warpLanes]uint64
	mask uint32
	size uint64
}

func (a access) lanes() uint64 { return uint64(bits.OnesCount32(a.mask)) }

// shape tells how the lanes of an access lie.
type shape uint8

const (
	scattered  shape = iota
	uniform          // all lanes at one address
	contiguous       // each lane next to the one below, inactive ones leaving their place free
)

// shape finds out how the lanes lie. base is lane 0's address of a contiguous access, also when lane 0 is
// not active, the common address of a uniform one, or the first active lane's address.
func (a access) shape() (kind shape, base uint64) {
	first := bits.TrailingZeros32(a.mask)
	rest := a.mask & (a.mask - 1)
	if rest == 0 {
		return uniform, a.addr[first]
	}
	kind, step, shift := contiguous, a.size, uint64(bits.TrailingZeros64(a.size))
	if a.addr[bits.TrailingZeros32(rest)] == a.addr[first] {
		kind, step, shift = uniform, 0, 64
	}
	base = a.addr[first] - uint64(first)*step
	last := warpLanes - 1 - bits.LeadingZeros32(a.mask)
	if a.addr[last] != base+uint64(last)*step || !lanes.Evenly(a.addr, a.mask, base, shift) {
		return scattered, a.addr[first]
	}
	return kind, base
}

// extent counts what the access, whose shape is kind, touches of global memory. The sectors of a scattered one stand in the scratch's, those of a
// contiguous one by some lanes in its strip. Lanes of an atomic operation at one address have to be done one after another, each time with the sectors of the
// lanes that come then, unless they are contiguous: nobody waits.
func (s *scratch) extent(c *counts, a access, atomic bool, kind shape, base uint64) {
	switch {
	case kind == uniform:
		c.sectors, c.lines, c.unique = (a.size+sectorBytes-1)/sectorBytes, 1, a.size
		if atomic {
			c.serial, c.replay = a.lanes(), (a.lanes()-1)*c.sectors
		}
		return
	case kind == contiguous && a.mask == fullWarp:
		last := base + warpLanes*a.size - 1
		c.sectors, c.lines, c.unique = last/sectorBytes-base/sectorBytes+1, last/lineBytes-base/lineBytes+1, warpLanes*a.size
		if atomic {
			c.serial = 1
		}
		return
	case kind == contiguous:
		s.strip = stripOf(a, base)
		in := s.strip << (base / sectorBytes % (lineBytes / sectorBytes))
		c.sectors, c.lines = uint64(bits.OnesCount64(s.strip)), uint64(bits.OnesCount64((in|in>>1|in>>2|in>>3)&0x1111111111111111))
		c.unique = a.lanes() * a.size
		if atomic {
			c.serial = 1
		}
		return
	}
	size := uint64(bits.TrailingZeros64(a.size))
	places := lanes.Key{Shift: size, Coarse: sectorBits - size, Coarser: lineBits - size}
	s.count = 0
	for rest := a.mask; rest != 0; {
		o := &s.order
		rest &^= o.Sort(a.addr, rest, &places, (*[warpLanes]uint64)(s.sectors[s.count:]))
		sectors := bits.OnesCount32(o.Groups)
		s.count += sectors
		c.lines += uint64(bits.OnesCount32(o.Wide))
		c.unique += uint64(bits.OnesCount32(o.Keys)) * a.size
		if atomic {
			c.serial = max(c.serial, lanes.Longest(o.Keys, o.N))
			c.replay += o.Rounds() - uint64(sectors)
		}
	}
	c.sectors = uint64(s.count)
}

// spread counts what a scattered access touches of global memory, all of it in one go; false, having counted nothing, where its addresses are gigabytes apart.
func (s *scratch) spread(t *Traffic, a access) bool {
	size := uint64(bits.TrailingZeros64(a.size))
	d := &s.different
	if !d.Of(a.addr, a.mask, &lanes.Key{Shift: size, Coarse: sectorBits - size, Coarser: lineBits - size}) {
		return false
	}
	sectors := uint64(d.Groups)
	t.Sectors += sectors
	t.Ideal += a.ideal(sectorBytes, sectors)
	t.Lines += uint64(d.Wide)
	t.Unique += uint64(d.Keys) * a.size
	return true
}

// stripOf returns which sectors a contiguous access touches, from that of lane 0 on: a bit for each.
func stripOf(a access, base uint64) (sectors uint64) {
	each := sectorBytes / a.size
	at := 0
	for left := uint64(a.mask) << (base % sectorBytes / a.size); left != 0; left >>= each {
		if left&(1<<each-1) != 0 {
			sectors |= 1 << at
		}
		at++
	}
	return sectors
}

// distinct counts the granules that the lanes' addresses lie in. granule is a power of two.
func (s *scratch) distinct(a access, granule uint64) (n uint64) {
	key := lanes.Key{Shift: uint64(bits.TrailingZeros64(granule))}
	for rest := a.mask; rest != 0; {
		rest &^= s.order.Sort(a.addr, rest, &key, nil)
		n += uint64(bits.OnesCount32(s.order.Keys))
	}
	return n
}

// serial returns how many lanes share the most wanted address.
func (s *scratch) serial(a access, kind shape) uint64 {
	switch kind {
	case uniform:
		return a.lanes()
	case contiguous:
		return 1
	}
	s.distinct(a, a.size)
	return lanes.Longest(s.order.Keys, s.order.N)
}

// unique returns how many different bytes the lanes move.
func (s *scratch) unique(a access, kind shape) uint64 {
	switch kind {
	case uniform:
		return a.size
	case contiguous:
		return a.lanes() * a.size
	}
	return s.distinct(a, a.size) * a.size
}

// words returns how many different words the lanes read, which the constant cache gives one after another.
func (s *scratch) words(a access, kind shape) uint64 {
	words := max(a.size/wordBytes, 1)
	if kind == uniform {
		return words
	}
	return s.distinct(a, max(a.size, wordBytes)) * words
}

// localSectors counts the sectors of local memory. A word of local memory lies beside the same word of the warp's
// other threads, so lanes that agree on the address fill a line.
func (s *scratch) localSectors(a access, kind shape) uint64 {
	const octet = 8 // lanes whose words share a sector
	pieces := uint64(0)
	for first := 0; first < warpLanes; first += octet {
		part := access{a.addr, a.mask & ((1<<octet - 1) << first), a.size}
		switch {
		case part.mask == 0:
		case kind == uniform:
			pieces++
		default:
			pieces += s.distinct(part, max(a.size, wordBytes))
		}
	}
	return pieces * max(a.size/wordBytes, 1)
}

// ideal is the fewest granules that the access can need, given that it took some number of them: lanes
// that share a granule may have needed less.
func (a access) ideal(granule, took uint64) uint64 {
	return min(took, (a.lanes()*a.size+granule-1)/granule)
}

// stride is the distance in bytes between the addresses of the first two neighbouring active lanes, 0
// when there are none.
func (a access) stride() int64 {
	pairs := a.mask & (a.mask >> 1)
	if pairs == 0 {
		return 0
	}
	lane := bits.TrailingZeros32(pairs)
	return int64(a.addr[lane+1] - a.addr[lane])
}

// scratch is what counting one access needs.
type scratch struct {
	counts    counts
	order     lanes.Order
	different lanes.Different
	sectors   [2 * warpLanes]uint64 // so many of which an access touches:
	count     int
	strip     uint64
}
