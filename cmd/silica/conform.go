package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"silica/driver"
	"silica/internal/conform"
)

type conformCommand struct {
	Dir     string      `arg:"" optional:"" type:"existingpath" help:"Folder of recorded instructions (with index.json), or a random program (.ptx) to run again."`
	Family  []string    `help:"Only these families." placeholder:"F,F..."`
	Engine  string      `enum:"simd,ref" default:"simd" help:"Engine: ${enum}."`
	Verbose bool        `short:"v" help:"Name every case, not only those that fail."`
	Random  randomFlags `embed:""`
}

// Help is the example that -h shows.
func (*conformCommand) Help() string {
	return "Example:\n\n  silica conform ../shared/conformance --family int_arith,f32_arith -v\n  silica conform --random 1000 --seed 7 --shrink"
}

func (c *conformCommand) Run(ctx context.Context, io streams) error {
	switch {
	case c.Random.Count > 0:
		if c.Dir != "" {
			return usage("%s is not run with --random, which makes programs of its own", c.Dir)
		}
		return c.Random.run(ctx, io)
	case c.Dir == "":
		return usage("conform needs a folder of recorded instructions, or --random and a number of programs")
	case filepath.Ext(c.Dir) == ".ptx":
		return c.Random.again(ctx, io, c.Dir)
	}
	return c.recorded(ctx, io)
}

// recorded runs the recorded instructions of a folder.
func (c *conformCommand) recorded(ctx context.Context, io streams) error {
	suite, err := conform.Load(c.Dir)
	if err != nil {
		return failure{exitLoad, err}
	}
	engine, err := driver.NewEngine(c.Engine)
	if err != nil {
		return failure{exitUsage, err}
	}
	progress := newBar(io, "instructions", 0)
	passed, failed := 0, 0
	err = suite.Run(ctx, engine, c.Family, func(r conform.Result) {
		progress.add(1)
		switch {
		case r.Failure != "":
			failed++
			fmt.Fprintf(io.out, "FAIL %s: %s\n", r.ID, strings.ReplaceAll(r.Failure, "\n", "; "))
		default:
			passed++
			if c.Verbose {
				fmt.Fprintf(io.out, "ok   %s\n", r.ID)
			}
		}
	})
	progress.done()
	if err != nil {
		return failure{exitUsage, err}
	}
	fmt.Fprintf(io.out, "%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		return failure{code: exitFailed}
	}
	return nil
}
