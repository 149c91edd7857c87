package ir

import (
	"fmt"
	"slices"

	"silica/internal/isa"
	"silica/ptx"
)

// load makes a module from PTX text.
func load(name, text string) (*Module, error) {
	m, err := ptx.Load(name, []byte(text))
	if err != nil {
		return nil, err
	}
	return NewModule(m)
}

// checkKernel lowers a kernel and checks everything that holds for any kernel. It returns the number of
// blocks whose post-dominator stands before them.
func checkKernel(m *Module, name string) (k *Kernel, early int, err error) {
	if k, err = m.Kernel(name); err != nil {
		return nil, 0, err
	}
	b := m.newBuilder(m.functions[name])
	for i, f := range b.reached.functions {
		final := k.Funcs[i]
		if final.Name != f.Name || final.Index != i {
			return k, 0, fmt.Errorf("function %d is %s, want %s", i, final.Name, f.Name)
		}
		if err := checkRanges(final); err != nil {
			return k, 0, fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := checkFlow(final); err != nil {
			return k, 0, fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := checkOverlap(b, f, i, final); err != nil {
			return k, 0, fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := checkTrace(b, f, i, final); err != nil {
			return k, 0, fmt.Errorf("%s: %w", f.Name, err)
		}
		for n, block := range final.Blocks {
			if block.PostDominator <= n {
				early++
			}
		}
	}
	return k, early, nil
}

// checkRanges checks that every operand is an aligned row of the frame, and that no row belongs to both narrow and
// wide registers.
func checkRanges(fn *Func) error {
	wide := map[int]bool{}
	fixed := map[Operand]bool{}
	check := func(o Operand) error {
		switch {
		case o.Slot < 0:
			return nil
		case o.Bits == 1:
			if o.Slot >= fn.Frame.Preds {
				return fmt.Errorf("predicate %d of %d", o.Slot, fn.Frame.Preds)
			}
			return nil
		case o.Negate:
			return fmt.Errorf("row %d is negated", o.Slot)
		case rowsOf(o.Bits) == 0 || o.Slot%rowsOf(o.Bits) != 0 || o.Slot+rowsOf(o.Bits) > fn.Frame.Rows:
			return fmt.Errorf("row %d of %d with %d bits", o.Slot, fn.Frame.Rows, o.Bits)
		}
		for row := o.Slot; row < o.Slot+rowsOf(o.Bits); row++ {
			if w, ok := wide[row]; ok && w != (o.Bits > 32) {
				return fmt.Errorf("row %d belongs to narrow and wide registers", row)
			}
			wide[row] = o.Bits > 32
		}
		return nil
	}
	for _, k := range fn.Frame.Consts {
		fixed[key(k.Row)] = true
	}
	for _, s := range fn.Frame.Specials {
		fixed[key(s.Row)] = true
	}
	if len(fixed) != len(fn.Frame.Consts)+len(fn.Frame.Specials) {
		return fmt.Errorf("constants and special registers share rows")
	}
	for pc := range fn.Code {
		in := &fn.Code[pc]
		var err error
		in.eachSource(func(o *Operand) {
			if e := check(*o); e != nil {
				err = e
			}
		})
		for _, d := range in.Dst {
			if e := check(d); e != nil {
				err = e
			}
			if d.Slot >= 0 && fixed[key(d)] {
				err = fmt.Errorf("a constant or special register is written")
			}
		}
		if err != nil {
			return fmt.Errorf("instruction %d: %w", pc, err)
		}
	}
	return nil
}

// checkFlow checks that blocks tile the code and that control stays inside.
func checkFlow(fn *Func) error {
	start := map[int]int{}
	end := 0
	for b, block := range fn.Blocks {
		if block.Start != end || block.End <= block.Start {
			return fmt.Errorf("block %d is %d:%d after %d", b, block.Start, block.End, end)
		}
		start[block.Start], end = b, block.End
	}
	if end != len(fn.Code) {
		return fmt.Errorf("blocks end at %d of %d", end, len(fn.Code))
	}
	for b, block := range fn.Blocks {
		for pc := block.Start; pc < block.End-1; pc++ {
			if in := &fn.Code[pc]; in.Next != pc+1 || leaves(in.Op) || in.Op == isa.OpCall {
				return fmt.Errorf("instruction %d goes on to %d inside a block", pc, in.Next)
			}
		}
		last := &fn.Code[block.End-1]
		targets := slices.Clone(last.Targets)
		if last.Op == isa.OpBranch {
			targets = append(targets, last.Target)
		}
		if last.Next >= 0 {
			targets = append(targets, last.Next)
		}
		if ends(last) != (last.Next < 0) {
			return fmt.Errorf("instruction %d goes on to %d", block.End-1, last.Next)
		}
		for _, t := range targets {
			s, ok := start[t]
			if !ok || !slices.Contains(block.Succs, s) {
				return fmt.Errorf("block %d goes to instruction %d, which starts no successor", b, t)
			}
		}
	}
	return nil
}

// checkOverlap checks that two different registers of one instruction share no row, unless the
// destination may take the row of a source over.
func checkOverlap(b *builder, f *ptx.Function, index int, final *Func) error {
	virtual, err := b.analyse(f, index)
	if err != nil {
		return err
	}
	for pc := range virtual.Code {
		v, r := operandsOf(&virtual.Code[pc]), operandsOf(&final.Code[pc])
		for i := range v {
			for j := range v[:i] {
				if v[i].Slot < 0 || v[j].Slot < 0 || v[i].Slot == v[j].Slot || (v[i].Bits == 1) != (v[j].Bits == 1) {
					continue
				}
				size := func(o Operand) int { return max(rowsOf(o.Bits), 1) }
				takesOver := j == 0 && shares(&final.Code[pc]) == v[j].Bits && v[i].Bits == v[j].Bits && r[i].Slot == r[j].Slot
				if !takesOver && r[i].Slot < r[j].Slot+size(r[j]) && r[j].Slot < r[i].Slot+size(r[i]) {
					return fmt.Errorf("instruction %d: two registers share row %d", pc, r[i].Slot)
				}
			}
		}
	}
	return nil
}

// operandsOf returns all registers of an instruction.
func operandsOf(in *Inst) []Operand {
	list := slices.Clone(in.Dst)
	in.eachSource(func(o *Operand) { list = append(list, *o) })
	return list
}

// traceLimit is how many instructions checkTrace follows.
const traceLimit = 500

// checkTrace runs the code before and after all passes.
func checkTrace(b *builder, f *ptx.Function, index int, final *Func) error {
	c, err := b.collect(f, index)
	if err != nil {
		return err
	}
	want, got := sourceMachine(c), rowMachine(final)
	want.run(traceLimit)
	got.run(traceLimit)
	for i := range want.trace {
		if i >= len(got.trace) || got.trace[i] != want.trace[i] {
			return fmt.Errorf("execution differs at step %d", i)
		}
	}
	if len(got.trace) != len(want.trace) {
		return fmt.Errorf("execution goes on after step %d", len(want.trace))
	}
	return nil
}
