package timing

// fetcher is the way from memory to the instruction caches.
type fetcher struct {
	m     *machine
	warm  bool
	lines map[int32]int64
}

const (
	instructionBytes = 16
	lineInstructions = 8
)

// fetch returns when a line of code is there for one who asks at a time.
func (f *fetcher) fetch(line int32, now int64) int64 {
	if f.warm {
		return now
	}
	if at, ok := f.lines[line]; ok {
		return max(now, at)
	}
	at := now + cycles(f.m.model.InstructionMiss)
	if len(f.lines) == 0 {
		at = now + cycles(f.m.model.InstructionStart)
	}
	for i := range int32(f.m.model.InstructionPrefetch) {
		if _, ok := f.lines[line+i]; !ok {
			f.lines[line+i] = at + int64(4*i)
		}
	}
	return at
}
