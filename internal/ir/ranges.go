package ir

import "slices"

// span is a stretch of code in which a register is live. Positions count reads and writes: instruction
// pc reads at 2*pc and writes at 2*pc+1; both ends belong to the span.
type span struct{ from, to int }

// liveRange holds the spans of a register, in rising order, none touching the next.
type liveRange []span

// ranges returns the live range of every register that is written, empty for dead ones.
func (l *liveness) ranges() []liveRange {
	all := make([]liveRange, len(l.registers)) // in falling order while it is built
	end := make([]int, len(l.registers))       // of the open span, -1
	for i := range end {
		end[i] = -1
	}
	begin := func(r, at int) { // the end of a span, as the walk is backward
		if end[r] < 0 {
			end[r] = at
		}
	}
	finish := func(r, at int) {
		list := all[r]
		if n := len(list); n > 0 && list[n-1].from == end[r]+1 {
			list[n-1].from = at
		} else {
			all[r] = append(list, span{at, end[r]})
		}
		end[r] = -1
	}
	for b := len(l.fn.Blocks) - 1; b >= 0; b-- {
		block := &l.fn.Blocks[b]
		for _, r := range l.out[b] {
			begin(r, 2*block.End-1)
		}
		for pc := block.End - 1; pc >= block.Start; pc-- {
			in := &l.fn.Code[pc]
			if in.Guard.Slot < 0 {
				for _, d := range in.Dst {
					if d.Slot >= 0 && end[d.Slot] >= 0 {
						finish(d.Slot, 2*pc+1)
					}
				}
			}
			in.eachSource(func(o *Operand) {
				if l.tracks(o.Slot) {
					begin(o.Slot, 2*pc)
				}
			})
		}
		for _, r := range l.in[b] {
			finish(r, 2*block.Start)
		}
	}
	for r := range all {
		slices.Reverse(all[r])
	}
	return all
}

// overlaps tells whether two registers are live at the same time.
func (r liveRange) overlaps(o liveRange) bool {
	return r.meets(o, func(int) bool { return false })
}

// meets tells whether two ranges overlap, or touch where that clashes: at an instruction that reads one
// for the last time and begins the other by writing it.
func (r liveRange) meets(o liveRange, clashes func(pc int) bool) bool {
	for len(r) > 0 && len(o) > 0 {
		if r[0].from > o[0].from {
			r, o = o, r
		}
		if r[0].to >= o[0].from || r[0].to/2 == o[0].from/2 && clashes(o[0].from/2) {
			return true
		}
		r = r[1:]
	}
	return false
}

// union returns the positions of both ranges, which do not overlap.
func (r liveRange) union(o liveRange) liveRange {
	out := make(liveRange, 0, len(r)+len(o))
	for len(r) > 0 || len(o) > 0 {
		if len(r) == 0 || len(o) > 0 && o[0].from < r[0].from {
			r, o = o, r
		}
		if n := len(out); n > 0 && out[n-1].to+1 == r[0].from {
			out[n-1].to = r[0].to
		} else {
			out = append(out, r[0])
		}
		r = r[1:]
	}
	return out
}
