package timing

import "math"

// Traffic counts the sectors between the parts of the memory system, of the whole chip: those of memory as Nsight Compute counts them, with what
// a launch of it reads and writes beside the kernel's.
type Traffic struct {
	L1Hits, L1Misses float64
	// LocalHits and LocalMisses are those of local memory among them.
	LocalHits, LocalMisses float64
	// TextureHits and TextureMisses are those of textures, the others of what was stored to global and to local memory: none is among them.
	TextureHits, TextureMisses, StoreHits, StoreMisses, LocalStoreHits, LocalStoreMisses float64
	// L2Merged are the misses of L1 that went to L2 with another multiprocessor's request for the same.
	L2Merged                 float64
	L2ReadHits, L2ReadMisses float64
	L2Writes, L2Atomics      float64
	// L2ReadRequests and L2WriteRequests are in how many pieces, of a line at most, the sectors came.
	L2ReadRequests, L2WriteRequests float64
	// L2PartialRequests are those of the latter that store to parts of sectors.
	L2PartialRequests float64
	// L2Fabric are sectors that go from one part of L2 to another: of what memory gives, and of what is written, the part that lies there.
	L2Fabric float64
	// SliceMost and SliceLeast are the sectors of the busiest and the idlest slice of L2, beside the average one.
	SliceMost, SliceLeast float64
	DRAMReads, DRAMWrites float64
	SharedWavefronts      float64
	// Writebacks are the registers of a warp, of 128 bytes, that L1 and shared memory gave.
	Writebacks float64
}

// traffic makes the chip's sums of the simulated multiprocessor's, of which the chip has so many times as much. code is the size of the
// program, constants how many bytes of the constant memory were read.
func (c *chip) traffic(times, code, constants float64) Traffic {
	n, m := c.counts, c.m.model
	t := Traffic{
		LocalHits: times * n.localHits, LocalMisses: times * n.localMisses,
		TextureHits: times * n.textureHits, TextureMisses: times * n.textureMisses, StoreHits: times * n.storeHits, StoreMisses: times * n.storeMisses,
		LocalStoreHits: times * n.localStoreHits, LocalStoreMisses: times * n.localStoreMisses, L2PartialRequests: times * n.partialRequests,
		L2ReadRequests: times * n.readRequests, L2WriteRequests: times * n.writeRequests,
		L1Hits: times * n.l1Hits, L1Misses: times * n.l1Misses, L2Merged: times * (n.l1Misses + n.textureMisses - n.reads),
		L2Writes: times * n.writes, L2Atomics: times * n.atomics, SharedWavefronts: times * n.sharedWavefronts, Writebacks: times * n.writebacks,
	}
	t.SliceMost, t.SliceLeast = c.l2.spread()
	reads, again := times*n.reads, times*(n.again+n.apart)
	t.L2ReadMisses = min(reads, max(c.use.misses-times*n.promoted+again, 0))
	t.L2ReadHits = reads - t.L2ReadMisses

	// Lines that are written in part are few in L2: of others the rest is read, and they are written back.
	lines := float64(c.m.l2Bytes) / float64(c.m.lineBytes)
	dirty := c.use.storedLines + n.localSectors*c.active/lineSectors
	var filled float64
	if most := m.L2Partial * lines; c.use.partLines > most {
		filled = c.use.part * (1 - most/c.use.partLines)
		dirty -= c.use.partLines - most
	}
	t.DRAMReads = c.use.read + again + filled
	if !c.held.code {
		t.DRAMReads += m.LaunchSectors + math.Ceil(code/codePage)*codePage/sectorBytes + constants/sectorBytes
	}
	var pushed float64
	if most := m.L2Dirty * lines; dirty > most {
		pushed = 1 - most/dirty
	}
	t.DRAMWrites = max(max(c.writesBack, pushed)*(c.use.stored+c.use.changed), filled*m.L2Filled) + pushed*times*n.localWrites
	if c.held.empty() {
		t.DRAMWrites += m.ForeignSectors * c.foreign(dirty/lines, lines)
	}
	t.L2Fabric = (t.DRAMReads + t.L2Writes + t.L2Atomics) * (1 - 1/float64(max(m.L2Halves, 1)))
	return t
}

// codePage is the size of the pieces in which code comes.
const codePage = 256

// foreign is the part of what others left in L2 that the kernel drives out: as it fills L2's lines, or those that may be dirty, of which it has a
// part. Sets of L2 fill up unevenly: the middles and widths are fitted to what an H200 wrote back while it read 16 to 96 MiB, and stored 16 to 32.
func (c *chip) foreign(dirty, lines float64) float64 {
	m := c.m.model
	fill := func(x, middle, width float64) float64 { return 1 / (1 + math.Exp((middle-x)/width)) }
	return max(fill(c.use.places/lines, 0.925, 0.077), fill(dirty, 0.92*m.L2Dirty, 0.02))
}
