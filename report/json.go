package report

import (
	"encoding/json"
	"io"

	"silica/profile"
)

// jsonFormat names the schema of JSON; it changes when a field changes its meaning.
const jsonFormat = "silica report 1"

type jsonReport struct {
	Format   string       `json:"format"`
	Launches []jsonLaunch `json:"launches"`
}

type jsonLaunch struct {
	*profile.Launch
	Metrics  []jsonMetric      `json:"metrics"`
	Findings []profile.Finding `json:"findings"`
	Lines    []profile.Sum     `json:"lines"` // by source line
}

type jsonMetric struct {
	Name    string            `json:"name"`
	Label   string            `json:"label,omitempty"`
	Unit    string            `json:"unit,omitempty"`
	Section profile.SectionID `json:"section"`
	Tier    profile.Tier      `json:"tier"`
	Note    string            `json:"note,omitempty"`
	// Value is a number, a text, or null when the metric cannot be had.
	Value any `json:"value"`
}

// JSON writes the launches with all metrics, each with its tier, what the rules found, and the counts of each source line and
// instruction.
func JSON(w io.Writer, launches []*profile.Launch) error {
	out := jsonReport{Format: jsonFormat, Launches: []jsonLaunch{}}
	for _, l := range launches {
		j := jsonLaunch{Launch: l, Metrics: []jsonMetric{}, Findings: l.Advise(), Lines: l.BySource()}
		for _, v := range l.Totals().Values() {
			m := jsonMetric{v.Name, v.Label, v.Unit, v.Section, v.Tier, v.Note, nil}
			switch {
			case v.Available && v.Text != "":
				m.Value = v.Text
			case v.Available:
				m.Value = v.Number
			}
			j.Metrics = append(j.Metrics, m)
		}
		out.Launches = append(out.Launches, j)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(out)
}
