package driver

import (
	"testing"

	"silica/gpu"
)

// openSystem opens a context on each of two GPUs.
func openSystem(t *testing.T, o Options) (first, second *Device) {
	t.Helper()
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSystem(g, g)
	if err != nil {
		t.Fatal(err)
	}
	var all [2]*Device
	for i := range all {
		if all[i], err = s.Open(i, o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = all[i].Close() })
	}
	return all[0], all[1]
}

const setValue = `.version 8.0
.target sm_90
.address_size 64
.visible .entry set(.param .u64 p, .param .u32 v) {
	.reg .b64 %rd1;
	.reg .b32 %r1;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [v];
	st.global.u32 [%rd1], %r1;
	ret;
}
.visible .entry wait(.param .u64 p) {
	.reg .b64 %rd1;
	.reg .b32 %r1;
	.reg .pred %p1;
	ld.param.u64 %rd1, [p];
again:
	ld.volatile.global.u32 %r1, [%rd1];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra again;
	ret;
}
`

// arguments is the parameter buffer of a pointer and a number.
func arguments(addr uint64, v byte) []byte {
	b := make([]byte, 12)
	for i := range 8 {
		b[i] = byte(addr >> (8 * i))
	}
	b[8] = v
	return b
}

func kernelOf(t *testing.T, d *Device, name string) *Function {
	t.Helper()
	m, err := d.LoadPTX("set.ptx", []byte(setValue))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPeers(t *testing.T) {
	for _, engine := range []string{"simd", "ref"} {
		t.Run(engine, func(t *testing.T) {
			first, second := openSystem(t, Options{Engine: engine})
			p := alloc(t, second, 4)
			set := kernelOf(t, first, "set")
			wantCode(t, "itself", first.EnablePeerAccess(first), PeerAccessUnsupported)
			wantCode(t, "disable", first.DisablePeerAccess(second), PeerAccessNotEnabled)
			wantCode(t, "enable", first.EnablePeerAccess(second), Success)
			wantCode(t, "enable again", first.EnablePeerAccess(second), PeerAccessAlreadyEnabled)
			wantCode(t, "a peer's memory", set.Launch(t.Context(), Launch{Grid: one, Block: one, Params: arguments(p, 7)}), Success)
			got := make([]byte, 4)
			if err := first.Read(got, p); err != nil || got[0] != 7 {
				t.Errorf("%v, %v", got, err)
			}
			if m := first.MemoryAt(p); m.Device != second {
				t.Errorf("%+v", m)
			}
			wantCode(t, "disable", first.DisablePeerAccess(second), Success)
			wantCode(t, "without access", set.Launch(t.Context(), Launch{Grid: one, Block: one, Params: arguments(p, 7)}), IllegalAddress)
			wantCode(t, "the other device", second.Status(), IllegalAddress)
		})
	}
}

// A copy between devices in the legacy stream has its turn in those of both.
func TestCopiesBetweenDevicesHaveTheirTurnOnBoth(t *testing.T) {
	first, second := openSystem(t, Options{})
	from, to := alloc(t, first, 4), alloc(t, second, 4)
	gate, order := make(chan struct{}), make(chan int, 4)
	step := func(i int) func() error { return func() error { order <- i; return nil } }
	for _, err := range []error{
		must(second.LegacyStream().Enqueue(func() error { <-gate; return step(1)() })),
		first.LegacyStream().Submit(MemoryCopy{Dst: Place{Addr: to}, Src: Place{Addr: from}, Extent: Extent{Width: 4, Height: 1, Depth: 1}, Kind: Default}, false),
		must(first.LegacyStream().Enqueue(step(2))),
		must(second.LegacyStream().Enqueue(step(3))),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, "the copy", first.LegacyStream().Query(), NotReady)
	close(gate)
	if a := <-order; a != 1 {
		t.Errorf("step %d is first", a)
	}
	<-order
	<-order
}

// A kernel of one device waits for one of the other, and work of streams for events of both.
func TestDevicesRunSideBySide(t *testing.T) {
	first, second := openSystem(t, Options{})
	flag, err := first.AllocManaged(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Write(flag, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	s, other := first.NewStream(NonBlocking, 0), second.NewStream(NonBlocking, 0)
	done := &Event{Device: first}
	order := make(chan int, 2)
	step := func(i int) func() error { return func() error { order <- i; return nil } }
	for _, err := range []error{
		kernelOf(t, first, "wait").Start(Launch{Grid: one, Block: one, Params: arguments(flag, 0)[:8], Stream: s}),
		must(s.Enqueue(step(1))),
		done.Record(s),
		other.WaitEvent(done),
		must(other.Enqueue(step(2))),
		kernelOf(t, second, "set").Start(Launch{Grid: one, Block: one, Params: arguments(flag, 1), Stream: second.NewStream(NonBlocking, 0)}),
		other.Synchronize(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if a, b := <-order, <-order; a != 1 || b != 2 {
		t.Errorf("step %d, then %d", a, b)
	}
	wantCode(t, "an event of another device", done.Record(other), InvalidHandle)
	elsewhere := &Event{Device: second, Timing: true}
	_, err = done.Since(elsewhere)
	wantCode(t, "time between devices", err, InvalidHandle)
	// The end of one context is not that of the other.
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "the other device", first.Synchronize(), Success)
}

func must(_ *Task, err error) error { return err }
