package gpu

import (
	"reflect"
	"slices"
	"strings"
)

// A figure is one value of a description, with what vouches for it.
type figure struct {
	value    reflect.Value
	source   string
	borrowed bool
	pos      position
}

// A Row is one figure as people read it.
type Row struct {
	Group  string // section of the description, such as "memory"
	Key    string // JSON key within the section
	Name   string
	Value  any // string, bool, int, float64, []int or Capability
	Unit   string
	Source string
}

// Rows returns every known figure of g in the order of its description.
func (g *GPU) Rows() []Row {
	var rows []Row
	for _, f := range fields {
		if figure, known := g.figures[f.path]; known {
			rows = append(rows, Row{f.section, f.key, f.name, figure.value.Interface(), f.unit, figure.source})
		}
	}
	for _, name := range sortedKeys(g.Attributes) {
		figure := g.figures[attributesSection+"."+name]
		rows = append(rows, Row{attributesSection, name, name, figure.value.Interface(), "", figure.source})
	}
	return rows
}

// Known reports whether the description has the figure at path, which is
// section.key, such as "rate.fp64" or "attributes.MAX_PITCH".
func (g *GPU) Known(path string) bool {
	_, known := g.figures[path]
	return known
}

// Source tells what vouches for the figure at path, or "" when it is unknown.
func (g *GPU) Source(path string) string { return g.figures[path].source }

// Borrowed lists the figures, by path, that nobody measured or documents for this
// GPU, so that those of an H200 stand for them.
func (g *GPU) Borrowed() []string {
	var paths []string
	for _, f := range fields {
		if g.figures[f.path].borrowed {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// A field is one figure that a description can have: a field of a section of
// GPU, with its tags.
type field struct {
	path                     string // section.key
	section, key, name, unit string
	attribute                string // the CUDA device attribute it answers
	needed, borrowed         bool
	index                    []int // within GPU
	typ                      reflect.Type
}

// fields lists the figures in the order of the type GPU. It never changes.
var fields = listFields()

func listFields() []field {
	var list []field
	description := reflect.TypeFor[GPU]()
	for i := range description.NumField() {
		section := description.Field(i)
		name := section.Tag.Get("key")
		if name == "" {
			continue
		}
		for j := range section.Type.NumField() {
			f := section.Type.Field(j)
			list = append(list, field{
				path:      name + "." + f.Tag.Get("key"),
				section:   name,
				key:       f.Tag.Get("key"),
				name:      f.Tag.Get("name"),
				unit:      f.Tag.Get("unit"),
				attribute: f.Tag.Get("attr"),
				needed:    f.Tag.Get("need") != "",
				borrowed:  f.Tag.Get("borrow")+section.Tag.Get("borrow") != "",
				index:     []int{i, j},
				typ:       f.Type,
			})
		}
	}
	return list
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, strings.Compare)
	return keys
}
