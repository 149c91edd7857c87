package timing

import "slices"

// l2 is the cache of the chip in slices: each holds a part of memory, the channels of which are its own.
type l2 struct {
	number, halves           int
	read, write              *servers // the ports of their data: what comes from memory is written too
	atomics                  *servers
	readSector, writeSector  float64 // cycles
	request                  float64 // cycles that a request takes at least
	atomicLane, atomicFloats float64
	far                      int64
	chains                   map[uint64]float64 // by sector: until when a word of it is changed
	// sectors are those that each slice was asked for, beside others, of which each was asked for as many as any.
	sectors []float64
	others  float64
}

func newL2(m *machine) *l2 {
	n, g := m.slices, &m.model
	return &l2{
		number: n, halves: g.L2Halves, read: newServers(n, g.L2Queue), write: newServers(n, g.L2Queue), atomics: newServers(n, 0),
		readSector: sectorBytes / g.SliceRead / g.L2Clock, writeSector: sectorBytes / g.SliceWrite / g.L2Clock,
		request: 1 / g.L2Clock, atomicLane: g.AtomicLane / g.L2Clock, atomicFloats: g.AtomicFloat, far: cycles(g.L2Far), chains: map[uint64]float64{}, sectors: make([]float64, n),
	}
}

const (
	// runSectors of memory that follow each other are in one slice, pairSectors in the two of a pair, and the four pairs of
	// blockSectors differ, as reductions on 32 to 4096 words of an H200 show (testdata/reductions.csv).
	runSectors   = 8
	pairSectors  = 32
	blockSectors = 128
)

// scatter spreads numbers over all words: powers of two, and multiples of any number, come to lie as if by chance.
func scatter(x uint64) uint64 {
	x ^= x >> 32
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}

// of returns the slice that holds a sector.
func (s *l2) of(sector uint64) int {
	if s.number < 2 {
		return 0
	}
	pairs := uint64(s.number / 2)
	hash := scatter(sector/blockSectors + 1)
	pair := (hash + sector%blockSectors/pairSectors*((pairs+3)/4)) % pairs
	return int(2*pair + (sector/runSectors^hash>>32)%2)
}

// latency is by how much a slice answers later than the average: half of them are far from the simulated multiprocessor.
func (s *l2) latency(slice int) int64 {
	switch {
	case s.halves < 2:
		return 0
	case slice < s.number/2:
		return -s.far / 2
	}
	return s.far / 2
}

// count enters sectors that a slice was asked for, and others that all were.
func (s *l2) count(slice int, sectors, others float64) {
	s.sectors[slice] += sectors
	s.others += others
}

// spread is how many sectors the busiest and the idlest slice were asked for, beside the average one; 1 and 1 for none.
func (s *l2) spread() (most, least float64) {
	each := s.others / float64(s.number)
	var sum float64
	for _, n := range s.sectors {
		sum += n + each
	}
	if sum == 0 {
		return 1, 1
	}
	average := sum / float64(s.number)
	return (slices.Max(s.sectors) + each) / average, (slices.Min(s.sectors) + each) / average
}

// change does an atomic operation on a sector, of which one word is changed by up to depth lanes, for multiprocessors that change the same
// at a time, while as many others change other sectors; it returns when it is done. A slice changes a word at a time. Floats of one word
// wait for each other; other words go on meanwhile.
func (s *l2) change(now float64, sector uint64, depth int, float bool, same, others float64) float64 {
	slice := s.of(sector)
	s.count(slice, same, others)
	work := s.request + s.atomicLane*float64(max(depth, 1)-1)
	done := now + s.atomics.serve(now, slice, work*same, work*others) + work*same
	if float {
		work *= s.atomicFloats
	}
	s.chains[sector] = max(s.chains[sector], now) + work*same
	return max(done, s.chains[sector])
}
