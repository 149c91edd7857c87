package main

import (
	"fmt"
	"os"
	"path/filepath"

	"silica/report"
)

type compareCommand struct {
	Before string `arg:"" help:"Profile that silica profile --save wrote: the baseline."`
	After  string `arg:"" help:"Another one."`
	Format string `enum:"text,json" default:"text" help:"Output format: ${enum}."`
}

// Help is the example that -h shows.
func (*compareCommand) Help() string {
	return `Kernels are compared by name and grid, or else by their order.

Examples:

  silica profile examples/transpose.cu --save before.json
  silica profile examples/transpose.cu --save after.json
  silica compare before.json after.json`
}

func (c *compareCommand) Run(io streams) error {
	before, err := saved(c.Before)
	if err != nil {
		return err
	}
	after, err := saved(c.After)
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return report.ChangesJSON(io.out, before, after)
	}
	return report.Changes(io.out, before, after, report.Options{Color: colours(io.out)})
}

// saved reads a profile that was saved.
func saved(path string) (report.Saved, error) {
	file, err := os.Open(path)
	if err != nil {
		return report.Saved{}, failure{exitLoad, unreadable(err)}
	}
	defer file.Close()
	launches, err := report.ReadJSON(file)
	if err != nil {
		return report.Saved{}, failure{exitLoad, fmt.Errorf("%s: %w; silica profile --save writes one", path, err)}
	}
	if len(launches) == 0 {
		return report.Saved{}, failure{exitLoad, fmt.Errorf("%s: there is no launch in it", path)}
	}
	return report.Saved{Name: filepath.Base(path), Launches: launches}, nil
}
