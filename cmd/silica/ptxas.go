package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"silica/ptx"
)

// ptxasVersion is what --version prints. Programs read the release from it and write the PTX version that belongs to it; Triton
// also keeps what ptxas made under this text.
const ptxasVersion = `ptxas: Silica's stand-in for NVIDIA's assembler (takes the PTX of CUDA 13.0, and writes it as it is)
Cuda compilation tools, release 13.0, V13.0.0
`

type ptxasCommand struct {
	Args []string `arg:"" optional:"" help:"Arguments of ptxas."`
}

// ptxasHelp is what --help prints.
const ptxasHelp = `Usage: silica ptxas [options] file.ptx

Check PTX, and write it, unchanged, where ptxas would write machine code. Options
are those of ptxas; only -arch, -o and --version count. "silica run" has Triton
call it; with other tools, give them a script that does:

  exec silica ptxas "$@"
`

func (c *ptxasCommand) Run(io streams) error {
	has := func(arg string) bool { return slices.Contains(c.Args, arg) }
	switch {
	case has("--help"), has("-h"):
		_, err := fmt.Fprint(io.out, ptxasHelp)
		return err
	case has("--version"), has("-V"):
		_, err := fmt.Fprint(io.out, ptxasVersion)
		return err
	}
	job, err := parsePtxas(c.Args)
	if err != nil {
		return failure{exitUsage, err}
	}
	source, err := os.ReadFile(job.input)
	if err != nil {
		return failure{exitLoad, unreadable(err)}
	}
	m, err := ptx.Load(job.input, source)
	if err != nil {
		return failure{exitLoad, err}
	}
	if a := m.Architecture(); job.arch != (ptx.Architecture{}) && !job.assembles(a) {
		return failure{exitLoad, fmt.Errorf("%s:%d:%d: the target %s is not assembled for -arch=%s",
			job.input, m.TargetPos.Line, m.TargetPos.Col, a, job.arch)}
	}
	return os.WriteFile(job.output, source, 0o644)
}

// ptxasJob is a command line of ptxas.
type ptxasJob struct {
	input, output string
	arch          ptx.Architecture // zero when none is given
}

// assembles tells whether ptxas makes machine code of the job's architecture from PTX for a: what is for a itself alone, sm_90a,
// only when it is the same.
func (j ptxasJob) assembles(a ptx.Architecture) bool {
	return a.RunsOn(j.arch.SM) && (a.Suffix != "a" || a == j.arch)
}

// ptxasValues are the options of ptxas whose value may be a word of its own.
var ptxasValues = []string{
	"-o", "--output-file", "-arch", "--gpu-name", "-O", "--opt-level", "-m", "--machine", "-maxrregcount", "--maxrregcount", "-e", "--entry",
	"-optf", "--options-file", "-def-load-cache", "-dlcm", "-def-store-cache", "-dscm", "-fmad", "--fmad", "-regUsageLevel",
	"-split-compile", "--split-compile", "-warn-spills", "-maxntid", "-minnctapersm", "-tool-name", "--tool-name",
}

// oldestAssembled is the first architecture that the ptxas of CUDA 13 takes.
const oldestAssembled = 75

// setArch reads the architecture: sm_90, compute_90.
func (j *ptxasJob) setArch(value string) error {
	a, known := ptx.ParseArchitecture(strings.Replace(value, "compute_", "sm_", 1))
	if !known || a.SM < oldestAssembled {
		return fmt.Errorf("ptxas: -arch=%s: want an architecture from sm_%d on, such as sm_90", value, oldestAssembled)
	}
	j.arch = a
	return nil
}

// parsePtxas reads the arguments of ptxas.
func parsePtxas(args []string) (ptxasJob, error) {
	j := ptxasJob{output: "elf.o"} // ptxas' own choice
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, value, joined := strings.Cut(arg, "=")
		hasValue := slices.Contains(ptxasValues, name)
		if hasValue && !joined {
			if len(args) == 0 {
				return j, fmt.Errorf("ptxas: %s needs a value", arg)
			}
			value, args = args[0], args[1:]
		}
		switch {
		case name == "-o" || name == "--output-file":
			j.output = value
		case name == "-arch" || name == "--gpu-name":
			if err := j.setArch(value); err != nil {
				return j, err
			}
		case hasValue || strings.HasPrefix(arg, "-"): // how machine code is made, which there is none of
		case j.input != "":
			return j, fmt.Errorf("ptxas: two inputs: %s and %s", filepath.Base(j.input), filepath.Base(arg))
		default:
			j.input = arg
		}
	}
	if j.input == "" {
		return j, errors.New("ptxas: no input: give a .ptx file")
	}
	return j, nil
}
