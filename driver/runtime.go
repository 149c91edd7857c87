package driver

import (
	"errors"
	"fmt"
	"math"

	"silica/internal/exec"
	"silica/internal/isa"
)

var _ exec.Runtime = (*grid)(nil)

// call is one call of the device runtime by a thread.
type call struct {
	*exec.Thread
	grid *grid
	args []uint64
}

// deviceRuntime serves the calls of CUDA's device runtime (ir.SystemFunction lists them). What it answers is
// in CUDA's Programming Guide, section CUDA Dynamic Parallelism; error codes are those an H200 was seen to
// give. Results are pointers or error codes; an error that is no *exec.Fault becomes its code and the last
// error of the thread.
var deviceRuntime = map[string]struct {
	words int // of arguments
	call  func(*call) (uint64, error)
}{
	"cudaGetParameterBuffer":                        {2, (*call).getParameterBuffer},
	"cudaGetParameterBufferV2":                      {6, (*call).getParameterBufferV2},
	"cudaLaunchDevice":                              {8, (*call).launchDevice},
	"cudaLaunchDeviceV2":                            {2, (*call).launchDeviceV2},
	"cudaGetLastError":                              {0, (*call).getLastError},
	"cudaPeekAtLastError":                           {0, (*call).peekAtLastError},
	"cudaGetErrorString":                            {1, (*call).getErrorString},
	"cudaGetErrorName":                              {1, (*call).getErrorName},
	"cudaGetDevice":                                 {1, func(c *call) (uint64, error) { return 0, c.out(0, 4, uint64(c.device().Ordinal)) }},
	"cudaGetDeviceCount":                            {1, func(c *call) (uint64, error) { return 0, c.out(0, 4, uint64(len(c.device().system.GPUs))) }},
	"cudaRuntimeGetVersion":                         {1, func(c *call) (uint64, error) { return 0, c.out(0, 4, deviceRuntimeVersion) }},
	"cudaDeviceGetAttribute":                        {3, (*call).deviceGetAttribute},
	"cudaDeviceGetLimit":                            {2, (*call).deviceGetLimit},
	"cudaDeviceGetCacheConfig":                      {1, func(c *call) (uint64, error) { return 0, c.out(0, 4, 0) }},
	"cudaDeviceGetSharedMemConfig":                  {1, func(c *call) (uint64, error) { return 0, c.out(0, 4, fourByteBanks) }},
	"cudaStreamCreateWithFlags":                     {2, (*call).streamCreate},
	"cudaStreamDestroy":                             {1, (*call).streamDestroy},
	"cudaStreamWaitEvent":                           {3, (*call).streamWaitEvent},
	"cudaEventCreateWithFlags":                      {2, (*call).eventCreate},
	"cudaEventDestroy":                              {1, (*call).eventDestroy},
	"cudaEventRecord":                               {2, (*call).eventRecord},
	"cudaEventRecordWithFlags":                      {3, (*call).eventRecord},
	"cudaMalloc":                                    {2, (*call).malloc},
	"cudaFree":                                      {1, (*call).free},
	"cudaMemcpyAsync":                               {5, (*call).memcpy},
	"cudaMemcpy2DAsync":                             {8, (*call).memcpy2D},
	"cudaMemcpy3DAsync":                             {2, (*call).memcpy3D},
	"cudaMemsetAsync":                               {4, (*call).memset},
	"cudaMemset2DAsync":                             {6, (*call).memset2D},
	"cudaMemset3DAsync":                             {9, (*call).memset3D},
	"cudaFuncGetAttributes":                         {2, (*call).funcGetAttributes},
	"cudaGraphSetConditional":                       {2, (*call).setConditional},
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor": {4, (*call).occupancy},
	"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": {5, (*call).occupancy},
}

const (
	// deviceRuntimeVersion is what an H200 answers, whatever the version of the toolkit.
	deviceRuntimeVersion = 6000
	fourByteBanks        = 1 // cudaSharedMemBankSizeFourByte
)

// The streams that have names; the default stream of the block is 0.
const (
	streamTailLaunch      = 3
	streamFireAndForget   = 4
	firstHandle           = 0x1000
	streamGraphTailLaunch = 1 << 56 // with multiples of it, the streams of a graph's kernels
)

// Flags of streams and events.
const (
	streamNonBlocking  = 1
	eventDisableTiming = 2
)

// Call makes a call of the device runtime; see exec.Runtime.
func (g *grid) Call(t *exec.Thread, name string, args []uint64) (uint64, *exec.Fault) {
	f, ok := deviceRuntime[name]
	if !ok || len(args) < f.words {
		return 0, &exec.Fault{Kind: exec.InvalidPC, Detail: fmt.Sprintf("%s with %d words of arguments; want %d", name, len(args), f.words)}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	c := &call{Thread: t, grid: g, args: args}
	result, err := f.call(c)
	var fault *exec.Fault
	var failed *Error
	switch {
	case err == nil:
		return result, nil
	case errors.As(err, &fault):
		return 0, fault
	case errors.As(err, &failed):
		g.errors[c.thread()] = failed.Code
		return uint64(failed.Code), nil
	}
	return 0, &exec.Fault{Kind: exec.Trap, Detail: fmt.Sprintf("%s: %v", name, err)}
}

func (c *call) device() *Device { return c.grid.function.Module.device }

// thread identifies the thread that calls.
func (c *call) thread() thread {
	b, t := c.Launch.Block, c.Thread.Thread
	return thread{c.block(), t.X + b.X*(t.Y+b.Y*t.Z)}
}

// block returns the linear index of the block of the thread that calls.
func (c *call) block() int {
	g, b := c.Launch.Grid, c.Block
	return b.X + g.X*(b.Y+g.Y*b.Z)
}

// out writes a result through the pointer that argument i is.
func (c *call) out(i, bytes int, value uint64) error { return c.write(c.args[i], bytes, value) }

func (c *call) write(addr uint64, bytes int, value uint64) error {
	if !c.Write(addr, bytes, value) {
		return exec.Outside(c.Launch, isa.Generic, addr, bytes)
	}
	return nil
}

func (c *call) read(addr uint64, bytes int) (uint64, error) {
	v, ok := c.Read(addr, bytes)
	if !ok {
		return 0, exec.Outside(c.Launch, isa.Generic, addr, bytes)
	}
	return v, nil
}

// function returns the kernel at an address.
func (c *call) function(addr uint64) (*Function, error) {
	m := c.grid.function.Module
	name, ok := m.program.EntryAt(addr)
	if !ok {
		return nil, &exec.Fault{Kind: exec.IllegalAddress, Address: addr, Bytes: 1, Detail: "there is no kernel"}
	}
	f, err := m.Function(name)
	if err != nil {
		return nil, &exec.Fault{Kind: exec.Trap, Detail: err.Error()}
	}
	return f, nil
}

func (c *call) getLastError() (uint64, error) {
	t := c.thread()
	last := c.grid.errors[t]
	delete(c.grid.errors, t)
	return uint64(last), nil
}

func (c *call) peekAtLastError() (uint64, error) { return uint64(c.grid.errors[c.thread()]), nil }

func (c *call) getErrorString() (uint64, error) {
	return c.text(Code(int32(c.args[0])).Text())
}

func (c *call) getErrorName() (uint64, error) {
	return c.text(Code(int32(c.args[0])).RuntimeName())
}

// text returns the address of a text of CUDA's in the device's memory, which keeps it.
func (c *call) text(s string) (uint64, error) {
	if s == "" {
		s = "unrecognized error code"
	}
	d := c.device()
	d.mu.Lock()
	defer d.mu.Unlock()
	if addr, ok := d.texts[s]; ok {
		return addr, nil
	}
	addr, err := d.memory.Alloc(uint64(len(s)+1), 1)
	if err != nil {
		return 0, nil
	}
	b, err := d.memory.Bytes(addr, uint64(len(s)+1))
	if err != nil {
		return 0, err
	}
	b[copy(b, s)] = 0
	if d.texts == nil {
		d.texts = map[string]uint64{}
	}
	d.texts[s] = addr
	return addr, nil
}

func (c *call) deviceGetAttribute() (uint64, error) {
	gpus := c.device().system.GPUs
	device := int(int32(c.args[2]))
	if device < 0 || device >= len(gpus) {
		return 0, Fail(InvalidDevice, "there is no device %d", device)
	}
	number := int(int32(c.args[1]))
	name, ok := AttributeName(number)
	if !ok && number != 0 {
		return 0, Fail(InvalidValue, "there is no device attribute %d", number)
	}
	value, _ := gpus[device].Attribute(name)
	return 0, c.out(0, 4, uint64(value))
}

// limitSharedMemory is a limit that only the device runtime tells: the shared memory of a block in bytes.
const limitSharedMemory Limit = 7

func (c *call) deviceGetLimit() (uint64, error) {
	limit := Limit(int32(c.args[1]))
	value, err := c.device().Limit(limit)
	if limit == limitSharedMemory {
		value, err = uint64(c.device().GPU.Limits.SharedPerBlockOptin), nil
	}
	if codeOf(err) == UnsupportedLimit {
		value = math.MaxUint64 // as an H200 writes beside the error
	} else if err != nil {
		return 0, err
	}
	if outErr := c.out(0, 8, value); outErr != nil {
		return 0, outErr
	}
	return 0, err
}

func (c *call) malloc() (uint64, error) {
	size := c.args[1]
	if size == 0 {
		return 0, Fail(InvalidValue, "an allocation of 0 bytes")
	}
	addr := c.Launch.Heap.Alloc(size)
	if addr == 0 {
		return 0, Fail(OutOfMemory, "an allocation of %d bytes on the device's heap", size)
	}
	return 0, c.out(0, 8, addr)
}

func (c *call) free() (uint64, error) {
	if addr := c.args[0]; addr != 0 && !c.Launch.Heap.Free(addr) {
		return 0, &exec.Fault{Kind: exec.IllegalAddress, Address: addr, Bytes: 1, Detail: "cudaFree of what no kernel allocated"}
	}
	return 0, nil
}

// funcGetAttributes fills the first fields of a cudaFuncAttributes; the device runtime has no others.
func (c *call) funcGetAttributes() (uint64, error) {
	f, err := c.function(c.args[1])
	if err != nil {
		return 0, err
	}
	a := f.Attributes()
	at := c.args[0]
	for _, field := range []struct{ bytes, value int }{
		{8, a.StaticShared}, {8, a.Const}, {8, a.Local}, {4, a.ThreadsPerBlock}, {4, a.Registers}, {4, a.PTXVersion}, {4, a.BinaryVersion},
	} {
		if err := c.write(at, field.bytes, uint64(field.value)); err != nil {
			return 0, err
		}
		at += uint64(field.bytes)
	}
	return 0, nil
}

// occupancy answers 0 blocks for a block that can not run.
func (c *call) occupancy() (uint64, error) {
	f, err := c.function(c.args[1])
	if err != nil {
		return 0, err
	}
	blocks := 0
	if o, err := f.Occupancy(int(int32(c.args[2])), int(c.args[3])); err == nil {
		blocks = o.Blocks
	}
	return 0, c.out(0, 4, uint64(blocks))
}
