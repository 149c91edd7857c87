package exec

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/mem"
	"silica/internal/texture"
)

// Engine runs kernels. Both engines give the same results on every program whose result PTX defines.
type Engine interface {
	Name() string
	// Run executes every block of the launch. It returns a *Fault when the kernel does something
	// illegal, ctx.Err() when cancelled, ErrLimit when Launch.MaxInstructions is used up.
	Run(ctx context.Context, l *Launch) (*Stats, error)
}

// Dim3 is an extent in x, y and z.
type Dim3 struct{ X, Y, Z int }

// Count returns x*y*z.
func (d Dim3) Count() int { return d.X * d.Y * d.Z }

func (d Dim3) String() string { return fmt.Sprintf("(%d,%d,%d)", d.X, d.Y, d.Z) }

// Launch is one kernel launch, checked by the caller against the GPU's limits.
type Launch struct {
	Kernel        *ir.Kernel
	Grid, Block   Dim3
	Cluster       Dim3 // {1,1,1} without clusters
	DynamicShared int  // bytes
	Params        []byte
	Memory        *mem.Memory
	// Symbols holds the address of each of the module's Globals.
	Symbols []uint64
	// ConstRegions are the address ranges of .const variables, for isspacep.const.
	ConstRegions []mem.Range
	// Objects are the textures and surfaces of handles.
	Objects texture.Objects
	Machine Machine
	// Stdout receives what the kernel prints, in whole lines as far as printf calls go.
	Stdout io.Writer
	// Workers is the number of blocks run at the same time; 0 stands for all cores.
	Workers int
	// Observe is called once for each worker before it runs its first block; nil when nobody listens.
	Observe func(worker int) Observer
	// Together lets an Observer be told together of accesses of an instruction by several warps: with Access.Spans
	// of those where each half of a warp is at one address or at neighbouring ones; with Access.Times, when the worker is done,
	// of those to shared memory or parameters where the whole warp is. AcrossBlocks lets the spans be of several blocks as well.
	Together, AcrossBlocks bool
	// Trace returns who follows a block, given its linear index; nil for a block that nobody follows. Launch.Trace
	// is nil when nobody listens at all. Workers call it, each before it runs the block.
	Trace func(block int) Tracer
	// Count asks for Stats; without it Stats is nil.
	Count bool
	// Work is told of each block that ended how many warp instructions it took, where Count is set; those of blocks that run by turns
	// are taken together. Workers call it; nil when nobody asks.
	Work func(block int, instructions uint64)
	// MaxInstructions limits the warp instructions of a launch, 0 for no limit.
	MaxInstructions uint64
	// Heap is the arena of device-side malloc; nil when the module does not use it.
	Heap Heap
	// Runtime serves the calls of CUDA's device runtime; nil when there is none.
	Runtime Runtime
	// Origin is where a kernel launched this one, nil when the host did.
	Origin *Origin
	// BlocksDone is incremented as blocks end; nil when nobody watches.
	BlocksDone *atomic.Int64
	// GridID is what %gridid reads.
	GridID uint64
	// Workspace is the address of the memory through which the blocks of a cooperative launch meet, 0 in
	// other launches: %envreg1 reads its high half, %envreg2 its low half.
	Workspace uint64
}

// Origin is the call by which a thread of a kernel launched another.
type Origin struct {
	Kernel        *ir.Kernel
	GridID        uint64
	Func, PC      int
	Block, Thread Dim3
}

// Inst returns the call.
func (o *Origin) Inst() *ir.Inst { return &o.Kernel.Funcs[o.Func].Code[o.PC] }

// BlocksEnded tells whoever watches that n more blocks have ended.
func (l *Launch) BlocksEnded(n int) {
	if l.BlocksDone != nil {
		l.BlocksDone.Add(int64(n))
	}
}

// Heap serves device-side malloc and free.
type Heap interface {
	Alloc(size uint64) (addr uint64) // 0 when there is no room
	Free(addr uint64) bool
}

// Machine is what a kernel can read of the GPU through special registers, and the limits that faults check.
type Machine struct {
	SMs               int
	BlocksPerSM       int // resident blocks of this launch, by occupancy
	WarpsPerSM        int
	SharedPerBlock    int // reserved bytes included in %aggr_smem_size
	ClockHz           float64
	LocalPerThread    int // limit in bytes
	SharedReserved    int // bytes the system keeps in each block
	ComputeCapability int // 90
}

// Observer receives what one worker executes. Calls come from that worker's goroutine; what they
// pass is valid only during the call.
type Observer interface {
	// BlockStart and BlockEnd bracket a block; block is its linear index in the grid.
	BlockStart(block int)
	BlockEnd(block int)
	// Access reports one warp-level memory instruction.
	Access(a *Access)
}

// Tracer receives what the warps of one block do, each warp's in its order. Calls come from the goroutine that
// runs the block; what they pass is valid only during the call.
type Tracer interface {
	// Enter tells that lanes of a warp begin a basic block of a function: Kernel.Funcs[fn].Blocks[block]. A block
	// whose first instruction waits for lanes of the warp begins when it has them. Lanes that come together within a
	// block do not enter it again.
	Enter(warp, fn, block int, mask uint32)
	// Access reports a memory instruction, as Observer.Access does.
	Access(a *Access)
}

// Access is one warp-level memory instruction.
type Access struct {
	Func, PC int // index in Kernel.Funcs, in Code
	Block    int // linear block index
	Warp     int // warp in the block
	Inst     *ir.Inst
	// Space is the space reached; a generic access whose lanes reach several spaces comes as one
	// Access for each.
	Space isa.Space
	Mask  uint32 // lanes that access memory (guard true)
	// Addr holds the address of each lane in Mask: global addresses, or offsets into the block's
	// shared memory, the thread's local memory or the parameter buffer.
	Addr *[32]uint64
	// Bytes is what each lane moves.
	Bytes int
	// Times is how many accesses there were: 1, or more with Launch.Together. Then Block and Warp are 0, and the first lane's
	// address is 0 in place of any.
	Times uint64
	// Spans are the accesses of several warps, with Launch.Together, where Addr, Mask, Block and Warp are not set.
	Spans []Span
	// Units are accesses by all lanes of a warp, with Launch.AcrossBlocks, where Mask and Addr are not set either: each lane's so far behind Base.
	// What they point to does not change: who has counted them once may know them again.
	Units [][32]uint64
	Base  uint64
}

// Span is where the lanes of a warp access memory. Of each half of the warp all lanes are at Base, or when
// Contiguous each right behind the lane below, the first at Base. Lanes that are not in Mask leave their place free; Base is anywhere when none of
// its half are.
type Span struct {
	Base       [2]uint64
	Contiguous [2]bool
	Mask       uint32
	// Times is how many accesses there were, each Step bytes behind the one before; Step is a negative number in two's complement where
	// they go down.
	Times, Step uint64
}

// Addresses returns the address of each lane in the first access, in which it moves so many bytes.
func (s *Span) Addresses(bytes int) (addr [32]uint64) {
	for lane := range addr {
		addr[lane] = s.Base[lane/16]
		if s.Contiguous[lane/16] {
			addr[lane] += uint64(lane % 16 * bytes)
		}
	}
	return addr
}

// Stats holds the counts of a launch, by function and instruction.
type Stats struct {
	Funcs [][]InstCount // [function][pc]
}

// InstCount counts the executions of one instruction.
type InstCount struct {
	Warps   uint64 // warp-level executions
	Threads uint64 // lanes active
	PredOn  uint64 // lanes active with the guard true
	// Divergent counts the warp-level executions of a branch whose active lanes went different ways.
	Divergent uint64
}

// Add adds the counts of o, which must be of the same kernel.
func (s *Stats) Add(o *Stats) {
	for f := range s.Funcs {
		for pc := range s.Funcs[f] {
			a, b := &s.Funcs[f][pc], &o.Funcs[f][pc]
			a.Warps += b.Warps
			a.Threads += b.Threads
			a.PredOn += b.PredOn
			a.Divergent += b.Divergent
		}
	}
}

// NewStats returns zero counts for the functions of k.
func NewStats(k *ir.Kernel) *Stats {
	s := &Stats{Funcs: make([][]InstCount, len(k.Funcs))}
	for i, f := range k.Funcs {
		s.Funcs[i] = make([]InstCount, len(f.Code))
	}
	return s
}
