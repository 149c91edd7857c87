package validate

import (
	"fmt"
	"io"
	"math"
	"slices"

	"silica/profile"
)

// enoughKernels is in how many kernels a metric has to be recorded for the document to judge it.
const enoughKernels = 10

// MetricSummary is how well a metric of the model agrees with the chip's: the median of its values, and of the differences from the chip's,
// and their mean. Differences of percentages are in points, those of ratios in their own unit, and others are parts of the chip's.
type MetricSummary struct {
	*profile.Metric
	Kernels          int
	Silica, Hardware float64
	Median, Mean     float64
}

// SummariseMetrics sums up the metrics of the model, in the order of the table of metrics.
func SummariseMetrics(results []Timing) []MetricSummary {
	var out []MetricSummary
	for _, m := range profile.Metrics() {
		var ours, chip, apart []float64
		for _, r := range results {
			p, ok := r.Metrics[m.Name]
			if !ok || p.Hardware == 0 && p.Silica == 0 {
				continue
			}
			d := math.Abs(p.Silica - p.Hardware)
			if relative(m) {
				d = math.Abs(p.Error())
			}
			ours, chip, apart = append(ours, p.Silica), append(chip, p.Hardware), append(apart, d)
		}
		if len(apart) >= enoughKernels {
			out = append(out, MetricSummary{m, len(apart), median(ours), median(chip), median(apart), mean(apart)})
		}
	}
	return out
}

// relative tells whether differences of a metric are parts of its value: it has a unit other than that of ratios.
func relative(m *profile.Metric) bool {
	switch m.Unit {
	case "%", "", "inst", "inst/cycle", "warp":
		return false
	}
	return true
}

func median(v []float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return sorted[len(sorted)/2]
}

// metricsMarkdown writes the part of docs/accuracy.md about the metrics of the model.
func metricsMarkdown(w io.Writer, results []Timing) {
	fmt.Fprintf(w, `
## Metrics of the model

Each metric of Nsight Compute that the model gives, over the kernels in which it is not zero: its median here and on the H200, the median of the
differences and their mean. Percentages differ by points, ratios by their own unit, other values by parts of the H200's. Metrics that count what
was executed are exact and compared by `+"`silica validate ../shared/truth/h200`"+`.

| metric | kernels | median | H200 | differs by, median | mean |
|---|--:|--:|--:|--:|--:|
`)
	for _, s := range SummariseMetrics(results) {
		median, mean := fmt.Sprintf("%.2f", s.Median), fmt.Sprintf("%.2f", s.Mean)
		if relative(s.Metric) {
			median, mean = fmt.Sprintf("%.1f %%", 100*s.Median), fmt.Sprintf("%.1f %%", 100*s.Mean)
		}
		fmt.Fprintf(w, "| `%s` | %d | %.4g | %.4g | %s | %s |\n", s.Name, s.Kernels, s.Silica, s.Hardware, median, mean)
	}
}
