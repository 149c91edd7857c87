package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"silica/gpu"
	"silica/profile"
	"silica/timeline"
)

// Saved is a profile that JSON wrote, with the name it is shown under.
type Saved struct {
	Name     string
	Launches []*profile.Launch
}

// pair holds a kernel of two profiles: what JSON has of it. What ran in one of them only has figures there.
type pair struct {
	Kernel string           `json:"kernel"` // mangled, as the later profile has it
	Name   string           `json:"name"`
	Before *profile.Machine `json:"before"`
	After  *profile.Machine `json:"after"`
	// Gone are rules that found something before and nothing after; New the reverse.
	Gone []pairAdvice `json:"rules_gone"`
	New  []pairAdvice `json:"rules_new"`

	title         string
	before, after *profile.Totals
}

// pairAdvice is an advice that only one of two profiles has.
type pairAdvice struct {
	Rule   string `json:"rule"`
	Title  string `json:"title"`
	Figure string `json:"figure"`
	Place  string `json:"place,omitempty"` // file:line
}

// pairs puts the kernels of two profiles side by side, as compared does. The only kernel of one goes with the only kernel of the other,
// whatever their names.
func pairs(before, after Saved) []pair {
	kernels := compared([]Run{{GPU: &gpu.GPU{}, Launches: before.Launches}, {GPU: &gpu.GPU{}, Launches: after.Launches}})
	if len(kernels) == 2 && kernels[0].launches[1] == nil && kernels[1].launches[0] == nil {
		one := kernels[1]
		one.Machines[0], one.launches[0] = kernels[0].Machines[0], kernels[0].launches[0]
		one.Name = kernels[0].Name + " -> " + one.Name
		kernels = []comparedKernel{one}
	}
	var out []pair
	for i := range kernels {
		k := &kernels[i]
		q := pair{Kernel: k.Kernel, Name: k.Name, Before: k.Machines[0], After: k.Machines[1], title: k.title(), Gone: []pairAdvice{}, New: []pairAdvice{}}
		var advice [2][]profile.Advice
		for r, into := range []**profile.Totals{&q.before, &q.after} {
			if l := k.launches[r]; l != nil {
				*into = l.Totals()
				advice[r] = (*into).Advice()
			}
		}
		if q.before != nil && q.after != nil {
			q.Gone, q.New = only(advice[0], advice[1]), only(advice[1], advice[0])
		}
		out = append(out, q)
	}
	return out
}

// only returns the advices to change something of one list that the other does not have.
func only(list, other []profile.Advice) []pairAdvice {
	out := []pairAdvice{}
	for _, a := range list {
		same := func(b profile.Advice) bool { return a.Rule == b.Rule && a.Title == b.Title }
		if a.Kind != profile.Optimization || slices.ContainsFunc(other, same) {
			continue
		}
		p := pairAdvice{Rule: a.Rule, Title: a.Title, Figure: a.Figure}
		if len(a.Sites) > 0 {
			p.Place = a.Sites[0].String()
		}
		out = append(out, p)
	}
	return out
}

// gpus names the GPUs of some launches.
func gpus(launches []*profile.Launch) (out []string) {
	for _, l := range launches {
		if !slices.Contains(out, l.Device.Name) {
			out = append(out, l.Device.Name)
		}
	}
	return out
}

// Changes writes what became of the kernels of a program from one profile to another: their times, what they keep busy, what their warps wait
// for, and which rules came and went.
func Changes(w io.Writer, before, after Saved, o Options) error {
	b := bufio.NewWriter(w)
	p := printer{w: b, o: o}
	all := pairs(before, after)
	p.line("%s", p.paint(bold, p.clip("Before: "+before.Name+"   After: "+after.Name, 0)))
	if old, now := gpus(before.Launches), gpus(after.Launches); !slices.Equal(old, now) {
		p.wrap("  ", "  ", fmt.Sprintf("The GPUs differ: %s before, %s after.", joined(", ", old...), joined(", ", now...)))
	}
	p.blank()
	if len(all) > 1 {
		p.changedTimes(all)
	}
	for i := range all {
		p.change(&all[i])
	}
	return b.Flush()
}

// changeHeads stand above the columns of two profiles.
var changeHeads = []string{"before", "after", "change"}

// changed is a figure before and after, with its change.
func changed(name, before, after, change string) comparedRow {
	cells := []string{before, after, change}
	return comparedRow{name: name, cell: func(r int) string { return cells[r] }}
}

// speed says how a time changed.
func speed(before, after float64) string {
	switch {
	case before <= 0 || after <= 0:
		return ""
	case near(before, after):
		return "the same"
	case after < before:
		return fmt.Sprintf("%.2fx as fast", before/after)
	}
	return fmt.Sprintf("%.2fx as long", after/before)
}

// near tells whether two figures are the same but for half a percent.
func near(a, b float64) bool { return max(a, b)-min(a, b) < 0.005*max(a, b) }

// percentOf says how a count changed.
func percentOf(before, after float64) string {
	switch {
	case before == after || before == 0:
		return ""
	case after >= 10*before:
		return fmt.Sprintf("%.0fx", after/before)
	}
	return fmt.Sprintf("%+.0f%%", 100*(after-before)/before)
}

// points says how a percentage changed.
func points(before, after float64) string {
	if text := fmt.Sprintf("%+.0f", after-before); text != "+0" && text != "-0" {
		return text + " points"
	}
	return ""
}

// changedTimes is the table of all kernels' times.
func (p *printer) changedTimes(all []pair) {
	var rows []comparedRow
	var sum [2]float64
	for i := range all {
		k := &all[i]
		var times [2]float64
		var cells [2]string
		for r, m := range []*profile.Machine{k.Before, k.After} {
			if m != nil && m.Error == "" {
				times[r], cells[r] = m.Nanoseconds, profile.Elapsed(m.Nanoseconds)
				sum[r] += m.All
			}
		}
		rows = append(rows, changed(p.shortened(k.Name, 21), cells[0], cells[1], speed(times[0], times[1])))
	}
	rows = append(rows, changed("All launches", profile.Elapsed(sum[0]), profile.Elapsed(sum[1]), speed(sum[0], sum[1])))
	p.columns("Duration of a launch", changeHeads, rows)
}

// change is the table of one kernel.
func (p *printer) change(k *pair) {
	a, b := k.Before, k.After
	if a == nil || b == nil || a.Error != "" || b.Error != "" {
		for _, side := range []struct {
			when string
			m    *profile.Machine
		}{{"before", a}, {"after", b}} {
			switch {
			case side.m == nil:
				p.wrap("  ", "    ", fmt.Sprintf("%s did not run %s.", k.title, side.when))
			case side.m.Error != "":
				p.wrap("  ", "    ", fmt.Sprintf("%s, %s: %s", k.title, side.when, side.m.Error))
			}
		}
		p.blank()
		return
	}
	share := func(name string, of func(*profile.Machine) float64) comparedRow {
		return changed(name, percentage(of(a)), percentage(of(b)), points(of(a), of(b)))
	}
	count := func(name string, x, y float64) comparedRow {
		if x == 0 && y == 0 {
			return changed(name, "", "", "")
		}
		return changed(name, fitted(x, 12), fitted(y, 12), percentOf(x, y))
	}
	rows := []comparedRow{
		changed("Duration", profile.Elapsed(a.Nanoseconds), profile.Elapsed(b.Nanoseconds), speed(a.Nanoseconds, b.Nanoseconds)),
		count("Cycles", float64(int64(a.Cycles)), float64(int64(b.Cycles))),
	}
	if a.Launches != b.Launches {
		rows = append(rows, count("Launches", float64(a.Launches), float64(b.Launches)))
	}
	if a.Grid != b.Grid || a.Block != b.Block {
		extent := func(d profile.Dim) string { return fmt.Sprintf("%dx%dx%d", d.X, d.Y, d.Z) }
		rows = append(rows, changed("Grid", extent(a.Grid), extent(b.Grid), ""), changed("Block", extent(a.Block), extent(b.Block), ""))
	}
	rows = append(rows,
		changed("Limiter", a.Limiter+" "+percentage(a.LimiterShare), b.Limiter+" "+percentage(b.LimiterShare), ""),
		share("SM throughput", func(m *profile.Machine) float64 { return m.SM }),
		share("Memory throughput", func(m *profile.Machine) float64 { return m.Memory }),
		share("L1 and shared memory", func(m *profile.Machine) float64 { return m.L1 }),
		share("L2", func(m *profile.Machine) float64 { return m.L2 }),
		share("DRAM", func(m *profile.Machine) float64 { return m.DRAM }),
		share("L1 hits", func(m *profile.Machine) float64 { return m.L1Hits }),
		share("L2 hits", func(m *profile.Machine) float64 { return m.L2Hits }),
		changed("DRAM traffic", timeline.Bytes(uint64(a.DRAMBytes)), timeline.Bytes(uint64(b.DRAMBytes)), percentOf(a.DRAMBytes, b.DRAMBytes)),
		count("Global sectors", sectors(k.before), sectors(k.after)),
		count("Shared wavefronts", wavefronts(k.before), wavefronts(k.after)),
		count("PTX instructions", float64(k.before.All.Warps), float64(k.after.All.Warps)),
		count("Registers a thread", float64(a.Registers), float64(b.Registers)),
		share("Occupancy", func(m *profile.Machine) float64 { return m.Achieved }),
		share("Occupancy, in theory", func(m *profile.Machine) float64 { return m.Theoretical }),
	)
	if len(k.Gone)+len(k.New) == 0 && near(a.Nanoseconds, b.Nanoseconds) && !slices.ContainsFunc(rows[1:], func(r comparedRow) bool { return r.cell(2) != "" }) {
		p.wrap("  ", "    ", fmt.Sprintf("%s is the same: %s.", k.title, profile.Elapsed(b.Nanoseconds)))
		p.blank()
		return
	}
	p.columns(k.title, changeHeads, rows)
	p.columns("Cycles of a warp between two instructions", changeHeads, stallRows(k.before.Timing, k.after.Timing))
	p.rules("Gone", k.Gone)
	p.rules("New", k.New)
}

func sectors(t *profile.Totals) float64 {
	_, l1 := t.MemoryRows()
	return total(l1, func(m profile.MemoryRow) uint64 { return m.Sectors })
}

func wavefronts(t *profile.Totals) float64 {
	shared, _ := t.MemoryRows()
	return total(shared, func(m profile.MemoryRow) uint64 { return m.Wavefronts })
}

// total is a figure of the row of sums, 0 without one.
func total(rows []profile.MemoryRow, of func(profile.MemoryRow) uint64) float64 {
	if len(rows) == 0 {
		return 0
	}
	return float64(of(rows[len(rows)-1]))
}

// stallRows compares what warps wait for, in cycles of each instruction, the most first; what is small in both is left out.
func stallRows(before, after *profile.Timing) []comparedRow {
	const least = 0.03 // of the time between two instructions
	each := func(t *profile.Timing, cycles float64) float64 { return cycles / max(t.Instructions, 1) }
	figure := func(name string, x, y float64) comparedRow {
		return changed(name, fmt.Sprintf("%.1f", x), fmt.Sprintf("%.1f", y), percentOf(x, y))
	}
	all := [2]float64{each(before, before.WarpCycles), each(after, after.WarpCycles)}
	rows := []comparedRow{figure("All", all[0], all[1])}
	states := map[string][2]float64{}
	for r, t := range []*profile.Timing{before, after} {
		for name, cycles := range t.States {
			s := states[name]
			s[r] = each(t, cycles)
			states[name] = s
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(states), func(a, b string) int {
		return cmp.Or(cmp.Compare(max(states[b][0], states[b][1]), max(states[a][0], states[a][1])), cmp.Compare(a, b))
	}) {
		if s := states[name]; s[0] >= least*all[0] || s[1] >= least*all[1] {
			rows = append(rows, figure(name, s[0], s[1]))
		}
	}
	return rows
}

// rules lists advice that came or went.
func (p *printer) rules(title string, list []pairAdvice) {
	if len(list) == 0 {
		return
	}
	p.heading("Rules: " + title)
	for _, a := range list {
		place := ""
		if a.Place != "" {
			place = " at " + a.Place
		}
		p.wrap("  - ", "    ", fmt.Sprintf("%s%s: %s (%s)", a.Title, place, a.Figure, a.Rule))
	}
	p.blank()
}

// changesFormat names the schema of ChangesJSON.
const changesFormat = "silica changes 1"

// ChangesJSON writes the same for programs.
func ChangesJSON(w io.Writer, before, after Saved) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	err := e.Encode(struct {
		Format  string `json:"format"`
		Before  string `json:"before"`
		After   string `json:"after"`
		Kernels []pair `json:"kernels"`
	}{changesFormat, filepath.Base(before.Name), filepath.Base(after.Name), pairs(before, after)})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
