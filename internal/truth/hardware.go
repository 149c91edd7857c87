package truth

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
