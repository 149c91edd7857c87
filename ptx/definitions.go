package ptx

import (
	"fmt"
	"slices"

	"silica/internal/isa"
)

// definitions are what the modules of a link define for each other, by name.
type definitions map[string]definition

// A definition is a variable or a function of a module.
type definition struct {
	function *Function
	variable *Variable
	file     string
}

// collect finds the definitions. Two of one name are an error, but for those that are .weak or .common.
func collect(modules []*Module) (definitions, error) {
	all := definitions{}
	strong := map[string]bool{}
	for _, m := range modules {
		for _, d := range m.Decls {
			var name string
			var linkage Linkage
			function, isFunction := d.(*Function)
			variable, isVariable := d.(*Variable)
			switch {
			case isFunction && function.Body != nil:
				name, linkage = function.Name, function.Linkage
			case isVariable && variable.Linkage != Extern:
				name, linkage = variable.Name, variable.Linkage
			default:
				continue
			}
			weak := linkage == Weak || linkage == Common
			old, known := all[name]
			switch {
			case !known || !weak && !strong[name]:
				all[name], strong[name] = definition{function, variable, m.File}, !weak
			case !weak && old.file != m.File:
				pos := d.declPos()
				return nil, fmt.Errorf("%s:%d:%d: %s is defined in %s, too", m.File, pos.Line, pos.Col, name, old.file)
			}
		}
	}
	return all, nil
}

// compare checks a module's declaration against the definition, as NVIDIA's linker does (observed of nvlink 13.5).
func (all definitions) compare(m *Module, d Decl) error {
	pos, name, complaint := d.declPos(), "", ""
	switch d := d.(type) {
	case *Function:
		name = d.Name
		if f := all[name].function; d.Body == nil && f != nil && f.Entry == d.Entry && !linkable(d, f) {
			complaint = "other parameters or results"
		}
	case *Variable:
		name = d.Name
		if v := all[name].variable; v != nil && v != d && d.Linkage == Extern {
			size, _ := d.bytes()
			defined, _ := v.bytes()
			switch {
			case d.Space != v.Space:
				complaint = "another state space"
			case size != defined && !d.open():
				complaint = "another size"
			}
		}
	}
	if complaint == "" {
		return nil
	}
	return fmt.Errorf("%s:%d:%d: %s is declared with %s than it is defined with in %s", m.File, pos.Line, pos.Col, name, complaint, all[name].file)
}

// linkable tells whether a function that is declared as f may be defined as g in another module. Kinds and sizes of parameters
// count, the alignments do not.
func linkable(f, g *Function) bool {
	same := func(a, b *Variable) bool {
		aBytes, aScalar := a.passed()
		bBytes, bScalar := b.passed()
		return aBytes == bBytes && aScalar == bScalar && (!aScalar || isFloat(a.Type) == isFloat(b.Type))
	}
	return slices.EqualFunc(f.Returns, g.Returns, same) && slices.EqualFunc(f.Params, g.Params, same)
}

// passed returns the bytes of a parameter or result, and whether it is one value: an array of one is.
func (v *Variable) passed() (bytes int64, scalar bool) {
	if v.Space == isa.Reg {
		return int64(v.Type.Bytes() * max(v.Vector, 1)), v.Vector == 0
	}
	bytes, _ = v.bytes()
	return bytes, bytes == int64(v.Type.Bytes())
}

// isFloat tells whether a linker takes a type for that of a floating-point number: those of 16 bits are bits to it.
func isFloat(t isa.Type) bool { return t == isa.F32 || t == isa.F64 }

// fit gives a declaration the types of the definition where they differ in what a link does not look at, but a module does.
func (all definitions) fit(d Decl) {
	switch d := d.(type) {
	case *Function:
		if g := all[d.Name].function; d.Body == nil && g != nil && d.Entry == g.Entry && !sameSignature(d, g) {
			d.Returns, d.Params = g.Returns, g.Params
		}
	case *Variable:
		if v := all[d.Name].variable; d.Linkage == Extern && v != nil {
			d.Type, d.Vector, d.Align = v.Type, v.Vector, v.Align
			if !d.open() {
				d.Dims = v.Dims
			}
		}
	}
}
