package exec

import (
	"context"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// WorkersFor returns how many workers run the clusters of a launch, and how many of these each may have begun and not ended.
func WorkersFor(l *Launch, clusters int) (workers, resident int) {
	workers = l.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(min(workers, clusters), 1)
	return workers, max(l.Machine.SMs*l.Machine.BlocksPerSM/(workers*l.Cluster.Count()), 1)
}

// AlignParams copies the parameter buffer to memory aligned for every access.
func AlignParams(params []byte) []uint64 {
	aligned := make([]uint64, len(params)/8+4)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&aligned[0])), len(params)), params)
	return aligned
}

// Budget counts the instructions of a launch towards its limit. Workers share it.
type Budget struct {
	used atomic.Uint64
	over atomic.Bool
}

// Spend counts warp instructions; it returns false when the limit, if there is one, is used up.
func (b *Budget) Spend(l *Launch, n uint64) bool {
	if l.MaxInstructions == 0 || b.used.Add(n) <= l.MaxInstructions {
		return true
	}
	b.over.Store(true)
	return false
}

// Ending is how the blocks of a worker ended.
type Ending struct {
	Fault *Fault // of the first block that has one
	block int
	Bug   error // of the engine itself
}

// Fail notes the fault of a block.
func (e *Ending) Fail(f *Fault, block int) {
	if e.Fault == nil || block < e.block {
		e.Fault, e.block = f, block
	}
}

// Join adds how another worker's blocks ended.
func (e *Ending) Join(o *Ending) {
	if e.Bug == nil {
		e.Bug = o.Bug
	}
	if o.Fault != nil {
		e.Fail(o.Fault, o.block)
	}
}

// Result returns why the launch failed: a bug before anything else, then the fault of the first block, then that it was not finished, in the
// engine's words, because of a limit or an interruption.
func (e *Ending) Result(ctx context.Context, b *Budget, unfinished func(cause error) error) error {
	switch cause := context.Cause(ctx); {
	case e.Bug != nil:
		return e.Bug
	case e.Fault != nil:
		return e.Fault
	case Stopped(cause):
		return unfinished(cause)
	case b.over.Load():
		return unfinished(nil)
	}
	return ctx.Err()
}
