package profile

import (
	"slices"
	"sync"
)

// Tier tells how far a value can be trusted.
type Tier string

// The tiers.
const (
	// TierExact: follows from the instructions, masks and addresses of the run, whatever the time they took.
	TierExact Tier = "exact"
	// TierDevice: a property of the launch and the GPU.
	TierDevice Tier = "device"
	// TierModelled: comes from a model of the machine, and is as good as it.
	TierModelled Tier = "modelled"
	// TierNone: cannot be had.
	TierNone Tier = "n/a"
)

// Metric is one entry of the table of metrics: everything that is known of it.
type Metric struct {
	Name    string    // as Nsight Compute has it
	Label   string    // as Nsight Compute's details page has it, where it has one
	Unit    string    // as Nsight Compute has it; "" for plain numbers
	Section SectionID // where it is shown
	Tier    Tier
	// PTX marks a count of instructions, which is one of PTX instructions here: the machine code that ptxas makes
	// has others. Metrics of addresses are not marked, although ptxas may merge accesses too.
	PTX bool
	// Headline metrics are shown in the section's table without being asked for.
	Headline bool
	// Registers marks a value that depends on the number of registers of a thread, which may be an estimate.
	Registers bool
	// Sites marks a value that Nsight Compute also gives for each instruction; it is their sum.
	Sites bool
	// NVProf lists the names under which nvprof had it.
	NVProf []string

	value func(*Totals) (float64, bool)
	text  func(*Totals) string
}

// Value is a metric's value for one launch.
type Value struct {
	*Metric
	// Tier is the metric's, or a lower one for this launch; Note tells why, or what the value counts.
	Tier Tier
	Note string
	// Number is the value if Available, and Text the value of the few that are words.
	Available bool
	Number    float64
	Text      string
}

// Metrics returns the table of metrics, in the order of sections. It must not be changed.
func Metrics() []*Metric { return metricTable() }

var metricTable = sync.OnceValue(func() []*Metric {
	var out []*Metric
	for _, part := range [][]Metric{
		launchMetrics(), occupancyMetrics(), instructionMetrics(), memoryMetrics(), sharedMetrics(), branchMetrics(), timingMetrics(),
	} {
		for i := range part {
			out = append(out, &part[i])
		}
	}
	order := map[SectionID]int{}
	for i, s := range Sections() {
		order[s.ID] = i
	}
	slices.SortStableFunc(out, func(a, b *Metric) int { return order[a.Section] - order[b.Section] })
	return out
})

// MetricNamed returns the metric of a name, which may be one of nvprof's, or nil.
func MetricNamed(name string) *Metric {
	for _, m := range Metrics() {
		if m.Name == name || slices.Contains(m.NVProf, name) {
			return m
		}
	}
	return nil
}

// Notes on values.
const (
	notePTX       = "counts PTX instructions"
	noteTiming    = "needs the timing model"
	noteModel     = "by the model of the machine"
	noteNoModel   = "not modelled"
	noteMachine   = "needs machine code"
	noteRegisters = "with an estimated number of registers"
	noteFailed    = "the launch failed"
	noteUnknown   = "the GPU's description does not tell"
)

// Of returns the metric's value for a launch.
func (m *Metric) Of(t *Totals) Value {
	v := Value{Metric: m, Tier: m.Tier}
	switch {
	case m.value == nil && m.text == nil:
		switch {
		case m.Tier == TierNone:
			v.Note = noteMachine
		case t.Timing != nil:
			v.Note = noteNoModel
		default:
			v.Note = noteTiming
		}
		return v
	case m.Tier == TierExact && t.Error != "":
		v.Tier, v.Note = TierNone, noteFailed
		return v
	case m.Tier == TierExact && !m.PTX && len(t.uncounted) > 0:
		v.Tier, v.Note = TierNone, "accesses of "+t.uncounted[0]+" are not counted"
		return v
	}
	if m.text != nil {
		v.Text, v.Available = m.text(t), true
		return v
	}
	v.Number, v.Available = m.value(t)
	switch {
	case !v.Available && m.Tier == TierModelled && t.Timing == nil:
		v.Note = noteTiming
	case !v.Available:
		v.Tier, v.Note = TierNone, noteUnknown
	case m.Tier == TierModelled:
		v.Note = noteModel
	case m.PTX:
		v.Note = notePTX
	case m.Registers && t.Registers.Estimated:
		v.Tier, v.Note = TierModelled, noteRegisters
	}
	return v
}

// Values returns the values of all metrics for a launch.
func (t *Totals) Values() []Value {
	var out []Value
	for _, m := range Metrics() {
		out = append(out, m.Of(t))
	}
	return out
}

// whole makes a formula of a count.
func whole[T int | uint64 | int64](f func(*Totals) T) func(*Totals) (float64, bool) {
	return func(t *Totals) (float64, bool) { return float64(f(t)), true }
}

// number makes a formula of a value that is always there.
func number(f func(*Totals) float64) func(*Totals) (float64, bool) {
	return func(t *Totals) (float64, bool) { return f(t), true }
}

// ratio makes a formula of a quotient times a scale. It is 0 when there is nothing to divide by, as in Nsight Compute.
func ratio(scale float64, above, below func(*Totals) uint64) func(*Totals) (float64, bool) {
	return func(t *Totals) (float64, bool) {
		n := below(t)
		if n == 0 {
			return 0, true
		}
		return scale * float64(above(t)) / float64(n), true
	}
}

// perScheduler makes a formula of the mean over the warp schedulers.
func perScheduler(f func(*Totals) uint64) func(*Totals) (float64, bool) {
	return ratio(1, f, (*Totals).schedulers)
}
