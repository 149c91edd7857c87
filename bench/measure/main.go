// Measure runs the cases of package bench beside their yardsticks, in one run, and writes docs/performance.md. It is started in the
// project's root, with bin/silica built.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"silica/bench"
	"silica/bench/pocl"
	"silica/driver"
	"silica/internal/compile"
	"silica/profile"
)

type command struct {
	Cases  []string `arg:"" optional:"" help:"Cases to run; all when none is named."`
	Short  bool     `help:"Tiny problems, which only show that the measuring works; nothing is written."`
	Passes int      `default:"5" help:"Timed passes of a case, of which the median counts."`
}

func main() {
	var c command
	ctx := kong.Parse(&c, kong.Name("measure"), kong.Description("Measures the engine beside its yardsticks."))
	ctx.FatalIfErrorf(c.run())
}

func (c *command) run() error {
	m := measurer{command: c}
	// A process that is started counts the memory of the one that starts it as its own until it runs its program: the parts that start
	// processes come before those that fill this one's memory.
	var starting bytes.Buffer
	if err := m.starting(&starting); err != nil {
		return err
	}
	text, err := compile.Device(context.Background(), "bench/kernels.cu", compile.Options{})
	if err != nil {
		return err
	}
	host, err := pocl.Build("bench/pocl/twins")
	if err != nil {
		return err
	}
	defer host.Close()
	m.text, m.host = text, host
	var out bytes.Buffer
	for _, part := range []func(*bytes.Buffer) error{m.kernels, m.observing, m.scaling, m.calls} {
		if err := part(&out); err != nil {
			return err
		}
	}
	out.Write(starting.Bytes())
	document := fmt.Sprintf(header, cpuName(), runtime.GOMAXPROCS(0)) + out.String()
	if c.Short || len(c.Cases) > 0 {
		fmt.Print(document)
		return nil
	}
	return os.WriteFile("docs/performance.md", []byte(document), 0o644)
}

const header = `<!-- Written by make bench; every figure is of one run. -->

# Performance

Measured on %s, %d cores. Every yardstick was measured in the same run: PoCL runs the same kernel written in OpenCL
(` + "`bench/pocl/twins`" + `) on the same data, OpenBLAS multiplies matrices as fast as the machine can, and a plain loop of Go copies memory with all
cores. A figure is the median of the timed passes. The absolute ones are this machine's; the ratios travel better.
`

// cpuName is the processor's name, or its architecture where the system does not tell.
func cpuName() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if name, ok := strings.CutPrefix(line, "model name"); ok {
				return strings.TrimLeft(strings.TrimSpace(name), ": \t")
			}
		}
	}
	return runtime.GOARCH
}

type measurer struct {
	*command
	text []byte
	host *pocl.Host
}

// chosen is the cases to run, and size the size of their problem.
func (m *measurer) chosen() []bench.Case {
	return slices.DeleteFunc(bench.Cases(), func(c bench.Case) bool { return len(m.Cases) > 0 && !slices.Contains(m.Cases, c.Name) })
}

func (m *measurer) size(c bench.Case) int {
	if m.Short {
		return c.Short
	}
	return c.N
}

// time returns the median time of a pass of a case.
func (m *measurer) time(c bench.Case, o driver.Options) (time.Duration, error) {
	p, err := c.Prepare(m.text, m.size(c), o)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	var took []time.Duration
	for i := range m.Passes + 1 {
		start := time.Now()
		if err := p.Run(); err != nil {
			return 0, fmt.Errorf("%s: %w", c.Name, err)
		}
		if i > 0 { // the first touches all memory and prepares the program
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

func (m *measurer) kernels(out *bytes.Buffer) error {
	out.WriteString(`
## Kernels

| case | ms | thread instructions/s | rate | of yardstick | PoCL ms | times as fast as PoCL |
|---|---|---|---|---|---|---|
`)
	side := 1024
	if m.Short {
		side = 128
	}
	sgemm, err := m.host.Sgemm(side)
	if err != nil {
		return err
	}
	limit := 2 * float64(side) * float64(side) * float64(side) / sgemm.Seconds()
	for _, c := range m.chosen() {
		n := m.size(c)
		count, err := c.ThreadInstructions(m.text, n)
		if err != nil {
			return err
		}
		took, err := m.time(c, driver.Options{})
		if err != nil {
			return err
		}
		rate, share := "", ""
		switch {
		case c.Bytes != nil:
			rate = fmt.Sprintf("%.1f GB/s", c.Bytes(n)/took.Seconds()/1e9)
			copying, err := bench.CopyBandwidth(int(c.Bytes(n)) / 2)
			if err != nil {
				return err
			}
			share = fmt.Sprintf("%.0f %% of copying", 100*c.Bytes(n)/took.Seconds()/copying)
		case c.Flops != nil:
			rate = fmt.Sprintf("%.1f GFLOP/s", c.Flops(n)/took.Seconds()/1e9)
			share = fmt.Sprintf("%.1f %% of OpenBLAS", 100*c.Flops(n)/took.Seconds()/limit)
		}
		theirs, times := "", ""
		if c.Twin {
			pass, _, err := m.host.Run(c, n, m.Passes)
			if err != nil {
				return err
			}
			theirs, times = fmt.Sprintf("%.1f", 1e3*pass.Seconds()), fmt.Sprintf("%.2f", pass.Seconds()/took.Seconds())
		}
		fmt.Fprintf(out, "| %s | %.1f | %.1fe9 | %s | %s | %s | %s |\n", c.Name, 1e3*took.Seconds(), float64(count)/took.Seconds()/1e9, rate, share, theirs, times)
	}
	fmt.Fprintf(out, "\nOpenBLAS: %.0f GFLOP/s in f32 for matrices of %d x %d.\n", limit/1e9, side, side)
	return nil
}

func (m *measurer) observing(out *bytes.Buffer) error {
	out.WriteString(`
## Watching

How many times as long a pass takes when instructions are counted, when every memory access is handed to a listener that does nothing, and under
the profiler.

| case | counts | accesses | profile |
|---|---|---|---|
`)
	for _, c := range m.chosen() {
		alone, err := m.time(c, driver.Options{})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s", c.Name)
		for _, tracer := range []driver.Tracer{&bench.Counter{}, bench.Listener{}, profile.NewCollector(profile.Options{})} {
			watched, err := m.time(c, driver.Options{Tracer: tracer})
			if err != nil {
				return err
			}
			fmt.Fprintf(out, " | %.1f", watched.Seconds()/alone.Seconds())
		}
		out.WriteString(" |\n")
	}
	return nil
}

func (m *measurer) scaling(out *bytes.Buffer) error {
	cores := runtime.GOMAXPROCS(0)
	fmt.Fprintf(out, "\n## Cores\n\n| case | speed-up from 1 core to %d |\n|---|---|\n", cores)
	for _, c := range m.chosen() {
		one, err := m.time(c, driver.Options{Workers: 1})
		if err != nil {
			return err
		}
		all, err := m.time(c, driver.Options{Workers: cores})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %.2f |\n", c.Name, one.Seconds()/all.Seconds())
	}
	return nil
}

// starting measures small programs as a user starts them again: the median time of a process, the most memory that it held, and how much of
// that is the program's own: its buffers on the device and, where the command makes them from its arguments, on the host.
func (m *measurer) starting(out *bytes.Buffer) error {
	binary, err := filepath.Abs("bin/silica")
	if err != nil {
		return err
	}
	out.WriteString("\n## Starting\n\n| command | ms | MB resident at most | of them the program's |\n|---|---|---|---|\n")
	saxpy := "silica run cmd/silica/testdata/saxpy.ptx --grid %d --block 256 --arg f32=2 --arg f32[%d]=iota --arg f32[%[2]d]=1 --arg u32=%[2]d"
	large := 1 << 24
	if m.Short {
		large = 1 << 16
	}
	for _, command := range []struct {
		line string
		own  float64 // MB
	}{
		{fmt.Sprintf(saxpy, 4, 1024), 0},
		{fmt.Sprintf(saxpy, large/256, large), 16 * float64(large) / (1 << 20)},
		{"silica run examples/vector_add.cu", 24},
	} {
		var took []time.Duration
		var most int64
		for pass := range m.Passes + 1 {
			cmd := exec.Command(binary, strings.Fields(command.line)[1:]...)
			start := time.Now()
			if text, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", command.line, err, text)
			}
			if pass == 0 {
				continue // the compiler may have run, and what it holds would count
			}
			took = append(took, time.Since(start))
			if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
				most = max(most, use.Maxrss)
			}
		}
		slices.Sort(took)
		fmt.Fprintf(out, "| `%s` | %.0f | %.0f | %.0f |\n", command.line, 1e3*took[len(took)/2].Seconds(), float64(most)/1024, command.own)
	}
	return nil
}
