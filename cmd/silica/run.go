package main

import (
	"context"
	"time"

	"github.com/alecthomas/kong"

	"silica/driver"
	"silica/internal/progress"
)

type runCommand struct {
	File string      `arg:"" help:"CUDA source (.cu), PTX (.ptx) or a program, looked up in PATH too."`
	Args programArgs `arg:"" optional:"" passthrough:"" help:"Arguments of the program, after --."`
	machineFlags
	compileFlags
	kernelFlags
	logFlags
}

// Help is the example that -h shows.
func (*runCommand) Help() string {
	return `Examples:

  silica run examples/vector_add.cu
  silica run --log info python3 script.py
  silica run --gpu h200,h200 program.cu
  silica run cmd/silica/testdata/saxpy.ptx --grid 4 --block 256 --arg f32=2 \
    --arg 'f32[1024]=iota' --arg 'inout f32[1024]=1' --arg u32=1024`
}

func (c *runCommand) Run(ctx context.Context, parsed *kong.Context, io streams) error {
	if err := checkInput(c.File, c.Args, c.GPU, c.kernelFlags); err != nil {
		return err
	}
	c.Args.warn(io.err, parsed)
	if !isKernel(c.File) {
		if err := c.logFlags.check(); err != nil {
			return err
		}
		return runProgram(ctx, io, program{file: c.File, args: c.Args.list(), machine: c.machineFlags, compile: c.compileFlags, log: c.logFlags})
	}
	g, err := loadGPU(c.GPU)
	if err != nil {
		return err
	}
	r, err := runKernel(ctx, c.File, g, c.kernelFlags, driver.Options{Engine: c.Engine, Workers: c.Workers, Timeout: time.Duration(c.Timeout), Stdout: io.out, Tracer: progress.On(io.err, nil)})
	if err != nil {
		return err
	}
	defer r.device.Close()
	return r.outputs(io)
}
