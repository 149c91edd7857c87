package sass

// withoutMoves leaves out moves to where a value is already that is handed over in a call.
func (fn *Func) withoutMoves() {
	for _, b := range fn.Blocks {
		keep := b.Code[:0]
		for _, in := range b.Code {
			if !fn.stays(in) {
				keep = append(keep, in)
			}
		}
		b.Code = keep
	}
}

// stays tells whether an instruction moves what is handed over in a call from a register to itself.
func (fn *Func) stays(in *Inst) bool {
	if in.Name() != "MOV" || len(in.Dst) != 1 || len(in.Src) != 1 || in.Dst[0].Kind != Register || in.Src[0].Kind != Register || in.Dst[0].Reg < 0 || in.Src[0].Reg < 0 {
		return false
	}
	to, from := in.Dst[0], in.Src[0]
	return max(to.Reg, from.Reg) >= firstFixed && fn.registers.at[fn.webs.find(to.Reg)]+to.Part == fn.registers.at[fn.webs.find(from.Reg)]+from.Part
}

// keepRegisters saves on the stack what a function by the ABI has to leave as it was and changes, and makes room for its frame; it
// restores them before it returns.
func (fn *Func) keepRegisters(local int, abi bool) {
	changed := map[int]bool{}
	if abi {
		fn.eachInst(func(in *Inst) {
			for _, o := range in.Dst {
				for i := range max(o.Words, 1) {
					if r := o.Reg + i; o.Kind == Register && o.Reg >= 0 && (keptByABI(r) || r == abiLink || r == abiLink+1) {
						changed[r] = true
					}
				}
			}
		})
	}
	size := (local + 4*len(changed) + 7) &^ 7
	if size == 0 {
		return
	}
	stack := Operand{Kind: Register, Reg: stackRegister, Words: 1}
	move := func(bytes int) *Inst {
		return &Inst{Op: Lookup("IADD3"), Dst: []Operand{stack}, Src: []Operand{stack, {Kind: Immediate, Value: uint64(uint32(bytes))}, zero}, Target: -1, PC: -1}
	}
	var store, load []*Inst
	for r, at := 0, local; r <= architectureLimit; r++ {
		if !changed[r] {
			continue
		}
		value, place := Operand{Kind: Register, Reg: r, Words: 1}, Operand{Kind: Address, Reg: stackRegister, Words: 1, Value: uint64(at)}
		store = append(store, &Inst{Op: Lookup("STL"), Src: []Operand{place, value}, Target: -1, PC: -1})
		load = append(load, &Inst{Op: Lookup("LDL"), Dst: []Operand{value}, Src: []Operand{place}, Target: -1, PC: -1})
		at += 4
	}
	entry := fn.Blocks[0]
	begin := 0
	for i, in := range entry.Code {
		if len(in.Dst) > 0 && in.Dst[0].Reg == stackRegister { // R1 is loaded first
			begin = i + 1
		}
	}
	entry.Code = append(append(entry.Code[:begin:begin], append([]*Inst{move(-size)}, store...)...), entry.Code[begin:]...)
	for _, b := range fn.Blocks {
		var out []*Inst
		for _, in := range b.Code {
			if in.Op.Name == "RET" {
				out = append(append(out, load...), move(size))
			}
			out = append(out, in)
		}
		b.Code = out
	}
}

// InstructionBytes is the size of a machine instruction.
const InstructionBytes = 16

// nameBarriers numbers the barriers of the lanes that go apart: a barrier is free again where they have met.
func (fn *Func) nameBarriers() {
	taken := map[int]int{} // by the block where lanes meet
	for i, b := range fn.Blocks {
		for _, in := range b.Code {
			switch in.Op.Name {
			case "BSSY":
				if n, ok := taken[in.Target]; ok {
					in.Barrier = n
					continue
				}
				used := map[int]bool{}
				for _, n := range taken {
					used[n] = true
				}
				for used[in.Barrier] {
					in.Barrier++
				}
				taken[in.Target] = in.Barrier
			case "BSYNC":
				in.Barrier = taken[i]
				delete(taken, i)
			}
		}
	}
}

// link writes the addresses behind calls, as functions lie behind each other.
func (p *Program) link() {
	at := uint64(0)
	for _, fn := range p.Funcs {
		var open []*Operand
		fn.eachInst(func(in *Inst) {
			at += InstructionBytes
			for i := range in.Src {
				if in.Src[i].Name == returns {
					open = append(open, &in.Src[i])
				}
			}
			if in.Op.Name == "CALL" {
				for _, o := range open {
					o.Value = at
				}
				open = nil
			}
		})
	}
}
