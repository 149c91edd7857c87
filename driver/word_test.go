package driver

import (
	"encoding/binary"
	"testing"
	"time"
)

// Each condition holds of the word on the left of the bound between what it takes and what it refuses.
func TestConditionsOfWords(t *testing.T) {
	for _, c := range []struct {
		kind  WordKind
		bytes int
		word  uint64
		value uint64
		holds bool
	}{
		{WaitGreaterOrEqual, 4, 7, 7, true}, {WaitGreaterOrEqual, 4, 6, 7, false}, {WaitGreaterOrEqual, 4, 1, 0xffffffff, true},
		{WaitGreaterOrEqual, 4, 0xffffffff, 1, false}, {WaitGreaterOrEqual, 8, 1 << 40, 1 << 39, true}, {WaitGreaterOrEqual, 8, 1, ^uint64(0), true},
		{WaitEqual, 4, 5, 5, true}, {WaitEqual, 4, 5, 4, false}, {WaitEqual, 8, 1<<32 | 5, 5, false},
		{WaitAnd, 4, 6, 2, true}, {WaitAnd, 4, 6, 1, false},
		{WaitNor, 4, 0xffffff00, 0xff, false}, {WaitNor, 4, 0xffffff00, 0xfe, true}, {WaitNor, 8, 0xffffffff, 0, true},
	} {
		if w := (WordOperation{Kind: c.kind, Bytes: c.bytes, Value: c.value}); w.holds(c.word) != c.holds {
			t.Errorf("%+v holds of %#x: %v", w, c.word, !c.holds)
		}
	}
}

// A stream waits for a word that another writes, and no longer; a device that closes ends the wait.
func TestStreamsWaitForWords(t *testing.T) {
	d := open(t, "h200", Options{})
	addr := alloc(t, d, 16)
	waiting, writing := d.NewStream(NonBlocking, 0), d.NewStream(NonBlocking, 0)
	wait := WordOperations{{Kind: WaitEqual, Address: addr, Bytes: 8, Value: 3}, {Kind: WriteWord, Address: addr + 8, Bytes: 4, Value: 9}}
	if err := d.Write(addr, make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "a wait", waiting.Submit(wait, false), Success)
	wantCode(t, "a query", waiting.Query(), NotReady)
	wantCode(t, "a write", writing.Submit(WordOperations{{Kind: WriteWord, Address: addr, Bytes: 8, Value: 3}}, false), Success)
	wantCode(t, "the end", waiting.Synchronize(), Success)
	b, err := d.Bytes(addr, 16)
	if err != nil || binary.LittleEndian.Uint64(b) != 3 || b[8] != 9 {
		t.Errorf("%v, %v", b, err)
	}
	wantCode(t, "an address apart", waiting.Submit(WordOperations{{Address: addr + 1, Bytes: 4}}, false), InvalidValue)
	wantCode(t, "no memory", waiting.Submit(WordOperations{{Address: 8, Bytes: 4}}, false), InvalidValue)
	wantCode(t, "a wait for nothing", waiting.Submit(WordOperations{{Kind: WaitEqual, Address: addr, Bytes: 4, Value: 77}}, false), Success)
	deadline := make(chan time.Time)
	close(deadline)
	d.Finish(deadline)
	if err := d.Status(); codeOf(err) != ContextIsDestroyed {
		t.Errorf("status %v", err)
	}
}

// A kernel of a stream with a part of the GPU may fill that part with a cooperative launch, and no more.
func TestStreamsHaveAPartOfAGPU(t *testing.T) {
	d := open(t, "h200", Options{})
	f := function(t, load(t, d), "store")
	addr := alloc(t, d, 4)
	part, whole := d.NewStream(NonBlocking, 0), d.NewStream(NonBlocking, 0)
	part.Multiprocessors = 8
	for _, c := range []struct {
		what   string
		s      *Stream
		blocks int
		want   Code
	}{{"what fills the part", part, 8 * 2, Success}, {"more", part, 8*2 + 1, CooperativeLaunchTooLarge}, {"more on all of it", whole, 8*2 + 1, Success}} {
		l := Launch{
			Grid: Dim3{X: c.blocks, Y: 1, Z: 1}, Block: Dim3{X: 1024, Y: 1, Z: 1}, Cooperative: true,
			Params: words(addr, 7)[:f.Kernel.ParamBytes],
		}
		wantCode(t, c.what, c.s.Submit(KernelLaunch{Function: f, Launch: l}, true), c.want)
	}
}
