package report

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"silica/gpu"
	"silica/profile"
)

// Run is what a program did on one GPU.
type Run struct {
	GPU      *gpu.GPU
	Launches []*profile.Launch
	// Failed tells why there is less than on other GPUs, "" when nothing failed.
	Failed string
}

// comparedKernel is a kernel with how it fares on each GPU: nil where it did not run.
type comparedKernel struct {
	Kernel   string             `json:"kernel"` // mangled
	Name     string             `json:"name"`
	Machines []*profile.Machine `json:"machines"`

	launches []*profile.Launch // nil where it did not run
}

// title names the kernel, with its grid where that is the same everywhere.
func (k *comparedKernel) title() string {
	var first *profile.Machine
	for _, m := range k.Machines {
		switch {
		case m == nil:
		case first == nil:
			first = m
		case m.Grid != first.Grid || m.Block != first.Block:
			return k.Name
		}
	}
	return fmt.Sprintf("%s %sx%s", k.Name, dim(first.Grid), dim(first.Block))
}

// compared puts the kernels of some runs side by side: those of the same configuration, or else, as a grid may depend on the GPU, the
// first configuration of a kernel, the second, and so on.
func compared(runs []Run) []comparedKernel {
	type place struct {
		kernel string
		nth    int
	}
	var out []comparedKernel
	index := map[place]int{}
	for r, run := range runs {
		count := map[string]int{}
		for _, g := range group(run.Launches) {
			m := g.first.Totals().Machine()
			m.Launches, m.All = g.count, g.all
			at := slices.IndexFunc(out, func(k comparedKernel) bool {
				return k.Kernel == g.first.Kernel && k.Machines[r] == nil && slices.ContainsFunc(k.Machines, func(o *profile.Machine) bool {
					return o != nil && o.Grid == m.Grid && o.Block == m.Block
				})
			})
			p := place{g.first.Kernel, count[g.first.Kernel]}
			count[g.first.Kernel]++
			if nth, ok := index[p]; at < 0 && ok && out[nth].Machines[r] == nil {
				at = nth
			}
			if at < 0 {
				at = len(out)
				index[p] = at
				out = append(out, comparedKernel{g.first.Kernel, g.first.Name, make([]*profile.Machine, len(runs)), make([]*profile.Launch, len(runs))})
			}
			out[at].Machines[r], out[at].launches[r] = &m, g.first
		}
	}
	return out
}

// Compare writes how the kernels of a program fare on several GPUs, side by side.
func Compare(w io.Writer, runs []Run, o Options) error {
	b := bufio.NewWriter(w)
	p := printer{w: b, o: o}
	kernels := compared(runs)
	p.machines(runs)
	if len(kernels) > 1 {
		p.durations(runs, kernels)
	}
	for i := range kernels {
		p.comparison(runs, &kernels[i])
	}
	for _, r := range runs {
		if r.Failed != "" {
			p.wrap("  ", "  ", fmt.Sprintf("%s: %s", r.GPU.ID, r.Failed))
		}
	}
	var borrowed []string
	for _, r := range runs {
		if n := len(r.GPU.Borrowed()); n > 0 {
			borrowed = append(borrowed, fmt.Sprintf("%d of %s", n, r.GPU.ID))
		}
	}
	if len(borrowed) > 0 {
		p.wrap("  ", "  ", "Latencies, rates and queues that are unmeasured are those of an H200: "+strings.Join(borrowed, ", ")+" (silica gpus NAME).")
	}
	p.wrap("  ", "  ", "The program ran once on each GPU: it is compiled for each, and can see which one it has.")
	return b.Flush()
}

// machines tells what GPUs are compared.
func (p *printer) machines(runs []Run) {
	p.columns("Machines", names(runs), []comparedRow{
		{"SMs", func(r int) string { return fmt.Sprint(runs[r].GPU.Chip.SMs) }, nil},
		{"SM clock", func(r int) string { return fmt.Sprintf("%.2f GHz", float64(runs[r].GPU.Clock.CoreKHz)/1e6) }, nil},
		{"Memory clock", func(r int) string { return fmt.Sprintf("%.2f GHz", float64(runs[r].GPU.Clock.MemoryKHz)/1e6) }, nil},
		{"DRAM bandwidth", func(r int) string { return fmt.Sprintf("%.0f GB/s", float64(runs[r].GPU.Memory.Bandwidth)/1e9) }, nil},
		{"L2 cache", func(r int) string { return fmt.Sprintf("%.1f MB", float64(runs[r].GPU.Memory.L2Bytes)/1e6) }, nil},
	})
}

// comparedRow is a row of a table with a column for each run.
type comparedRow struct {
	name string
	cell func(run int) string
	best func(run int) bool // nil for none
}

// names are the GPUs of the runs.
func names(runs []Run) []string {
	var out []string
	for _, r := range runs {
		out = append(out, r.GPU.ID)
	}
	return out
}

// columns prints a table with a column for each run, under their heads; what does not fit stands in further tables below.
func (p *printer) columns(title string, heads []string, rows []comparedRow) {
	const name, least = 22, 12
	width := least
	for r, head := range heads {
		width = max(width, len(head)+2)
		for _, row := range rows {
			width = max(width, len(row.cell(r))+2)
		}
	}
	fit := max((p.o.width()-2-name)/width, 1)
	p.line("  %s", p.paint(bold, p.clip(title, 2)))
	for first := 0; first < len(heads); first += fit {
		last := min(first+fit, len(heads))
		line := fmt.Sprintf("  %-*s", name, "")
		for r := first; r < last; r++ {
			line += fmt.Sprintf("%*s", width, heads[r])
		}
		p.line("%s", line)
		for _, row := range rows {
			line, empty := fmt.Sprintf("  %-*s", name, row.name), true
			for r := first; r < last; r++ {
				text := row.cell(r)
				empty = empty && text == ""
				cell := fmt.Sprintf("%*s", width, text)
				if row.best != nil && text != "" && row.best(r) {
					cell = p.paint(bold, cell)
				}
				line += cell
			}
			if !empty {
				p.line("%s", line)
			}
		}
		p.blank()
	}
}

// durations is the table of all kernels' times.
func (p *printer) durations(runs []Run, kernels []comparedKernel) {
	var rows []comparedRow
	total := make([]float64, len(runs))
	for i := range kernels {
		k := &kernels[i]
		for r, m := range k.Machines {
			if m != nil {
				total[r] += m.All
			}
		}
		rows = append(rows, comparedRow{p.shortened(k.Name, 21), func(r int) string {
			if m := k.Machines[r]; m != nil && m.Error == "" {
				return profile.Elapsed(m.Nanoseconds)
			}
			return ""
		}, k.fastest})
	}
	rows = append(rows, comparedRow{"All launches", func(r int) string {
		if total[r] == 0 {
			return ""
		}
		return profile.Elapsed(total[r])
	}, func(r int) bool {
		return !slices.ContainsFunc(total, func(other float64) bool { return other > 0 && other < total[r] })
	}})
	p.columns("Duration of a launch", names(runs), rows)
}

// shortened cuts a text to some columns.
func (p *printer) shortened(text string, columns int) string {
	return p.clip(text, p.o.width()-columns)
}

// fastest tells whether no other GPU takes less time.
func (k *comparedKernel) fastest(run int) bool {
	for _, m := range k.Machines {
		if m != nil && m.Error == "" && m.Nanoseconds < k.Machines[run].Nanoseconds {
			return false
		}
	}
	return true
}

// percentage has two digits.
func percentage(x float64) string {
	if x > 0 && x < 9.95 {
		return fmt.Sprintf("%.1f%%", x)
	}
	return fmt.Sprintf("%.0f%%", x)
}

// comparison is the table of one kernel.
func (p *printer) comparison(runs []Run, k *comparedKernel) {
	cell := func(f func(m *profile.Machine) string) func(int) string {
		return func(r int) string {
			m := k.Machines[r]
			if m == nil || m.Error != "" {
				return ""
			}
			return f(m)
		}
	}
	percent := func(f func(m *profile.Machine) float64) func(int) string {
		return cell(func(m *profile.Machine) string { return percentage(f(m)) })
	}
	var first *profile.Machine
	differ := false
	for _, m := range k.Machines {
		if m == nil {
			continue
		}
		if first == nil || first.Error != "" {
			first = m
		}
		differ = differ || m.Grid != first.Grid
	}
	grid := func(m *profile.Machine) string {
		if !differ {
			return ""
		}
		return fmt.Sprintf("%dx%dx%d", m.Grid.X, m.Grid.Y, m.Grid.Z)
	}
	p.columns(k.title(), names(runs), []comparedRow{
		{"Launches", cell(func(m *profile.Machine) string {
			if m.Launches == 1 {
				return ""
			}
			return fmt.Sprint(m.Launches)
		}), nil},
		{"Grid", cell(grid), nil},
		{"Duration", cell(func(m *profile.Machine) string { return profile.Elapsed(m.Nanoseconds) }), k.fastest},
		{"Times as fast", cell(func(m *profile.Machine) string { return fmt.Sprintf("%.2fx", first.Nanoseconds/max(m.Nanoseconds, 1)) }), nil},
		{"Cycles", cell(func(m *profile.Machine) string { return number(float64(int64(m.Cycles))) }), nil},
		{"Limiter", cell(func(m *profile.Machine) string { return m.Limiter + " " + percentage(m.LimiterShare) }), nil},
		{"SM throughput", percent(func(m *profile.Machine) float64 { return m.SM }), nil},
		{"DRAM", percent(func(m *profile.Machine) float64 { return m.DRAM }), nil},
		{"L2", percent(func(m *profile.Machine) float64 { return m.L2 }), nil},
		{"L1 and shared memory", percent(func(m *profile.Machine) float64 { return m.L1 }), nil},
		{"L1, L2 hits", cell(func(m *profile.Machine) string { return percentage(m.L1Hits) + ", " + percentage(m.L2Hits) }), nil},
		{"Occupancy, in theory", cell(func(m *profile.Machine) string { return percentage(m.Achieved) + ", " + percentage(m.Theoretical) }), nil},
		{"Waves of blocks", cell(func(m *profile.Machine) string { return fmt.Sprintf("%.2f", m.Waves) }), nil},
		{"Top stall", cell(func(m *profile.Machine) string { return m.TopStall }), nil},
		{"Share of warps' time", percent(func(m *profile.Machine) float64 { return m.TopStallShare }), nil},
	})
	for r, m := range k.Machines {
		switch {
		case m == nil:
			p.wrap("  ", "    ", fmt.Sprintf("%s did not run it.", runs[r].GPU.ID))
		case m.Error != "":
			p.wrap("  ", "    ", fmt.Sprintf("%s: %s", runs[r].GPU.ID, strings.TrimSuffix(m.Error, ".")+"."))
		}
	}
}

// comparisonFormat names the schema of CompareJSON.
const comparisonFormat = "silica comparison 1"

// CompareJSON writes a comparison for programs.
func CompareJSON(w io.Writer, runs []Run) error {
	type machine struct {
		GPU      string   `json:"gpu"`
		Name     string   `json:"name"`
		SMs      int      `json:"sms"`
		CoreHz   int64    `json:"core_hz"`
		MemoryHz int64    `json:"memory_hz"`
		DRAM     int      `json:"dram_bytes_per_second"`
		L2       int      `json:"l2_bytes"`
		Borrowed []string `json:"unmeasured,omitempty"` // figures that are an H200's
		Failed   string   `json:"failed,omitempty"`
	}
	out := struct {
		Format  string           `json:"format"`
		GPUs    []machine        `json:"gpus"`
		Kernels []comparedKernel `json:"kernels"`
	}{Format: comparisonFormat, Kernels: compared(runs)}
	for _, r := range runs {
		g := r.GPU
		out.GPUs = append(out.GPUs, machine{
			g.ID, g.Name, g.Chip.SMs, 1000 * int64(g.Clock.CoreKHz), 1000 * int64(g.Clock.MemoryKHz), g.Memory.Bandwidth, g.Memory.L2Bytes, g.Borrowed(), r.Failed,
		})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// CompareCSV writes a row for each kernel on each GPU; headers are Nsight Compute's names of metrics where it has them.
func CompareCSV(w io.Writer, runs []Run) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{ // errors stay until Flush
		"Kernel Name", "Grid Size", "Block Size", "GPU", "Launches", "gpu__time_duration.sum", "gpc__cycles_elapsed.max", "Limiter", "Limiter %",
		"sm__throughput.avg.pct_of_peak_sustained_elapsed", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
		"dram__cycles_active.avg.pct_of_peak_sustained_elapsed", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
		"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", "l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct",
		"sm__warps_active.avg.pct_of_peak_sustained_active", "sm__maximum_warps_per_active_cycle_pct", "launch__waves_per_multiprocessor", "Top Stall", "Top Stall %",
	})
	figure := func(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
	for _, k := range compared(runs) {
		for _, m := range k.Machines {
			if m == nil || m.Error != "" {
				continue
			}
			_ = c.Write([]string{
				k.Name, dim(m.Grid), dim(m.Block), m.GPU, fmt.Sprint(m.Launches), figure(m.Nanoseconds), figure(m.Cycles), m.Limiter, figure(m.LimiterShare), figure(m.SM), figure(m.Memory),
				figure(m.DRAM), figure(m.L2), figure(m.L1), figure(m.L1Hits), figure(m.L2Hits), figure(m.Achieved), figure(m.Theoretical), figure(m.Waves),
				m.TopStall, figure(m.TopStallShare),
			})
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
