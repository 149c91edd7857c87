package timing

import (
	"math/bits"
	"slices"
	"strings"

	"silica/internal/isa"
)

// memory is the part of the memory system that is in the multiprocessor: the load and store unit with L1 and shared memory.
type memory struct {
	m    *machine
	chip *chip
	l1   *cache
	lsu  float64 // until when the unit is busy
	busy float64 // for how long it was
	// data are the wavefronts in which L1 and shared memory gave or took data.
	data float64
	adu  float64 // until when the unit of constants and special registers is busy
	tex  float64 // until when the texture unit is busy
	// texBusy is for how long it was.
	texBusy float64
	// constants are the lines of the constant cache, with when they are there.
	constants    map[uint64]int64
	loaded       *cache  // of them, what was loaded lately
	misses       []int64 // when the last lines that were missing are there, in a ring, of which missed were there
	missed       int
	sectors      []uint64
	missing      []uint64
	depth, count map[uint64]int
	indexFree    float64 // until when the constant cache is busy with addresses of lanes
	indexBusy    float64 // for how long it was, beyond the first word of each access
	words        [32][]uint64
	patterns     [64]met // found lately
}

func newMemory(m *machine, c *chip) *memory {
	return &memory{m: m, chip: c, l1: newCache(m.l1Bytes, m.lineBytes, m.model.L1Ways), misses: make([]int64, max(m.l1Bytes/int(m.lineBytes), 1)), constants: map[uint64]int64{},
		loaded: newCache(m.model.ConstantCache, uint64(m.model.ConstantCacheLine), m.model.ConstantCache/m.model.ConstantCacheLine), depth: map[uint64]int{}, count: map[uint64]int{}}
}

// pass lets an instruction through the unit, which is busy with it for some cycles; it returns when it begins.
func (u *memory) pass(from, cycles float64) float64 {
	from = max(from, u.chip.stored-u.m.model.StoreBacklog)
	start := max(u.lsu, from)
	u.lsu = start + cycles
	u.busy += cycles
	return start
}

// address lets an instruction through the unit of constants and special registers; it returns when it begins.
func (u *memory) address(from float64) float64 {
	start := max(u.adu, from)
	u.adu = start + u.m.model.ADUInterval
	return start
}

// lanes calls f with the address of each lane of an access, for accesses of an instruction that moves so many bytes a lane.
func (w *warp) lanes(a *access, bytes int, f func(addr uint64)) {
	align := uint64(1)
	if bytes > int(a.bytes) && bytes&(bytes-1) == 0 {
		align = uint64(bytes) // several of the ir's accesses became one
	}
	for m := a.mask; m != 0; m &= m - 1 {
		f(w.trace.address(a, bits.TrailingZeros32(m)) &^ (align - 1))
	}
}

// wavefronts is how often shared memory, or L1's data, is used for an access: a bank gives one word at a time. Accesses of 8 bytes are
// made by half a warp at a time, those of 16 by a quarter; two parts go together where every lane has a neighbour's address.
func (u *memory) wavefronts(w *warp, a *access, bytes int, each bool) float64 {
	bytes = max(bytes, int(a.bytes))
	if a.far < 0 && a.stride == int64(bytes) && bytes <= 4 && !each {
		return 1
	}
	words := max(bytes/4, 1)
	if a.far >= 0 || words&(words-1) != 0 {
		return u.meet(w, a, words, each)
	}
	// Lanes that lie in a line meet alike wherever the line begins.
	key := pattern{a.stride, uint16(a.base & uint64(4*words-1)), uint16(words), a.mask, each}
	known := &u.patterns[(uint64(key.stride)*31+uint64(key.base)*7+uint64(key.words))*0x9e3779b97f4a7c15>>58]
	if known.pattern != key || known.wavefronts == 0 {
		*known = met{key, u.meet(w, a, words, each)}
	}
	return known.wavefronts
}

// pattern is how lanes that lie in a line use the banks.
type pattern struct {
	stride      int64
	base, words uint16
	mask        uint32
	each        bool
}

// met is what meet found for a pattern.
type met struct {
	pattern
	wavefronts float64
}

// meet is wavefronts for accesses of so many words a lane.
func (u *memory) meet(w *warp, a *access, words int, each bool) float64 {
	lanes := 32 / words
	joined := words > 1 && !each && (w.agree(a, 1) || w.agree(a, 2))
	if joined {
		lanes *= 2
	}
	total := 0
	for first := 0; first < 32; first += lanes {
		if part := a.mask & uint32((uint64(1)<<lanes-1)<<first); part != 0 {
			total += u.depths(w, a, part, words, each)
		}
	}
	return float64(max(total, 1))
}

// agree tells whether each lane has the address of the lane whose number differs in one bit.
func (w *warp) agree(a *access, bit int) bool {
	for m := a.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if other := lane ^ bit; a.mask>>other&1 != 0 && w.trace.address(a, lane) != w.trace.address(a, other) {
			return false
		}
	}
	return true
}

// depths is how often the most wanted bank is used by the lanes of a mask.
func (u *memory) depths(w *warp, a *access, mask uint32, words int, each bool) (most int) {
	for i := range u.words {
		u.words[i] = u.words[i][:0]
	}
	for m := mask; m != 0; m &= m - 1 {
		addr := w.trace.address(a, bits.TrailingZeros32(m)) &^ uint64(4*words-1)
		for k := range words {
			word := addr/4 + uint64(k)
			bank := word % 32
			if !each && contains(u.words[bank], word) {
				continue
			}
			u.words[bank] = append(u.words[bank], word)
			most = max(most, len(u.words[bank]))
		}
	}
	return most
}

// bankBytes is what the banks of shared memory give at a time.
const bankBytes = 128

func contains(list []uint64, x uint64) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// shared makes an access to shared memory; it returns when its result is there.
func (u *memory) shared(w *warp, op *operation, list []int32, from float64) (begin float64, ready int64) {
	n, bytes := 0.0, 0
	for _, i := range list {
		a := &w.trace.accesses[i]
		n += u.wavefronts(w, a, op.bytes, op.kind == sharedAtomic)
		bytes += bits.OnesCount32(a.mask) * int(a.bytes)
	}
	if op.lines > 0 { // by how much rows of matrices are in each other's way
		n *= float64(op.lines) / max(1, float64(bytes)/bankBytes)
	}
	n = max(n, 1)
	u.chip.counts.sharedWavefronts += n
	u.data += n
	if op.kind != sharedStore {
		u.wroteBack(op, n)
	}
	latency := u.m.latency.shared
	if op.bytes == 16 || op.lines == 4 {
		latency = u.m.latency.shared128
	}
	if op.kind == sharedAtomic {
		latency = u.m.latency.sharedAtomic
		n = max(n*u.m.model.SharedAtomic, u.m.model.SharedAtomicLeast)
	}
	begin = u.pass(from, n)
	extra := 0.0
	if minimum := max(float64(op.bytes)/4, float64(op.lines), 1); n > minimum {
		extra = 2 * (n - minimum)
	}
	return begin, int64(begin+extra) + latency
}

// wroteBack counts the registers of a warp that an access of so many wavefronts writes: conflicts write no more of them.
func (u *memory) wroteBack(op *operation, wavefronts float64) {
	u.chip.counts.writebacks += min(wavefronts, max(float64(op.bytes)/4, float64(op.lines), 1))
}

// global makes an access to global, local or generic memory.
func (u *memory) global(w *warp, op *operation, list []int32, from float64) (begin float64, ready int64) {
	u.sectors = u.sectors[:0]
	turn := 0
	if op.rows > 0 {
		list, turn = w.fragment(op)
	}
	n, alike, bytes := 0.0, true, 0
	for _, i := range list {
		a := &w.trace.accesses[i]
		switch a.space {
		case isa.Shared, isa.SharedCluster:
			b, r := u.shared(w, op, []int32{i}, from)
			if a.space == isa.SharedCluster {
				r += u.m.latency.distributed - u.m.latency.shared
			}
			begin, ready = max(begin, b), max(ready, r)
			continue
		case isa.Local:
			u.local(w, a, max(op.bytes, int(a.bytes)))
			n++
			continue
		}
		size, before := max(op.bytes, int(a.bytes)), len(u.sectors)
		bytes += size * bits.OnesCount32(a.mask)
		w.lanes(a, size, func(addr uint64) {
			for s := addr / sectorBytes; s <= (addr+uint64(size)-1)/sectorBytes; s++ {
				if k := len(u.sectors); k == 0 || u.sectors[k-1] != s {
					u.sectors = append(u.sectors, s)
				}
			}
		})
		n += u.wavefronts(w, a, op.bytes, false)
		alike = alike && (a.far < 0 || op.rows > 0 || sectorBytes*(len(u.sectors)-before) <= 2*size*bits.OnesCount32(a.mask))
	}
	if op.spill {
		word := uint64(op.offset) / 4
		for i := range uint64(max(op.bytes/4, 1) * 4) {
			u.sectors = append(u.sectors, w.localSector(word, 0)+i)
		}
		n = float64(max(op.bytes/4, 1))
	}
	visits := len(u.sectors)
	u.unique()
	if op.rows > 0 && visits > op.rows {
		n *= float64(op.rows) / float64(visits)
		u.part(op.rows, turn)
	}
	if len(u.sectors) == 0 {
		if ready == 0 {
			begin = u.pass(from, 1)
			ready = int64(begin) + u.m.latency.l1
		}
		return begin, ready
	}
	lines := u.lines()
	if op.kind == load {
		u.wroteBack(op, n)
	}
	u.data += n
	begin = u.pass(from, max(n, float64((lines+3)/4), 1))
	switch op.kind {
	case store:
		through, whole := begin, bytes >= sectorBytes*len(u.sectors)
		u.byLine(func(line []uint64) { through = u.store(begin, line, whole) })
		w.drained = max(w.drained, int64(through))
		return begin, int64(begin) + u.m.latency.l1
	case globalAtomic:
		float := strings.Contains(op.inst.Mods, ".F")
		u.contention(w, list)
		for _, s := range u.sectors {
			back, sent := u.chip.change(begin, s, u.depth[s], float)
			ready, w.drained = max(ready, back), max(w.drained, sent)
		}
		return begin, ready
	}
	u.byLine(func(line []uint64) { ready = max(ready, u.load(begin, line, op.bypass, w.block.index, alike)) })
	return begin, max(ready, int64(begin+n)+u.m.latency.l1-1)
}

// local enters the sectors of a local access: the words of a warp's lanes lie side by side.
func (u *memory) local(w *warp, a *access, bytes int) {
	for m := a.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		addr := w.trace.address(a, lane)
		for b := uint64(0); b < uint64(bytes); b += 4 {
			word := (addr + b) / 4
			s := w.localSector(word, lane)
			if k := len(u.sectors); k == 0 || u.sectors[k-1] != s {
				u.sectors = append(u.sectors, s)
			}
		}
	}
}

const localSector = 1 << 58

// localSector is a sector of the local memory of a warp, of which the same word of all lanes is a line. Frames lie so that those of
// the warps fill the sets of L1 evenly.
func (w *warp) localSector(word uint64, lane int) uint64 {
	const frame = 1031 // lines
	return localSector | (uint64(w.frame)*frame+word)*lineSectors | uint64(lane/8)
}

// unique removes what is twice among the sectors.
func (u *memory) unique() {
	out, largest := u.sectors[:0], uint64(0)
	for _, s := range u.sectors {
		if len(out) == 0 || s > largest { // ascending, as usual
			out, largest = append(out, s), s
			continue
		}
		if !contains(out, s) {
			out = append(out, s)
		}
	}
	u.sectors = out
}

// part keeps so many of the sectors, those whose turn it is; the first follow the last.
func (u *memory) part(count, turn int) {
	all := slices.Clone(u.sectors)
	u.sectors = u.sectors[:0]
	for i := range min(count, len(all)) {
		u.sectors = append(u.sectors, all[(turn*count+i)%len(all)])
	}
}

func (u *memory) lines() (n int) {
	var last uint64
	for i, s := range u.sectors {
		if i == 0 || s/4 != last {
			n++
		}
		last = s / 4
	}
	return n
}

// contention finds by how many lanes the most wanted word of each sector is accessed.
func (u *memory) contention(w *warp, list []int32) {
	clear(u.depth)
	clear(u.count)
	for _, i := range list {
		a := &w.trace.accesses[i]
		w.lanes(a, int(a.bytes), func(addr uint64) {
			u.count[addr]++
			u.depth[addr/sectorBytes] = max(u.depth[addr/sectorBytes], u.count[addr])
		})
	}
}

// byLine calls f with the sectors of each line.
func (u *memory) byLine(f func(line []uint64)) {
	for i := 0; i < len(u.sectors); {
		j := i + 1
		for j < len(u.sectors) && u.sectors[j]/4 == u.sectors[i]/4 {
			j++
		}
		f(u.sectors[i:j])
		i = j
	}
}

// load brings sectors of a line; it returns when their data can be used.
func (u *memory) load(now float64, sectors []uint64, bypass bool, block int, alike bool) (ready int64) {
	if bypass {
		u.chip.counts.miss(sectors)
		return u.chip.fetch(now, sectors, block, alike)
	}
	l := u.l1.find(sectors[0]/lineSectors, true)
	u.missing = u.missing[:0]
	for _, s := range sectors {
		if at := l.ready[s%4]; at != 0 {
			u.chip.counts.hit(s)
			ready = max(ready, at, int64(now)+u.m.latency.l1)
			continue
		}
		u.missing = append(u.missing, s)
	}
	if len(u.missing) == 0 {
		return ready
	}
	u.chip.counts.miss(u.missing)
	at := u.chip.fetch(u.under(now), u.missing, block, alike)
	u.came(at)
	for _, s := range u.missing {
		l.ready[s%4] = at
	}
	return max(ready, at)
}

// under is when a miss can go out. As many are under way as L1 has lines: with little L1, those of an H200 wait for each other.
func (u *memory) under(now float64) float64 {
	now = max(now, float64(u.misses[u.missed%len(u.misses)]))
	u.lsu = max(u.lsu, now)
	return now
}

// came notes when a miss is there.
func (u *memory) came(at int64) {
	u.misses[u.missed%len(u.misses)] = at
	u.missed++
}

// store writes sectors of a line through to L2.
func (u *memory) store(now float64, sectors []uint64, whole bool) float64 {
	n, had := &u.chip.counts, u.keep(now, sectors, whole)
	hits, misses := &n.storeHits, &n.storeMisses
	if sectors[0]&localSector != 0 {
		hits, misses = &n.localStoreHits, &n.localStoreMisses
	}
	if had {
		*hits += float64(len(sectors))
	} else {
		*misses += float64(len(sectors))
	}
	return u.chip.store(now, sectors, whole)
}

// keep keeps sectors of a line that is stored to, which are there then where they are stored to as a whole; it tells whether L1 had the line, which
// counts as a hit, whichever of its sectors were there.
func (u *memory) keep(now float64, sectors []uint64, whole bool) (had bool) {
	l := u.l1.find(sectors[0]/lineSectors, false)
	if had = l != nil; !had {
		l = u.l1.find(sectors[0]/lineSectors, true)
	}
	for _, s := range sectors {
		if at := &l.ready[s%lineSectors]; *at == 0 && (whole || s&localSector != 0) {
			*at = int64(now)
		}
	}
	return had
}

// constant loads from a constant bank; it returns when the value is there.
func (u *memory) constant(now int64, bank int, offset uint64) int64 {
	there := u.constantLine(now, bank, offset)
	l := u.loaded.find(uint64(bank)<<40|offset/uint64(u.m.model.ConstantCacheLine), true)
	if l.ready[0] == 0 {
		l.ready[0] = max(there, now+u.m.latency.constantMiss)
	}
	return max(l.ready[0], now+u.m.latency.constant)
}

// constantLine is when a line of constants is in the cache behind those for what is loaded and what is read at once.
func (u *memory) constantLine(now int64, bank int, offset uint64) int64 {
	key := uint64(bank)<<40 | offset/uint64(u.m.model.ConstantLine)
	ready, ok := u.constants[key]
	if !ok {
		miss := u.m.latency.dram
		if u.chip.held.code || bank == parameters {
			miss = u.m.latency.constantMiss
		}
		ready = now + miss
		u.constants[key] = ready
	}
	return ready
}

// immediate is when a constant that an instruction reads as it is issued is in the cache.
func (u *memory) immediate(now int64, bank, offset int) int64 {
	return u.constantLine(now, bank, uint64(offset))
}

// constantBytes is how much of the constants of the program was read.
func (u *memory) constantBytes() (n float64) {
	for key := range u.constants {
		if key>>40 >= programConstants {
			n += float64(u.m.model.ConstantLine)
		}
	}
	return n
}

// parameters is the bank of what a launch brings: its constants are on their way when blocks start.
const parameters = 0

// programConstants is the bank of a program's constant variables.
const programConstants = 3

// indexed reads a constant bank at addresses of the lanes: one distinct word after the other. It returns when it begins, and when all are there.
func (u *memory) indexed(w *warp, list []int32, from float64) (begin float64, ready int64) {
	begin = max(u.indexFree, from)
	now := int64(from)
	ready = now + u.m.latency.constant
	for _, i := range list {
		a := &w.trace.accesses[i]
		clear(u.count)
		w.lanes(a, int(a.bytes), func(addr uint64) { u.count[addr/4]++ })
		n := float64(len(u.count))
		u.indexFree = max(u.indexFree, from) + u.m.model.ConstantBusy*n
		u.indexBusy += u.m.model.ConstantBusy * (n - 1)
		ready = max(ready, int64(max(u.indexFree, from+u.m.model.ConstantWord*(n-1)))+u.m.latency.constant)
		for word := range u.count {
			ready = max(ready, u.constant(now, programConstants, word*4))
		}
	}
	return begin, ready
}
