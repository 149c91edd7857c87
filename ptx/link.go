package ptx

import (
	"fmt"
	"strings"
)

// Link joins modules to one, of the latest of their versions. Their targets and address sizes have to be the same. Of what
// several modules define .weak the first stays; numbers of source files are made different. Names are not: what two modules
// both define is an error when the result is checked.
func Link(modules ...*Module) (*Module, error) {
	if len(modules) == 0 {
		return nil, fmt.Errorf("nothing to link")
	}
	first := modules[0]
	out := &Module{
		File: first.File, Version: first.Version, Target: first.Target, VersionPos: first.VersionPos, TargetPos: first.TargetPos,
		AddressSize: first.AddressSize,
	}
	weak := map[string]bool{}
	files := 0
	for _, m := range modules {
		if target, want := strings.Join(m.Target, ", "), strings.Join(out.Target, ", "); target != want {
			return nil, fmt.Errorf("%s: the target %s differs from that of %s, which is %s", m.File, target, out.File, want)
		}
		if m.AddressSize != out.AddressSize {
			return nil, fmt.Errorf("%s: addresses of %d bits differ from those of %s", m.File, m.AddressSize, out.File)
		}
		if m.Version.number() > out.Version.number() {
			out.Version = m.Version
		}
		last := files
		for _, d := range m.Decls {
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
				if d.Linkage == Weak {
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
