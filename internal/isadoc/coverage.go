package isadoc

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"silica/internal/ir"
	"silica/internal/isa"
	"silica/ptx"
)

// kernelRows counts the kernels that serve forms of each row.
func kernelRows(names []string) map[*isa.Row]int {
	served := map[*isa.Row]int{}
	for _, name := range names {
		opcode, mods := splitName(name)
		for _, r := range isa.Lookup(opcode) {
			if r.Spells(mods) {
				served[r]++
			}
		}
	}
	return served
}

func splitName(name string) (opcode string, mods []string) {
	parts := strings.Split(name, ".")
	for _, m := range parts[1:] {
		mods = append(mods, "."+m)
	}
	return parts[0], mods
}

// recordedForms counts, for each row, the recorded cases whose instruction it is.
func recordedForms(suite string) (map[*isa.Row]int, error) {
	files, err := filepath.Glob(filepath.Join(suite, "*.ptx"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no recorded instructions in %s", suite)
	}
	counts := map[*isa.Row]int{}
	for _, file := range files {
		var cases []struct{ Entry, Instr string }
		b, err := os.ReadFile(strings.TrimSuffix(file, ".ptx") + ".json")
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b, &cases); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		header, _, _ := strings.Cut(string(source), "// @begin ")
		for _, c := range cases {
			row, err := rowOf(header, string(source), c.Entry, c.Instr)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if row != nil {
				counts[row]++
			}
		}
	}
	return counts, nil
}

// rowOf returns the row of the instruction that a case is about: of those in its entry the one whose name begins like
// instr; nil when there is none, or when the case is refused.
func rowOf(header, source, entry, instr string) (*isa.Row, error) {
	_, body, ok := strings.Cut(source, "// @begin "+entry+"\n")
	if !ok {
		return nil, fmt.Errorf("entry %s is not marked", entry)
	}
	body, _, _ = strings.Cut(body, "// @end ")
	tree, err := ptx.Load(entry, []byte(header+body))
	if err != nil {
		return nil, nil // a case that must fail
	}
	module, err := ir.NewModule(tree)
	if err != nil {
		return nil, nil
	}
	kernel, err := module.Kernel(entry)
	if err != nil {
		return nil, nil
	}
	name, _, _ := strings.Cut(instr, " ")
	for _, f := range kernel.Funcs {
		for i := range f.Code {
			if form := f.Code[i].Form; form != nil && strings.HasPrefix(form.Name(), name) {
				return form.Row, nil
			}
		}
	}
	return nil, nil
}
