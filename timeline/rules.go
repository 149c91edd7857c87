package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"silica/profile"
)

// Finding is something to change about how work is submitted.
type Finding struct {
	Rule    string `json:"rule"`
	Title   string `json:"title"`
	Message string `json:"message"`
	Change  string `json:"change"`
	// Share is how much of the time from the first to the last work it is about, in percent.
	Share float64 `json:"share"`
	// Sites are the calls that it is about, the worst first.
	Sites []Site `json:"sites,omitempty"`
}

// Site is a call in the program's source.
type Site struct {
	Source
	Detail string  `json:"detail"`
	Share  float64 `json:"share"` // of the finding's trouble, in percent
}

// maxSites is how many places a finding names.
const maxSites = 5

// sites sums the trouble of activities by the calls that submitted them.
func (m *Model) sites(trouble map[int]time.Duration) []Site {
	sums, what := map[Source]time.Duration{}, map[Source]map[string]int{}
	var all time.Duration
	for i, d := range trouble {
		call := m.Activities[i].Call
		if d <= 0 || call < 0 || m.Calls[call].Source == nil {
			continue
		}
		at := *m.Calls[call].Source
		sums[at] += d
		all += d
		if what[at] == nil {
			what[at] = map[string]int{}
		}
		what[at][m.Title(i)]++
	}
	var out []Site
	for at, d := range sums {
		out = append(out, Site{at, described(what[at]), 100 * float64(d) / float64(all)})
	}
	slices.SortFunc(out, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return out[:min(len(out), maxSites)]
}

// described lists what calls submit, with how often.
func described(titles map[string]int) string {
	var out []string
	for _, title := range slices.Sorted(maps.Keys(titles)) {
		text := strings.Trim(strings.TrimPrefix(title, "[CUDA "), "[]")
		if n := titles[title]; n > 1 {
			text += fmt.Sprintf(", %d times", n)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// times are those of some activities.
func (u *usageOfTime) times(list []int) map[int]time.Duration {
	out := map[int]time.Duration{}
	for _, i := range list {
		out[i] = u.Work[i].Time()
	}
	return out
}

// leastFinding is the share of the time, in percent, below which nothing is worth a finding.
const leastFinding = 3

// Findings applies the rules. What is about most of the time stands first.
func (m *Model) Findings() []Finding {
	u := m.usage()
	if u.window.Time() <= 0 {
		return []Finding{}
	}
	out := []Finding{}
	for _, rule := range []func(*usageOfTime) *Finding{pageable, pageableAsync, noOverlap, smallCopies, submission} {
		if f := rule(u); f != nil && f.Share >= leastFinding {
			out = append(out, *f)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// usageOfTime is what the rules look at.
type usageOfTime struct {
	*Model
	window          Span // from the first to the last work
	copies, kernels []Span
	all             []Span
	calls           []Span
}

func (m *Model) usage() *usageOfTime {
	u := &usageOfTime{Model: m}
	first := true
	for i := range m.Work {
		w := &m.Work[i]
		if w.Lane == NoLane || w.Time() <= 0 {
			continue
		}
		if first || w.Begin < u.window.Begin {
			u.window.Begin = w.Begin
		}
		first = false
		u.window.End = max(u.window.End, w.End)
		u.all = append(u.all, w.Span)
		switch {
		case m.Activities[i].Kind == Kernel:
			u.kernels = append(u.kernels, w.Span)
		case w.Lane == CopyToDevice, w.Lane == CopyToHost:
			u.copies = append(u.copies, w.Span)
		}
	}
	u.all, u.kernels, u.copies, u.calls = union(u.all), union(u.kernels), union(u.copies), union(m.Spans)
	return u
}

// share is a part of the window in percent.
func (u *usageOfTime) share(d time.Duration) float64 {
	return 100 * float64(d) / float64(u.window.Time())
}

// copiesOf returns the indices of the copies between host and device that ok accepts, and their bytes.
func (u *usageOfTime) copiesOf(ok func(i int) bool) (list []int, bytes uint64, d time.Duration) {
	for i := range u.Activities {
		a, w := &u.Activities[i], &u.Work[i]
		if a.Kind == Copy && (w.Lane == CopyToDevice || w.Lane == CopyToHost) && ok(i) {
			list = append(list, i)
			bytes += a.Bytes
			d += w.Time()
		}
	}
	return list, bytes, d
}

// callName is the name of the call that submitted an activity.
func (m *Model) callName(i int) string {
	if call := m.Activities[i].Call; call >= 0 {
		return m.Calls[call].Name
	}
	return ""
}

func (u *usageOfTime) isAsync(i int) bool { return strings.Contains(u.callName(i), "Async") }

// pinnedSaves is how much less time copies would take of pinned memory.
func (u *usageOfTime) pinnedSaves(list []int) (d time.Duration) {
	for _, i := range list {
		a := u.Activities[i]
		if a.From == Pageable {
			a.From = Pinned
		}
		if a.To == Pageable {
			a.To = Pinned
		}
		pinned, _ := u.copyTime(&a, a.Bytes)
		d += max(0, u.Work[i].Time()-pinned)
	}
	return d
}

const pin = "Allocate the host's memory with cudaMallocHost, or pin it with cudaHostRegister, once for many copies."

// pageable finds time that copies of pageable memory take and those of pinned memory would not.
func pageable(u *usageOfTime) *Finding {
	list, bytes, d := u.copiesOf(func(i int) bool { return u.Activities[i].HostMemory() == Pageable && !u.isAsync(i) })
	if len(list) == 0 {
		return nil
	}
	saved := u.pinnedSaves(list)
	return &Finding{"PageableCopies", "Copies of pageable memory",
		fmt.Sprintf("%s of pageable memory, %s, take %s: %s. From pinned memory they would take %s.", plural(len(list), "copy", "copies"), Bytes(bytes),
			Duration(d), rate(bytes, d), Duration(d-saved)), pin, u.share(saved), u.sites(u.times(list))}
}

// pageableAsync finds copies that are asynchronous by name only.
func pageableAsync(u *usageOfTime) *Finding {
	list, _, d := u.copiesOf(func(i int) bool { a := u.Activities[i]; return a.HostMemory() == Pageable && a.Waited && u.isAsync(i) })
	if len(list) == 0 {
		return nil
	}
	return &Finding{"PageableAsync", "Asynchronous copies that are waited for",
		fmt.Sprintf("The memory is pageable, so that %s returns only when the copy has ended, and nothing is submitted meanwhile: %s, %s. "+
			"From pinned memory they would take %s, beside other work.",
			u.callName(list[0]), plural(len(list), "call", "calls"), Duration(d), Duration(d-u.pinnedSaves(list))), pin, u.share(d), u.sites(u.times(list))}
}

// DefaultStream is the ID of the legacy default stream of each device.
const DefaultStream = 1

// pipelined tells whether the program is cut into parts that may overlap: there are streams with copies and kernels of their own, and the host
// waits for no copy. Where they still take turns, the host does not submit them fast enough, which is another finding.
func (u *usageOfTime) pipelined() bool {
	copies, kernels, both := map[uint64]bool{}, map[uint64]bool{}, 0
	for i := range u.Activities {
		a, stream := &u.Activities[i], u.StreamOf(i)
		switch lane := u.Work[i].Lane; {
		case a.Kind == Copy && a.Waited:
			return false
		case lane == CopyToDevice || lane == CopyToHost:
			copies[stream] = true
		case a.Kind == Kernel:
			kernels[stream] = true
		}
	}
	for stream := range copies {
		if kernels[stream] {
			both++
		}
	}
	return both > 1
}

// noOverlap finds copies and kernels that could run at the same time.
func noOverlap(u *usageOfTime) *Finding {
	copies, kernels := length(u.copies), length(u.kernels)
	overlap := copies + kernels - length(union(append(slices.Clone(u.copies), u.kernels...)))
	less := min(copies, kernels)
	if overlap > less/10 || len(u.copies) < 2 || u.pipelined() {
		return nil
	}
	streams := map[uint64]bool{}
	waited := 0
	both := map[int]time.Duration{}
	for i := range u.Activities {
		if u.Activities[i].Kind == Kernel || u.Work[i].Lane == CopyToDevice || u.Work[i].Lane == CopyToHost {
			both[i] = u.Work[i].Time()
		}
		if a := &u.Activities[i]; u.Work[i].Lane != NoLane {
			streams[u.StreamOf(i)] = true
			if a.Kind == Copy && a.Waited {
				waited++
			}
		}
	}
	reason := ""
	switch {
	case len(streams) == 1 && streams[DefaultStream]:
		reason = "all work is in the default stream"
	case len(streams) == 1:
		reason = "all work is in one stream"
	case waited > 0:
		reason = fmt.Sprintf("the host waits for the end of %s", plural(waited, "copy", "copies"))
	default:
		reason = "streams and events order them so"
	}
	return &Finding{"CopyOverlap", "Copies and kernels take turns",
		fmt.Sprintf("Copies take %s and kernels %s, at the same time for %s: %s.", Duration(copies), Duration(kernels), Duration(overlap), reason),
		"Cut the work into parts with a stream each, and copy one part with cudaMemcpyAsync from pinned memory while the kernel works on another.",
		u.share(less - overlap), u.sites(both)}
}

// smallCopies finds copies whose time is mostly the fixed one.
func smallCopies(u *usageOfTime) *Finding {
	const few = 8
	fixed := func(i int) time.Duration {
		d, _ := u.copyTime(&u.Activities[i], 0)
		return d
	}
	list, bytes, _ := u.copiesOf(func(i int) bool { return 2*fixed(i) > u.Work[i].Time() })
	if len(list) < few {
		return nil
	}
	var saved time.Duration
	each := map[int]time.Duration{}
	for n, i := range list {
		each[i] = fixed(i)
		if n > 0 {
			saved += fixed(i)
		}
	}
	return &Finding{"SmallCopies", "Many small copies",
		fmt.Sprintf("%s of %s on average spend %s on what does not depend on their size.", plural(len(list), "copy", "copies"), Bytes(bytes/uint64(len(list))), Duration(saved)),
		"Gather the data on one side and copy it at once, or use cudaMemcpy2DAsync for rows.", u.share(saved), u.sites(each)}
}

// idle is time in which the GPU has nothing to do.
type idle struct {
	gaps int
	time time.Duration
	code time.Duration // in which the host ran code of its own
	// before are the gaps by the work that ends them.
	before map[int]time.Duration
}

// submission finds time in which the GPU has nothing to do because the host has not submitted it yet.
func submission(u *usageOfTime) *Finding {
	var launching, waiting idle
	begins := map[time.Duration]int{}
	for i := range u.Work {
		if w := &u.Work[i]; w.Lane != NoLane && w.after < 0 {
			begins[w.Begin] = i
		}
	}
	for i := 1; i < len(u.all); i++ {
		gap := Span{u.all[i-1].End, u.all[i].Begin}
		next, byHost := begins[gap.End]
		if !byHost {
			continue
		}
		of := &launching
		if before := u.Work[next].host; before >= 0 && u.Work[before].End >= gap.Begin {
			of = &waiting
		}
		of.gaps++
		if of.before == nil {
			of.before = map[int]time.Duration{}
		}
		of.before[next] += gap.Time()
		of.time += gap.Time()
		// What the host did meanwhile was over when it had submitted the next work.
		start := time.Duration(u.GPU(&u.Activities[next]).Delay.Start)
		of.code += gap.Time() - within(Span{gap.Begin - start, gap.End - start}, u.calls)
	}
	most := &launching
	if waiting.time > launching.time {
		most = &waiting
	}
	if most.code > most.time/2 {
		return most.finding(u, "HostCode", "The GPU waits for the program's own code on the host",
			"the host has not submitted the next work", "Submit work before it is needed, or do what the host does on another thread or on the device.")
	}
	if most == &launching {
		return launching.finding(u, "LaunchBound", "The GPU waits for the host to submit work",
			"the host has not submitted the next work", "Give each launch more work, fuse kernels, or launch them as a CUDA graph.")
	}
	return waiting.finding(u, "Synchronization", "The GPU is idle after each wait of the host",
		"the host waited for the work before, and submits the next only then",
		"Submit the next work before waiting, and wait only for what the host needs: an event or a stream.")
}

func (d *idle) finding(u *usageOfTime, rule, title, reason, change string) *Finding {
	return &Finding{rule, title, fmt.Sprintf("In %s, %s in all, nothing runs: %s. The program's own code takes %s of it.",
		plural(d.gaps, "gap", "gaps"), Duration(d.time), reason, Duration(d.code)), change, u.share(d.time), u.sites(d.before)}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Duration writes a time as profile.Elapsed does.
func Duration(d time.Duration) string { return profile.Elapsed(float64(d)) }

// Bytes writes a size with three digits: "1.23 MB", which is a million bytes.
func Bytes(n uint64) string {
	switch v := float64(n); {
	case v < 1e3:
		return fmt.Sprintf("%d B", n)
	case v < 999.5e3:
		return profile.Digits(v/1e3) + " KB"
	case v < 999.5e6:
		return profile.Digits(v/1e6) + " MB"
	default:
		return profile.Digits(v/1e9) + " GB"
	}
}

func rate(bytes uint64, d time.Duration) string {
	return fmt.Sprintf("%.1f GB/s", float64(bytes)/float64(d))
}
