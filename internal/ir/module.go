package ir

import (
	"fmt"
	"slices"

	"silica/internal/isa"
	"silica/ptx"
)

// NewModule lays out the variables of a checked module. Errors are those of one initialiser and begin
// with file:line:col.
func NewModule(m *ptx.Module) (*Module, error) {
	out := &Module{
		Source:    m,
		Files:     map[int]string{},
		functions: map[string]*ptx.Function{},
		aliases:   map[string]string{},
		variables: map[string]*ptx.Variable{},
		global:    map[*ptx.Variable]int{},
		strings:   map[string]string{},
	}
	for _, d := range m.Decls {
		out.declare(d)
	}
	for _, d := range m.Decls {
		switch d := d.(type) {
		case *ptx.Variable:
			out.addGlobal(d)
		case *ptx.Function:
			if d.Body != nil {
				eachVariable(d.Body, out.addGlobal)
			}
		}
	}
	if err := out.initialise(); err != nil {
		return nil, err
	}
	out.findAddressed()
	return out, nil
}

// declare enters one declaration in the tables. A definition replaces earlier declarations.
func (m *Module) declare(d ptx.Decl) {
	switch d := d.(type) {
	case *ptx.Variable:
		if old := m.variables[d.Name]; old == nil || old.Linkage == ptx.Extern {
			m.variables[d.Name] = d
		}
	case *ptx.Function:
		if old := m.functions[d.Name]; old == nil || old.Body == nil {
			m.functions[d.Name] = d
		}
		if d.Entry && d.Body != nil {
			m.Entries = append(m.Entries, d.Name)
		}
	case *ptx.Alias:
		m.aliases[d.Name] = d.Target
	case *ptx.FileDirective:
		m.Files[d.Index] = d.Name
	case *ptx.Section:
		if d.Name == ".debug_str" {
			m.addStrings(d)
		}
	}
}

// function returns the definition that a name leads to (a declaration when there is none), or nil.
func (m *Module) function(name string) *ptx.Function {
	for range len(m.aliases) + 1 {
		target, ok := m.aliases[name]
		if !ok {
			break
		}
		name = target
	}
	return m.functions[name]
}

// variable returns the definition of a module-level variable that v declares, or v itself when it is
// declared in a function.
func (m *Module) variable(v *ptx.Variable) *ptx.Variable {
	if d := m.variables[v.Name]; d != nil && v.Linkage != ptx.Static {
		return d
	}
	return v
}

// globalIndex returns the index in Globals of a variable in global or constant memory.
func (m *Module) globalIndex(v *ptx.Variable) (int, bool) {
	i, ok := m.global[m.variable(v)]
	return i, ok
}

// addGlobal gives a variable its place in Globals when it lives in global or constant memory.
func (m *Module) addGlobal(v *ptx.Variable) {
	switch v.Space {
	case isa.Global, isa.Const, isa.Tex:
	default:
		return
	}
	if m.variable(v) != v {
		return
	}
	g := &Global{Name: v.Name, Space: v.Space, Linkage: v.Linkage, Type: v.Type}
	if v.Space == isa.Tex {
		g.Space = isa.Global
	}
	for _, a := range v.Attributes {
		g.Managed = g.Managed || a.Name == ".managed"
	}
	m.global[v] = len(m.Globals)
	m.globalVars = append(m.globalVars, v)
	m.Globals = append(m.Globals, g)
}

// initialise sizes the globals and computes their initial bytes.
func (m *Module) initialise() error {
	for i, g := range m.Globals {
		v := m.globalVars[i]
		layout := layoutOf(v)
		g.Size, g.Align = layout.size, layout.align
		switch {
		case v.Init == nil:
			continue
		case v.Type.Kind() == isa.Opaque:
			g.Fields = fields(v.Init)
			continue
		}
		if err := m.fill(g, v, layout); err != nil {
			return err
		}
	}
	return nil
}

// fieldValues numbers the values of members of texture kinds (PTX ISA, "Texture Sampler and Surface Types").
var fieldValues = map[string]uint64{
	"nearest": 0, "linear": 1, "wrap": 0, "mirror": 1, "clamp_ogl": 2, "clamp_to_edge": 3, "clamp_to_border": 4,
}

// fields reads the members that initialise a texture, sampler or surface reference.
func fields(init *ptx.Init) map[string]uint64 {
	out := map[string]uint64{}
	for _, item := range init.List {
		switch v := item.Value.(type) {
		case *ptx.Immediate:
			out[item.Field] = v.Bits
		case *ptx.AddressOf:
			out[item.Field] = fieldValues[v.Name]
		}
	}
	return out
}

// findAddressed collects the functions whose address is taken anywhere in the module, in source order, and finds out how
// much a parameter of open size may be given.
func (m *Module) findAddressed() {
	taken := map[*ptx.Function]bool{}
	take := func(name string) {
		if f := m.function(name); f != nil {
			taken[f] = true
		}
	}
	for _, g := range m.Globals {
		for _, r := range g.Relocs {
			if r.Symbol.Func != "" {
				take(r.Symbol.Func)
			}
		}
	}
	for _, d := range m.Source.Decls {
		if f, ok := d.(*ptx.Function); ok && f.Body != nil {
			s := scanBody(f.Body)
			m.openParam = m.openParam.covering(s.argument)
			for _, name := range s.addressed {
				take(name)
			}
		}
	}
	for _, d := range m.Source.Decls {
		if f, ok := d.(*ptx.Function); ok && taken[f] && f.Body != nil && !f.Entry {
			m.addressed = append(m.addressed, f)
		}
	}
}

// AddressOf returns the address of a function or kernel whose address is taken somewhere in the module.
func (m *Module) AddressOf(name string) (uint64, bool) {
	if i := slices.Index(m.Entries, name); i >= 0 {
		return EntryAddress(i), true
	}
	i, ok := m.FuncIndex(name)
	return FuncAddress(i), ok
}

// FuncIndex returns the index in Kernel.Funcs of a function whose address is taken somewhere in the
// module: the same in every kernel that has it, so that FuncAddress of it may stand in memory.
func (m *Module) FuncIndex(name string) (int, bool) {
	f := m.function(name)
	for i, a := range m.addressed {
		if a == f {
			return i + 1, true // after the entry
		}
	}
	return 0, false
}

// errorf returns a diagnostic at a place in the source.
func (m *Module) errorf(pos ptx.Pos, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", m.Source.File, pos.Line, pos.Col, fmt.Sprintf(format, args...))
}
