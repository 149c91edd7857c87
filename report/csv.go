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

// CSV writes one row for each metric and each rule of each launch, as ncu --csv does. Metrics stand under their labels where they have
// one, and a metric that cannot be had says n/a. The rows of the set basic have the metrics of its sections' tables.
func CSV(w io.Writer, launches []*profile.Launch, o Options) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, csvHeader)
	for _, l := range launches {
		head := fmt.Sprintf(`"%d","0","silica","localhost",%s,"1","7","%s","%s","0","%s"`,
			l.ID, quote(l.Name), dim(l.Block), dim(l.Grid), l.Device.Capability)
		totals := l.Totals()
		for _, s := range o.sections() {
			for _, v := range totals.Values() {
				if v.Section != s.ID || !v.Headline && !o.full() {
					continue
				}
				name := v.Label
				if name == "" {
					name = v.Name
				}
				fmt.Fprintf(b, "%s,%s,%s,%s,%s,\n", head, quote(s.Name), quote(name), quote(v.Unit), quote(value(v)))
			}
		}
		for _, f := range l.Advise() {
			speedup, kind := "", ""
			if f.Speedup > 0 {
				speedup, kind = fmt.Sprintf("%.2f", f.Speedup), f.SpeedupType
			}
			fmt.Fprintf(b, "%s,%s,\"\",\"\",\"\",%s,%s,%s,%s,%s\n", head, quote(string(f.Section)), quote(f.Rule), quote(f.Type),
				quote(f.Message), quote(kind), quote(speedup))
		}
	}
	return b.Flush()
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
