package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"silica/driver"
	"silica/gpu"
	"silica/internal/progress"
	"silica/internal/run"
	"silica/profile"
	"silica/report"
	"silica/timeline"
)

type profileCommand struct {
	File string      `arg:"" help:"CUDA source (.cu), PTX (.ptx) or a program, looked up in PATH too."`
	Args programArgs `arg:"" optional:"" passthrough:"" help:"Arguments of the program, after --."`
	machineFlags
	compileFlags
	kernelFlags
	Format string `enum:"text,json,csv" default:"text" help:"Output format: ${enum}."`
	Set    string `enum:"summary,basic,roofline,full" default:"summary" help:"How much to report: summary (what to change, and where), basic (with Nsight Compute's tables), roofline (rates beside peaks) or full (all sections). json and csv have no summary, but basic."`
	Regs   int    `default:"0" help:"Registers per thread, as ptxas reports them; estimated when 0."`
	modelFlags
	launchFlags
	Timeline bool            `xor:"view" help:"Report when kernels, copies and calls run instead of what kernels do."`
	Warps    bool            `xor:"view" help:"Report what each warp of one SM does, cycle by cycle, instead of what kernels do."`
	Cycles   *profile.Window `help:"Cycles to look at, from the start of the SM's first warp: FROM-TO. Implies --warps, which shows 0-2000 without it." placeholder:"CYCLES"`
	Trace    string          `help:"File for the timeline, or with --warps for that of the warps, for ui.perfetto.dev or chrome://tracing." placeholder:"FILE"`
	Save     string          `help:"File to keep the profile in, for silica compare; it is what --format json writes." placeholder:"FILE"`
	Output   string          `short:"o" help:"File for the report instead of standard output. Without it, json and csv send what the program prints to standard error." placeholder:"FILE"`
}

// Help is the example that -h shows.
func (*profileCommand) Help() string {
	return `Examples:

  silica profile examples/matmul.cu
  silica profile examples/matmul.cu --gpu a100,h200,rtx4090
  silica profile examples/matmul.cu --timeline --trace matmul.json
  silica profile examples/matmul.cu --cycles 1000-1064
  silica profile --kernel-name regex:gemm --launch-skip 2 --launch-count 1 python3 train.py
  silica profile cmd/silica/testdata/saxpy.ptx --grid 4096 --block 256 \
    --arg f32=2 --arg 'f32[1048576]=uniform(1)' \
    --arg 'inout f32[1048576]=uniform(2)' --arg u32=1048576 --set full`
}

func (c *profileCommand) Run(ctx context.Context, parsed *kong.Context, io streams) error {
	gpus, err := c.several()
	if err != nil {
		return err
	}
	one := c.GPU
	if gpus != nil {
		one = gpus[0].ID
	}
	if err := checkInput(c.File, c.Args, one, c.kernelFlags); err != nil {
		return err
	}
	c.Args.warn(io.err, parsed)
	if c.Regs < 0 || c.Regs > 255 {
		return usage("--regs %d: a thread has 1 to 255 registers", c.Regs)
	}
	if c.Cycles != nil && c.Timeline {
		return usage("--cycles is for --warps; --timeline shows the whole program")
	}
	c.Warps = c.Warps || c.Cycles != nil
	if err := c.launchFlags.check(c.File, c.Timeline || c.Trace != "" && !c.Warps); err != nil {
		return err
	}
	switch {
	case c.Warps && !c.Timing:
		return usage("--warps needs the model of the machine, which --no-timing leaves out")
	case c.Warps && c.Format == "csv":
		return usage("--warps has no csv; use text, json or --trace")
	}
	out := io.out
	if c.Format != "text" && c.Output == "" {
		io.out = io.err // what the program prints would break the report's format
	}
	file, err := createFile("-o", c.Output)
	if err != nil {
		return err
	}
	if file != nil {
		defer file.Close()
		out = file
	}
	if gpus != nil {
		return c.compare(ctx, io, out, gpus)
	}
	trace, err := createFile("--trace", c.Trace)
	if err != nil {
		return err
	}
	defer trace.Close()
	save, err := createFile("--save", c.Save)
	if err != nil {
		return err
	}
	defer save.Close()
	got, ran, err := c.profiled(ctx, io)
	if err != nil {
		return err
	}
	model, name, err := c.model(got)
	if err != nil {
		return err
	}
	if trace != nil {
		if err := errors.Join(c.writeTrace(trace, got, model, name), trace.Close()); err != nil {
			return err
		}
	}
	if save != nil {
		if err := errors.Join(report.JSON(save, got.launches, nil), save.Close()); err != nil {
			return err
		}
	}
	switch {
	case c.Warps && len(got.launches) > 0:
		err = c.writeWarps(out, got.launches)
	case c.Timeline && model != nil && len(model.Ordered()) > 0:
		err = c.writeTimeline(out, model, name)
	case !c.Timeline && len(got.launches) > 0:
		if c.filter() != (profile.Filter{}) {
			model = nil // it knows how long kernels take from their profiles
		}
		err = c.write(out, got.launches, model)
	default:
		fmt.Fprintf(io.err, "%s: nothing to profile: %s\n", c.File, c.whyNothing(model, ran))
		if ran == nil {
			return failure{code: exitFailed}
		}
	}
	if err != nil {
		return err
	}
	return ran
}

// whyNothing tells why there is nothing to report of a program that ran.
func (c *profileCommand) whyNothing(m *timeline.Model, ran error) string {
	const bySignal = 128 // and the signal's number are the status of a program that a signal ended
	var f failure
	errors.As(ran, &f)
	switch {
	case m != nil && c.filter() != profile.Filter{} && len(kernels(m)) > 0:
		return "--kernel-name, --launch-skip and --launch-count leave out all that it launches: " + kernels(m)
	case m != nil && !c.Timeline && len(m.Ordered()) > 0:
		return "it launched no kernel (--timeline shows its other work)"
	case m != nil:
		return "it called CUDA, but launched no kernel"
	case f.code > bySignal:
		return fmt.Sprintf("signal %d ended it before its profile was written", f.code-bySignal)
	case run.IsStatic(onPath(c.File)):
		return "it is linked statically, so that no library can stand in for CUDA's"
	}
	return "it made no CUDA call (is it a CUDA program, and does it choose the GPU?)"
}

// kernels lists those that a program launches, with how often.
func kernels(m *timeline.Model) string {
	const most = 8
	count := map[string]int{}
	var names []string
	for i := range m.Activities {
		if m.Activities[i].Kind != timeline.Kernel {
			continue
		}
		name := m.Title(i)
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	var out []string
	for i, name := range names {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		out = append(out, fmt.Sprintf("%s (%d)", name, count[name]))
	}
	return strings.Join(out, ", ")
}

// profiled is what a program did: its launches, and its timeline, which is nil when it did not end by itself.
type profiled struct {
	launches []*profile.Launch
	timeline *timeline.Timeline
}

// watch are the cycles of which each warp's doings are asked for.
func (c *profileCommand) watch() profile.Window {
	switch {
	case !c.Warps:
		return profile.Window{}
	case c.Cycles != nil:
		return *c.Cycles
	}
	return profile.Window{To: 2000}
}

// profiled runs the kernel or the program. ran is its own failure.
func (c *profileCommand) profiled(ctx context.Context, io streams) (got profiled, ran, err error) {
	if isKernel(c.File) {
		got, ran = c.kernel(ctx, io)
		if len(got.launches) == 0 {
			return got, nil, ran // it did not start
		}
		return got, ran, nil
	}
	return c.program(ctx, io)
}

// kernel profiles one kernel of a .ptx file. The error is what went wrong with the launch; there may be a profile of what ran before.
func (c *profileCommand) kernel(ctx context.Context, io streams) (profiled, error) {
	g, err := loadGPU(c.GPU)
	if err != nil {
		return profiled{}, err
	}
	collector, recorder := profile.NewCollector(profile.Options{Registers: c.Regs, Timing: c.Timing, KeepCaches: c.keepCaches(), Watch: c.watch()}), timeline.NewRecorder()
	r, err := runKernel(ctx, c.File, g, c.kernelFlags, driver.Options{
		Engine: c.Engine, Workers: c.Workers, Timeout: time.Duration(c.Timeout), Stdout: io.out, Tracer: progress.On(io.err, collector), Recorder: recorder.Driver,
	})
	if err == nil {
		err = r.device.Close()
	}
	return profiled{collector.Launches(), recorder.Timeline(c.GPU)}, err
}

// program profiles all launches of a program. ran is the program's own failure.
func (c *profileCommand) program(ctx context.Context, io streams) (got profiled, ran, err error) {
	path, remove, err := profileFile()
	if err != nil {
		return got, nil, err
	}
	defer remove()
	times, removeTimes, err := profileFile()
	if err != nil {
		return got, nil, err
	}
	defer removeTimes()
	ran = runProgram(ctx, io, program{
		file: c.File, args: c.Args.list(), machine: c.machineFlags, compile: c.compileFlags, profile: path, timeline: times, regs: c.Regs, model: c.modelFlags,
		watch: c.watch(), choose: c.filter(),
	})
	var f failure
	if errors.As(ran, &f) && f.err != nil {
		return got, nil, ran // it did not start
	}
	if got.launches, err = written(path, profile.Read); err != nil {
		return got, ran, err
	}
	if dir, err := os.Getwd(); err == nil && dir != "/" {
		for _, l := range got.launches {
			l.Error = strings.ReplaceAll(l.Error, dir+"/", "") // files as the library's own message names them
		}
	}
	got.timeline, err = written(times, timeline.Read)
	return got, ran, err
}

// written reads what the library wrote into a file; an empty one holds nothing.
func written[T any](path string, read func(io.Reader) (T, error)) (out T, err error) {
	file, err := os.Open(path)
	if err != nil {
		return out, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() == 0 {
		return out, err
	}
	return read(file)
}

// model places the timeline on its GPUs, and returns their name. Both are empty without a timeline.
func (c *profileCommand) model(got profiled) (m *timeline.Model, name string, err error) {
	if got.timeline == nil {
		return nil, "", nil
	}
	var gpus []*gpu.GPU
	for _, id := range got.timeline.GPUs {
		g, err := loadGPU(id)
		if err != nil {
			return nil, "", err
		}
		gpus = append(gpus, g)
		if !strings.Contains(name, g.Name) {
			name = strings.TrimPrefix(name+", "+g.Name, ", ")
		}
	}
	return timeline.NewModel(got.timeline, gpus, got.launches), name, nil
}

// writeTrace writes what --trace asks for: what warps do, or the timeline when there is one.
func (c *profileCommand) writeTrace(out io.Writer, got profiled, m *timeline.Model, name string) error {
	switch {
	case c.Warps:
		return report.WarpTrace(out, got.launches)
	case m != nil:
		return report.Trace(out, m, name)
	}
	return nil
}

func (c *profileCommand) writeWarps(out io.Writer, launches []*profile.Launch) error {
	if c.Format == "json" {
		return report.JSON(out, launches, nil)
	}
	return report.Warps(out, launches, report.Options{Set: c.Set, Color: colours(out)})
}

func (c *profileCommand) writeTimeline(out io.Writer, m *timeline.Model, name string) error {
	switch c.Format {
	case "json":
		return report.TimelineJSON(out, m)
	case "csv":
		return report.TimelineCSV(out, m)
	}
	return report.Timeline(out, m, name, report.Options{Set: c.Set, Color: colours(out), Source: sourceLines()})
}

func (c *profileCommand) write(out io.Writer, launches []*profile.Launch, m *timeline.Model) error {
	options := report.Options{Set: c.Set, Color: colours(out), Source: sourceLines()}
	switch c.Format {
	case "json":
		return report.JSON(out, launches, m)
	case "csv":
		return report.CSV(out, launches, options)
	}
	return report.Text(out, launches, m, options)
}

// sourceLines returns a function that gives the text of a source line, "" when the file can not be read. Files are kept.
func sourceLines() func(file string, line int) string {
	files := map[string][]string{}
	return func(file string, line int) string {
		lines, known := files[file]
		if !known {
			if text, err := os.ReadFile(file); err == nil {
				lines = strings.Split(string(text), "\n")
			}
			files[file] = lines
		}
		if line < 1 || line > len(lines) {
			return ""
		}
		return strings.TrimSpace(lines[line-1])
	}
}
