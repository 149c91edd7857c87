package profile

import (
	"fmt"
	"slices"
	"strings"

	"silica/internal/isa"
)

// The least shares, in percent, from which a rule speaks up.
const (
	leastExcess   = 1  // of sectors or wavefronts more than would do
	leastConflict = 10 // of wavefronts that are conflicts, as in Nsight Compute
)

// uncoalescedGlobal is about warps that touch more sectors of global memory than their bytes need.
func uncoalescedGlobal(t *Totals) []Advice {
	g := t.memory(Global)
	excess := share(g.Sectors-g.Ideal, g.Sectors)
	if excess < leastExcess {
		return nil
	}
	trouble := func(i *Instruction) float64 { m := i.In(Global); return float64(m.Sectors - m.Ideal) }
	worst := t.worst(trouble)
	m := worst.In(Global)
	return []Advice{{
		Rule: "UncoalescedGlobalAccess", Section: SourceCounters, Kind: Optimization, topic: "coalescing", part: memory,
		Title:  "Uncoalesced global accesses",
		Figure: fmt.Sprintf("%s sectors a request where %s would do", short(each(m.Sectors, m.Requests)), short(each(m.Ideal, m.Requests))),
		Message: fmt.Sprintf("%.0f%% of the %s sectors of global memory are more than the bytes need: %s sectors a request where %s would do.",
			excess, thousands(g.Sectors), short(each(m.Sectors, m.Requests)), short(each(m.Ideal, m.Requests))),
		Change:  t.coalesce(worst, m),
		Speedup: t.scaled(excess, (*Timing).elapsedShare), SpeedupType: t.whole(),
		Sites: t.sites(trouble, func(sum Sum, worst *Instruction) string {
			m := sum.In(Global)
			return fmt.Sprintf("%s %s sectors a request, ideal %s%s", does(worst), short(each(m.Sectors, m.Requests)), short(each(m.Ideal, m.Requests)),
				strideNote(worst, Global))
		}),
	}}
}

// does says what an instruction does to memory.
func does(i *Instruction) string {
	switch i.moves() {
	case loads, copies, bulkCopies, matrices, products:
		return "reads"
	case stores:
		return "writes"
	}
	return "updates"
}

// regular returns the distance between neighbouring threads, if most requests that are neither uniform nor contiguous
// have the same.
func (t Traffic) regular() (stride int64, ok bool) {
	apart := t.Requests - t.Uniform - t.Contiguous
	return t.Stride, t.Stride != 0 && t.StrideVotes*4 >= apart && apart*4 >= t.Requests
}

// strideNote describes how the lanes of most requests of an instruction lie, if they do so regularly.
func strideNote(i *Instruction, space Space) string {
	stride, ok := i.In(space).regular()
	switch {
	case !ok, i.isFragment():
		return ""
	case stride == int64(i.Bytes):
		return "; the threads of a warp lie side by side in pieces"
	}
	return fmt.Sprintf("; neighbouring threads are %d bytes apart", stride)
}

// coalesce tells what to do about the accesses of an instruction.
func (t *Totals) coalesce(i *Instruction, m Traffic) string {
	stride, ok := m.regular()
	distance := max(stride, -stride)
	verb := does(i)
	switch {
	case i.isFragment():
		return "A warp moves a tile of a matrix, row by row, and a row of the tile is shorter than the pieces that memory moves at a time. Bring the tiles of the whole block " +
			"into shared memory with wide loads or cp.async, and load fragments from there (ldmatrix does it in one go); write results from shared memory in the same way."
	case m.Uniform*2 >= m.Requests && verb == "reads":
		return fmt.Sprintf("All threads of a warp read the same %d bytes, for which a whole sector moves. Keep a value that is read again in a register, read several "+
			"neighbours at once with a vector type such as float4, or let each thread read another element and hand them round with __shfl_sync.", i.Bytes)
	case m.Uniform*2 >= m.Requests:
		return fmt.Sprintf("All threads of a warp write the same %d bytes. Let one thread of them do it.", i.Bytes)
	case m.Contiguous*2 >= m.Requests && m.Sectors <= m.Requests*uint64(max(i.Bytes, 1)):
		// That many sectors a warp takes that is whole and aligned.
		return "The threads of a warp lie side by side, but some of them take no part, so that parts of sectors are not used. Let whole warps take the same way: " +
			"give neighbouring threads work of the same kind, or move all the bytes and choose afterwards."
	case m.Contiguous*2 >= m.Requests && m.Sectors-m.Ideal <= m.Contiguous:
		return fmt.Sprintf("The threads of a warp lie side by side, but begin off a %d-byte boundary. Align the start of the array and the length of "+
			"its rows to %d bytes (cudaMallocPitch does), or shift the index so that thread 0 starts on a boundary.", sectorBytes, sectorBytes)
	case ok && distance >= sectorBytes:
		return fmt.Sprintf("Each thread %s %d bytes and its neighbour %d bytes further on, so that each needs a sector of its own. Let threadIdx.x run along "+
			"consecutive addresses: swap the roles of threadIdx.x and threadIdx.y in the index, or go through a tile in shared memory that is "+
			"read and written along rows and transposed there.", verb, i.Bytes, distance)
	case ok && distance == int64(i.Bytes) && t.Block.X%warpLanes == 0:
		return "The threads of a warp lie side by side only in pieces, each of which begins and ends within a sector: the index jumps within the warp, as where a row " +
			"ends. Let rows be a multiple of 32 elements long, or let each warp work on one row."
	case ok && distance == int64(i.Bytes):
		return "The threads of a warp lie side by side only in pieces, each of which begins and ends within a sector. Make blocks a multiple of 32 threads wide " +
			"(blockDim.x), so that a warp works on one row, and start rows on a boundary of 32 bytes."
	case ok && distance > int64(i.Bytes):
		return fmt.Sprintf("Each thread %s %d of every %d bytes. Keep the values in an array of their own (a structure of arrays), or let each thread "+
			"move all %d bytes at once with a vector type such as float4.", verb, i.Bytes, distance, distance)
	}
	return "The addresses of a warp's threads are unrelated. Order the work so that neighbouring threads use neighbouring elements (sort the " +
		"indices, or let a whole warp work on one row), or fetch contiguous pieces into shared memory and pick from there."
}

// dataReuse is about values that are fetched from global memory again and again.
func dataReuse(t *Totals) []Advice {
	const (
		leastTimes = 8    // that a sector is read
		leastLead  = 1.25 // of L1 over the other parts
	)
	m := t.memory(Global, loads, copies)
	sectors := t.Footprint.Read / sectorBytes
	times := each(m.Sectors, sectors)
	load := t.Load()
	next := 0.0
	for _, p := range parts {
		if p != l1 {
			next = max(next, load.Cycles[p])
		}
	}
	if times < leastTimes || load.Cycles[l1] < leastLead*next || m.Sectors/4 < t.memory(Shared).Wavefronts {
		return nil
	}
	return []Advice{{
		Rule: "DataReuse", Section: MemoryWorkloadTables, Kind: Optimization, topic: "reuse", part: l1,
		Title:  "Global data fetched again and again",
		Figure: fmt.Sprintf("each sector %.0f times", times),
		Message: fmt.Sprintf("Loads fetch %s sectors, but touch only %s different ones: each is fetched %.0f times on average.",
			thousands(m.Sectors), thousands(sectors), times),
		Change: "Fetch a tile into shared memory once for the whole block and use it from there, or let each thread compute several results, so that a value once loaded " +
			"is used several times from registers.",
		// The part that is busiest next bounds what can be won.
		Speedup: 100 * (1 - next/load.Cycles[l1]), SpeedupType: LocalSpeedup,
		Sites: t.sites(func(i *Instruction) float64 {
			if move := i.moves(); move != loads && move != copies {
				return 0
			}
			return float64(i.In(Global).Sectors)
		}, func(sum Sum, _ *Instruction) string {
			return fmt.Sprintf("%s requests, %s sectors", thousands(sum.In(Global).Requests), thousands(sum.In(Global).Sectors))
		}),
	}}
}

// bankConflicts is about warps that use the banks of shared memory more often than needed.
func bankConflicts(t *Totals) []Advice {
	s := t.memory(Shared)
	excess := share(s.Wavefronts-s.IdealWavefronts, s.Wavefronts)
	if excess < leastExcess {
		return nil
	}
	trouble := func(i *Instruction) float64 { m := i.In(Shared); return float64(m.Wavefronts - m.IdealWavefronts) }
	all := func(*Instruction) bool { return true }
	worst := t.worst(trouble)
	m := worst.In(Shared)
	out := []Advice{{
		Rule: "UncoalescedSharedAccess", Section: SourceCounters, Kind: Optimization, topic: "banks", part: l1,
		Title:  "Bank conflicts in shared memory",
		Figure: fmt.Sprintf("%s wavefronts a request where %s would do", short(each(m.Wavefronts, m.Requests)), short(each(m.IdealWavefronts, m.Requests))),
		Message: fmt.Sprintf("%.0f%% of the %s wavefronts of shared memory are conflicts: %s wavefronts a request where %s would do.",
			excess, thousands(s.Wavefronts), short(each(m.Wavefronts, m.Requests)), short(each(m.IdealWavefronts, m.Requests))),
		Change: unconflict(worst, m), Sites: t.conflictSites(all),
		Speedup: t.scaled(excess, (*Timing).elapsedShare), SpeedupType: t.whole(),
	}}
	for _, d := range []struct {
		what  string
		moves []movement
	}{{"loads", []movement{loads, matrices}}, {"stores", []movement{stores}}} {
		m := t.memory(Shared, d.moves...)
		conflicts := share(m.Conflicts, m.PipeWavefronts)
		if conflicts < leastConflict {
			continue
		}
		such := func(i *Instruction) bool { return slices.Contains(d.moves, i.moves()) }
		worst := t.worst(func(i *Instruction) float64 {
			if !such(i) {
				return 0
			}
			return float64(i.In(Shared).Conflicts)
		})
		ways := short(each(m.PipeWavefronts, m.Requests)) + "-way"
		out = append(out, Advice{
			Rule: "SharedMemoryConflicts", Section: MemoryWorkloadTables, Kind: Optimization, topic: "banks", part: l1,
			Title: "Bank conflicts of shared " + d.what, Figure: ways + " on average",
			Message: fmt.Sprintf("Shared %s have a %s bank conflict on average over %s requests: %s of their %s wavefronts are conflicts (%.0f%%).",
				d.what, ways, thousands(m.Requests), thousands(m.Conflicts), thousands(m.PipeWavefronts), conflicts),
			Change: unconflict(worst, worst.In(Shared)), Sites: t.conflictSites(such),
			Speedup: t.scaled(conflicts, func(m *Timing) float64 { return m.Busy["lsu"] }), SpeedupType: t.whole(),
		})
	}
	return out
}

// conflictSites returns the places with the most conflicts of some instructions.
func (t *Totals) conflictSites(such func(*Instruction) bool) []Site {
	return t.sites(func(i *Instruction) float64 {
		m := i.In(Shared)
		if !such(i) {
			return 0
		}
		return float64(m.Wavefronts - m.IdealWavefronts)
	}, func(sum Sum, worst *Instruction) string {
		m := sum.In(Shared)
		return fmt.Sprintf("%s in %s wavefronts a request, ideal %s%s", does(worst), short(each(m.Wavefronts, m.Requests)),
			short(each(m.IdealWavefronts, m.Requests)), strideNote(worst, Shared))
	})
}

// unconflict tells what to do about the bank conflicts of an instruction.
func unconflict(i *Instruction, m Traffic) string {
	if m.Serial > m.Requests {
		return "Threads of a warp update the same words of shared memory, one after another. Combine their values first (warp shuffles, __reduce_add_sync), or " +
			"give each warp a copy of its own and add the copies up at the end."
	}
	stride, ok := m.regular()
	distance := max(stride, -stride)
	switch {
	case ok && distance%(banks*wordBytes) == 0:
		return fmt.Sprintf("Neighbouring threads are %d bytes apart, a multiple of the %d bytes that the banks are wide, so that all want the same bank. Pad each row "+
			"by one element (tile[32][33] in place of tile[32][32]), or swap the indices.", distance, banks*wordBytes)
	case ok && distance > int64(i.Bytes):
		return fmt.Sprintf("Neighbouring threads are %d bytes apart. An odd number of words between them meets every bank once: pad the rows by one element, or keep "+
			"the values that are used together side by side.", distance)
	}
	return "The threads of a warp meet in the same banks at different words. Change the layout so that they differ in the lowest bits of the word's number: pad " +
		"rows by one element, or exchange (XOR) the column with the row's number."
}

// atomicSerialization is about lanes of a warp that change one address.
func atomicSerialization(t *Totals) []Advice {
	var requests, serial uint64
	for _, space := range []Space{Global, Shared} {
		m := t.memory(space, atomics, reductions)
		requests += m.Requests
		serial += m.Serial
	}
	if requests == 0 || serial < 2*requests {
		return nil
	}
	trouble := func(i *Instruction) float64 {
		n := uint64(0)
		for _, m := range i.Memory {
			n += max(m.Serial, m.Requests) - m.Requests
		}
		if move := i.moves(); move != atomics && move != reductions {
			return 0
		}
		return float64(n)
	}
	return []Advice{{
		Rule: "AtomicSerialization", Section: SourceCounters, Kind: Optimization, topic: "atomics", part: atomic,
		Title:  "Atomic operations on one address",
		Figure: fmt.Sprintf("%s threads of a warp wait for each other", short(each(serial, requests))),
		Message: fmt.Sprintf("%s threads of a warp update the same address at once and wait for each other (%s atomic instructions).",
			short(each(serial, requests)), thousands(requests)),
		Change: "Combine the values before updating memory: within the warp with shuffles or __reduce_add_sync and one atomic operation by its first thread, within " +
			"the block in shared memory and one atomic operation at the end.",
		Speedup: 100 - share(requests, serial), SpeedupType: LocalSpeedup,
		Sites: t.sites(trouble, func(sum Sum, _ *Instruction) string {
			var requests, serial uint64
			for _, m := range sum.Memory {
				requests += m.Requests
				serial += m.Serial
			}
			return fmt.Sprintf("%s threads a request on the same address", short(each(serial, requests)))
		}),
	}}
}

// constantDivergence is about lanes that read different words of constant memory.
func constantDivergence(t *Totals) []Advice {
	m := t.memory(Const)
	if m.Requests == 0 || m.Words < 2*m.Requests {
		return nil
	}
	words := func(m Traffic) float64 { return each(m.Words, m.Requests) }
	return []Advice{{
		Rule: "ConstantDivergence", Section: SourceCounters, Kind: Optimization, topic: "constant", part: constant,
		Title:   "Different constants in one warp",
		Figure:  fmt.Sprintf("%s words a request, one after another", short(words(m))),
		Message: fmt.Sprintf("Threads of a warp read %s different words of constant memory at once, which are fetched one after another.", short(words(m))),
		Change: "Constant memory is for values that all threads of a warp use together. Keep tables that threads index differently in shared memory, or in global " +
			"memory read through const __restrict__ pointers.",
		Speedup: 100 - share(m.Requests, m.Words), SpeedupType: LocalSpeedup,
		Sites: t.sites(func(i *Instruction) float64 { m := i.In(Const); return float64(max(m.Words, m.Requests) - m.Requests) },
			func(sum Sum, _ *Instruction) string {
				return fmt.Sprintf("%s different words a request", short(words(sum.In(Const))))
			}),
	}}
}

// localMemory is about arrays of a thread that are not in registers.
func localMemory(t *Totals) []Advice {
	local, global := t.memory(Local), t.memory(Global)
	part := share(local.Sectors, local.Sectors+global.Sectors)
	if part < leastExcess {
		return nil
	}
	return []Advice{{
		Rule: "LocalMemory", Section: MemoryWorkloadTables, Kind: Optimization, topic: "local", part: l1,
		Title:  "Local memory in use",
		Figure: fmt.Sprintf("%.0f%% of all sectors", part),
		Message: fmt.Sprintf("%s requests go to local memory, %.0f%% of all sectors: it lies in the caches and in DRAM, not in registers.",
			thousands(local.Requests), part),
		Change: "An array of a thread stays in registers only if every index is known when compiling: unroll the loops that index it (#pragma unroll) and make their bounds " +
			"constant, or keep the array in shared memory, one column a thread.",
		Speedup: part, SpeedupType: LocalSpeedup,
		Sites: t.sites(func(i *Instruction) float64 { return float64(i.In(Local).Sectors) },
			func(sum Sum, worst *Instruction) string {
				m := sum.In(Local)
				return fmt.Sprintf("%s local memory, %s sectors a request", does(worst), short(each(m.Sectors, m.Requests)))
			}),
	}}
}

// thousands writes a whole number with separators.
func thousands(n uint64) string {
	s := fmt.Sprint(n)
	var b strings.Builder
	for i, digit := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// queries are the texture instructions that reach no memory.
var queries = []string{"txq", "suq", "istypep"}

// textureFetches warns where textures or surfaces were reached: only the model of the machine has their sectors, in sums.
func textureFetches(t *Totals) []Advice {
	n := t.count(func(i *Instruction) bool { return i.is(isa.OpTexture) && !slices.Contains(queries, i.Opcode()) }).Warps
	if n == 0 {
		return nil
	}
	return []Advice{{
		Rule: "TextureFetches", Section: MemoryWorkloadTables, Kind: Warning, topic: "textures", part: everything,
		Title:  "Textures and surfaces are in no table of instructions",
		Figure: fmt.Sprintf("%d requests", n),
		Message: fmt.Sprintf("The sectors of %d requests to textures or surfaces are among those that L1, L2 and memory are said to move, but not among those of "+
			"instructions and source lines.", n),
	}}
}
