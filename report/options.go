package report

import (
	"fmt"
	"strings"

	"silica/profile"
)

// Options chooses what a report holds.
type Options struct {
	// Set is "summary": what to change and where, in text; "basic" (also when empty): the sections that Nsight Compute shows
	// first, too; "roofline": those about peaks, as ncu's set of that name; or "full": everything. What is no text has no summary, and takes it for "basic".
	Set string
	// Color writes terminal colours.
	Color bool
	// Width is the number of columns of text; 0 stands for 80.
	Width int
	// Source returns the text of a source line, "" when it is not known; nil when no source is at hand.
	Source func(file string, line int) string
}

func (o Options) full() bool     { return o.Set == "full" }
func (o Options) roofline() bool { return o.Set == "roofline" }
func (o Options) summary() bool  { return o.Set == "summary" }

func (o Options) width() int {
	if o.Width == 0 {
		return 80
	}
	return o.Width
}

// sections lists the sections of the chosen set.
func (o Options) sections() []profile.Section {
	var out []profile.Section
	for _, s := range profile.Sections() {
		if o.full() || o.roofline() && s.Roofline || s.Basic && !o.roofline() {
			out = append(out, s)
		}
	}
	return out
}

// source returns the text of a line without the blanks around it.
func (o Options) source(file string, line int) string {
	if o.Source == nil {
		return ""
	}
	return strings.TrimSpace(o.Source(file, line))
}

// kernel is a launch as Nsight Compute's headings name it.
func kernel(l *profile.Launch) string {
	return fmt.Sprintf("%s %sx%s", l.Name, dim(l.Grid), dim(l.Block))
}

func dim(d profile.Dim) string { return fmt.Sprintf("(%d, %d, %d)", d.X, d.Y, d.Z) }
