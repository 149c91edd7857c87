package profile

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"silica/gpu"
	"silica/internal/ir"
	"silica/internal/sass"
	"silica/internal/timing"
)

// Timing is what the model of the machine says of a launch: how long it takes with empty caches, and what its warps wait for. Sums are those
// of the whole chip unless they say otherwise.
type Timing struct {
	Cycles        float64 `json:"cycles"`         // from the beginning to the end
	Active        float64 `json:"active"`         // in which the busiest SM has warps
	ActiveAverage float64 `json:"active_average"` // the same of all SMs
	Nanoseconds   float64 `json:"nanoseconds"`
	// Instructions and WarpCycles are those of the busiest SM: warp instructions, and cycles of its warps together.
	Instructions float64 `json:"instructions"`
	WarpCycles   float64 `json:"warp_cycles"`
	// States are the cycles of WarpCycles by what a warp does, under Nsight Compute's names.
	States map[string]float64 `json:"states"`
	// Busy is the part of the active cycles in which each pipe works; L2Busy and DRAMBusy are parts of all cycles.
	Busy map[string]float64 `json:"busy"`
	// Executed is the part of the active cycles in which each part of an SM takes instructions, under Nsight Compute's names, DataPipe that
	// in which data goes through L1 and shared memory.
	Executed map[timing.Part]float64 `json:"executed"`
	DataPipe float64                 `json:"data_pipe"`
	L2Busy   float64                 `json:"l2_busy"`
	DRAMBusy float64                 `json:"dram_busy"`

	// Sectors.
	L1Hits      float64 `json:"l1_hits"`
	L1Misses    float64 `json:"l1_misses"`
	LocalHits   float64 `json:"l1_local_hits"` // of local memory, among them
	LocalMisses float64 `json:"l1_local_misses"`
	// Those of textures, and of what was stored to global and to local memory, are not among them.
	TextureHits      float64 `json:"l1_texture_hits"`
	TextureMisses    float64 `json:"l1_texture_misses"`
	StoreHits        float64 `json:"l1_store_hits"`
	StoreMisses      float64 `json:"l1_store_misses"`
	LocalStoreHits   float64 `json:"l1_local_store_hits"`
	LocalStoreMisses float64 `json:"l1_local_store_misses"`
	L2ReadHits       float64 `json:"l2_read_hits"`
	L2ReadMisses     float64 `json:"l2_read_misses"`
	L2Writes         float64 `json:"l2_writes"`
	L2Atomics        float64 `json:"l2_atomics"`
	// L2ReadRequests and L2WriteRequests are in how many pieces, of a line at most, the sectors came.
	L2ReadRequests  float64 `json:"l2_read_requests"`
	L2WriteRequests float64 `json:"l2_write_requests"`
	// L2PartialRequests are those of the latter that store to parts of sectors.
	L2PartialRequests float64 `json:"l2_partial_requests"`
	L2Fabric          float64 `json:"l2_fabric"` // from one part of L2 to another
	// SliceMost and SliceLeast are the sectors of the busiest and the idlest slice of L2, beside the average one.
	SliceMost  float64 `json:"slice_most"`
	SliceLeast float64 `json:"slice_least"`
	DRAMReads  float64 `json:"dram_reads"`
	DRAMWrites float64 `json:"dram_writes"`

	// Writebacks are registers of warps, of 128 bytes, that L1 and shared memory gave.
	Writebacks float64 `json:"l1_writebacks"`

	// Sampled is the part of the busiest SM's work that was simulated, more than 1 where the simulated blocks do more than others; Simulated
	// is how many blocks those are. Deviation is by how much, as a part, the average of so many blocks' instructions differs from that of
	// all: the standard deviation.
	Sampled   float64 `json:"sampled"`
	Simulated int     `json:"simulated"`
	Deviation float64 `json:"deviation"`
	// Warm tells that the caches held what earlier launches left; else they were empty.
	Warm bool `json:"warm,omitempty"`
	// Window are the cycles that were watched, of the simulated SM, and Warps is what its warps did in them.
	Window Window      `json:"window,omitzero"`
	Warps  []WarpTrace `json:"warps,omitempty"`
	// Of is the launch that this timing is taken from, one with the same kernel and grid and about as much work, when this one was not simulated;
	// else -1.
	Of int `json:"of"`
	// Registers is what the machine code takes of a thread.
	Registers int                `json:"registers"`
	Code      []TimedInstruction `json:"code"`
}

// TimedInstruction is a machine instruction of the busiest SM.
type TimedInstruction struct {
	Function int     `json:"function"` // in Launch.Functions
	PC       int     `json:"pc"`       // of the PTX instruction that it stands for; -1 for none
	Text     string  `json:"text"`
	Issued   float64 `json:"issued"`
	// States are the cycles that warps spent before it, by what they waited for.
	States map[string]float64 `json:"states,omitempty"`
	// On is the instruction, in Timing.Code, whose result they waited for most; -1 for none.
	On int `json:"on"`
}

// WarpTrace is what a warp of the simulated SM did in the window.
type WarpTrace struct {
	Warp    int   `json:"warp"` // in the order of starting
	SubCore int   `json:"sub_core"`
	Block   int   `json:"block"`
	Start   int64 `json:"start"`
	End     int64 `json:"end"`
	// Spans follow each other without a gap.
	Spans []Span `json:"spans"`
}

// Opcode is the instruction without its operands and guard: "LDG.E.64".
func (i *TimedInstruction) Opcode() string {
	for word := range strings.FieldsSeq(i.Text) {
		if !strings.HasPrefix(word, "@") {
			return strings.TrimSuffix(word, ";")
		}
	}
	return ""
}

// Span are cycles that a warp spends in a state before it issues an instruction; in the state selected it issues it.
type Span struct {
	From  int64  `json:"from"`
	To    int64  `json:"to"`
	State string `json:"state"`
	Code  int    `json:"code"` // the instruction, in Timing.Code
	On    int    `json:"on"`   // the one whose result it waits for, -1 for none
}

// of is the timing of a launch like one that was timed: its code stands there.
func (t *Timing) of(launch int) *Timing {
	out := *t
	out.Code, out.Warps, out.Of = nil, nil, launch
	return &out
}

// timer holds what launches of one collector share. Launches that look alike are timed once.
type timer struct {
	programs map[*ir.Kernel]*sass.Program
	done     map[alike]*timedLaunch
	// configurations holds the same by what they have in common without their arguments.
	configurations map[alike][]*timedLaunch
	// past holds, by context, the launches whose data may still be in the caches, the latest first, and names them.
	past map[int][]past
}

// timedLaunch is a launch that was simulated.
type timedLaunch struct {
	launch *Launch
	work   uint64
}

// mostTimed bounds the launches with one configuration and different arguments that are simulated: loops over the steps of an algorithm
// have as many.
const mostTimed = 16

// wants tells whether a launch is to be simulated.
func (t *timer) wants(key alike) bool {
	return t.done[key] == nil && len(t.configurations[key.configuration()]) < mostTimed
}

// enter keeps a launch that was simulated.
func (t *timer) enter(key alike, l *Launch) {
	d := &timedLaunch{l, l.work()}
	t.done[key] = d
	c := key.configuration()
	t.configurations[c] = append(t.configurations[c], d)
}

// like returns the timing of a launch that was not simulated: that of the one with the same arguments, or of the one with the same
// configuration that did about as much; nil when there is none.
func (t *timer) like(key alike, l *Launch) *Timing {
	nearest := t.done[key]
	if nearest == nil {
		work := l.work()
		apart := func(d *timedLaunch) uint64 { return max(d.work, work) - min(d.work, work) }
		for _, d := range t.configurations[key.configuration()] {
			if nearest == nil || apart(d) < apart(nearest) {
				nearest = d
			}
		}
	}
	if nearest == nil {
		return nil
	}
	return nearest.launch.Timing.of(nearest.launch.ID)
}

// work is how much a launch did, as far as its time depends on it: warp instructions, sectors and wavefronts.
func (l *Launch) work() (n uint64) {
	for i := range l.Instructions {
		in := &l.Instructions[i]
		n += in.Warps
		for j := range in.Memory {
			n += in.Memory[j].Sectors + in.Memory[j].Wavefronts
		}
	}
	return n
}

// past is a launch that ended.
type past struct {
	alike
	timing.Launch
}

// pastLaunches is how many launches back data is looked for in the caches.
const pastLaunches = 8

// remember enters a launch that ended, and returns those before it.
func (t *timer) remember(context int, p past) (before []timing.Launch) {
	for _, b := range t.past[context] {
		before = append(before, b.Launch)
	}
	list := slices.Insert(t.past[context], 0, p)
	t.past[context] = list[:min(len(list), pastLaunches)]
	return before
}

// name tells launches of a context before this one apart.
func (t *timer) name(context int) string {
	var b strings.Builder
	for _, p := range t.past[context] {
		fmt.Fprintf(&b, "%p %v %v %d %x;", p.kernel, p.grid, p.block, p.shared, p.arguments)
	}
	return b.String()
}

// alike is what launches have in common that are timed once.
type alike struct {
	kernel      *ir.Kernel
	grid, block Dim
	shared      int
	arguments   string
	before      string // the launches whose data may be in the caches
}

// configuration is what remains without the arguments.
func (a alike) configuration() alike {
	a.arguments = ""
	return a
}

// arguments are those of a launch. Of what looks like an address only that counts which its accesses depend on.
func arguments(params []byte) string {
	out := slices.Clone(params)
	for at := 0; at+8 <= len(out); at += 8 {
		if v := binary.LittleEndian.Uint64(out[at:]); v >= 1<<32 {
			binary.LittleEndian.PutUint64(out[at:], v%lineBytes)
		}
	}
	return string(out)
}

func newTimer() *timer {
	return &timer{
		programs: map[*ir.Kernel]*sass.Program{}, done: map[alike]*timedLaunch{}, configurations: map[alike][]*timedLaunch{}, past: map[int][]past{},
	}
}

// program returns the machine code of a kernel, nil when that is not known for the GPU.
func (t *timer) program(g *gpu.GPU, k *ir.Kernel) *sass.Program {
	p, ok := t.programs[k]
	if !ok {
		if arch, err := sass.ArchOf(g); err == nil {
			p = sass.Lower(k, arch)
		}
		t.programs[k] = p
	}
	return p
}

// untimed says that the model does not cover a GPU.
func untimed(g *gpu.GPU) string {
	_, err := sass.ArchOf(g)
	return fmt.Sprintf("the model of the machine does not cover it: %v", err)
}

// simulate times a launch that was listened to; nil when there is nothing to simulate.
func simulate(g *gpu.GPU, p *sass.Program, l *Launch, heard *timing.Listening, watch Window, before []timing.Launch) *Timing {
	r, err := timing.Simulate(timing.Launch{
		GPU: g, Program: p, Blocks: l.Grid.Count(), Occupancy: l.Occupancy, Recorder: heard.Recorder, Footprint: heard.Footprint,
		Watch: timing.Window(watch), Before: before,
	})
	if err != nil {
		return nil // no block was recorded: the launch did nothing
	}
	t := newTiming(r, p, l)
	t.Warm, t.Window = len(before) > 0, watch
	return t
}

func newTiming(r *timing.Result, p *sass.Program, l *Launch) *Timing {
	tr := r.Traffic
	t := &Timing{
		Cycles: r.Elapsed, Active: r.Active, ActiveAverage: r.ActiveAverage, Nanoseconds: float64(r.Duration.Nanoseconds()),
		Instructions: r.Instructions, WarpCycles: r.WarpCycles, States: states(r.States), Busy: r.Busy, L2Busy: r.L2Busy, DRAMBusy: r.DRAMBusy,
		Executed: r.Executed, DataPipe: r.DataPipe, LocalHits: tr.LocalHits, LocalMisses: tr.LocalMisses,
		L2ReadRequests: tr.L2ReadRequests, L2WriteRequests: tr.L2WriteRequests, L2Fabric: tr.L2Fabric, SliceMost: tr.SliceMost, SliceLeast: tr.SliceLeast,
		TextureHits: tr.TextureHits, TextureMisses: tr.TextureMisses, StoreHits: tr.StoreHits, StoreMisses: tr.StoreMisses,
		LocalStoreHits: tr.LocalStoreHits, LocalStoreMisses: tr.LocalStoreMisses, L2PartialRequests: tr.L2PartialRequests,
		L1Hits: tr.L1Hits, L1Misses: tr.L1Misses, L2ReadHits: tr.L2ReadHits, L2ReadMisses: tr.L2ReadMisses,
		L2Writes: tr.L2Writes, L2Atomics: tr.L2Atomics, DRAMReads: tr.DRAMReads, DRAMWrites: tr.DRAMWrites, Writebacks: tr.Writebacks,
		Sampled: r.Sampled, Simulated: r.Simulated, Deviation: r.Deviation, Of: -1, Registers: p.Registers,
	}
	for _, w := range r.Warps {
		trace := WarpTrace{Warp: w.Warp, SubCore: w.SubCore, Block: w.Block, Start: w.Start, End: w.End}
		for _, s := range w.Spans {
			trace.Spans = append(trace.Spans, Span{s.From, s.To, s.State.String(), s.Line, s.On})
		}
		t.Warps = append(t.Warps, trace)
	}
	functionOf := map[*sass.Inst]int{}
	for f, fn := range p.Funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Code {
				functionOf[in] = f
			}
		}
	}
	for _, line := range r.Lines {
		t.Code = append(t.Code, TimedInstruction{
			Function: functionOf[line.Inst], PC: line.Inst.PC, Text: line.Inst.String(), Issued: line.Issued, States: states(line.States), On: line.On,
		})
	}
	return t
}

// states names the states that occur.
func states(all [timing.States]float64) map[string]float64 {
	out := map[string]float64{}
	for i, n := range all {
		if n != 0 {
			out[timing.State(i).String()] = n
		}
	}
	return out
}

// TopStall is what warps wait for most, with its part of their cycles; "" when they never wait.
func (t *Timing) TopStall() (state string, share float64) {
	var names []string
	for name := range t.States {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if name != timing.Selected.String() && t.States[name] > t.States[state] {
			state = name
		}
	}
	if state == "" || t.WarpCycles == 0 {
		return "", 0
	}
	return state, t.States[state] / t.WarpCycles
}
