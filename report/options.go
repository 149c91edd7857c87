package report

import (
	"strconv"
	"strings"

	"silica/profile"
)

// Options chooses what a report holds.
type Options struct {
	// Set is "basic" (also when empty) or "full".
	Set string
	// Color writes terminal colours.
	Color bool
	// Source returns the text of a source line, "" when it is not known; nil when no source is at hand.
	Source func(file string, line int) string
}

func (o Options) full() bool { return o.Set == "full" }

// sections lists the sections of the chosen set.
func (o Options) sections() []profile.Section {
	var out []profile.Section
	for _, s := range profile.Sections() {
		if s.Basic || o.full() {
			out = append(out, s)
		}
	}
	return out
}

// source returns the text of a line.
func (o Options) source(file string, line int) string {
	if o.Source == nil {
		return ""
	}
	return o.Source(file, line)
}

// value writes a value as Nsight Compute does: whole numbers with separators of thousands, others with two decimals,
// "n/a" for what cannot be had.
func value(v profile.Value) string {
	switch {
	case !v.Available:
		return "n/a"
	case v.Text != "":
		return v.Text
	case v.Number == float64(int64(v.Number)):
		return thousands(strconv.FormatInt(int64(v.Number), 10))
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(v.Number, 'f', 2, 64), ".")
	return thousands(whole) + "." + fraction
}

// thousands puts a comma between each three digits.
func thousands(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// heading names a launch as Nsight Compute does.
func heading(l *profile.Launch) string {
	return l.Name + " " + dim(l.Grid) + "x" + dim(l.Block)
}

func dim(d profile.Dim) string {
	return "(" + strconv.Itoa(d.X) + ", " + strconv.Itoa(d.Y) + ", " + strconv.Itoa(d.Z) + ")"
}
