package exec

import (
	"errors"
	"fmt"
)

// Limits is what a GPU allows of a launch.
type Limits struct {
	Grid, Block     Dim3 // largest extents
	ThreadsPerBlock int
	SharedPerBlock  int // bytes, static and dynamic together
	ClusterBlocks   int // blocks of a cluster; 0 when the GPU has no clusters
	ParamBytes      int
}

// LaunchError is a launch that the GPU refuses before anything runs.
type LaunchError struct {
	Code string // CUDA's name: "CUDA_ERROR_INVALID_VALUE"
	Msg  string
}

func (e *LaunchError) Error() string { return e.Msg }

// CheckLaunch reports, as a *LaunchError, what of the launch a GPU with the given limits refuses.
func CheckLaunch(l *Launch, lim Limits) error {
	const invalidValue, invalidCluster = "CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_INVALID_CLUSTER_SIZE"
	k := l.Kernel
	refuse := func(code, format string, args ...any) error {
		return &LaunchError{code, fmt.Sprintf("%s: %s", k.Name, fmt.Sprintf(format, args...))}
	}
	for _, d := range []struct {
		what, unit string
		have, max  Dim3
	}{{"grid", "blocks", l.Grid, lim.Grid}, {"block", "threads", l.Block, lim.Block}} {
		for _, axis := range []struct {
			name      string
			have, max int
		}{{"x", d.have.X, d.max.X}, {"y", d.have.Y, d.max.Y}, {"z", d.have.Z, d.max.Z}} {
			if axis.have < 1 || axis.have > axis.max {
				return refuse(invalidValue, "the %s %s has %d %s in %s, at least 1 and at most %d are allowed",
					d.what, d.have, axis.have, d.unit, axis.name, axis.max)
			}
		}
	}
	threads := l.Block.Count()
	if threads > lim.ThreadsPerBlock {
		return refuse(invalidValue, "the block %s has %d threads, at most %d are allowed", l.Block, threads, lim.ThreadsPerBlock)
	}
	if most := k.MaxThreads; most != [3]int{} && threads > most[0]*most[1]*most[2] {
		return refuse(invalidValue, "the block %s has %d threads, its launch bounds (.maxntid) allow %d", l.Block, threads, most[0]*most[1]*most[2])
	}
	if r := k.RequiredThreads; r != [3]int{} && l.Block != (Dim3{r[0], r[1], r[2]}) {
		return refuse(invalidValue, "the block is %s, the kernel is made for %s (.reqntid)", l.Block, Dim3{r[0], r[1], r[2]})
	}
	if l.DynamicShared < 0 || l.SharedBytes() > lim.SharedPerBlock {
		return refuse(invalidValue, "a block needs %d bytes of shared memory, at most %d are allowed", l.SharedBytes(), lim.SharedPerBlock)
	}
	if len(l.Params) != k.ParamBytes || k.ParamBytes > lim.ParamBytes {
		return refuse(invalidValue, "%d bytes of parameters were given; the kernel takes %d, and the GPU at most %d", len(l.Params), k.ParamBytes, lim.ParamBytes)
	}
	c := l.Cluster
	if r := k.Cluster; r != [3]int{} && c != (Dim3{r[0], r[1], r[2]}) {
		return refuse(invalidCluster, "the cluster is %s, the kernel is made for %s (.reqnctapercluster)", c, Dim3{r[0], r[1], r[2]})
	}
	if most := k.MaxClusterBlocks; most != 0 && c.Count() > most {
		return refuse(invalidCluster, "the cluster %s has %d blocks, the kernel allows %d (.maxclusterrank)", c, c.Count(), most)
	}
	if c.X < 1 || c.Y < 1 || c.Z < 1 || c.Count() > max(lim.ClusterBlocks, 1) {
		return refuse(invalidCluster, "the cluster %s has %d blocks, at most %d are allowed", c, c.Count(), max(lim.ClusterBlocks, 1))
	}
	if l.Grid.X%c.X != 0 || l.Grid.Y%c.Y != 0 || l.Grid.Z%c.Z != 0 {
		return refuse(invalidCluster, "the grid %s is not a multiple of the cluster %s", l.Grid, c)
	}
	return nil
}

// ErrUnsupported is what CheckRunnable wraps when the kernel has instructions that engines do not run.
var ErrUnsupported = errors.New("not supported")

// CheckRunnable reports why an engine can not run the launch: instructions that are not supported, at
// their place in the source, or a launch that does not fit its kernel.
func CheckRunnable(l *Launch) error {
	k := l.Kernel
	if len(k.Unsupported) > 0 {
		p := k.Unsupported[0]
		return fmt.Errorf("%s:%d:%d: %s: %w", k.Module.Source.File, p.Pos.Line, p.Pos.Col, p.Msg, ErrUnsupported)
	}
	g, b, c := l.Grid, l.Block, l.Cluster
	switch {
	case g.Count() <= 0 || b.Count() <= 0 || c.Count() <= 0:
		return fmt.Errorf("%s: the grid %s, block %s or cluster %s is empty", k.Name, g, b, c)
	case g.X%c.X != 0 || g.Y%c.Y != 0 || g.Z%c.Z != 0:
		return fmt.Errorf("%s: the grid %s is not a multiple of the cluster %s", k.Name, g, c)
	case len(l.Params) != k.ParamBytes:
		return fmt.Errorf("%s: %d bytes of parameters, the kernel takes %d", k.Name, len(l.Params), k.ParamBytes)
	case len(l.Symbols) != len(k.Module.Globals):
		return fmt.Errorf("%s: addresses of %d global variables, the module has %d", k.Name, len(l.Symbols), len(k.Module.Globals))
	}
	return nil
}
