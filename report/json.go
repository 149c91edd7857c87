package report

import (
	"encoding/json"
	"fmt"
	"io"

	"silica/profile"
)

// jsonFormat names the schema of JSON. Fields may be added to it; a change of what one means gets another number.
const jsonFormat = "silica report 1"

type jsonReport struct {
	Format   string       `json:"format"`
	Launches []jsonLaunch `json:"launches"`
}

type jsonLaunch struct {
	*profile.Launch
	Verdict []string      `json:"verdict"`
	Advice  []jsonAdvice  `json:"advice"`
	Metrics []jsonMetric  `json:"metrics"`
	Lines   []profile.Sum `json:"lines"`   // by source line
	Opcodes []profile.Sum `json:"opcodes"` // by PTX opcode
	Classes []profile.Sum `json:"classes"` // by class
}

type jsonMetric struct {
	Name    string            `json:"name"`
	Label   string            `json:"label"`
	Unit    string            `json:"unit"`
	Section profile.SectionID `json:"section"`
	Tier    profile.Tier      `json:"tier"`
	Note    string            `json:"note,omitempty"`
	// Value is a number, a text, or null when the metric cannot be had.
	Value  any      `json:"value"`
	NVProf []string `json:"nvprof,omitempty"`
}

type jsonAdvice struct {
	Rule        string              `json:"rule"`
	Section     profile.SectionID   `json:"section"`
	Kind        profile.Kind        `json:"kind"`
	Title       string              `json:"title"`
	Figure      string              `json:"figure"`
	Message     string              `json:"message"`
	Change      string              `json:"change,omitempty"`
	Speedup     float64             `json:"speedup,omitempty"` // percent
	SpeedupType profile.SpeedupType `json:"speedup_type,omitempty"`
	Sites       []jsonSite          `json:"sites,omitempty"`
}

type jsonSite struct {
	File   string  `json:"file"`
	Line   int     `json:"line"`
	Detail string  `json:"detail"`
	Share  float64 `json:"share"` // percent
}

// JSON writes the launches: all metrics, each with its tier, the advice, and the counts of each source line, opcode,
// class and instruction.
func JSON(w io.Writer, launches []*profile.Launch) error {
	out := jsonReport{Format: jsonFormat, Launches: []jsonLaunch{}}
	for _, l := range launches {
		out.Launches = append(out.Launches, jsonOf(l))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func jsonOf(l *profile.Launch) jsonLaunch {
	t := l.Totals()
	advice := t.Advice()
	j := jsonLaunch{
		Launch: l, Verdict: t.Verdict(advice), Advice: []jsonAdvice{}, Lines: l.BySource(), Opcodes: l.ByOpcode(), Classes: l.ByClass(),
	}
	for _, a := range advice {
		out := jsonAdvice{a.Rule, a.Section, a.Kind, a.Title, a.Figure, a.Message, a.Change, a.Speedup, a.SpeedupType, nil}
		for _, s := range a.Sites {
			out.Sites = append(out.Sites, jsonSite{s.File, s.Line, s.Detail, s.Share})
		}
		j.Advice = append(j.Advice, out)
	}
	for _, v := range t.Values() {
		m := jsonMetric{v.Name, v.Label, v.Unit, v.Section, v.Tier, v.Note, nil, v.NVProf}
		switch {
		case v.Text != "":
			m.Value = v.Text
		case v.Available:
			m.Value = v.Number
		}
		j.Metrics = append(j.Metrics, m)
	}
	return j
}
