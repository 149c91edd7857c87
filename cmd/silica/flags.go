package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"silica/driver"
	"silica/profile"
)

// machineFlags choose what a program runs on.
type machineFlags struct {
	GPU     string `name:"gpu" default:"h200" env:"SILICA_GPUS" help:"GPU: a name of silica gpus, or a .json file. For programs several, between commas: h200,h200."`
	Engine  string `enum:"simd,ref" default:"simd" help:"Engine: ${enum}."`
	Workers int    `default:"0" help:"Blocks run at the same time; 0 stands for all cores."`

	Timeout timeout `env:"SILICA_TIMEOUT" help:"Longest time of a launch, such as 10s; one that takes longer ends with a report of where its warps are." placeholder:"TIME"`
}

// modelFlags choose what the model of the machine does.
type modelFlags struct {
	Timing       bool   `default:"true" negatable:"" help:"Model how long kernels take on the GPU, and what their warps wait for."`
	CacheControl string `name:"cache-control" enum:"all,none" default:"all" help:"Which caches the model empties before each kernel: ${enum}, as in ncu."`
}

func (m modelFlags) keepCaches() bool { return m.CacheControl == "none" }

// launchFlags choose which launches of a program are profiled, as those of ncu.
type launchFlags struct {
	KernelName  profile.KernelName `help:"Profile only kernels of this name, or those whose name an expression fits: regex:EXPRESSION." placeholder:"NAME"`
	LaunchSkip  int                `help:"Launches of these kernels to leave out before the first that is profiled." placeholder:"N"`
	LaunchCount int                `help:"Most launches to profile." placeholder:"N"`
}

func (l launchFlags) filter() profile.Filter {
	return profile.Filter{Kernel: l.KernelName, Skip: l.LaunchSkip, Count: l.LaunchCount}
}

// check refuses what says nothing about a file of this kind, or can not be meant.
func (l launchFlags) check(file string, wholeProgram bool) error {
	switch f := l.filter(); {
	case f == profile.Filter{}:
		return nil
	case f.Skip < 0 || f.Count < 0:
		return usage("--launch-skip %d --launch-count %d: want numbers from 0 on", f.Skip, f.Count)
	case isKernel(file):
		return usage("%s has one launch; --kernel-name, --launch-skip and --launch-count are for a program (--kernel chooses a kernel here)", file)
	case wholeProgram:
		return usage("--timeline and its --trace need all launches; --kernel-name, --launch-skip and --launch-count choose some")
	}
	return nil
}

// logFlags choose what the library tells about a program's calls.
type logFlags struct {
	TraceAPI string   `name:"trace-api" help:"Write every call of the CUDA APIs to standard error, or with --trace-api=FILE to a file." placeholder:"FILE"`
	Log      logLevel `help:"What to say on standard error: error, warning (the default), info (why each call fails) or debug (each call)." placeholder:"LEVEL"`
}

// check refuses a file that can not be written before the program runs. What it holds stays: the library writes behind it.
func (l logFlags) check() error {
	if l.TraceAPI == "" || l.TraceAPI == "-" {
		return nil
	}
	file, err := os.OpenFile(l.TraceAPI, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return usage("--trace-api %w", unreadable(err))
	}
	return file.Close()
}

// logLevel is a level of SILICA_LOG; "" leaves it to the environment.
type logLevel string

// UnmarshalText reads a flag.
func (l *logLevel) UnmarshalText(text []byte) error {
	*l = logLevel(text)
	if !slices.Contains([]logLevel{"error", "warning", "info", "debug"}, *l) {
		return fmt.Errorf("%q: want error, warning, info or debug", text)
	}
	return nil
}

// timeout is a limit of time: 10s, or a number of seconds; 0 stands for none.
type timeout time.Duration

// UnmarshalText reads a flag.
func (t *timeout) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return nil // a variable of the environment that is set to nothing
	}
	limit, err := driver.ParseTimeout(string(text))
	*t = timeout(limit)
	return err
}

// compileFlags are passed to clang for .cu files.
type compileFlags struct {
	Include []string `short:"I" help:"Folder to look for headers in." placeholder:"DIR"`
	Define  []string `short:"D" help:"Macro to define." placeholder:"NAME[=VALUE]"`
	Std     string   `help:"C++ standard, such as c++17." placeholder:"STD"`
	Opt     string   `short:"O" help:"Optimisation level of device and host code." placeholder:"LEVEL"`
	Stream  string   `name:"default-stream" enum:"legacy,per-thread" default:"legacy" help:"Default stream: one, or one for each thread (${enum})."`
}

// programArgs is what follows the file on the command line; a first -- only marks where it starts.
type programArgs []string

// AfterApply puts together again what the parser took apart, before it found that it was no flag of ours: a first argument of the
// program like --size=64 or -n64.
func (a *programArgs) AfterApply(c *kong.Context) error {
	n := len(*a)
	if n < 2 || n <= len(c.Args) && slices.Equal(c.Args[len(c.Args)-n:], *a) {
		return nil
	}
	given := c.Args[len(c.Args)-(n-1):]
	flag, value := (*a)[0], (*a)[1]
	if given[0] == flag+"="+value || given[0] == flag+value {
		*a = slices.Clone(given)
	}
	return nil
}

// warn tells which arguments the program gets that are flags of the command itself, unless a -- says that they are meant so.
func (a programArgs) warn(w io.Writer, c *kong.Context) {
	var own []string
	for _, arg := range a {
		if arg == "--" {
			break
		}
		name, _, _ := strings.Cut(arg, "=")
		if name != "--help" && slices.ContainsFunc(c.Flags(), func(f *kong.Flag) bool { return "--"+f.Name == name }) && !slices.Contains(own, name) {
			own = append(own, name)
		}
	}
	if len(own) > 0 {
		fmt.Fprintf(w, "silica %s: %s went to the program: flags of silica stand before the program's arguments (a -- before them says that all are its own)\n",
			c.Selected().Name, strings.Join(own, ", "))
	}
}

func (a programArgs) list() []string {
	if len(a) > 0 && a[0] == "--" {
		return a[1:]
	}
	return a
}

// kernelFlags choose the launch of one kernel of a .ptx file.
type kernelFlags struct {
	Kernel  string   `help:"Kernel of a .ptx file; may be left out when there is only one."`
	Grid    dim      `default:"1" help:"Blocks of the grid: X[,Y[,Z]]."`
	Block   dim      `default:"1" help:"Threads of a block: X[,Y[,Z]]."`
	Cluster dim      `help:"Blocks of a cluster: X[,Y[,Z]]; what the kernel requires, or 1, when left out." placeholder:"DIM"`
	Shared  int      `default:"0" help:"Dynamic shared memory in bytes."`
	Arg     []string `sep:"none" help:"Kernel argument, in order: i32=1024, f32[N]=uniform(1), 'out f32[N]'." placeholder:"ARG"`
}

// isKernel tells whether a file holds kernels alone, and no program that launches them.
func isKernel(file string) bool { return filepath.Ext(file) == ".ptx" }

// checkInput refuses what says nothing about a file of this kind: flags of a launch for a program, which launches its own
// kernels, and arguments of a program or several GPUs for a kernel.
func checkInput(file string, args programArgs, gpus string, k kernelFlags) error {
	one := dim{driver.Dim3{X: 1, Y: 1, Z: 1}}
	launches := k.Kernel != "" || k.Grid != one || k.Block != one || k.Cluster != dim{} || k.Shared != 0 || len(k.Arg) > 0
	switch {
	case isKernel(file) && len(args.list()) > 0:
		return usage("%s: %q does not belong here; a kernel takes its arguments from --arg", file, args.list()[0])
	case isKernel(file) && strings.Contains(gpus, ","):
		return usage("%s: a kernel runs on one GPU; --gpu (or SILICA_GPUS) %s is for a program", file, gpus)
	case !isKernel(file) && launches:
		return usage("%s launches its own kernels; --kernel, --grid, --block, --cluster, --shared and --arg are for a .ptx file", file)
	}
	return nil
}

// dim is X[,Y[,Z]].
type dim struct{ driver.Dim3 }

// UnmarshalText reads a flag.
func (d *dim) UnmarshalText(text []byte) error {
	d.Dim3 = driver.Dim3{X: 1, Y: 1, Z: 1}
	parts := strings.Split(string(text), ",")
	if len(parts) > 3 {
		return fmt.Errorf("%q has more than three extents", text)
	}
	for i, part := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 {
			return fmt.Errorf("%q is not X[,Y[,Z]]", text)
		}
		*[]*int{&d.X, &d.Y, &d.Z}[i] = n
	}
	return nil
}
