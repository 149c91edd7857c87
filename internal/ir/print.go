package ir

import (
	"fmt"
	"io"
	"strings"

	"silica/internal/isa"
)

// String returns the listing that Fprint writes.
func (k *Kernel) String() string {
	var b strings.Builder
	k.Fprint(&b)
	return b.String()
}

// Fprint writes the kernel as text: its resources, then its functions with their frames and code, for
// tests and debugging. Rows are named by width, r0 (32 bits and less), rd2 (64), rq4 (128), p0 (predicate); a row that
// holds a constant or special register is shown as what it holds. An instruction that was
// added has a "+" before its number; "then N" follows where the next instruction is not the one below. Lines
// that begin with "#" give the source position of what follows.
func (k *Kernel) Fprint(w io.Writer) {
	fmt.Fprintf(w, "kernel %s\n", k.Name)
	printParams(w, "param", k.Params)
	for _, v := range k.SharedVars {
		fmt.Fprintf(w, "  shared %s @%d %d bytes\n", v.Name, v.Offset, v.Size)
	}
	fmt.Fprintf(w, "  params %d, static shared %d, dynamic at %d, barriers %d, registers %d\n",
		k.ParamBytes, k.StaticShared, k.DynamicSharedBase, k.Barriers, k.LiveRegisters)
	for _, limit := range []struct {
		name  string
		value [3]int
	}{{"max threads", k.MaxThreads}, {"required threads", k.RequiredThreads}, {"cluster", k.Cluster}} {
		if limit.value != [3]int{} {
			fmt.Fprintf(w, "  %s %d,%d,%d\n", limit.name, limit.value[0], limit.value[1], limit.value[2])
		}
	}
	if k.MinBlocks != 0 || k.MaxRegisters != 0 {
		fmt.Fprintf(w, "  min blocks %d, max registers %d\n", k.MinBlocks, k.MaxRegisters)
	}
	for _, p := range k.Unsupported {
		fmt.Fprintf(w, "  unsupported %d:%d: %s\n", p.Pos.Line, p.Pos.Col, p.Msg)
	}
	for _, f := range k.Funcs {
		p := newPrinter(w, k, f)
		p.function()
	}
}

func printParams(w io.Writer, kind string, params []Param) {
	for _, p := range params {
		fmt.Fprintf(w, "  %s %s %s @%d %d bytes\n", kind, p.Name, p.Type, p.Offset, p.Size)
	}
}

// printer writes one function.
type printer struct {
	w      io.Writer
	kernel *Kernel
	fn     *Func
	names  map[Operand]string // of constant and special rows, by Slot and whether they are predicates
	loc    *Loc               // of the instruction above
}

func newPrinter(w io.Writer, k *Kernel, f *Func) *printer {
	p := &printer{w: w, kernel: k, fn: f, names: map[Operand]string{}}
	for _, c := range f.Frame.Consts {
		p.names[key(c.Row)] = p.constant(c)
	}
	for _, s := range f.Frame.Specials {
		p.names[key(s.Row)] = s.Name
	}
	p.names[key(f.Frame.LocalBase)] = "base"
	p.names[key(f.Frame.LocalTop)] = "top"
	return p
}

// key tells rows and predicates apart.
func key(o Operand) Operand {
	if o.Bits != 1 {
		o.Bits = 0
	}
	o.Negate = false
	return o
}

func (p *printer) constant(c Const) string {
	name := ""
	switch c.Kind {
	case ConstValue, ConstShared:
		return fmt.Sprintf("%#x", c.Value)
	case ConstGlobal:
		name = p.kernel.Module.Globals[c.Symbol].Name
	case ConstFunc:
		name = p.kernel.Funcs[c.Symbol].Name
	case ConstLocal:
		name = "base"
	}
	if c.Value != 0 {
		name += fmt.Sprintf("+%d", int64(c.Value))
	}
	return "&" + name
}

func (p *printer) function() {
	f := p.fn
	fmt.Fprintf(p.w, "func %d %s: rows %d, predicates %d, local %d\n", f.Index, f.Name, f.Frame.Rows, f.Frame.Preds, f.Frame.Local)
	printParams(p.w, "param", f.Params)
	printParams(p.w, "return", f.Returns)
	if len(f.Frame.Zero) > 0 {
		fmt.Fprintf(p.w, "  zero %s\n", p.operands(f.Frame.Zero))
	}
	for b := range f.Blocks {
		block := &f.Blocks[b]
		fmt.Fprintf(p.w, "B%d -> %s, post-dominator %s\n", b, p.blocks(block.Succs), p.block(block.PostDominator))
		for pc := block.Start; pc < block.End; pc++ {
			p.instruction(pc, &f.Code[pc])
		}
	}
}

func (p *printer) block(b int) string {
	if b == len(p.fn.Blocks) {
		return "exit"
	}
	return fmt.Sprintf("B%d", b)
}

func (p *printer) blocks(list []int) string {
	if len(list) == 0 {
		return "exit"
	}
	names := make([]string, len(list))
	for i, b := range list {
		names[i] = p.block(b)
	}
	return strings.Join(names, " ")
}

func (p *printer) instruction(pc int, in *Inst) {
	if in.Loc != nil && in.Loc != p.loc {
		fmt.Fprintf(p.w, "       # %s\n", in.Loc)
	}
	p.loc = in.Loc
	mark := " "
	if in.Synthetic {
		mark = "+"
	}
	fmt.Fprintf(p.w, "%s%5d  ", mark, pc)
	if in.Guard.Slot >= 0 {
		fmt.Fprintf(p.w, "@%s ", p.operand(in.Guard))
	}
	fmt.Fprint(p.w, in.Form.Name())
	var parts []string
	if len(in.Dst) > 0 {
		parts = append(parts, p.operands(in.Dst)+" =")
	}
	if in.Special != "" {
		parts = append(parts, in.Special)
	}
	if hasAddress(in) {
		parts = append(parts, p.address(in.Addr))
	}
	for _, a := range in.MoreAddrs {
		parts = append(parts, p.address(a))
	}
	if len(in.Src) > 0 {
		parts = append(parts, p.operands(in.Src))
	}
	if in.Call != nil {
		parts = append(parts, p.call(in.Call))
	}
	switch {
	case in.Op == isa.OpBranch:
		parts = append(parts, fmt.Sprintf("-> %d", in.Target))
	case len(in.Targets) > 0:
		parts = append(parts, fmt.Sprintf("-> %d", in.Targets))
	}
	if in.Next >= 0 && in.Next != pc+1 {
		parts = append(parts, fmt.Sprintf("then %d", in.Next))
	}
	if len(parts) > 0 {
		fmt.Fprintf(p.w, " %s", strings.Join(parts, " "))
	}
	fmt.Fprintln(p.w)
}

// hasAddress tells whether an instruction has a memory operand.
func hasAddress(in *Inst) bool {
	for _, a := range in.Form.Args {
		if a.Kind == isa.ArgAddress {
			return true
		}
	}
	return false
}

func (p *printer) address(a Addr) string {
	var parts []string
	if a.Base.Slot >= 0 {
		parts = append(parts, p.operand(a.Base))
	}
	if a.Offset != 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprint(a.Offset))
	}
	return fmt.Sprintf("%s[%s]", a.Space, strings.Join(parts, "+"))
}

func (p *printer) call(c *Call) string {
	var s string
	switch {
	case c.System != "":
		s = c.System
	case c.Func >= 0:
		s = p.kernel.Funcs[c.Func].Name
	case c.Target.Slot >= 0:
		s = fmt.Sprintf("%s of %d", p.operand(c.Target), c.Candidates)
	default:
		s = "undefined"
	}
	place := func(list []Param) string {
		places := make([]string, len(list))
		for i, a := range list {
			places[i] = fmt.Sprintf("%d:%d", a.Offset, a.Size)
		}
		return "(" + strings.Join(places, " ") + ")"
	}
	return fmt.Sprintf("%s %s %s", s, place(c.Args), place(c.Results))
}

func (p *printer) operands(list []Operand) string {
	names := make([]string, len(list))
	for i, o := range list {
		names[i] = p.operand(o)
	}
	return strings.Join(names, ", ")
}

func (p *printer) operand(o Operand) string {
	if o.Slot < 0 {
		return "_"
	}
	s, ok := p.names[key(o)]
	if !ok {
		switch o.Bits {
		case 1:
			s = fmt.Sprintf("p%d", o.Slot)
		case 64:
			s = fmt.Sprintf("rd%d", o.Slot)
		case 128:
			s = fmt.Sprintf("rq%d", o.Slot)
		default:
			s = fmt.Sprintf("r%d", o.Slot)
		}
	}
	if o.Negate {
		s = "!" + s
	}
	return s
}
