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
const ptxasVersion = "ptxas: Silica, which runs PTX: the output is the input\nCuda compilation tools, release 13.0, V13.0.0"

type ptxasCommand struct {
	Args []string `arg:"" optional:"" help:"Arguments of ptxas."`
}

// Help says what the command is for.
func (*ptxasCommand) Help() string {
	return `It checks the PTX and writes it, unchanged, where ptxas would write machine code. "silica run" has Triton call it; with other
tools, give them a script that does:

  exec silica ptxas "$@"

Options are those of ptxas; only -o and --version count.`
}

func (c *ptxasCommand) Run(io streams) error {
	if slices.Contains(c.Args, "--version") || slices.Contains(c.Args, "-V") {
		fmt.Fprintln(io.out, ptxasVersion)
		return nil
	}
	input, output, err := ptxasFiles(c.Args)
	if err != nil {
		return failure{exitUsage, err}
	}
	source, err := os.ReadFile(input)
	if err != nil {
		return failure{exitLoad, unreadable(err)}
	}
	if _, err := ptx.Load(input, source); err != nil {
		return failure{exitLoad, err}
	}
	return os.WriteFile(output, source, 0o644)
}

// ptxasValues are the options of ptxas whose value may be a word of its own.
var ptxasValues = []string{
	"-arch", "--gpu-name", "-O", "--opt-level", "-m", "--machine", "-maxrregcount", "--maxrregcount", "-e", "--entry",
	"-optf", "--options-file", "-def-load-cache", "-dlcm", "-def-store-cache", "-dscm", "-fmad", "--fmad", "-regUsageLevel",
	"-split-compile", "--split-compile", "-warn-spills", "-maxntid", "-minnctapersm", "-tool-name", "--tool-name",
}

// ptxasFiles returns the input and the output that the arguments of ptxas name.
func ptxasFiles(args []string) (input, output string, err error) {
	output = "elf.o" // ptxas' own choice
	for i := 0; i < len(args); i++ {
		a := args[i]
		name, value, joined := strings.Cut(a, "=")
		switch {
		case name == "-o" || name == "--output-file":
			if !joined {
				i++
				if i == len(args) {
					return "", "", errors.New("ptxas: -o needs a file")
				}
				value = args[i]
			}
			output = value
		case slices.Contains(ptxasValues, a):
			i++
		case strings.HasPrefix(a, "-"): // how machine code is made, which there is none of
		case input != "":
			return "", "", fmt.Errorf("ptxas: two inputs: %s and %s", filepath.Base(input), filepath.Base(a))
		default:
			input = a
		}
	}
	if input == "" {
		return "", "", errors.New("ptxas: no input: give a .ptx file")
	}
	return input, output, nil
}
