package timing

import "math"

// chip is what is beyond the multiprocessor: the way to L2, L2, and memory. All active multiprocessors load it alike, so that this
// one has its share of what they can do together.
type chip struct {
	m         *machine
	footprint *Footprint
	use       memoryUse
	wave      int // blocks that run at a time on the whole chip
	held      held

	read, write, dram, atomics float64 // bytes or sectors a cycle that this multiprocessor gets
	readFree, writeFree        float64
	dramFree, atomicFree       float64
	atomicEnd                  float64 // when all atomic operations are done

	// fetched is how many sectors this multiprocessor has brought to L2, of those that it shares its part; seen is what it was when each
	// sector was last used.
	fetched          float64
	seen             map[uint64]float64
	coming           map[uint64]int64 // by pairs of sectors: when they are there from memory
	dramLoad, l2Load utilization
	others           float64 // multiprocessors that fetch as much as this one, itself among them
	room             float64 // sectors that L2 holds
	chance           float64 // that a request is merged with another's
	// writesBack is the part of the sectors written that go to memory while the kernel runs.
	writesBack float64
	changed    map[uint64]float64 // by address of atomic operations: until when it is busy

	l2Bytes, writeBytes, dramBytes float64 // that went through, with what small requests lose

	counts counts
}

// counts are the sectors between the parts of the memory system, of the simulated multiprocessor.
type counts struct {
	l1Hits, l1Misses float64
	// localHits and localMisses are those of local memory among them.
	localHits, localMisses float64
	// readRequests and writeRequests are what the sectors came in: a line at a time.
	readRequests, writeRequests float64
	reads                       float64 // that L2 was asked for, after merging
	writes, atomics             float64
	again                       float64 // that memory was asked for once more, as L2 had lost them
	sharedWavefronts            float64
	writebacks                  float64
	promoted                    float64 // that a load of a neighbour had brought before
	apart                       float64 // that memory was asked for though others had asked before
}

// hit counts a sector that L1 has, miss those that it has not.
func (n *counts) hit(sector uint64) {
	n.l1Hits++
	if sector&localSector != 0 {
		n.localHits++
	}
}

func (n *counts) miss(sectors []uint64) {
	n.l1Misses += float64(len(sectors))
	if sectors[0]&localSector != 0 {
		n.localMisses += float64(len(sectors))
	}
}

func newChip(m *machine, f *Footprint, blocks, resident int, held held) *chip {
	n := float64(max(min(blocks, m.sms), 1))
	c := &chip{
		m: m, footprint: f, use: f.sums(m.model.L2Halves, &held), wave: max(m.sms*resident, 1), held: held,
		read: min(m.model.L2Port, m.l2Read/n), write: min(m.model.L2Port, m.l2Write/n), dram: m.dram / n,
		atomics: m.model.AtomicSectors * float64(m.sms) / n,
		others:  n, room: m.room(), seen: map[uint64]float64{}, coming: map[uint64]int64{}, changed: map[uint64]float64{},
	}
	c.chance = m.model.L2MergeChance / math.Sqrt(float64(min(resident, (blocks+m.sms-1)/m.sms)))
	if total := c.use.sectors; total > c.room {
		c.writesBack = 1 - c.room/total
	}
	return c
}

// serve lets work of a size through a server of a rate, from a time on; it returns when it is through.
func serve(free *float64, from, size, rate float64) float64 {
	start := max(*free, from)
	*free = start + size/rate
	return *free
}

// loaded is by how many cycles a queue that is busy for a part of the time delays what comes to it.
func loaded(busy, service float64) float64 {
	busy = min(busy, 0.9)
	return service * busy / (2 * (1 - busy))
}

// fetch brings sectors of one line for a block from L2 or memory to L1; it returns when the last of them is there.
func (c *chip) fetch(now float64, sectors []uint64, block int, alike bool) (last int64) {
	bytes := max(c.m.model.L2ReadLeast, sectorBytes*float64(len(sectors)))
	queued := serve(&c.readFree, now, bytes, c.read) - now
	c.l2Load.add(now, bytes/c.read)
	c.l2Bytes += bytes
	l2 := int64(now+max(queued, loaded(c.l2Load.busy(now), c.m.model.L2Queue))) + c.m.latency.l2
	for _, s := range sectors {
		with := c.footprint.touched(s)
		part := 1.0
		if alike && s&localSector == 0 {
			part = c.merged(with.group)
		}
		c.counts.reads += part
		c.counts.readRequests += part / float64(len(sectors))
		last = max(last, l2, c.inL2(now, s, block, with, alike))
	}
	return last
}

// merged is the part of a request to L2 that is this multiprocessor's, of those that ask for a sector in a group.
func (c *chip) merged(group int) float64 {
	if group <= 1 {
		return 1
	}
	return 1 / min(c.m.model.L2Merge, 1+float64(group-1)*c.chance)
}

// inL2 asks for a sector for a block: it returns when the sector is there, 0 when it is. Of a fetch from memory for several
// multiprocessors this one has its share, unless the addresses of the access are scattered, and not alike: then others come at other times.
// Memory is read by two sectors.
func (c *chip) inL2(now float64, sector uint64, block int, with sharing, alike bool) (at int64) {
	fetched, again := c.seen[sector]
	pair := sector / 2
	coming := c.coming[pair]
	c.seen[sector] = c.fetched
	switch {
	case again && (c.fetched-fetched)*c.others <= c.room:
		return coming
	case !again && (c.held.has(sector) || with.sms > 0 && with.first/c.wave < block/c.wave):
		return 0
	case !again && coming != 0:
		if float64(coming) <= now {
			c.counts.promoted += 1 / float64(max(with.sms, 1))
		}
		return coming
	}
	share := 1 / float64(max(with.sms, 1))
	cost := c.cost(sector)
	if !alike {
		cost = 2 * sectorBytes * c.m.model.DRAMAlone
		if c.use.sectors > c.room { // L2 has lost the sector when others come
			share = 1
			c.counts.apart += 2 * (1 - 1/float64(max(with.sms, 1)))
		}
	}
	c.fetched += share
	c.seen[sector] = c.fetched
	queued := serve(&c.dramFree, now, cost*share, c.dram) - now
	c.dramLoad.add(now, cost*share/c.dram)
	c.dramBytes += cost * share
	if again {
		c.counts.again += 2 * share
	}
	at = int64(now+max(queued, loaded(c.dramLoad.busy(now), c.m.model.DRAMQueue))) + c.m.latency.dram
	if !leads(sector, with.sms) {
		at -= int64(float64(c.m.latency.dram-c.m.latency.l2) * c.m.model.Follower)
	}
	c.coming[pair] = at
	return at
}

// leads tells whether this multiprocessor is the first of those that ask for a sector.
func leads(sector uint64, sms int) bool {
	return sms <= 1 || (sector*0x9e3779b97f4a7c15>>32)%uint64(sms) == 0
}

// cost is the bytes of memory's time that a pair of sectors takes: more where nothing near it is read too.
func (c *chip) cost(sector uint64) float64 {
	line := sector / 4 * 4
	for _, near := range []uint64{line - 4, line + 4} {
		for s := near; s < near+4; s++ {
			if c.footprint.touched(s).sms > 0 {
				return 2 * sectorBytes
			}
		}
	}
	return 2 * sectorBytes * c.m.model.DRAMAlone
}

// store sends sectors of a line to L2; it returns when the way is free again.
func (c *chip) store(now float64, sectors []uint64) float64 {
	n := float64(len(sectors))
	c.counts.writes += n
	c.counts.writeRequests++
	for _, s := range sectors {
		if _, ok := c.seen[s]; !ok && !c.held.has(s) {
			c.fetched++
			serve(&c.dramFree, now, sectorBytes*c.m.newWrite, c.dram)
			c.dramLoad.add(now, sectorBytes*c.m.newWrite/c.dram)
			c.dramBytes += sectorBytes * c.writesBack
		}
		c.seen[s] = c.fetched
	}
	c.writeBytes += max(c.m.model.L2WriteLeast, sectorBytes*n)
	return serve(&c.writeFree, now, max(c.m.model.L2WriteLeast, sectorBytes*n), c.write)
}

// utilization is how busy something was lately.
type utilization struct {
	window      int64
	sum, before float64
}

const loadWindow = 1024

func (l *utilization) add(now, cycles float64) {
	l.roll(now)
	l.sum += cycles
}

func (l *utilization) busy(now float64) float64 {
	l.roll(now)
	return max(l.before, l.sum) / loadWindow
}

func (l *utilization) roll(now float64) {
	switch w := int64(now) / loadWindow; {
	case w == l.window+1:
		l.before, l.sum, l.window = l.sum, 0, w
	case w > l.window:
		l.before, l.sum, l.window = 0, 0, w
	}
}

// change does an atomic operation on a sector, of which one word is changed by up to depth lanes; it returns when its result is back.
func (c *chip) change(now float64, sector uint64, depth int, slow float64) int64 {
	c.counts.atomics += float64(max(depth, 1))
	through := serve(&c.atomicFree, now, 1, c.atomics)
	sms := c.footprint.touched(sector).sms
	slice := sector / uint64(c.m.model.AtomicSlice)
	start := max(through, c.changed[slice])
	c.changed[slice] = start + (c.m.model.AtomicRequest+float64(depth-1)*c.m.model.AtomicLane*slow)*float64(max(sms, 1))
	c.atomicEnd = max(c.atomicEnd, c.changed[slice])
	return int64(start) + c.m.latency.atomic
}
