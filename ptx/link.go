package ptx

import (
	"fmt"
	"slices"
)

// Link joins modules to one, of the latest of their versions and targets; the size of addresses has to be the same. Of what
// several modules define .weak or .common the first stays. Numbers of source files are made different, and so are names that belong to
// one module, except those of kernels. What two modules define for all is an error, and so is a declaration that does not fit the
// definition. The modules are changed.
func Link(modules ...*Module) (*Module, error) {
	if len(modules) == 0 {
		return nil, fmt.Errorf("nothing to link")
	}
	separate(modules)
	defined, err := collect(modules)
	if err != nil {
		return nil, err
	}
	first := modules[0]
	out := &Module{
		File: first.File, Version: first.Version, Target: first.Target, VersionPos: first.VersionPos, TargetPos: first.TargetPos,
		AddressSize: first.AddressSize,
	}
	weak := map[string]bool{}
	files := 0
	for _, m := range modules {
		out.Target = laterTarget(out.Target, m.Target)
		if m.AddressSize != out.AddressSize {
			return nil, fmt.Errorf("%s: addresses of %d bits differ from those of %s", m.File, m.AddressSize, out.File)
		}
		if m.Version.number() > out.Version.number() {
			out.Version = m.Version
		}
		last := files
		for _, d := range m.Decls {
			if err := defined.compare(m, d); err != nil {
				return nil, err
			}
			defined.fit(d)
			switch d := d.(type) {
			case *Function:
				if d.Linkage == Weak && d.Body != nil {
					if weak[d.Name] {
						continue
					}
					weak[d.Name] = true
				}
				if d.Body != nil {
					renumber(d.Body, files)
				}
			case *Variable:
				if d.Linkage == Weak || d.Linkage == Common {
					if weak[d.Name] {
						continue
					}
					weak[d.Name] = true
				}
			case *FileDirective:
				d.Index += files
				last = max(last, d.Index)
			case *Section:
				continue // debug data of one module
			}
			out.Decls = append(out.Decls, d)
		}
		files = last
	}
	return out, nil
}

// Undefined names the functions that a module calls or takes the address of, as far as declarations tell, and does not define,
// in the order of their declarations.
func Undefined(m *Module) (names []string) {
	defined := map[string]bool{}
	for _, d := range m.Decls {
		switch d := d.(type) {
		case *Function:
			defined[d.Name] = defined[d.Name] || d.Body != nil
		case *Alias:
			defined[d.Name] = true
		}
	}
	for _, d := range m.Decls {
		if f, ok := d.(*Function); ok && !defined[f.Name] && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// laterTarget joins two .target directives: the later architecture, and the options of both.
func laterTarget(a, b []string) []string {
	if architecture(b) > architecture(a) {
		a, b = b, a
	}
	joined := slices.Clone(a)
	for _, name := range b {
		if _, option := targetOptions[name]; option && !slices.Contains(joined, name) {
			joined = append(joined, name)
		}
	}
	return joined
}

// architecture returns a number of the architecture of a .target directive, the later the larger: sm_90a comes after sm_90.
func architecture(target []string) (number int) {
	for _, name := range target {
		var suffix string
		if n, _ := fmt.Sscanf(name, "sm_%d%s", &number, &suffix); n > 0 {
			return 10*number + len(suffix)
		}
	}
	return 0
}

// renumber adds to the numbers of source files in a function.
func renumber(b *Block, files int) {
	for _, s := range b.Body {
		switch s := s.(type) {
		case *Block:
			renumber(s, files)
		case *Loc:
			for l := s; l != nil; l = l.InlinedAt {
				l.File += files
			}
		}
	}
}
