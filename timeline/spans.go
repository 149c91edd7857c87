package timeline

import (
	"cmp"
	"slices"
	"time"
)

// union returns spans that cover the same time, in order and apart from each other.
func union(spans []Span) []Span {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.Begin, b.Begin) })
	var out []Span
	for _, s := range spans {
		if n := len(out); n > 0 && s.Begin <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
		} else if s.Time() > 0 {
			out = append(out, s)
		}
	}
	return out
}

// length is the time that spans apart from each other cover.
func length(spans []Span) (d time.Duration) {
	for _, s := range spans {
		d += s.Time()
	}
	return d
}

// within returns how much of a span others cover, which are in order and apart from each other.
func within(s Span, spans []Span) (d time.Duration) {
	i, _ := slices.BinarySearchFunc(spans, s.Begin, func(o Span, at time.Duration) int { return cmp.Compare(o.End, at) })
	for ; i < len(spans) && spans[i].Begin < s.End; i++ {
		d += max(0, min(s.End, spans[i].End)-max(s.Begin, spans[i].Begin))
	}
	return d
}
