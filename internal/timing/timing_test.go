package timing_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"silica/driver"
	"silica/gpu"
	"silica/internal/exec"
	"silica/internal/sass"
	"silica/internal/timing"
)

// listener is a tracer that simulates the last launch.
type listener struct {
	gpu      *gpu.GPU
	together bool
	launch   *exec.Launch
	listen   *timing.Listening
}

func (l *listener) Launch(_ *driver.Function, e *exec.Launch) func(*exec.Stats, error) {
	e.Together = l.together
	l.launch, l.listen = e, timing.Listen(e, l.gpu)
	return func(*exec.Stats, error) {}
}

// setup is a launch of one of testdata's kernels.
type setup struct {
	kernel      string
	text        []byte // of the kernel, which testdata does not have
	n           int
	grid, block int
	gpu, engine string
	warm        bool
	together    bool // a profile observes the launch too
	bytes       int  // of the buffer, 1 MiB unless it is set
}

func simulate(t testing.TB, s setup) *timing.Result {
	t.Helper()
	r, err := timing.Simulate(record(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// record runs a launch, and returns what is to be simulated.
func record(t testing.TB, s setup) timing.Launch {
	t.Helper()
	if s.gpu == "" {
		s.gpu = "h200"
	}
	if s.engine == "" {
		s.engine = "simd"
	}
	archive, err := txtar.ParseFile("testdata/kernels.txtar")
	if err != nil {
		t.Fatal(err)
	}
	text := s.text
	for _, f := range archive.Files {
		if f.Name == s.kernel+".ptx" {
			text = f.Data
		}
	}
	g, err := gpu.Load(s.gpu)
	if err != nil {
		t.Fatal(err)
	}
	l := listener{gpu: g, together: s.together}
	d, err := driver.Open(g, driver.Options{Engine: s.engine, Tracer: &l})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m, err := d.LoadPTX("kernel.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function(s.kernel)
	if err != nil {
		t.Fatal(err)
	}
	buffer, err := d.Alloc(uint64(max(s.bytes, 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, buffer), uint64(s.n))
	if err := f.Launch(t.Context(), driver.Launch{Grid: driver.Dim3{X: s.grid, Y: 1, Z: 1}, Block: driver.Dim3{X: s.block, Y: 1, Z: 1}, Params: params}); err != nil {
		t.Fatal(err)
	}
	arch, err := sass.ArchOf(g)
	if err != nil {
		t.Fatal(err)
	}
	p := sass.Lower(f.Kernel, arch)
	o, err := g.Occupancy(gpu.Kernel{BlockSize: s.block, RegistersPerThread: p.Registers, StaticShared: f.Kernel.StaticShared})
	if err != nil {
		t.Fatal(err)
	}
	out := timing.Launch{GPU: g, Program: p, Blocks: s.grid, Occupancy: o, Recorder: l.listen.Recorder, Footprint: l.listen.Footprint}
	if s.warm {
		out.Before = []timing.Launch{out}
	}
	return out
}

// TestLatencies compares the cycles of chains of instructions with what an H200 takes for them, which its description has.
func TestLatencies(t *testing.T) {
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		long       setup
		by         int // repetitions more than half of them
		want, near float64
	}{
		{"multiply-add", setup{kernel: "chain", n: 2048, grid: 1, block: 32, warm: true}, 1024, g.Latency.FP32, 0.25},
		{"L1 hit", setup{kernel: "chase", n: 2048, grid: 1, block: 1, warm: true}, 1024, g.Latency.L1Hit, 0.35},
		{"barrier of 1 warp", setup{kernel: "barrier", n: 256, grid: 1, block: 32, warm: true}, 128, g.Latency.Barrier1Warp, 0.5},
		{"barrier of 8 warps", setup{kernel: "barrier", n: 256, grid: 1, block: 256, warm: true}, 128, g.Latency.Barrier8Warps, 0.35},
		{"barrier of 32 warps", setup{kernel: "barrier", n: 256, grid: 1, block: 1024, warm: true}, 128, g.Latency.Barrier32Warps, 0.25},
	} {
		short := c.long
		short.n -= c.by
		got := (simulate(t, c.long).Active - simulate(t, short).Active) / float64(c.by)
		if math.Abs(got-c.want) > c.near*c.want {
			t.Errorf("%s: %.1f cycles, the H200 takes %.1f", c.name, got, c.want)
		}
	}
}

// Loads from shared memory with conflicts take longer, as those of an H200: 2 cycles for each way.
func TestBankConflicts(t *testing.T) {
	free := simulate(t, setup{kernel: "shared", n: 1, grid: 1, block: 32, warm: true}).Active
	for _, ways := range []int{2, 4, 8, 16, 32} {
		got := (simulate(t, setup{kernel: "shared", n: ways, grid: 1, block: 32, warm: true}).Active - free) / 256
		if want := 2 * float64(ways-1); math.Abs(got-want) > 1+0.1*want {
			t.Errorf("%d ways: %.1f cycles more than none, the H200 takes %.1f", ways, got, want)
		}
	}
}

// What a simulation yields adds up, whatever the launch.
func TestSumsAgree(t *testing.T) {
	for _, kernel := range []string{"chain", "chase", "shared", "barrier", "apart"} {
		for _, s := range []setup{{grid: 1, block: 32}, {grid: 7, block: 96}, {grid: 300, block: 256}, {grid: 133, block: 1024}} {
			s.kernel, s.n = kernel, 8
			r := simulate(t, s)
			var sum float64
			for _, x := range r.States {
				sum += x
			}
			if math.Abs(sum-r.WarpCycles) > 1e-6*sum {
				t.Errorf("%+v: warps are in some state for %.0f cycles, and live for %.0f", s, sum, r.WarpCycles)
			}
			if issued := r.States[timing.Selected]; issued != r.Instructions {
				t.Errorf("%+v: %.0f cycles selected, %.0f instructions", s, issued, r.Instructions)
			}
			var lines float64
			for _, l := range r.Lines {
				lines += l.Issued
			}
			if lines != r.Instructions {
				t.Errorf("%+v: the lines have %.0f instructions of %.0f", s, lines, r.Instructions)
			}
			tr := r.Traffic
			if reads := tr.L2ReadHits + tr.L2ReadMisses + tr.L2Merged; math.Abs(reads-tr.L1Misses) > 1e-6*reads || tr.L2ReadHits < 0 || tr.L2Merged < 0 {
				t.Errorf("%+v: %.1f sectors missed L1, L2 was asked for %.1f: %+v", s, tr.L1Misses, reads, tr)
			}
		}
	}
}

// What lanes of a warp do not access is not touched, also where the engine tells of several warps together, as profiles let it.
func TestTogether(t *testing.T) {
	for _, n := range []int{0, 1, 4, 8, 16} {
		s := setup{kernel: "guarded", n: n, grid: 64, block: 256}
		apart := simulate(t, s)
		s.together = true
		if d := cmp.Diff(apart.Traffic, simulate(t, s).Traffic); d != "" {
			t.Errorf("n = %d: told apart, and together: %s", n, d)
		}
	}
}

// A launch that does more takes longer.
func TestMoreWorkTakesLonger(t *testing.T) {
	for _, kernel := range []string{"chain", "chase", "barrier", "apart"} {
		last := 0.0
		for _, n := range []int{1, 4, 16, 64, 256} {
			r := simulate(t, setup{kernel: kernel, n: n, grid: 200, block: 128})
			if r.Elapsed < last {
				t.Errorf("%s: %d trips take %.0f cycles, fewer took %.0f", kernel, n, r.Elapsed, last)
			}
			last = r.Elapsed
		}
		last = 0
		for _, grid := range []int{1, 132, 133, 1000} {
			r := simulate(t, setup{kernel: kernel, n: 16, grid: grid, block: 128})
			// Multiprocessors that read the same wait for each other's fetches, which is a little less.
			if r.Elapsed < 0.95*last {
				t.Errorf("%s: %d blocks take %.0f cycles, fewer took %.0f", kernel, grid, r.Elapsed, last)
			}
			last = r.Elapsed
		}
	}
}

// The result is the same whatever ran the launch.
func TestResultDependsOnTheLaunchAlone(t *testing.T) {
	s := setup{kernel: "apart", n: 5, grid: 300, block: 256}
	first := simulate(t, s)
	s.engine = "ref"
	if diff := cmp.Diff(first.States, simulate(t, s).States); diff != "" {
		t.Errorf("-simd +ref\n%s", diff)
	}
}

// Every GPU whose machine code is known has a time.
func TestGPUs(t *testing.T) {
	for _, name := range gpu.Names() {
		g, err := gpu.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sass.ArchOf(g); err != nil {
			continue
		}
		if r := simulate(t, setup{kernel: "apart", n: 3, grid: 50, block: 64, gpu: name}); r.Duration <= 0 || math.IsNaN(r.Elapsed) || math.IsInf(r.Elapsed, 0) {
			t.Errorf("%s: %v, %v cycles", name, r.Duration, r.Elapsed)
		}
	}
}

// The states have the names of Nsight Compute's metrics.
func TestStates(t *testing.T) {
	seen := map[string]bool{}
	for s := range timing.States {
		name := timing.State(s).String()
		if name == "" || seen[name] || strings.ToLower(name) != name {
			t.Errorf("state %d is called %q", s, name)
		}
		seen[name] = true
	}
}

// A launch that follows itself finds its data in L2; one that follows a launch of other data, or too much data in between, does not.
func TestCachesKeepWhatFits(t *testing.T) {
	l := record(t, setup{kernel: "tiled", n: 128, grid: 16, block: 1024})
	run := func(before ...timing.Launch) *timing.Result {
		l.Before = before
		r, err := timing.Simulate(l)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	cold, warm := run(), run(l)
	if warm.Elapsed >= cold.Elapsed || warm.Traffic.L2ReadMisses != 0 || cold.Traffic.L2ReadMisses == 0 {
		t.Errorf("cold: %.0f cycles, %.0f misses; warm: %.0f cycles, %.0f misses", cold.Elapsed, cold.Traffic.L2ReadMisses, warm.Elapsed, warm.Traffic.L2ReadMisses)
	}
	small := *l.GPU
	small.Memory.L2Bytes = 65536
	l.GPU = &small
	if part := run(l); part.Traffic.L2ReadMisses == 0 {
		t.Errorf("nothing is missing in a cache of %d bytes", small.Memory.L2Bytes)
	}
}

// What is watched of the warps is all that they do in the window, and what the sums have.
func TestWatch(t *testing.T) {
	for _, s := range []setup{
		{kernel: "tiled", n: 64, grid: 140, block: 1024}, {kernel: "barrier", n: 5, grid: 3, block: 96}, {kernel: "apart", n: 3, grid: 300, block: 256},
	} {
		l := record(t, s)
		l.Watch = timing.Window{To: 1 << 40}
		all, err := timing.Simulate(l)
		if err != nil {
			t.Fatal(err)
		}
		var states [timing.States]float64
		for _, w := range all.Warps {
			at := w.Start
			for _, span := range w.Spans {
				if span.From != at || span.To <= span.From || span.Line < 0 || span.Line >= len(all.Lines) || span.On >= len(all.Lines) {
					t.Fatalf("%+v: warp %d: %+v after cycle %d", s, w.Warp, span, at)
				}
				at = span.To
				states[span.State] += float64(span.To-span.From) / all.Sampled
			}
			if at != w.End {
				t.Errorf("%+v: warp %d ends at %d, its spans at %d", s, w.Warp, w.End, at)
			}
		}
		if diff := cmp.Diff(all.States, states); diff != "" {
			t.Errorf("%+v: -sums +spans\n%s", s, diff)
		}
		l.Watch = timing.Window{From: 1000, To: 1200}
		part, err := timing.Simulate(l)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range part.Warps {
			for _, span := range w.Spans {
				if span.From < 1000 || span.To > 1200 {
					t.Errorf("%+v: %+v is outside of the window", s, span)
				}
			}
		}
		if part.Elapsed != all.Elapsed {
			t.Errorf("%+v: %.0f cycles when a part is watched, %.0f when all", s, part.Elapsed, all.Elapsed)
		}
	}
}

// Warps that take turns at a pipe are ready and not selected; a pipe throttles only those that ask for it while it is busy. A warp waits for its own
// last instruction, for as long as its stall count says. That is how an H200's counters have chains of multiply-adds of many warps: 3.97 warps
// not selected, 0.01 throttled, 2.72 waiting for each instruction.
func TestWarpsThatTakeTurns(t *testing.T) {
	r := simulate(t, setup{kernel: "chain", n: 4096, grid: 132, block: 1024})
	each := func(s timing.State) float64 { return r.States[s] / r.Instructions }
	if got := each(timing.MathPipeThrottle); got > 0.2 {
		t.Errorf("%.2f warps are throttled for each instruction", got)
	}
	if got := each(timing.NotSelected); got < 2 {
		t.Errorf("%.2f warps are not selected for each instruction", got)
	}
	if got := each(timing.Wait); got < 2 || got > 3 {
		t.Errorf("%.2f warps wait for each instruction", got)
	}
}

// The first constant that an instruction reads as it is issued is waited for there, with the state of the immediate constant cache.
func TestConstantsOfTheFirstWarp(t *testing.T) {
	first, later := simulate(t, setup{kernel: "shared", n: 1, grid: 1, block: 32}), simulate(t, setup{kernel: "shared", n: 1, grid: 132 * 64, block: 32})
	if first.States[timing.IMCMiss] == 0 {
		t.Error("nothing waits for the first constants")
	}
	if a, b := first.States[timing.IMCMiss]/first.WarpCycles, later.States[timing.IMCMiss]/later.WarpCycles; b > a/2 {
		t.Errorf("the first warp waits for constants in %.3f of its time, all in %.3f", a, b)
	}
}
