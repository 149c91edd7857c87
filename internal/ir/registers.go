package ir

// estimate returns the largest number of 32-bit registers live at once.
func (l *liveness) estimate() int {
	live := newLiveSet(l.registers)
	peak := 0
	for b := range l.fn.Blocks {
		l.backward(b, live, func(_ int, in *Inst) {
			peak = max(peak, live.rows)
		})
	}
	return peak
}
