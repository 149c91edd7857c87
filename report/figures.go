package report

import (
	"fmt"
	"strings"

	"silica/profile"
)

// figures says in a line each how the launch fills the GPU and what it asks of memory: what the sections of larger sets have in
// tables.
func (p *printer) figures(t *profile.Totals) {
	p.heading("Figures")
	figure := func(name, format string, args ...any) {
		p.wrap(fmt.Sprintf("  %-15s", name), strings.Repeat(" ", 17), fmt.Sprintf(format, args...))
	}
	note := ""
	if t.Registers.Estimated {
		note = " (an estimate)"
	}
	figure("Blocks", "%s of %d threads on %d SMs, %.2f waves", number(float64(t.Grid.Count())), t.Block.Count(), t.Device.SMs, t.Waves.PerSM)
	if r := t.Registers; r.SpillStores+r.SpillLoads > 0 {
		note = fmt.Sprintf(" (an estimate, which spills %d bytes)", r.SpillStores)
	}
	figure("Registers", "%d a thread%s; shared memory: %s bytes a block", t.Registers.PerThread, note, number(float64(t.StaticShared+t.DynamicShared)))
	if o := t.Occupancy; o.Blocks > 0 {
		var limiters []string
		for _, r := range t.Limiters() {
			limiters = append(limiters, r.String())
		}
		figure("Occupancy", "%.0f%% in theory: %d of %d warps an SM, limited by %s", o.Percent, o.Warps, t.Device.WarpsPerSM, strings.Join(limiters, " and "))
	}
	if t.Timing != nil {
		figure("Model", "%s", t.Simulation())
	}
	shared, l1 := t.MemoryRows()
	for _, space := range []string{"Global", "Local"} {
		var requests, sectors, ideal uint64
		for _, m := range l1 {
			if strings.HasPrefix(m.Name, space) {
				requests, sectors, ideal = requests+m.Requests, sectors+m.Sectors, ideal+m.Ideal
			}
		}
		if requests > 0 {
			figure(space+" memory", "%s, %.1f a request; %s", counted(sectors, "sector"), float64(sectors)/float64(requests), enough(sectors, ideal))
		}
	}
	for _, m := range shared {
		if m.Name == "Total" {
			figure("Shared memory", "%s, %.1f a request; %s", counted(m.Wavefronts, "wavefront"), float64(m.Wavefronts)/float64(m.Requests),
				enough(m.Wavefronts, m.IdealWavefronts))
		}
	}
	p.blank()
}

func counted(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return number(float64(n)) + " " + what + "s"
}

// enough compares a count with what would do.
func enough(n, ideal uint64) string {
	if n <= ideal {
		return "no fewer would do"
	}
	return number(float64(ideal)) + " would do"
}
