package validate

import (
	"fmt"
	"io"
	"strconv"
)

// Text prints one result: the outcome of the outputs, then a line for each counter.
func Text(w io.Writer, r Result) {
	fmt.Fprintf(w, "%-28s outputs %-6s %7.2f s", r.Case, r.Outputs, r.WallS)
	if r.Error != "" {
		fmt.Fprintf(w, "  %s", r.Error)
	}
	fmt.Fprintln(w)
	for _, m := range r.Metrics {
		difference := "equal"
		if !m.Equal {
			difference = fmt.Sprintf("%+g", m.Silica-m.Hardware)
			if m.Note != "" {
				difference += "  " + m.Note
			}
		}
		fmt.Fprintf(w, "    %-62s %14s %14s  %s\n", m.Name, number(m.Silica), number(m.Hardware), difference)
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Summary counts the outcomes and, for each counter, how often it was equal.
func Summary(w io.Writer, results []Result) {
	var ok, wrong, failed, unsupported int
	equal, explained, compared := 0, 0, 0
	ptx, ptxEqual := 0, 0
	for _, r := range results {
		switch {
		case r.Outputs == OK:
			ok++
		case r.Outputs == Wrong:
			wrong++
		case r.Unsupported:
			unsupported++
		default:
			failed++
		}
		for _, m := range r.Metrics {
			compared++
			if m.PTX {
				ptx++
				if m.Equal {
					ptxEqual++
				}
			}
			switch {
			case m.Equal:
				equal++
			case m.Note != "":
				explained++
			}
		}
	}
	fmt.Fprintf(w, "\n%d counters compared: %d equal, %d differ for a stated reason, %d differ\n", compared, equal, explained, compared-equal-explained)
	fmt.Fprintf(w, "%d of them count instructions of PTX, which are not those of machine code: %d equal; of the other %d: %d equal\n",
		ptx, ptxEqual, compared-ptx, equal-ptxEqual)
	fmt.Fprintf(w, "outputs: %d ok, %d wrong, %d failed, %d use what is not supported\n", ok, wrong, failed, unsupported)
}
