package timing

// cache holds the sectors of an L1 cache: sets of lines, the least recently used of which makes room.
type cache struct {
	sets  [][]line
	ways  int
	clock uint64
}

type line struct {
	tag  uint64
	used uint64
	// ready is when each sector is there, 0 for one that was not asked for.
	ready [4]int64
}

func newCache(bytes int, lineBytes uint64, ways int) *cache {
	lines := max(bytes/int(lineBytes), ways)
	return &cache{sets: make([][]line, max(lines/ways, 1)), ways: ways}
}

// clear forgets all lines.
func (c *cache) clear() {
	for i := range c.sets {
		c.sets[i] = c.sets[i][:0]
	}
}

// find returns the line of a tag; with make it replaces the least recently used one.
func (c *cache) find(tag uint64, make bool) *line {
	c.clock++
	set := &c.sets[(tag^tag>>10^tag>>20)%uint64(len(c.sets))]
	oldest := -1
	for i := range *set {
		l := &(*set)[i]
		if l.tag == tag {
			l.used = c.clock
			return l
		}
		if oldest < 0 || l.used < (*set)[oldest].used {
			oldest = i
		}
	}
	if !make {
		return nil
	}
	if len(*set) < c.ways {
		*set = append(*set, line{})
		oldest = len(*set) - 1
	}
	(*set)[oldest] = line{tag: tag, used: c.clock}
	return &(*set)[oldest]
}
