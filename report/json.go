package report

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"silica/profile"
	"silica/timeline"
)

// jsonFormat names the schema of JSON. Fields may be added to it; a change of what one means gets another number.
const jsonFormat = "silica report 1"

type jsonReport struct {
	Format   string       `json:"format"`
	Launches []jsonLaunch `json:"launches"`
	// Timeline is missing where nothing recorded one.
	Timeline *jsonTimeline `json:"timeline,omitempty"`
}

type jsonTimeline struct {
	Clock            string              `json:"clock"` // "modelled": of all times but those that say here
	Total            time.Duration       `json:"total_ns"`
	Omitted          int                 `json:"omitted,omitempty"`
	Findings         []timeline.Finding  `json:"findings"`
	Kernels          []timeline.Row      `json:"kernels"`
	MemoryOperations []timeline.Row      `json:"memory_operations"`
	Calls            []timeline.Row      `json:"calls"`
	Ranges           []timeline.RangeRow `json:"ranges,omitempty"`
	Operations       []jsonOperation     `json:"operations,omitempty"`
}

type jsonOperation struct {
	Name  string        `json:"name"`
	Begin time.Duration `json:"begin_ns"`
	Time  time.Duration `json:"duration_ns"`
	*timeline.Activity
	Lane         timeline.Lane `json:"occupies"`
	AtLeast      bool          `json:"at_least,omitempty"`
	Estimated    bool          `json:"estimated,omitempty"`
	CriticalPath bool          `json:"critical_path,omitempty"`
}

type jsonLaunch struct {
	*profile.Launch
	Verdict []string     `json:"verdict"`
	Advice  []jsonAdvice `json:"advice"`
	// Rooflines and Breakdown are missing without a time.
	Rooflines []profile.Roofline    `json:"rooflines,omitempty"`
	Breakdown []profile.Constituent `json:"breakdown,omitempty"`
	Metrics   []jsonMetric          `json:"metrics"`
	Lines     []profile.Sum         `json:"lines"`   // by source line
	Opcodes   []profile.Sum         `json:"opcodes"` // by PTX opcode
	Classes   []profile.Sum         `json:"classes"` // by class
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
// class and instruction. The sums of a timeline, which may be nil, stand beside them.
func JSON(w io.Writer, launches []*profile.Launch, m *timeline.Model) error {
	out := jsonReport{Format: jsonFormat, Launches: []jsonLaunch{}}
	if m != nil {
		out.Timeline = timelineOf(m)
	}
	for _, l := range launches {
		out.Launches = append(out.Launches, jsonOf(l))
	}
	return encode(w, out)
}

// ReadJSON reads the launches of what JSON wrote. The error wraps profile.ErrFormat for anything else.
func ReadJSON(r io.Reader) ([]*profile.Launch, error) {
	var in struct {
		Format   string            `json:"format"`
		Launches []*profile.Launch `json:"launches"`
	}
	if err := json.NewDecoder(r).Decode(&in); err != nil {
		return nil, fmt.Errorf("%w: %w", profile.ErrFormat, err)
	}
	if in.Format != jsonFormat {
		return nil, fmt.Errorf("%w: its format is %q, not %q", profile.ErrFormat, in.Format, jsonFormat)
	}
	return in.Launches, nil
}

// TimelineJSON writes a timeline with each of its operations; no launches.
func TimelineJSON(w io.Writer, m *timeline.Model) error {
	t := timelineOf(m)
	critical := map[int]bool{}
	for _, s := range m.Path {
		critical[s.Activity] = true
	}
	for _, i := range m.Ordered() {
		p := &m.Work[i]
		t.Operations = append(t.Operations, jsonOperation{m.Title(i), p.Begin, p.Time(), &m.Activities[i], p.Lane, p.AtLeast, p.Estimated, critical[i]})
	}
	return encode(w, jsonReport{Format: jsonFormat, Launches: []jsonLaunch{}, Timeline: t})
}

func timelineOf(m *timeline.Model) *jsonTimeline {
	return &jsonTimeline{
		Clock: "modelled", Total: m.Total, Omitted: m.Omitted, Findings: m.Findings(), Kernels: m.KernelRows(), MemoryOperations: m.MemoryRows(),
		Calls: m.CallRows(), Ranges: m.RangeRows(),
	}
}

func encode(w io.Writer, report jsonReport) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	if err := e.Encode(report); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func jsonOf(l *profile.Launch) jsonLaunch {
	t := l.Totals()
	advice := t.Advice()
	j := jsonLaunch{
		Launch: l, Verdict: t.Verdict(advice), Advice: []jsonAdvice{}, Lines: l.BySource(), Opcodes: l.ByOpcode(), Classes: l.ByClass(),
		Rooflines: t.Rooflines(), Breakdown: t.Breakdown(),
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
