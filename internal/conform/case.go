package conform

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/mem"
	"silica/internal/texture"
	"silica/ptx"
)

// testCase is one case as the family's list describes it.
type testCase struct {
	ID, Entry, Instr string
	Launch           struct {
		Grid, Block, Cluster []int
		Shared               int
	}
	Params []param
	Error  *struct{ Code, At string }
	Tags   []string
}

// param is one parameter of a case's kernel.
type param struct {
	Kind, Dir string
	Data      *reference
	Fill      *int
	Expect    *reference
	Rule      *rule
	Bytes     int    // size of an output of a case that must fail
	Hex       string // of a scalar
	// Buffer is the number of the parameter that a tensor map is over.
	Buffer int
	Map    *tensorMap
	// Array and Sampler make a texture or surface.
	Array   *array
	Sampler *sampler
}

// reference names bytes in the family's data file.
type reference struct {
	File          string
	Offset, Bytes int
	Type          string
}

// The suite was recorded on an H200; this is what of it programs can see.
func recordedMachine() exec.Machine {
	return exec.Machine{
		SMs: 132, BlocksPerSM: 1, WarpsPerSM: 64, SharedPerBlock: 227 << 10, ClockHz: 1.98e9,
		LocalPerThread: 512 << 10, SharedReserved: 1024, ComputeCapability: 90,
	}
}

func recordedLimits() exec.Limits {
	return exec.Limits{
		Grid: exec.Dim3{X: 1<<31 - 1, Y: 65535, Z: 65535}, Block: exec.Dim3{X: 1024, Y: 1024, Z: 64},
		ThreadsPerBlock: 1024, SharedPerBlock: 227 << 10, ClusterBlocks: 8, ParamBytes: 32764,
	}
}

// maxInstructions ends cases that do not end themselves; all of the suite need far fewer.
const maxInstructions = 1 << 26

// lenient marks text that is not well-formed: refusing it is fine too.
const lenient = "lenient"

// run runs one case; the error tells why it failed.
func (f *family) run(ctx context.Context, engine exec.Engine, c *testCase) error {
	source, err := f.module(c.Entry)
	if err != nil {
		return err
	}
	tree, err := ptx.Load(f.file, source)
	if err != nil {
		if slices.Contains(c.Tags, lenient) {
			return nil
		}
		return err
	}
	module, err := ir.NewModule(tree)
	if err != nil {
		return err
	}
	kernel, err := module.Kernel(c.Entry)
	if err != nil {
		return err
	}
	memory, err := mem.New(1 << 30)
	if err != nil {
		return err
	}
	return errors.Join(f.launch(ctx, engine, c, kernel, memory), memory.Close())
}

// launch runs the kernel of a case and compares what it did.
func (f *family) launch(ctx context.Context, engine exec.Engine, c *testCase, kernel *ir.Kernel, memory *mem.Memory) error {
	variables, err := exec.PlaceVariables(kernel.Module, memory, nil)
	if err != nil {
		return err
	}
	l := &exec.Launch{
		Kernel: kernel, Grid: dim(c.Launch.Grid), Block: dim(c.Launch.Block), Cluster: dim(c.Launch.Cluster),
		DynamicShared: c.Launch.Shared, Params: make([]byte, kernel.ParamBytes), Memory: memory,
		Symbols: variables.Symbols, ConstRegions: variables.ConstRegions, Machine: recordedMachine(),
		Stdout: io.Discard, MaxInstructions: maxInstructions,
	}
	if len(c.Params) != len(kernel.Params) {
		return fmt.Errorf("%d parameters, the kernel has %d", len(c.Params), len(kernel.Params))
	}
	if r := kernel.Cluster; len(c.Launch.Cluster) == 0 && r != [3]int{} {
		l.Cluster = dim(r[:])
	}
	buffers := make([][]byte, len(c.Params))
	argument := func(i int) []byte {
		at := kernel.Params[i]
		return l.Params[at.Offset : at.Offset+at.Size]
	}
	l.Objects = texture.Objects{{}}
	for i := range c.Params {
		if p := &c.Params[i]; p.Array != nil {
			buffers[i], err = f.bind(p, &l.Objects, argument(i))
		} else {
			buffers[i], err = f.place(p, memory, argument(i))
		}
		if err != nil {
			return fmt.Errorf("parameter %d: %w", i, err)
		}
	}
	for i := range c.Params {
		if p := &c.Params[i]; p.Kind == "tensormap" {
			if err := p.Map.place(argument(i), argument(p.Buffer)); err != nil {
				return fmt.Errorf("parameter %d: %w", i, err)
			}
		}
	}
	at := "launch"
	if err = exec.CheckLaunch(l, recordedLimits()); err == nil {
		at = "synchronize"
		_, err = engine.Run(ctx, l)
	}
	if c.Error != nil {
		if code := codeOf(err); code != c.Error.Code || at != c.Error.At {
			return fmt.Errorf("%s at %s (%v), want %s at %s", code, at, err, c.Error.Code, c.Error.At)
		}
		return nil
	}
	if err != nil {
		return err
	}
	for i := range c.Params {
		if err := f.compare(&c.Params[i], buffers[i]); err != nil {
			return fmt.Errorf("parameter %d: %w", i, err)
		}
	}
	return nil
}

// dim fills in the extents that were left out.
func dim(v []int) exec.Dim3 {
	d := [3]int{1, 1, 1}
	copy(d[:], v)
	return exec.Dim3{X: d[0], Y: d[1], Z: d[2]}
}

// codeOf returns CUDA's name of the error of a launch.
func codeOf(err error) string {
	var refused *exec.LaunchError
	var fault *exec.Fault
	switch {
	case err == nil:
		return "CUDA_SUCCESS"
	case errors.As(err, &refused):
		return refused.Code
	case errors.As(err, &fault):
		return fault.Kind.CUDAName()
	}
	return "CUDA_ERROR_UNKNOWN"
}

// place prepares a parameter: its value goes to argument. It returns the buffer it points to, if any.
func (f *family) place(p *param, memory *mem.Memory, argument []byte) ([]byte, error) {
	switch p.Kind {
	case "scalar":
		b, err := hex.DecodeString(p.Hex)
		if err != nil || len(b) != len(argument) {
			return nil, fmt.Errorf("%d bytes, the kernel takes %d", len(b), len(argument))
		}
		copy(argument, b)
		return nil, nil
	case "buffer":
		if len(argument) != 8 {
			return nil, fmt.Errorf("an address of 8 bytes, the kernel takes %d", len(argument))
		}
		initial, err := f.initial(p)
		if err != nil {
			return nil, err
		}
		addr, err := memory.Alloc(uint64(len(initial)), 0)
		if err != nil {
			return nil, err
		}
		buffer, err := memory.Bytes(addr, uint64(len(initial)))
		if err != nil {
			return nil, err
		}
		copy(buffer, initial)
		binary.LittleEndian.PutUint64(argument, addr)
		return buffer, nil
	case "tensormap": // placed when the buffer it is over has its address
		if len(argument) != exec.TensorMapBytes || p.Map == nil || p.Buffer < 0 {
			return nil, fmt.Errorf("a tensor map for a parameter of %d bytes", len(argument))
		}
		return nil, nil
	}
	return nil, fmt.Errorf("%s parameters are not supported", p.Kind)
}

// initial returns what a buffer holds before the launch.
func (f *family) initial(p *param) ([]byte, error) {
	if p.Data != nil {
		return f.bytes(p.Data)
	}
	size := p.Bytes
	if p.Expect != nil {
		size = p.Expect.Bytes
	}
	if p.Fill == nil || size <= 0 {
		return nil, errors.New("a buffer without contents")
	}
	return bytes.Repeat([]byte{byte(*p.Fill)}, size), nil
}

// compare checks what a buffer holds after the launch.
func (f *family) compare(p *param, got []byte) error {
	switch {
	case p.Kind != "buffer" && p.Expect == nil:
		return nil
	case p.Dir == "in":
		want, err := f.bytes(p.Data)
		if err != nil {
			return err
		}
		return exact(got, want, elementOf(p.Data.Type))
	}
	want, err := f.bytes(p.Expect)
	if err != nil {
		return err
	}
	return p.Rule.compare(got, want, elementOf(p.Expect.Type))
}
