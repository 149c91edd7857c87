package sass

import (
	"slices"
	"sort"

	"silica/internal/ir"
)

// registerFile is the number of registers of a multiprocessor, of all architectures that are known here.
const registerFile = 65536

// registerLimit is the most registers that a thread of a kernel may have: what .maxnreg says, and what lets as many blocks
// of .maxntid threads be resident as .minnctapersm asks for.
func registerLimit(k *ir.Kernel, arch Arch) int {
	limit := architectureLimit
	if k.MaxRegisters > 0 {
		limit = min(limit, k.MaxRegisters)
	}
	if threads := mostThreads(k); k.MaxThreads[0] > 0 {
		limit = min(limit, registerFile/(threads*max(minBlocks(k, arch), 1))&^7)
	}
	return max(limit, 16)
}

// mostThreads is how many threads a block of the kernel has at most, in whole warps.
func mostThreads(k *ir.Kernel) int {
	threads := 1
	for _, n := range k.MaxThreads {
		threads *= max(n, 1)
	}
	for _, n := range k.RequiredThreads {
		threads = max(threads, n)
	}
	return (threads + 31) &^ 31
}

// minBlocks is how many blocks of the kernel have to be resident, 0 where it does not say so. ptxas ignores what a multiprocessor can not hold.
func minBlocks(k *ir.Kernel, arch Arch) int {
	if k.MaxThreads[0] == 0 || mostThreads(k)*k.MinBlocks > arch.threads() {
		return 0
	}
	return k.MinBlocks
}

// architectureLimit is the most registers that a thread may have.
const architectureLimit = 255

// RegisterLimit is the most registers that the kernel allows itself, 0 when it has no limit of its own.
func (p *Program) RegisterLimit() int {
	if limit := registerLimit(p.Kernel, p.Arch); limit < architectureLimit {
		return limit
	}
	return 0
}

// Spills are the bytes of registers that the code stores in local memory, and loads again, each instruction once.
func (p *Program) Spills() (stored, loaded int) {
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Code {
				switch {
				case in.Spills() && in.Op.Name == "STL":
					stored += in.spilledBytes()
				case in.Spills():
					loaded += in.spilledBytes()
				}
			}
		}
	}
	return stored, loaded
}

// Spills tells whether the instruction stores or loads a register that was spilled.
func (in *Inst) Spills() bool { return in.PC < 0 && (in.Op.Name == "LDL" || in.Op.Name == "STL") }

func (in *Inst) spilledBytes() int {
	if in.Mods == ".64" {
		return 8
	}
	return 4
}

// registerSteps are the numbers of registers that are tried: where a kernel says how many blocks have to be resident, first all that
// this leaves a thread.
func registerSteps(k *ir.Kernel, arch Arch) []int {
	if minBlocks(k, arch) > 0 {
		most := registerLimit(k, arch)
		return []int{most, max(most*3/4, 16), max(most/2, 16)}
	}
	first, _ := slices.BinarySearch(steps, arch.fullWarps())
	return steps[first:]
}

// spillRounds is how often spilling is tried.
const spillRounds = 4

// longLived is for how many instructions a register is kept within a block before it may be worth to spill it.
const longLived = 16

// fit numbers registers within a limit: what does not fit lives in local memory, is stored where it is written and loaded
// where it is read. level gives the loops around each block.
func (fn *Func) fit(limit int, level []int) int {
	n := fn.assign(limit, level)
	for round := 0; n > limit && round < spillRounds; round++ {
		fn.spill(n-limit, level)
		n = fn.assign(limit, level)
	}
	return min(n, limit)
}

// spill moves webs to local memory, those first that are read and written least for the code that they live over.
func (fn *Func) spill(words int, level []int) {
	p := fn.live(Register)
	cost, span := make([]float64, len(p.webs)), make([]float64, len(p.webs))
	grouped := newSet(len(p.webs))
	for i, b := range fn.Blocks {
		first := map[int]int{} // where registers are named in the block
		for at, in := range b.Code {
			n := p.named[in]
			for _, list := range [][]int{n.reads, n.writes} {
				for _, r := range list {
					cost[r] += weight(level[i])
					if begin, ok := first[r]; !ok {
						first[r] = at
					} else if !p.out[i].has(r) && at-begin >= longLived {
						span[r] += float64(at - begin)
						first[r] = at
					}
				}
			}
			if len(in.Dst) > 1 {
				for _, r := range n.writes {
					grouped.add(r)
				}
			}
		}
		p.out[i].each(func(r int) { span[r] += float64(len(b.Code)) + 1 })
	}
	var order []int
	for r, web := range p.webs {
		if span[r] > 0 && !grouped.has(r) && p.words[r] <= 2 && cost[r] > 0 && !fn.spilled[web] && web < firstFixed {
			order = append(order, r)
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return span[order[i]]/cost[order[i]] > span[order[j]]/cost[order[j]] })
	chosen := map[int]bool{}
	for _, r := range order {
		if words <= 0 {
			break
		}
		chosen[p.webs[r]] = true
		words -= p.words[r]
	}
	for _, b := range fn.Blocks {
		fn.rewrite(b, chosen)
	}
}

// rewrite stores and loads the chosen webs of a block.
func (fn *Func) rewrite(b *Block, chosen map[int]bool) {
	var out []*Inst
	for _, in := range b.Code {
		loaded := map[int]int{}
		for i := range in.Src {
			o := &in.Src[i]
			if o.Kind != Register && o.Kind != Address || o.Reg < 0 || !chosen[fn.webs.find(o.Reg)] {
				continue
			}
			web := fn.webs.find(o.Reg)
			if loaded[web] == 0 {
				loaded[web] = fn.newRegister(fn.webs.words[web])
				out = append(out, fn.local("LDL", web, loaded[web]))
			}
			o.Reg = loaded[web]
		}
		out = append(out, in)
		for i := range in.Dst {
			o := &in.Dst[i]
			if o.Kind != Register || o.Reg < 0 || !chosen[fn.webs.find(o.Reg)] {
				continue
			}
			web := fn.webs.find(o.Reg)
			o.Reg = fn.newRegister(fn.webs.words[web])
			store := fn.local("STL", web, o.Reg)
			store.Guard = in.Guard
			out = append(out, store)
		}
	}
	b.Code = out
}

// newRegister makes a web for one value between memory and its use.
func (fn *Func) newRegister(words int) int {
	fn.spills++
	r := firstSpill + fn.spills
	fn.webs.words[r] = max(words, 1)
	if fn.spilled == nil {
		fn.spilled = map[int]bool{}
	}
	fn.spilled[r] = true
	return r
}

// firstSpill is where the numbers of registers begin that spilling makes.
const firstSpill = 1 << 22

// local is a load or store of a web's place in local memory.
func (fn *Func) local(name string, web, register int) *Inst {
	mods := ""
	if fn.webs.words[web] == 2 {
		mods = ".64"
	}
	value := Operand{Kind: Register, Reg: register, Words: max(fn.webs.words[web], 1)}
	place := Operand{Kind: Address, Reg: stackRegister, Words: 1, Value: uint64(8 * (web & 0xfff))}
	in := &Inst{Op: Lookup(name), Mods: mods, Target: -1, PC: -1}
	if name == "LDL" {
		in.Dst, in.Src = []Operand{value}, []Operand{place}
	} else {
		in.Src = []Operand{place, value}
	}
	return in
}
