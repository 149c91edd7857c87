package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"silica/internal/compile"
	"silica/internal/truth"
	"silica/internal/validate"
)

// recordedSM is the compute capability of the GPU of which machine code was recorded.
const recordedSM = 90

type validateCommand struct {
	Dir      string   `arg:"" type:"existingdir" help:"Folder of recorded kernels (with cases.json), or of programs (with recorded.csv)."`
	Case     []string `help:"Only these cases." placeholder:"ID,ID..."`
	Source   bool     `help:"Run the CUDA sources, compiled here, instead of the recorded PTX."`
	GPU      string   `name:"gpu" default:"h200" help:"GPU: a name of silica gpus, or a .json file."`
	Engine   string   `enum:"simd,ref" default:"simd" help:"Engine: ${enum}."`
	Sass     bool     `help:"Compare the machine code that the kernels become with the chip's: executed instructions, registers, accesses."`
	Timing   bool     `help:"Compare what the model of the machine says of cycles, caches and stalls with what the chip did."`
	Accuracy bool     `help:"Print what --timing, or --sass if it is given, finds as docs/accuracy.md."`
	JSON     bool     `help:"Print JSON instead of text."`
}

// Help is the example that -h shows.
func (*validateCommand) Help() string {
	return "Example:\n\n  silica validate ../shared/truth/h200 --case vecadd_65536"
}

func (c *validateCommand) Run(ctx context.Context, io streams) error {
	if _, err := os.Stat(filepath.Join(c.Dir, validate.RecordedPrograms)); err == nil {
		return c.programs(ctx, io)
	}
	suite, err := truth.Load(c.Dir)
	if err != nil {
		return failure{exitLoad, err}
	}
	cases, err := c.choose(suite)
	if err != nil {
		return failure{exitUsage, err}
	}
	g, err := loadGPU(c.GPU)
	if err != nil {
		return err
	}
	o := validate.Options{GPU: g, Engine: c.Engine}
	if c.Source {
		o.PTX, o.Relaxed = compileCase, true
	}
	if c.Sass {
		return c.machineCode(ctx, io, suite, cases, o)
	}
	if c.Timing || c.Accuracy {
		return c.timing(ctx, io, cases, o)
	}
	progress := newBar(io, "kernels", len(cases))
	results := []validate.Result{}
	for _, k := range cases {
		r := validate.Run(ctx, k, o)
		if ctx.Err() != nil {
			progress.done()
			return ctx.Err()
		}
		results = append(results, r)
		if !c.JSON {
			validate.Text(io.out, r)
		}
		progress.add(1)
	}
	progress.done()
	if c.JSON {
		e := json.NewEncoder(io.out)
		e.SetIndent("", " ")
		if err := e.Encode(results); err != nil {
			return err
		}
	} else {
		validate.Summary(io.out, results)
	}
	for _, r := range results {
		if r.Outputs == validate.Wrong || r.Outputs == validate.Failed && !r.Unsupported {
			return failure{code: exitFailed}
		}
	}
	return nil
}

// machineCode compares machine code, which is an estimate and so never wrong.
func (c *validateCommand) machineCode(ctx context.Context, to streams, suite *truth.Suite, cases []*truth.Case, o validate.Options) error {
	if o.GPU.Chip.ComputeCapability.SM() != recordedSM {
		return usage("--sass: machine code was recorded on an H200; registers on other architectures are at the end of what --gpu h200 prints")
	}
	var all []validate.Architecture
	if len(c.Case) == 0 && !c.JSON {
		var err error
		if all, err = validate.Architectures(suite); err != nil {
			return failure{exitLoad, err}
		}
	}
	return estimates(ctx, to, c.JSON, cases, o, validate.Sass, func(w io.Writer, results []validate.MachineCode) {
		if c.Accuracy {
			validate.SassMarkdown(w, results, all)
			return
		}
		validate.SassText(w, results)
		validate.ArchitecturesText(w, all)
	})
}

// timing compares the model of the machine with the chip.
func (c *validateCommand) timing(ctx context.Context, io streams, cases []*truth.Case, o validate.Options) error {
	text := validate.TimingText
	if c.Accuracy {
		text = validate.TimingMarkdown
	}
	return estimates(ctx, io, c.JSON, cases, o, validate.Time, text)
}

// programs profiles the programs of a folder and compares their kernels with the chip's.
func (c *validateCommand) programs(ctx context.Context, to streams) error {
	switch {
	case len(c.Case) > 0:
		return usage("--case: programs run whole, with all that is in %s", filepath.Join(c.Dir, validate.RecordedPrograms))
	case c.Source || c.Sass:
		return usage("--source and --sass are for recorded kernels; programs are compared by time")
	}
	programs, err := validate.LoadPrograms(c.Dir)
	if err != nil {
		return failure{exitLoad, err}
	}
	silica, err := os.Executable()
	if err != nil {
		return err
	}
	var results []validate.Timing
	for _, p := range programs {
		profile := exec.CommandContext(ctx, silica, "profile", p.Path, "--gpu", c.GPU, "--engine", c.Engine, "--format", "json")
		profile.Stderr = to.err
		report, err := profile.Output()
		if err != nil {
			return fmt.Errorf("profiling %s: %w", p.Path, err)
		}
		compared, err := p.Compare(bytes.NewReader(report))
		if err != nil {
			return err
		}
		results = append(results, compared...)
	}
	switch {
	case c.JSON:
		e := json.NewEncoder(to.out)
		e.SetIndent("", " ")
		return e.Encode(results)
	case c.Accuracy:
		validate.ProgramsMarkdown(to.out, results)
	default:
		validate.TimingText(to.out, results)
	}
	return nil
}

// estimates runs all cases and prints what they gave.
func estimates[T any](ctx context.Context, to streams, asJSON bool, cases []*truth.Case, o validate.Options,
	run func(context.Context, *truth.Case, validate.Options) T, text func(io.Writer, []T)) error {
	progress := newBar(to, "kernels", len(cases))
	results := []T{}
	for _, k := range cases {
		r := run(ctx, k, o)
		if ctx.Err() != nil {
			progress.done()
			return ctx.Err()
		}
		results = append(results, r)
		progress.add(1)
	}
	progress.done()
	if asJSON {
		e := json.NewEncoder(to.out)
		e.SetIndent("", " ")
		return e.Encode(results)
	}
	text(to.out, results)
	return nil
}

func (c *validateCommand) choose(suite *truth.Suite) ([]*truth.Case, error) {
	if len(c.Case) == 0 {
		return suite.Cases, nil
	}
	var out []*truth.Case
	for _, id := range c.Case {
		found := false
		for _, k := range suite.Cases {
			if k.ID == id {
				out, found = append(out, k), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no case %q in %s", id, c.Dir)
		}
	}
	return out, nil
}

// compileCase compiles a case's source for its target.
func compileCase(ctx context.Context, k *truth.Case) (string, []byte, error) {
	file := k.SourcePath()
	if _, err := os.Stat(file); err != nil {
		return "", nil, errors.Join(fmt.Errorf("no source for %s", k.ID), err)
	}
	text, err := compile.Device(ctx, file, compile.Options{Arch: k.Target})
	return filepath.Base(file), text, err
}
