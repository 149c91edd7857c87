package timing

// fetcher is the way from memory to the instruction caches: a near one, a far one that holds more, and L2. Lines come in order of the
// program ahead of those who ask, so that code that does not fit is as fast as its way.
type fetcher struct {
	m         *machine
	warm      bool
	lines     map[int32]int64 // that came: when they are there
	near, far instructionCache
	free      float64 // when the next line can come
}

const (
	instructionBytes = 16
	lineInstructions = 8
)

// newFetcher makes a fetcher for a program of so many instructions. A program that fits in the near cache needs no others.
func newFetcher(m *machine, instructions int, warm bool) *fetcher {
	f := &fetcher{m: m, warm: warm, lines: map[int32]int64{}}
	lines := instructions/lineInstructions + 1
	if bytes := lines * lineInstructions * instructionBytes; bytes > m.model.InstructionNear {
		f.near, f.far = newInstructionCache(m.model.InstructionNear, lines), newInstructionCache(m.model.InstructionFar, lines)
	}
	return f
}

// fetch returns when a line of code is there for one who asks at a time.
func (f *fetcher) fetch(line int32, now int64) int64 {
	return f.bring(line, f.first(line, now))
}

// first brings a line from memory when it was not asked for before, with some that follow it.
func (f *fetcher) first(line int32, now int64) int64 {
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

// bring brings a line to the near cache, if that has lost it.
func (f *fetcher) bring(line int32, now int64) int64 {
	if f.near.lines == nil || f.near.has(line) {
		return now
	}
	f.near.fill(line)
	interval := f.m.model.InstructionFarLine
	if !f.far.has(line) {
		f.far.fill(line)
		interval = f.m.model.InstructionL2Line
	}
	at := max(f.free, float64(now))
	f.free = at + interval
	return int64(at)
}

// instructionCache holds as many of a program's lines as it has room for, those that came last.
type instructionCache struct {
	lines []int // by line: the number of its coming, 0 for one that did not
	room  int
	fills int
}

func newInstructionCache(bytes, lines int) instructionCache {
	return instructionCache{lines: make([]int, lines), room: bytes / (lineInstructions * instructionBytes)}
}

func (c *instructionCache) has(line int32) bool {
	return c.lines[line] > 0 && c.fills-c.lines[line] < c.room
}

func (c *instructionCache) fill(line int32) {
	c.fills++
	c.lines[line] = c.fills
}
