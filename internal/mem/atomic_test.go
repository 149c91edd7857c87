package mem

import (
	"sync"
	"testing"
	"unsafe"
)

func TestLoadAndStoreKeepNeighbours(t *testing.T) {
	for _, bytes := range []int{1, 2, 4, 8} {
		words := [3]uint64{^uint64(0), ^uint64(0), ^uint64(0)}
		p := unsafe.Pointer(&words[1])
		Store(p, bytes, 0x0102030405060708)
		want := uint64(0x0102030405060708) & (1<<(8*bytes-1)<<1 - 1)
		if got := Load(p, bytes); got != want {
			t.Errorf("%d bytes: 0x%x, want 0x%x", bytes, got, want)
		}
		if words[0] != ^uint64(0) || words[2] != ^uint64(0) || bytes < 8 && words[1]>>(8*bytes) != ^uint64(0)>>(8*bytes) {
			t.Errorf("%d bytes: neighbours changed: %x", bytes, words)
		}
	}
}

func TestOperationsReturnTheOldValue(t *testing.T) {
	const old32, old64 = 0xF0F0_0001, 0xF0F0_0000_0000_0001
	for _, c := range []struct {
		name   string
		word32 func(unsafe.Pointer, uint32) uint32
		word64 func(unsafe.Pointer, uint64) uint64
		f      func(old, v uint64) uint64
	}{
		{"add", Add32, Add64, func(old, v uint64) uint64 { return old + v }},
		{"and", And32, And64, func(old, v uint64) uint64 { return old & v }},
		{"or", Or32, Or64, func(old, v uint64) uint64 { return old | v }},
		{"exchange", Exchange32, Exchange64, func(old, v uint64) uint64 { return v }},
	} {
		a, b := uint32(old32), uint64(old64)
		if old := c.word32(unsafe.Pointer(&a), 0x8000_00FF); old != old32 || a != uint32(c.f(old32, 0x8000_00FF)) {
			t.Errorf("%s32: old 0x%x, new 0x%x", c.name, old, a)
		}
		if old := c.word64(unsafe.Pointer(&b), 0x8000_0000_0000_00FF); old != old64 || b != c.f(old64, 0x8000_0000_0000_00FF) {
			t.Errorf("%s64: old 0x%x, new 0x%x", c.name, old, b)
		}
	}
}

func TestCompareAndSwap(t *testing.T) {
	a, b := uint32(5), uint64(5)
	if old := CompareAndSwap32(unsafe.Pointer(&a), 4, 9); old != 5 || a != 5 {
		t.Errorf("32-bit mismatch: old %d, new %d", old, a)
	}
	if old := CompareAndSwap32(unsafe.Pointer(&a), 5, 9); old != 5 || a != 9 {
		t.Errorf("32-bit match: old %d, new %d", old, a)
	}
	if old := CompareAndSwap64(unsafe.Pointer(&b), 4, 9); old != 5 || b != 5 {
		t.Errorf("64-bit mismatch: old %d, new %d", old, b)
	}
	if old := CompareAndSwap64(unsafe.Pointer(&b), 5, 9); old != 5 || b != 9 {
		t.Errorf("64-bit match: old %d, new %d", old, b)
	}
}

// TestUpdatesAreNotLost adds from several goroutines to neighbouring values of each width.
func TestUpdatesAreNotLost(t *testing.T) {
	const workers, rounds = 4, 2000
	add := func(old, b, _ uint64) uint64 { return old + b }
	m := newMemory(t, 1<<20)
	addr := mustAlloc(t, m, 64)
	b, err := m.Bytes(addr, 64)
	if err != nil {
		t.Fatal(err)
	}
	p := unsafe.Pointer(&b[0])
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for range rounds {
				Update(p, 2, add, 1, 0)
				Update(unsafe.Add(p, 2), 2, add, 3, 0)
				Update(unsafe.Add(p, 4), 4, add, 1, 0)
				Update(unsafe.Add(p, 8), 8, add, 1, 0)
				m.Update128(unsafe.Add(p, 16), func(old, b, _ [2]uint64) [2]uint64 { return [2]uint64{old[0] + b[0], old[1] + b[1]} }, [2]uint64{1, 2}, [2]uint64{})
			}
		})
	}
	group.Wait()
	const n = workers * rounds
	for _, c := range []struct {
		offset, bytes int
		want          uint64
	}{{0, 2, n}, {2, 2, 3 * n}, {4, 4, n}, {8, 8, n}, {16, 8, n}, {24, 8, 2 * n}} {
		if got := Load(unsafe.Add(p, c.offset), c.bytes); got != c.want {
			t.Errorf("%d bytes at %d: %d, want %d", c.bytes, c.offset, got, c.want)
		}
	}
}
