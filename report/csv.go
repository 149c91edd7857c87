package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"silica/profile"
	"silica/timeline"
)

// csvHeader is the header of ncu --csv.
const csvHeader = `"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",` +
	`"Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"`

// CSV writes one row for each metric and each rule of each launch, as ncu --csv does: metric rows have the section's name and
// the metric's label and leave the rule's columns out, rule rows have the section's identifier. A metric that cannot be had
// says n/a. The set basic has the metrics of its sections' tables; the set full has all, those outside tables under their
// names, as ncu does for metrics asked for by name.
func CSV(w io.Writer, launches []*profile.Launch, o Options) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, csvHeader)
	for _, l := range launches {
		totals := l.Totals()
		head := fmt.Sprintf(`"%d","1","silica","localhost",%s,"1","7","%s","%s","0",%s`,
			l.ID, quote(l.Name), dim(l.Block), dim(l.Grid), quote(l.Device.Capability))
		values := totals.Values()
		for _, s := range o.sections() {
			for _, v := range values {
				if v.Section != s.ID || !v.Headline && !o.full() {
					continue
				}
				name := v.Label
				if !v.Headline {
					name = v.Name
				}
				fmt.Fprintf(b, "%s,%s,%s,%s,%s,\n", head, quote(s.Name), quote(name), quote(v.Unit), quote(value(v)))
			}
		}
		for _, a := range totals.Advice() {
			estimate, of := "", ""
			if a.Speedup > 0 {
				estimate, of = fmt.Sprintf("%.2f", a.Speedup), string(a.SpeedupType)
			}
			fmt.Fprintf(b, "%s,%s,\"\",\"\",\"\",%s,%s,%s,%s,%s\n", head, quote(string(a.Section)), quote(a.Rule), quote(string(a.Kind)),
				quote(description(a)), quote(of), quote(estimate))
		}
	}
	return b.Flush()
}

// traceHeader is that of nsys stats --report cuda_gpu_trace --format csv.
const traceHeader = `Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),` +
	`SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name`

// TimelineCSV writes one row for each operation, as nsys stats does in its report cuda_gpu_trace.
func TimelineCSV(w io.Writer, m *timeline.Model) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, traceHeader)
	mega := func(n float64) string { return fmt.Sprintf("%.3f", n/1e6) }
	for _, i := range m.Ordered() {
		a, p := &m.Activities[i], &m.Work[i]
		kernel, copied := ",,,,,,,,", ","
		if l := p.Launch; l != nil {
			kernel = fmt.Sprintf("%d,%d,%d,%d,%d,%d,%d,%s,%s", l.Grid.X, l.Grid.Y, l.Grid.Z, l.Block.X, l.Block.Y, l.Block.Z, l.Registers.PerThread,
				mega(float64(l.StaticShared)), mega(float64(l.DynamicShared)))
		}
		if a.Bytes > 0 {
			copied = mega(float64(a.Bytes)) + "," + mega(float64(a.Bytes)/p.Time().Seconds())
		}
		fmt.Fprintf(b, "%d,%d,%d,%s,%s,%s,%s,%s,%d,,%d,%s\n", p.Begin, p.Time(), a.Call+1, kernel, copied, a.From, a.To, quote(fmt.Sprintf("%s (%d)", m.GPU(a).Name, a.Device)), a.Context, m.StreamOf(i),
			quote(m.Title(i)))
	}
	return b.Flush()
}

// description is an advice in one paragraph.
func description(a profile.Advice) string {
	text := a.Message
	if len(a.Sites) > 0 {
		var sites []string
		for _, s := range a.Sites {
			sites = append(sites, fmt.Sprintf("%s:%d (%s)", s.File, s.Line, s.Detail))
		}
		text += " At " + strings.Join(sites, "; ") + "."
	}
	return strings.TrimSpace(text + " " + a.Change)
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
