package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"silica/driver"
	"silica/gpu"
	"silica/internal/compile"
	"silica/internal/sass"
)

type sassCommand struct {
	File    string       `arg:"" type:"existingfile" help:".ptx or .cu file."`
	GPU     string       `name:"gpu" default:"h200" help:"GPU: a name of silica gpus, or a .json file."`
	Kernel  string       `help:"Only this kernel." placeholder:"NAME"`
	Compile compileFlags `embed:""`
}

// Help is the example that -h shows.
func (*sassCommand) Help() string {
	return "The machine code is an estimate of what ptxas -O3 makes; it is not encoded or run.\n\nExample:\n\n  silica sass kernel.ptx --gpu a100 --kernel saxpy"
}

func (c *sassCommand) Run(ctx context.Context, io streams) (err error) {
	g, err := loadGPU(c.GPU)
	if err != nil {
		return err
	}
	arch, err := sass.ArchOf(g)
	if err != nil {
		return failure{exitUsage, err}
	}
	text, err := c.text(ctx, g)
	if err != nil {
		return failure{exitLoad, err}
	}
	d, err := driver.Open(g, driver.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if e := d.Close(); err == nil {
			err = e
		}
	}()
	m, err := d.LoadPTX(c.File, text)
	if err != nil {
		return failure{exitLoad, err}
	}
	names := m.Kernels()
	if c.Kernel != "" {
		name, err := kernelNamed(c.File, names, c.Kernel)
		if err != nil {
			return err
		}
		names = []string{name}
	}
	if len(names) == 0 {
		return failure{exitLoad, fmt.Errorf("%s: there is no kernel (.entry) in it", c.File)}
	}
	for _, name := range names {
		f, err := m.Function(name)
		if err != nil {
			return failure{exitLoad, err}
		}
		sass.Fprint(io.out, sass.Lower(f.Kernel, arch))
	}
	return nil
}

// text reads the PTX, or makes it of CUDA C++.
func (c *sassCommand) text(ctx context.Context, g *gpu.GPU) ([]byte, error) {
	if strings.HasSuffix(c.File, ".ptx") {
		text, err := os.ReadFile(c.File)
		if err != nil {
			return nil, unreadable(err)
		}
		return text, nil
	}
	if filepath.Ext(c.File) != ".cu" {
		return nil, fmt.Errorf("%s: machine code is made of a .ptx or a .cu file", c.File)
	}
	arch, err := compile.ArchFor(g.Chip.ComputeCapability.Major, g.Chip.ComputeCapability.Minor)
	if err != nil {
		return nil, err
	}
	return compile.Device(ctx, c.File, compile.Options{
		Arch: arch, Include: c.Compile.Include, Define: c.Compile.Define, Std: c.Compile.Std, Opt: c.Compile.Opt,
	})
}
