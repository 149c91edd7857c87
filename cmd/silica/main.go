// Command silica runs CUDA programs and kernels on a simulated GPU and shows what the hardware would have done.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"silica/internal/cppname"
)

// The exit codes of the command.
const (
	exitOK     = 0
	exitFailed = 1 // the program or a check failed
	exitUsage  = 2
	exitLoad   = 3 // the input does not compile or load
)

// failure is an error with the exit code it stands for. A failure without an error has been reported.
type failure struct {
	code int
	err  error
}

func (f failure) Error() string {
	if f.err == nil {
		return ""
	}
	return f.err.Error()
}

func usage(format string, args ...any) error {
	return failure{exitUsage, fmt.Errorf(format, args...)}
}

// commands is the command line: one field a command, each in a file of its own.
type commands struct {
	Run       runCommand       `cmd:"" help:"Run a CUDA program or one kernel."`
	Profile   profileCommand   `cmd:"" help:"Run a CUDA program or one kernel and report what the GPU would have done."`
	Compare   compareCommand   `cmd:"" help:"Compare two saved profiles: what became of the kernels."`
	Nvcc      nvccCommand      `cmd:"" passthrough:"" help:"Compile CUDA C++ as nvcc would: to PTX (-ptx, -cubin), or to a program."`
	Gpus      gpusCommand      `cmd:"" help:"List the GPUs that Silica knows, or describe one in full."`
	Occupancy occupancyCommand `cmd:"" help:"Say how many blocks and warps of a kernel an SM holds, and what limits them."`
	Conform   conformCommand   `cmd:"" help:"Run recorded single instructions."`
	Sass      sassCommand      `cmd:"" help:"List the machine code that a kernel becomes, beside its PTX and source lines."`
	Validate  validateCommand  `cmd:"" help:"Run recorded kernels; compare outputs and counters with the GPU's."`
	Version   versionCommand   `cmd:"" help:"Print the version."`
	Ptxas     ptxasCommand     `cmd:"" passthrough:"" help:"Stand in for ptxas: check PTX, and write it as it is."`
}

// streams is where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(command(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// compilerSpelling lets -std=c++17 be written as compilers have it, and --trace-api without a file.
func compilerSpelling(args []string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		if a == "--" {
			break
		}
		if strings.HasPrefix(a, "-std=") {
			out[i] = "-" + a
		}
		if a == "--trace-api" {
			out[i] = a + "=-"
		}
	}
	return out
}

// customary gives the usual spellings of help and version the form that the parser knows.
func customary(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	}
	return args
}

// misused says what is wrong with a command line, and where the right one stands: the help of its command, or, when all that
// is wrong is that something is missing, here.
func misused(w io.Writer, err error) {
	var p *kong.ParseError
	if !errors.As(err, &p) || p.Context.Selected() == nil {
		fmt.Fprintf(w, "silica: %v (silica -h shows the commands)\n", err)
		return
	}
	command := p.Context.Selected()
	name := "silica " + command.Name
	if what, missing := strings.CutPrefix(err.Error(), "expected \"<"); missing {
		what, _, _ = strings.Cut(what, ">")
		fmt.Fprintf(w, "%s: <%s> is missing\nusage: silica %s\n", name, what, command.Summary())
		for line := range strings.Lines(command.Detail) {
			if example := strings.TrimSpace(line); strings.HasPrefix(example, name+" ") {
				fmt.Fprintf(w, "such as: %s\n", example)
				return
			}
		}
		return
	}
	fmt.Fprintf(w, "%s: %v (%[1]s -h shows what it takes)\n", name, err)
}

// exited carries kong's wish to exit (after -h) out of its parser.
type exited int

// command runs one command line and returns its exit code.
func command(ctx context.Context, args []string, io streams) int {
	out := &output{to: io.out}
	io.out = out
	code := obey(ctx, args, io, out)
	if err := out.failure(); err != nil {
		fmt.Fprintln(io.err, err)
		return exitFailed
	}
	return code
}

// obey does what a command line says, but for telling that the output could not be written.
func obey(ctx context.Context, args []string, io streams, out *output) (code int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exited:
			code = int(r)
		default:
			fmt.Fprintln(io.err, "silica: internal error:", r)
			code = exitFailed
		}
	}()
	var c commands
	parser, err := kong.New(&c, kong.Name("silica"), kong.UsageOnError(), kong.Writers(io.out, io.err),
		kong.Description("A CUDA GPU in software that you can see into."),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 80}))
	if err != nil {
		fmt.Fprintln(io.err, "silica: internal error:", err)
		return exitFailed
	}
	parsed, err := parser.Parse(shortFlagsOfPrograms(parser.Model.Node, compilerSpelling(customary(args))))
	if out.failed(err) {
		return exitFailed // it is the help
	}
	if err != nil {
		misused(io.err, err)
		return exitUsage
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	err = parsed.Run(io)
	var f failure
	switch {
	case err == nil:
		return exitOK
	case out.failed(err):
		return exitFailed
	case errors.As(err, &f):
		if f.err != nil {
			fmt.Fprintln(io.err, cppname.Readable(f.err.Error()))
		}
		return f.code
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("silica: interrupted")
	}
	fmt.Fprintln(io.err, cppname.Readable(err.Error()))
	return exitFailed
}
