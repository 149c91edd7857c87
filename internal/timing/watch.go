package timing

// WarpTrace is what a warp did in the cycles that were watched.
type WarpTrace struct {
	Warp, SubCore, Block int // by the order of starting, of the multiprocessor, in the grid
	Start, End           int64
	// Spans follow each other without a gap, within the window.
	Spans []Span
}

// Span are cycles that a warp spends in one state before it issues an instruction; in the state Selected it issues it.
type Span struct {
	From, To int64
	State    State
	Line     int // of Result.Lines, the instruction
	On       int // the line whose result it waits for, -1 for none
}

// traceOf returns what a warp that starts is traced with, nil when it can do nothing in the window.
func (c *core) traceOf(w *warp) *WarpTrace {
	if w.start >= c.watch.To {
		return nil
	}
	t := &WarpTrace{Warp: w.number, SubCore: w.number % c.m.subCores, Block: w.block.index, Start: w.start}
	c.traces = append(c.traces, t)
	return t
}

// trace notes what a warp did before its operation, or that it issued it.
func (c *core) trace(w *warp, from, to int64, s State) {
	if w.traced == nil || from >= c.watch.To || to <= c.watch.From {
		return
	}
	on := -1
	if w.on >= 0 && s == w.reason && s != Selected && from >= w.earliest {
		on = int(w.on)
	}
	w.traced.Spans = append(w.traced.Spans, Span{max(from, c.watch.From), min(to, c.watch.To), s, int(w.op.id), on})
}

// watched are the warps that did something in the window.
func (c *core) watched() []WarpTrace {
	var out []WarpTrace
	for _, t := range c.traces {
		if len(t.Spans) > 0 {
			out = append(out, *t)
		}
	}
	return out
}
