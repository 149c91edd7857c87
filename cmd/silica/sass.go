package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"silica/driver"
	"silica/gpu"
	"silica/internal/compile"
	"silica/internal/ptxas"
	"silica/internal/run"
	"silica/internal/sass"
	"silica/ptx"
)

type sassCommand struct {
	File    string       `arg:"" type:"existingfile" help:".ptx or .cu file."`
	GPU     string       `name:"gpu" default:"h200" help:"GPU: a name of silica gpus, or a .json file."`
	Kernel  string       `help:"Only this kernel." placeholder:"NAME"`
	Limit   int          `name:"maxrregcount" help:"Most registers of kernels without launch bounds." placeholder:"N"`
	Ptxas   bool         `help:"Take registers, spills and the machine code itself from NVIDIA's ptxas and nvdisasm, if they are on this machine: in CUDA_HOME, PATH or a package of Python."`
	Compile compileFlags `embed:""`
}

// Help is the example that -h shows.
func (*sassCommand) Help() string {
	return "The machine code is an estimate of what ptxas -O3 makes; it is not encoded or run. With --ptxas it is what NVIDIA's\nassembler makes, where that is installed.\n\nExamples:\n\n  silica sass kernel.ptx --gpu a100 --kernel saxpy\n  silica sass kernel.cu --ptxas"
}

func (c *sassCommand) Run(ctx context.Context, streams streams) (err error) {
	g, err := loadGPU(c.GPU)
	if err != nil {
		return err
	}
	arch, err := sass.ArchOf(g)
	if err != nil {
		return failure{exitUsage, err}
	}
	text, err := c.text(ctx)
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
	var assembled []ptxas.Kernel
	var tools *ptxas.Tools
	if c.Ptxas {
		if tools, assembled, err = c.assemble(ctx, g, text); err != nil {
			return err
		}
		fmt.Fprintf(streams.out, "// %s\n", tools)
	}
	for _, name := range names {
		f, err := m.Function(name)
		if err != nil {
			return failure{exitLoad, err}
		}
		if c.Limit > 0 && f.Kernel.MaxThreads[0] == 0 && f.Kernel.MaxRegisters == 0 {
			f.Kernel.MaxRegisters = c.Limit
		}
		p := sass.Lower(f.Kernel, arch)
		at := slices.IndexFunc(assembled, func(k ptxas.Kernel) bool { return k.Name == name })
		if at < 0 {
			sass.Fprint(streams.out, p)
			continue
		}
		listing(streams.out, &assembled[at], arch.SM, p)
	}
	return nil
}

// assemble makes machine code with NVIDIA's tools.
func (c *sassCommand) assemble(ctx context.Context, g *gpu.GPU, text []byte) (*ptxas.Tools, []ptxas.Kernel, error) {
	tools, err := ptxas.Find(ctx)
	if err != nil {
		return nil, nil, failure{exitUsage, fmt.Errorf("--ptxas: %w", err)}
	}
	module, err := ptx.Load(c.File, text)
	if err != nil {
		return nil, nil, failure{exitLoad, err}
	}
	arch := fmt.Sprintf("sm_%d", g.Chip.ComputeCapability.SM())
	if a := module.Architecture(); a.Suffix != "" {
		arch = a.String() // code for it alone
	}
	kernels, err := tools.Assemble(ctx, c.File, text, arch)
	if err != nil {
		return nil, nil, failure{exitLoad, err}
	}
	return tools, kernels, nil
}

// listing writes what NVIDIA's tools made of a kernel as sass.Fprint writes an estimate, and how far that is off.
func listing(w io.Writer, k *ptxas.Kernel, sm int, estimate *sass.Program) {
	fmt.Fprintf(w, "%s  // sm_%d, %d registers\n", k.Name, sm, k.Registers)
	if k.SpillStores+k.SpillLoads+k.Stack > 0 {
		fmt.Fprintf(w, "  # %d bytes of a thread's stack; spilled: %d bytes stored, %d loaded\n", k.Stack, k.SpillStores, k.SpillLoads)
	}
	file, line := "", 0
	for _, l := range k.Code {
		if l.Label {
			fmt.Fprintln(w, l.Text)
			continue
		}
		if l.Line > 0 && (l.File != file || l.Line != line) {
			file, line = l.File, l.Line
			fmt.Fprintf(w, "  # %s:%d\n", file, line)
		}
		fmt.Fprintf(w, "    %s\n", l.Text)
	}
	if len(k.Code) == 0 {
		fmt.Fprintln(w, "  # no machine code: neither nvdisasm nor cuobjdump is on this machine")
	}
	fmt.Fprintf(w, "  # Silica's estimate: %d registers", estimate.Registers)
	if n := k.Instructions(); n > 0 {
		fmt.Fprintf(w, ", %d instructions beside ptxas' %d", instructions(estimate), n)
	}
	fmt.Fprintln(w)
}

// instructions counts those of an estimate.
func instructions(p *sass.Program) (n int) {
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			n += len(b.Code)
		}
	}
	return n
}

// text reads the PTX, or makes it of CUDA C++.
func (c *sassCommand) text(ctx context.Context) ([]byte, error) {
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
	arch, err := run.Architecture(c.GPU)
	if err != nil {
		return nil, err
	}
	return compile.Device(ctx, c.File, compile.Options{
		Arch: arch, Include: c.Compile.Include, Define: c.Compile.Define, Std: c.Compile.Std, Opt: c.Compile.Opt,
	})
}
