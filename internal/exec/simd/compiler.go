package simd

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"silica/internal/amd64"
)

// compiler makes native code of a run, for one warp after the other: all that happens to the lanes of a warp happens in the order of
// the instructions, in the lanes of one as in those of another. A warp all lanes of which run has code of its own.
//
// R11, R12 and R13 are what they are in steps, RBX points to the suspension, R9 counts bytes of 32-bit rows and R14 bytes of masks. K1 and K2
// hold the lanes of the halves of a warp where not all run.
type compiler struct {
	amd64.Assembler
	encoder *amd64.Encoder
	program *program
	run     *run
	bodies  map[string]*body

	flow    *flow       // of which the code is; nil for a run
	leave   func(*work) // emits the end of a segment of a flow
	home    uintptr     // the step that native code is
	counts  bool        // instructions, of a flow; runs look whether there are counters
	segment int         // that is being emitted, of the code of a flow
	slots   int         // of pointers, that groups of other parts of a flow have
	// calls are the steps that code of a flow runs, pollCost what a poll takes of its budget of jumps back.
	calls    []step
	wide     *[]wideSite
	pollCost int32

	masked   bool // some lanes do not run
	streamed bool // some stores may go past the caches, of whole kernels
	values   values
	plan     plan
	slow     []func() // code out of line
	// suspends is where an access asks Go, moves where those of an element size go on lane by lane.
	suspends amd64.Label
	moves    map[move]amd64.Label
}

// move is a kind of access that code out of line makes.
type move struct {
	elem  int
	store bool
}

var errUncompiled = errors.New("no native code")

func newCompiler(p *program, r *run) *compiler {
	return &compiler{encoder: p.unit.encoder, program: p, run: r, wide: &r.wide, bodies: map[string]*body{}, moves: map[move]amd64.Label{}}
}

// Where things are in the machine and in the suspension.
func machineAt(offset uintptr) amd64.Memory { return amd64.At(amd64.R13, int32(offset)) }

func suspensionAt(offset uintptr) amd64.Memory { return amd64.At(amd64.RBX, int32(offset)) }

// compile returns the native code of the run.
func (c *compiler) compile() (code []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errUncompiled, r)
		}
	}()
	for i := range c.run.work {
		if w := &c.run.work[i]; w.kind == computes && c.body(&w.kernel) == nil {
			return nil, errUncompiled
		}
	}
	if err := c.makePlan(); err != nil {
		return nil, err
	}
	c.suspends, c.home = c.NewLabel(), uintptr(unsafe.Pointer(&c.run.code.steps[c.run.first]))
	loop, partial, next, skip, full := c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.Do(amd64.Move, amd64.RBX, machineAt(unsafe.Offsetof(machine{}.suspension)))
	c.checkJournal(c.run.work, gangWarps, full)
	c.Do32(amd64.Xor, amd64.R9, amd64.R9)
	c.Do32(amd64.Xor, amd64.R14, amd64.R14)
	c.Place(loop)
	c.Do32(amd64.Move, amd64.RAX, c.warpMasks(false, 0))
	c.DoImmediate32(amd64.Compare, amd64.RAX, -1)
	c.JumpIf(amd64.NotEqual, partial)
	c.warp(false)
	c.Place(next)
	c.DoImmediate(amd64.Add, amd64.R9, rowBytes)
	c.DoImmediate(amd64.Add, amd64.R14, 4)
	c.Do(amd64.Compare, amd64.R9, machineAt(unsafe.Offsetof(machine{}.span)))
	c.JumpIf(amd64.NotEqual, loop)
	c.Load64(amd64.R12, uint64(uintptr(unsafe.Pointer(&c.run.code.steps[c.run.end]))))
	c.JumpTo(amd64.At(amd64.R12, int32(unsafe.Offsetof(step{}.code))))
	c.Place(partial)
	c.Do32(amd64.And, amd64.RAX, amd64.RAX)
	c.JumpIf(amd64.Equal, skip)
	c.warp(true)
	c.Jump(next)
	c.Place(skip)
	if c.guards() {
		c.Do32(amd64.Xor, amd64.RAX, amd64.RAX)
		c.Store32(c.warpMasks(true, 0), amd64.RAX)
	}
	c.Jump(next)
	c.Place(full)
	c.Load64(amd64.R12, uint64(c.home))
	c.Load64(amd64.RCX, uint64(c.program.unit.controls[controlExit]))
	c.JumpTo(amd64.RCX)
	c.outOfLine()
	return c.Bytes()
}

// outOfLine emits what the code so far jumps to.
func (c *compiler) outOfLine() {
	for len(c.slow) > 0 {
		list := c.slow
		c.slow = nil
		for _, emit := range list {
			emit()
		}
	}
	c.moveCode()
	c.suspend()
}

// suspend emits what asks Go for an access.
func (c *compiler) suspend() {
	c.Place(c.suspends)
	c.Store(suspensionAt(unsafe.Offsetof(suspension{}.registers)+12*8), amd64.R12)
	c.Load64(amd64.RAX, uint64(c.home))
	c.Load64(amd64.RCX, uint64(c.program.unit.controls[controlSuspend]))
	c.JumpTo(amd64.RCX)
}

// guards tells whether the run finds the lanes of guards.
func (c *compiler) guards() bool {
	for i := range c.run.work {
		if c.run.work[i].kind == guards {
			return true
		}
	}
	return false
}

// warpMasks returns where the lanes of the warp are, or those with the guard true, from a byte on.
func (c *compiler) warpMasks(guarded bool, at int) amd64.Memory {
	offset := unsafe.Offsetof(machine{}.masks)
	if guarded {
		offset = unsafe.Offsetof(machine{}.guarded)
	}
	return amd64.Memory{Base: amd64.R13, Index: amd64.R14, Scale: 1, Displacement: int32(offset) + int32(at)}
}

// warp emits the code for a warp.
func (c *compiler) warp(masked bool) {
	c.masked = masked
	c.values = newValues(c)
	c.plan.reset()
	if masked {
		c.LoadMask(16, c.warpMasks(false, 0), 1)
		c.LoadMask(16, c.warpMasks(false, 2), 2)
	}
	c.controlAtStart()
	c.emitWork()
	c.values.at = len(c.run.work)
	c.values.storeAll()
}

// emitWork emits what the run does.
func (c *compiler) emitWork() {
	for i := range c.run.work {
		w := &c.run.work[i]
		c.values.at = i
		switch w.kind {
		case computes:
			c.compute(w)
		case combines:
			c.combine(w)
		case guards:
			c.guard(w)
		case setsControl:
			c.setControl(w.imm)
		case accesses:
			c.access(i, w)
		case exchanges:
			c.exchange(w)
		case polls:
			c.poll()
		case calls:
			c.callStep(w)
		case leaves:
			c.leave(w)
			c.segment++
		}
	}
}

// controlAtStart sets MXCSR for a warp behind another that has changed it.
func (c *compiler) controlAtStart() {
	for i := range c.run.work {
		if c.run.work[i].kind == setsControl {
			c.setControl(c.run.control)
			return
		}
	}
}

// denormalsAreZero is the bit of MXCSR that has instructions take small numbers for zero.
const denormalsAreZero = 1 << 6

func (c *compiler) setControl(control uint64) {
	if control&denormalsAreZero != 0 {
		c.values.canonicalAll()
	}
	at := machineAt(unsafe.Offsetof(machine{}.control))
	c.StoreImmediate(at, int32(control))
	c.LoadControl(at)
}

// predicate returns where the bits of a predicate are, from a byte on.
func (c *compiler) predicate(o operand, at int) amd64.Memory {
	return amd64.Memory{Base: amd64.R11, Index: amd64.R14, Scale: 1, Displacement: int32(o.offset + at)}
}

// combine emits an operation on predicates.
func (c *compiler) combine(w *work) {
	for i, register := range []amd64.Register{amd64.RAX, amd64.RCX} {
		c.Do32(amd64.Move, register, c.predicate(w.srcs[i], 0))
		if w.srcs[i].negate {
			c.Not32(register)
		}
	}
	switch w.control {
	case controlPredAnd:
		c.Do32(amd64.And, amd64.RAX, amd64.RCX)
	case controlPredOr:
		c.Do32(amd64.Or, amd64.RAX, amd64.RCX)
	case controlPredXor:
		c.Do32(amd64.Xor, amd64.RAX, amd64.RCX)
	case controlVoteAll, controlVoteAny, controlVoteUni:
		c.vote(w)
	}
	c.setPredicate(w, w.dst)
}

// setPredicate gives a predicate the bits in RAX, in the lanes that do some work. It changes RDX.
func (c *compiler) setPredicate(w *work, p operand) {
	if c.masked || w.guarded {
		c.Do32(amd64.Move, amd64.RDX, c.warpMasks(w.guarded, 0))
		c.Do32(amd64.And, amd64.RAX, amd64.RDX)
		c.Not32(amd64.RDX)
		c.Do32(amd64.And, amd64.RDX, c.predicate(p, 0))
		c.Do32(amd64.Or, amd64.RAX, amd64.RDX)
	}
	c.Store32(c.predicate(p, 0), amd64.RAX)
}

// guard emits the lanes of a guard, and their count.
func (c *compiler) guard(w *work) {
	c.Do32(amd64.Move, amd64.RAX, c.predicate(w.srcs[0], 0))
	if w.srcs[0].negate {
		c.Not32(amd64.RAX)
	}
	if c.masked {
		c.Do32(amd64.And, amd64.RAX, c.warpMasks(false, 0))
	}
	c.Store32(c.warpMasks(true, 0), amd64.RAX)
	if c.flow != nil {
		if c.counts {
			c.countLanes(w.counter, amd64.RAX)
		}
		return
	}
	uncounted := c.NewLabel()
	c.Do(amd64.Move, amd64.RCX, machineAt(unsafe.Offsetof(machine{}.counters)))
	c.Test(amd64.RCX, amd64.RCX)
	c.JumpIf(amd64.Equal, uncounted)
	c.CountBits32(amd64.RAX, amd64.RAX)
	c.AddTo(amd64.At(amd64.RCX, int32(w.counter)), amd64.RAX)
	c.Place(uncounted)
}

// vector emits an instruction on vectors.
func (c *compiler) vector(name string, operands ...any) {
	c.Vector(c.encoder, name, operands...)
}

const never = math.MaxInt
