package gpu

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed data/*.json
var data embed.FS

// ErrUnknown is returned, wrapped, by Load for a name that no GPU has.
var ErrUnknown = errors.New("unknown GPU")

// Names returns the names under which Load knows the built-in GPUs, sorted.
func Names() []string {
	// Only a GPU has a name of its own; what GPUs inherit has none.
	return slices.DeleteFunc(builtins(), func(id string) bool {
		d, err := readBuiltin(id, nil)
		return err != nil || d.name == ""
	})
}

// Load returns the GPU of that name, or the one described by the JSON file at
// that path if it ends in .json. Case, spaces and hyphens of a name do not
// matter, and the driver's name of a GPU is as good as its short one.
//
// The error is a *FileError for a description that is malformed, lacks a
// figure or has an impossible one, and wraps ErrUnknown for an unknown name.
func Load(nameOrPath string) (*GPU, error) {
	if strings.HasSuffix(strings.ToLower(nameOrPath), ".json") {
		content, err := os.ReadFile(nameOrPath)
		if err != nil {
			return nil, fmt.Errorf("GPU description: %w", err)
		}
		return load(nameOrPath, content)
	}
	ids := builtins()
	// Most often it is the short name, and then only that file is read.
	slices.SortStableFunc(ids, func(a, b string) int {
		return oneIf(plain(b) == plain(nameOrPath)) - oneIf(plain(a) == plain(nameOrPath))
	})
	for _, id := range ids {
		d, err := readBuiltin(id, nil)
		if err != nil {
			return nil, err
		}
		if d.name != "" && (plain(id) == plain(nameOrPath) || plain(d.name) == plain(nameOrPath)) {
			return build(id, d)
		}
	}
	return nil, unknown(nameOrPath)
}

// LoadList returns the GPUs of a machine: names or files between commas, as Load takes them.
func LoadList(list string) ([]*GPU, error) {
	var all []*GPU
	for name := range strings.SplitSeq(list, ",") {
		g, err := Load(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

// unknown tells what would be right in place of a name that no GPU has.
func unknown(name string) error {
	count, err := strconv.Atoi(name)
	switch {
	case strings.Contains(name, ","):
		return fmt.Errorf("%w %q: name one GPU here, not a list", ErrUnknown, name)
	case err == nil && count > 0 && count < 100:
		return fmt.Errorf("%w %q: it is named, not counted: h200 for one, h200,h200 for two", ErrUnknown, name)
	}
	return fmt.Errorf("%w %q: there are %s, or give a .json file", ErrUnknown, name, strings.Join(Names(), ", "))
}

// load builds the GPU that the content of a user's file describes.
func load(path string, content []byte) (*GPU, error) {
	d, err := read(path, content, nil)
	if err != nil {
		return nil, err
	}
	id := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if d.name == "" {
		d.name = id
	}
	return build(id, d)
}

// plain removes what Load ignores in a name.
func plain(name string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(name))
}

// builtins returns the names of the embedded descriptions, sorted.
func builtins() []string {
	entries, _ := data.ReadDir("data") // always there: it is embedded
	var ids []string
	for _, entry := range entries {
		if entry.Name() != historyFile {
			ids = append(ids, strings.TrimSuffix(entry.Name(), ".json"))
		}
	}
	return ids
}

// A description is what a file and those it inherits say together.
type description struct {
	file    string // the last file read
	name    string
	sources map[string]string // by short name
	figures map[string]figure // by path
}

// lender is the GPU whose figures stand for those that are unmeasured elsewhere.
const lender = "h200"

// borrow fills in what is unmeasured.
func (d *description) borrow() error {
	missing := func(f field) bool {
		_, known := d.figures[f.path]
		return f.borrowed && !known
	}
	if !slices.ContainsFunc(fields, missing) {
		return nil
	}
	from, err := readBuiltin(lender, nil)
	if err != nil {
		return err
	}
	if err := from.addKind(); err != nil {
		return err
	}
	for _, f := range fields {
		if missing(f) {
			lent := from.figures[f.path]
			lent.borrowed, lent.source = true, "unmeasured here; that of an "+from.name+": "+lent.source
			d.figures[f.path] = lent
		}
	}
	return nil
}

// addKind adds what the kind of memory says of it, where nothing else does.
func (d *description) addKind() error {
	kind, known := d.figures["memory.kind"]
	if !known {
		return nil
	}
	id := plain(kind.value.String())
	if !slices.Contains(builtins(), id) {
		return kind.pos.errorf("no kind of memory is called %q: there are HBM2, HBM2e, HBM3, HBM3e, GDDR6, GDDR6X, GDDR7 and LPDDR5", kind.value.String())
	}
	from, err := readBuiltin(id, nil)
	if err != nil {
		return err
	}
	for path, f := range from.figures {
		if _, given := d.figures[path]; !given && strings.HasPrefix(path, "dram.") {
			d.figures[path] = f
		}
	}
	return nil
}

func readBuiltin(id string, chain []string) (description, error) {
	file := id + ".json"
	content, err := data.ReadFile("data/" + file)
	if err != nil {
		return description{}, err
	}
	return read(file, content, append(chain, id))
}

// read resolves the content of a file over what it inherits. The chain names
// the built-in descriptions that are being read.
func read(file string, content []byte, chain []string) (description, error) {
	root, err := parse(file, content)
	if err != nil {
		return description{}, err
	}
	members, ok := root.value.([]member)
	if !ok {
		return description{}, root.pos.errorf("a description is an object: { ... }")
	}
	// What is inherited comes first, then the sources that figures refer to,
	// in whatever order the file has them.
	slices.SortStableFunc(members, func(a, b member) int {
		return 2*(oneIf(b.key == "inherits")-oneIf(a.key == "inherits")) + oneIf(b.key == "sources") - oneIf(a.key == "sources")
	})
	d := description{sources: map[string]string{}, figures: map[string]figure{}}
	for _, m := range members {
		if m.key == "inherits" {
			d, err = inherit(m.value, chain)
		} else {
			err = d.add(file, m)
		}
		if err != nil {
			return description{}, err
		}
	}
	d.file = file
	return d, nil
}

// inherit reads the built-in description that n names.
func inherit(n node, chain []string) (description, error) {
	name, ok := n.value.(string)
	if !ok {
		return description{}, n.pos.errorf(`"inherits" is the name of a built-in description, such as "h200" or "sm_90"`)
	}
	id := strings.ToLower(name)
	if slices.Contains(chain, id) {
		return description{}, n.pos.errorf("%q inherits itself", name)
	}
	if !slices.Contains(builtins(), id) {
		return description{}, n.pos.errorf("there is no built-in description %q to inherit: there are %s", name, strings.Join(builtins(), ", "))
	}
	return readBuiltin(id, chain)
}
