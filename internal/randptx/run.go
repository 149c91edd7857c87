package randptx

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/mem"
	"silica/ptx"
)

// Outcome is what a run of a program gives.
type Outcome struct {
	// Memory is the output; it counts only when Err is empty.
	Memory []byte
	Err    string
	// stats is what the engine told of each instruction; accesses and entries are what it told, in order, of the memory
	// accesses of each warp and of the basic blocks that warps of followed blocks entered.
	stats    *exec.Stats
	accesses watcher
	entries  map[warpID][]entry
	kernel   *ir.Kernel
}

// maxInstructions ends programs that minimizing has robbed of their ends.
const maxInstructions = 1 << 20

// Kernel loads the program.
func (p *Program) Kernel() (*ir.Kernel, error) {
	tree, err := ptx.Load("random.ptx", []byte(p.Text()))
	if err != nil {
		return nil, err
	}
	module, err := ir.NewModule(tree)
	if err != nil {
		return nil, err
	}
	return module.Kernel("k")
}

// Run runs a loaded program on an engine. An error tells that it could not start; what the program does wrong is in the outcome.
func (p *Program) Run(ctx context.Context, e exec.Engine, kernel *ir.Kernel) (*Outcome, error) {
	memory, err := mem.New(1 << 24)
	if err != nil {
		return nil, err
	}
	o, err := p.runIn(ctx, e, kernel, memory)
	return o, errors.Join(err, memory.Close())
}

func (p *Program) runIn(ctx context.Context, e exec.Engine, kernel *ir.Kernel, memory *mem.Memory) (*Outcome, error) {
	variables, err := exec.PlaceVariables(kernel.Module, memory, nil)
	if err != nil {
		return nil, err
	}
	input := Input()
	in, err := buffer(memory, input[:InputBytes])
	if err != nil {
		return nil, err
	}
	out, err := buffer(memory, make([]byte, p.OutputBytes()))
	if err != nil {
		return nil, err
	}
	params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in), out)
	watcher, entries := watcher{}, map[warpID][]entry{}
	l := &exec.Launch{
		Kernel: kernel, Grid: exec.Dim3{X: p.Grid, Y: 1, Z: 1}, Block: exec.Dim3{X: p.Block, Y: 1, Z: 1},
		Cluster: exec.Dim3{X: p.Cluster, Y: 1, Z: 1}, Memory: memory, Params: append(params, input[InputBytes:]...),
		Machine: exec.Machine{
			SMs: 132, BlocksPerSM: 1, WarpsPerSM: 64, SharedPerBlock: 227 << 10, ClockHz: 1.98e9, LocalPerThread: 512 << 10,
			SharedReserved: 1024, ComputeCapability: 90,
		},
		Symbols: variables.Symbols, ConstRegions: variables.ConstRegions, Workers: 1, Stdout: io.Discard, MaxInstructions: maxInstructions,
		Count: true, Observe: func(int) exec.Observer { return watcher },
		Trace: func(block int) exec.Tracer {
			if (p.Seed+uint64(block))%2 == 0 {
				return nil // these run other code
			}
			return follower{entries, block}
		},
	}
	stats, err := e.Run(ctx, l)
	o := &Outcome{stats: stats, accesses: watcher, entries: entries, kernel: kernel}
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		o.Err = err.Error()
		return o, nil
	}
	b, err := memory.Bytes(out, uint64(p.OutputBytes()))
	if err != nil {
		return nil, err
	}
	o.Memory = slices.Clone(b)
	p.forget(o.Memory)
	return o, nil
}

// buffer allocates memory with contents.
func buffer(memory *mem.Memory, contents []byte) (uint64, error) {
	addr, err := memory.Alloc(uint64(len(contents)), 256)
	if err != nil {
		return 0, err
	}
	b, err := memory.Bytes(addr, uint64(len(contents)))
	if err != nil {
		return 0, err
	}
	copy(b, contents)
	return addr, nil
}

// watcher is an exec.Observer that keeps the accesses of each warp.
type watcher map[warpID][]access

// warpID names a warp of a launch.
type warpID struct{ block, warp int }

// access is one access of a warp.
type access struct {
	inst  *ir.Inst
	space isa.Space
	mask  uint32
	bytes int
	sum   uint64 // of the addresses
}

func (a access) String() string {
	return fmt.Sprintf("line %d, %s: %s space, lanes %08x, %d bytes, addresses %x", a.inst.Pos.Line, a.inst.Form.Name(), a.space, a.mask, a.bytes, a.sum)
}

func (watcher) BlockStart(int) {}
func (watcher) BlockEnd(int)   {}

func (w watcher) Access(a *exec.Access) {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	sum := uint64(offset)
	for lane, addr := range a.Addr {
		if a.Mask>>lane&1 != 0 {
			sum = (sum ^ addr) * prime
		}
	}
	id := warpID{a.Block, a.Warp}
	w[id] = append(w[id], access{a.Inst, a.Space, a.Mask, a.Bytes, sum})
}

// follower is an exec.Tracer that keeps the basic blocks that warps of a block enter.
type follower struct {
	entries map[warpID][]entry
	block   int
}

// entry is a basic block that lanes of a warp entered.
type entry struct {
	fn, block int
	mask      uint32
}

func (e entry) String() string {
	return fmt.Sprintf("lanes %08x enter block %d of function %d", e.mask, e.block, e.fn)
}

func (f follower) Enter(warp, fn, block int, mask uint32) {
	id := warpID{f.block, warp}
	f.entries[id] = append(f.entries[id], entry{fn, block, mask})
}

func (follower) Access(*exec.Access) {}

// patience is how often lanes of a warp may look at what others change before the other lanes of the warp have a turn. Where
// in its last round a loop gives way is each engine's business, and with it which lanes run together from then on.
const patience = 64

// polls counts the executions of instructions with which programs wait.
func (o *Outcome) polls() (n uint64) {
	for f, counts := range o.stats.Funcs {
		for pc, c := range counts {
			in := &o.kernel.Funcs[f].Code[pc]
			waits := in.Form != nil && (in.Form.Has(".test_wait") || in.Form.Has(".try_wait"))
			if in.Op == isa.OpAtom || in.Op == isa.OpNanosleep || in.Op == isa.OpLoad && in.Mem.Order != "" || waits {
				n += c.Warps
			}
		}
	}
	return n
}

// Difference tells the first difference of a program's outcomes, "" when there is none.
func (p *Program) Difference(want, got *Outcome) string {
	switch {
	case (want.Err == "") != (got.Err == ""):
		return fmt.Sprintf("error %q, want %q", got.Err, want.Err)
	case want.Err != "":
		return "" // which thread is at fault first, and what others have done by then, is the engine's business
	}
	if list := p.differences(want.Memory, got.Memory, 1); list != nil {
		return list[0]
	}
	loose := want.polls() >= patience
	for f := range want.stats.Funcs {
		for pc, w := range want.stats.Funcs[f] {
			g := got.stats.Funcs[f][pc]
			if loose {
				g.Warps, g.Divergent = w.Warps, w.Divergent
			}
			if g != w {
				in := &want.kernel.Funcs[f].Code[pc]
				return fmt.Sprintf("line %d, %s: counts are %+v, want %+v", in.Pos.Line, in.Form.Name(), g, w)
			}
		}
	}
	if loose {
		return ""
	}
	for warp, list := range want.accesses {
		if text := firstDifference(list, got.accesses[warp]); text != "" {
			return fmt.Sprintf("block %d, warp %d: access %s", warp.block, warp.warp, text)
		}
	}
	for warp, list := range want.entries {
		if text := firstDifference(list, got.entries[warp]); text != "" {
			return fmt.Sprintf("block %d, warp %d: entry %s", warp.block, warp.warp, text)
		}
	}
	return ""
}

// Differences tells up to limit words in which an output, such as the hardware's, is not that of the outcome.
func (p *Program) Differences(want *Outcome, output []byte, limit int) []string {
	output = slices.Clone(output)
	p.forget(output)
	return p.differences(want.Memory, output, limit)
}

func (p *Program) differences(want, got []byte, limit int) []string {
	var list []string
	for at := 0; at < len(want) && len(list) < limit; at += 4 {
		if w, g := binary.LittleEndian.Uint32(want[at:]), binary.LittleEndian.Uint32(got[at:]); w != g {
			list = append(list, fmt.Sprintf("%s is 0x%08x, want 0x%08x", p.where(at), g, w))
		}
	}
	return list
}

func firstDifference[T interface {
	comparable
	fmt.Stringer
}](want, got []T) string {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("%d is missing: %s", i, want[i])
		case i >= len(want):
			return fmt.Sprintf("%d is one too many: %s", i, got[i])
		case want[i] != got[i]:
			return fmt.Sprintf("%d is %s, want %s", i, got[i], want[i])
		}
	}
	return ""
}

// where names a word of the output.
func (p *Program) where(offset int) string {
	at := offset - commonBytes
	if at < 0 {
		return fmt.Sprintf("common word %d", offset/4)
	}
	if at >= p.Grid*p.Block*threadBytes {
		return fmt.Sprintf("memory of the warps at byte %d", at-p.Grid*p.Block*threadBytes)
	}
	thread := at / threadBytes
	at %= threadBytes
	what := "scratch memory"
	switch {
	case at < registerBytes:
		return fmt.Sprintf("block %d, thread %d: %s", thread/p.Block, thread%p.Block, registersAt(at))
	case at < scratchAt:
		what, at = "shared memory", at-registerBytes
	default:
		at -= scratchAt
	}
	return fmt.Sprintf("block %d, thread %d: word %d of its %s", thread/p.Block, thread%p.Block, at/4, what)
}
