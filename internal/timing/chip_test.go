package timing

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"silica/gpu"
)

// The files of testdata that these tests read were recorded on an H200, driver 580, CUDA 13.0: slices.csv with Nsight Compute 2025.3, the
// others by the clock of the GPU.

func h200(t *testing.T) (*gpu.GPU, *machine) {
	t.Helper()
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	return g, newMachine(g, 0)
}

// table returns the numbers of a file, without its first line.
func table(t *testing.T, name string) (rows [][]float64) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := make([]float64, len(line))
		for i, field := range line {
			if row[i], err = strconv.ParseFloat(field, 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func near(got, want, part float64) bool { return math.Abs(got-want) <= part*want }

// Whatever the stride, every slice of L2 and every channel and bank of memory gets its part, as in an H200.
func TestStridesSpreadOverSlices(t *testing.T) {
	_, m := h200(t)
	l, d := newL2(m), newDRAM(m, &memoryUse{})
	for _, row := range table(t, "slices.csv") {
		stride, pieces := uint64(row[0]), uint64(row[1])
		slices, channels := make([]float64, m.slices), make([]float64, d.channels)
		for i := range pieces {
			at := i * stride
			sector := (at%(8<<30) + at/(8<<30)*64) / sectorBytes
			slice := l.of(sector)
			slices[slice]++
			channels[d.of(slice, d.run(sector/pieceSectors))]++
		}
		for _, list := range [][]float64{slices, channels} {
			least, most := math.Inf(1), 0.0
			for _, n := range list {
				least, most = min(least, n), max(most, n)
			}
			if mean := float64(pieces) / float64(len(list)); most > 1.2*mean || least < 0.8*mean {
				t.Errorf("stride %d: of %d parts one gets %.3f of the average, one %.3f; the busiest slice of an H200 %.3f", stride, len(list), least/mean, most/mean, row[3])
			}
		}
	}
}

// What follows each other in 256 bytes is in one slice, a KiB in two.
func TestRunsOfASlice(t *testing.T) {
	_, m := h200(t)
	l := newL2(m)
	for kib := range uint64(1000) {
		first := kib * pairSectors
		a, b := l.of(first), l.of(first+runSectors)
		if a/2 != b/2 || a == b {
			t.Fatalf("KiB %d is in slices %d and %d, which are no pair", kib, a, b)
		}
		for s := range uint64(pairSectors) {
			if want := [2]int{a, b}[s/runSectors%2]; l.of(first+s) != want {
				t.Fatalf("sector %d of KiB %d is in slice %d, not %d", s, kib, l.of(first+s), want)
			}
		}
		for other := first / blockSectors * blockSectors; other < first; other += pairSectors {
			if l.of(other)/2 == a/2 {
				t.Fatalf("KiB %d and an earlier one of its four are in the same slices", kib)
			}
		}
	}
}

// bandwidth is how many bytes a second the memory gives to 132 multiprocessors that read pieces in the order of next, so many of a row together.
func bandwidth(m *machine, row float64, next func(i uint64) uint64) float64 {
	const pieces = 1 << 16
	l, d := newL2(m), newDRAM(m, &memoryUse{})
	var end float64
	for i := range uint64(pieces) {
		piece := next(i)
		end = max(end, d.read(0, l.of(piece*pieceSectors), piece, row, float64(m.sms-1)))
	}
	return pieces * float64(m.sms) * pieceSectors * sectorBytes / end * m.hz
}

// What memory sustains follows from its channels and their times.
func TestBandwidth(t *testing.T) {
	g, m := h200(t)
	inOrder := func(i uint64) uint64 { return i }
	stream := bandwidth(m, float64(m.dram.runPieces), inOrder)
	if want := g.Throughput.DRAMRead; !near(stream, want, 0.02) {
		t.Errorf("reads in order: %.0f GB/s, the H200 %.0f", stream/1e9, want/1e9)
	}
	for _, row := range table(t, "scattered.csv") {
		pieces := uint64(row[0]) / (pieceSectors * sectorBytes)
		got := bandwidth(m, float64(min(pieces, m.dram.runPieces)), func(i uint64) uint64 { return scatter(i/pieces)%(1<<24)*pieces + i%pieces })
		if !near(got, 1e9*row[1], 0.27) {
			t.Errorf("random runs of %.0f bytes: %.0f GB/s, the H200 %.0f", row[0], got/1e9, row[1])
		}
		if pieces == 1 && got > 0.7*stream {
			t.Errorf("an activation for each 64 bytes: %.0f GB/s, in order %.0f", got/1e9, stream/1e9)
		}
	}
	still := *m
	still.dram.refreshed = 1
	if got, want := stream/bandwidth(&still, float64(m.dram.runPieces), inOrder), 1-g.DRAM.RFC/g.DRAM.REFI; !near(got, want, 0.002) {
		t.Errorf("refreshes leave %.3f of the bandwidth, their times %.3f", got, want)
	}
	// All that is in one bank waits for its rows.
	if got := bandwidth(m, 1, func(uint64) uint64 { return 0 }); got > stream/10 {
		t.Errorf("one bank that everybody asks for gives %.0f GB/s", got/1e9)
	}
}

// Every GPU's memory gives, in order, what the vendor states less what refreshes take; scattered it gives less, but something.
func TestBandwidthOfGPUs(t *testing.T) {
	for _, name := range gpu.Names() {
		g, err := gpu.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		m := newMachine(g, 0)
		nominal := float64(g.Memory.Bandwidth)
		if nominal == 0 {
			continue
		}
		stream := bandwidth(m, float64(m.dram.runPieces), func(i uint64) uint64 { return i })
		scattered := bandwidth(m, 1, func(i uint64) uint64 { return scatter(i) % (1 << 24) })
		if stream < 0.85*nominal || stream > nominal || scattered > stream || scattered < 0.1*nominal {
			t.Errorf("%s: %.0f GB/s in order and %.0f scattered, of nominal %.0f", name, stream/1e9, scattered/1e9, nominal/1e9)
		}
	}
}

// Mixes of reads and writes of 512 MiB each take as long as those of an H200.
func TestMixes(t *testing.T) {
	_, m := h200(t)
	const array, dirty = 1 << 29, 28 << 20 // bytes; the latter stay in L2
	for _, row := range table(t, "mixes.csv") {
		reads, writes := row[0]*array, row[1]*array
		d := newDRAM(m, &memoryUse{read: reads, stored: writes})
		const piece = pieceSectors * sectorBytes
		cycles := (reads/piece*d.transfer + max(writes-dirty, 0)/piece*(d.transfer+d.turns)) / d.refreshed / float64(d.channels)
		const launch = 3.3e-6 // of an empty kernel, measured the same way
		if got := cycles/m.hz + launch; !near(1e6*got, row[2], 0.13) {
			t.Errorf("%.0f read and %.0f written: %.1f µs, the H200 %.1f", row[0], row[1], 1e6*got, row[2])
		}
	}
}

// Reductions on few words are as fast as the slices that hold them.
func TestReductions(t *testing.T) {
	_, m := h200(t)
	for _, row := range table(t, "reductions.csv") {
		if row[2] > 12 { // in more than 4 KiB, which slices the hash picks, and what multiprocessors send, bound it
			continue
		}
		words, stride := uint64(row[0]), uint64(row[1])
		for _, float := range []bool{false, true} {
			want, part := row[2], 0.42
			if float { // words of several sectors are slower than they are here
				want, part = row[3], 0.55
			}
			l := newL2(m)
			const warps = 4096
			var end float64
			for w := range uint64(warps) {
				lanes, depth := map[uint64]int{}, map[uint64]int{}
				for lane := range uint64(32) {
					at := scatter(w*32+lane) % words * stride * 4
					lanes[at]++
					depth[at/sectorBytes] = max(depth[at/sectorBytes], lanes[at])
				}
				for sector, n := range depth {
					end = max(end, l.change(0, sector, n, float, 1, 0))
				}
			}
			if got := warps * 32 / end * m.hz / 1e9; !near(got, want, part) {
				t.Errorf("%d words %d apart, floats %t: %.2f lanes a ns, the H200 %.2f", words, stride, float, got, want)
			}
		}
	}
}

// One multiprocessor, those of a GPC, and all read and write what L2 holds as fast as those of an H200.
func TestPorts(t *testing.T) {
	_, m := h200(t)
	const lineBytes, lines = 128, 1 << 14
	for _, row := range table(t, "ports.csv") {
		write, sms := row[0] == 1, row[1]
		mates := min(sms, 16.5) * float64(m.sms/groupSMs) // as many in each GPC
		x, l := newCrossbar(m, mates), newL2(m)
		var end float64
		for i := range uint64(lines) {
			slice := l.of(i * lineSectors)
			work := lineSectors * l.readSector
			if write {
				work = lineSectors * l.writeSector
				end = max(end, x.store(0, lineBytes, true), l.write.serve(0, slice, work, work*(sms-1)))
			} else {
				end = max(end, x.reply(0, lineBytes), l.read.serve(0, slice, work, work*(sms-1)))
			}
		}
		if got := lineBytes * lines / end; !near(got, row[2], 0.07) {
			t.Errorf("%.0f multiprocessors, writes %t: %.1f bytes a cycle each, those of an H200 %.1f", sms, write, got, row[2])
		}
	}
}

// Requests to one slice wait for each other; those to all do not.
func TestOneSliceIsAsFastAsItIs(t *testing.T) {
	_, m := h200(t)
	for _, c := range []struct {
		name   string
		stride uint64
		slices float64
	}{{"one line", 0, 1}, {"lines all over", 4097, float64(m.slices)}} {
		l := newL2(m)
		const requests, work = 1 << 14, 2.0
		var end float64
		for i := range uint64(requests) {
			end = max(end, l.read.serve(0, l.of(i*c.stride*lineSectors), work, 0))
		}
		if want := requests * work / c.slices; !near(end, want, 0.3) {
			t.Errorf("%s: %.0f cycles, want about %.0f", c.name, end, want)
		}
	}
}

// What slices are asked for is what was asked of L2: here of every slice as much, and of one all that many multiprocessors want.
func TestSectorsOfSlices(t *testing.T) {
	_, m := h200(t)
	f := NewFootprint(m.sms)
	for _, c := range []struct {
		name        string
		stride      uint64
		most, least float64
	}{{"lines all over", 1, 1.2, 0.8}, {"one line", 0, 60, 0}} {
		chip := newChip(m, f, m.sms, 1, held{})
		const requests = 1 << 12
		for i := range uint64(requests) {
			if c.stride == 0 {
				chip.l2.count(chip.l2.of(0), lineSectors*chip.active, 0)
				continue
			}
			chip.fetch(float64(i), []uint64{i * lineSectors, i*lineSectors + 1, i*lineSectors + 2, i*lineSectors + 3}, 0, true)
		}
		sum := chip.l2.others
		for _, n := range chip.l2.sectors {
			sum += n
		}
		if want := requests * lineSectors * chip.active; !near(sum, want, 1e-9) {
			t.Errorf("%s: slices were asked for %.0f sectors of %.0f", c.name, sum, want)
		}
		most, least := chip.l2.spread()
		if c.stride != 0 && (most > c.most || least < c.least) || c.stride == 0 && (most < c.most || least > c.least) {
			t.Errorf("%s: the busiest slice has %.2f of the average, the idlest %.2f", c.name, most, least)
		}
	}
}

// More requests never end sooner, whoever sends them.
func TestServersNeverCatchUp(t *testing.T) {
	s := newServers(7, 10)
	var last [7]float64
	for i := range 10000 {
		now, server := float64(i/3), int(scatter(uint64(i))%7)
		end := now + s.serve(now, server, float64(i%5), float64(i%11))
		if end < last[server]-1e-9 {
			t.Fatalf("request %d begins at %.1f, an earlier one at %.1f", i, end, last[server])
		}
		last[server] = end
	}
}
