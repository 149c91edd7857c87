package simd_test

import (
	"context"
	"fmt"
	"hash/maphash"
	"sync"
	"testing"

	"silica/internal/conform"
	"silica/internal/exec"
	"silica/internal/exec/exectest"
	"silica/internal/exec/ref"
	"silica/internal/exec/simd"
	"silica/internal/ir"
	"silica/internal/isa"
)

// recorded is the suite that an H200 recorded. Tests that need it fail when it is missing.
const recorded = "../../../../shared/conformance"

// watched runs launches with counts and observations, and keeps what it saw of each.
type watched struct {
	exec.Engine
	seen []launch
}

// launch is what was seen of a launch.
type launch struct {
	Err    string
	Counts []string // of each instruction that ran
	// Accesses holds the accesses of each warp, in its order.
	Accesses map[string][]string
}

func (e *watched) Run(ctx context.Context, l *exec.Launch) (*exec.Stats, error) {
	w := &watcher{accesses: map[string][]string{}}
	l.Count, l.Observe = true, func(int) exec.Observer { return w }
	stats, err := e.Engine.Run(ctx, l)
	saw := launch{Accesses: w.accesses}
	switch {
	case err != nil: // other threads may have come further or not as far
		saw = launch{Err: err.Error()}
	case polls(l.Kernel):
		saw = launch{}
	default:
		if takesTurns(l.Kernel) {
			saw.Accesses = nil
		}
		for f := range stats.Funcs {
			for pc, c := range stats.Funcs[f] {
				if c.Warps > 0 {
					in := &l.Kernel.Funcs[f].Code[pc]
					saw.Counts = append(saw.Counts, fmt.Sprintf("%d: %s %+v", in.Pos.Line, in.Form.Name(), c))
				}
			}
		}
	}
	e.seen = append(e.seen, saw)
	return stats, err
}

// watcher is an Observer.
type watcher struct {
	mu       sync.Mutex
	accesses map[string][]string
}

func (w *watcher) BlockStart(int) {}
func (w *watcher) BlockEnd(int)   {}

func (w *watcher) Access(a *exec.Access) {
	var addr [32]uint64
	for lane := range addr {
		if a.Mask>>lane&1 != 0 && a.Space != isa.Tex { // each engine's arrays are somewhere else
			addr[lane] = a.Addr[lane]
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	warp := fmt.Sprintf("block %d warp %d", a.Block, a.Warp)
	w.accesses[warp] = append(w.accesses[warp], fmt.Sprintf("line %d %s %08x %d bytes %x",
		a.Inst.Pos.Line, a.Space, a.Mask, a.Bytes, maphash.Comparable(seed, addr)))
}

var seed = maphash.MakeSeed()

// TestUnitsAgreeWithTheReferenceEngine runs the recorded single instructions: what the reference engine does right,
// every vector unit does right, watched or not, with the same counts and the same accesses.
func TestUnitsAgreeWithTheReferenceEngine(t *testing.T) {
	suite, err := conform.Load(recorded)
	if err != nil {
		t.Fatal(err)
	}
	run := func(e exec.Engine, family string) map[string]string {
		failures := map[string]string{}
		err := suite.Run(context.Background(), e, []string{family}, func(r conform.Result) { failures[r.ID] = r.Failure })
		if err != nil {
			t.Fatal(err)
		}
		return failures
	}
	engines := simd.Units()
	for _, family := range suite.Families {
		t.Run(family, func(t *testing.T) {
			reference := &watched{Engine: ref.New()}
			want := run(reference, family)
			for _, engine := range engines {
				e := &watched{Engine: engine}
				for _, either := range []exec.Engine{e, engine} {
					for id, failure := range run(either, family) {
						if failure != "" && want[id] == "" {
							t.Errorf("%s on %s: %s", id, engine.VectorUnit(), failure)
						}
					}
				}
				if len(e.seen) != len(reference.seen) {
					t.Fatalf("%d launches, %d on the reference engine", len(e.seen), len(reference.seen))
				}
				for i := range e.seen {
					if diff := difference(reference.seen[i], e.seen[i]); diff != "" {
						t.Errorf("launch %d on %s: %s", i, engine.VectorUnit(), diff)
						break
					}
				}
			}
		})
	}
}

// difference returns the first thing that was seen otherwise.
func difference(want, got launch) string {
	if want.Err != got.Err {
		return fmt.Sprintf("error %q, want %q", got.Err, want.Err)
	}
	if diff := firstDifference(want.Counts, got.Counts); diff != "" {
		return diff
	}
	for warp, list := range want.Accesses {
		if diff := firstDifference(list, got.Accesses[warp]); diff != "" {
			return warp + ": " + diff
		}
	}
	if len(got.Accesses) != len(want.Accesses) {
		return fmt.Sprintf("accesses of %d warps, want %d", len(got.Accesses), len(want.Accesses))
	}
	return ""
}

func firstDifference(want, got []string) string {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return "nothing, want " + want[i]
		case i >= len(want):
			return got[i] + ", want nothing"
		case want[i] != got[i]:
			return got[i] + ", want " + want[i]
		}
	}
	return ""
}

// takesTurns tells whether threads get values that depend on which of them comes first.
func takesTurns(k *ir.Kernel) bool {
	for _, f := range k.Funcs {
		for pc := range f.Code {
			if f.Code[pc].Op == isa.OpAtom {
				return true
			}
		}
	}
	return false
}

// polls tells whether a kernel waits for other threads in a loop: how often it runs is no part of the result.
func polls(k *ir.Kernel) bool {
	for _, f := range k.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Op != isa.OpBranch || in.Target > pc {
				continue
			}
			for i := in.Target; i < pc; i++ {
				switch loop := &f.Code[i]; {
				case loop.Op == isa.OpAtom, loop.Op == isa.OpAsync, loop.Op == isa.OpLoad && loop.Mem.Order != "":
					return true
				}
			}
		}
	}
	return false
}

func TestTracesAreThoseOfTheOracle(t *testing.T) {
	for _, e := range simd.Units() {
		t.Run(e.VectorUnit(), func(t *testing.T) { exectest.CompareTraces(t, ref.New(), e) })
	}
}
