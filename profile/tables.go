package profile

// SectorBytes is the size of what caches and DRAM move.
const SectorBytes = sectorBytes

// MemoryRow is a row of Nsight Compute's memory tables: the traffic of one kind of access.
type MemoryRow struct {
	Name string
	Traffic
}

// MemoryRows returns the rows of the tables of shared memory and of the L1 cache that are not empty, each with a total.
func (t *Totals) MemoryRows() (shared, l1 []MemoryRow) {
	add := func(rows []MemoryRow, name string, m Traffic) []MemoryRow {
		if m.Requests == 0 {
			return rows
		}
		return append(rows, MemoryRow{name, m})
	}
	kinds := []struct {
		name  string
		moves []movement
	}{
		{"Load", []movement{loads}}, {"Load Matrix", []movement{matrices}}, {"Store", []movement{stores}}, {"Atomic", []movement{atomics, reductions}},
		{"Async Copy", []movement{copies}}, {"Warpgroup Product", []movement{products}},
	}
	for _, k := range kinds {
		shared = add(shared, "Shared "+k.name, t.memory(Shared, k.moves...))
	}
	total := Traffic{}
	for _, space := range []Space{Global, Local} {
		name := map[Space]string{Global: "Global ", Local: "Local "}[space]
		for _, k := range kinds {
			m := t.memory(space, k.moves...)
			m.Sectors += m.ReplaySectors
			l1 = add(l1, name+k.name, m)
			total.add(&m)
		}
	}
	return add(shared, "Total", t.memory(Shared)), add(l1, "Total", total)
}
