package profile

import (
	"math/bits"

	"silica/internal/lanes"
)

// sharedOp is what an instruction does to shared memory, as far as the banks are concerned.
type sharedOp uint8

const (
	sharedLoad    sharedOp = iota
	sharedStore            // lanes that write one word need it once
	sharedProduct          // products of warpgroups read their factors past the pipe that the hardware counts
	sharedAtomic           // lanes that change one word need it one after another
	sharedCAS              // sharedAtomic with two operands, which take a pass each
	sharedCount            // adds one: lanes of one word are counted first (ATOMS.POPC.INC)
)

// bankUse is how an access to shared memory uses the banks, by rules found from what Nsight Compute 2025.3 gave on an
// H200 for patterns of addresses and masks (testdata/access.json).
type bankUse struct {
	wavefronts uint64 // memory_l1_wavefronts_shared: by the rule that Nsight Compute applies to addresses
	pipe       uint64 // l1tex__data_pipe_lsu_wavefronts_mem_shared: what the hardware counts
	conflicts  uint64 // l1tex__data_bank_conflicts_pipe_lsu_mem_shared
	ideal      uint64 // memory_l1_wavefronts_shared_ideal
}

// banks returns how the access, whose shape is kind, uses the banks of shared memory.
//
// A bank gives one word of 4 bytes at a time, to all lanes that want it. Accesses of 8 bytes are made half a warp
// at a time, those of 16 bytes a quarter at a time.
func (s *scratch) banks(a access, op sharedOp, kind shape) bankUse {
	u := bankCounter{scratch: s}
	switch {
	case op == sharedLoad && kind == uniform && a.size < 16:
		return bankUse{1, 1, 0, 1}
	case op <= sharedStore && kind == contiguous && a.mask == fullWarp:
		n := max(a.size/wordBytes, 1)
		return bankUse{n, n, 0, n}
	case op <= sharedStore && kind == contiguous && a.size <= wordBytes:
		return bankUse{1, 1, 0, 1}
	case op == sharedLoad && a.size == 16:
		joins := a.agree(1) || a.agree(2)
		for _, pair := range [2]uint32{0x0000ffff, 0xffff0000} {
			u.join(access{a.addr, a.mask & pair, a.size}, 0x00ff00ff, joins)
		}
	case op == sharedLoad && a.size == 8:
		u.join(a, 0x0000ffff, a.agree(1) || a.agree(2))
	default:
		width := int(warpLanes * wordBytes / max(a.size, wordBytes))
		part := uint32(1<<width - 1)
		for first := 0; first < warpLanes; first += width {
			u.serve(a, a.mask&(part<<first), op)
		}
	}
	passes := uint64(1)
	if op == sharedCAS {
		passes = 2
		u.wavefronts *= passes
		u.pipe *= passes
	}
	if op == sharedProduct {
		u.pipe, u.bankUse.conflicts = 0, 0
	}
	u.ideal = min(u.wavefronts, passes*((a.lanes()*a.size+banks*wordBytes-1)/(banks*wordBytes)))
	return u.bankUse
}

// rowful tells whether contiguous accesses of so many bytes take one row of the banks at most, whichever lanes make them.
func (s *site) rowful(size uint64) bool {
	return s.shared <= sharedStore && !s.atomic && size <= wordBytes
}

// countedWords is banks for operations that count, on single words.
func (s *scratch) countedWords(a access) bankUse {
	n := s.depth(a, a.mask, false)
	return bankUse{wavefronts: n, pipe: n, conflicts: n - 1, ideal: 1}
}

// bankCounter adds up the use of the banks by parts of an access.
type bankCounter struct {
	bankUse
	*scratch
}

// serve adds the use by the lanes of mask, which go together.
func (u *bankCounter) serve(a access, mask uint32, op sharedOp) {
	if mask == 0 {
		return
	}
	n := u.depth(a, mask, op == sharedAtomic || op == sharedCAS)
	u.wavefronts += n
	u.pipe += n
	u.bankUse.conflicts += n - 1
}

// join adds the use by two neighbouring parts of a load, low and the rest of the lanes. The hardware serves them together
// if in the whole warp every active lane agrees with its neighbour, or every one with the lane two further: joins.
// Nsight Compute's rule asks only the lanes of the two parts, and that it gives no conflict.
func (u *bankCounter) join(a access, low uint32, joins bool) {
	lower, upper := a.mask&low, a.mask&^low
	if lower == 0 || upper == 0 || !a.agree(1) && !a.agree(2) {
		u.serve(a, lower, sharedLoad)
		u.serve(a, upper, sharedLoad)
		return
	}
	together := u.depth(a, a.mask, false)
	apart := together
	if together > 1 || !joins {
		apart = u.depth(a, lower, false) + u.depth(a, upper, false)
	}
	if together == 1 {
		u.wavefronts++
	} else {
		u.wavefronts += apart
	}
	if joins {
		u.pipe += together
		u.bankUse.conflicts += together - 1
	} else {
		u.pipe += apart
		u.bankUse.conflicts += apart - 2
	}
}

// agree tells whether each active lane has the address of the lane whose number differs in one bit, if that
// one is active.
func (a access) agree(bit int) bool {
	for m := a.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if other := lane ^ bit; a.mask>>other&1 != 0 && a.addr[lane] != a.addr[other] {
			return false
		}
	}
	return true
}

// depth returns how often the most wanted bank is used to serve the lanes of mask: once for each different
// word, or with each set once for each lane.
func (s *scratch) depth(a access, mask uint32, each bool) uint64 {
	// All accesses have one size and are aligned to it: two of them meet in all their banks or in none.
	size := uint64(bits.TrailingZeros64(max(a.size, wordBytes)))
	const rowBits = lineBits // of all banks
	key := lanes.Key{Shift: size, Rotate: rowBits - size, Coarse: 32 - (rowBits - size), Coarser: 32}
	o := &s.order
	o.Sort(a.addr, mask, &key, nil)
	if each {
		return lanes.Longest(o.Groups, o.N)
	}
	return lanes.Longest(o.Within, uint64(bits.OnesCount32(o.Keys)))
}
