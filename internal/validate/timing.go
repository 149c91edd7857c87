package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"silica/internal/timing"
	"silica/internal/truth"
	"silica/profile"
)

// Timing is what the model says of a case beside what the chip did.
type Timing struct {
	Case    string `json:"case"`
	Program string `json:"program,omitempty"` // whose kernel it is, of those that were timed as programs
	Error   string `json:"error,omitempty"`
	// Cycles are from the beginning to the end of the launch; Active those in which the busiest multiprocessor has warps.
	Cycles Pair `json:"cycles"`
	Active Pair `json:"active"`
	// L2Bytes and DRAMBytes are read and written; the hit rates are in percent.
	L2Bytes   Pair `json:"l2_bytes"`
	DRAMBytes Pair `json:"dram_bytes"`
	L1Hits    Pair `json:"l1_hits"`
	L2Hits    Pair `json:"l2_hits"`
	// Stall is what the model says that warps waited for most, HardwareStall what they did.
	Stall         string `json:"stall"`
	HardwareStall string `json:"hardware_stall"`
	// Simulated are warp instructions, Seconds how long that took.
	Simulated float64 `json:"simulated"`
	Seconds   float64 `json:"seconds"`
	Sampled   float64 `json:"sampled"`
	// States are warps in each state for each issued instruction.
	States map[string]Pair `json:"states"`
	// Metrics are those of Nsight Compute that come from the model.
	Metrics map[string]Pair `json:"metrics"`
}

// Time runs a case and compares what the model says of its time with what the chip took.
func Time(ctx context.Context, c *truth.Case, o Options) Timing {
	r := Timing{Case: c.ID}
	if err := r.simulate(ctx, c, o); err != nil {
		r.Error = err.Error()
	}
	return r
}

func (r *Timing) simulate(ctx context.Context, c *truth.Case, o Options) error {
	collector := profile.NewCollector(profile.Options{Timing: true})
	problem, err := run(ctx, c, o, collector)
	switch {
	case err != nil:
		return err
	case problem != "":
		return errors.New(problem)
	}
	recorded, err := recordedCounters(c)
	if err != nil {
		return err
	}
	l := collector.Launches()[0]
	if l.Timing == nil {
		return errors.New(cmp.Or(l.Untimed, "the model had nothing to look at"))
	}
	r.Seconds = collector.SimulationTime().Seconds()
	r.compareTiming(l.Timing, recorded.Metrics)
	r.Metrics = map[string]Pair{}
	for _, m := range profile.Compare(recorded, l) {
		if m.Tier == profile.TierModelled {
			r.Metrics[m.Name] = Pair{m.Silica, m.Hardware}
		}
	}
	return nil
}

func (r *Timing) compareTiming(t *profile.Timing, metrics map[string]float64) {
	r.Simulated, r.Sampled = t.Instructions*t.Sampled, t.Sampled
	r.Cycles = Pair{t.Cycles, metrics["gpc__cycles_elapsed.max"]}
	r.Active = Pair{t.Active, metrics["sm__cycles_active.max"]}
	reads := t.L2ReadHits + t.L2ReadMisses
	r.L2Bytes = Pair{32 * (reads + t.L2Writes + t.L2Atomics), 32 * metrics["lts__t_sectors_srcunit_tex.sum"]}
	r.DRAMBytes = Pair{32 * (t.DRAMReads + t.DRAMWrites), metrics["dram__bytes_read.sum"] + metrics["dram__bytes_write.sum"]}
	loads := func(what string) float64 {
		return metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld"+what+".sum"] + metrics["l1tex__t_sectors_pipe_lsu_mem_local_op_ld"+what+".sum"]
	}
	r.L1Hits = Pair{percent(t.L1Hits, t.L1Hits+t.L1Misses), percent(loads("_lookup_hit"), loads("_lookup_hit")+loads("_lookup_miss"))}
	r.L2Hits = Pair{percent(t.L2ReadHits+t.L2Writes+t.L2Atomics, reads+t.L2Writes+t.L2Atomics),
		percent(metrics["lts__t_sectors_srcunit_tex_lookup_hit.sum"], metrics["lts__t_sectors_srcunit_tex.sum"])}
	r.States = map[string]Pair{}
	for s := range timing.States {
		name := timing.State(s).String()
		r.States[name] = Pair{t.States[name] / t.Instructions, metrics["smsp__average_warps_issue_stalled_"+name+"_per_issue_active.ratio"]}
	}
	top := func(of func(Pair) float64) string {
		best := ""
		for _, s := range sortedKeys(r.States) {
			if s != "selected" && (best == "" || of(r.States[s]) > of(r.States[best])) {
				best = s
			}
		}
		return best
	}
	r.Stall, r.HardwareStall = top(func(p Pair) float64 { return p.Silica }), top(func(p Pair) float64 { return p.Hardware })
}

func sortedKeys(m map[string]Pair) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func percent(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * part / whole
}

// TimingSummary sums up many cases: errors of cycles and bytes are relative and those of hit rates in points, on average.
type TimingSummary struct {
	Cases                int
	Cycles, Active       float64
	Correlation          float64 // of the logarithms of cycles
	L2Bytes, DRAMBytes   float64
	L1Hits, L2Hits       float64
	Stalls               float64 // the part of the cases in which what warps wait for most agrees
	Simulated, PerSecond float64 // warp instructions
}

// SummariseTiming sums up results.
func SummariseTiming(results []Timing) TimingSummary {
	var s TimingSummary
	var cycles, active, dram, l2, l1Hits, l2Hits, ours, theirs []float64
	var seconds float64
	for _, r := range results {
		if r.Error != "" {
			continue
		}
		s.Cases++
		cycles, active = append(cycles, math.Abs(r.Cycles.Error())), append(active, math.Abs(r.Active.Error()))
		ours, theirs = append(ours, math.Log(r.Cycles.Silica)), append(theirs, math.Log(r.Cycles.Hardware))
		dram, l2 = append(dram, math.Abs(r.DRAMBytes.Error())), append(l2, math.Abs(r.L2Bytes.Error()))
		l1Hits, l2Hits = append(l1Hits, math.Abs(r.L1Hits.Silica-r.L1Hits.Hardware)), append(l2Hits, math.Abs(r.L2Hits.Silica-r.L2Hits.Hardware))
		if r.Stall == r.HardwareStall {
			s.Stalls++
		}
		s.Simulated += r.Simulated
		seconds += r.Seconds
	}
	s.Cycles, s.Active, s.L2Bytes, s.DRAMBytes = mean(cycles), mean(active), mean(l2), mean(dram)
	s.L1Hits, s.L2Hits, s.Correlation = mean(l1Hits), mean(l2Hits), correlation(ours, theirs)
	s.Stalls /= float64(max(s.Cases, 1))
	s.PerSecond = s.Simulated / max(seconds, 1e-9)
	return s
}

// TimingText prints the results a line each, then their summary.
func TimingText(w io.Writer, results []Timing) {
	fmt.Fprintf(w, "%-26s %10s %10s %7s %7s %11s %11s  %s\n", "case", "cycles", "chip", "error", "active", "L1 hits", "L2 hits", "warps wait for most")
	for _, r := range results {
		if r.Error != "" {
			fmt.Fprintf(w, "%-26s %s\n", r.Case, r.Error)
			continue
		}
		stall := r.Stall
		if r.Stall != r.HardwareStall {
			stall += ", chip: " + r.HardwareStall
		}
		fmt.Fprintf(w, "%-26s %10.0f %10.0f %+6.0f%% %+6.0f%% %5.1f %5.1f %5.1f %5.1f  %s\n", r.Case, r.Cycles.Silica, r.Cycles.Hardware, 100*r.Cycles.Error(), 100*r.Active.Error(),
			r.L1Hits.Silica, r.L1Hits.Hardware, r.L2Hits.Silica, r.L2Hits.Hardware, stall)
	}
	s := SummariseTiming(results)
	fmt.Fprintf(w, "\n%d kernels: cycles differ by %.1f %% on average, active cycles by %.1f %%; correlation of their logarithms %.3f\n",
		s.Cases, 100*s.Cycles, 100*s.Active, s.Correlation)
	fmt.Fprintf(w, "bytes of L2 differ by %.1f %%, of memory by %.1f %%; hit rates of L1 by %.1f points, of L2 by %.1f\n",
		100*s.L2Bytes, 100*s.DRAMBytes, s.L1Hits, s.L2Hits)
	fmt.Fprintf(w, "what warps wait for most agrees in %.0f %% of the kernels\n", 100*s.Stalls)
	fmt.Fprintf(w, "%.2f million warp instructions simulated, %.2f million a second\n", s.Simulated/1e6, s.PerSecond/1e6)
}

func mean(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(len(v), 1))
}

func correlation(a, b []float64) float64 {
	ma, mb := mean(a), mean(b)
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// worstCases is how many cases the document tells of apart.
const worstCases = 15

// TimingMarkdown writes docs/accuracy.md.
func TimingMarkdown(w io.Writer, results []Timing) {
	s := SummariseTiming(results)
	fmt.Fprintf(w, `<!-- Written by make accuracy; do not edit. -->

# How accurate the model of the machine is

%d kernels that were timed on an NVIDIA H200 under Nsight Compute with empty caches, beside what the model says of their recorded PTX. Its latencies and
rates come from micro-benchmarks of the chip (`+"`gpu/data`"+`), its machine code from `+"`internal/sass`"+`. A few rules for kinds of
accesses were found in some of these kernels, as their sources in `+"`gpu/data`"+` say: how long requests that come together wait for L2
and memory, which of several multiprocessors' become one, and how much of L2 is of use. Nothing is set for a single kernel; the last sections have kernels that were timed after it was made.

| | |
|---|---|
| mean error of cycles (`+"`gpc__cycles_elapsed.max`"+`) | %.1f %% |
| mean error of the busiest SM's active cycles | %.1f %% |
| correlation of the logarithms of cycles | %.3f |
| kernels within 10 %%, 20 %%, 50 %% | %.0f %%, %.0f %%, %.0f %% |
| mean error of bytes from and to L2 | %.1f %% |
| mean error of bytes from and to memory | %.1f %% |
| mean difference of L1 hit rates, of L2 hit rates | %.1f points, %.1f points |
| what warps wait for most is what the chip's do | in %.0f %% |

Bytes are those that Nsight Compute counts. Memory's counters repeat to some 20 sectors (an empty kernel reads 80 or 96 for its code and launch; ECC and refresh
do not show), so that what is left of its error is what L2 drives out and when. Tools leave about 74000 sectors in L2 that are still to be written, which show as
written where a kernel fills L2; the model adds them. Sectors of L2 are those that reach it: requests of multiprocessors of a GPC for the same, of
which up to four become one, do so by chance, as they are more or less in step; that bounds how well they can be told.

## The worst

`, s.Cases, 100*s.Cycles, 100*s.Active, s.Correlation, 100*within(results, 0.1), 100*within(results, 0.2), 100*within(results, 0.5),
		100*s.L2Bytes, 100*s.DRAMBytes, s.L1Hits, s.L2Hits, 100*s.Stalls)
	worst := slices.Clone(results)
	slices.SortStableFunc(worst, func(a, b Timing) int { return cmp.Compare(math.Abs(b.Cycles.Error()), math.Abs(a.Cycles.Error())) })
	timingTable(w, worst[:min(len(worst), worstCases)])
	fmt.Fprintf(w, "\n## All\n\n")
	timingTable(w, results)
	metricsMarkdown(w, results)
}

// within is the part of the kernels whose cycles differ by less than a limit.
func within(results []Timing, limit float64) float64 {
	n := 0
	for _, r := range results {
		if r.Error == "" && math.Abs(r.Cycles.Error()) <= limit {
			n++
		}
	}
	return float64(n) / float64(max(len(results), 1))
}

func timingTable(w io.Writer, results []Timing) {
	fmt.Fprint(w, "| kernel | cycles | H200 | error | L1 hits | H200 | L2 hits | H200 | warps wait for | H200 |\n|---|--:|--:|--:|--:|--:|--:|--:|---|---|\n")
	for _, r := range results {
		fmt.Fprintln(w, r.Row())
	}
}

// Row is the case's row in docs/accuracy.md.
func (r *Timing) Row() string {
	if r.Error != "" {
		return fmt.Sprintf("| %s | %s ||||||||", r.Case, r.Error)
	}
	return fmt.Sprintf("| %s | %.0f | %.0f | %+.0f %% | %.1f | %.1f | %.1f | %.1f | %s | %s |", r.Case, r.Cycles.Silica, r.Cycles.Hardware, 100*r.Cycles.Error(),
		r.L1Hits.Silica, r.L1Hits.Hardware, r.L2Hits.Silica, r.L2Hits.Hardware, r.Stall, r.HardwareStall)
}
