// Package lanes orders the lanes of a warp by where they access memory. From the order follows how many different words, sectors and lines
// they need, and how often one of them: all that counting an access asks for.
//
// With AVX-512 a network of minima and maxima sorts the keys of all lanes at once, in two vectors; elsewhere Go enters one behind the other. Where only the
// number of different keys matters, nothing is sorted.
package lanes

import "math/bits"

// Count is how many lanes a warp has.
const Count = 32

// Key tells what of an address lanes are ordered by. Its layout is known to the machine code.
type Key struct {
	// The lowest Shift bits do not count; of the 32 bits above, the lowest Rotate then come first.
	Shift, Rotate uint64
	// Groups of lanes agree in all of the key but for the lowest Coarse bits, wider groups but for the lowest Coarser.
	Coarse, Coarser uint64
}

// Order is lanes in the order of their keys. Its layout is known to the machine code.
type Order struct {
	// N is how many lanes are ordered.
	N uint64
	// Keys, Groups and Wide have a bit for each place where a key, a group or a wider group begins.
	Keys, Groups, Wide uint32
	// Within has a bit for each different key, which is set where a group begins.
	Within uint32
}

// Sort orders those of some lanes, of which there is at least one, whose addresses agree above the key with the first one's, and returns which they are:
// all, but for addresses that are gigabytes apart. It leaves what the addresses of each group are above the bits that do not count in groups in
// groups, unless these are nil; that is only of use without a rotation.
func (o *Order) Sort(addr *[Count]uint64, lanes uint32, k *Key, groups *[Count]uint64) (sorted uint32) {
	if vector {
		return sort(o, addr, lanes, k, groups)
	}
	return o.sort(addr, lanes, k, groups)
}

// sort is Sort without vector instructions.
func (o *Order) sort(addr *[Count]uint64, lanes uint32, k *Key, groups *[Count]uint64) (sorted uint32) {
	*o = Order{}
	above := addr[bits.TrailingZeros32(lanes)] >> k.Shift >> 32
	var keys [Count]uint32
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		a := addr[lane] >> k.Shift
		if a>>32 != above {
			continue
		}
		sorted |= 1 << lane
		key, at := bits.RotateLeft32(uint32(a), -int(k.Rotate)), int(o.N)
		for ; at > 0 && keys[at-1] > key; at-- {
			keys[at] = keys[at-1]
		}
		keys[at] = key
		o.N++
	}
	differ := ^uint32(0)
	for i, key := range keys[:o.N] {
		if i > 0 {
			differ = key ^ keys[i-1]
		}
		if differ == 0 {
			continue
		}
		if differ>>k.Coarse != 0 {
			if groups != nil {
				groups[bits.OnesCount32(o.Groups)] = (above<<32 | uint64(key)) >> k.Coarse
			}
			o.Within |= 1 << bits.OnesCount32(o.Keys)
			o.Groups |= 1 << i
		}
		if differ>>k.Coarser != 0 {
			o.Wide |= 1 << i
		}
		o.Keys |= 1 << i
	}
	return sorted
}

// Different is how many keys, groups and wider groups some lanes have. Its layout is known to the machine code.
type Different struct{ Keys, Groups, Wide uint32 }

// Of counts those of some lanes, of which there is at least one, by a key without a rotation; false where addresses are gigabytes apart. Where it is not asked
// how often there is one of them, nothing has to be in order: it is enough to know of each lane whether one before has the same.
func (d *Different) Of(addr *[Count]uint64, lanes uint32, k *Key) bool {
	if vector {
		return different(d, addr, lanes, k)
	}
	var o Order
	sorted := o.sort(addr, lanes, k, nil)
	*d = Different{uint32(bits.OnesCount32(o.Keys)), uint32(bits.OnesCount32(o.Groups)), uint32(bits.OnesCount32(o.Wide))}
	return sorted == lanes
}

// MapBytes is how much memory a Map is about, in sectors of SectorBytes.
const (
	MapBytes    = 1 << 22
	SectorBytes = 32
)

// Map has a bit for each sector of a piece of memory.
type Map [MapBytes / SectorBytes / 64]uint64

// Mark sets the bits of the sectors that some lanes' addresses, at least one of which is in the map, lie in; first is the map's first address. It returns the
// lanes whose addresses are not in the map.
func (m *Map) Mark(first uint64, addr *[Count]uint64, lanes uint32) (others uint32) {
	if vector {
		return mark(m, first, addr, lanes)
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		at := addr[lane] - first
		if at >= MapBytes {
			others |= 1 << lane
			continue
		}
		sector := at / SectorBytes
		m[sector/64] |= 1 << (sector % 64)
	}
	return others
}

// Longest returns the length of the longest part of n places, which begin at the bits of starts.
func Longest(starts uint32, n uint64) (length uint64) {
	within := ^starts & (1<<n - 1)
	for length = 1; within != 0; within &= within << 1 {
		length++
	}
	return length
}

// Rounds returns how many visits groups need when each visit serves every key once: the sum, over the groups, of the most lanes that one of their
// keys has.
func (o *Order) Rounds() (visits uint64) {
	all := uint32(1<<o.N - 1)
	last := o.Groups>>1 | 1<<(o.N-1) // of each group
	for some := o.Keys; some != 0; some = some << 1 &^ o.Keys & all {
		// A sum carries to the last place of a group from any before it that is set.
		visits += uint64(bits.OnesCount32((some&^last + ^last&all | some) & last))
	}
	return visits
}

// Evenly tells whether some lanes are at addresses from base on, each 1<<shift behind the one below; all at base where the shift is 64.
func Evenly(addr *[Count]uint64, lanes uint32, base, shift uint64) bool {
	if vector {
		return evenly(addr, lanes, base, shift)
	}
	differ := uint64(0)
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes) & (Count - 1)
		differ |= addr[lane] ^ (base + uint64(lane)<<shift)
	}
	return differ == 0
}

// Alike tells whether the addresses of some lanes are as far from base as others are from 0.
func Alike(addr *[Count]uint64, lanes uint32, base uint64, apart *[Count]uint64) bool {
	if vector {
		return alike(addr, lanes, base, apart)
	}
	differ := uint64(0)
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes) & (Count - 1)
		differ |= addr[lane] ^ (base + apart[lane])
	}
	return differ == 0
}
