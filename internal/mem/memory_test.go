package mem

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func newMemory(t testing.TB, capacity uint64) *Memory {
	t.Helper()
	m, err := New(capacity)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func mustAlloc(t testing.TB, m *Memory, size uint64) uint64 {
	t.Helper()
	addr, err := m.Alloc(size, 0)
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

func TestCapacityOfAnH200IsReservedAndCommittedAsTouched(t *testing.T) {
	m := newMemory(t, 141<<30)
	addr := mustAlloc(t, m, 100<<30)
	b, err := m.Bytes(addr+99<<30, 4)
	if err != nil {
		t.Fatal(err)
	}
	b[3] = 7
	if _, err := m.Alloc(50<<30, 0); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("second allocation: %v, want out of memory", err)
	}
	if used, capacity := m.Usage(); used != 100<<30 || capacity != 141<<30 {
		t.Errorf("usage %d of %d", used, capacity)
	}
}

func TestAddressesRepeatFromRunToRun(t *testing.T) {
	first := newMemory(t, 1<<30)
	addr := mustAlloc(t, first, 1000)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := newMemory(t, 1<<30)
	if again := mustAlloc(t, second, 1000); again != addr {
		t.Errorf("0x%x, then 0x%x", addr, again)
	}
}

func TestAllocRefuses(t *testing.T) {
	m := newMemory(t, 1<<20)
	for _, c := range []struct {
		name        string
		size, align uint64
		memory      bool // the error is ErrOutOfMemory
	}{
		{"size zero", 0, 0, false},
		{"alignment not a power of two", 8, 768, false},
		{"more than there is", 1<<20 + 1, 0, true},
		{"size that wraps around", ^uint64(0) - 3, 0, true},
	} {
		if addr, err := m.Alloc(c.size, c.align); err == nil || errors.Is(err, ErrOutOfMemory) != c.memory {
			t.Errorf("%s: 0x%x, %v", c.name, addr, err)
		}
	}
}

func TestFreedMemoryIsNotUsedAgainAtOnce(t *testing.T) {
	m := newMemory(t, 1<<24)
	a := mustAlloc(t, m, 1<<20)
	b, err := m.Bytes(a, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	b[5000] = 1
	if err := m.Free(a); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Bytes(a, 1); !errors.Is(err, ErrNotAllocated) {
		t.Errorf("freed bytes: %v", err)
	}
	if err := m.Free(a); !errors.Is(err, ErrNotAllocated) {
		t.Errorf("second free: %v", err)
	}
	if again := mustAlloc(t, m, 1<<20); again == a {
		t.Errorf("0x%x is used again at once", again)
	}
	m.space.Launched()
	if s := m.Explain(a+8, 4); !strings.Contains(s, fmt.Sprintf("address 0x%x was freed: 1048576 bytes at 0x%x, allocated before the first launch, freed before the first launch", a+8, a)) {
		t.Error(s)
	}
	// In the end it is, and reads zero.
	for range 100 {
		next := mustAlloc(t, m, 1<<20)
		if b, err := m.Bytes(next, 1<<20); err != nil || b[5000] != 0 {
			t.Fatalf("byte %d, %v", b[5000], err)
		} else if next == a {
			return
		} else {
			b[5000] = 1
		}
		if err := m.Free(next); err != nil {
			t.Fatal(err)
		}
	}
	t.Errorf("0x%x is never used again", a)
}

func TestClear(t *testing.T) {
	m := newMemory(t, 1<<24)
	a := mustAlloc(t, m, 1<<20)
	b, err := m.Bytes(a, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct{ from, to uint64 }{{3, 9}, {100, 70001}, {4096, 12288}, {1<<20 - 5000, 1 << 20}} {
		for i := range b {
			b[i] = 1
		}
		if err := m.Clear(a+r.from, r.to-r.from); err != nil {
			t.Fatal(err)
		}
		for i, v := range b {
			if inside := uint64(i) >= r.from && uint64(i) < r.to; inside != (v == 0) {
				t.Fatalf("bytes %d to %d cleared: byte %d is %d", r.from, r.to, i, v)
			}
		}
	}
	if err := m.Clear(a, 1<<20+1); !errors.Is(err, ErrNotAllocated) {
		t.Errorf("past the end: %v", err)
	}
	large := newMemory(t, 141<<30)
	if err := large.Clear(mustAlloc(t, large, 100<<30), 100<<30); err != nil {
		t.Error(err)
	}
}

func TestExplain(t *testing.T) {
	m := newMemory(t, 1<<20)
	if s := m.Explain(16, 4); s != "nothing is allocated" {
		t.Error(s)
	}
	a := mustAlloc(t, m, 1000)
	c := mustAlloc(t, m, 256)
	for _, e := range []struct {
		addr, n uint64
		want    string
	}{
		{a + 1000, 4, "0 bytes after the allocation of 1000 bytes"},
		{a + 1004, 4, "4 bytes after the allocation of 1000 bytes"},
		{a + 996, 8, "the last 4 bytes are after the allocation of 1000 bytes"},
		{a - 8, 4, "8 bytes before the allocation of 1000 bytes"},
		{c - 4, 4, "4 bytes before the allocation of 256 bytes"},
		{16, 4, "bytes before the allocation of 1000 bytes"},
	} {
		if s := m.Explain(e.addr, e.n); !strings.Contains(s, e.want) {
			t.Errorf("%d bytes at base+%d: %q, want %q", e.n, int64(e.addr-a), s, e.want)
		}
	}
}

func TestHostMemory(t *testing.T) {
	m := newMemory(t, 1<<20)
	host := make([]byte, 64)
	p := unsafe.Pointer(&host[0])
	addr := uint64(uintptr(p))
	v := m.View()
	if _, ok := v.Range(addr, 1); ok {
		t.Error("host memory reached before it was added")
	}
	if err := m.AddHost(p, 64); err != nil {
		t.Fatal(err)
	}
	if err := m.AddHost(unsafe.Add(p, 32), 8); err == nil {
		t.Error("overlapping range was accepted")
	}
	if q, ok := v.Range(addr+60, 4); !ok || q != unsafe.Add(p, 60) {
		t.Errorf("%v, %v", q, ok)
	}
	if _, ok := v.Range(addr+61, 4); ok {
		t.Error("access past the end")
	}
	if err := m.Free(addr); !errors.Is(err, ErrNotAllocated) {
		t.Errorf("Free of host memory: %v", err)
	}
	if err := m.RemoveHost(p); err != nil {
		t.Fatal(err)
	}
	if _, ok := v.Range(addr+60, 4); ok {
		t.Error("host memory reached after it was removed")
	}
	a := mustAlloc(t, m, 100)
	inside, err := m.Bytes(a, 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.AddHost(unsafe.Pointer(&inside[0]), 10); err == nil {
		t.Error("device memory was accepted as host memory")
	}
}

// TestAllocationsBehaveLikeAModel checks that allocations are aligned and apart, that each byte lies in
// the allocation it should, and that nothing is lost when all are freed.
func TestAllocationsBehaveLikeAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, err := New(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		view := m.View()
		var live []Range
		t.Repeat(map[string]func(*rapid.T){
			"alloc": func(t *rapid.T) {
				size := rapid.Uint64Range(1, 200_000).Draw(t, "size")
				align := uint64(1) << rapid.IntRange(0, 13).Draw(t, "align")
				addr, err := m.Alloc(size, align)
				if errors.Is(err, ErrOutOfMemory) {
					return
				}
				if err != nil || addr%align != 0 || addr%Alignment != 0 {
					t.Fatalf("0x%x aligned to %d: %v", addr, align, err)
				}
				live = append(live, Range{addr, size})
			},
			"free": func(t *rapid.T) {
				if len(live) == 0 {
					t.Skip("nothing to free")
				}
				i := rapid.IntRange(0, len(live)-1).Draw(t, "index")
				if err := m.Free(live[i].Base); err != nil {
					t.Fatal(err)
				}
				live = append(live[:i], live[i+1:]...)
			},
			"": func(t *rapid.T) {
				var used uint64
				for i, r := range live {
					used += roundUp(r.Size, Alignment)
					if found, ok := m.Find(r.End() - 1); !ok || found != r {
						t.Fatalf("last byte of %v found in %v, %v", r, found, ok)
					}
					if _, ok := view.Range(r.Base, r.Size); !ok {
						t.Fatalf("view does not reach %v", r)
					}
					if _, ok := view.Range(r.Base, r.Size+1); ok {
						t.Fatalf("view reaches past %v", r)
					}
					for _, o := range live[:i] {
						if r.Base < o.End() && o.Base < r.End() {
							t.Fatalf("%v and %v overlap", r, o)
						}
					}
				}
				if got, _ := m.Usage(); got != used {
					t.Fatalf("%d bytes used, want %d", got, used)
				}
			},
		})
		for _, r := range live {
			if err := m.Free(r.Base); err != nil {
				t.Fatal(err)
			}
		}
		for m.release() {
		}
		if len(m.free) != 1 || len(m.space.live) != 0 || m.held != 0 {
			t.Fatalf("after freeing all: free %v, live %v, held %d", m.free, m.space.live, m.held)
		}
	})
}

func TestViewsFollowConcurrentChanges(t *testing.T) {
	m := newMemory(t, 1<<24)
	kept := mustAlloc(t, m, 4096)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			v := m.View()
			for i := range uint64(20_000) {
				if _, ok := v.Range(kept+i%4096, 1); !ok {
					t.Error("a live allocation was not found")
					return
				}
			}
		})
	}
	for range 2 {
		group.Go(func() {
			for range 500 {
				addr, err := m.Alloc(1000, 0)
				if err != nil {
					t.Error(err)
					return
				}
				if err := m.Free(addr); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}
