package sass

import (
	"iter"
	"math"
	"slices"
	"sort"
)

// placeLeaves loads what was wanted from the constant bank, special registers and numbers.
func (s *selector) placeLeaves() {
	var leaves []*value
	for v := range s.leafUse {
		leaves = append(leaves, v)
	}
	sort.Slice(leaves, func(i, j int) bool { return leaves[i].id < leaves[j].id })
	var shared []*value
	for _, v := range leaves {
		switch {
		case v.op == opShared:
			shared = append(shared, v)
		case inBank(v):
			s.loadBank(v)
		case v.op == opSpecial && v.name == "frame":
		case v.op == opSpecial:
			s.loadSpecial(v)
		case v.op == opGlobal:
			s.prepend(s.common(s.leafUse[v]), s.single("LDC", ".64", v))
		default:
			s.loadNumber(v)
		}
	}
	s.loadShared(shared)
	s.mergeBankLoads()
}

// single makes the one instruction that loads a leaf.
func (s *selector) single(name, mods string, v *value) *Inst {
	s.seq, s.at = nil, nil
	d := s.dst(v)
	if name == "ULDC" || name == "S2UR" {
		d.Kind = UniformRegister
	}
	in := s.emit(name, mods, d)
	switch {
	case v.isConst():
		in.Src = []Operand{{Kind: Immediate, Value: v.imm}}
	case v.op == opSpecial && !inBank(v):
		in.Src = []Operand{{Kind: SpecialRegister, Name: v.name}}
	case v.op == opGlobal:
		in.Src = []Operand{{Kind: ConstantBank, Bank: 4, Words: 2}}
	default:
		in.Src = []Operand{s.bank(v)}
	}
	s.seq = nil
	return in
}

// prepend puts an instruction at the beginning of a block; code is kept backwards.
func (s *selector) prepend(b *block, in *Inst) { s.code[b] = append(s.code[b], in) }

// common is the block that dominates all uses, out of loops.
func (s *selector) common(uses []leafUse) *block {
	b := uses[0].block
	for _, u := range uses[1:] {
		b = intersect(b, u.block)
	}
	for b.loop != nil {
		b = b.loop.preheader()
	}
	return b
}

func (s *selector) loadNumber(v *value) {
	for b := range s.places(v, false) {
		for i := range max(v.bits/32, 1) {
			in := s.single("MOV", "", v)
			if v.bits == 64 {
				in.Dst[0].Part, in.Src[0].Value = i, v.imm>>(32*i)&math.MaxUint32
			}
			s.prepend(b, in)
		}
	}
}

func (s *selector) loadSpecial(v *value) {
	name := "S2R"
	uniform := uniformSpecial(v.name)
	for _, u := range s.leafUse[v] {
		uniform = uniform && u.uniform
	}
	if uniform {
		name = "S2UR"
	} else {
		s.inRegister(v)
	}
	s.prepend(s.common(s.leafUse[v]), s.single(name, "", v))
}

// inRegister makes every operand that reads a leaf a general register.
func (s *selector) inRegister(v *value) {
	for _, code := range s.code {
		for _, in := range code {
			for i := range in.Src {
				if in.Src[i].Kind == UniformRegister && in.Src[i].Reg == v.id {
					in.Src[i].Kind = Register
				}
			}
		}
	}
}

// places lists the blocks in which a leaf is made, and whether for the uniform datapath: ptxas makes it anew rather than keep it over a loop.
// What takes a load is made in front of a loop of one block.
func (s *selector) places(v *value, loaded bool) iter.Seq2[*block, bool] {
	return func(yield func(*block, bool) bool) {
		placed := map[bool][]*block{}
		uses := slices.Clone(s.leafUse[v])
		sort.SliceStable(uses, func(i, j int) bool { return uses[i].block.order < uses[j].block.order })
		seen := map[leafUse]bool{}
		for _, u := range uses {
			if seen[u] {
				continue
			}
			seen[u] = true
			b := u.block
			for loaded && b.loop != nil && s.hoists(b.loop) {
				b = b.loop.preheader()
			}
			done := false
			for _, p := range placed[u.uniform] {
				done = done || p == b || p.dominates(b) && p.loop == b.loop
			}
			if done {
				continue
			}
			placed[u.uniform] = append(placed[u.uniform], b)
			if !yield(b, u.uniform) {
				return
			}
		}
	}
}

// hoists tells whether what takes a load is made in front of a loop: of those that have no other in them, from Blackwell on of all.
func (s *selector) hoists(l *loop) bool {
	return s.arch.SM >= 100 || !slices.ContainsFunc(s.loops, func(inner *loop) bool { return inner.outer == l })
}

// loadBank loads a parameter in each block that wants it.
func (s *selector) loadBank(v *value) {
	for b, uniform := range s.places(v, s.arch.loadsConstants()) {
		name, mods := "LDC", ""
		switch {
		case !s.arch.loadsConstants():
			name = "MOV"
		case uniform:
			name = "ULDC"
		}
		if v.bits == 64 {
			if name == "MOV" {
				upper := s.single("MOV", "", v)
				upper.Dst[0].Part, upper.Src[0].Part = 1, 1
				s.prepend(b, upper)
			} else {
				mods = ".64"
			}
		}
		s.prepend(b, s.single(name, mods, v))
	}
}

// mergeBankLoads makes one load of two of neighbouring words.
func (s *selector) mergeBankLoads() {
	if !s.arch.loadsConstants() {
		return
	}
	for b, code := range s.code {
		at := map[Operand]int{}
		drop := map[int]bool{}
		for i, in := range code {
			if in.Op.Name != "ULDC" || in.Mods != "" {
				continue
			}
			src := in.Src[0]
			other := src
			other.Value ^= 4
			if j, ok := at[other]; ok && src.Value%8+other.Value%8 == 4 {
				code[j].Mods = ".64"
				code[j].Src[0].Value &^= 4
				lower, upper := code[j].Dst[0], in.Dst[0]
				if src.Value&4 == 0 {
					lower, upper = upper, lower
				}
				upper.More = true
				code[j].Dst = []Operand{lower, upper}
				drop[i] = true
				continue
			}
			at[src] = i
		}
		if len(drop) == 0 {
			continue
		}
		var keep []*Inst
		for i, in := range code {
			if !drop[i] {
				keep = append(keep, in)
			}
		}
		s.code[b] = keep
	}
}

// loadShared makes addresses of shared memory: the window of the block in its cluster and the offset.
func (s *selector) loadShared(leaves []*value) {
	if len(leaves) == 0 {
		return
	}
	var all []leafUse
	for _, v := range leaves {
		all = append(all, s.leafUse[v]...)
	}
	at := s.common(all)
	s.at, s.seq = nil, nil
	window, base := s.uniformTemp(), s.uniformTemp()
	rank := s.emit("S2UR", "", window, Operand{Kind: SpecialRegister, Name: "%cgactaid"})
	number := s.emit("UMOV", "", base, Operand{Kind: Immediate, Value: 0x400})
	var rest []*Inst
	for _, v := range leaves {
		from := base
		if v.imm != 0 {
			from = s.uniformTemp()
			rest = append(rest, s.emit("UIADD3", "", from, base, Operand{Kind: Immediate, Value: v.imm}))
		}
		d := s.dst(v)
		d.Kind = UniformRegister
		rest = append(rest, s.emit("ULEA", "", d, window, from, Operand{Kind: Immediate, Value: 24}))
	}
	s.seq = nil
	for i := len(rest) - 1; i >= 0; i-- {
		s.prepend(at, rest[i])
	}
	s.prepend(at, number)
	s.prepend(at, rank)
}

// uniformTemp is a new uniform register.
func (s *selector) uniformTemp() Operand {
	o := s.temp(32)
	o.Kind = UniformRegister
	return o
}

// descriptorRegister is the first of the two uniform registers with the descriptor of global memory in functions that call none by the ABI;
// others come behind it.
const descriptorRegister = 4

// prologue sets the stack pointer, and loads the descriptor of global memory where it is wanted first.
func (s *selector) prologue() {
	s.seq, s.at = nil, nil
	var uses []leafUse
	for b, code := range s.code {
		for _, in := range code {
			switch in.Op.Name {
			case "LDG", "STG", "LD", "ST", "ATOM", "ATOMG", "RED", "REDG", "LDGSTS":
				uses = append(uses, leafUse{block: b})
			}
		}
	}
	if len(uses) > 0 && s.arch.descriptor() != 0 {
		in := s.emit("ULDC", ".64", fixed(UniformRegister, s.globalDescriptor), Operand{Kind: ConstantBank, Value: s.arch.descriptor(), Words: 2})
		s.prepend(s.common(uses), in)
	}
	if s.linkSaved > 0 {
		s.prepend(s.blocks[0], s.emit("MOV", "", Operand{Kind: Register, Reg: s.linkSaved, Words: 1}, fixed(Register, s.convention.link)))
	}
	if s.fn.Index == 0 {
		name := "MOV"
		if s.arch.loadsConstants() {
			name = "LDC"
		}
		in := s.emit(name, "", Operand{Kind: Register, Reg: stackRegister, Words: 1}, Operand{Kind: ConstantBank, Value: s.arch.stackPointer(), Words: 1})
		s.prepend(s.blocks[0], in)
	}
	s.seq = nil
}
