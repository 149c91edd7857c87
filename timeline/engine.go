package timeline

import (
	"slices"
	"time"
)

// Span is a stretch of modelled time, from the program's first call on.
type Span struct{ Begin, End time.Duration }

// Time is its length.
func (s Span) Time() time.Duration { return s.End - s.Begin }

// engine is a part of a device that work occupies: a copy engine, or the SMs, of which kernels take shares.
type engine struct{ uses []use }

type use struct {
	Span
	share float64
	by    int // index of the activity
}

// mostUses is how many uses an engine remembers: what begins long after others has no need of them.
const mostUses = 256

// take occupies a share of the engine for a time, at the first moment from ready on when it is free. after is the activity
// that was in the way until then, -1 for none.
func (e *engine) take(by int, ready, d time.Duration, share float64) (s Span, after int) {
	begin, after := ready, -1
	for {
		blocking := e.blocking(Span{begin, begin + d}, share)
		if blocking == nil {
			break
		}
		begin, after = blocking.End, blocking.by
	}
	s = Span{begin, begin + d}
	if len(e.uses) == mostUses {
		slices.SortFunc(e.uses, func(a, b use) int { return int(b.End - a.End) })
		e.uses = e.uses[:mostUses/2]
	}
	e.uses = append(e.uses, use{s, share, by})
	return s, after
}

// blocking returns a use without whose end a share does not fit into a span, nil when it fits.
func (e *engine) blocking(s Span, share float64) *use {
	const rounding = 1e-9
	overlaps := func(u *use, at time.Duration) bool { return u.Begin <= at && at < u.End }
	for i := range e.uses {
		// Shares add up to most where one of them begins.
		at := max(e.uses[i].Begin, s.Begin)
		if at >= max(s.End, s.Begin+1) || !overlaps(&e.uses[i], at) {
			continue
		}
		sum, first := share, (*use)(nil)
		for j := range e.uses {
			if u := &e.uses[j]; overlaps(u, at) {
				sum += u.share
				if first == nil || u.End < first.End {
					first = u
				}
			}
		}
		if sum > 1+rounding {
			return first
		}
	}
	return nil
}
