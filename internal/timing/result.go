package timing

import (
	"errors"
	"time"

	"silica/gpu"
	"silica/internal/sass"
)

// Launch is what Simulate has to know of a launch.
type Launch struct {
	GPU       *gpu.GPU
	Program   *sass.Program
	Blocks    int // of the grid
	Occupancy gpu.Occupancy
	Recorder  *Recorder
	Footprint *Footprint
	// Before are launches that ran before this one, the latest first, of which the caches hold what fits; without any, they are empty.
	Before []Launch
	// Watch are the cycles in which the result tells what each warp does.
	Watch Window
}

// Window are cycles of the simulated multiprocessor, counted from the start of its first warp: From and those after it, without To.
type Window struct{ From, To int64 }

// Result is how long a launch takes, and why.
type Result struct {
	// Elapsed are cycles from the beginning to the end of the launch, Active those in which the busiest multiprocessor has warps,
	// ActiveAverage the same of all multiprocessors.
	Elapsed, Active, ActiveAverage float64
	Duration                       time.Duration
	// Instructions is what warps execute on the busiest multiprocessor.
	Instructions float64
	// WarpCycles are the cycles of its warps, together.
	WarpCycles float64
	// States are the warp-cycles by state, Lines those before each machine instruction.
	States  [States]float64
	Lines   []Line
	Traffic Traffic
	// Busy is the part of the active cycles in which each pipe works: fma, alu, fp64, xu, tensor, uniform of the sub-cores, and lsu.
	Busy map[string]float64
	// Executed is the part of the active cycles in which the parts of the multiprocessor take instructions, DataPipe that in which data
	// goes through L1 and shared memory: one wavefront in a cycle.
	Executed map[Part]float64
	DataPipe float64
	// L2Busy and DRAMBusy are the parts of the elapsed cycles in which the slices of L2 and the channels of memory work.
	L2Busy, DRAMBusy float64
	// Warps is what warps do in the cycles that were watched, in the order in which they start.
	Warps []WarpTrace
	// Sampled is the part of the busiest multiprocessor's work that was simulated; the rest takes as long as that did on average. It is more than 1
	// where the simulated blocks do more than others.
	Sampled float64
	// Simulated is how many blocks that are, and Deviation by how much, as a part, the average of so many blocks' instructions differs from
	// that of all: the standard deviation.
	Simulated int
	Deviation float64
}

// Line is a machine instruction, with what warps waited for before it.
type Line struct {
	Inst   *sass.Inst
	Issued float64
	States [States]float64
	// On is the line whose result warps waited for most, -1 for none.
	On int
}

// ErrNothing is returned for a launch of which no block was recorded.
var ErrNothing = errors.New("no block was recorded")

// Simulate tells how long a launch takes.
func Simulate(l Launch) (*Result, error) {
	blocks := l.Recorder.ordered()
	if len(blocks) == 0 {
		return nil, ErrNothing
	}
	m := newMachine(l.GPU, l.Occupancy.SharedConfig)
	resident := max(l.Occupancy.Blocks, 1)
	functions, ops := decode(l.Program, m)
	chip := newChip(m, l.Footprint, l.Blocks, resident, newHeld(m, l))
	c := &core{
		m: m, chip: chip, memory: newMemory(m, chip), program: functions, codes: newFetcher(m, len(ops), chip.held.code),
		waits:   waits{kernel: l.Program.Kernel, footprint: l.Footprint},
		waiting: blocks, slots: resident, stats: make([]stalls, len(ops)), watch: l.Watch,
	}
	for i := range c.subs {
		c.subs[i].next, c.subs[i].memory.left, c.subs[i].textures.left = never, make([]float64, m.model.LSUQueue), make([]float64, m.model.LSUQueue)
	}
	c.run()
	return c.result(l, ops, len(blocks)), nil
}

func (c *core) result(l Launch, ops []*operation, simulated int) *Result {
	if c.waits.found {
		l.Footprint.work = nil // blocks that wait for each other do as much as the engine makes them wait: they are taken to do alike
	}
	work := l.Footprint.share(l.Blocks, simulated, c.slots, c.blocksThatFill())
	r := &Result{Sampled: work.sampled, Simulated: simulated, Deviation: work.deviation}
	scale := 1 / r.Sampled
	busy := float64(c.end+1) * scale
	r.Active = busy + c.m.model.Spread*(1-1/c.chip.active)
	r.Traffic = c.chip.traffic(work.traffic, float64(len(ops)*instructionBytes), c.memory.constantBytes())
	transfers := (r.Traffic.DRAMReads + r.Traffic.DRAMWrites) / pieceSectors * c.m.dram.transfer / float64(c.m.dram.channels)
	r.Elapsed = max(r.Active, c.chip.atomicEnd*scale, transfers) + c.m.model.Launch
	r.ActiveAverage = busy * work.even
	r.Duration = time.Duration(r.Elapsed / c.m.hz * float64(time.Second))
	r.Instructions = float64(c.issued) * scale
	r.WarpCycles = c.active * scale
	for i, s := range c.stats {
		line := Line{Inst: ops[i].inst, Issued: float64(s.issued) * scale, On: s.most()}
		for k, n := range s.cycles {
			line.States[k] = n * scale
			r.States[k] += n * scale
		}
		r.Lines = append(r.Lines, line)
	}
	r.Warps = c.watched()
	cycles := max(float64(c.end+1), 1)
	share := func(p pipe) float64 { return c.busy[p] / cycles / float64(c.m.subCores) }
	r.Busy = map[string]float64{
		"fma": share(pipeFMA) + share(pipeIMAD)/2, "alu": share(pipeALU), "fp64": share(pipeFP64), "xu": share(pipeXU), "tensor": share(pipeTensor),
		"uniform": share(pipeUniform), "lsu": c.memory.busy / cycles, "tex": c.memory.texBusy / cycles,
	}
	r.Executed, r.DataPipe = c.parts(ops, cycles), c.memory.data/cycles
	r.L2Busy = min(max(c.chip.l2.read.used, c.chip.l2.write.used)*scale/r.Elapsed, 1)
	r.DRAMBusy = transfers / r.Elapsed
	return r
}

// blocksThatFill is how many blocks keep the multiprocessor busy: as many as have the warps that are not held up by others, on average.
func (c *core) blocksThatFill() float64 {
	var own float64
	for _, s := range c.stats {
		for state, n := range s.cycles {
			switch State(state) {
			case NotSelected, MathPipeThrottle, MIOThrottle, LGThrottle, TexThrottle:
			default:
				own += n
			}
		}
	}
	return own / float64(c.end+1) * float64(c.started) / float64(c.warps)
}

// most is the operation whose result was waited for longest, the first of equals; -1 for none.
func (s *stalls) most() int {
	best := waiting{op: -1}
	for _, w := range s.on {
		if best.op < 0 || w.cycles > best.cycles || w.cycles == best.cycles && w.op < best.op {
			best = w
		}
	}
	return int(best.op)
}
