package driver

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"silica/gpu"
	"silica/internal/exec"
)

func open(t testing.TB, name string, o Options) *Device {
	t.Helper()
	g, err := gpu.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(g, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// header begins a module of the tests.
const header = ".version 7.0\n.target sm_70\n.address_size 64\n"

// source has the kernels of the tests.
const source = header + `
.global .align 4 .b32 counter = 41;
.const .align 4 .b32 table[4] = {1, 2, 3, 4};
.extern .func (.param .b64 result) malloc(.param .b64 size);
.extern .func free(.param .b64 p);

.visible .entry store(.param .u64 p, .param .u32 v)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<2>;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [v];
	st.global.u32 [%rd1], %r1;
	ret;
}
.visible .entry increment(.param .u64 p)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<3>;
	ld.param.u64 %rd1, [p];
	ld.volatile.global.u32 %r1, [%rd1];
	add.u32 %r2, %r1, 1;
	st.volatile.global.u32 [%rd1], %r2;
	ret;
}
.visible .entry bounded() .maxntid 64, 2, 1 .maxnreg 40
{
	.local .align 4 .b8 buffer[32];
	.shared .align 4 .b8 s[1024];
	.reg .b32 %r<2>;
	mov.u32 %r1, 0;
	st.shared.u32 [s], %r1;
	st.local.u32 [buffer], %r1;
	ret;
}
.visible .entry endless()
{
L:
	bra L;
}
.visible .entry allocate(.param .u64 out, .param .u64 size)
{
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [size];
	{
		.param .b64 s;
		.param .b64 r;
		st.param.b64 [s], %rd2;
		call (r), malloc, (s);
		ld.param.b64 %rd3, [r];
	}
	st.global.u64 [%rd1], %rd3;
	ret;
}
`

func load(t testing.TB, d *Device) *Module {
	t.Helper()
	m, err := d.LoadPTX("test.ptx", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func function(t testing.TB, m *Module, name string) *Function {
	t.Helper()
	f, err := m.Function(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func alloc(t testing.TB, d *Device, size uint64) uint64 {
	t.Helper()
	addr, err := d.Alloc(size)
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// words returns a parameter buffer of 64-bit values.
func words(values ...uint64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

var one = Dim3{X: 1, Y: 1, Z: 1}

// wantCode fails the test unless err is an *Error with the code.
func wantCode(t *testing.T, what string, err error, want Code) {
	t.Helper()
	var e *Error
	switch {
	case want == Success && err == nil:
	case !errors.As(err, &e) || e.Code != want:
		t.Errorf("%s: %v, want %s", what, err, want.DriverName())
	}
}

func TestCodesHaveNames(t *testing.T) {
	names := map[string]Code{}
	for c := range Codes() {
		if c.Text() == "" || c.DriverName() == "" && c.RuntimeName() == "" {
			t.Errorf("code %d has no name or no text", c)
		}
		for _, name := range []string{c.DriverName(), c.RuntimeName()} {
			if other, ok := names[name]; ok && name != "" {
				t.Errorf("%s is %d and %d", name, c, other)
			}
			names[name] = c
		}
		if c.Driver().DriverName() == "" && c.DriverName() == "" && c < 100 && inDriver[c] != 0 {
			t.Errorf("code %d has no counterpart in the driver API", c)
		}
	}
	for from, to := range inDriver {
		if from.DriverName() != "" || to.DriverName() == "" {
			t.Errorf("%d stands for %d in the driver API", to, from)
		}
	}
	if Code(123456).Text() != "" {
		t.Error("a number that is no code has a text")
	}
}

func TestEveryFaultHasACode(t *testing.T) {
	for kind := exec.FaultKind(0); kind <= exec.Deadlock; kind++ {
		if codeNamed(kind.CUDAName()) == Unknown {
			t.Errorf("%s: no code %s", kind, kind.CUDAName())
		}
	}
}

func TestLoadPTXRefuses(t *testing.T) {
	d := open(t, "v100", Options{})
	for _, c := range []struct {
		name, text string
		code       Code
		message    string
	}{
		{"newer target", ".version 7.8\n.target sm_90\n.address_size 64\n", NoBinaryForGPU, "f.ptx:2:9: the target sm_90 does not run on Tesla V100-SXM2-16GB, which is of compute capability 7.0: compile with -arch=sm_70"},
		{"arch-specific target", ".version 8.0\n.target sm_90a\n.address_size 64\n", NoBinaryForGPU, "f.ptx:2:9: the target sm_90a does not run on"},
		{"syntax", header + ".entry f() { nonsense; }", InvalidPTX, "f.ptx:4:14: "},
		{"too much memory", header + ".global .b8 big[1000000000000];\n", OutOfMemory, "variable big: out of memory"},
	} {
		_, err := d.LoadPTX("f.ptx", []byte(c.text))
		wantCode(t, c.name, err, c.code)
		if err != nil && !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %q, want %q", c.name, err, c.message)
		}
	}
	if free, total := d.MemInfo(); free != total {
		t.Errorf("%d bytes are still in use", total-free)
	}
}

func TestModule(t *testing.T) {
	d := open(t, "h200", Options{})
	m := load(t, d)
	addr, size, err := m.Global("counter")
	if err != nil || size != 4 {
		t.Fatal(addr, size, err)
	}
	var b [4]byte
	if err := d.Read(b[:], addr); err != nil || b[0] != 41 {
		t.Errorf("counter is %d, %v", b, err)
	}
	_, _, err = m.Global("absent")
	wantCode(t, "absent variable", err, NotFound)
	_, err = m.Function("absent")
	wantCode(t, "absent kernel", err, NotFound)
	if got := m.Kernels(); len(got) != 5 || got[0] != "store" {
		t.Errorf("kernels %v", got)
	}
	store, err := m.Function("store")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Unload(); err != nil {
		t.Error(err)
	}
	if free, total := d.MemInfo(); free != total {
		t.Errorf("%d bytes are still in use", total-free)
	}
	wantCode(t, "launch of an unloaded module", store.Launch(t.Context(), Launch{Grid: Dim3{X: 1, Y: 1, Z: 1}, Block: Dim3{X: 1, Y: 1, Z: 1}, Params: make([]byte, store.Kernel.ParamBytes)}), InvalidHandle)
	if err := m.Unload(); err != nil {
		t.Error("again:", err)
	}
}

func TestManagedVariablesLiveOnTheHost(t *testing.T) {
	d := open(t, "h200", Options{})
	shadow := make([]uint32, 2)
	p := unsafe.Pointer(&shadow[0])
	text := header + ".global .attribute(.managed) .align 4 .b32 m[2] = {3, 4};\n.global .align 8 .u64 at = m;\n"
	for _, size := range []uint64{4, 8} {
		m, err := d.LoadPTXFor(map[string]HostVariable{"m": {p, size}}, "m.ptx", []byte(text))
		if size < 8 {
			wantCode(t, "a host variable that is too small", err, InvalidPTX)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		addr, _, err := m.Global("m")
		if err != nil || addr != uint64(uintptr(p)) || shadow[0] != 3 || shadow[1] != 4 {
			t.Errorf("m is at 0x%x and holds %v, %v", addr, shadow, err)
		}
		if d.MemoryAt(addr).Kind != ManagedMemory {
			t.Errorf("memory %+v", d.MemoryAt(addr))
		}
		at, _, _ := m.Global("at")
		var b [8]byte
		if err := d.Read(b[:], at); err != nil || binary.LittleEndian.Uint64(b[:]) != addr {
			t.Errorf("its address is %x, %v", b, err)
		}
		if err := m.Unload(); err != nil {
			t.Error(err)
		}
		if d.MemoryAt(addr).Kind != UnknownMemory {
			t.Error("the host variable is still known")
		}
	}
}

func TestFunctionAttributes(t *testing.T) {
	d := open(t, "h200", Options{})
	f := function(t, load(t, d), "bounded")
	a := f.Attributes()
	want := FunctionAttributes{
		StaticShared: 1024, Const: 16, Local: a.Local, ThreadsPerBlock: 128, Registers: a.Registers,
		PTXVersion: 70, BinaryVersion: 90, MaxDynamicShared: 48128, Carveout: -1,
	}
	if a != want || a.Local < 32 || a.Registers < 16 || a.Registers > 40 {
		t.Errorf("attributes %+v, want %+v", a, want)
	}
	limit := d.GPU.Limits.SharedPerBlockOptin - 1024
	for _, c := range []struct {
		n    int
		code Code
	}{{-1, InvalidValue}, {0, Success}, {limit, Success}, {limit + 1, InvalidValue}} {
		wantCode(t, fmt.Sprint("dynamic shared memory ", c.n), f.SetMaxDynamicShared(c.n), c.code)
	}
	if got := f.Attributes().MaxDynamicShared; got != limit {
		t.Errorf("dynamic shared memory %d, want %d", got, limit)
	}
	for _, c := range []struct {
		percent int
		code    Code
	}{{-2, InvalidValue}, {101, InvalidValue}, {100, Success}, {0, Success}, {-1, Success}, {50, Success}} {
		wantCode(t, fmt.Sprint("carve-out ", c.percent), f.SetCarveout(c.percent), c.code)
	}
	if got := f.Attributes().Carveout; got != 50 {
		t.Errorf("carve-out %d, want 50", got)
	}
}

func TestOccupancy(t *testing.T) {
	d := open(t, "h200", Options{})
	f := function(t, load(t, d), "store")
	for _, c := range []struct{ block, shared, blocks int }{
		{256, 0, 8}, {1024, 0, 2}, {32, 0, 32}, {256, 49152, 4}, {256, 49153, 0}, {1025, 0, 0},
	} {
		o, err := f.Occupancy(c.block, c.shared)
		if err != nil || o.Blocks != c.blocks {
			t.Errorf("%d threads, %d bytes: %d blocks, want %d (%v)", c.block, c.shared, o.Blocks, c.blocks, err)
		}
	}
	_, err := f.Occupancy(0, 0)
	wantCode(t, "no threads", err, InvalidValue)
	if block, grid, err := function(t, load(t, d), "bounded").MaxPotentialBlockSize(0, 0, nil); block != 128 || grid != 132*16 || err != nil {
		t.Errorf("block size %d, grid %d, %v", block, grid, err)
	}
	if n, err := f.AvailableDynamicShared(2, 256); n != 49152 || err != nil {
		t.Errorf("available %d, %v", n, err)
	}
	_, err = f.AvailableDynamicShared(99, 256)
	wantCode(t, "more blocks than fit", err, InvalidValue)
	if n, err := f.MaxClusterBlocks(256, 0); n != 8 || err != nil {
		t.Errorf("cluster of %d blocks, %v", n, err)
	}
}

func TestClustersOfMoreThanEightBlocksNeedPermission(t *testing.T) {
	d := open(t, "h200", Options{})
	f := function(t, load(t, d), "store")
	launch := Launch{Grid: Dim3{X: 16, Y: 1, Z: 1}, Block: Dim3{X: 1, Y: 1, Z: 1}, Cluster: Dim3{X: 16, Y: 1, Z: 1}, Params: words(alloc(t, d, 64), 7)[:f.Kernel.ParamBytes]}
	wantCode(t, "16 blocks", f.Launch(context.Background(), launch), InvalidClusterSize)
	f.SetNonPortableClusters(true)
	if err := f.Launch(context.Background(), launch); err != nil || !f.Attributes().NonPortableClusters {
		t.Errorf("16 blocks, allowed: %v", err)
	}
	if n, err := f.MaxClusterBlocks(32, 0); n != 16 || err != nil {
		t.Errorf("cluster of %d blocks, %v", n, err)
	}
}

func TestLaunchRefuses(t *testing.T) {
	d := open(t, "h200", Options{})
	f := function(t, load(t, d), "store")
	params := words(alloc(t, d, 4), 7)[:f.Kernel.ParamBytes]
	for _, c := range []struct {
		name   string
		launch Launch
		code   Code
	}{
		{"fine", Launch{Grid: one, Block: one, Params: params}, Success},
		{"empty grid", Launch{Grid: Dim3{X: 0, Y: 1, Z: 1}, Block: one, Params: params}, InvalidValue},
		{"large block", Launch{Grid: one, Block: Dim3{X: 1025, Y: 1, Z: 1}, Params: params}, InvalidValue},
		{"shared memory", Launch{Grid: one, Block: one, Shared: 49153, Params: params}, InvalidValue},
		{"parameters", Launch{Grid: one, Block: one, Params: params[:4]}, InvalidValue},
		{"cluster", Launch{Grid: one, Block: one, Cluster: Dim3{X: 2, Y: 1, Z: 1}, Params: params}, InvalidClusterSize},
		{"cooperative", Launch{Grid: Dim3{X: 132*32 + 1, Y: 1, Z: 1}, Block: one, Params: params, Cooperative: true}, CooperativeLaunchTooLarge},
	} {
		wantCode(t, c.name, f.Launch(context.Background(), c.launch), c.code)
	}
	if err := d.Status(); err != nil {
		t.Errorf("a refused launch ended the context: %v", err)
	}
}

func TestAFaultEndsTheContext(t *testing.T) {
	d := open(t, "h200", Options{MaxInstructions: 1000})
	m := load(t, d)
	f := function(t, m, "store")
	addr := alloc(t, d, 4)
	params := words(addr+4, 7)[:f.Kernel.ParamBytes]
	err := f.Launch(context.Background(), Launch{Grid: one, Block: one, Params: params})
	wantCode(t, "launch", err, IllegalAddress)
	var fault *exec.Fault
	if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), "test.ptx:") {
		t.Errorf("%v", err)
	}
	_, allocErr := d.Alloc(4)
	_, loadErr := d.LoadPTX("f.ptx", []byte(header))
	for what, err := range map[string]error{
		"status": d.Status(), "synchronize": d.Synchronize(), "stream": d.LegacyStream().Synchronize(),
		"launch": f.Launch(context.Background(), Launch{Grid: one, Block: one, Params: params}), "alloc": allocErr, "load": loadErr,
		"free": d.Free(addr), "write": d.Write(addr, []byte{1}), "event": (&Event{}).Record(d.LegacyStream()),
	} {
		wantCode(t, what, err, IllegalAddress)
	}

	e := open(t, "h200", Options{MaxInstructions: 1000})
	err = function(t, load(t, e), "endless").Launch(context.Background(), Launch{Grid: one, Block: one})
	wantCode(t, "endless kernel", err, LaunchTimeout)
	if want := "endless did not finish within 1000 warp instructions, block (0,0,0): warp 0 runs at "; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestACancelledLaunchEndsNothing(t *testing.T) {
	d := open(t, "h200", Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := function(t, load(t, d), "endless").Launch(ctx, Launch{Grid: one, Block: one}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := d.Status(); err != nil {
		t.Error(err)
	}
}

func TestAfterClose(t *testing.T) {
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(g, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := function(t, load(t, d), "store")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "launch", f.Launch(context.Background(), Launch{Grid: one, Block: one}), ContextIsDestroyed)
	_, err = d.Alloc(4)
	wantCode(t, "alloc", err, ContextIsDestroyed)
}

func TestOpenRefusesAnUnknownEngine(t *testing.T) {
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(g, Options{Engine: "steam"})
	wantCode(t, "engine", err, InvalidValue)
}

func TestHeapHasItsLimit(t *testing.T) {
	d := open(t, "h200", Options{})
	f := function(t, load(t, d), "allocate")
	out := alloc(t, d, 8)
	attempt := func(size uint64) bool {
		t.Helper()
		if err := f.Launch(context.Background(), Launch{Grid: one, Block: one, Params: words(out, size)}); err != nil {
			t.Fatal(err)
		}
		var b [8]byte
		if err := d.Read(b[:], out); err != nil {
			t.Fatal(err)
		}
		return binary.LittleEndian.Uint64(b[:]) != 0
	}
	if err := d.SetLimit(LimitMallocHeapSize, 1<<20); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		size uint64
		ok   bool
	}{{1<<20 + 1, false}, {1 << 19, true}, {1 << 19, true}, {1, false}, {^uint64(0), false}} {
		if got := attempt(c.size); got != c.ok {
			t.Errorf("malloc(%d): %v", c.size, got)
		}
	}
}

func TestLimits(t *testing.T) {
	d := open(t, "h200", Options{})
	for limit := Limit(0); limit < limitCount; limit++ {
		_, err := d.Limit(limit)
		want := Success
		if limit == LimitDevRuntimeSyncDepth {
			want = UnsupportedLimit
		}
		wantCode(t, fmt.Sprint("limit ", limit), err, want)
	}
	wantCode(t, "unknown limit", d.SetLimit(99, 1), InvalidValue)
	wantCode(t, "large stack", d.SetLimit(LimitStackSize, 1<<30), InvalidValue)
	wantCode(t, "stack", d.SetLimit(LimitStackSize, 5000), Success)
	if v, err := d.Limit(LimitStackSize); v != 5008 || err != nil {
		t.Errorf("stack %d, %v", v, err)
	}
}

// TestStreamOrder counts with kernels that lose counts when two of them run at the same time.
func TestStreamOrder(t *testing.T) {
	d := open(t, "h200", Options{})
	f := function(t, load(t, d), "increment")
	blocking, free := d.NewStream(Blocking, 0), d.NewStream(NonBlocking, 0)
	shared, own := alloc(t, d, 4), alloc(t, d, 4)
	const rounds = 200
	var group sync.WaitGroup
	launch := func(s *Stream, addr uint64) {
		group.Go(func() {
			for range rounds {
				if err := f.Launch(context.Background(), Launch{Grid: one, Block: one, Params: words(addr), Stream: s}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	launch(blocking, shared)
	launch(blocking, shared)
	launch(nil, shared) // the legacy stream
	launch(free, own)
	launch(free, own)
	group.Wait()
	for addr, want := range map[uint64]uint32{shared: 3 * rounds, own: 2 * rounds} {
		var b [4]byte
		if err := d.Read(b[:], addr); err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint32(b[:]); got != want {
			t.Errorf("%d increments, want %d", got, want)
		}
	}
}

func TestStreams(t *testing.T) {
	d := open(t, "h200", Options{})
	ids := map[uint64]bool{d.LegacyStream().ID: true}
	for _, c := range []struct{ asked, got int }{{0, 0}, {-3, -3}, {-100, GreatestPriority}, {5, LeastPriority}} {
		s := d.NewStream(NonBlocking, c.asked)
		if s.Priority() != c.got || ids[s.ID] {
			t.Errorf("priority %d for %d, ID %d", s.Priority(), c.asked, s.ID)
		}
		ids[s.ID] = true
	}
}

func TestEvents(t *testing.T) {
	d := open(t, "h200", Options{})
	a, b, untimed := &Event{Timing: true}, &Event{Timing: true}, &Event{}
	_, err := b.Since(a)
	wantCode(t, "not recorded", err, InvalidHandle)
	for _, e := range []*Event{a, untimed, b} {
		if err := e.Record(d.LegacyStream()); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, "wait for the event", b.Synchronize(), Success)
	if dt, err := b.Since(a); err != nil || dt < 0 {
		t.Errorf("%v, %v", dt, err)
	}
	_, err = b.Since(untimed)
	wantCode(t, "without timing", err, InvalidHandle)
}

func TestTracerSeesEveryLaunch(t *testing.T) {
	tracer := &countingTracer{}
	d := open(t, "h200", Options{Tracer: tracer})
	f := function(t, load(t, d), "store")
	addr := alloc(t, d, 4)
	for _, p := range []uint64{addr, addr, 0} {
		_ = f.Launch(context.Background(), Launch{Grid: one, Block: one, Params: words(p, 7)[:f.Kernel.ParamBytes]})
	}
	if tracer.begun != 3 || tracer.instructions == 0 || tracer.errors != 1 {
		t.Errorf("%+v", tracer)
	}
}

type countingTracer struct {
	begun, errors int
	instructions  uint64
}

func (c *countingTracer) Launch(_ *Function, l *exec.Launch) func(*exec.Stats, error) {
	c.begun++
	l.Count = true
	return func(s *exec.Stats, err error) {
		if err != nil {
			c.errors++
			return
		}
		for _, i := range s.Funcs[0] {
			c.instructions += i.Warps
		}
	}
}

func TestKernelsPrintToStdout(t *testing.T) {
	var out bytes.Buffer
	d := open(t, "h200", Options{Stdout: &out})
	text := header + `
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4] = {104, 105, 10, 0};
.visible .entry hi()
{
	.reg .b64 %rd<3>;
	mov.u64 %rd1, text;
	cvta.global.u64 %rd1, %rd1;
	mov.u64 %rd2, 0;
	{
		.param .b64 f;
		.param .b64 a;
		.param .b32 r;
		st.param.b64 [f], %rd1;
		st.param.b64 [a], %rd2;
		call (r), vprintf, (f, a);
	}
	ret;
}
`
	m, err := d.LoadPTX("hi.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := function(t, m, "hi").Launch(context.Background(), Launch{Grid: Dim3{X: 2, Y: 1, Z: 1}, Block: one}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "hi\nhi\n" {
		t.Errorf("%q", &out)
	}
}

// What a module may not contain, whether or not a kernel gets there, and what loads although a driver of CUDA 13.0 refuses it.
func TestModulesThatDoNotLoad(t *testing.T) {
	const target, kernel = "\n.target sm_70\n.address_size 64\n", ".visible .entry k() { ret; }"
	for _, c := range []struct {
		name, text string
		code       Code
		message    string
	}{
		{"a call of what is defined nowhere", ".version 7.0" + target + ".extern .func missing;\n.func f() { call missing; ret; }\n" + kernel,
			InvalidPTX, "m.ptx:5:18: unresolved extern function missing: it is declared, and defined nowhere"},
		{"a declaration of what is defined nowhere", ".version 7.0" + target + ".extern .func missing;\n" + kernel, Success, ""},
		{"a version of the future", ".version 99.0" + target + kernel, UnsupportedPTXVersion, "m.ptx:1:1: .version 99.0 is not known: versions go from 1.0 to 9.5"},
		{"a version after that of the driver", ".version 9.5" + target + kernel, Success, ""},
		{"32-bit addresses", ".version 7.0\n.target sm_70\n.address_size 32\n" + kernel, Success, ""},
	} {
		d := open(t, "h200", Options{})
		_, err := d.LoadPTX("m.ptx", []byte(c.text))
		if err == nil && c.code == Success {
			continue
		}
		if codeOf(err) != c.code || !strings.HasPrefix(err.Error(), c.message) {
			t.Errorf("%s: %d %v, want %d %s", c.name, codeOf(err), err, c.code, c.message)
		}
	}
}
