package ir

import (
	"silica/internal/isa"
	"silica/ptx"
)

// bodyScan is what a function body refers to.
type bodyScan struct {
	called    []string // direct callees
	addressed []string // functions whose address is taken
	indirect  bool     // has an indirect call
	shared    []*ptx.Variable
	argument  Param // as large and as aligned as any .param variable that it declares
}

// scanBody collects what a function body refers to, in source order.
func scanBody(body *ptx.Block) bodyScan {
	var s bodyScan
	s.block(body)
	return s
}

func (s *bodyScan) block(b *ptx.Block) {
	for _, st := range b.Body {
		switch st := st.(type) {
		case *ptx.Block:
			s.block(st)
		case *ptx.Targets:
			if st.Calls {
				for _, n := range st.Names {
					s.addressed = append(s.addressed, n.Name)
				}
			}
		case *ptx.Variable:
			if st.Space == isa.ParamFunc || st.Space == isa.ParamEntry {
				s.argument = s.argument.covering(paramOf(st))
			}
		case *ptx.Instruction:
			s.instruction(st)
		}
	}
}

func (s *bodyScan) instruction(in *ptx.Instruction) {
	if in.Opcode != "call" {
		for _, op := range in.Operands {
			s.operand(op)
		}
		return
	}
	c := callOperands(in)
	if c.callee != nil {
		if c.callee.Ref != nil && c.callee.Ref.Kind == ptx.SymFunc {
			s.called = append(s.called, c.callee.Name)
		} else {
			s.indirect = true
		}
	}
	for _, op := range c.arguments {
		s.operand(op)
	}
}

func (s *bodyScan) operand(op ptx.Operand) {
	switch op := op.(type) {
	case *ptx.Name:
		switch {
		case op.Ref == nil:
		case op.Ref.Kind == ptx.SymFunc && op.Ref.Func.Entry: // launched, not called
		case op.Ref.Kind == ptx.SymFunc:
			s.addressed = append(s.addressed, op.Name)
		case op.Ref.Var != nil && op.Ref.Var.Space == isa.Shared:
			s.shared = append(s.shared, op.Ref.Var)
		}
	case *ptx.Address:
		s.operand(op.Base)
		for _, r := range op.Rest {
			s.operand(r)
		}
	case *ptx.Vector:
		for _, e := range op.Elems {
			s.operand(e)
		}
	case *ptx.Pair:
		s.operand(op.Left)
		s.operand(op.Right)
	}
}

// callParts is a call taken apart.
type callParts struct {
	results, arguments []ptx.Operand
	callee             *ptx.Name
	table              *ptx.Name
}

// callOperands takes the operands of a call apart.
func callOperands(in *ptx.Instruction) callParts {
	var c callParts
	for _, op := range in.Operands {
		switch op := op.(type) {
		case *ptx.List:
			if c.callee == nil {
				c.results = op.Elems
			} else {
				c.arguments = op.Elems
			}
		case *ptx.Name:
			if c.callee == nil {
				c.callee = op
			} else {
				c.table = op
			}
		}
	}
	return c
}

// eachVariable calls visit for the variables that a body declares, in source order.
func eachVariable(b *ptx.Block, visit func(*ptx.Variable)) {
	for _, st := range b.Body {
		switch st := st.(type) {
		case *ptx.Block:
			eachVariable(st, visit)
		case *ptx.Variable:
			visit(st)
		}
	}
}

// reached is what a kernel can reach.
type reached struct {
	functions []*ptx.Function // the entry first, then the addressed ones, then direct callees
	shared    map[*ptx.Variable]bool
}

// reach finds the functions that an entry can reach. When it can call through an address, or takes one, all
// functions of the module whose address is taken follow the entry in the module's order, so that a
// function has the same address in every kernel.
func (m *Module) reach(entry *ptx.Function) reached {
	r := reached{functions: []*ptx.Function{entry}, shared: map[*ptx.Variable]bool{}}
	seen := map[*ptx.Function]bool{}
	direct := []*ptx.Function{entry}
	var callees []*ptx.Function
	byAddress := false
	for len(direct) > 0 {
		f := direct[0]
		direct = direct[1:]
		if seen[f] || f.Body == nil {
			continue
		}
		seen[f] = true
		if f != entry {
			callees = append(callees, f)
		}
		s := scanBody(f.Body)
		for _, name := range s.called {
			if callee := m.function(name); callee != nil {
				direct = append(direct, callee)
			}
		}
		for _, v := range s.shared {
			r.shared[m.variable(v)] = true
		}
		if (s.indirect || len(s.addressed) > 0) && !byAddress {
			byAddress = true
			direct = append(direct, m.addressed...)
		}
	}
	addressed := map[*ptx.Function]bool{}
	if byAddress {
		for _, f := range m.addressed {
			addressed[f] = true
			r.functions = append(r.functions, f)
		}
	}
	for _, f := range callees {
		if !addressed[f] {
			r.functions = append(r.functions, f)
		}
	}
	return r
}
