package ir

import (
	"fmt"

	"silica/ptx"
)

// Unresolved returns the calls of functions that are declared and that neither the module nor the engines define. A module that has
// one does not load, whether or not a kernel gets there.
func (m *Module) Unresolved() []Problem {
	var all []Problem
	for _, d := range m.Source.Decls {
		if f, ok := d.(*ptx.Function); ok && f.Body != nil {
			all = append(all, m.unresolved(f.Body)...)
		}
	}
	return all
}

func (m *Module) unresolved(b *ptx.Block) []Problem {
	var all []Problem
	for _, s := range b.Body {
		switch s := s.(type) {
		case *ptx.Block:
			all = append(all, m.unresolved(s)...)
		case *ptx.Instruction:
			if s.Opcode != "call" {
				continue
			}
			for _, o := range s.Operands {
				name, ok := o.(*ptx.Name)
				if !ok || name.Ref == nil || name.Ref.Kind != ptx.SymFunc {
					continue
				}
				f := m.function(name.Name)
				if f != nil && f.Body == nil && SystemFunction(f.Name) == "" {
					all = append(all, Problem{Pos: name.Pos, Msg: fmt.Sprintf("unresolved extern function %s: it is declared, and defined nowhere", f.Name)})
				}
				break // what follows are arguments
			}
		}
	}
	return all
}
