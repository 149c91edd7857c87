package exectest

import (
	"context"
	"maps"
	"testing"

	"silica/internal/exec"
	"silica/internal/isa"
)

// checkTogether compares accesses that are reported together with the same ones reported one by one.
func checkTogether(t *testing.T, e exec.Engine) {
	l, _ := newLaunch(t, "together", 3, 96, 1<<16)
	observe := func(together bool) forms {
		l.Workers, l.Together = 1, together
		seen := forms{}
		l.Observe = func(int) exec.Observer { return seen }
		if _, err := e.Run(context.Background(), l); err != nil {
			t.Fatal(err)
		}
		return seen
	}
	want, got := observe(false), observe(true)
	if len(want) < 40 {
		t.Fatalf("the program makes accesses of %d forms", len(want))
	}
	if !maps.Equal(got, want) {
		for f := range want {
			if got[f] != want[f] {
				t.Errorf("line %d: %s space, lanes %08x, first at %d: %d times, want %d", f.line, f.space, f.mask, f.addr[0], got[f], want[f])
			}
		}
		t.Fatalf("%d forms, want %d", len(got), len(want))
	}
}

// forms is an observer that counts accesses by what does not change when they are reported together.
type forms map[form]uint64

type form struct {
	line  int
	space isa.Space
	mask  uint32
	bytes int
	addr  [32]uint64 // from that of the first lane on, but in global memory
}

func (forms) BlockStart(int) {}
func (forms) BlockEnd(int)   {}

func (f forms) Access(a *exec.Access) {
	for _, addr := range a.Units {
		for lane := range addr {
			addr[lane] += a.Base
		}
		f.add(a, 1<<32-1, &addr)
	}
	if a.Spans == nil && a.Units == nil {
		f.add(a, a.Mask, a.Addr)
	}
	for _, s := range a.Spans {
		for range s.Times {
			addr := s.Addresses(a.Bytes)
			f.add(a, s.Mask, &addr)
			s.Base[0] += s.Step
			s.Base[1] += s.Step
		}
	}
}

func (f forms) add(a *exec.Access, mask uint32, addr *[32]uint64) {
	x := form{line: a.Inst.Pos.Line, space: a.Space, mask: mask, bytes: a.Bytes}
	first, found := uint64(0), a.Space == isa.Global
	for lane, at := range addr {
		if mask>>lane&1 == 0 {
			continue
		}
		if !found {
			first, found = at, true
		}
		x.addr[lane] = at - first
	}
	f[x] += a.Times
}
