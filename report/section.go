package report

import (
	"fmt"
	"slices"
	"strings"

	"silica/gpu"
	"silica/profile"
)

// marks stand behind values that have a note.
var marks = []string{"*", "+", "^", "~"}

// section prints the table of a section; one in which nothing can be had takes a line.
func (p *printer) section(s profile.Section, values []profile.Value) {
	const nameWidth, unitWidth, valueWidth = 44, 15, 15
	var rows []profile.Value
	available := false
	for _, v := range values {
		if v.Section == s.ID && (v.Headline || p.o.full()) {
			rows = append(rows, v)
			available = available || v.Available
		}
	}
	if len(rows) == 0 {
		return
	}
	if !available {
		p.heading(fmt.Sprintf("Section: %s: n/a, %s", s.Name, rows[0].Note))
		p.blank()
		return
	}
	rule := "  " + strings.Repeat("-", nameWidth) + " " + strings.Repeat("-", unitWidth) + " " + strings.Repeat("-", valueWidth)
	p.heading("Section: " + s.Name)
	p.line("%s", rule)
	p.line("  %-*s %*s %*s", nameWidth, "Metric Name", unitWidth, "Metric Unit", valueWidth, "Metric Value")
	p.line("%s", rule)
	var notes []string
	for _, v := range rows {
		name := v.Label
		if len(name) > nameWidth {
			p.line("  %s", name)
			name = ""
		}
		text, unit := scaled(v)
		if len(text) > valueWidth {
			text = fitted(v.Number, valueWidth)
		}
		p.line("  %-*s %*s %*s%s", nameWidth, name, unitWidth, unit, valueWidth, text, mark(&notes, v.Note))
	}
	p.line("%s", rule)
	for i, n := range notes {
		p.line("  %s %s", marks[i], p.paint(dimmed, n))
	}
	p.blank()
}

// mark returns the mark of a note, which it enters if it is new.
func mark(notes *[]string, note string) string {
	if note == "" {
		return ""
	}
	at := slices.Index(*notes, note)
	if at < 0 {
		at = len(*notes)
		*notes = append(*notes, note)
	}
	return marks[min(at, len(marks)-1)]
}

// memoryTables prints the tables of Nsight Compute's memory page, as far as they need no model of time.
func (p *printer) memoryTables(t *profile.Totals) {
	const columnWidth = 11
	table := func(title string, columns []string, rows []profile.MemoryRow, cells func(profile.MemoryRow) []string) {
		if len(rows) == 0 {
			return
		}
		p.heading(title)
		line := fmt.Sprintf("  %-16s", "")
		for _, c := range columns {
			line += fmt.Sprintf(" %*s", columnWidth, c)
		}
		p.line("%s", line)
		for _, r := range rows {
			line := fmt.Sprintf("  %-16s", r.Name)
			for _, c := range cells(r) {
				line += fmt.Sprintf(" %*s", columnWidth, c)
			}
			p.line("%s", line)
		}
		p.blank()
	}
	count := func(n uint64) string { return fitted(float64(n), columnWidth) }
	per := func(n, of uint64) string {
		if of == 0 {
			return ""
		}
		return number(float64(n) / float64(of))
	}
	shared, l1 := t.MemoryRows()
	table("Shared Memory", []string{"Requests", "Wavefronts", "Ideal", "Conflicts", "Ways"}, shared, func(r profile.MemoryRow) []string {
		return []string{count(r.Requests), count(r.Wavefronts), count(r.IdealWavefronts), count(r.Conflicts), per(r.Wavefronts, r.Requests)}
	})
	table("L1/TEX Cache", []string{"Requests", "Sectors", "Ideal", "Sectors/Req", "Bytes"}, l1, func(r profile.MemoryRow) []string {
		return []string{count(r.Requests), count(r.Sectors), count(r.Ideal), per(r.Sectors, r.Requests), count(r.Sectors * profile.SectorBytes)}
	})
	if f := t.Footprint; f.Read+f.Written > 0 {
		p.wrap("  ", "  ", fmt.Sprintf("Global memory touched, each sector once: %s bytes read, %s written.", number(float64(f.Read)), number(float64(f.Written))))
		p.blank()
	}
}

// curves prints how the occupancy would change.
func (p *printer) curves(l *profile.Launch) {
	for _, c := range []struct {
		name    string
		points  []gpu.Point
		current int
	}{
		{"block size", l.Curves.BlockSize, l.Block.Count()},
		{"registers per thread", l.Curves.Registers, l.Registers.PerThread},
		{"shared memory per block", l.Curves.Shared, l.StaticShared + l.DynamicShared},
	} {
		if len(c.points) == 0 {
			continue
		}
		p.heading("Warps on an SM by " + c.name)
		Curve(p.w, "  ", c.points, c.current, l.Device.WarpsPerSM)
		p.blank()
	}
}
