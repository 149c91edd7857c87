package profile

import "math/bits"

// The granules of memory accesses, in bytes, which are the same on all GPUs since Volta.
const (
	sectorBytes = 32  // what caches and DRAM move
	lineBytes   = 128 // a cache line; one tag look-up
	wordBytes   = 4   // a bank's width
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
	kind, step := contiguous, a.size
	if a.addr[bits.TrailingZeros32(rest)] == a.addr[first] {
		kind, step = uniform, 0
	}
	base = a.addr[first] - uint64(first)*step
	var differ uint64
	switch {
	case a.mask != fullWarp:
		for m := a.mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (warpLanes - 1)
			differ |= a.addr[lane] ^ (base + uint64(lane)*step)
		}
	case a.addr[warpLanes-1] != base+(warpLanes-1)*step:
		return scattered, a.addr[0]
	default:
		// Four lanes at a time, without branches: most accesses pass.
		var d [4]uint64
		want := base
		for lane := 0; lane < warpLanes; lane += len(d) {
			d[0] |= a.addr[lane] ^ want
			d[1] |= a.addr[lane+1] ^ (want + step)
			d[2] |= a.addr[lane+2] ^ (want + 2*step)
			d[3] |= a.addr[lane+3] ^ (want + 3*step)
			want += 4 * step
		}
		differ = d[0] | d[1] | d[2] | d[3]
	}
	if differ != 0 {
		return scattered, a.addr[first]
	}
	return kind, base
}

// extent is what an access touches of global memory.
type extent struct {
	sectors, lines uint64
	unique         uint64 // different bytes
}

// extent returns what the access, whose shape is kind, touches of global memory. Of an access that is neither uniform nor
// contiguous in a full warp, the lines stand in keys and their sectors in sectors.
func (s *scratch) extent(a access, kind shape, base uint64) extent {
	switch {
	case kind == uniform:
		return extent{sectors: (a.size + sectorBytes - 1) / sectorBytes, lines: 1, unique: a.size}
	case kind == contiguous && a.mask == fullWarp:
		last := base + warpLanes*a.size - 1
		return extent{
			sectors: last/sectorBytes - base/sectorBytes + 1,
			lines:   last/lineBytes - base/lineBytes + 1,
			unique:  warpLanes * a.size,
		}
	case kind == contiguous && a.size >= wordBytes && a.size <= sectorBytes && base%a.size == 0:
		return s.places(a, base)
	}
	s.keys.reset()
	bytes := uint64(1)<<a.size - 1
	var e extent
	at, line := 0, ^uint64(0) // neighbouring lanes often share a line
	for m := a.mask; m != 0; m &= m - 1 {
		addr := a.addr[bits.TrailingZeros32(m)&(warpLanes-1)]
		if addr/lineBytes != line {
			line = addr / lineBytes
			var known bool
			if at, known = s.keys.add(line); !known {
				s.touched[at&(warpLanes-1)], s.sectors[at&(warpLanes-1)] = [2]uint64{}, 0
			}
		}
		// Accesses of one size are at the same bytes or at none in common, and of less than a sector in one.
		half, moved := &s.touched[at&(warpLanes-1)][addr/64%2], bytes<<(addr%64)
		if *half&moved == 0 {
			*half |= moved
			e.unique += a.size
			sector := uint8(1) << (addr / sectorBytes % 4)
			if s.sectors[at&(warpLanes-1)]&sector == 0 {
				s.sectors[at&(warpLanes-1)] |= sector
				e.sectors++
			}
		}
	}
	e.lines = uint64(s.keys.count)
	return e
}

// places is extent of a contiguous access by some of the lanes, of words or more.
func (s *scratch) places(a access, base uint64) (e extent) {
	line, first := base/lineBytes, base%lineBytes/a.size
	perLine, perSector := lineBytes/a.size, sectorBytes/a.size
	s.keys.count = 0
	for left := uint64(a.mask) << first; left != 0; left >>= perLine {
		if in := left & (1<<perLine - 1); in != 0 {
			var sectors uint8
			for i := range lineBytes / sectorBytes {
				if in>>(uint64(i)*perSector)&(1<<perSector-1) != 0 {
					sectors |= 1 << i
				}
			}
			s.keys.keys[s.keys.count], s.sectors[s.keys.count] = line, sectors
			s.keys.count++
			e.sectors += uint64(bits.OnesCount8(sectors))
		}
		line++
	}
	e.lines, e.unique = uint64(s.keys.count), a.lanes()*a.size
	return e
}

// distinct counts the granules that the lanes' addresses lie in. granule is a power of two.
func (s *scratch) distinct(a access, granule uint64) uint64 {
	s.keys.reset()
	shift := bits.TrailingZeros64(granule)
	for m := a.mask; m != 0; m &= m - 1 {
		s.keys.add(a.addr[bits.TrailingZeros32(m)&(warpLanes-1)] >> shift)
	}
	return uint64(s.keys.count)
}

// atomic returns how many lanes share the most wanted address, where their operations have to be done one after
// another, and the sectors that an atomic operation on global memory needs: each time with the sectors of the lanes that
// come then. The sectors of a contiguous access are left out: nobody waits.
func (s *scratch) atomic(space Space, a access, kind shape) (serial, sectors uint64) {
	switch kind {
	case uniform:
		return a.lanes(), a.lanes() * ((a.size + sectorBytes - 1) / sectorBytes)
	case contiguous:
		return 1, 0
	}
	s.keys.reset()
	s.visits.reset()
	for m := a.mask; m != 0; m &= m - 1 {
		addr := a.addr[bits.TrailingZeros32(m)&(warpLanes-1)]
		i, known := s.keys.add(addr)
		if !known {
			s.lanes[i] = 0
		}
		if space == Global {
			s.visits.add(addr/sectorBytes*warpLanes + s.lanes[i])
		}
		s.lanes[i]++
		serial = max(serial, s.lanes[i])
	}
	return serial, uint64(s.visits.count)
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

// scratch is what counting one access needs; it is reused so that nothing has to be cleared that is not read.
type scratch struct {
	keys, visits keySet
	touched      [warpLanes][2]uint64 // bytes of each line
	sectors      [warpLanes]uint8     // sectors of each line, a bit for each
	lanes        [warpLanes]uint64    // of each address
}

// keySet numbers up to 32 different keys in the order they come.
type keySet struct {
	slots [256]struct {
		key   uint64
		round uint32 // the slot is free in any other
		index uint8
	}
	round uint32
	keys  [warpLanes]uint64
	count int
}

func (s *keySet) reset() {
	if s.round++; s.round == 0 {
		*s = keySet{round: 1}
	}
	s.count = 0
}

// add returns the index of a key, which it enters if it is new.
func (s *keySet) add(key uint64) (index int, known bool) {
	for at := uint8(key * 0x9E3779B97F4A7C15 >> 56); ; at++ {
		slot := &s.slots[at]
		if slot.round != s.round {
			i := s.count & (warpLanes - 1)
			slot.key, slot.round, slot.index = key, s.round, uint8(i)
			s.keys[i] = key
			s.count++
			return i, false
		}
		if slot.key == key {
			return int(slot.index), true
		}
	}
}
