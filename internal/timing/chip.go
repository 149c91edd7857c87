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

	crossbar *crossbar
	l2       *l2
	dram     *dram
	stored   float64 // until when what was stored is on its way
	// pending is when the last atomic operations are done, in a ring, each lane of a word by itself; nothing goes out before so many of those
	// before it are: sent.
	pending []float64
	changes int
	sent    float64
	// Sectors of atomic operations that the multiprocessor sends in a cycle, and until when it does.
	atomics   float64
	sending   server
	atomicEnd float64 // when all atomic operations are done
	// outgoing are the lines whose stores wait to be sent to L2, as of the last one of each.
	outgoing map[uint64]*outgoing
	lines    int // that were stored to

	// fetched is how many sectors this multiprocessor has brought to L2, of those that it shares its part; seen is what it was when each
	// sector was last used.
	fetched float64
	seen    map[uint64]float64
	coming  map[uint64]int64 // by pairs of sectors: when they are there from memory
	active  float64          // multiprocessors that do as much as this one, itself among them
	room    float64          // sectors that L2 holds
	chance  float64          // that a request is merged with another's
	// writesBack is the part of the sectors written that go to memory while the kernel runs.
	writesBack float64

	counts counts
}

// outgoing are the sectors of a line that wait to be sent to L2, until at, or until too many others wait.
type outgoing struct {
	at      float64
	number  int // of lines that were stored to before
	sectors [lineSectors]bool
}

// counts are the sectors between the parts of the memory system, of the simulated multiprocessor.
type counts struct {
	l1Hits, l1Misses float64
	// localHits and localMisses are those of local memory among them.
	localHits, localMisses float64
	// textureHits and textureMisses are those of textures, the others of what is stored to global and to local memory: none is among them.
	textureHits, textureMisses, storeHits, storeMisses, localStoreHits, localStoreMisses float64
	// localWrites are the writes to local memory, localSectors how many sectors of it that are.
	localWrites, localSectors float64
	// readRequests and writeRequests are what the sectors came in: a line at a time.
	readRequests, writeRequests float64
	partialRequests             float64 // of those that write, which of a sector's bytes they do
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
		crossbar: newCrossbar(m, n), l2: newL2(m), atomics: m.model.AtomicSectors * float64(m.sms) / n,
		pending: make([]float64, m.model.AtomicPending), active: n, room: m.room(), seen: map[uint64]float64{}, coming: map[uint64]int64{},
		outgoing: map[uint64]*outgoing{},
	}
	c.dram = newDRAM(m, &c.use)
	c.chance = m.model.L2MergeChance / math.Sqrt(float64(min(resident, (blocks+m.sms-1)/m.sms)))
	if total := c.use.sectors; total > c.room {
		c.writesBack = 1 - c.room/total
	}
	return c
}

// fetch brings sectors of one line for a block from L2 or memory to L1; it returns when the last of them is there.
func (c *chip) fetch(now float64, sectors []uint64, block int, alike bool) (last int64) {
	now = max(now, c.sent)
	slice, work := c.l2.of(sectors[0]), max(float64(len(sectors))*c.l2.readSector, c.l2.request)
	first := c.footprint.touched(sectors[0])
	same := 1.0 // requests for this line
	if alike && sectors[0]&localSector == 0 {
		same = max(float64(first.sms), 1) * c.merged(first.group)
	}
	wait := max(c.crossbar.reply(now, sectorBytes*float64(len(sectors))), c.l2.read.serve(now, slice, work*same, work*max(c.active-same, 0)), c.l2.read.chance(now))
	n := float64(len(sectors))
	c.l2.count(slice, n*same, n*max(c.active-same, 0))
	answer := int64(now+wait) + c.m.latency.l2 + c.l2.latency(slice)
	for i, s := range sectors {
		with := first
		if i > 0 {
			with = c.footprint.touched(s)
		}
		part := 1.0
		if alike && s&localSector == 0 {
			part = c.merged(with.group)
		}
		c.counts.reads += part
		c.counts.readRequests += part / float64(len(sectors))
		last = max(last, answer, c.inL2(now, s, block, slice, with, alike))
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
func (c *chip) inL2(now float64, sector uint64, block, slice int, with sharing, alike bool) (at int64) {
	fetched, again := c.seen[sector]
	pair := sector / 2
	coming := c.coming[pair]
	c.seen[sector] = c.fetched
	switch {
	case again && (c.fetched-fetched)*c.active <= c.room:
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
	row := 1.0
	switch {
	case alike:
		row = c.row(pair)
	case c.use.sectors > c.room: // L2 has lost the sector when others come
		share = 1
		c.counts.apart += 2 * (1 - 1/float64(max(with.sms, 1)))
	}
	c.fetched += share
	c.seen[sector] = c.fetched
	if again {
		c.counts.again += 2 * share
	}
	others := max(c.active*share-1, 0)
	fill := pieceSectors * c.l2.writeSector
	wait := max(c.dram.read(now, slice, pair, row, others), c.l2.write.serve(now, slice, fill, fill*others), c.dram.chance(now))
	late := c.dram.late(pair)
	switch {
	case leads(sector, with.sms):
	case !alike: // others came at other times
		return 0
	default:
		late -= (float64(c.m.latency.dram-c.m.latency.l2) + late) * c.m.model.Follower
	}
	at = int64(now+wait+late) + c.m.latency.dram + c.l2.latency(slice)
	c.coming[pair] = at
	return at
}

// leads tells whether this multiprocessor is the first of those that ask for a sector.
func leads(sector uint64, sms int) bool {
	return sms <= 1 || (sector*0x9e3779b97f4a7c15>>32)%uint64(sms) == 0
}

// row is how many pieces are asked for of the run of a row that holds one.
func (c *chip) row(piece uint64) (n float64) {
	first := piece / c.dram.runPieces * c.dram.runPieces
	for p := first; p < first+c.dram.runPieces; p++ {
		if p == piece || c.footprint.touched(pieceSectors*p).sms > 0 || c.footprint.touched(pieceSectors*p+1).sms > 0 {
			n++
		}
	}
	return n
}

// store sends sectors of a line to L2; it returns when they are there. What is stored to sectors that still wait to be sent goes with them.
func (c *chip) store(now float64, sectors []uint64, whole bool) float64 {
	out := c.outgoing[sectors[0]/lineSectors]
	if out == nil {
		out = &outgoing{}
		c.outgoing[sectors[0]/lineSectors] = out
	}
	c.lines++
	if out.at <= now || c.lines-out.number >= c.m.model.StoreWindow {
		out.sectors = [lineSectors]bool{}
		c.counts.writeRequests++
	}
	n := 0.0
	for _, s := range sectors {
		if !out.sectors[s%lineSectors] {
			out.sectors[s%lineSectors] = true
			n++
		}
	}
	if n == 0 {
		return out.at
	}
	c.counts.writes += n
	local := sectors[0]&localSector != 0
	if local {
		c.counts.localWrites += n
	}
	for _, s := range sectors {
		if _, ok := c.seen[s]; !ok && !c.held.has(s) {
			if local {
				c.counts.localSectors++
			}
			c.fetched++
			c.dram.write(now, c.active*c.writesBack/pieceSectors)
		}
		c.seen[s] = c.fetched
	}
	sent, work := c.crossbar.store(now, sectorBytes*n, whole), max(n*c.l2.writeSector, c.l2.request)
	if !whole {
		c.counts.partialRequests++
	}
	out.at, out.number = max(sent, now+float64(c.m.latency.l1)), c.lines
	slice := c.l2.of(sectors[0])
	c.l2.count(slice, n, n*(c.active-1))
	c.stored = max(c.stored, sent, now+c.l2.write.serve(now, slice, work, work*(c.active-1)))
	return c.stored
}

// change does an atomic operation on a sector, of which one word is changed by up to depth lanes; it returns when its result is back, and when
// the operation is on its way to L2.
func (c *chip) change(now float64, sector uint64, depth int, float bool) (ready, sent int64) {
	c.counts.atomics += float64(max(depth, 1))
	same := float64(max(c.footprint.touched(sector).sms, 1))
	done := c.l2.change(c.sending.serve(now, 1/c.atomics), sector, depth, float, same, max(c.active-same, 0))
	c.atomicEnd = max(c.atomicEnd, done)
	for range max(depth, 1) {
		oldest := &c.pending[c.changes%len(c.pending)]
		c.sent = max(c.sent, *oldest)
		*oldest = done
		c.changes++
	}
	return int64(done) + c.m.latency.atomic, int64(c.sent)
}
