package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"silica/gpu"
	"silica/internal/compile"
	"silica/internal/run"
	"silica/profile"
)

// program is a CUDA program to run: a source or an executable.
type program struct {
	file     string
	args     []string
	machine  machineFlags
	compile  compileFlags
	log      logFlags
	profile  string // file for the profile of its launches, "" for none
	timeline string // file for its timeline, "" for none
	regs     int    // registers per thread in the profile, estimated when 0
	model    modelFlags
	choose   profile.Filter // which launches the profile has
	watch    profile.Window // cycles in which the profile tells what warps do
}

// runProgram runs the program with our streams; its exit status becomes ours.
func runProgram(ctx context.Context, io streams, p program) error {
	p.file = onPath(p.file)
	if err := checkProgram(p.file); err != nil {
		return failure{exitLoad, err}
	}
	if list := p.machine.GPU; list != "" {
		if _, err := gpu.LoadList(list); err != nil {
			return noGPU(list, err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	exit, err := run.Program(ctx, run.Options{
		Files: []string{p.file}, Args: p.args,
		GPU: p.machine.GPU, Engine: p.machine.Engine, Workers: p.machine.Workers, Timeout: time.Duration(p.machine.Timeout),
		TraceAPI: p.log.TraceAPI, Log: string(p.log.Log),
		Profile: p.profile, Timeline: p.timeline, Registers: p.regs, Timing: p.model.Timing, KeepCaches: p.model.keepCaches(), Watch: watched(p.watch), Select: p.choose.String(), Ptxas: []string{self, "ptxas"}, Nvcc: []string{self, "nvcc"},
		Compile: compile.Options{
			Include: p.compile.Include, Define: p.compile.Define, Std: p.compile.Std, Opt: p.compile.Opt,
			PerThreadStream: p.compile.Stream == "per-thread", Color: colours(io.err), Warnings: io.err,
		},
		Stdin: io.in, Stdout: direct(io.out), Stderr: io.err,
	})
	switch {
	case doesNotLoad(err):
		return failure{exitLoad, err}
	case err != nil:
		return err
	case exit != 0:
		return failure{code: exit}
	}
	return nil
}

// watched spells a window, "" for none.
func watched(w profile.Window) string {
	if w == (profile.Window{}) {
		return ""
	}
	return w.String()
}

// doesNotLoad tells whether an error means that there is no program to run.
func doesNotLoad(err error) bool {
	var broken *compile.Error
	return errors.As(err, &broken) || errors.Is(err, compile.ErrNoClang) || errors.Is(err, run.ErrNoLibrary) || errors.Is(err, run.ErrStaticRuntime)
}

// onPath returns the program in PATH of that name, as a shell finds it, when there is no such file here.
func onPath(name string) string {
	if _, err := os.Stat(name); err == nil || filepath.Base(name) != name {
		return name
	}
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	return name
}

// isSource tells whether a file has to be compiled or linked before it runs.
func isSource(file string) bool {
	return slices.Contains([]string{".cu", ".cpp", ".cc", ".cxx", ".c", ".o"}, filepath.Ext(file))
}

// checkProgram refuses what is neither a source nor an executable; the linker would say less clearly why.
func checkProgram(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return unreadable(err)
	}
	if info.Mode().IsRegular() && filepath.Ext(file) == ".py" && info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s: a Python script is run by Python: silica run python3 %[1]s", file)
	}
	if !info.Mode().IsRegular() || !isSource(file) && info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s: neither a CUDA source (.cu), nor PTX (.ptx), nor an executable", file)
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

// createFile creates a file that a flag names, "" for none. It is created before anything runs, so that a name which does not do is
// told at once.
func createFile(flag, name string) (*os.File, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, usage("%s %w", flag, unreadable(err))
	}
	return file, nil
}

// profileFile returns the path of a new empty file, and what removes it.
func profileFile() (path string, remove func(), err error) {
	f, err := os.CreateTemp("", "silica-*.profile")
	if err != nil {
		return "", nil, fmt.Errorf("no place for the profile: %w", err)
	}
	return f.Name(), func() { os.Remove(f.Name()) }, f.Close()
}
