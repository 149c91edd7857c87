package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"silica/internal/compile"
	"silica/internal/fatbin"
	"silica/internal/run"
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
  -c, -dc                object files for a link later; -dc: with device code that the link joins (also -rdc=true)
  -dlink, -lib, -shared  the object that joins device code, an archive, a shared library
  -ptx, -cubin           the PTX of one source
  -fatbin                its PTX for several architectures
  -E                     one source, preprocessed

  -o FILE                where it goes
  -arch=sm_80            the oldest GPUs that it is for; -gencode, once for each of several; all, all-major, native
  -maxrregcount=N        the registers that kernels without launch bounds may have
  -Xptxas -v             tell what kernels take: registers, as Silica estimates them, shared and local memory
  -I, -D, -O, -std, -L, -l, -x, -use_fast_math, -fmad, -ftz, -default-stream
  -Xcompiler, -Xlinker   arguments of the compiler (clang) for the host, and of the linker
  -M, -MD, -MF, -MT      what the source includes, as a rule for make

Other options of nvcc are taken where they change nothing here.

Examples:

  silica nvcc -arch=sm_80 -o program program.cu && ./program
  silica nvcc -run program.cu
`

// Run does what nvcc would do with the arguments.
func (c *nvccCommand) Run(ctx context.Context, io streams) error {
	args := slices.Concat(strings.Fields(os.Getenv("NVCC_PREPEND_FLAGS")), c.Args, strings.Fields(os.Getenv("NVCC_APPEND_FLAGS")))
	job, err := parseNVCC(args)
	if err != nil {
		return usage("nvcc: %w", err)
	}
	job.options.Warnings, job.options.Color = io.err, colours(io.err)
	err = job.do(ctx, io)
	if err == nil && job.usage {
		err = job.reportUsage(ctx, io)
	}
	if doesNotLoad(err) {
		return failure{exitLoad, err}
	}
	return err
}

// nvccJob is a command line of nvcc.
type nvccJob struct {
	mode      string // "link", "run", "object", "device link", "archive", "ptx", "fat binary", "preprocess", "rule", "version" or "help"
	suffix    string // of the output when none is named
	files     []string
	output    string
	folder    string   // of outputs that are not named
	arguments []string // of the program, in the mode run
	archs     []string // of the device code
	usage     bool     // what kernels take is told
	rule      struct { // for make
		wanted, own  bool   // own: without headers of the system
		file, target string // "" for their places beside the output
	}
	options compile.Options
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
	case "fat binary":
		texts, err := compile.Texts(ctx, j.files[0], j.options)
		if err != nil {
			return err
		}
		return os.WriteFile(j.outputOf(j.files[0]), fatbin.Pack(texts...), 0o666)
	case "object":
		for _, file := range j.files {
			if err := j.object(ctx, file); err != nil {
				return err
			}
		}
		return nil
	case "rule":
		rule, err := j.makeRule(ctx, j.files[0])
		if err == nil && j.output != "" {
			return os.WriteFile(j.output, rule, 0o666)
		}
		if err == nil {
			_, err = io.out.Write(rule)
		}
		return err
	case "device link":
		object, err := compile.DeviceLink(ctx, j.files)
		if err != nil {
			return err
		}
		return os.WriteFile(cmp.Or(j.output, "a_dlink.o"), object, 0o666)
	case "archive":
		return j.archive(ctx)
	case "run":
		return j.run(ctx, io)
	}
	return j.link(ctx, cmp.Or(j.output, "a.out"))
}

// object makes the object file of a source, and the rule for make where one is wanted.
func (j *nvccJob) object(ctx context.Context, file string) error {
	object, err := compile.Object(ctx, file, j.options)
	if err != nil {
		return err
	}
	if err := os.WriteFile(j.outputOf(file), object, 0o666); err != nil || !j.rule.wanted {
		return err
	}
	rule, err := j.makeRule(ctx, file)
	if err != nil {
		return err
	}
	output := j.outputOf(file)
	return os.WriteFile(cmp.Or(j.rule.file, strings.TrimSuffix(output, filepath.Ext(output))+".d"), rule, 0o666)
}

// makeRule returns the rule for make that says which files a source's object is made of.
func (j *nvccJob) makeRule(ctx context.Context, file string) ([]byte, error) {
	files, err := compile.Dependencies(ctx, file, j.options)
	if err != nil {
		return nil, err
	}
	target := *j
	if j.mode == "rule" {
		target.output = ""
	}
	escape := strings.NewReplacer(" ", `\ `, "$", "$$", "#", `\#`)
	var b strings.Builder
	b.WriteString(cmp.Or(j.rule.target, target.outputOf(file)) + " :")
	for _, f := range files {
		if j.rule.own && strings.HasPrefix(f, "/usr/") {
			continue
		}
		b.WriteString(" \\\n    " + escape.Replace(f))
	}
	return []byte(b.String() + "\n"), nil
}

// archive makes an archive of objects, and of those of sources.
func (j *nvccJob) archive(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "silica-nvcc-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	output := cmp.Or(j.output, "a.a")
	args := []string{"rcs", output}
	for _, file := range j.files {
		if compile.IsSource(file, j.options) {
			object, err := compile.Object(ctx, file, j.options)
			if err != nil {
				return err
			}
			base := filepath.Base(file)
			file = filepath.Join(dir, strings.TrimSuffix(base, filepath.Ext(base))+".o")
			if err := os.WriteFile(file, object, 0o666); err != nil {
				return err
			}
		}
		args = append(args, file)
	}
	if err := os.RemoveAll(output); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "ar", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ar %s: %w\n%s", output, err, out)
	}
	return nil
}

// outputOf returns where what is made of a source goes: beside us, when no output is named.
func (j *nvccJob) outputOf(file string) string {
	base := filepath.Base(file)
	return cmp.Or(j.output, filepath.Join(j.folder, strings.TrimSuffix(base, filepath.Ext(base))+j.suffix))
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
