package sass

import (
	"slices"

	"silica/internal/ir"
	"silica/internal/isa"
)

// convention is how a function and those that call it hand each other values. Parameters and results lie in registers from R4 on, a word
// each, those of 64 bits in even pairs; what does not fit or whose address is taken lies in local memory.
//
// A function that is only called by name and does not call itself knows all its callers: they keep what it overwrites in other
// registers, and it returns through the register behind its parameters. The others follow the rules of the ABI, by which a function
// leaves some registers as they were and returns through R20.
type convention struct {
	abi             bool
	params, results [][]word // of each parameter; empty when it lies in local memory
	link            int      // the first of the two registers with the return address
	// overwrites are the registers that a call changes, known when the function has been selected; diverges tells whether its lanes may
	// come back one after the other.
	overwrites map[OperandKind][]int
	diverges   bool
	// same are the parameters that are the same leaf in all calls: they are not passed. passed counts calls.
	same   map[int]*value
	passed int
}

// word is 32 bits of a parameter: their place in it and their register.
type word struct{ offset, register int }

// The registers of the ABI.
const (
	firstParam   = 4
	lastABIParam = 15
	abiLink      = 20
	// abiUniform is how many uniform registers a function may overwrite.
	abiUniform = 36
	// mostPassed is how many registers parameters take at most between functions that know each other.
	mostPassed = 96
)

// keptByABI tells whether a function has to leave a register as it was.
func keptByABI(register int) bool {
	return register == 2 || register >= 16 && register != abiLink && register != abiLink+1
}

// plan is who calls whom in a kernel, and how.
type plan struct {
	kernel *ir.Kernel
	own    []*convention // of each function
	// order lists the functions that the kernel reaches, each before those that it calls, as far as they know each other.
	order []int
	// memory are the words of each function's frame that parameters in local memory take.
	memory []map[int]bool
	calls  map[*ir.Call]*convention
}

// newPlan decides how the functions of a kernel call each other.
func newPlan(k *ir.Kernel) *plan {
	p := &plan{kernel: k, own: make([]*convention, len(k.Funcs)), memory: make([]map[int]bool, len(k.Funcs)), calls: map[*ir.Call]*convention{}}
	abi := p.byABI()
	p.sort()
	outside := p.inMemory(abi)
	for i, f := range k.Funcs {
		p.own[i] = newConvention(abi[i], f.Params, f.Returns, func(n int, result bool) bool { return outside[keyOf(abi[i], i, n, result, f)] })
		p.memory[i] = map[int]bool{}
	}
	for i := range k.Funcs {
		p.eachPlace(i, abi, func(key placeKey, at ir.Param) {
			if outside[key] {
				for w := at.Offset &^ 3; w < at.Offset+at.Size; w += 4 {
					p.memory[i][w] = true
				}
			}
		})
		eachCall(k.Funcs[i], func(c *ir.Call) {
			if c.Func >= 0 {
				p.calls[c] = p.own[c.Func]
				return
			}
			p.calls[c] = newConvention(true, c.Args, c.Results, func(n int, result bool) bool { return outside[keyOfCall(c, n, result)] })
		})
	}
	return p
}

func eachCall(f *ir.Func, visit func(c *ir.Call)) {
	for i := range f.Code {
		if c := f.Code[i].Call; c != nil {
			visit(c)
		}
	}
}

// byABI finds the functions that follow the rules of the ABI: those that call themselves, through others or not, and those whose
// address is taken.
func (p *plan) byABI() []bool {
	abi := make([]bool, len(p.kernel.Funcs))
	reaches := make([]set, len(p.kernel.Funcs))
	for i := range reaches {
		reaches[i] = newSet(len(reaches))
	}
	for i, f := range p.kernel.Funcs {
		for _, c := range f.Frame.Consts {
			if c.Kind == ir.ConstFunc {
				abi[c.Symbol] = true
			}
		}
		eachCall(f, func(c *ir.Call) {
			if c.Func >= 0 {
				reaches[i].add(c.Func)
			}
			for _, f := range c.Candidates {
				reaches[i].add(f)
				abi[f] = true
			}
		})
	}
	for changed := true; changed; {
		changed = false
		for i := range reaches {
			slices.Clone(reaches[i]).each(func(f int) { changed = reaches[i].join(reaches[f]) || changed })
		}
	}
	for i := range reaches {
		abi[i] = abi[i] || reaches[i].has(i)
	}
	return abi
}

// sort orders the functions so that callers come first.
func (p *plan) sort() {
	seen := make([]bool, len(p.kernel.Funcs))
	var visit func(i int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		eachCall(p.kernel.Funcs[i], func(c *ir.Call) {
			if c.Func >= 0 {
				visit(c.Func)
			}
		})
		p.order = append(p.order, i)
	}
	for i := range p.kernel.Funcs {
		visit(i)
	}
	slices.Reverse(p.order)
}

// placeKey names a parameter or result on both sides of calls: of a function that knows its callers, or of all functions by the ABI, by
// its place and size.
type placeKey struct {
	function, n, size int
	result            bool
}

func keyOf(abi bool, function, n int, result bool, f *ir.Func) placeKey {
	if !abi {
		return placeKey{function: function, n: n, result: result}
	}
	list := f.Params
	if result {
		list = f.Returns
	}
	return placeKey{function: -1, n: n, size: list[n].Size, result: result}
}

func keyOfCall(c *ir.Call, n int, result bool) placeKey {
	list := c.Args
	if result {
		list = c.Results
	}
	return placeKey{function: -1, n: n, size: list[n].Size, result: result}
}

// eachPlace lists the parameters in a function's frame: its own and those of calls.
func (p *plan) eachPlace(i int, abi []bool, visit func(key placeKey, at ir.Param)) {
	f := p.kernel.Funcs[i]
	for n, at := range f.Params {
		visit(keyOf(abi[i], i, n, false, f), at)
	}
	for n, at := range f.Returns {
		visit(keyOf(abi[i], i, n, true, f), at)
	}
	eachCall(f, func(c *ir.Call) {
		key := func(n int, result bool) placeKey {
			if c.Func >= 0 && !abi[c.Func] {
				return placeKey{function: c.Func, n: n, result: result}
			}
			return keyOfCall(c, n, result)
		}
		for n, at := range c.Args {
			visit(key(n, false), at)
		}
		for n, at := range c.Results {
			visit(key(n, true), at)
		}
	})
}

// inMemory finds the parameters that stay in local memory: those that do not fit, those that some function reaches by address or not by
// words, and those whose place in a frame is also one of these.
func (p *plan) inMemory(abi []bool) map[placeKey]bool {
	out := map[placeKey]bool{}
	odd := make([]map[int]bool, len(p.kernel.Funcs))
	for i, f := range p.kernel.Funcs {
		odd[i] = oddWords(f)
		p.tooMany(abi[i], f.Params, func(n int) { out[keyOf(abi[i], i, n, false, f)] = true })
		p.tooMany(abi[i], f.Returns, func(n int) { out[keyOf(abi[i], i, n, true, f)] = true })
		eachCall(f, func(c *ir.Call) {
			if c.Func < 0 || abi[c.Func] {
				p.tooMany(true, c.Args, func(n int) { out[keyOfCall(c, n, false)] = true })
				p.tooMany(true, c.Results, func(n int) { out[keyOfCall(c, n, true)] = true })
			}
		})
	}
	for changed := true; changed; {
		changed = false
		for i := range p.kernel.Funcs {
			p.eachPlace(i, abi, func(key placeKey, at ir.Param) {
				for w := at.Offset &^ 3; w < at.Offset+at.Size; w += 4 {
					switch {
					case out[key] && !odd[i][w]:
						odd[i][w], changed = true, true
					case !out[key] && odd[i][w]:
						out[key], changed = true, true
					}
				}
			})
		}
	}
	return out
}

// tooMany lists the parameters for which there are no registers.
func (p *plan) tooMany(abi bool, list []ir.Param, visit func(n int)) {
	last, next := mostPassed, firstParam
	if abi {
		last = lastABIParam
	}
	for n, at := range list {
		if end := afterParam(next, at); end <= last+1 {
			next = end
		} else {
			visit(n)
		}
	}
}

// afterParam is the register behind a parameter for which those from next on are free.
func afterParam(next int, at ir.Param) int {
	if at.Align >= 8 {
		next += next % 2
	}
	return next + (at.Size+3)/4
}

// oddWords are the words of a function's frame that are not reached as whole words of parameters: by address, or at other places than their beginning.
func oddWords(f *ir.Func) map[int]bool {
	odd := map[int]bool{}
	for _, c := range f.Frame.Consts {
		if c.Kind == ir.ConstLocal {
			odd[int(c.Value)&^3] = true
		}
	}
	for i := range f.Code {
		in := &f.Code[i]
		if (in.Op != isa.OpLoad && in.Op != isa.OpStore) || in.Addr.Space != isa.ParamFunc {
			continue
		}
		if !inFrame(f, in) {
			for _, at := range append(slices.Clone(f.Params), f.Returns...) {
				odd[at.Offset&^3] = true
			}
			continue
		}
		size := in.Mem.Type.Bytes()
		if size > 8 || in.Addr.Offset%4 != 0 {
			for w := int(in.Addr.Offset) &^ 3; w < int(in.Addr.Offset)+in.Mem.Bytes(); w += 4 {
				odd[w] = true
			}
		}
		if size < 4 && in.Mem.Bytes() > size { // elements of a vector that share a word
			odd[int(in.Addr.Offset)] = true
		}
	}
	return odd
}

// inFrame tells whether an access of a parameter has a fixed place in the frame.
func inFrame(f *ir.Func, in *ir.Inst) bool {
	return in.Addr.Base.Slot < 0 || in.Addr.Base == f.Frame.LocalBase
}

// newConvention gives parameters and results their registers.
func newConvention(abi bool, params, results []ir.Param, outside func(n int, result bool) bool) *convention {
	c := &convention{abi: abi, link: abiLink, same: map[int]*value{}}
	end := firstParam
	place := func(list []ir.Param, result bool) (out [][]word) {
		next := firstParam
		for n, at := range list {
			var words []word
			if !outside(n, result) {
				after := afterParam(next, at)
				for i := range (at.Size + 3) / 4 {
					words = append(words, word{4 * i, after - (at.Size+3)/4 + i})
				}
				next = after
			}
			out = append(out, words)
		}
		end = max(end, next)
		return out
	}
	c.params, c.results = place(params, false), place(results, true)
	if !abi {
		c.link = end + end%2
		return c
	}
	c.overwrites = map[OperandKind][]int{}
	for r := range abiLink + 2 {
		if !keptByABI(r) && r != 1 {
			c.overwrites[Register] = append(c.overwrites[Register], r)
		}
	}
	for r := range abiUniform {
		c.overwrites[UniformRegister] = append(c.overwrites[UniformRegister], r)
	}
	for r := range predicates {
		c.overwrites[Predicate] = append(c.overwrites[Predicate], r)
	}
	return c
}

// predicates is the number of predicates that can be written.
const predicates = 7

// pass notes what the calls of a function that was prepared give those that know it.
func (p *plan) pass(g *graph) {
	g.eachValue(func(v *value) {
		if v.op != opCall || v.call.abi {
			return
		}
		c := v.call
		first := c.passed == 0
		c.passed++
		i := 0
		for _, words := range c.params {
			for _, w := range words {
				a := v.args[i]
				i++
				switch old := c.same[w.register]; {
				case first && (a.isConst() || a.op == opParam || a.op == opShared):
					c.same[w.register] = a
				case old != nil && (old.op != a.op || old.imm != a.imm || old.bits != a.bits || old.name != a.name):
					delete(c.same, w.register)
				}
			}
		}
	})
}

// selected notes what a function that was selected overwrites.
func (c *convention) selected(fn *Func) {
	c.diverges = fn.diverges
	if c.abi {
		return
	}
	taken := map[OperandKind]map[int]bool{Register: {}, UniformRegister: {}, Predicate: {}}
	fn.eachInst(func(in *Inst) {
		for _, o := range in.Dst {
			if of := taken[o.Kind]; of != nil && o.Reg >= 0 {
				for i := range max(o.Words, 1) {
					of[o.Reg+i] = true
				}
			}
		}
	})
	c.overwrites = map[OperandKind][]int{}
	for kind, of := range taken {
		for r := range of {
			c.overwrites[kind] = append(c.overwrites[kind], r)
		}
		slices.Sort(c.overwrites[kind])
	}
}
