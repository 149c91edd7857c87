package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"silica/gpu"
	"silica/report"
)

type occupancyCommand struct {
	GPU      string `name:"gpu" default:"h200" help:"GPU: a name of silica gpus, or a .json file."`
	Block    int    `required:"" help:"Threads per block."`
	Regs     int    `default:"32" help:"Registers per thread, as the compiler reports them."`
	Shared   int    `default:"0" help:"Shared memory per block in bytes, static and dynamic together."`
	Barriers int    `default:"0" help:"Named barriers that the kernel uses."`
	Grid     int    `default:"0" help:"Blocks of the grid; also prints waves and tail."`
	Format   string `enum:"text,json" default:"text" help:"Output format: ${enum}."`
}

// Help is the example that -h shows.
func (*occupancyCommand) Help() string {
	return "Example:\n\n  silica occupancy --gpu a100 --block 256 --regs 40 --shared 16384"
}

func (c *occupancyCommand) Run(io streams) error {
	g, err := loadGPU(c.GPU)
	if err != nil {
		return err
	}
	k := gpu.Kernel{BlockSize: c.Block, RegistersPerThread: c.Regs, DynamicShared: c.Shared, Barriers: c.Barriers}
	o, err := g.Occupancy(k)
	if err != nil {
		return failure{exitUsage, err}
	}
	if c.Format == "json" {
		e := json.NewEncoder(io.out)
		e.SetIndent("", "  ")
		return e.Encode(o)
	}
	fmt.Fprintf(io.out, "%s: %d threads per block, %d registers per thread, %d bytes of shared memory per block\n\n",
		g.Name, c.Block, c.Regs, c.Shared)
	if o.Blocks == 0 {
		return failure{exitFailed, fmt.Errorf("no block fits: %s", o.Impossible)}
	}
	fmt.Fprintf(io.out, "Theoretical occupancy %.2f %%: %d of %d warps in %d blocks on each SM\n", o.Percent, o.Warps, g.WarpsPerSM(), o.Blocks)
	fmt.Fprintf(io.out, "Limited by %s\n\n", limiters(o.Limiters))
	t := newTable(io)
	t.AppendHeader(table.Row{"limit", "blocks"})
	for _, r := range gpu.Resources() {
		t.AppendRow(table.Row{r, o.Limit.Of(r)})
	}
	t.Render()
	if c.Grid > 0 {
		w := g.Waves(c.Grid, o)
		fmt.Fprintf(io.out, "\n%d blocks are %.2f waves: %d full, and %d blocks in the last\n", c.Grid, w.PerSM, w.Full, w.Tail)
	}
	return c.curves(io, g, k)
}

func limiters(list []gpu.Resource) string {
	var names []string
	for _, r := range list {
		names = append(names, r.String())
	}
	return strings.Join(names, " and ")
}

// curves prints how the occupancy changes with each resource, at the points where it does.
func (c *occupancyCommand) curves(io streams, g *gpu.GPU, k gpu.Kernel) error {
	for _, curve := range []struct {
		name    string
		points  func(gpu.Kernel) ([]gpu.Point, error)
		current int
	}{
		{"block size", g.OccupancyByBlockSize, k.BlockSize},
		{"registers per thread", g.OccupancyByRegisters, k.RegistersPerThread},
		{"shared memory per block", g.OccupancyByShared, k.DynamicShared},
	} {
		points, err := curve.points(k)
		if err != nil {
			return err
		}
		fmt.Fprintf(io.out, "\nwarps on an SM by %s\n", curve.name)
		report.Curve(io.out, "", points, curve.current, g.WarpsPerSM())
	}
	return nil
}
