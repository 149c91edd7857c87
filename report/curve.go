package report

import (
	"fmt"
	"io"
	"strings"

	"silica/gpu"
)

// Curve prints an occupancy curve: a bar for each run of points with the same number of warps, a star at the current one.
func Curve(w io.Writer, indent string, points []gpu.Point, current, most int) {
	const longest = 48
	for i := 0; i < len(points); {
		j := i
		for j+1 < len(points) && points[j+1].Warps == points[i].Warps {
			j++
		}
		mark := " "
		if current >= points[i].X && (j+1 == len(points) || current < points[j+1].X) {
			mark = "*"
		}
		span := fmt.Sprint(points[i].X)
		if j > i {
			span += fmt.Sprintf("-%d", points[j].X)
		}
		fmt.Fprintf(w, "%s%s %15s %3d %s\n", indent, mark, span, points[i].Warps, strings.Repeat("#", points[i].Warps*longest/most))
		i = j + 1
	}
}
