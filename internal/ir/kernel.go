package ir

import (
	"errors"
	"fmt"
	"strings"

	"silica/internal/isa"
	"silica/ptx"
)

// ErrNoKernel is what Kernel wraps when the module has no such entry.
var ErrNoKernel = errors.New("no kernel")

// dynamicSharedAlign is the least alignment of dynamic shared memory.
const dynamicSharedAlign = 16

// Kernel lowers one entry and every function it can reach.
func (m *Module) Kernel(name string) (*Kernel, error) {
	entry := m.functions[name]
	if entry == nil || !entry.Entry || entry.Body == nil {
		return nil, fmt.Errorf("%w %q in %s, which has %s", ErrNoKernel, name, m.Source.File, strings.Join(m.Entries, ", "))
	}
	b := m.newBuilder(entry)
	for i, f := range b.reached.functions {
		fn, err := b.lower(f, i)
		if err != nil {
			return nil, err
		}
		b.kernel.Funcs = append(b.kernel.Funcs, fn)
	}
	if limit := b.kernel.MaxRegisters; limit > 0 {
		b.kernel.LiveRegisters = min(b.kernel.LiveRegisters, limit)
	}
	for _, f := range b.kernel.Funcs {
		f.Frame.Local = alignUp(f.Frame.Local, b.alignment)
	}
	if err := b.checkMemory(); err != nil {
		return nil, err
	}
	return b.kernel, nil
}

// checkMemory reports static shared memory and local memory beyond what ptxas takes.
func (b *builder) checkMemory() error {
	tooMuch := func(f *ptx.Function, what string, bytes, most int) error {
		return b.module.errorf(f.Pos, "the %s of %s have %d bytes: at most %d are possible", what, f.Name, bytes, most)
	}
	if n := b.kernel.StaticShared; n > ptx.MaxStaticShared {
		return tooMuch(b.reached.functions[0], "static shared variables", n, ptx.MaxStaticShared)
	}
	for i, f := range b.kernel.Funcs {
		if n := f.Frame.Local; n > ptx.MaxLocal {
			return tooMuch(b.reached.functions[i], "local variables", n, ptx.MaxLocal)
		}
	}
	return nil
}

// builder is the state of lowering one kernel.
type builder struct {
	module  *Module
	kernel  *Kernel
	reached reached
	index   map[*ptx.Function]int // in Kernel.Funcs
	// entryParams and shared hold the offsets of the entry's parameters and of shared variables.
	entryParams, shared map[*ptx.Variable]int
	// alignment is the largest of any variable in local memory: frames are multiples of it.
	alignment int
}

// newBuilder finds what an entry reaches and lays out its parameters and shared variables.
func (m *Module) newBuilder(entry *ptx.Function) *builder {
	b := &builder{
		module:      m,
		kernel:      &Kernel{Name: entry.Name, Module: m},
		reached:     m.reach(entry),
		index:       map[*ptx.Function]int{},
		entryParams: map[*ptx.Variable]int{},
		shared:      map[*ptx.Variable]int{},
		alignment:   frameAlign,
	}
	for i, f := range b.reached.functions {
		b.index[f] = i
	}
	b.layoutParams(entry)
	b.layoutShared()
	b.applyDirectives(entry)
	return b
}

// problem records why the kernel can not run.
func (b *builder) problem(pos ptx.Pos, format string, args ...any) {
	b.kernel.Unsupported = append(b.kernel.Unsupported, Problem{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

func (b *builder) layoutParams(entry *ptx.Function) {
	k := b.kernel
	for _, v := range entry.Params {
		p := paramOf(v)
		k.ParamBytes = alignUp(k.ParamBytes, p.Align)
		p.Offset = k.ParamBytes
		b.entryParams[v] = p.Offset
		k.ParamBytes += p.Size
		k.Params = append(k.Params, p)
	}
}

// paramOf returns the size and alignment of a parameter, at offset 0.
func paramOf(v *ptx.Variable) Param {
	l := layoutOf(v)
	return Param{Name: v.Name, Type: v.Type, Size: l.size, Align: l.align}
}

// covering returns a place that is at least as large and as aligned as both.
func (p Param) covering(q Param) Param {
	p.Size, p.Align = max(p.Size, q.Size), max(p.Align, q.Align)
	return p
}

// layoutShared places the reachable shared variables: those of the module in source order, then those
// of the functions. All dynamic ones start at the same address.
func (b *builder) layoutShared() {
	k := b.kernel
	dynamic := dynamicSharedAlign
	place := func(v *ptx.Variable) {
		if v.Space != isa.Shared || !b.reached.shared[v] {
			return
		}
		l := layoutOf(v)
		if v.Linkage == ptx.Extern {
			dynamic = max(dynamic, l.align)
			return
		}
		k.StaticShared = alignUp(k.StaticShared, l.align)
		b.shared[v] = k.StaticShared
		k.SharedVars = append(k.SharedVars, SharedVar{Name: v.Name, Offset: k.StaticShared, Size: l.size})
		k.StaticShared += l.size
	}
	for _, d := range b.module.Source.Decls {
		if v, ok := d.(*ptx.Variable); ok && b.module.variable(v) == v {
			place(v)
		}
	}
	for _, f := range b.reached.functions {
		eachVariable(f.Body, place)
	}
	k.DynamicSharedBase = alignUp(k.StaticShared, dynamic)
	for v := range b.reached.shared {
		if v.Linkage == ptx.Extern {
			b.shared[v] = k.DynamicSharedBase
		}
	}
}

// applyDirectives takes the performance-tuning directives over.
func (b *builder) applyDirectives(entry *ptx.Function) {
	k := b.kernel
	for _, d := range entry.Directives {
		switch d.Name {
		case ".maxntid":
			k.MaxThreads = extent(d.Args)
		case ".reqntid":
			k.RequiredThreads = extent(d.Args)
		case ".reqnctapercluster":
			k.Cluster = extent(d.Args)
		case ".maxclusterrank":
			k.MaxClusterBlocks = first(d.Args)
		case ".minnctapersm", ".maxnctapersm":
			k.MinBlocks = first(d.Args)
		case ".maxnreg":
			k.MaxRegisters = first(d.Args)
		}
	}
}

// extent fills the dimensions that were left out with 1.
func extent(args []int) [3]int {
	e := [3]int{1, 1, 1}
	copy(e[:], args)
	return e
}

func first(args []int) int {
	if len(args) == 0 {
		return 0
	}
	return args[0]
}

// alignUp rounds n up to a multiple of a.
func alignUp(n, a int) int {
	if a <= 1 {
		return n
	}
	return (n + a - 1) / a * a
}

// lower takes one function through all passes.
func (b *builder) lower(f *ptx.Function, index int) (*Func, error) {
	v, err := b.analyse(f, index)
	if err != nil {
		return nil, err
	}
	b.kernel.LiveRegisters = max(b.kernel.LiveRegisters, v.liveRegisters)
	v.assignRows()
	return v.Func, nil
}

// virtual is a function whose operands are still virtual registers.
type virtual struct {
	*Func
	*collector
	ranges        []liveRange // of the registers
	liveRegisters int
}

// analyse takes a function through the passes before rows.
func (b *builder) analyse(f *ptx.Function, index int) (*virtual, error) {
	c, err := b.collect(f, index)
	if err != nil {
		return nil, err
	}
	fn := &Func{Name: f.Name, Index: index, Pos: f.Pos, Params: c.params, Returns: c.returns}
	fn.Frame.Local = c.localSize
	g := newFlow(c.code, c.jump)
	g.layout()
	fn.Code, fn.Blocks = g.emit()
	t := newTrees(fn)
	for i := range fn.Blocks {
		fn.Blocks[i].PostDominator = t.postDominator[i]
	}
	propagateCopies(fn, c, t)
	l := newLiveness(fn, c.registers)
	l.dropDead()
	v := &virtual{Func: fn, collector: c, ranges: l.ranges(), liveRegisters: l.estimate()}
	v.coalesce(g.depths())
	return v, nil
}
