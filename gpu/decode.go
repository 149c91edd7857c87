package gpu

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// add takes over one member of a file, other than what it inherits: its name,
// its sources, or a section of figures.
func (d *description) add(file string, m member) error {
	switch {
	case m.key == "name":
		name, ok := m.value.value.(string)
		if !ok || name == "" {
			return m.value.pos.errorf(`"name" is the name of the GPU, in quotes`)
		}
		d.name = name
		return nil
	case m.key == "sources":
		return d.addSources(m.value)
	case m.key == attributesSection || slices.Contains(sections(), m.key):
		return d.addSection(file, m)
	}
	known := append([]string{"inherits", "name", "sources", attributesSection}, sections()...)
	return m.pos.errorf("unknown section %q%s", m.key, suggest(m.key, known))
}

func (d *description) addSources(n node) error {
	members, ok := n.value.([]member)
	if !ok {
		return n.pos.errorf(`"sources" is an object: short names, and what they stand for`)
	}
	for _, m := range members {
		text, ok := m.value.value.(string)
		if !ok || text == "" {
			return m.value.pos.errorf("a source is text in quotes that names it")
		}
		d.sources[m.key] = text
	}
	return nil
}

func (d *description) addSection(file string, section member) error {
	members, ok := section.value.value.([]member)
	if !ok {
		return section.value.pos.errorf("%q is an object of figures", section.key)
	}
	if slices.ContainsFunc(members, func(m member) bool { return section.key+"."+m.key == "chip.sms" }) {
		delete(d.figures, "chip.sm_groups") // those inherited are of another chip
	}
	for _, m := range members {
		path := section.key + "." + m.key
		typ, err := typeOf(section.key, m)
		if err != nil {
			return err
		}
		if m.value.value == nil { // null: unknown, whatever was inherited
			delete(d.figures, path)
			continue
		}
		value, source, err := d.splitSource(file, m.value, typ)
		if err != nil {
			return err
		}
		decoded, err := decode(path, value, typ)
		if err != nil {
			return err
		}
		d.figures[path] = figure{value: decoded, source: source, pos: m.value.pos}
	}
	return nil
}

var attributeName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// typeOf returns the type of the figure that m gives in a section.
func typeOf(section string, m member) (reflect.Type, error) {
	if section == attributesSection {
		if !attributeName.MatchString(m.key) {
			return nil, m.pos.errorf("%q is no CUDA device attribute: write its name in cuda.h without CU_DEVICE_ATTRIBUTE_", m.key)
		}
		if path := answeredBy(m.key); path != "" {
			return nil, m.pos.errorf("the attribute %s follows from %s: give that instead", m.key, path)
		}
		return reflect.TypeFor[int](), nil
	}
	var keys []string
	for _, f := range fields {
		if f.section == section {
			if f.key == m.key {
				return f.typ, nil
			}
			keys = append(keys, f.key)
		}
	}
	return nil, m.pos.errorf("unknown figure %q in %q%s", m.key, section, suggest(m.key, keys))
}

// splitSource takes [value, "source"] apart. A bare value has its file as its
// source.
func (d *description) splitSource(file string, n node, typ reflect.Type) (node, string, error) {
	pair, ok := n.value.([]node)
	if !ok || len(pair) == 0 {
		return n, file, nil
	}
	if _, nested := pair[0].value.([]node); typ.Kind() == reflect.Slice && !nested {
		return n, file, nil
	}
	if len(pair) != 2 {
		return n, "", n.pos.errorf(`a figure is a value, or [value, "source"]`)
	}
	id, ok := pair[1].value.(string)
	if !ok {
		return n, "", pair[1].pos.errorf("the source of a figure is a short name in quotes")
	}
	text, ok := d.sources[id]
	if !ok {
		return n, "", pair[1].pos.errorf(`source %q is not listed in "sources"`, id)
	}
	return pair[0], text, nil
}

// maxNumber keeps sums and products of figures far from overflow.
const maxNumber = 1 << 50

// decode turns a JSON value into one of the type of a figure.
func decode(path string, n node, typ reflect.Type) (reflect.Value, error) {
	switch {
	case typ == reflect.TypeFor[Capability]():
		if text, ok := n.value.(string); ok {
			if c, ok := parseCapability(text); ok {
				return reflect.ValueOf(c), nil
			}
		}
		return reflect.Value{}, n.pos.errorf(`%s is a compute capability in quotes, such as "9.0"`, path)
	case typ.Kind() == reflect.String:
		if text, ok := n.value.(string); ok && text != "" {
			return reflect.ValueOf(text), nil
		}
		return reflect.Value{}, n.pos.errorf("%s is text in quotes", path)
	case typ.Kind() == reflect.Bool:
		if flag, ok := n.value.(bool); ok {
			return reflect.ValueOf(flag), nil
		}
		return reflect.Value{}, n.pos.errorf("%s is true or false", path)
	case typ.Kind() == reflect.Slice:
		items, ok := n.value.([]node)
		if !ok {
			return reflect.Value{}, n.pos.errorf("%s is a list of numbers", path)
		}
		list := make([]int, len(items))
		for i, item := range items {
			number, err := decode(path, item, reflect.TypeFor[int]())
			if err != nil {
				return reflect.Value{}, err
			}
			list[i] = int(number.Int())
		}
		return reflect.ValueOf(list), nil
	}
	text, ok := n.value.(json.Number)
	if !ok {
		return reflect.Value{}, n.pos.errorf("%s is a number", path)
	}
	number, err := strconv.ParseFloat(text.String(), 64)
	if err != nil || number < 0 || number > maxNumber {
		return reflect.Value{}, n.pos.errorf("%s is impossible: %s is not between 0 and 2^50", path, text)
	}
	if typ.Kind() == reflect.Float64 {
		return reflect.ValueOf(number), nil
	}
	if number != math.Trunc(number) {
		return reflect.Value{}, n.pos.errorf("%s is a whole number, not %s", path, text)
	}
	return reflect.ValueOf(int(number)), nil
}

func parseCapability(text string) (Capability, bool) {
	major, minor, ok := strings.Cut(text, ".")
	a, err1 := strconv.ParseUint(major, 10, 8)
	b, err2 := strconv.ParseUint(minor, 10, 8)
	return Capability{int(a), int(b)}, ok && err1 == nil && err2 == nil && a > 0
}

// build makes the GPU that a description gives, and validates it.
func build(id string, d description) (*GPU, error) {
	if err := d.addKind(); err != nil {
		return nil, err
	}
	if err := d.borrow(); err != nil {
		return nil, err
	}
	g := fill(id, d)
	if err := g.validate(position{d.file, 1, 1}); err != nil {
		return nil, err
	}
	return g, nil
}

// fill sets the fields of a GPU to the figures of a description.
func fill(id string, d description) *GPU {
	g := &GPU{ID: id, Name: d.name, Attributes: map[string]int{}, figures: d.figures}
	for _, f := range fields {
		if figure, known := d.figures[f.path]; known {
			reflect.ValueOf(g).Elem().FieldByIndex(f.index).Set(figure.value)
		}
	}
	for path, figure := range d.figures {
		if name, ok := strings.CutPrefix(path, attributesSection+"."); ok {
			g.Attributes[name] = int(figure.value.Int())
		}
	}
	return g
}

// sections lists the sections of figures in order.
func sections() []string {
	var names []string
	for _, f := range fields {
		if !slices.Contains(names, f.section) {
			names = append(names, f.section)
		}
	}
	return names
}

// suggest names the word that was probably meant, or lists those there are.
func suggest(word string, known []string) string {
	for _, candidate := range known {
		if distance(word, candidate) <= 2 {
			return `: did you mean "` + candidate + `"?`
		}
	}
	return ": there are " + strings.Join(known, ", ")
}

// distance is the number of letters to insert, delete or replace to get from
// a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := oneIf(a[i] != b[j])
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
