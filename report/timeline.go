package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"silica/profile"
	"silica/timeline"
)

// mostOperations is how many operations the table of the set basic shows.
const mostOperations = 40

// Timeline writes a timeline for people: what to change, the streams as bars, each operation, and sums.
func Timeline(w io.Writer, m *timeline.Model, gpu string, o Options) error {
	b := bufio.NewWriter(w)
	p := printer{w: b, o: o}
	p.line("%s", p.paint(bold, p.clip("Timeline, "+gpu, 0)))
	p.blank()
	p.wrap("  ", "  ", verdict(m))
	p.blank()
	p.findings(m.Findings())
	p.bars(m)
	p.ranges(m)
	p.operations(m)
	p.sums(m)
	return b.Flush()
}

// verdict says in a sentence what the time goes into.
func verdict(m *timeline.Model) string {
	if m.Total == 0 {
		return "The program did nothing that takes time."
	}
	part := map[string]time.Duration{}
	for _, s := range m.Path {
		part[pathPart(m, s)] += s.Time()
	}
	names := make([]string, 0, len(part))
	for name := range part {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(part[b], part[a]), cmp.Compare(a, b)) })
	var list []string
	for _, name := range names {
		if percent := 100 * float64(part[name]) / float64(m.Total); percent >= 0.5 {
			list = append(list, fmt.Sprintf("%s %.0f%%", name, percent))
		}
	}
	least := ""
	if slices.ContainsFunc(m.Work, func(w timeline.Placed) bool { return w.AtLeast }) {
		least = "at least "
	}
	return fmt.Sprintf("It would take %s%s. The critical path: %s.", least, timeline.Duration(m.Total), strings.Join(list, ", "))
}

// pathPart names what a part of the critical path is spent on.
func pathPart(m *timeline.Model, s timeline.Segment) string {
	if s.Activity < 0 {
		return "host"
	}
	switch m.Activities[s.Activity].Kind {
	case timeline.Kernel:
		return "kernels"
	case timeline.Host:
		return "host functions"
	case timeline.Set:
		return "fills"
	case timeline.Migrate:
		return "managed memory"
	}
	switch m.Work[s.Activity].Lane {
	case timeline.CopyToDevice:
		return "copies to the device"
	case timeline.CopyToHost:
		return "copies to the host"
	}
	return "other copies"
}

// findings prints what to change.
func (p *printer) findings(all []timeline.Finding) {
	for i, f := range all {
		p.line("  %d. %s  %s", i+1, p.paint(yellow, "OPT"), p.paint(bold, f.Title))
		p.line("          %s", p.paint(dimmed, fmt.Sprintf("%s, %.1f%% of the time", f.Rule, f.Share)))
		p.wrap("     ", "     ", f.Message)
		for _, s := range f.Sites[:min(len(f.Sites), p.sitesShown())] {
			p.site(profile.Site{File: s.File, Line: s.Line, Detail: s.Detail, Share: s.Share})
		}
		if len(f.Sites) == 0 {
			p.line("     %s", p.paint(dimmed, "No line information: compile the host's code with -g to see which calls."))
		}
		p.wrap("     -> ", "        ", f.Change)
		p.blank()
	}
}

// look is how an activity is drawn.
type look struct {
	letter byte
	name   string
	color  string
}

// looks are those of activities that take time, and of the host.
var looks = []look{
	{'K', "kernel", "32"}, {'>', "copy to device", "36"}, {'<', "copy to host", "35"}, {'=', "other copy", "34"}, {'S', "fill", "33"},
	{'M', "managed memory", "31"}, {'H', "host function", "33"}, {'c', "call", "2"}, {'w', "waiting call", "31"},
}

func lookOf(m *timeline.Model, i int) (letter byte) {
	switch m.Activities[i].Kind {
	case timeline.Kernel:
		return 'K'
	case timeline.Set:
		return 'S'
	case timeline.Migrate:
		return 'M'
	case timeline.Host:
		return 'H'
	}
	switch m.Work[i].Lane {
	case timeline.CopyToDevice:
		return '>'
	case timeline.CopyToHost:
		return '<'
	}
	return '='
}

// row is what stands in a row of bars.
type row struct {
	name  string
	spans []timeline.Span
	looks []byte
}

func (r *row) add(s timeline.Span, look byte) {
	if s.Time() > 0 {
		r.spans, r.looks = append(r.spans, s), append(r.looks, look)
	}
}

// hostRows returns a row for each thread that made calls.
func hostRows(m *timeline.Model) []*row {
	index := map[int]*row{}
	var out []*row
	waits := make([]bool, len(m.Calls))
	for i := range m.Activities {
		if a := &m.Activities[i]; a.Waited && a.Call >= 0 {
			waits[a.Call] = true
		}
	}
	for i, c := range m.Calls {
		r := index[c.Thread]
		if r == nil {
			r = &row{name: fmt.Sprintf("host thread %d", len(out)+1)}
			index[c.Thread] = r
			out = append(out, r)
		}
		look := byte('c')
		if waits[i] {
			look = 'w'
		}
		r.add(m.Spans[i], look)
	}
	return out
}

// streamRows returns a row for each stream with work that takes time.
func streamRows(m *timeline.Model) []*row {
	type key struct {
		context int
		stream  uint64
	}
	index := map[key]*row{}
	var keys []key
	for i := range m.Work {
		if m.Work[i].Lane == timeline.NoLane {
			continue
		}
		k := key{m.Activities[i].Context, m.StreamOf(i)}
		r := index[k]
		if r == nil {
			r = &row{}
			index[k] = r
			keys = append(keys, k)
		}
		r.add(m.Work[i].Span, lookOf(m, i))
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.context, b.context), cmp.Compare(a.stream, b.stream)) })
	var out []*row
	for _, k := range keys {
		r := index[k]
		r.name = "stream " + streamName(k.stream)
		if keys[len(keys)-1].context > 1 {
			r.name = fmt.Sprintf("context %d %s", k.context, streamName(k.stream))
		}
		out = append(out, r)
	}
	return out
}

// streamName is how a stream is shown.
func streamName(id uint64) string {
	if id == timeline.DefaultStream {
		return "default"
	}
	return fmt.Sprint(id)
}

// mostRows is how many rows of bars the set basic shows.
const mostRows = 20

// bars draws the rows over the time from the first work to the end.
func (p *printer) bars(m *timeline.Model) {
	const nameWidth = 18
	window := m.Window()
	if window.Time() <= 0 {
		return
	}
	columns := p.o.width() - nameWidth - 5
	p.heading("Streams")
	left, right := timeline.Duration(window.Begin), timeline.Duration(window.End)
	p.line("  %-*s  %s%*s", nameWidth, "", left, columns-len(left), right)
	rows := append(hostRows(m), streamRows(m)...)
	shown := rows
	if !p.o.full() {
		shown = rows[:min(len(rows), mostRows)]
	}
	used := map[byte]bool{}
	for _, r := range shown {
		bar := r.draw(window, columns)
		for _, c := range []byte(bar) {
			used[c] = true
		}
		p.line("  %-*s |%s|", nameWidth, p.clip(r.name, p.o.width()-nameWidth), p.colored(bar))
	}
	if rest := len(rows) - len(shown); rest > 0 {
		p.line("  %s", p.paint(dimmed, fmt.Sprintf("%d more with --set full", rest)))
	}
	p.legend(used)
	p.blank()
}

// legend says what the letters mean that are used.
func (p *printer) legend(used map[byte]bool) {
	line, columns := "", 0
	for _, l := range looks {
		if !used[l.letter] {
			continue
		}
		if columns > 0 && columns+len(l.name)+6 > p.o.width() {
			p.line("%s", line)
			line, columns = "", 0
		}
		line += "  " + p.colored(string(l.letter)) + " " + l.name
		columns += len(l.name) + 4
	}
	p.line("%s", line)
}

// draw fills each column with what takes most of its time; a column with anything in it is not empty.
func (r *row) draw(window timeline.Span, columns int) string {
	out := []byte(strings.Repeat(" ", columns))
	most := make([]map[byte]time.Duration, columns)
	at := func(t time.Duration) int {
		return max(0, min(columns-1, int(float64(t-window.Begin)/float64(window.Time())*float64(columns))))
	}
	edge := func(c int) time.Duration {
		return window.Begin + time.Duration(float64(window.Time())*float64(c)/float64(columns))
	}
	for i, s := range r.spans {
		if s.End <= window.Begin || s.Begin >= window.End {
			continue
		}
		for c := at(s.Begin); c <= at(s.End-1); c++ {
			if most[c] == nil {
				most[c] = map[byte]time.Duration{}
			}
			most[c][r.looks[i]] += weight(r.looks[i]) * max(1, min(s.End, edge(c+1))-max(s.Begin, edge(c)))
			if best := out[c]; best == ' ' || most[c][r.looks[i]] > most[c][best] {
				out[c] = r.looks[i]
			}
		}
	}
	return string(out)
}

// weight lets kernels be seen that are short beside the copies around them.
func weight(look byte) time.Duration {
	if look == 'K' {
		return 8
	}
	return 1
}

// colored paints the letters of a bar.
func (p *printer) colored(bar string) string {
	if !p.o.Color {
		return bar
	}
	var b strings.Builder
	for len(bar) > 0 {
		n := 1
		for n < len(bar) && bar[n] == bar[0] {
			n++
		}
		text := bar[:n]
		for _, l := range looks {
			if l.letter == bar[0] {
				text = p.paint(l.color, text)
			}
		}
		b.WriteString(text)
		bar = bar[n:]
	}
	return b.String()
}

// operations lists the operations in the order of their begin.
func (p *printer) operations(m *timeline.Model) {
	order := m.Ordered()
	if len(order) == 0 {
		return
	}
	p.heading("Operations")
	p.line("  %12s %10s %1s  %-8s %8s %6s  %s", "Begin (us)", "Duration", "", "Stream", "Bytes", "GB/s", "Operation")
	critical := map[int]bool{}
	for _, s := range m.Path {
		critical[s.Activity] = true
	}
	shown := order
	if !p.o.full() {
		shown = order[:min(len(order), mostOperations)]
	}
	for _, i := range shown {
		a, w := &m.Activities[i], &m.Work[i]
		bytes, rate := "", ""
		if a.Bytes > 0 {
			bytes = timeline.Bytes(a.Bytes)
			rate = fmt.Sprintf("%.1f", float64(a.Bytes)/float64(w.Time()))
		}
		mark := ""
		if critical[i] {
			mark = "*"
		}
		p.line("  %12s %10s %s  %-8s %8s %6s  %s", microseconds(w.Begin), duration(w), p.paint(yellow, fmt.Sprintf("%1s", mark)), streamName(m.StreamOf(i)),
			bytes, rate, p.clip(shortTitle(m.Title(i), a.HostMemory()), 55))
	}
	if rest := len(order) - len(shown); rest > 0 {
		p.line("  %s", p.paint(dimmed, fmt.Sprintf("%d more with --set full", rest)))
	}
	p.line("  %s", p.paint(dimmed, joined(", ", "* on the critical path", atLeastNote(order, m), estimateNote(order, m))))
	p.blank()
}

// mostRanges is how many names of ranges the set basic shows.
const mostRanges = 20

// ranges prints the sums of what the program marks.
func (p *printer) ranges(m *timeline.Model) {
	rows := m.RangeRows()
	if len(rows) == 0 {
		return
	}
	p.heading("Ranges (NVTX)")
	p.line("  %10s %8s %10s %10s  %s", "Total", "Count", "Average", "Work", "Range")
	shown := rows
	if !p.o.full() {
		shown = rows[:min(len(rows), mostRanges)]
	}
	for _, r := range shown {
		p.line("  %10s %8d %10s %10s  %s", timeline.Duration(r.Total), r.Count, timeline.Duration(r.Total/time.Duration(r.Count)), timeline.Duration(r.Work), p.clip(r.Name, 45))
	}
	if rest := len(rows) - len(shown); rest > 0 {
		p.line("  %s", p.paint(dimmed, fmt.Sprintf("%d more with --set full", rest)))
	}
	p.line("  %s", p.paint(dimmed, "modelled, on the host; Work: what was submitted in the range runs so long"))
	p.blank()
}

// shortTitle is Nsight Systems' name of an operation as Nsight's older tools shorten it, with the kind of the host's memory:
// "memcpy HtoD pinned".
func shortTitle(title string, memory timeline.Memory) string {
	if !strings.HasPrefix(title, "[") {
		return title
	}
	short := strings.NewReplacer("[CUDA ", "", "[", "", "]", "", "Host-to-Device", "HtoD", "Device-to-Host", "DtoH", "Device-to-Device", "DtoD",
		"Host-to-Host", "HtoH", "Unified Memory memcpy", "managed").Replace(title)
	if memory != "" && memory != timeline.Managed {
		short += " " + strings.ToLower(string(memory))
	}
	return short
}

// duration writes the time of an operation with what is to be said about it.
func duration(w *timeline.Placed) string {
	text := timeline.Duration(w.Time())
	switch {
	case w.AtLeast:
		return ">" + text
	case w.Estimated:
		return "~" + text
	}
	return text
}

func atLeastNote(order []int, m *timeline.Model) string {
	if slices.ContainsFunc(order, func(i int) bool { return m.Work[i].AtLeast }) {
		return "> a lower bound from counts"
	}
	return ""
}

func estimateNote(order []int, m *timeline.Model) string {
	if slices.ContainsFunc(order, func(i int) bool { return m.Work[i].Estimated }) {
		return "~ an estimate"
	}
	return ""
}

// microseconds writes a point in time, which may be far from the beginning and close to the next.
func microseconds(d time.Duration) string {
	tenths := (d.Nanoseconds() + 50) / 100
	return fmt.Sprintf("%s.%d", thousands(fmt.Sprint(tenths/10)), tenths%10)
}

// mostCalls is how many names of calls the set basic shows.
const mostCalls = 10

// sums prints the sums of kernels, memory operations and calls.
func (p *printer) sums(m *timeline.Model) {
	p.memorySums(m)
	rows := m.CallRows()
	if len(rows) == 0 {
		return
	}
	p.heading("Calls")
	p.line("  %6s %10s %8s %10s %10s  %s", "Time %", "Total", "Count", "Average", "Here", "Name")
	shown := rows
	if !p.o.full() {
		shown = rows[:min(len(rows), mostCalls)]
	}
	for _, r := range shown {
		p.line("  %6.1f %10s %8d %10s %10s  %s", r.Share, timeline.Duration(r.Total), r.Count, timeline.Duration(r.Total/time.Duration(r.Count)),
			timeline.Duration(r.Here), p.clip(r.Name, 52))
	}
	if rest := len(rows) - len(shown); rest > 0 {
		p.line("  %s", p.paint(dimmed, fmt.Sprintf("%d more with --set full", rest)))
	}
	p.line("  %s", p.paint(dimmed, "modelled, with waiting; Here: on the machine that ran Silica"))
	p.blank()
}

// memorySums prints the sums of copies, fills and migrations.
func (p *printer) memorySums(m *timeline.Model) {
	rows := m.MemoryRows()
	if len(rows) == 0 {
		return
	}
	p.heading("Memory operations")
	p.line("  %6s %10s %6s %10s %8s %6s  %s", "Time %", "Total", "Count", "Average", "Bytes", "GB/s", "Operation")
	estimated := false
	for _, r := range rows {
		total := timeline.Duration(r.Total)
		if r.Estimated {
			total, estimated = "~"+total, true
		}
		name := shortTitle(r.Name, r.Memory)
		if r.Pages > 0 {
			name += fmt.Sprintf(", %d pages", r.Pages)
		}
		p.line("  %6.1f %10s %6d %10s %8s %6.1f  %s", r.Share, total, r.Count, timeline.Duration(r.Total/time.Duration(r.Count)),
			timeline.Bytes(r.Bytes), r.Rate()/1e9, p.clip(name, 56))
	}
	note := "modelled, as measured on this GPU"
	if estimated {
		note = "modelled; ~ an estimate from the generation and width of PCIe"
	}
	p.line("  %s", p.paint(dimmed, note))
	p.blank()
}

// submission prints what a timeline says beside the reports of kernels: what to change, and the sums.
func (p *printer) submission(m *timeline.Model) {
	if findings := m.Findings(); len(findings) > 0 {
		p.line("%s", p.paint(bold, "Copies, calls and streams"))
		p.blank()
		p.findings(findings)
	}
	if !p.o.summary() {
		p.sums(m)
	}
}
