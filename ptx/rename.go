package ptx

import "fmt"

// separate gives the variables and functions that belong to one module names that no other module has.
func separate(modules []*Module) {
	users := map[string]int{} // modules that declare the name
	for _, m := range modules {
		for name := range declared(m) {
			users[name]++
		}
	}
	for i, m := range modules {
		names := map[string]string{}
		for name, own := range declared(m) {
			if !own || users[name] < 2 {
				continue
			}
			for n := i; names[name] == ""; n += len(modules) {
				if other := fmt.Sprintf("%s_%d", name, n); users[other] == 0 {
					names[name] = other
					users[other] = 1
				}
			}
		}
		if len(names) > 0 {
			rename(m, names)
		}
	}
}

// declared returns the names of a module's variables and functions; those that are defined there, for no other module, are
// its own. Kernels are known to the host by their names.
func declared(m *Module) map[string]bool {
	names := map[string]bool{}
	for _, d := range m.Decls {
		switch d := d.(type) {
		case *Variable:
			names[d.Name] = names[d.Name] || d.Linkage == Static
		case *Function:
			names[d.Name] = names[d.Name] || d.Linkage == Static && d.Body != nil && !d.Entry
		case *Alias:
			names[d.Name] = false
		}
	}
	return names
}

// rename replaces names of a module's variables and functions, where they are declared and where they are used.
func rename(m *Module, names map[string]string) {
	r := renamer(names)
	for _, d := range m.Decls {
		switch d := d.(type) {
		case *Variable:
			r.replace(&d.Name)
			r.initial(d.Init)
		case *Function:
			r.replace(&d.Name)
			if d.Body != nil {
				r.without(d.Returns, d.Params).block(d.Body)
			}
		case *Alias:
			r.replace(&d.Target)
		}
	}
}

// A renamer holds new names by the old ones.
type renamer map[string]string

func (r renamer) replace(name *string) {
	if n, ok := r[*name]; ok {
		*name = n
	}
}

// without returns the names that a scope with these variables leaves visible.
func (r renamer) without(lists ...[]*Variable) renamer {
	visible := r
	for _, list := range lists {
		for _, v := range list {
			visible = visible.hide(v.Name)
		}
	}
	return visible
}

func (r renamer) hide(name string) renamer {
	if _, ok := r[name]; !ok {
		return r
	}
	visible := renamer{}
	for from, to := range r {
		if from != name {
			visible[from] = to
		}
	}
	return visible
}

// block renames in a block. What it declares itself hides what has that name outside.
func (r renamer) block(b *Block) {
	for _, s := range b.Body {
		switch s := s.(type) {
		case *Variable:
			r = r.hide(s.Name)
		case *Label:
			r = r.hide(s.Name)
		case *Targets:
			r = r.hide(s.Name)
		case *Prototype:
			r = r.hide(s.Name)
		}
	}
	for _, s := range b.Body {
		switch s := s.(type) {
		case *Block:
			r.block(s)
		case *Instruction:
			r.operands(s.Operands)
		case *Variable:
			r.initial(s.Init)
		case *Targets:
			for _, n := range s.Names {
				r.replace(&n.Name)
			}
		}
	}
}

func (r renamer) operands(list []Operand) {
	for _, o := range list {
		switch o := o.(type) {
		case *Name:
			r.replace(&o.Name)
		case *AddressOf:
			r.replace(&o.Name)
		case *Address:
			r.operands([]Operand{o.Base})
			r.operands(o.Rest)
		case *Vector:
			r.operands(o.Elems)
		case *List:
			r.operands(o.Elems)
		case *Pair:
			r.operands([]Operand{o.Left, o.Right})
		}
	}
}

func (r renamer) initial(i *Init) {
	if i == nil {
		return
	}
	r.operands([]Operand{i.Value})
	for _, element := range i.List {
		r.initial(element)
	}
}
