package ref

import (
	"fmt"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
)

// program is a kernel prepared to run. It is immutable.
type program struct {
	kernel *ir.Kernel
	funcs  []*function
	memory int // memory instructions, each with a View of its own on every worker
}

// function is a function with its semantics bound.
type function struct {
	ir       *ir.Func
	code     []step
	specials []exec.Special // of Frame.Specials
}

// noBlock is the basic block of a step that begins none.
const noBlock = -1

// step is one instruction with its semantics bound, once for a kernel.
type step struct {
	*ir.Inst
	// execute runs the instruction for the lanes of f whose guard holds, at least one. An instruction that
	// steers is run even when there are none, and moves the program counter itself.
	execute func(w *warp, f *fragment, s *step, active uint32)
	steers  bool
	// spins marks what programs wait with: reads that other threads may change, and nanosleep.
	spins bool
	// straight tells that the next instruction is the one after this.
	straight bool
	// block is the basic block that begins here, noBlock within one.
	block int

	lane isa.LaneFunc
	warp isa.WarpFunc
	// together runs an instruction that waits for lanes of its warp once they are there; nil when waiting is
	// all it does. syncs marks such instructions; member is the source with the lanes waited for, -1 for
	// all of the warp.
	together func(w *warp, f *fragment, s *step, active uint32)
	syncs    bool
	member   int

	special   exec.Special
	barrier   isa.Barrier
	atomics   [2]exec.Atomic // in global, in shared memory
	atomic128 isa.Combine128Func
	async     exec.AsyncFunc
	matrix    exec.MatrixFunc
	warpgroup exec.WarpgroupFunc
	texture   exec.TextureFunc
	view      int // number of the View of a memory instruction
	width     int // bits of one element of a packed move
}

// prepare binds the semantics of every instruction that the kernel can reach.
func prepare(k *ir.Kernel) (*program, error) {
	p := &program{kernel: k}
	for _, f := range k.Funcs {
		fn := &function{ir: f, code: make([]step, len(f.Code))}
		for pc := range f.Code {
			if err := p.bind(&fn.code[pc], &f.Code[pc], pc); err != nil {
				pos := f.Code[pc].Pos
				return nil, fmt.Errorf("%s:%d:%d: %w", k.Module.Source.File, pos.Line, pos.Col, err)
			}
		}
		for i, block := range f.Blocks {
			fn.code[block.Start].block = i
		}
		for _, s := range f.Frame.Specials {
			special, ok := exec.SpecialOf(s.Name)
			if !ok {
				return nil, fmt.Errorf("%s: special register %s is unknown", k.Name, s.Name)
			}
			fn.specials = append(fn.specials, special)
		}
		p.funcs = append(p.funcs, fn)
	}
	return p, nil
}

// executors gives how each operation is run. Those that steer are in steering.
var executors = map[isa.Op]func(w *warp, f *fragment, s *step, active uint32){
	isa.OpLane:         executeLane,
	isa.OpWarp:         executeWarp,
	isa.OpMov:          executeMov,
	isa.OpSpecial:      executeSpecial,
	isa.OpLoad:         executeLoad,
	isa.OpStore:        executeStore,
	isa.OpAtom:         executeAtom,
	isa.OpRed:          executeAtom,
	isa.OpPrefetch:     executeNothing,
	isa.OpCvta:         executeCvta,
	isa.OpIsspacep:     executeIsspacep,
	isa.OpMapa:         executeMapa,
	isa.OpTrap:         executeTrap,
	isa.OpFence:        executeFence,
	isa.OpNanosleep:    executeNanosleep,
	isa.OpAlloca:       executeAlloca,
	isa.OpStackSave:    executeStackSave,
	isa.OpStackRestore: executeStackRestore,
	isa.OpAsync:        executeAsync,
	isa.OpMatrix:       executeMatrix,
	isa.OpWarpgroup:    executeWarpgroup,
	isa.OpTexture:      executeTexture,
	isa.OpTensorMemory: executeAsync,
	isa.OpNop:          executeNothing,
}

// steering gives how the operations are run that move the program counter, or wait.
var steering = map[isa.Op]func(w *warp, f *fragment, s *step, active uint32){
	isa.OpBranch:         executeBranch,
	isa.OpBranchIndexed:  executeBranchIndexed,
	isa.OpCall:           executeCall,
	isa.OpRet:            executeRet,
	isa.OpExit:           executeExit,
	isa.OpBarrier:        executeBarrier,
	isa.OpBarrierWarp:    executeWarpSync,
	isa.OpBarrierCluster: executeClusterBarrier,
}

func (p *program) bind(s *step, in *ir.Inst, pc int) error {
	*s = step{Inst: in, straight: in.Next == pc+1, block: noBlock}
	if s.execute = executors[in.Op]; s.execute == nil {
		s.execute, s.steers = steering[in.Op], true
	}
	if s.execute == nil {
		return fmt.Errorf("%s can not be executed (%s)", in.Form.Name(), in.Op)
	}
	row := in.Form.Row
	switch in.Op {
	case isa.OpLane:
		s.lane = row.Lane(in.Form)
	case isa.OpWarp, isa.OpBarrierWarp:
		if row.Warp != nil {
			s.warp, s.together = row.Warp(in.Form), executeWarp
		}
		p.sync(s)
	case isa.OpMatrix:
		s.matrix, s.together = exec.MatrixOf(in.Form), executeMatrix
		p.addView(s)
		p.sync(s)
	case isa.OpTensorMemory:
		s.async, s.together = exec.TensorOf(in.Form), executeAsync
		p.addView(s)
		p.sync(s)
	case isa.OpWarpgroup:
		s.warpgroup, s.together = exec.WarpgroupOf(in.Form), executeWarpgroup
		p.addView(s)
		p.sync(s)
	case isa.OpTexture:
		s.texture = exec.TextureOf(in.Form)
		p.addView(s)
	case isa.OpMov:
		s.width = isa.ParseType(in.Form.Get("type")).Bits() / max(len(in.Src), len(in.Dst), 1)
	case isa.OpSpecial:
		var ok bool
		if s.special, ok = exec.SpecialOf(in.Special); !ok {
			return fmt.Errorf("special register %s is unknown", in.Special)
		}
	case isa.OpBarrier:
		s.barrier = isa.BarrierOf(in.Form)
	case isa.OpLoad:
		s.spins = in.Mem.Order != ""
		p.addView(s)
	case isa.OpStore:
		p.addView(s)
	case isa.OpAtom, isa.OpRed:
		s.spins = in.Op == isa.OpAtom
		p.addView(s)
		if s.atomic128 = isa.Combine128(in.Form); s.atomic128 == nil {
			s.atomics = [2]exec.Atomic{exec.AtomicOf(in.Form, isa.Global), exec.AtomicOf(in.Form, isa.Shared)}
		}
	case isa.OpNanosleep:
		s.spins = true
	case isa.OpAsync:
		s.spins = in.Form.Has(".test_wait") || in.Form.Has(".try_wait")
		p.addView(s)
		s.async = exec.AsyncOf(in.Form)
	}
	return nil
}

// sync lets an instruction wait for the lanes of its warp that it needs.
func (p *program) sync(s *step) {
	if s.syncs, s.member = isa.WarpSync(s.Form); s.syncs {
		s.execute, s.steers = executeWarpSync, true
	}
}

func (p *program) addView(s *step) {
	s.view = p.memory
	p.memory++
}

// constants returns the values of a function's constants in a launch. A ConstLocal's is what is added
// to the lane's frame base.
func constants(f *ir.Func, symbols []uint64) []uint64 {
	values := make([]uint64, len(f.Frame.Consts))
	for i, c := range f.Frame.Consts {
		values[i] = c.Value
		switch c.Kind {
		case ir.ConstGlobal:
			values[i] += symbols[c.Symbol]
		case ir.ConstFunc:
			values[i] += ir.FuncAddress(c.Symbol)
		}
	}
	return values
}
