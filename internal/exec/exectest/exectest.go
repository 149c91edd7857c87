package exectest

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/mem"
	"silica/ptx"
)

//go:embed testdata/*.ptx
var programs embed.FS

// Run checks the engine contract on an engine.
func Run(t *testing.T, engine exec.Engine) {
	for name, check := range map[string]func(t *testing.T, e exec.Engine){
		"progress":     checkProgress,
		"results":      checkResults,
		"faults":       checkFaults,
		"limits":       checkLimits,
		"printf":       checkPrintf,
		"malloc":       checkMalloc,
		"counts":       checkCounts,
		"observations": checkObservations,
		"copies":       checkCopies,
		"elements":     checkElements,
		"warpgroups":   checkWarpgroups,
		"runtime":      checkRuntime,
		"products":     checkTensorProducts,
		"meetings":     checkMeetings,
		"hot":          checkHot,
		"gemm":         checkTensorGemm,
		"short":        checkShortPrograms,
		"conversions":  checkConversions,
		"stuck":        checkStuck,
		"four rows":    checkFourRows,
		"images":       checkImages,
		"replaced map": checkReplacedMap,
		"traces":       checkTraces,
		"product row":  checkProductsInARow,
		"together":     checkTogether,
		"mixed":        checkMixedSpaces,
	} {
		t.Run(name, func(t *testing.T) { check(t, engine) })
	}
}

// machine is a small GPU.
func machine() exec.Machine {
	return exec.Machine{
		SMs: 8, BlocksPerSM: 4, WarpsPerSM: 64, SharedPerBlock: 48 << 10, ClockHz: 1e9,
		LocalPerThread: 64 << 10, SharedReserved: 1024, ComputeCapability: 90,
	}
}

// newLaunch loads the program testdata/NAME.ptx and prepares a launch of its kernel k. out is what its
// parameter points to, zero at first.
func newLaunch(t *testing.T, name string, grid, block, outBytes int) (l *exec.Launch, out []byte) {
	t.Helper()
	file := name + ".ptx"
	source, err := programs.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return newLaunchOf(t, file, source, grid, block, outBytes)
}

// newLaunchOf is newLaunch for a program's text.
func newLaunchOf(t *testing.T, file string, source []byte, grid, block, outBytes int) (l *exec.Launch, out []byte) {
	t.Helper()
	tree, err := ptx.Load(file, source)
	if err != nil {
		t.Fatal(err)
	}
	module, err := ir.NewModule(tree)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := module.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	memory, err := mem.New(1 << 24)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := memory.Close(); err != nil {
			t.Error(err)
		}
	})
	variables, err := exec.PlaceVariables(module, memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	addr, err := memory.Alloc(uint64(outBytes), 0)
	if err != nil {
		t.Fatal(err)
	}
	if out, err = memory.Bytes(addr, uint64(outBytes)); err != nil {
		t.Fatal(err)
	}
	clear(out)
	one := exec.Dim3{X: 1, Y: 1, Z: 1}
	l = &exec.Launch{
		Kernel: kernel, Grid: one, Block: one, Cluster: one, Memory: memory, Machine: machine(),
		Symbols: variables.Symbols, ConstRegions: variables.ConstRegions,
		Params: binary.LittleEndian.AppendUint64(nil, addr), MaxInstructions: 1 << 26,
	}
	l.Grid.X, l.Block.X = grid, block
	return l, out
}

func words(b []byte) []uint32 {
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w
}

// checkProgress runs programs that end only if every thread that can run does so at some time.
func checkProgress(t *testing.T, e exec.Engine) {
	const squares = 199 * 200 * 399 / 6 // the sum of those below 200
	for _, c := range []struct {
		program              string
		grid, block, workers int
		out                  []uint32
	}{
		{"lock_between_lanes", 1, 32, 1, []uint32{32, 0}},
		{"lock_between_lanes", 4, 96, 2, []uint32{384, 0}},
		{"flag_from_a_later_lane", 1, 32, 1, []uint32{77, 77}},
		{"flag_from_a_later_warp", 1, 64, 1, []uint32{5}},
		{"grid_barrier", 32, 32, 1, []uint32{32 * 32, 32 * 32}},
		{"grid_barrier", 32, 64, 4, []uint32{32 * 64, 32 * 64}},
		{"full_and_empty", 1, 32, 1, []uint32{31 * squares}},
		{"full_and_empty", 2, 64, 1, []uint32{2 * 63 * squares}},
		{"full_and_empty", 1, 288, 1, []uint32{287 * squares % (1 << 32)}},
	} {
		l, out := newLaunch(t, c.program, c.grid, c.block, 4*len(c.out))
		l.Workers = c.workers
		if _, err := e.Run(context.Background(), l); err != nil {
			t.Errorf("%s with %d blocks of %d on %d workers: %v", c.program, c.grid, c.block, c.workers, err)
			continue
		}
		for i, v := range words(out) {
			if v != c.out[i] {
				t.Errorf("%s with %d blocks of %d on %d workers: word %d is %d, want %d", c.program, c.grid, c.block, c.workers, i, v, c.out[i])
			}
		}
	}
}

func checkResults(t *testing.T, e exec.Engine) {
	for _, c := range []struct {
		program string
		block   int
		dynamic int
		want    func(thread uint32) uint32
	}{
		{"shuffles_in_both_arms", 32, 0, func(i uint32) uint32 {
			if i&1 == 0 {
				return i ^ 4
			}
			return i ^ 2
		}},
		{"sync_with_exited_lanes", 64, 0, func(i uint32) uint32 {
			switch {
			case i < 8:
				return 0
			case i < 32:
				return 0xFFFFFF00
			}
			return 0xFFFFFFFF
		}},
		{"reconvergence", 32, 0, func(uint32) uint32 { return 0xFFFFFFFF }},
		{"variable_arguments", 32, 0, func(i uint32) uint32 { return [...]uint32{60, 0, 7 + i}[i%3] }},
		{"dynamic_shared", 50, 200, func(i uint32) uint32 { return 2*i + 1 }},
		{"stacks_apart", 32, 0, func(i uint32) uint32 {
			if i < 16 {
				return 2 * (i + 100)
			}
			return 2 * i
		}},
		{"functions_side_by_side", 64, 0, func(i uint32) uint32 {
			thread, high := i/2, i&1
			switch {
			case thread&1 == 0: // a + b + c + d, each 1<<32 more than the one before
				return 4*thread*(1-high) + 6*high
			case high == 0:
				return 4*thread + 6
			}
			return 0
		}},
	} {
		size := 4 * c.block
		if c.program == "functions_side_by_side" {
			size *= 2
		}
		l, out := newLaunch(t, c.program, 1, c.block, size)
		l.DynamicShared = c.dynamic
		if _, err := e.Run(context.Background(), l); err != nil {
			t.Errorf("%s: %v", c.program, err)
			continue
		}
		for i, v := range words(out) {
			if want := c.want(uint32(i)); v != want {
				t.Errorf("%s: word %d is 0x%x, want 0x%x", c.program, i, v, want)
			}
		}
	}
}

func checkFaults(t *testing.T, e exec.Engine) {
	for _, c := range []struct {
		program string
		block   int
		kind    exec.FaultKind
		thread  int
		detail  string // part of the message
	}{
		{"barriers_apart", 64, exec.Deadlock, 0, "warp 1 waits at barrier 1 for"},
		{"barrier_number_too_high", 32, exec.IllegalInstruction, 0, "barrier 16"},
		{"endless_recursion", 32, exec.StackOverflow, 0, "65536"},
		{"call_of_no_function", 32, exec.InvalidPC, 3, "call_of_no_function.ptx:16:2"},
		{"branch_index_too_high", 32, exec.InvalidPC, 2, "branch_index_too_high.ptx:10:2"},
		{"assert", 32, exec.Assert, 5, "k.cu:12: k(): block: [0,0,0], thread: [5,0,0] Assertion `x > 0` failed."},
		{"past_the_end", 32, exec.IllegalAddress, 2, "past.cu:7:9: illegal address in k: access of 4 bytes at"},
		{"past_the_end", 32, exec.IllegalAddress, 2, "0 bytes after the allocation of 128 bytes"},
		{"shared_window", 32, exec.IllegalInstruction, 2, "shared memory"},
		{"warpgroup_outside", 128, exec.IllegalAddress, 0, "the matrix at 0x30000"},
		{"warpgroup_outside", 16, exec.IllegalInstruction, 0, "lanes 0x0000ffff of a warp"},
		{"address_of_another_space", 32, exec.InvalidAddressSpace, 4, "the address is one of .shared memory"},
	} {
		l, _ := newLaunch(t, c.program, 1, c.block, 128)
		_, err := e.Run(context.Background(), l)
		var f *exec.Fault
		if !errors.As(err, &f) {
			t.Errorf("%s: %v, want a fault", c.program, err)
			continue
		}
		if f.Kind != c.kind || f.Thread.X != c.thread || !strings.Contains(f.Error(), c.detail) {
			t.Errorf("%s: %v of thread %d: %v\nwant %v of thread %d: %s", c.program, f.Kind, f.Thread.X, f, c.kind, c.thread, c.detail)
		}
	}
}

// checkUnfinished checks that a launch which does not end says where its warps are.
func checkUnfinished(t *testing.T, e exec.Engine) {
	l, _ := newLaunch(t, "spin_and_wait", 2, 128, 4)
	l.MaxInstructions, l.Workers = 100_000, 1
	_, err := e.Run(context.Background(), l)
	var u *exec.Unfinished
	if !errors.As(err, &u) || !errors.Is(err, exec.ErrLimit) {
		t.Fatalf("%v, want where the launch is", err)
	}
	for _, want := range []string{
		": k did not finish within 100000 warp instructions, block (0,0,0): ",
		"warp 0 runs at spin_and_wait.ptx:1", ", in the loop of lines 16 to 18",
		"warps 1 to 3 wait at barrier 0 for all threads of the block, spin_and_wait.ptx:20:2",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
	l.MaxInstructions = 0
	ctx, interrupt := context.WithCancelCause(context.Background())
	time.AfterFunc(10*time.Millisecond, func() { interrupt(exec.ErrInterrupted) })
	if _, err = e.Run(ctx, l); !errors.As(err, &u) || !strings.Contains(err.Error(), ": k was interrupted, block (0,0,0): ") {
		t.Errorf("interrupted: %v", err)
	}
}

func checkLimits(t *testing.T, e exec.Engine) {
	l, _ := newLaunch(t, "for_ever", 3, 64, 4)
	l.MaxInstructions = 100_000
	if _, err := e.Run(context.Background(), l); !errors.Is(err, exec.ErrLimit) {
		t.Errorf("instruction limit: %v", err)
	}
	l.MaxInstructions = 0
	checkUnfinished(t, e)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Run(ctx, l); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func checkPrintf(t *testing.T, e exec.Engine) {
	l, out := newLaunch(t, "printf", 1, 32, 4)
	var text bytes.Buffer
	l.Stdout = &text
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	if text.String() != "lane 0: hi\nlane 1: hi\n" || words(out)[0] != 2 {
		t.Errorf("printed %q, result %d", text.String(), words(out)[0])
	}
}

// heap serves malloc from device memory.
type heap struct {
	memory *mem.Memory
	mu     sync.Mutex
	freed  int
}

func (h *heap) Alloc(size uint64) uint64 {
	addr, err := h.memory.Alloc(size, 16)
	if err != nil {
		return 0
	}
	return addr
}

func (h *heap) Free(addr uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.freed++
	return h.memory.Free(addr) == nil
}

func checkMalloc(t *testing.T, e exec.Engine) {
	l, out := newLaunch(t, "malloc", 2, 64, 4)
	h := &heap{memory: l.Memory}
	l.Heap = h
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	if words(out)[0] != 9 || h.freed != 128 {
		t.Errorf("read %d, %d freed", words(out)[0], h.freed)
	}
}

// checkCounts compares the counts of each instruction with those worked out by hand.
func checkCounts(t *testing.T, e exec.Engine) {
	l, _ := newLaunch(t, "counts", 3, 64, 8)
	l.Count = true
	stats, err := e.Run(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	const warps = 6
	lane := func(n uint64) uint64 { return warps * n }
	want := map[int]exec.InstCount{ // by line of the program
		13: {Warps: warps, Threads: lane(32), PredOn: lane(32)},
		14: {Warps: warps, Threads: lane(32), PredOn: lane(8), Divergent: warps},
		15: {Warps: warps, Threads: lane(24), PredOn: lane(24)},
		17: {Warps: warps, Threads: lane(32), PredOn: lane(8)},
		19: {Warps: 3 * warps, Threads: 3 * lane(32), PredOn: 3 * lane(32)},
		21: {Warps: 3 * warps, Threads: 3 * lane(32), PredOn: 2 * lane(32)},
		22: {Warps: warps, Threads: lane(32), PredOn: lane(32)},
	}
	for pc, in := range l.Kernel.Funcs[0].Code {
		w, ok := want[in.Pos.Line]
		if !ok || in.Synthetic {
			continue
		}
		delete(want, in.Pos.Line)
		if got := stats.Funcs[0][pc]; got != w {
			t.Errorf("line %d (%s): %+v, want %+v", in.Pos.Line, in.Form.Name(), got, w)
		}
	}
	if len(want) != 0 {
		t.Errorf("no instructions at lines %v", want)
	}
}

// observer records what a worker reports.
type observer struct {
	mu       sync.Mutex
	started  map[int]int
	ended    map[int]int
	accesses []observed
}

type observed struct {
	line  int
	space string
	mask  uint32
	bytes int
	addr  [32]uint64
}

func (o *observer) BlockStart(block int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.started[block]++
}

func (o *observer) BlockEnd(block int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended[block]++
}

func (o *observer) Access(a *exec.Access) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.accesses = append(o.accesses, observed{a.Inst.Pos.Line, a.Space.String(), a.Mask, a.Bytes, *a.Addr})
}

func checkObservations(t *testing.T, e exec.Engine) {
	l, out := newLaunch(t, "spaces_of_lanes", 1, 32, 33*4)
	base := binary.LittleEndian.Uint64(l.Params)
	o := &observer{started: map[int]int{}, ended: map[int]int{}}
	l.Observe = func(int) exec.Observer { return o }
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	for i, v := range words(out)[1:] {
		if want := []uint32{10, 20, 30, uint32(base)}[i%4]; v != want {
			t.Errorf("lane %d read %d, want %d", i, v, want)
		}
	}
	if o.started[0] != 1 || o.ended[0] != 1 {
		t.Errorf("block 0 started %d times and ended %d times", o.started[0], o.ended[0])
	}
	const genericLoad = 31 // line
	want := map[string]struct {
		mask uint32
		addr uint64
	}{"global": {0x11111111, base}, "shared": {0x22222222, 0}, "local": {0x44444444, 0}, "param": {0x88888888, 0}}
	for _, a := range o.accesses {
		if a.line != genericLoad {
			continue
		}
		w, ok := want[a.space]
		delete(want, a.space)
		if !ok || a.mask != w.mask || a.bytes != 4 {
			t.Errorf("access to %s by lanes 0x%x of %d bytes, want lanes 0x%x", a.space, a.mask, a.bytes, w.mask)
		}
		for lane := range 32 {
			if a.mask>>lane&1 != 0 && a.addr[lane] != w.addr {
				t.Errorf("lane %d: 0x%x in %s, want 0x%x", lane, a.addr[lane], a.space, w.addr)
			}
		}
	}
	if len(want) != 0 {
		t.Errorf("not observed: %v", want)
	}
}

func checkElements(t *testing.T, e exec.Engine) {
	l, out := newLaunch(t, "elements_of_arrays", 1, 1, 16)
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	if got, want := words(out), []uint32{30, 20, 7, 7}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// checkCopies checks what asynchronous copies do and that they are observed.
func checkCopies(t *testing.T, e exec.Engine) {
	l, out := newLaunch(t, "copies_of_lanes", 1, 32, 384)
	for i := range 128 {
		out[i] = byte(i + 1)
	}
	base := binary.LittleEndian.Uint64(l.Params)
	o := &observer{started: map[int]int{}, ended: map[int]int{}}
	l.Observe = func(int) exec.Observer { return o }
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	for i, v := range out[128:] { // copied back, and read before the wait
		want := byte(i%128 + 1)
		if i%128 >= 64 {
			want = 0
		}
		if v != want {
			t.Fatalf("byte %d is %d, want %d", i%128, v, want)
		}
	}
	type access struct {
		line  int
		space string
		mask  uint32
		bytes int
		first uint64 // address of the first lane
	}
	want := []access{
		{19, "shared", 0xFFFFFFFF, 4, 0}, {19, "global", 0xFFFF, 4, base},
		{20, "shared", 0xFFFFFFFF, 4, 0}, {21, "global", 0xFFFFFFFF, 4, base + 256},
		{26, "shared", 8, 128, 0}, {26, "global", 8, 128, base + 128},
	}
	var got []access
	for _, a := range o.accesses {
		if a.line > 16 {
			got = append(got, access{a.line, a.space, a.mask, a.bytes, a.addr[bits.TrailingZeros32(a.mask)]})
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("observed %+v\nwant %+v", got, want)
	}
}

// checkWarpgroups checks products of warpgroups whose warps arrive apart, and that what they read is observed.
func checkWarpgroups(t *testing.T, e exec.Engine) {
	const warps = 8
	l, out := newLaunch(t, "warpgroups", 1, 32*warps, 32*warps*4)
	o := &observer{started: map[int]int{}, ended: map[int]int{}}
	l.Observe = func(int) exec.Observer { return o }
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	for i, v := range words(out) {
		if want := uint32(4 * 2 * 16 * (i/32 + 1)); v != want {
			t.Fatalf("thread %d has %d, want %d", i, v, want)
		}
	}
	const product = 40 // line
	lanes := 0
	for _, a := range o.accesses {
		if a.line == product {
			lanes += bits.OnesCount32(a.mask)
			if a.space != "shared" || a.bytes != 16 {
				t.Errorf("an access of %d bytes of %s memory, want 16 of shared", a.bytes, a.space)
			}
		}
	}
	if want := 2 * 8 * 32 / 16; lanes != want { // each group reads the 8 columns of B once
		t.Errorf("%d pieces were read, want %d", lanes, want)
	}
}
