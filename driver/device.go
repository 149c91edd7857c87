package driver

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"

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
	// Tracer sees every launch; nil when nobody listens.
	Tracer Tracer
}

// Tracer sees every launch of a device.
type Tracer interface {
	// Launch is called before a launch runs and may ask for counts and observations by setting
	// l.Count and l.Observe; the function it returns is called when the launch has ended.
	Launch(f *Function, l *exec.Launch) (ended func(stats *exec.Stats, err error))
}

// Device is one simulated GPU with its memory and the modules loaded on it. It is safe for concurrent use.
type Device struct {
	GPU     *gpu.GPU
	options Options
	engine  exec.Engine
	memory  *mem.Memory

	mu       sync.Mutex
	sticky   *Error // the fault that ended the device's context
	launches uint64
	heap     *heap
	hosts    map[uintptr]uint64 // registered and pinned host memory: size by address
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
	return nil, fail(InvalidValue, "engine %q: %v; there are simd and ref", name, ErrEngine)
}

// Open returns a new device of the given GPU.
func Open(g *gpu.GPU, o Options) (*Device, error) {
	engine, err := NewEngine(o.Engine)
	if err != nil {
		return nil, err
	}
	memory, err := mem.New(uint64(g.Memory.GlobalBytes))
	if err != nil {
		return nil, &Error{Code: OutOfMemory, Msg: err.Error(), err: err}
	}
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	o.Stdout = &exec.LockedWriter{W: o.Stdout}
	d := &Device{GPU: g, options: o, engine: engine, memory: memory, hosts: map[uintptr]uint64{}}
	d.heap = &heap{device: d}
	return d, nil
}

// Close gives the device's memory back.
func (d *Device) Close() error { return d.memory.Close() }

// Status returns the fault that ended the device's context, nil when there is none.
func (d *Device) Status() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sticky != nil {
		return d.sticky
	}
	return nil
}

// Synchronize waits until all work is done and returns the device's status.
func (d *Device) Synchronize() error { return d.Status() }

// fault makes err the device's status when it is a kernel's fault.
func (d *Device) fault(err error) error {
	var f *exec.Fault
	e := &Error{Code: LaunchFailed, Msg: err.Error(), err: err}
	switch {
	case errors.As(err, &f):
		e.Code = codeNamed(f.Kind.CUDAName())
		if f.Kind == exec.Assert {
			e.Msg = f.Detail
		}
	case errors.Is(err, exec.ErrLimit):
		e.Code = LaunchTimeout
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	default:
		e.Code = NotSupported
		return e
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sticky == nil {
		d.sticky = e
	}
	return e
}

// heap serves malloc and free of kernels from the device's memory.
type heap struct {
	device *Device
	mu     sync.Mutex
	blocks map[uint64]bool
}

func (h *heap) Alloc(size uint64) uint64 {
	addr, err := h.device.memory.Alloc(max(size, 1), 16)
	if err != nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.blocks == nil {
		h.blocks = map[uint64]bool{}
	}
	h.blocks[addr] = true
	return addr
}

func (h *heap) Free(addr uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.blocks[addr] {
		return false
	}
	delete(h.blocks, addr)
	return h.device.memory.Free(addr) == nil
}
