package sass

import (
	"math"

	"silica/internal/isa"
)

// selector turns the values of a graph into machine instructions. It goes through blocks and values backwards, so that when
// a value is reached everything that may take it in has been selected, and what nobody wants is left out.
type selector struct {
	*graph
	out     *Func
	block   *block
	seq     []*Inst // of the value being selected, forwards
	at      *value
	want    map[*value]bool
	leafUse map[*value][]leafUse
	temps   int
	// falls are the blocks that only exit and that control falls into from a loop.
	falls map[*block]bool
	// lanePlaced tells that the place of a lane in the matrices of wmma has been computed.
	lanePlaced bool
	// closing is the block in which the next product of a warpgroup, backwards, is the last of its group.
	closing *block
	// tempWords is the width of temporary registers.
	tempWords map[int]int
	// flags holds compares with zero that the instruction computing the value makes along the way.
	flags map[*value]*value
	code  map[*block][]*Inst // backwards
	// wrapped are the blocks behind calls from which lanes come back one after the other.
	wrapped map[*block]bool
	// callsOthers tells whether the function has calls; linkSaved is then the register of its return address.
	callsOthers bool
	linkSaved   int
	// globalDescriptor is the first of the uniform registers with the descriptor of global memory.
	globalDescriptor int
	// joined tells which phis have the registers of their sources.
	joined *coalescer
}

// leafUse is a place where a leaf is wanted in a register.
type leafUse struct {
	block   *block
	uniform bool
}

// selectCode selects the function.
func (g *graph) selectCode(name string) *Func {
	s := &selector{graph: g, out: &Func{Name: name}, want: map[*value]bool{}, leafUse: map[*value][]leafUse{}, flags: map[*value]*value{},
		code: map[*block][]*Inst{}, temps: 1 << 20, tempWords: map[int]int{}, falls: map[*block]bool{}, wrapped: map[*block]bool{}, joined: g.coalesce()}
	s.keepAcross()
	for _, b := range g.blocks {
		for _, phi := range b.phis {
			s.want[phi] = phi.needed
		}
	}
	for i := len(g.blocks) - 1; i >= 0; i-- {
		if g.blocks[i].reached {
			s.selectBlock(g.blocks[i])
		}
	}
	s.placeLeaves()
	s.prologue()
	s.finish()
	s.joinRegisters()
	if s.arch.uniformDatapath() {
		s.out.toUniform(s.uniformWebs())
	}
	return s.out
}

// selectBlock selects one block.
func (s *selector) selectBlock(b *block) {
	s.block = b
	last := len(b.values)
	if last > 0 && b.leave != nil && b.values[last-1] == b.leave && b.leave.op == opBranch { // what the phis take is moved before lanes leave
		last--
		s.at, s.seq = b.leave, nil
		s.lower(b.leave)
		s.flush(b)
	}
	s.edges(b)
	for i := last - 1; i >= 0; i-- {
		v := b.values[i]
		if !s.want[v] && !(v.needed && v.effect()) && !s.wantsResult(v) {
			continue
		}
		s.at, s.seq = v, nil
		s.lower(v)
		s.flush(b)
		s.keepOld(v)
	}
	for _, phi := range b.phis {
		if phi.needed {
			s.at = phi
		}
	}
}

// keepOld gives a value under a predicate what it is otherwise: it is written to the same register.
func (s *selector) keepOld(v *value) {
	o := v.old
	switch {
	case o == nil || o.op == opUndef || v.op == opResult:
	case o.leaf():
		s.at, s.seq = nil, nil
		s.move(v, o)
		s.flush(v.block)
	default:
		s.want[o] = true
	}
}

// wantsResult tells whether one of the further results is wanted.
func (s *selector) wantsResult(v *value) bool {
	for _, r := range v.results {
		if s.want[r] {
			return true
		}
	}
	return false
}

// flush appends the selected sequence to the block, backwards.
func (s *selector) flush(b *block) {
	nameHalves(s.seq)
	for i := len(s.seq) - 1; i >= 0; i-- {
		in := s.seq[i]
		if s.at != nil {
			if !in.never() {
				in.PC = s.at.pc
			}
			in.keeps = s.at.guard != nil && s.at.old != nil && s.at.old.op != opUndef
			if s.at.guard != nil && in.Guard.Kind == NoOperand {
				in.Guard = s.predicate(s.at.guard, s.at.guardNot)
			}
		}
		s.code[b] = append(s.code[b], in)
	}
	s.seq = nil
}

// edges wants what the phis of the successors take from the block, and moves what is not a register.
func (s *selector) edges(b *block) {
	var zeros []*value
	for _, succ := range b.succs {
		from := predecessorIndex(succ, b)
		for _, phi := range succ.phis {
			if !phi.needed || from >= len(phi.args) {
				continue
			}
			a := phi.args[from]
			if a.op == opUndef || a == phi {
				continue
			}
			if a.isConst() && a.imm == 0 && phi.bits == 32 && !phi.uniform {
				zeros = append(zeros, phi)
				continue
			}
			if !s.joined.share(phi, a) {
				s.at, s.seq = nil, nil
				s.move(phi, a)
				s.flush(b)
				continue
			}
			s.want[a] = true
		}
	}
	s.clear(zeros)
	s.flush(b)
}

// clear sets the registers of phis to zero, two at once.
func (s *selector) clear(phis []*value) {
	s.at, s.seq = nil, nil
	for i := 0; i < len(phis); i++ {
		if i+1 < len(phis) {
			in := s.emit("CS2R", "", s.dst(phis[i]), zero)
			in.Dst = append(in.Dst, s.dst(phis[i+1]))
			i++
			continue
		}
		s.emit("MOV", "", s.dst(phis[i]), zero)
	}
}

func predecessorIndex(b, pred *block) int {
	for i, p := range b.preds {
		if p == pred {
			return i
		}
	}
	return -1
}

// move copies a value to a phi's register.
func (s *selector) move(phi, a *value) {
	if phi.bits == 1 {
		s.emit("PLOP3", "", s.dst(phi), s.predicate(a, false))
		return
	}
	dst := s.dst(phi)
	src := s.moved(a)
	if phi.bits == 64 && !(a.isConst() && a.imm == 0) {
		for i := range 2 {
			in := s.emit("MOV", "", dst, src)
			in.Dst[0].Part, in.Src[0].Part = i, i
			if src.Kind == Immediate {
				in.Src[0].Value = src.Value >> (32 * i) & math.MaxUint32
			}
		}
		return
	}
	if phi.bits == 64 {
		s.emit("CS2R", "", dst, src)
		return
	}
	s.emit("MOV", "", dst, src)
}

// moved is the source of a move: anything.
func (s *selector) moved(a *value) Operand {
	switch a.op {
	case opConst:
		return Operand{Kind: Immediate, Value: a.imm}
	case opParam:
		if !s.arch.loadsConstants() {
			return s.bank(a)
		}
	}
	return s.reg(a)
}

// emit appends a machine instruction to the sequence.
func (s *selector) emit(name, mods string, dst Operand, src ...Operand) *Inst {
	in := &Inst{Op: Lookup(name), Mods: mods, Src: append([]Operand(nil), src...), Target: -1, PC: -1}
	if in.Op == nil {
		panic("sass: no opcode " + name)
	}
	if dst.Kind != NoOperand {
		in.Dst = []Operand{dst}
	}
	s.seq = append(s.seq, in)
	return in
}

// dst is the register a value is written to.
func (s *selector) dst(v *value) Operand {
	if v.bits == 1 {
		return Operand{Kind: Predicate, Reg: v.id, Words: 1}
	}
	o := Operand{Kind: Register, Reg: v.id, Words: v.words()}
	if o.Words == 1 && v.bits == 32 {
		o.Part = v.half()
	}
	return o
}

// words is how many registers hold a value.
func (v *value) words() int {
	if v.onlyHigh() {
		return 1
	}
	return max(v.bits/32, 1)
}

// temp is a new register.
func (s *selector) temp(bits int) Operand {
	s.temps++
	if bits == 1 {
		return Operand{Kind: Predicate, Reg: s.temps, Words: 1}
	}
	s.tempWords[s.temps] = bits / 32
	return Operand{Kind: Register, Reg: s.temps, Words: bits / 32}
}

var zero = Operand{Kind: Register, Reg: -1, Words: 1}

// truth is PT, the predicate that is always true.
var truth = Operand{Kind: Predicate, Reg: -1, Words: 1}

// reg reads a value from a register.
func (s *selector) reg(v *value) Operand {
	switch {
	case v.isConst() && v.imm == 0:
		return Operand{Kind: Register, Reg: -1, Words: max(v.bits/32, 1)}
	case v.op == opUndef:
		return zero
	case v.op == opShared:
		return s.middle(v)
	case v.leaf():
		s.leafUse[v] = append(s.leafUse[v], leafUse{s.block, false})
	default:
		s.want[v] = true
	}
	return s.dst(v)
}

// predicate reads a predicate, through negations.
func (s *selector) predicate(v *value, not bool) Operand {
	for v.op == opNot && v.guard == nil {
		v, not = v.args[0], !not
	}
	if v.isConst() {
		o := truth
		o.Negate = (v.imm == 0) != not
		return o
	}
	if v.op == opUndef {
		return truth
	}
	o := s.dst(v)
	if v.op == opParam || v.op == opSpecial {
		s.leafUse[v] = append(s.leafUse[v], leafUse{s.block, false})
	} else {
		s.want[v] = true
	}
	o.Negate = not
	return o
}

// bank is a parameter or launch constant in constant bank 0.
func (s *selector) bank(v *value) Operand {
	o := Operand{Kind: ConstantBank, Value: v.imm, Words: max(v.bits/32, 1)}
	switch {
	case v.op == opSpecial:
		o.Value = launchConstants[v.name]
	case v.name == constantBank:
		o.Bank = 3
	default:
		o.Value += s.arch.paramBase()
	}
	return o
}

// launchConstants are the special registers that the launch leaves in constant bank 0.
var launchConstants = map[string]uint64{
	"%ntid.x": 0x0, "%ntid.y": 0x4, "%ntid.z": 0x8, "%nctaid.x": 0xc, "%nctaid.y": 0x10, "%nctaid.z": 0x14,
}

// inBank tells whether a leaf lies in the constant bank.
func inBank(v *value) bool {
	if v.op == opParam {
		return true
	}
	_, ok := launchConstants[v.name]
	return v.op == opSpecial && ok
}

// operands reads the sources of an instruction: all from registers but at most one, which may be a number, from the
// constant bank or from a uniform register. The first source is always a register.
func (s *selector) operands(args ...*value) []Operand {
	free := -1
	for i, a := range args {
		if i > 0 && a.isConst() && a.imm != 0 {
			free = i
		}
	}
	if free < 0 {
		for i, a := range args {
			if i > 0 && (inBank(a) || a.op == opSpecial && uniformSpecial(a.name)) {
				free = i
			}
		}
	}
	out := make([]Operand, len(args))
	for i, a := range args {
		if i != free {
			out[i] = s.reg(a)
			continue
		}
		out[i] = s.middle(a)
	}
	return out
}

// middle reads an operand that need not be a register.
func (s *selector) middle(a *value) Operand {
	switch {
	case a.isConst():
		return Operand{Kind: Immediate, Value: a.imm}
	case inBank(a) && !s.arch.loadsConstants():
		return s.bank(a)
	case !s.arch.uniformDatapath():
		return s.reg(a)
	}
	s.leafUse[a] = append(s.leafUse[a], leafUse{s.block, true})
	o := s.dst(a)
	o.Kind = UniformRegister
	return o
}

// lower selects one value.
func (s *selector) lower(v *value) {
	switch v.op {
	case opLoad, opStore:
		s.access(v)
	case opBranch, opExit:
		s.leave(v)
	case opCall:
		s.call(v)
	case opGiven:
		s.take(v)
	case opFloat:
		s.float(v)
	case opCompare:
		s.compare(v)
	case opSelect:
		s.choose(v)
	case opOther:
		s.other(v)
	case opResult:
		s.want[v.args[0]] = true
	default:
		if v.bits == 1 {
			s.logicOfPredicates(v)
			return
		}
		s.integer(v)
	}
}

// choose selects a select.
func (s *selector) choose(v *value) {
	p := s.predicate(v.args[0], false)
	switch {
	case v.bits == 1:
		s.emit("PLOP3", "", s.dst(v), p, s.predicate(v.args[1], false), s.predicate(v.args[2], false))
	case v.bits == 64:
		for i := 0; i < 2; i++ {
			s.emit("SEL", "", s.dst(v), append(s.operands(v.args[1], v.args[2]), p)...)
		}
	case v.typ == isa.F32:
		s.emit("FSEL", "", s.dst(v), append(s.operands(v.args[1], v.args[2]), p)...)
	default:
		s.emit("SEL", "", s.dst(v), append(s.operands(v.args[1], v.args[2]), p)...)
	}
}

// logicOfPredicates selects and, or, xor and not of predicates; a compare takes the other predicate in.
func (s *selector) logicOfPredicates(v *value) {
	if v.op == opNot {
		s.emit("PLOP3", "", s.dst(v), s.predicate(v.args[0], true))
		return
	}
	for i, a := range v.args {
		if a.op == opCompare && a.uses == 1 && a.guard == nil && a.block == v.block && !s.want[a] && s.flagOf(a) == nil {
			s.compareInto(s.dst(v), a, s.predicate(v.args[1-i], false))
			return
		}
	}
	s.emit("PLOP3", "", s.dst(v), s.predicate(v.args[0], false), s.predicate(v.args[1], false))
}
