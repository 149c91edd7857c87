package driver

import (
	"encoding/binary"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// spinning has a kernel that says that it runs and waits for a word of memory.
const spinning = header + `
.visible .entry await(.param .u64 flag, .param .u64 out)
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<3>;
	.reg .pred %p;
	ld.param.u64 %rd1, [flag];
	ld.param.u64 %rd2, [out];
	st.volatile.global.u32 [%rd2], 1;
again:
	ld.volatile.global.u32 %r1, [%rd1];
	setp.eq.u32 %p, %r1, 0;
	@%p bra again;
	st.global.u32 [%rd2], %r1;
	ret;
}
`

// waiting is a device with a kernel that runs until the test opens it.
type waiting struct {
	*Device
	f         *Function
	flag, out uint64
}

func newWaiting(t *testing.T) *waiting {
	d := open(t, "h200", Options{Workers: 1})
	m, err := d.LoadPTX("spinning.ptx", []byte(spinning))
	if err != nil {
		t.Fatal(err)
	}
	w := &waiting{d, function(t, m, "await"), alloc(t, d, 4), alloc(t, d, 4)}
	for _, addr := range []uint64{w.flag, w.out} {
		w.set(t, addr, 0)
	}
	return w
}

func (w *waiting) start(t *testing.T, s *Stream) {
	t.Helper()
	if err := w.f.Start(Launch{Grid: one, Block: one, Params: words(w.flag, w.out), Stream: s}); err != nil {
		t.Fatal(err)
	}
}

// word is what the host sees at addr while kernels run.
func (w *waiting) word(t *testing.T, addr uint64) *atomic.Uint32 {
	t.Helper()
	b, err := w.Bytes(addr, 4)
	if err != nil {
		t.Fatal(err)
	}
	return (*atomic.Uint32)(unsafe.Pointer(unsafe.SliceData(b)))
}

func (w *waiting) set(t *testing.T, addr uint64, value uint32) { w.word(t, addr).Store(value) }

// TestWorkIsAsynchronous opens a kernel after the host has looked at what waits for it.
func TestWorkIsAsynchronous(t *testing.T) {
	w := newWaiting(t)
	s, other := w.NewStream(NonBlocking, 0), w.NewStream(NonBlocking, 0)
	event, never := &Event{}, &Event{}
	var ran atomic.Bool
	w.start(t, s)
	for _, err := range []error{event.Record(s), other.WaitEvent(event), other.WaitEvent(never)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := other.Enqueue(func() error { ran.Store(true); return nil }); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "stream", s.Query(), NotReady)
	wantCode(t, "stream that waits for the event", other.Query(), NotReady)
	wantCode(t, "event", event.Query(), NotReady)
	wantCode(t, "event that was not recorded", never.Query(), Success)
	if free := w.NewStream(NonBlocking, 0); free.Query() != nil || free.Synchronize() != nil {
		t.Error("a stream without work is not ready")
	}
	w.set(t, w.flag, 7)
	wantCode(t, "wait for the event", event.Synchronize(), Success)
	if got := w.word(t, w.out).Load(); got != 7 {
		t.Errorf("%d after the event, want 7", got)
	}
	wantCode(t, "synchronize", other.Synchronize(), Success)
	if !ran.Load() {
		t.Error("work after the event did not run")
	}
	wantCode(t, "stream", s.Query(), Success)
}

// TestLegacyStreamWaits has work of the legacy stream between work of streams that wait for it, and of one that does not.
func TestLegacyStreamWaits(t *testing.T) {
	w := newWaiting(t)
	before, after, free := w.NewStream(Blocking, 0), w.NewStream(Blocking, 0), w.NewStream(NonBlocking, 0)
	var mu sync.Mutex
	var order []string
	add := func(s *Stream, what string) {
		t.Helper()
		if _, err := s.Enqueue(func() error {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	w.start(t, before)
	add(before, "before")
	add(w.LegacyStream(), "legacy")
	add(after, "after")
	add(free, "free")
	wantCode(t, "the stream that does not wait", free.Synchronize(), Success)
	wantCode(t, "the legacy stream", w.LegacyStream().Query(), NotReady)
	before.Destroy() // its work goes on
	after.Destroy()
	w.set(t, w.flag, 1)
	wantCode(t, "synchronize", w.Synchronize(), Success)
	if got := strings.Join(order, " "); got != "free before legacy after" {
		t.Error(got)
	}
}

// TestKernelsRunAtTheSameTime has a kernel that another one opens.
func TestKernelsRunAtTheSameTime(t *testing.T) {
	w := newWaiting(t)
	w.start(t, w.NewStream(NonBlocking, 0))
	store := function(t, load(t, w.Device), "store")
	params := binary.LittleEndian.AppendUint32(words(w.flag), 3)
	if err := store.Start(Launch{Grid: one, Block: one, Params: params, Stream: w.NewStream(NonBlocking, 0)}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "synchronize", w.Synchronize(), Success)
	if got := w.word(t, w.out).Load(); got != 3 {
		t.Errorf("%d, want 3", got)
	}
}

// TestFinishStopsWhatDoesNotEnd ends a kernel that waits for nobody.
func TestFinishStopsWhatDoesNotEnd(t *testing.T) {
	w := newWaiting(t)
	said := make(chan string, 1)
	w.options.Failed = func(err error) { said <- err.Error() }
	w.start(t, nil)
	for runs := w.word(t, w.out); runs.Load() == 0; {
		time.Sleep(time.Millisecond)
	}
	w.Finish(time.After(0))
	if got := <-said; !strings.Contains(got, "await was stopped while it ran") {
		t.Errorf("%q", got)
	}
	wantCode(t, "status", w.Status(), ContextIsDestroyed)
}

// TestFaultOfAsynchronousWork is told once, ends the context, and lets nothing that waits for it run.
func TestFaultOfAsynchronousWork(t *testing.T) {
	var failures atomic.Int32
	d := open(t, "h200", Options{Failed: func(error) { failures.Add(1) }})
	store := function(t, load(t, d), "store")
	gate, ran := make(chan struct{}), false
	s := d.NewStream(NonBlocking, 0)
	if _, err := s.Enqueue(func() error { <-gate; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := store.Start(Launch{Grid: one, Block: one, Params: words(0, 0)[:12], Stream: s}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Enqueue(func() error { ran = true; return nil }); err != nil {
		t.Fatal(err)
	}
	close(gate)
	wantCode(t, "synchronize", s.Synchronize(), IllegalAddress)
	wantCode(t, "query", s.Query(), IllegalAddress)
	wantCode(t, "launch", store.Start(Launch{Grid: one, Block: one, Params: words(0, 0)[:12]}), IllegalAddress)
	if ran || failures.Load() != 1 {
		t.Errorf("ran %v, %d failures", ran, failures.Load())
	}
}

// TestFreeWaitsForWork frees memory that a kernel will still write.
func TestFreeWaitsForWork(t *testing.T) {
	w := newWaiting(t)
	w.start(t, w.NewStream(NonBlocking, 0))
	freed := make(chan error)
	go func() { freed <- w.Free(w.out) }()
	select {
	case err := <-freed:
		t.Fatalf("freed while the kernel runs: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	w.set(t, w.flag, 1)
	wantCode(t, "free", <-freed, Success)
}

// TestAFullStreamHoldsItsCaller fills a stream behind a kernel that waits: work past its depth waits for room, an event and another
// stream's work do not.
func TestAFullStreamHoldsItsCaller(t *testing.T) {
	w := newWaiting(t)
	s, other := w.NewStream(NonBlocking, 0), w.NewStream(NonBlocking, 0)
	fill := func(s *Stream) error {
		return s.Submit(MemorySet{Dst: Place{Addr: w.out}, Bytes: 1, Extent: Extent{4, 1, 1}}, false)
	}
	w.start(t, s)
	for range queueDepth - 1 {
		wantCode(t, "a fill", fill(s), Success)
	}
	held := make(chan error)
	go func() { held <- fill(s) }()
	select {
	case err := <-held:
		t.Fatalf("the stream took more than its depth: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	wantCode(t, "an event", (&Event{}).Record(s), Success)
	wantCode(t, "another stream", fill(other), Success)
	w.set(t, w.flag, 1)
	wantCode(t, "the fill that waited", <-held, Success)
	wantCode(t, "synchronize", s.Synchronize(), Success)
	if n := len(s.queue); n != 0 {
		t.Errorf("%d places are taken in an idle stream", n)
	}
}
