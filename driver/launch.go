package driver

import (
	"context"
	"errors"

	"silica/gpu"
	"silica/internal/exec"
)

// Dim3 is an extent in x, y and z.
type Dim3 = exec.Dim3

// Launch describes one kernel launch.
type Launch struct {
	Grid, Block Dim3
	// Cluster is in blocks; the zero value stands for no clusters.
	Cluster Dim3
	Shared  int // dynamic shared memory in bytes
	// Params is the parameter buffer: each parameter at its offset in Function.Kernel.Params.
	Params []byte
}

// Launch runs the kernel over the grid.
func (f *Function) Launch(ctx context.Context, c Launch) error {
	d := f.Module.device
	if err := d.Status(); err != nil {
		return err
	}
	if c.Cluster == (Dim3{}) {
		c.Cluster = Dim3{X: 1, Y: 1, Z: 1}
		if r := f.Kernel.Cluster; r != [3]int{} {
			c.Cluster = Dim3{X: r[0], Y: r[1], Z: r[2]}
		}
	}
	d.mu.Lock()
	d.launches++
	id := d.launches
	d.mu.Unlock()
	l := &exec.Launch{
		Kernel: f.Kernel, Grid: c.Grid, Block: c.Block, Cluster: c.Cluster, DynamicShared: c.Shared, Params: c.Params,
		Memory: d.memory, Symbols: f.Module.symbols, ConstRegions: f.Module.consts,
		Stdout: d.options.Stdout, Workers: d.options.Workers, MaxInstructions: d.options.MaxInstructions,
		Heap: d.heap, GridID: id,
	}
	if err := exec.CheckLaunch(l, Limits(d.GPU, f.sharedLimit())); err != nil {
		return launchError(err)
	}
	l.Machine = f.machine(l)
	var ended func(*exec.Stats, error)
	if t := d.options.Tracer; t != nil {
		ended = t.Launch(f, l)
	}
	stats, err := d.engine.Run(ctx, l)
	if ended != nil {
		ended(stats, err)
	}
	if err != nil {
		return d.fault(err)
	}
	return nil
}

func launchError(err error) error {
	var refused *exec.LaunchError
	if errors.As(err, &refused) {
		return &Error{Code: codeNamed(refused.Code), Msg: refused.Msg, err: err}
	}
	return err
}

// Limits returns what a GPU allows of a launch whose blocks may use shared bytes of shared memory.
func Limits(g *gpu.GPU, shared int) exec.Limits {
	dim := func(v []int) Dim3 { return Dim3{X: v[0], Y: v[1], Z: v[2]} }
	params := 4352
	if g.Chip.ComputeCapability.AtLeast(7, 0) {
		params = 32764
	}
	return exec.Limits{
		Grid: dim(g.Limits.GridDim), Block: dim(g.Limits.BlockDim), ThreadsPerBlock: g.Limits.ThreadsPerBlock,
		SharedPerBlock: shared, ClusterBlocks: g.Limits.ClusterBlocksNonportable, ParamBytes: params,
	}
}

func (f *Function) machine(l *exec.Launch) exec.Machine {
	g := f.Module.device.GPU
	blocks := min(g.Limits.BlocksPerSM, g.Limits.ThreadsPerSM/l.Block.Count())
	cc := g.Chip.ComputeCapability
	return exec.Machine{
		SMs: g.Chip.SMs, BlocksPerSM: max(blocks, 1), WarpsPerSM: g.WarpsPerSM(), SharedPerBlock: f.sharedLimit(),
		ClockHz: float64(g.Clock.CoreKHz) * 1e3, LocalPerThread: max(g.Limits.LocalPerThread, 512<<10),
		SharedReserved: g.Limits.SharedReservedPerBlock, ComputeCapability: cc.Major*10 + cc.Minor,
	}
}
