package truth

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Suite returns the suite the case belongs to.
func (c *Case) Suite() *Suite { return c.suite }

// MetricNames returns the names of all metrics that were recorded, with their units.
func (s *Suite) MetricNames() (map[string]string, error) {
	var file struct {
		Metrics map[string]struct {
			Unit string `json:"unit"`
		} `json:"metrics"`
	}
	if err := readJSON(filepath.Join(s.Dir, "metric_names.json"), &file); err != nil {
		return nil, err
	}
	units := make(map[string]string, len(file.Metrics))
	for name, m := range file.Metrics {
		units[name] = m.Unit
	}
	return units, nil
}

// Opcodes counts the machine instructions that the case executed, by opcode with modifiers.
func (c *Case) Opcodes() (map[string]float64, error) {
	var file struct {
		Opcodes map[string]float64 `json:"opcodes_with_modifiers"`
	}
	err := readJSON(filepath.Join(c.suite.Dir, "metrics", c.ID+".json"), &file)
	return file.Opcodes, err
}

// Assembled is what ptxas made of a kernel for one architecture.
type Assembled struct {
	Kernel    string // mangled entry name
	PTX       string // path of the file that it was made of
	SM        int    // 90
	Registers int    // of a thread
}

// Assembled returns what ptxas made of the suite's kernels, for each architecture for which it made something. PTX is of the newest recorded target
// that the architecture runs.
func (s *Suite) Assembled() ([]Assembled, error) {
	var kernels map[string]struct {
		Source    string              `json:"source"`
		Resources map[string]Compiled `json:"resources"`
	}
	if err := readJSON(filepath.Join(s.Dir, "kernels.json"), &kernels); err != nil {
		return nil, err
	}
	var out []Assembled
	for name, k := range kernels {
		for arch, r := range k.Resources {
			var sm int
			if _, err := fmt.Sscanf(arch, "sm_%d", &sm); err != nil {
				return nil, fmt.Errorf("kernels.json: %s: %q is no architecture", name, arch)
			}
			if r.Registers == 0 {
				continue // it does not compile for that
			}
			target := "compute_80"
			if sm >= 90 {
				target = "compute_90"
			}
			path := filepath.Join(s.Dir, "ptx", strings.TrimSuffix(k.Source, ".cu")+"."+target+".ptx")
			out = append(out, Assembled{Kernel: name, PTX: path, SM: sm, Registers: r.Registers})
		}
	}
	slices.SortFunc(out, func(a, b Assembled) int { return cmp.Or(cmp.Compare(a.SM, b.SM), cmp.Compare(a.Kernel, b.Kernel)) })
	return out, nil
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
