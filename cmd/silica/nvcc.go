package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"silica/internal/compile"
	"silica/internal/run"
	"silica/ptx"
)

type nvccCommand struct {
	Args []string `arg:"" optional:""`
}

// nvccVersion is what --version prints: programs look for the release in it, and expect the headers of that one.
const nvccVersion = `nvcc: Silica's stand-in for the CUDA compiler driver (clang to PTX, with the headers of CUDA 12.3)
Cuda compilation tools, release 12.3, V12.3.0
`

// nvccHelp is what --help prints.
const nvccHelp = `Usage: silica nvcc [options] file...

Compile CUDA C++ with clang, as nvcc would with these options:

  (none)                 a program, a.out, linked with Silica's library
  -run                   a program that runs at once; -run-args has its arguments
  -c                     object files for a link later
  -ptx, -cubin, -fatbin  the PTX of one source
  -E                     one source, preprocessed

  -o FILE                where it goes
  -arch=sm_90            the oldest GPUs that it is for; also -gencode
  -I, -D, -O, -std, -L, -l, -use_fast_math

Other options of nvcc are taken where they change nothing here.

Examples:

  silica nvcc -arch=sm_80 -o program program.cu && ./program
  silica nvcc -run program.cu
`

// Run does what nvcc would do with the arguments.
func (c *nvccCommand) Run(ctx context.Context, io streams) error {
	job, err := parseNVCC(c.Args)
	if err != nil {
		return usage("nvcc: %w", err)
	}
	job.options.Warnings, job.options.Color = io.err, colours(io.err)
	err = job.do(ctx, io)
	if doesNotLoad(err) {
		return failure{exitLoad, err}
	}
	return err
}

// nvccJob is a command line of nvcc.
type nvccJob struct {
	mode      string // "link", "run", "object", "ptx", "preprocess", "version" or "help"
	suffix    string // of the output when none is named
	files     []string
	output    string
	arguments []string // of the program, in the mode run
	options   compile.Options
}

// nvccModes are the options that say what to make. What would be machine code is PTX, which loads like it.
var nvccModes = map[string]nvccJob{
	"ptx": {mode: "ptx", suffix: ".ptx"}, "cubin": {mode: "ptx", suffix: ".cubin"}, "fatbin": {mode: "ptx", suffix: ".fatbin"},
	"c": {mode: "object", suffix: ".o"}, "compile": {mode: "object", suffix: ".o"}, "run": {mode: "run"},
	"preprocess": {mode: "preprocess"}, "E": {mode: "preprocess"}, "version": {mode: "version"}, "V": {mode: "version"},
	"help": {mode: "help"}, "h": {mode: "help"},
}

// nvccValues are the options that have a value, by all their names, and what they set. A nil function ignores it.
var nvccValues = map[string]func(j *nvccJob, value string) error{
	"o": setOutput, "output-file": setOutput,
	"I": addInclude, "include-path": addInclude, "isystem": addInclude, "system-include": addInclude,
	"D": addMacro, "define-macro": addMacro,
	"O": setOptimization, "optimize": setOptimization,
	"std": setStandard, "run-args": addArguments, "run-arguments": addArguments,
	"L": addLink("-L"), "library-path": addLink("-L"), "l": addLibrary, "library": addLibrary,
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
func addArguments(j *nvccJob, v string) error {
	j.arguments = append(j.arguments, strings.Fields(v)...)
	return nil
}

func addLink(prefix string) func(j *nvccJob, v string) error {
	return func(j *nvccJob, v string) error { j.options.Link = append(j.options.Link, prefix+v); return nil }
}

// addLibrary links a library. What CUDA's are for is in the one that is linked anyway.
func addLibrary(j *nvccJob, v string) error {
	if slices.Contains([]string{"cuda", "cudart", "cudart_static", "cudadevrt", "nvToolsExt"}, v) {
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
	a, known := ptx.ParseArchitecture(strings.Replace(name, "compute_", "sm_", 1))
	if !known {
		return fmt.Errorf("%q is no architecture; %s is one, and that of H100, H200 and of programs without -arch", name, compile.DefaultArch)
	}
	if a.String() == "sm_90a" {
		j.options.Arch = "sm_90a"
		return nil
	}
	var err error
	j.options.Arch, err = compile.ArchFor(a.SM/10, a.SM%10)
	return err
}

// refusedNVCC are options that ask for what is not made, and what would do.
var refusedNVCC = map[string]string{
	"shared": "shared libraries are not made",
	"lib":    "libraries are not made: give the objects (-c) to the link",
	"dc":     "device code is not linked across sources: compile with -c, and keep a kernel and what it calls in one source",
	"dlink":  "device code is not linked across sources: compile with -c, and keep a kernel and what it calls in one source",
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
		case refusedNVCC[name] != "":
			return nil, fmt.Errorf("%s: %s", arg, refusedNVCC[name])
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
	switch {
	case j.mode == "version" || j.mode == "help":
	case len(j.files) == 0:
		return nil, errors.New("no input files")
	case len(j.files) > 1 && (j.mode == "ptx" || j.mode == "preprocess" || j.mode == "object" && j.output != ""):
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
	case "help":
		_, err := fmt.Fprint(io.out, nvccHelp)
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
		return os.WriteFile(j.outputOf(j.files[0]), text, 0o666)
	case "object":
		for _, file := range j.files {
			object, err := compile.Object(ctx, file, j.options)
			if err != nil {
				return err
			}
			if err := os.WriteFile(j.outputOf(file), object, 0o666); err != nil {
				return err
			}
		}
		return nil
	case "run":
		return j.run(ctx, io)
	}
	if j.output == "" {
		j.output = "a.out"
	}
	return j.link(ctx, j.output)
}

// outputOf returns where what is made of a source goes: beside us, when no output is named.
func (j *nvccJob) outputOf(file string) string {
	base := filepath.Base(file)
	return cmp.Or(j.output, strings.TrimSuffix(base, filepath.Ext(base))+j.suffix)
}

// link makes a program.
func (j *nvccJob) link(ctx context.Context, output string) (err error) {
	if j.options.Library, err = run.Library(); err != nil {
		return err
	}
	return compile.Program(ctx, j.files, j.options, output)
}

// run makes a program and runs it as silica run does; it is kept when an output is named.
func (j *nvccJob) run(ctx context.Context, io streams) error {
	path := j.output
	if path == "" {
		dir, err := os.MkdirTemp("", "silica-nvcc-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		path = filepath.Join(dir, "a.out")
	}
	if err := j.link(ctx, path); err != nil {
		return err
	}
	return runProgram(ctx, io, program{file: path, args: j.arguments})
}
