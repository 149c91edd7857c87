package timing

import (
	"math"

	"silica/gpu"
)

// pieceSectors are brought by one access to memory, though only one of them be asked for.
const pieceSectors = 2

// dramTimes are the times of memory, in cycles of the multiprocessor.
type dramTimes struct {
	channels, banks int // of the chip, and of a channel
	runPieces       uint64
	// A channel is busy with the transfer of a piece, with an activation, and with each turn from reads to writes and back.
	transfer, activation, turn float64
	// A bank is busy with a row for rowCycle, and with each piece.
	rowCycle, column float64
	// refreshed is the part of the time that refreshes leave.
	refreshed float64
	batch     float64 // writes between turns
}

func newDRAMTimes(g *gpu.GPU, hz float64) dramTimes {
	d := &g.DRAM
	ns := func(t float64) float64 { return t * hz / 1e9 }
	channels := g.Channels()
	bandwidth := or(float64(g.Memory.Bandwidth), 2*1000*float64(g.Clock.MemoryKHz)*float64(g.Memory.BusBits)/8)
	return dramTimes{
		channels: channels, banks: d.Banks, runPieces: uint64(max(d.RowRun/(pieceSectors*sectorBytes), 1)),
		transfer:   pieceSectors * sectorBytes * float64(channels) / or(bandwidth, 1) * hz,
		activation: ns(max(d.RRD, d.FAW/4)), turn: ns(d.WTR + d.RTW), rowCycle: ns(d.RAS + d.RP), column: ns(pieceSectors * d.CCD),
		refreshed: 1 - d.RFC/d.REFI, batch: float64(d.WriteBatch),
	}
}

// dram is the memory: channels, each with banks that have one row open. A channel takes first what is in an open row, so that all that is
// asked for of a row, at about the same time, is had with one activation; and it makes writes in batches.
type dram struct {
	dramTimes
	channel, bank *servers
	slices        int // of L2, among which the channels are divided
	// turns is the part of a turn that comes with each piece written.
	turns  float64
	writes utilization
	spread float64 // of the time of runs, standard deviation
}

func newDRAM(m *machine, use *memoryUse) *dram {
	d := &dram{
		dramTimes: m.dram, channel: newServers(m.dram.channels, m.model.DRAMQueue), bank: newServers(m.dram.channels*m.dram.banks, 0),
		slices: m.slices, spread: m.model.DRAMSpread,
	}
	if use.stored > 0 {
		d.turns = min(1, use.read/use.stored) * d.turn / d.batch
	}
	return d
}

// read brings a piece of the memory of a slice, of so many in its row that are asked for at about the same time, while others ask for so many
// other pieces like it. It returns how long the access waits.
func (d *dram) read(now float64, slice int, piece uint64, row, others float64) (wait float64) {
	run := d.run(piece)
	channel := d.of(slice, run)
	bank := channel*d.banks + int(run>>16%uint64(d.banks))
	transfer := max(d.transfer, d.activation/row) / d.refreshed
	keep := (d.rowCycle/row + d.column) / d.refreshed
	return max(d.channel.serve(now, channel, transfer, transfer*others), d.bank.serve(now, bank, keep, keep*others))
}

// run is the hash of the run of memory that holds a piece: of its bank, and of the channel among those of its slice.
func (d *dram) run(piece uint64) uint64 { return scatter(piece/d.runPieces + 1) }

// late is by how much a run answers later than the average: which state its bank is in, and what is before it in its channel, is as if by chance.
// Few are much later, so that the last of several is the later the more there are.
func (d *dram) late(piece uint64) float64 {
	const steps = 1 << 10
	chance := (float64(scatter(piece/(2*d.runPieces)+1)>>40%steps) + 0.5) / steps
	return d.spread * (-math.Log(chance) - 1)
}

// of returns the channel in which a slice has a run of memory.
func (d *dram) of(slice int, run uint64) int {
	if perSlice := d.channels / d.slices; perSlice > 1 {
		return slice*perSlice + int(run%uint64(perSlice))
	}
	return slice * d.channels / d.slices
}

// write lets through so many pieces that L2 gives back, some time after they were written, wherever they are.
func (d *dram) write(now, pieces float64) {
	cycles := pieces * (d.transfer + d.turns) / d.refreshed
	d.channel.add(now, cycles)
	d.writes.add(now, cycles/float64(d.channels))
}

// chance is how long a read waits for others that come together with it by chance, and for the batch of writes that its channel may be at.
func (d *dram) chance(now float64) float64 {
	busy := d.channel.busy.busy(now)
	if busy == 0 {
		return 0
	}
	return loaded(busy, d.channel.service+d.batch*d.transfer*d.writes.busy(now)/busy)
}
