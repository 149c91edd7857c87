package simd

import "silica/internal/isa"

// steer emits an instruction that moves lanes or lets them wait.
func (b *builder) steer() {
	in := b.inst
	switch in.Op {
	case isa.OpBranch:
		b.lowerBranch()
	case isa.OpBranchIndexed:
		b.steering(runBranchIndexed)
	case isa.OpCall:
		b.steering(runCall).callee = b.operand(in.Call.Target)
	case isa.OpRet:
		b.steering(runRet)
	case isa.OpExit:
		b.steering(runExit)
	case isa.OpBarrier:
		o := b.steering(runBarrier)
		o.barrier, o.uniform = isa.BarrierOf(in.Form), b.anyConstant(o.srcs[0])
	case isa.OpBarrierCluster:
		b.steering(runClusterBarrier)
	}
}

// steering emits a step that only Go runs, which computes its guard itself.
func (b *builder) steering(run func(g *gang, f *fragment, o *op) int) *op {
	counter := b.guardCounter()
	o := b.goStep(run)
	o.counter = counter
	return o
}

// guardCounter returns the counter of the lanes in which the guard of the instruction is true.
func (b *builder) guardCounter() int {
	if b.inst.Guard.Slot < 0 {
		return 0
	}
	if counter, ok := b.guards[b.pc]; ok { // by the code made before
		return counter
	}
	counter := b.counters
	b.counters += 8
	if b.inst.Op == isa.OpBranch {
		b.counters += 8
	}
	b.guards[b.pc] = counter
	return counter
}

func (b *builder) lowerBranch() {
	in := b.inst
	if in.Guard.Slot < 0 {
		b.jump(in.Target)
		return
	}
	guard, counter, at := b.operand(in.Guard), b.guardCounter(), len(b.steps)
	b.jumps = append(b.jumps, jump{at, in.Target, false}, jump{at, in.Next, true})
	b.controlStep(controlBranch, step{a: uint32(guard.offset), imm: negation(guard), x: uint32(counter)},
		op{run: runBranch, guard: guard, counter: counter})
}
