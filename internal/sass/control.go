package sass

import (
	"slices"

	"silica/internal/isa"
)

// exitOnly tells whether a block does nothing but leave the function.
func exitOnly(b *block) bool {
	if b == nil || len(b.values) != 1 || b.values[0].op != opExit || len(b.values[0].args) > 0 || b.values[0].call != nil && b.values[0].call.abi {
		return false
	}
	return true
}

// leave selects the instruction that ends a block.
func (s *selector) leave(v *value) {
	b := v.block
	if v.op == opExit {
		if exitOnly(b) && len(b.preds) > 0 && !jumpedTo(b) {
			return // those who come here have left before
		}
		s.exit(v)
		return
	}
	next := s.next(b)
	if b.taken == nil {
		in := s.emit("BRX", "", Operand{}, s.operands(v.args...)...)
		in.Target = -1
		return
	}
	target, not, conditional := b.taken, v.guardNot, len(v.args) > 0
	if target == next && conditional { // the other way is the one to name
		if i := slices.IndexFunc(b.succs, func(x *block) bool { return x != next }); i >= 0 {
			target, not = b.succs[i], !not
		}
	}
	switch {
	case exitOnly(target):
		in := s.exitInst(target.leave)
		if conditional {
			in.Guard = s.predicate(v.args[0], not)
			s.fallThrough(b, target, next)
		}
	case target == next && !conditional:
	default:
		in := s.emit("BRA", "", Operand{})
		in.Target = target.index
		if conditional {
			in.Guard = s.predicate(v.args[0], not)
			s.fallThrough(b, target, next)
		}
	}
}

// jumpedTo tells whether control comes to a block by an indexed branch.
func jumpedTo(b *block) bool {
	for _, p := range b.preds {
		if p.leave != nil && p.leave.op == opBranch && p.taken == nil {
			return true
		}
	}
	return false
}

// exit selects the end of a thread, or the return from a function.
func (s *selector) exit(v *value) {
	in := s.exitInst(v)
	if v.guarded() {
		in.Guard = s.predicate(v.args[0], v.guardNot)
		s.out.diverges = s.out.diverges || !v.args[0].uniform
	}
}

// exitInst selects the instruction that ends a thread or returns, with what it gives back.
func (s *selector) exitInst(v *value) *Inst {
	if v.call != nil {
		return s.giveBack(v)
	}
	return s.emit("EXIT", "", Operand{})
}

// next is the block that follows in the layout.
func (s *selector) next(b *block) *block {
	for i := b.index + 1; i < len(s.blocks); i++ {
		if s.blocks[i].reached {
			return s.blocks[i]
		}
	}
	return nil
}

// fallThrough goes to the successor that a branch to target does not name, when that is not the next block.
func (s *selector) fallThrough(b, target, next *block) {
	for _, succ := range b.succs {
		if succ == target {
			continue
		}
		switch {
		case exitOnly(succ) && succ == next && b.loop != nil && b.loop.has(target):
			s.falls[succ] = true // once for the loop, not for each of its runs
		case exitOnly(succ):
			s.exitInst(succ.leave)
		case succ != next:
			s.emit("BRA", "", Operand{}).Target = succ.index
		}
	}
}

// finish puts the blocks into the function, with what joins lanes again.
func (s *selector) finish() {
	for _, b := range s.blocks {
		out := &Block{Source: b.source, Part: b.part, Apart: b.apart}
		for _, e := range b.entries {
			out.Entries = append(out.Entries, e.source)
		}
		if s.falls[b] {
			s.at, s.seq = nil, nil
			s.exitInst(b.leave)
			out.Code = append(out.Code, s.seq...)
		}
		code := s.code[b]
		for i := len(code) - 1; i >= 0; i-- {
			out.Code = append(out.Code, code[i])
		}
		if b.reached && b.leave == nil && len(b.succs) == 1 {
			s.at, s.seq = nil, nil
			switch succ := b.succs[0]; {
			case exitOnly(succ):
				s.exitInst(succ.leave)
				out.Code = append(out.Code, s.seq...)
			case succ != s.next(b):
				in := s.emit("BRA", "", Operand{})
				in.Target = succ.index
				out.Code = append(out.Code, in)
			}
		}
		for _, succ := range b.succs {
			out.Succs = append(out.Succs, succ.index)
		}
		s.out.Blocks = append(s.out.Blocks, out)
	}
	s.converge()
}

// converge adds BSSY before branches at which lanes may go apart and BSYNC where they meet.
func (s *selector) converge() {
	heads := map[*block][]*block{}
	for _, b := range s.reversePostOrder() {
		if b.leave == nil || b.leave.op != opBranch || len(b.succs) < 2 || len(b.leave.args) == 0 || b.leave.args[0].uniform || exitOnly(b.taken) {
			continue
		}
		s.out.diverges = true
		join := s.join(b)
		if join == nil || exitOnly(join) {
			continue
		}
		head := b
		for l := b.loop; l != nil && !l.has(join); l = l.outer {
			head = l.preheader()
		}
		covered := false
		for _, h := range heads[join] {
			covered = covered || h.dominates(head)
		}
		if covered {
			continue
		}
		heads[join] = append(heads[join], head)
		s.beforeEnd(head, &Inst{Op: Lookup("BSSY"), Target: join.index, PC: -1})
		if len(heads[join]) == 1 {
			s.meet(join)
		}
	}
	for _, b := range s.blocks {
		if s.wrapped[b] {
			s.meet(b)
		}
	}
}

// meet joins lanes at the beginning of a block.
func (s *selector) meet(b *block) {
	at := s.out.Blocks[b.index]
	at.Code = append([]*Inst{{Op: Lookup("BSYNC"), Target: -1, PC: -1}}, at.Code...)
}

// beforeEnd inserts an instruction before the branches that end a block.
func (s *selector) beforeEnd(b *block, in *Inst) {
	code := s.out.Blocks[b.index].Code
	at := len(code)
	for at > 0 && code[at-1].Op.Pipe == isa.CBU {
		at--
	}
	code = append(code[:at:at], append([]*Inst{in}, code[at:]...)...)
	s.out.Blocks[b.index].Code = code
}
