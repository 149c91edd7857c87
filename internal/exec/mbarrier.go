package exec

import "encoding/binary"

// BarrierObject is an mbarrier object: a phase that ends when the arrivals and the bytes of asynchronous
// copies that are expected in it have come. Programs see it as an opaque word of 64 bits.
type BarrierObject struct {
	Expected int // arrivals of each phase
	Pending  int // arrivals that this phase still lacks
	Bytes    int // bytes that this phase still lacks; below 0 when copies ended before they were announced
	Phase    int // parity of the phase: 0 or 1
}

const (
	countBits, bytesBits = 20, 21
	countMask            = 1<<countBits - 1
)

// DecodeBarrier reads the word of a barrier object.
func DecodeBarrier(word uint64) BarrierObject {
	const above = 64 - 2*countBits - bytesBits // bits over the field of bytes, which is signed
	bytes := int64(word<<above) >> (64 - bytesBits)
	return BarrierObject{
		Pending: int(word & countMask), Expected: int(word >> countBits & countMask),
		Bytes: int(bytes), Phase: int(word >> 63),
	}
}

// Encode returns the word of the object.
func (b BarrierObject) Encode() uint64 {
	return uint64(b.Pending)&countMask | uint64(b.Expected)&countMask<<countBits |
		uint64(b.Bytes)&(1<<bytesBits-1)<<(2*countBits) | uint64(b.Phase)<<63
}

// complete begins the next phase when this one lacks nothing.
func (b *BarrierObject) complete() {
	if b.Pending == 0 && b.Bytes == 0 {
		b.Phase ^= 1
		b.Pending = b.Expected
	}
}

// changeBarrier applies change to the object whose word is at p, and returns the word it had.
func changeBarrier(p []byte, change func(b *BarrierObject)) (before uint64) {
	before = binary.LittleEndian.Uint64(p)
	b := DecodeBarrier(before)
	change(&b)
	binary.LittleEndian.PutUint64(p, b.Encode())
	return before
}
