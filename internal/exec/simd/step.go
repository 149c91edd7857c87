package simd

import "unsafe"

type ptr = unsafe.Pointer

const (
	// gangWarps is the largest number of warps dispatched together, warpLanes the number of lanes of a warp.
	gangWarps, warpLanes = 8, 32
	// rowBytes is the size of a 32-bit register of a warp, predicateBytes that of a predicate of a gang.
	rowBytes, predicateBytes = warpLanes * 4, gangWarps * 4
)

// step is a unit of work of a prepared function, most often one instruction. Steps follow one another in
// memory; machine code runs them until one is left to Go. Its layout is known to the machine code.
type step struct {
	code uintptr // machine code; see step_amd64.h
	// Operands, as bytes from the frame.
	d, a, b, c, e uint32
	// lanes says where in the machine the pointer to the masks is (lanes or guardedLanes); for steps on
	// predicates, where the masks are.
	lanes  uint32
	imm    uint64
	x, y   uint32  // of different meaning
	target uintptr // steps to go on at
	next   uintptr
}

// machine is the state of a gang that machine code knows.
type machine struct {
	frame ptr // of the running fragment
	// lanes points to masks, or is nil when all lanes of all warps run; guardedLanes points to guarded.
	lanes, guardedLanes *uint32
	// span is the size of the gang's warps in a 32-bit row.
	span    uintptr
	masks   [gangWarps]uint32 // the running fragment's lanes
	guarded [gangWarps]uint32 // its lanes with the current guard true
	all     [gangWarps]uint32 // all lanes

	stopped uintptr // step at which machine code returned to Go
	warp    uint64  // of the memory access that stopped it
	rest    uint32  // lanes of that warp left to do; 0 for all

	// limit is the pc at which another fragment waits, budget the instructions that may be run until Go has
	// another look. A poll takes pollCost of it.
	limit    uint64
	budget   int64
	pollCost int64
	polls    uint64
	executed uint64 // warp instructions

	warps, threads uint64 // of the running fragment
	counters       ptr    // of the running function; nil when nobody counts
	converged      uint64 // 1 when the warps that run have no lanes in other fragments

	control, defaultControl uint64 // MXCSR

	regions   ptr // *[]region: the region of each memory instruction
	patterns  ptr // *[][gangWarps]pattern
	addresses ptr // *[gangWarps][warpLanes]uint64: of the access that is reported next
	//lint:ignore U1000 machine code uses it, through go_asm.h
	saved [2]uint64 // by kernels that are short of registers
	//lint:ignore U1000 machine code uses it, through go_asm.h
	place uint64 // of an atomic operation

	suspension ptr // *suspension, of the worker

	scratch ptr     // *mma.Scratch, of the worker
	failed  uintptr // the call of a chain that machine code stopped at for machine.warp

	start   [gangWarps]uint32 // lanes that the gang begins with
	waiting ptr               // *[][gangWarps]uint32: lanes that go on at a segment when a barrier opens

	local      ptr // the gang's local memory
	localBytes uint64

	// one has the lanes of the one warp for which native code runs a step, onlyOne points to it.
	one     [gangWarps]uint32
	onlyOne *uint32
}

// region is a range of addresses that a memory instruction may use, and where it is in host memory.
type region struct {
	start, size uint64
	host        uintptr
}

// pattern is how the addresses of a warp's memory instruction lie. Machine code finds it out (gen/pattern.go).
type pattern struct {
	// base is the common address of a uniform access, or lane 0's address of a contiguous one (also
	// when lane 0 is not active), before the instruction's offset is added. With kind 4 and above it is that of
	// lanes 0 to 15; high is that of the others.
	base uint64
	// kind is 0 for any addresses, 1 for uniform and 2 for contiguous ones; 4 when each half of the warp is
	// uniform or contiguous, plus 1 when the first and 2 when the second is contiguous.
	kind uint64
	high uint64
	_    uint64
}

// The kinds of patterns.
const scattered, uniform, contiguous, halves = 0, 1, 2, 4

// lanesOffset is where in the machine the pointer to the running fragment's masks is.
const lanesOffset = uint32(unsafe.Offsetof(machine{}.lanes))

// defaultControl is what MXCSR holds in Go: all exceptions masked, round to nearest.
const defaultControl = 0x1f80

// operand is a register of a lane: where it is and how wide.
type operand struct {
	offset int // bytes from the frame; -1 when absent
	bits   int
	negate bool
}

// half returns the high half of a 128-bit register.
func (o operand) half(warps int) operand {
	return operand{offset: o.offset + warps*warpLanes*8, bits: 64}
}

// size returns the bytes that the register takes in a frame of a gang of the given size.
func (o operand) size(warps int) int {
	if o.bits == 1 {
		return predicateBytes
	}
	return warps * rowBytes * max(o.bits/32, 1)
}

// overlaps tells whether two registers share bytes of the frame.
func (o operand) overlaps(p operand, warps int) bool {
	return o.offset >= 0 && p.offset >= 0 && o.offset < p.offset+p.size(warps) && p.offset < o.offset+o.size(warps)
}
