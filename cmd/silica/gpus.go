package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"silica/gpu"
)

type gpusCommand struct {
	Name    string `arg:"" optional:"" help:"GPU to describe in full: a name from the list, or a description of your own (a .json file)."`
	History bool   `help:"List NVIDIA's GPUs since the G80 instead."`
	Format  string `enum:"text,json" default:"text" help:"Output format: ${enum}."`
}

// Help is the example that -h shows.
func (*gpusCommand) Help() string { return "Example:\n\n  silica gpus h200" }

func (c *gpusCommand) Run(io streams) error {
	switch {
	case c.History:
		list, err := gpu.History()
		if err != nil {
			return err
		}
		return c.list(io, list)
	case c.Name != "":
		g, err := loadGPU(c.Name)
		if err != nil {
			return err
		}
		return c.one(io, g)
	}
	var list []*gpu.GPU
	for _, name := range gpu.Names() {
		g, err := gpu.Load(name)
		if err != nil {
			return err
		}
		list = append(list, g)
	}
	return c.list(io, list)
}

// loadGPU loads the GPU of a --gpu flag.
func loadGPU(name string) (*gpu.GPU, error) {
	g, err := gpu.Load(name)
	if err != nil {
		return nil, noGPU(name, err)
	}
	return g, nil
}

// noGPU is the failure to load what --gpu names, which may come from the environment.
func noGPU(name string, err error) error {
	if name == os.Getenv("SILICA_GPUS") {
		err = fmt.Errorf("SILICA_GPUS: %w", err)
	}
	if errors.Is(err, gpu.ErrUnknown) {
		return failure{exitUsage, err}
	}
	return failure{exitLoad, err}
}

func (c *gpusCommand) list(io streams, list []*gpu.GPU) error {
	if c.Format == "json" {
		return c.json(io, list)
	}
	t := newTable(io)
	t.Style().Box.PaddingRight = " " // ten columns in 80 characters
	t.AppendHeader(table.Row{"name", "GPU", "year", "cc", "SMs", "cores", "shared", "L2", "memory", "GB/s"})
	for _, g := range list {
		t.AppendRow(table.Row{
			g.ID, strings.TrimPrefix(g.Name, "NVIDIA "), g.Chip.Year, g.Chip.ComputeCapability, g.Chip.SMs, g.Cores(),
			size(g.Limits.SharedPerSM), size(g.Memory.L2Bytes), size(g.Memory.GlobalBytes), g.Memory.Bandwidth / 1e9,
		})
	}
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, Hidden: c.History}, // most of them are no names that --gpu takes
		{Number: 5, Align: text.AlignRight}, {Number: 6, Align: text.AlignRight}, {Number: 7, Align: text.AlignRight},
		{Number: 8, Align: text.AlignRight}, {Number: 9, Align: text.AlignRight}, {Number: 10, Align: text.AlignRight},
	})
	t.Render()
	return nil
}

// newTable is the plain table that every command prints.
func newTable(io streams) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(io.out)
	t.SuppressTrailingSpaces()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = "  "
	t.SetStyle(style)
	return t
}

// size prints bytes in the largest binary unit that leaves a short number.
func size(bytes int) string {
	switch {
	case bytes >= 1<<30:
		return strconv.FormatFloat(float64(bytes)/(1<<30), 'f', 0, 64) + "G"
	case bytes >= 1<<20:
		return strconv.FormatFloat(float64(bytes)/(1<<20), 'f', -1, 64) + "M"
	case bytes >= 1<<10:
		return strconv.FormatFloat(float64(bytes)/(1<<10), 'f', -1, 64) + "K"
	case bytes == 0:
		return ""
	}
	return strconv.Itoa(bytes)
}

func (c *gpusCommand) one(io streams, g *gpu.GPU) error {
	if c.Format == "json" {
		return c.json(io, []*gpu.GPU{g})
	}
	fmt.Fprintf(io.out, "%s (%s)\n", g.Name, g.ID)
	group, sources := "", []string{}
	for _, r := range g.Rows() {
		if r.Group != group {
			group = r.Group
			fmt.Fprintf(io.out, "\n%s\n", group)
		}
		value := strings.TrimSpace(fmt.Sprint(display(r.Value)) + " " + r.Unit)
		source := slices.Index(sources, r.Source)
		if source < 0 {
			source, sources = len(sources), append(sources, r.Source)
		}
		fmt.Fprintf(io.out, "  %-44s %-26s [%d]\n", r.Name, value, source+1)
	}
	fmt.Fprint(io.out, "\nsources\n")
	for i, s := range sources {
		lines := strings.Split(text.WrapSoft(s, 70), "\n")
		for j := range lines {
			lines[j] = strings.TrimRight(lines[j], " ")
		}
		fmt.Fprintf(io.out, "  %5s %s\n", fmt.Sprintf("[%d]", i+1), strings.Join(lines, "\n        "))
	}
	return nil
}

// display writes large whole numbers in full rather than in scientific notation.
func display(v any) any {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return v
}

func (c *gpusCommand) json(io streams, list []*gpu.GPU) error {
	type figure struct {
		Group, Key, Name string
		Value            any
		Unit, Source     string
	}
	type description struct {
		ID, Name string
		Figures  []figure
	}
	var out []description
	for _, g := range list {
		d := description{ID: g.ID, Name: g.Name}
		for _, r := range g.Rows() {
			d.Figures = append(d.Figures, figure(r))
		}
		out = append(out, d)
	}
	e := json.NewEncoder(io.out)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
