package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"silica/profile"
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
