package validate

import (
	"silica/internal/truth"
	"silica/profile"
)

// counters puts the counters of the case's launch beside the recorded ones. The number of registers was the recorded one,
// so that occupancy shows its rules and not the estimate of registers.
func counters(c *truth.Case, launches []*profile.Launch) ([]Metric, error) {
	recorded, err := recordedCounters(c)
	if err != nil {
		return nil, err
	}
	out := []Metric{}
	for _, l := range launches {
		for _, m := range profile.Compare(recorded, l) {
			out = append(out, Metric{
				Name: m.Name, Unit: m.Unit, Tier: string(m.Tier), Silica: m.Silica, Hardware: m.Hardware, PTX: m.PTX, Equal: m.Equal, Note: m.Note,
			})
		}
	}
	return out, nil
}

// recordedCounters returns what Nsight Compute gave for the case. Metrics that were zero are not in the recording.
func recordedCounters(c *truth.Case) (profile.Recorded, error) {
	names, err := c.Suite().MetricNames()
	if err != nil {
		return profile.Recorded{}, err
	}
	values, err := c.Metrics()
	if err != nil {
		return profile.Recorded{}, err
	}
	for name := range names {
		if _, ok := values[name]; !ok {
			values[name] = 0
		}
	}
	opcodes, err := c.Opcodes()
	return profile.Recorded{Metrics: values, Opcodes: opcodes}, err
}
