package sass

import (
	"silica/internal/ir"
	"silica/internal/isa"
)

// frameWord is the variable that stands for a word of parameters in a function's frame.
func frameWord(offset int64) variable { return variable{-16 - int(offset), 32} }

// enter gives the words of the function's parameters their values.
func (b *builder) enter() {
	b.convention = b.plan.own[b.fn.Index]
	if b.fn.Index == 0 {
		return
	}
	entry := b.blocks[0]
	for n, words := range b.convention.params {
		for _, w := range words {
			v := b.convention.same[w.register]
			if v == nil {
				v = b.given(entry, w.register, -1)
			} else {
				v = b.leafOf(v.op, v.bits, v.imm, v.name)
			}
			b.write(entry, frameWord(int64(b.fn.Params[n].Offset+w.offset)), v)
		}
	}
}

// given is a value that is in a register at the beginning of a block.
func (b *builder) given(at *block, register, pc int) *value {
	v := b.newValue(opGiven, 32)
	v.imm, v.block, v.pc = uint64(register), at, pc
	at.values = append(at.values, v)
	return v
}

// passes tells whether an access is of parameters that are in registers.
func (g *graph) passes(in *ir.Inst) bool {
	return in.Addr.Space == isa.ParamFunc && inFrame(g.fn, in) && !g.plan.memory[g.fn.Index][int(in.Addr.Offset)&^3]
}

// storeParam writes the words of parameters.
func (t *translation) storeParam() {
	at, bytes := t.in.Addr.Offset, int64(t.in.Mem.Type.Bytes())
	for _, a := range t.args {
		if bytes == 8 {
			t.setWord(at, t.make(t.in, t.pc, opLow, 32, isa.U32, a))
			t.setWord(at+4, t.make(t.in, t.pc, opHigh, 32, isa.U32, a))
		} else {
			t.setWord(at, a)
		}
		at += bytes
	}
}

// setWord writes a word; under a guard it keeps the old one where the guard is false.
func (t *translation) setWord(offset int64, v *value) {
	if p, not := t.guard(); p != nil {
		if old := t.read(t.block, frameWord(offset)); old.op != opUndef {
			a, b := v, old
			if not {
				a, b = b, a
			}
			v = t.make(t.in, t.pc, opSelect, 32, isa.U32, p, a, b)
		}
	}
	t.write(t.block, frameWord(offset), v)
}

// loadParam reads the words of parameters.
func (t *translation) loadParam() {
	at, typ := t.in.Addr.Offset, t.in.Mem.Type
	for i := range t.in.Dst {
		v := t.read(t.block, frameWord(at))
		switch {
		case typ.Bytes() == 8:
			v = t.make(t.in, t.pc, opPair, 64, isa.B64, v, t.read(t.block, frameWord(at+4)))
		case typ.Bytes() < 4 && v.op != opUndef:
			if typ.Kind() != isa.Signed {
				typ = isa.U8
				if t.in.Mem.Type.Bytes() == 2 {
					typ = isa.U16
				}
			}
			v = t.narrow(typ, v)
		}
		t.define(i, v)
		at += int64(t.in.Mem.Type.Bytes())
	}
}

// call translates a call: what it gives back is there at the beginning of the block that follows.
func (t *translation) call() {
	c := t.in.Call
	v := t.newValue(opCall, 0)
	v.call = t.plan.calls[c]
	v.args = t.words(c.Args, v.call.params)
	if c.Func < 0 && c.System == "" && c.Target.Slot >= 0 {
		v.args = append(v.args, t.read(t.block, variableOf(c.Target)))
	}
	if p, not := t.guard(); p != nil {
		v.guard, v.guardNot = p, not
	}
	t.emit(t.in, t.pc, v)
	at := t.block
	if len(at.succs) == 1 && len(at.succs[0].preds) == 1 {
		at = at.succs[0]
	}
	for n, words := range v.call.results {
		for _, w := range words {
			t.write(t.block, frameWord(int64(c.Results[n].Offset+w.offset)), t.given(at, w.register, t.pc))
		}
	}
}

// words reads the words of parameters that are in registers.
func (t *translation) words(list []ir.Param, words [][]word) (out []*value) {
	for n, ws := range words {
		for _, w := range ws {
			out = append(out, t.read(t.block, frameWord(int64(list[n].Offset+w.offset))))
		}
	}
	return out
}

// firstFixed is where the numbers stand that name a register itself rather than a value in any: what is handed over in calls.
const firstFixed = 1 << 23

// fixedOf is the first number of each kind of registers.
var fixedOf = map[OperandKind]int{Register: firstFixed, UniformRegister: firstFixed + 256, Predicate: firstFixed + 512}

// fixed is a register of which the number is given.
func fixed(kind OperandKind, register int) Operand {
	return Operand{Kind: kind, Reg: fixedOf[kind] + register, Words: 1}
}

// fixedNumber is the number of the register that a web stands for, if it does.
func fixedNumber(web int) (register int, ok bool) { return (web - firstFixed) % 256, web >= firstFixed }

// take selects a value that is in a register when its block begins.
func (s *selector) take(v *value) {
	in := s.emit("MOV", "", s.dst(v), fixed(Register, int(v.imm)))
	in.keeps = in.Dst[0].Part > 0
}

// give puts words where a call or return expects them.
func (s *selector) give(args []*value, words [][]word, same map[int]*value) (registers []Operand) {
	for _, ws := range words {
		for _, w := range ws {
			a := args[0]
			args = args[1:]
			if same[w.register] != nil {
				continue
			}
			to := fixed(Register, w.register)
			to.More = true
			registers = append(registers, to)
			if a.op != opUndef {
				s.emit("MOV", "", fixed(Register, w.register), s.wordOf(a))
			}
		}
	}
	return registers
}

// wordOf reads a word, which may be half of a pair.
func (s *selector) wordOf(a *value) Operand {
	if (a.op == opLow || a.op == opHigh) && a.guard == nil && !a.args[0].leaf() {
		o := s.reg(a.args[0])
		o.Words, o.Part = 1, a.half()
		return o
	}
	return s.moved(a)
}

// call selects a call.
func (s *selector) call(v *value) {
	c, ir := v.call, v.inst.Call
	registers := s.give(v.args, c.params, c.same)
	var target Operand
	mods, words := ".REL.NOINC", []int{c.link, c.link + 1}
	if !c.abi {
		words = words[:1]
	}
	wrapped := c.diverges && !c.abi
	switch {
	case ir.System != "":
		mods = ".ABS.NOINC"
		entry := s.temp(32)
		s.emit("MOV", "", entry, Operand{Kind: Immediate})
		target = s.temp(64)
		s.emit("LDC", ".64", target, Operand{Kind: Address, Name: "c[0x4]", Reg: entry.Reg, Words: 1})
		in := s.emit("LEPC", "", fixed(Register, c.link), Operand{Kind: Immediate, Name: returns})
		in.Dst = append(in.Dst, fixed(Register, c.link+1))
		in.Dst[1].More = true
	case ir.Func < 0:
		callee := v.args[len(v.args)-1]
		target, wrapped = s.reg(callee), !alike(callee)
		fallthrough
	default:
		if wrapped {
			s.emit("BSSY", "", Operand{}).Target = v.block.succs[0].index
			s.wrapped[v.block.succs[0]] = true
		}
		s.emit("MOV", "", fixed(Register, words[0]), Operand{Kind: Immediate, Name: returns})
		if c.abi {
			s.emit("MOV", "", fixed(Register, words[1]), Operand{Kind: Immediate})
		}
	}
	in := s.emit("CALL", mods, Operand{})
	if target.Kind != NoOperand {
		in.Src = append(in.Src, target)
	} else {
		in.Callee = s.kernel.Funcs[ir.Func].Name
	}
	in.Src = append(in.Src, registers...)
	for _, r := range words {
		o := fixed(Register, r)
		o.More = true
		in.Src = append(in.Src, o)
	}
	for _, kind := range []OperandKind{Register, UniformRegister, Predicate} {
		for _, r := range c.overwrites[kind] {
			o := fixed(kind, r)
			o.More = true
			in.Dst = append(in.Dst, o)
		}
	}
}

// alike tells whether a value is the same in all lanes, as what they load from one address is.
func alike(v *value) bool { return v.uniform || v.op == opLoad && v.guard == nil && v.args[0].uniform }

// returns names the address behind a call.
const returns = "return address"

// giveBack selects the end of a function that was called.
func (s *selector) giveBack(v *value) *Inst {
	c := s.convention
	args := v.args
	if v.guarded() {
		args = args[1:]
	}
	var registers []Operand
	if len(args) > 0 {
		registers = s.give(args, c.results, nil)
	}
	link := fixed(Register, c.link)
	upper := fixed(Register, c.link+1)
	if !c.abi {
		if s.callsOthers {
			s.emit("MOV", "", link, Operand{Kind: Register, Reg: s.linkSaved, Words: 1})
		}
		s.emit("MOV", "", upper, Operand{Kind: Immediate})
	}
	in := s.emit("RET", ".REL.NODEC", Operand{}, link)
	upper.More = true
	in.Src = append(append(in.Src, upper), registers...)
	return in
}

// guarded tells whether the first argument of the end of a block is its predicate.
func (v *value) guarded() bool { return v.inst != nil && v.inst.Guard.Slot >= 0 }

// keepAcross finds registers for what lives through the whole function: the return address where it calls others and is known to its callers,
// and the descriptor of global memory.
func (s *selector) keepAcross() {
	s.globalDescriptor = descriptorRegister
	s.eachValue(func(v *value) {
		s.callsOthers = s.callsOthers || v.op == opCall
		if v.op == opCall && v.call.abi {
			s.globalDescriptor = abiUniform
		}
	})
	if s.fn.Index > 0 && s.callsOthers && !s.convention.abi {
		s.linkSaved = s.temp(32).Reg
	}
}
