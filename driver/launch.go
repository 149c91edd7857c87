package driver

import (
	"context"
	"encoding/binary"
	"errors"

	"silica/gpu"
	"silica/internal/exec"
)

// Dim3 is an extent in x, y and z.
type Dim3 = exec.Dim3

// Launch describes one kernel launch.
type Launch struct {
	Grid, Block Dim3
	// Cluster is in blocks; the zero value stands for what the kernel says, or no clusters.
	Cluster Dim3
	Shared  int // dynamic shared memory in bytes
	// Cooperative asks that all blocks run at once, so that they can wait for each other.
	Cooperative bool
	// Params is the parameter buffer: each parameter at its offset in Function.Kernel.Params.
	Params []byte
	// Stream is where the launch has its turn; the legacy stream when nil.
	Stream *Stream
	// Multiprocessors are those that the kernel sees and fills; 0 stands for all of the GPU.
	Multiprocessors int
}

// Launch runs the kernel over the grid. The error is an *Error: that of a launch the GPU refuses, the
// device's status when an earlier fault ended its context, or the fault of this launch, which becomes
// the device's status.
func (f *Function) Launch(ctx context.Context, c Launch) error {
	p, err := f.prepare(c)
	if err != nil {
		return err
	}
	t := &Task{}
	if t.activity = f.Module.device.activity(KernelActivity); t.activity != nil {
		t.activity.Name, t.activity.Waited = f.Kernel.Name, true
	}
	t.work = func() error { return p.run(ctx, t.activity) }
	return f.stream(c).do(t)
}

// Start submits the kernel to its stream and returns at once, with the error of a launch that the GPU refuses or the
// device's status. What goes wrong later becomes the device's status and goes to Options.Failed.
func (f *Function) Start(c Launch) error {
	return f.stream(c).Submit(KernelLaunch{Function: f, Launch: c}, false)
}

func (f *Function) stream(c Launch) *Stream {
	if c.Stream == nil {
		return f.Module.device.legacyStream
	}
	return c.Stream
}

// ErrUnloaded is wrapped by the error of a launch whose module is gone.
var ErrUnloaded = errors.New("the module of the kernel was unloaded")

// prepared is a launch that the GPU does not refuse.
type prepared struct {
	function *Function
	launch   *exec.Launch
	// cooperative is set when the blocks wait for each other.
	cooperative bool
}

// prepare checks a launch, and whether the device can still run it.
func (f *Function) prepare(c Launch) (*prepared, error) {
	d := f.Module.device
	if err := d.Status(); err != nil {
		return nil, err
	}
	if f.Module.unloaded.Load() {
		return nil, &Error{Code: InvalidHandle, Msg: ErrUnloaded.Error(), err: ErrUnloaded}
	}
	if c.Cluster == (Dim3{}) {
		c.Cluster = Dim3{X: 1, Y: 1, Z: 1}
		if r := f.Kernel.Cluster; r != [3]int{} {
			c.Cluster = Dim3{X: r[0], Y: r[1], Z: r[2]}
		}
	}
	l := &exec.Launch{
		Kernel: f.Kernel, Grid: c.Grid, Block: c.Block, Cluster: c.Cluster, DynamicShared: c.Shared, Params: c.Params,
		Memory: d.memory, Symbols: f.Module.variables.Symbols, ConstRegions: f.Module.variables.ConstRegions,
		Stdout: d.options.Stdout, Workers: d.options.Workers, MaxInstructions: d.options.MaxInstructions,
		Heap: &d.heap,
	}
	limits := Limits(d.GPU, f.sharedLimit())
	limits.ClusterBlocks = f.clusterLimit()
	if err := exec.CheckLaunch(l, limits); err != nil {
		e := launchError(err)
		if most := d.GPU.Limits.SharedPerBlockOptin; l.SharedBytes() > limits.SharedPerBlock && l.SharedBytes() <= most {
			e = Fail(codeOf(e), "%v without the function's attribute MaxDynamicSharedMemorySize (cudaFuncSetAttribute), which allows up to %d", e, most)
		}
		return nil, e
	}
	resident, err := f.residentBlocks(c)
	if err != nil {
		return nil, err
	}
	l.Machine = f.machine(resident)
	if c.Multiprocessors > 0 {
		l.Machine.SMs = min(l.Machine.SMs, c.Multiprocessors)
	}
	if most := resident * l.Machine.SMs; c.Cooperative && l.Grid.Count() > most {
		return nil, Fail(CooperativeLaunchTooLarge, "%s: a cooperative launch of %d blocks; %d run at once", f.Kernel.Name, l.Grid.Count(), most)
	}
	return &prepared{f, l, c.Cooperative}, nil
}

// run runs the launch to its end, for an activity that may be nil. It can be run again.
func (p *prepared) run(ctx context.Context, a *Activity) error {
	f, l := p.function, new(exec.Launch)
	d := f.Module.device
	*l = *p.launch
	if p.cooperative {
		free, err := d.meetingPlace(l)
		if err != nil {
			return err
		}
		defer free()
	}
	if limit := d.options.Timeout; limit != 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, exec.TimeLimit(limit))
		defer cancel()
	}
	if a != nil {
		d.hostTouched()
	}
	err := newGrid(f, l).run(ctx)
	if a != nil {
		a.Grid, a.Migrations = l.GridID, d.kernelTouched()
	}
	return err
}

func launchError(err error) error {
	var refused *exec.LaunchError
	if errors.As(err, &refused) {
		return &Error{Code: codeNamed(refused.Code), Msg: refused.Msg, err: err}
	}
	return err
}

// failed returns the error of a launch that ended with err. A kernel's fault becomes the device's status.
func (f *Function) failed(err error) error {
	d := f.Module.device
	var fault *exec.Fault
	e := wrap(LaunchFailed, err)
	switch {
	case errors.As(err, &fault):
		e.Code = codeNamed(fault.Kind.CUDAName())
		if fault.Kind == exec.Assert {
			e.Msg = fault.Detail
		}
	case errors.Is(err, exec.ErrLimit):
		e.Code = LaunchTimeout
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	default:
		e.Code = NotSupported
		return e
	}
	d.system.fault(e)
	return e
}

// residentBlocks returns how many blocks of the launch an SM holds. It is at least 1: registers are
// estimated, and an estimate refuses no launch.
func (f *Function) residentBlocks(c Launch) (int, error) {
	o, err := f.Occupancy(c.Block.Count(), c.Shared)
	if err != nil {
		return 0, err
	}
	return max(o.Blocks, 1), nil
}

// meetingPlace gives a launch whose blocks wait for each other the memory through which they meet. free
// gives it back.
func (d *Device) meetingPlace(l *exec.Launch) (free func(), err error) {
	const bytes = exec.WorkspaceBytes
	addr, err := d.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	b, err := d.Bytes(addr, bytes)
	if err != nil {
		return nil, err
	}
	clear(b)
	binary.LittleEndian.PutUint32(b, bytes)
	l.Workspace = addr
	return func() { _ = d.memory.Free(addr) }, nil // it is ours, so it can be freed
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

func (f *Function) machine(residentBlocks int) exec.Machine {
	d := f.Module.device
	g := d.GPU
	cc := g.Chip.ComputeCapability
	return exec.Machine{
		SMs: g.Chip.SMs, BlocksPerSM: residentBlocks, WarpsPerSM: g.WarpsPerSM(), SharedPerBlock: f.sharedLimit(),
		ClockHz: float64(g.Clock.CoreKHz) * 1e3, LocalPerThread: d.localLimit(),
		SharedReserved: g.Limits.SharedReservedPerBlock, ComputeCapability: cc.SM(),
	}
}

// localLimit is the local memory in bytes that a thread can have.
func (d *Device) localLimit() int { return max(d.GPU.Limits.LocalPerThread, 512<<10) }
