package main

import (
	"context"

	"silica/driver"
)

type profileCommand struct{ runCommand }
type program struct {
	file string
	args []string
	machine machineFlags
	compile compileFlags
}

func runProgram(ctx context.Context, io streams, p program) error { return usage("") }

var _ driver.Options
