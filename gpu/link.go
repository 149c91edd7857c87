package gpu

import "time"

// Side is where one end of a copy lies.
type Side int

// The sides.
const (
	OnDevice Side = iota
	OnPeer        // another device
	Pinned        // host memory that the device reaches
	Pageable      // other host memory
)

// onHost tells whether a side is host memory.
func (s Side) onHost() bool { return s == Pinned || s == Pageable }

// CopyTime is how long a copy engine is busy with n bytes: a fixed time and the bytes at a rate. On an H200 that is within
// 25 % of the measured times of pinned memory and within 50 % of those of pageable memory. measured is false where the
// rate is an estimate.
func (g *GPU) CopyTime(from, to Side, n uint64) (t time.Duration, measured bool) {
	l, d := &g.Link, &g.Delay
	pageable := from == Pageable || to == Pageable
	switch {
	case from == Pinned && to == Pinned, pageable && from.onHost() && to.onHost():
		return at(0, n, l.PageableToHost), false // the host copies
	case from == OnPeer || to == OnPeer:
		return at(d.ToDevice, n, g.pcie()), false
	case pageable && from.onHost():
		return at(d.PageableToDevice, n, min(l.PageableToDevice, g.pcie())), g.Known("link.to_device")
	case pageable:
		return at(d.PageableToHost, n, min(l.PageableToHost, g.pcie())), g.Known("link.to_host")
	case from.onHost() && l.ToDevice > 0:
		return at(d.ToDevice, n, l.ToDevice), true
	case from.onHost():
		return at(d.ToDevice, n, g.pcie()), false
	case to.onHost() && l.ToHost > 0:
		return at(d.ToHost, n, l.ToHost), true
	case to.onHost():
		return at(d.ToHost, n, g.pcie()), false
	case g.Throughput.DRAMCopy > 0:
		return at(d.Copy, 2*n, g.Throughput.DRAMCopy), true
	}
	return at(d.Copy, 2*n, copyShare*float64(g.Memory.Bandwidth)), false
}

// SetTime is how long a fill of n bytes takes.
func (g *GPU) SetTime(n uint64) (t time.Duration, measured bool) {
	if g.Throughput.DRAMWrite > 0 {
		return at(g.Delay.Set, n, g.Throughput.DRAMWrite), true
	}
	return at(g.Delay.Set, n, writeShare*float64(g.Memory.Bandwidth)), false
}

// MigrationTime is how long n bytes of managed memory take to move, which an access (fault) or a prefetch asked for.
func (g *GPU) MigrationTime(toHost, fault bool, n uint64) (t time.Duration, measured bool) {
	l, d := &g.Link, &g.Delay
	fixed, rate := d.Prefetch, l.PrefetchToDevice
	switch {
	case fault && toHost:
		fixed, rate = d.FaultHost, l.FaultToHost
	case fault:
		fixed, rate = d.FaultDevice, l.FaultToDevice
	case toHost:
		rate = l.PrefetchToHost
	}
	return at(fixed, n, min(rate, g.pcie())), g.Known("link.to_device")
}

// What an H200 reaches of the bandwidth that its vendor states, in copies and fills.
const (
	copyShare  = 0.82
	writeShare = 0.91
)

// assumedGeneration and assumedLanes stand for a link that no description tells.
const (
	assumedGeneration = 4
	assumedLanes      = 16
)

// pcie estimates the rate of a copy in byte/s: lanes of the generation, each of 8 GT/s in the third with 128 bits in 130,
// and twice as much in each later one (PCI Express Base Specification). Where host and device share memory it is that
// memory's rate.
func (g *GPU) pcie() float64 {
	if g.Chip.Integrated {
		return copyShare * float64(g.Memory.Bandwidth) / 2
	}
	generation, lanes := g.Link.Generation, g.Link.Lanes
	if generation == 0 {
		generation, lanes = assumedGeneration, assumedLanes
	}
	lane := 8e9 * 128 / 130 / 8
	for range generation - 3 {
		lane *= 2
	}
	return lane * float64(lanes) * g.Link.Efficiency
}

// at is a fixed time in ns and n bytes at a rate in byte/s; no rate is no time.
func at(fixed float64, n uint64, rate float64) time.Duration {
	if rate > 0 {
		fixed += float64(n) / rate * 1e9
	}
	return time.Duration(fixed)
}
