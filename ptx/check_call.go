package ptx

import (
	"fmt"

	"silica/internal/isa"
)

// semantics checks what the form alone does not tell: the space of a named variable, and the
// arguments of a call.
func (c *checker) semantics(in *Instruction) {
	c.addresses(in)
	switch in.Form.Row.Op {
	case isa.OpBranchIndexed:
		c.branchTable(in)
	case isa.OpCall:
		c.call(in)
	}
}

// addresses checks that the variables an instruction names lie in the spaces that it goes to.
func (c *checker) addresses(in *Instruction) {
	arg := 0
	for _, o := range in.Operands {
		switch o := o.(type) {
		case *Address:
			c.addressSpace(in, in.Form.Args[arg].Name, o)
		case *Name:
			if in.Form.Row.Op == isa.OpCvta {
				c.variableSpace(in, in.Form.Args[arg].Name, o)
			}
		case *Pair:
			arg++
		}
		arg++
	}
}

// addressSpace checks the base of an address. ptxas takes constants in local memory only.
func (c *checker) addressSpace(in *Instruction, operand string, a *Address) {
	switch base := a.Base.(type) {
	case *Name:
		c.variableSpace(in, operand, base)
	case *Immediate:
		if space, fixed := isa.AddressSpace(in.Form, operand); fixed && space != isa.Local {
			c.errs.add(in.Pos, "%s needs a register or a variable as address: a constant address is for .local", in.Form.Name())
		}
	}
}

// variableSpace checks that a name is no variable of another space than the operand's.
func (c *checker) variableSpace(in *Instruction, operand string, n *Name) {
	if n.Ref.Var == nil || n.Ref.Kind == SymRegister {
		return
	}
	have := n.Ref.Var.Space
	want, fixed := isa.AddressSpace(in.Form, operand)
	ok := true
	switch want {
	case isa.Generic:
		ok = !fixed || have == isa.Global || have == isa.Shared || have == isa.Local
	case isa.ParamEntry, isa.ParamFunc:
		ok = have == isa.ParamEntry || have == isa.ParamFunc
	case isa.SharedCluster:
		ok = have == isa.Shared
	default:
		ok = have == want
	}
	switch {
	case !ok:
		c.errs.add(n.Pos, "%s is in .%s, not in .%s as %s needs", n.Name, have, want, in.Form.Name())
	case have == isa.ParamEntry && in.Form.Row.Op == isa.OpStore:
		c.errs.add(n.Pos, "parameter %s of an .entry can only be read", n.Name)
	}
}

// branchTable checks that brx.idx names a .branchtargets.
func (c *checker) branchTable(in *Instruction) {
	for _, o := range in.Operands {
		if n, ok := o.(*Name); ok && n.Ref.Kind == SymTable {
			if t, ok := n.Ref.Table.(*Targets); !ok || t.Calls {
				c.errs.add(n.Pos, "%s needs a .branchtargets: %s is none", in.Form.Name(), n.Name)
			}
		}
	}
}

// signature is what a call is checked against.
type signature struct {
	name            string
	returns, params []*Variable
}

func signatureOf(f *Function) *signature { return &signature{f.Name, f.Returns, f.Params} }

// call checks results and arguments against the callee, or against the functions or the prototype
// that the table of an indirect call names.
func (c *checker) call(in *Instruction) {
	var results, args []Operand
	operands := in.Operands
	if l, ok := operands[0].(*List); ok {
		results, operands = l.Elems, operands[1:]
	}
	callee, ok := operands[0].(*Name)
	if !ok {
		return
	}
	var table *Name
	for _, o := range operands[1:] {
		switch o := o.(type) {
		case *List:
			args = o.Elems
		case *Name:
			table = o
		}
	}
	if s := c.signature(in, callee, table); s != nil {
		c.arguments(in, s, "result", results, s.returns)
		c.arguments(in, s, "argument", args, s.params)
	}
}

// signature returns what the call must agree with, or nil when that is not known.
func (c *checker) signature(in *Instruction, callee, table *Name) *signature {
	switch {
	case callee.Ref.Kind == SymFunc && callee.Ref.Func.Entry:
		c.errs.add(callee.Pos, "an .entry cannot be called: %s is one", callee.Name)
		return nil
	case callee.Ref.Kind == SymFunc:
		return signatureOf(callee.Ref.Func)
	case table == nil:
		c.errs.add(in.Pos, "an indirect call needs a .callprototype or .calltargets after its arguments")
		return nil
	}
	switch t := table.Ref.Table.(type) {
	case *Prototype:
		return &signature{t.Name, t.Returns, t.Params}
	case *Targets:
		if !t.Calls {
			c.errs.add(table.Pos, "an indirect call needs .calltargets: %s is a .branchtargets", table.Name)
			return nil
		}
		// The functions of a .calltargets are alike: targets sees to it.
		if sym := c.lookup(t.Names[0].Name); sym != nil && sym.Func != nil {
			return signatureOf(sym.Func)
		}
	}
	return nil
}

// arguments checks the arguments or results of a call against the formal parameters.
func (c *checker) arguments(in *Instruction, s *signature, what string, actual []Operand, formal []*Variable) {
	if n := len(formal); what == "argument" && len(actual) == n-1 && formal[n-1].open() {
		formal = formal[:n-1] // nothing is passed for variable arguments
	}
	if len(actual) != len(formal) {
		c.errs.add(in.Pos, "%s takes %d %s%s, found %d", s.name, len(formal), what, plural(len(formal)), len(actual))
		return
	}
	for i, o := range actual {
		if problem := argumentProblem(o, formal[i], what == "result"); problem != "" {
			c.errs.add(o.operandPos(), "%s %d of the call of %s: %s", what, i+1, s.name, problem)
		}
	}
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// argumentProblem tells why an argument does not fit a formal parameter, or "".
//
// By the manual's rules for call, a scalar parameter takes a register, a constant or a .param
// variable of its size; an array takes a .param variable of its size and alignment.
func argumentProblem(o Operand, formal *Variable, result bool) string {
	array := len(formal.Dims) > 0 || formal.Vector > 0
	if _, constant := o.(*Immediate); constant {
		switch {
		case result:
			return "a constant cannot take a result"
		case array:
			return "a constant cannot be passed for an array"
		}
		return ""
	}
	n, ok := o.(*Name)
	if !ok {
		return "a register, a constant or a .param variable is wanted"
	}
	switch n.Ref.Kind {
	case SymSink:
		return ""
	case SymParam:
		return paramProblem(n.Ref.Var, formal)
	case SymRegister:
		switch have := n.Ref.Var; {
		case array || have.Vector > 0 && n.Component == 0:
			return fmt.Sprintf("register %s cannot be passed for an array", n.Name)
		case have.Type.Bits() != formal.Type.Bits():
			return fmt.Sprintf("register %s is .%s, parameter %s is .%s", n.Name, have.Type, formal.Name, formal.Type)
		}
		return ""
	}
	return fmt.Sprintf("%s is a %s, neither register nor .param variable", n.Name, n.Ref.describe())
}

// paramProblem tells why a .param variable does not fit a formal parameter, or "".
func paramProblem(have, formal *Variable) string {
	bytes, _ := have.bytes()
	want, _ := formal.bytes()
	switch {
	case have.Space == isa.ParamEntry:
		return fmt.Sprintf("%s is a parameter of the .entry: copy it first", have.Name)
	case bytes != want && !formal.open():
		return fmt.Sprintf("%s has %d bytes, parameter %s has %d", have.Name, bytes, formal.Name, want)
	case have.align() < formal.align() && !formal.open():
		return fmt.Sprintf("%s is aligned to %d bytes, parameter %s to %d", have.Name, have.align(), formal.Name, formal.align())
	}
	return ""
}
