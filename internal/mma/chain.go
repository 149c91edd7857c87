package mma

import "unsafe"

// Chain is products that machine code computes one after the other on the registers of a warp, whose places are known beforehand: it is a list of
// calls of routines. Factors are decoded once; no product may change those of a later one.
type Chain struct {
	calls []call
}

// Placed is a product and where its registers, of 128 bytes each, are: in bytes from where those of the warp are. Registers of Dst may be
// some of Src.
type Placed struct {
	*Product
	Src, Dst []int
}

// NewChain returns the chain of products that all have one (Chains).
func NewChain(list []Placed) *Chain {
	e := &emitter{}
	for i, p := range list {
		e.product = int64(i)
		p.emit(e, registerPlaces(p.Src), registerPlaces(p.Dst))
	}
	return e.chain()
}

// Run computes the products for a warp all lanes of which are active, and returns how many. The next one is not for machine code, which has done
// nothing for it: elements are not finite, or far from 1.
func (c *Chain) Run(x *Scratch, registers unsafe.Pointer) int {
	return c.Done(uintptr(unsafe.Pointer(runCalls(&c.calls[0], x, registers))))
}

// First returns the address of the first call, for machine code to begin with.
func (c *Chain) First() uintptr { return uintptr(unsafe.Pointer(&c.calls[0])) }

// Done returns how many products were computed when the call at an address failed; none did where that is 0.
func (c *Chain) Done(failed uintptr) int {
	if failed == 0 {
		return int(c.calls[len(c.calls)-1].product)
	}
	return int(c.calls[(failed-c.First())/unsafe.Sizeof(call{})].product)
}

// call is a routine and what it works on. Its layout is known to machine code.
type call struct {
	code    uintptr
	product int64 // number of the product it is part of
	count   int64
	from    [4]place // rows
	results [4]place
	to      place // rows or groups in the scratch
	low     place // of the factor that groups are
	forms   *elementForm

	// Of sums: groups, and their factors.
	a, b, lowA, lowB place
	bits             int32
	bias             int32 // to be added to the exponent of a product for that of an f32
	least            int32 // the least biased exponent of C
	// option is that of the routine. It has sum set the last bit of each sum that was cut, for another rounding to follow.
	option int32
	// single is 1 where singles may be summed.
	single int32
}

// place is where something is: so many bytes from the registers, or 1 more than that many bytes from the scratch.
type place uintptr

func inScratch(offset uintptr) place { return place(offset | 1) }

// rows returns the places of n rows from one on.
func (p place) rows(n int) []place {
	out := make([]place, n)
	for i := range out {
		out[i] = p + place(i)*rowBytes
	}
	return out
}

const rowBytes = 4 * lanes

func registerPlaces(offsets []int) []place {
	out := make([]place, len(offsets))
	for i, o := range offsets {
		out[i] = place(o)
	}
	return out
}

// Scratch is what chains need beside the registers. Its layout is known to machine code.
type Scratch struct {
	// Rows of D as sum computes them: where a sum begins, C, the top of what it begins with, and the number of negative terms.
	//lint:ignore U1000 machine code uses it, through go_asm.h
	begin [16][8]float64
	//lint:ignore U1000 machine code uses it, through go_asm.h
	rows [16][8]float32
	//lint:ignore U1000 machine code uses it, through go_asm.h
	tops, negative [16][8]uint16

	//lint:ignore U1000 machine code uses it, through go_asm.h
	pieces uint64
	_      [56]byte

	a [keptA]decodedA
	b [keptB]decodedB

	zero    Row
	sums    [4]Row
	widened [4]Row
	packed  [4]Row
	halves  [2][4]Row // of registers of bytes: the first two elements, and the others
	results [8]Row    // until the last tile of a product is computed

	integers integerScratchRows
}

// decodedA and decodedB are the groups of a tile's factors. Those of a factor of bytes are those of the first two of each four elements, then the
// others.
type decodedA struct {
	//lint:ignore U1000 machine code uses it
	groups [tileGroups]tileA
	factor decoding
	//lint:ignore U1000 machine code uses it
	single singleA
}

type decodedB struct {
	//lint:ignore U1000 machine code uses it
	groups [tileGroups]tileB
	factor decoding
	//lint:ignore U1000 machine code uses it
	single singleB
}

// decoding is what is known of a factor. One of 16-bit elements is decoded by the first that needs it. Its layout is known to the routines.
type decoding struct {
	low, high    int32  // biased: the lowest exponent of its form, and its largest
	full, single uint32 // 1 where it has been decoded
	//lint:ignore U1000 machine code uses it, through go_asm.h
	decode uintptr // the call that told of it
	//lint:ignore U1000 machine code uses it, through go_asm.h
	form uintptr
	_    [32]byte // so that no vector lies in two lines of the cache
}

// singleA and singleB are a factor as f32: up to 16 columns of A, each element for four columns of B, and as many rows of B, the even columns
// first; and the signs of a row of A and of a column of B. Their layouts are known to the routines.
type singleA struct {
	//lint:ignore U1000 machine code uses it
	values [16][4][16]float32
	//lint:ignore U1000 machine code uses it, through go_asm.h
	signs [4][16]uint32
	//lint:ignore U1000 machine code uses it, through go_asm.h
	masks [4]uint64 // signs of eight columns of eight rows each
	_     [32]byte
}

type singleB struct {
	//lint:ignore U1000 machine code uses it
	values [16][8]float32
	//lint:ignore U1000 machine code uses it, through go_asm.h
	signs [8]uint32
	//lint:ignore U1000 machine code uses it, through go_asm.h
	masks [2]uint64
	_     [16]byte
}

const (
	// ahead is how many exponents C has to be ahead of all products for their singles to be summed, aheadOfFour that for four of them at a time. Terms
	// are cut to 25 bits below C's exponent then, so each has less than 18 bits, or 20, and 16 of them, or four, have 22, which a sum that begins in
	// the middle between two powers of two has room for; the sum of four such sums has 24. Elements of A are greater by their last bit, as those of
	// doubles are (tile.go): that is less than half the last bit of a term, of at most 22 bits, and terms are cut to more than that.
	//lint:ignore U1000 machine code uses it, through go_asm.h
	ahead = 9
	//lint:ignore U1000 machine code uses it, through go_asm.h
	aheadOfFour = 7
	// tiny is the bits of a single that stands for zero, so that all terms have a sign.
	//lint:ignore U1000 machine code uses it, through go_asm.h
	tiny = 1 << 23
)

// keptA and keptB are how many factors stay decoded.
const keptA, keptB = 4, 8

// NewScratch returns a Scratch.
func NewScratch() *Scratch { return new(Scratch) }

// emitter makes the calls of a chain.
type emitter struct {
	calls   []call
	product int64
	a       [keptA]decodedFactor
	b       [keptB]decodedFactor
	nextA   int
	nextB   int
}

// decodedFactor names what is decoded in a part of the scratch.
type decodedFactor struct {
	tile      *tileProduct
	registers [4]place
	count     int
}

func (e *emitter) add(c call) {
	c.product = e.product
	e.calls = append(e.calls, c)
}

func (e *emitter) chain() *Chain {
	e.product++
	e.add(call{code: routines()[routineEnd]})
	return &Chain{e.calls}
}

// copy has registers set to rows, but for the bits of cleared.
func (e *emitter) copy(to, from []place, cleared int32) {
	for len(to) > 0 {
		n := min(len(to), 4)
		c := call{code: routines()[routineCopy], count: int64(n), option: cleared}
		copy(c.from[:], from[:n])
		copy(c.results[:], to[:n])
		e.add(c)
		to, from = to[n:], from[n:]
	}
}

// The routines of floats, and those of integers.
const (
	routineEnd = iota
	routineDecodeA16
	routineDecodeB16
	routineDecodeA32
	routineDecodeB32
	routineHalves
	routineSum
	routineWiden
	routinePack
	routineAdd
	routineCopy
	routineScan
	routineSumEither
	routineCount
)

const (
	routinePairs = iota
	routineBytes
	routineSpread
	routineSumPairs
	integerRoutineCount
)
