package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"silica/driver"
	"silica/internal/progress"
	"silica/profile"
	"silica/report"
)

type profileCommand struct {
	File string      `arg:"" help:"CUDA source (.cu), PTX (.ptx) or a program, looked up in PATH too."`
	Args programArgs `arg:"" optional:"" passthrough:"" help:"Arguments of the program, after --."`
	machineFlags
	compileFlags
	kernelFlags
	Format string `enum:"text,json,csv" default:"text" help:"Output format: ${enum}."`
	Set    string `enum:"basic,full" default:"basic" help:"How much to report: ${enum}."`
	Regs   int    `default:"0" help:"Registers per thread, as ptxas reports them; estimated when 0."`
	Output string `short:"o" help:"File for the report instead of standard output. Without it, json and csv send what the program prints to standard error." placeholder:"FILE"`
}

// Help is the example that -h shows.
func (*profileCommand) Help() string {
	return `Examples:

  silica profile examples/matmul.cu
  silica profile cmd/silica/testdata/saxpy.ptx --grid 4096 --block 256 \
    --arg f32=2 --arg 'f32[1048576]=uniform(1)' \
    --arg 'inout f32[1048576]=uniform(2)' --arg u32=1048576 --set full`
}

func (c *profileCommand) Run(ctx context.Context, io streams) error {
	if err := checkInput(c.File, c.Args, c.kernelFlags); err != nil {
		return err
	}
	if c.Regs < 0 || c.Regs > 255 {
		return usage("--regs %d: a thread has 1 to 255 registers", c.Regs)
	}
	out := io.out
	if c.Format != "text" && c.Output == "" {
		io.out = io.err // what the program prints would break the report's format
	}
	if c.Output != "" {
		file, err := os.Create(c.Output)
		if err != nil {
			return failure{exitUsage, err}
		}
		defer file.Close()
		out = file
	}
	var launches []*profile.Launch
	var ran, err error
	if filepath.Ext(c.File) == ".ptx" {
		launches, ran = c.kernel(ctx, io)
	} else {
		launches, ran, err = c.program(ctx, io)
	}
	if err != nil {
		return err
	}
	if len(launches) > 0 {
		if err := c.write(out, launches); err != nil {
			return err
		}
	} else if ran == nil {
		return fmt.Errorf("%s: the program launched no kernel", c.File)
	}
	return ran
}

// kernel profiles one kernel of a .ptx file. The error is what went wrong with the launch; there may be a profile of what ran before.
func (c *profileCommand) kernel(ctx context.Context, io streams) ([]*profile.Launch, error) {
	g, err := loadGPU(c.GPU)
	if err != nil {
		return nil, err
	}
	collector := profile.NewCollector(g, profile.Options{Registers: c.Regs})
	r, err := runKernel(ctx, c.File, g, c.kernelFlags, driver.Options{Engine: c.Engine, Workers: c.Workers, Stdout: io.out, Tracer: progress.On(io.err, collector)})
	if err != nil {
		return collector.Launches(), err
	}
	return collector.Launches(), r.device.Close()
}

// program profiles all launches of a program. ran is the program's own failure.
func (c *profileCommand) program(ctx context.Context, io streams) (launches []*profile.Launch, ran, err error) {
	path, remove, err := profileFile()
	if err != nil {
		return nil, nil, err
	}
	defer remove()
	ran = runProgram(ctx, io, program{file: c.File, args: c.Args.list(), machine: c.machineFlags, compile: c.compileFlags, profile: path, regs: c.Regs})
	var f failure
	if errors.As(ran, &f) && f.err != nil {
		return nil, nil, ran // it did not start
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, ran, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() == 0 {
		return nil, ran, err
	}
	launches, err = profile.Read(file)
	return launches, ran, err
}

func (c *profileCommand) write(out io.Writer, launches []*profile.Launch) error {
	options := report.Options{Set: c.Set, Color: colours(out), Source: sourceLines()}
	switch c.Format {
	case "json":
		return report.JSON(out, launches)
	case "csv":
		return report.CSV(out, launches, options)
	}
	return report.Text(out, launches, options)
}

// sourceLines returns a function that gives the text of a source line, "" when the file can not be read. Files are kept.
func sourceLines() func(file string, line int) string {
	files := map[string][]string{}
	return func(file string, line int) string {
		lines, known := files[file]
		if !known {
			if text, err := os.ReadFile(file); err == nil {
				lines = strings.Split(string(text), "\n")
			}
			files[file] = lines
		}
		if line < 1 || line > len(lines) {
			return ""
		}
		return strings.TrimSpace(lines[line-1])
	}
}
