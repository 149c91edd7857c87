package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"silica/internal/randptx"
)

// randomFlags are those of conform for random programs.
type randomFlags struct {
	Count    int    `name:"random" help:"Run so many random programs on all engines, and compare." placeholder:"N"`
	Seed     uint64 `default:"1" help:"Seed of the first random program; the others follow."`
	Shrink   bool   `help:"Remove from a program on which engines differ what does not matter, and print it."`
	Hardware bool   `help:"Only programs that have one result on an H200 too."`
	Export   string `help:"Write the programs and their outputs to this folder." placeholder:"DIR"`
}

// run runs random programs.
func (r *randomFlags) run(ctx context.Context, io streams) error {
	engines := randptx.NewEngines()
	if r.Export != "" {
		if err := os.MkdirAll(r.Export, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.Export, "input"), randptx.Input(), 0o644); err != nil {
			return err
		}
	}
	progress := newBar(io, "programs", r.Count)
	different := 0
	for i := range uint64(r.Count) {
		p := randptx.Generate(r.Seed+i, randptx.Options{Hardware: r.Hardware})
		ok, err := r.compare(ctx, io, engines, p)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			fmt.Fprintf(io.out, "FAIL seed %d: %v\n", p.Seed, err)
			different++
		case !ok:
			different++
		}
		progress.add(1)
	}
	progress.done()
	fmt.Fprintf(io.out, "%d programs, %d differ\n", r.Count, different)
	if different > 0 {
		return failure{code: exitFailed}
	}
	return nil
}

// again runs a program that was written to a file.
func (r *randomFlags) again(ctx context.Context, io streams, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return failure{exitLoad, err}
	}
	p, err := randptx.Parse(string(text))
	if err != nil {
		return failure{exitLoad, fmt.Errorf("%s: %w", file, err)}
	}
	ok, err := r.compare(ctx, io, randptx.NewEngines(), p)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if !ok {
		return failure{code: exitFailed}
	}
	return nil
}

// compare runs a program on all engines and prints the first difference.
func (r *randomFlags) compare(ctx context.Context, io streams, engines *randptx.Engines, p *randptx.Program) (same bool, err error) {
	difference, want, err := engines.Compare(ctx, p)
	if err != nil {
		return false, err
	}
	if r.Export != "" {
		name := filepath.Join(r.Export, fmt.Sprint(p.Seed))
		if err := os.WriteFile(name+".ptx", []byte(p.Text()), 0o644); err != nil {
			return false, err
		}
		if err := os.WriteFile(name+".out", want.Memory, 0o644); err != nil {
			return false, err
		}
	}
	if difference == "" {
		return true, nil
	}
	fmt.Fprintf(io.out, "FAIL seed %d: %s\n", p.Seed, difference)
	if r.Shrink {
		small := engines.Minimize(ctx, p)
		difference, _, err := engines.Compare(ctx, small)
		if err != nil {
			return false, err
		}
		fmt.Fprintf(io.out, "minimised, %s\n%s", difference, small.Text())
	}
	return false, nil
}
