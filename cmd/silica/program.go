package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"silica/gpu"
	"silica/internal/compile"
	"silica/internal/run"
)

// program is a CUDA program to run: a source or an executable.
type program struct {
	file    string
	args    []string
	machine machineFlags
	compile compileFlags
	profile string // file for the profile of its launches, "" for none
}

// runProgram runs the program with our streams; its exit status becomes ours.
func runProgram(ctx context.Context, io streams, p program) error {
	if _, err := os.Stat(p.file); err != nil {
		return failure{exitLoad, unreadable(err)}
	}
	exit, err := run.Program(ctx, run.Options{
		Files: []string{p.file}, Args: p.args,
		GPU: p.machine.GPU, Engine: p.machine.Engine, Workers: p.machine.Workers, Profile: p.profile,
		Compile: compile.Options{
			Include: p.compile.Include, Define: p.compile.Define, Std: p.compile.Std, Opt: p.compile.Opt,
			Color: isTerminal(io.err), Warnings: io.err,
		},
		Stdin: io.in, Stdout: io.out, Stderr: io.err,
	})
	var broken *compile.Error
	switch {
	case errors.As(err, &broken), errors.Is(err, compile.ErrNoClang), errors.Is(err, run.ErrNoLibrary), errors.Is(err, gpu.ErrUnknown):
		return failure{exitLoad, err}
	case err != nil:
		return err
	case exit != 0:
		return failure{code: exit}
	}
	return nil
}

// unreadable is the error of a file that can not be read, with the file first as in all errors of a file.
func unreadable(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}

// profileFile returns the path of a new empty file, and what removes it.
func profileFile() (path string, remove func(), err error) {
	f, err := os.CreateTemp("", "silica-*.profile")
	if err != nil {
		return "", nil, fmt.Errorf("no place for the profile: %w", err)
	}
	return f.Name(), func() { os.Remove(f.Name()) }, f.Close()
}
