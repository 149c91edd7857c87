package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"silica/internal/compile"
	"silica/internal/run"
)

type nvccCommand struct {
	Args []string `arg:"" optional:""`
}

// nvccVersion is what --version prints: programs look for the release in it.
const nvccVersion = `nvcc: Silica's stand-in for the CUDA compiler driver (clang to PTX)
Cuda compilation tools, release 12.3, V12.3.0
`

// Run does what nvcc would do with the arguments.
func (c *nvccCommand) Run(ctx context.Context, io streams) error {
	job, err := parseNVCC(c.Args)
	if err != nil {
		return usage("nvcc: %w", err)
	}
	job.options.Warnings, job.options.Color = io.err, colours(io.err)
	err = job.do(ctx, io)
	var broken *compile.Error
	if errors.As(err, &broken) || errors.Is(err, compile.ErrNoClang) || errors.Is(err, run.ErrNoLibrary) {
		return failure{exitLoad, err}
	}
	return err
}

// nvccJob is a command line of nvcc.
type nvccJob struct {
	mode    string // "link", "ptx", "preprocess" or "version"
	suffix  string // of the output when none is named
	files   []string
	output  string
	options compile.Options
}

// nvccModes are the options that say what to make. What would be machine code is PTX, which loads like it.
var nvccModes = map[string]nvccJob{
	"ptx": {mode: "ptx", suffix: ".ptx"}, "cubin": {mode: "ptx", suffix: ".cubin"}, "fatbin": {mode: "ptx", suffix: ".fatbin"},
	"preprocess": {mode: "preprocess"}, "E": {mode: "preprocess"}, "version": {mode: "version"}, "V": {mode: "version"},
}

// nvccValues are the options that have a value, by all their names, and what they set. A nil function ignores it.
var nvccValues = map[string]func(j *nvccJob, value string) error{
	"o": setOutput, "output-file": setOutput,
	"I": addInclude, "include-path": addInclude, "isystem": addInclude, "system-include": addInclude,
	"D": addMacro, "define-macro": addMacro,
	"O": setOptimization, "optimize": setOptimization,
	"std": setStandard,
	"L":   addLink("-L"), "library-path": addLink("-L"), "l": addLibrary, "library": addLibrary,
	"arch": setArchitecture, "gpu-architecture": setArchitecture, "gencode": setArchitecture, "generate-code": setArchitecture,
	"code": nil, "gpu-code": nil, "maxrregcount": nil, "Xptxas": nil, "ptxas-options": nil, "Xcompiler": nil, "compiler-options": nil,
	"ccbin": nil, "compiler-bindir": nil, "cudart": nil, "rdc": nil, "relocatable-device-code": nil, "Xcudafe": nil, "diag-suppress": nil,
	"Xlinker": nil, "linker-options": nil, "t": nil, "threads": nil, "x": nil,
}

// nvccFlags are the options without a value that change nothing here.
var nvccFlags = []string{
	"m64", "g", "debug", "G", "device-debug", "lineinfo", "generate-line-info", "keep", "w", "disable-warnings", "extended-lambda",
	"expt-extended-lambda", "expt-relaxed-constexpr", "no-compress", "restrict", "v", "verbose",
}

func setOutput(j *nvccJob, v string) error { j.output = v; return nil }
func addInclude(j *nvccJob, v string) error {
	j.options.Include = append(j.options.Include, v)
	return nil
}
func addMacro(j *nvccJob, v string) error        { j.options.Define = append(j.options.Define, v); return nil }
func setOptimization(j *nvccJob, v string) error { j.options.Opt = v; return nil }
func setStandard(j *nvccJob, v string) error     { j.options.Std = v; return nil }

func addLink(prefix string) func(j *nvccJob, v string) error {
	return func(j *nvccJob, v string) error { j.options.Link = append(j.options.Link, prefix+v); return nil }
}

// addLibrary links a library. What CUDA's are for is in the one that is linked anyway.
func addLibrary(j *nvccJob, v string) error {
	if slices.Contains([]string{"cuda", "cudart", "cudart_static", "cudadevrt"}, v) {
		return nil
	}
	return addLink("-l")(j, v)
}

// setArchitecture reads sm_90, compute_90a, native, or arch=compute_90,code=... The last one given counts.
func setArchitecture(j *nvccJob, v string) error {
	if v == "native" || v == "all" || v == "all-major" {
		return nil
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(v, "arch="), ",")
	_, number, ok := strings.Cut(name, "_")
	digits := strings.TrimRight(number, "af")
	sm, err := strconv.Atoi(digits)
	if !ok || err != nil {
		return fmt.Errorf("%q is no architecture; sm_90 is one", v)
	}
	if sm == 90 && number == "90a" {
		j.options.Arch = "sm_90a"
		return nil
	}
	j.options.Arch, err = compile.ArchFor(sm/10, sm%10)
	return err
}

// parseNVCC reads the arguments of nvcc: options have one or two dashes, and values after "=", after a space, or, for those of
// one letter, after nothing.
func parseNVCC(args []string) (*nvccJob, error) {
	j := &nvccJob{mode: "link"}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		if name == arg || name == "" {
			j.files = append(j.files, arg)
			continue
		}
		if mode, ok := nvccModes[name]; ok {
			j.mode, j.suffix = mode.mode, mode.suffix
			continue
		}
		switch {
		case name == "use_fast_math":
			j.options.FastMath = true
			continue
		case name == "shared":
			return nil, errors.New("-shared: shared libraries are not made")
		case slices.Contains(nvccFlags, name):
			continue
		}
		name, value, given := strings.Cut(name, "=")
		set, known := nvccValues[name]
		if !known && len(name) > 1 && !strings.HasPrefix(arg, "--") { // -I/usr/include, -DN=3
			set, known = nvccValues[name[:1]]
			value, given = strings.TrimPrefix(arg[2:], "="), true
		}
		if !known {
			return nil, fmt.Errorf("the option %s is not known here", arg)
		}
		if !given {
			if len(args) == 0 {
				return nil, fmt.Errorf("the option %s needs a value", arg)
			}
			value, args = args[0], args[1:]
		}
		if set == nil {
			continue
		}
		if err := set(j, value); err != nil {
			return nil, fmt.Errorf("%s: %w", arg, err)
		}
	}
	if j.mode != "version" && len(j.files) == 0 {
		return nil, errors.New("no input files")
	}
	if j.mode != "version" && j.mode != "link" && len(j.files) > 1 {
		return nil, fmt.Errorf("one source at a time, not %d", len(j.files))
	}
	return j, nil
}

// do makes what the command line asks for.
func (j *nvccJob) do(ctx context.Context, io streams) error {
	switch j.mode {
	case "version":
		_, err := fmt.Fprint(io.out, nvccVersion)
		return err
	case "preprocess":
		text, err := compile.Preprocess(ctx, j.files[0], j.options)
		if err != nil {
			return err
		}
		if j.output != "" {
			return os.WriteFile(j.output, text, 0o666)
		}
		_, err = io.out.Write(text)
		return err
	case "ptx":
		text, err := compile.Device(ctx, j.files[0], j.options)
		if err != nil {
			return err
		}
		if j.output == "" {
			base := filepath.Base(j.files[0])
			j.output = strings.TrimSuffix(base, filepath.Ext(base)) + j.suffix
		}
		return os.WriteFile(j.output, text, 0o666)
	}
	library, err := run.Library()
	if err != nil {
		return err
	}
	j.options.Library = library
	if j.output == "" {
		j.output = "a.out"
	}
	return compile.Program(ctx, j.files, j.options, j.output)
}
