package driver

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"silica/gpu"
	"silica/internal/exec"
	"silica/internal/exec/ref"
	"silica/internal/exec/simd"
	"silica/internal/mem"
)

// Options configures a Device.
type Options struct {
	// Engine is "simd" (the default when empty) or "ref".
	Engine string
	// Workers is the number of blocks run at the same time; 0 stands for all cores.
	Workers int
	// Stdout receives what kernels print; os.Stdout when nil.
	Stdout io.Writer
	// MaxInstructions limits the warp instructions of one launch, 0 for no limit.
	MaxInstructions uint64
	// Timeout limits the time of one launch, with the launches of its threads; 0 for no limit.
	Timeout time.Duration
	// Failed is called with what went wrong in work that nobody waited for; nil when nobody listens.
	Failed func(error)
	// Tracer sees every launch; nil when nobody listens.
	Tracer Tracer
	// Recorder sees all work; nil when nobody listens.
	Recorder *Recorder
}

// Tracer sees every launch of a device.
type Tracer interface {
	// Launch is called before a launch runs and may ask for counts and observations by setting
	// l.Count, l.Observe and l.Trace; the function it returns is called when the launch has ended.
	Launch(f *Function, l *exec.Launch) (ended func(stats *exec.Stats, err error))
}

// Device is one simulated GPU with its memory and the modules loaded on it. It is safe for concurrent use.
type Device struct {
	GPU     *gpu.GPU
	Ordinal int // of the GPU in its system
	system  *System
	options Options
	context int // of the recorder
	engine  exec.Engine
	memory  *mem.Memory
	heap    heap
	objects objects
	limits  limits

	legacyStream  *Stream
	launches      atomic.Uint64 // by the host
	childLaunches atomic.Uint64 // by kernels
	streamIDs     atomic.Uint64
	captureIDs    atomic.Uint64
	// blockingCaptures counts the captures that began with a blocking stream and have not ended.
	blockingCaptures atomic.Int32
	sticky           atomic.Pointer[Error]   // the fault that ended the device's context
	stop             context.CancelCauseFunc // ends running kernels
	running          context.Context

	order   *sync.Mutex // of the system's tasks
	streams map[*Stream]struct{}

	mu      sync.Mutex
	texts   map[string]uint64       // what kernels were told of errors, by content
	imports map[IPCHandle]*imported // memory of other processes
}

// ErrEngine is returned for an engine that does not exist.
var ErrEngine = errors.New("unknown engine")

// NewEngine returns the engine of a name: "simd" (also for ""), "ref".
func NewEngine(name string) (exec.Engine, error) {
	switch name {
	case "", "simd":
		return simd.New(), nil
	case "ref":
		return ref.New(), nil
	}
	return nil, Fail(InvalidValue, "engine %q: %v; there are simd and ref", name, ErrEngine)
}

// Open returns a new device of the given GPU, alone in a system.
func Open(g *gpu.GPU, o Options) (*Device, error) {
	s, err := NewSystem(g)
	if err != nil {
		return nil, err
	}
	return s.Open(0, o)
}

// Open returns a new context of a GPU of the system.
func (s *System) Open(ordinal int, o Options) (*Device, error) {
	engine, err := NewEngine(o.Engine)
	if err != nil {
		return nil, err
	}
	memory, err := s.physical[ordinal].Context()
	if err != nil {
		return nil, wrap(OutOfMemory, err)
	}
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	o.Stdout = &exec.LockedWriter{W: o.Stdout}
	d := &Device{
		GPU: s.GPUs[ordinal], Ordinal: ordinal, system: s, options: o, engine: engine, memory: memory,
		order: &s.order, streams: map[*Stream]struct{}{},
	}
	if r := o.Recorder; r != nil {
		d.context = int(r.contexts.Add(1))
	}
	d.running, d.stop = context.WithCancelCause(context.Background())
	d.limits.reset(d.GPU)
	d.heap.device = d
	d.legacyStream = d.NewStream(Blocking, 0)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.devices[memory] = d
	return d, nil
}

// System returns the system of the device.
func (d *Device) System() *System { return d.system }

// Close waits for running work and gives the device's memory back.
func (d *Device) Close() error {
	d.drain()
	d.sticky.CompareAndSwap(nil, Fail(ContextIsDestroyed, "the device was closed"))
	d.drain() // what came in between
	d.hostTouched()
	d.leave()
	return d.memory.Close()
}

// Finish waits until all work is done. At the deadline it ends kernels that still run, and lets no other work begin.
func (d *Device) Finish(deadline <-chan time.Time) {
	done := make(chan struct{})
	go func() {
		d.drain()
		d.hostTouched()
		close(done)
	}()
	select {
	case <-done:
	case <-deadline:
		over := Fail(ContextIsDestroyed, "the program ended without waiting for it")
		d.sticky.CompareAndSwap(nil, over)
		d.stop(over)
		select {
		case <-done:
		case <-time.After(100 * time.Millisecond): // a host function that does not return
		}
	}
}

// Status returns the fault that ended the device's context, nil when there is none.
func (d *Device) Status() error {
	if e := d.sticky.Load(); e != nil {
		return e
	}
	return nil
}

// Synchronize waits until all work is done and returns the device's status.
func (d *Device) Synchronize() error {
	if err := d.refuse(); err != nil {
		return err
	}
	d.drain()
	return d.Status()
}

// Interrupt ends the kernels that run, and those to come: each says where its warps are, as one does that runs into a limit of time.
func (d *Device) Interrupt() { d.stop(exec.ErrInterrupted) }
