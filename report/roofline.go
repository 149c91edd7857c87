package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"silica/profile"
)

// rooflines draws a roofline for each precision, with a table of what each level of memory allows.
func (p *printer) rooflines(t *profile.Totals) {
	for _, r := range t.Rooflines() {
		what := "limited by " + r.Limit()
		if r.Limit() == "" {
			what = "limited by arithmetic"
		}
		p.heading(fmt.Sprintf("Roofline, %s: %s of %s, %s", r.Precision, prefixed(r.Achieved, "FLOP/s"), prefixed(r.Peak, "FLOP/s"), what))
		for _, line := range drawn(&r) {
			p.line("  %s", line)
		}
		p.line("  %s", p.paint(dimmed, "1 L1 and shared memory, 2 L2, d DRAM; * the kernel, by the bytes of each"))
		p.line("  %-6s %12s %12s %12s %14s %10s", "level", "bytes", "bandwidth", "FLOP/byte", "ceiling", "reached")
		for _, l := range r.Levels {
			p.line("  %-6s %12s %12s %12s %14s %9.1f%%", l.Name, prefixed(l.Bytes, "B"), prefixed(l.Bandwidth, "B/s"), digits(l.Intensity),
				prefixed(l.Ceiling, "FLOP/s"), 100*r.Achieved/l.Ceiling)
		}
		p.blank()
	}
}

// The drawing: a column is a factor of 2^(1/columnsOctave) of intensity, a row one of rowFactor of speed.
const (
	roofColumns   = 66
	roofRows      = 13
	columnsOctave = 4
)

// roofMarks are the characters of the levels' roofs.
var roofMarks = map[string]byte{"L1": '1', "L2": '2', "DRAM": 'd'}

// drawn draws the roofs over intensity, both on scales of logarithms: for each level its bandwidth up to the peak, and where the launch is.
func drawn(r *profile.Roofline) []string {
	// The ridges and the launch are within the drawing.
	least, most := math.Inf(1), 0.0
	for _, l := range r.Levels {
		for _, x := range []float64{l.Intensity, r.Peak / max(l.Bandwidth, 1)} {
			if x > 0 {
				least, most = min(least, x), max(most, x)
			}
		}
	}
	if most == 0 {
		return nil
	}
	octaves := max(math.Log2(most/least)+2, roofColumns/columnsOctave)
	first := math.Log2(least) - 1
	x := func(intensity float64) int { return int((math.Log2(intensity) - first) / octaves * (roofColumns - 1)) }
	low := min(r.Achieved, r.Peak)
	for _, l := range r.Levels {
		if l.Bandwidth > 0 {
			low = min(low, max(l.Bandwidth*math.Exp2(first), r.Achieved/4))
		}
	}
	height := math.Log2(r.Peak/low) + 0.5
	y := func(speed float64) int { return int(math.Round(math.Log2(r.Peak/speed) / height * (roofRows - 1))) }
	canvas := make([][]byte, roofRows)
	for i := range canvas {
		canvas[i] = []byte(strings.Repeat(" ", roofColumns))
	}
	put := func(column, row int, mark byte) {
		if column >= 0 && column < roofColumns && row >= 0 && row < roofRows {
			canvas[row][column] = mark
		}
	}
	for i := len(r.Levels) - 1; i >= 0; i-- {
		l := &r.Levels[i]
		for c := range roofColumns {
			speed := l.Bandwidth * math.Exp2(first+float64(c)/(roofColumns-1)*octaves)
			switch {
			case speed >= r.Peak:
				put(c, 0, '-')
			case speed > 0:
				put(c, y(speed), roofMarks[l.Name])
			}
		}
	}
	row := y(r.Achieved)
	for _, l := range r.Levels {
		if l.Intensity > 0 {
			put(x(l.Intensity), row, '*')
		}
	}
	var out []string
	for i, line := range canvas {
		label := ""
		switch i {
		case 0:
			label = short3(r.Peak)
		case row:
			label = short3(r.Achieved)
		}
		out = append(out, fmt.Sprintf("%8s |%s", label, line))
	}
	axis := []byte(strings.Repeat("-", roofColumns))
	scale := []byte(strings.Repeat(" ", roofColumns+6))
	for power := math.Ceil(first/2) * 2; power < first+octaves; power += 2 {
		at := x(math.Exp2(power))
		if at < 0 || at >= roofColumns {
			continue
		}
		axis[at] = '+'
		copy(scale[at:], digits(math.Exp2(power)))
	}
	return append(out, fmt.Sprintf("%8s +%s", "", axis), fmt.Sprintf("%8s  %s", "FLOP/B", strings.TrimRight(string(scale[:roofColumns]), " ")))
}

// short3 writes a number with three digits and a prefix: "66.9T".
func short3(x float64) string { return strings.ReplaceAll(prefixed(x, ""), " ", "") }

// prefixed writes a number of a unit with three digits: "66.9 TFLOP/s".
func prefixed(x float64, unit string) string {
	prefix := ""
	for _, p := range prefixes {
		if x < 1000 {
			break
		}
		x, prefix = x/1000, p
	}
	return digits(x) + " " + prefix + unit
}

// digits writes a number with three digits.
func digits(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case x >= 1:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}
