package mem

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// newContexts returns contexts of two GPUs of one space: two of the first, one of the second.
func newContexts(t *testing.T) (first, sibling, second *Memory) {
	t.Helper()
	s := NewSpace()
	var all []*Memory
	for range 2 {
		p, err := s.Add(1 << 24)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			m, err := p.Context()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			})
			all = append(all, m)
		}
	}
	return all[0], all[1], all[2]
}

func reaches(m *Memory, addr uint64) bool {
	v := m.View()
	_, ok := v.Range(addr, 4)
	return ok
}

func TestContextsReachWhatTheyMay(t *testing.T) {
	first, sibling, second := newContexts(t)
	view := second.View()
	a := mustAlloc(t, first, 1000)
	host := make([]byte, 64)
	if err := sibling.AddHost(unsafe.Pointer(&host[0]), 64); err != nil {
		t.Fatal(err)
	}
	h := uint64(uintptr(unsafe.Pointer(&host[0])))
	if !reaches(first, a) || !reaches(sibling, a) || reaches(second, a) {
		t.Error("memory of a device is for its contexts")
	}
	if !reaches(first, h) || !reaches(second, h) {
		t.Error("host memory is for all contexts")
	}
	if s := second.Explain(a+4, 4); !strings.Contains(s, "of device 0, to which device 1 has no access as a peer") {
		t.Error(s)
	}
	if !second.Peer(first, true) || second.Peer(first, true) {
		t.Error("peer access was not enabled once")
	}
	later := mustAlloc(t, first, 1000)
	if _, ok := view.Range(a, 4); !ok || !reaches(second, later) {
		t.Error("a peer's memory was not reached")
	}
	if reaches(first, mustAlloc(t, second, 8)) {
		t.Error("access as a peer is one way")
	}
	second.Peer(first, false)
	if _, ok := view.Range(a, 4); ok {
		t.Error("a peer's memory was reached without access")
	}
	first.Share(a)
	if !reaches(second, a) {
		t.Error("shared memory was not reached")
	}
	if b, err := second.AnyBytes(later, 1000); err != nil || len(b) != 1000 {
		t.Errorf("%d bytes to copy, %v", len(b), err)
	}
	if first.Owner(h) != sibling || second.Owner(later) != first {
		t.Error("wrong owners")
	}
	if err := second.Free(later); err != nil {
		t.Error(err)
	}
	used, _ := first.Usage()
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := sibling.Usage(); used != 1024 || left != 0 || reaches(sibling, a) || !reaches(second, h) {
		t.Errorf("a context ended: %d of %d bytes left", left, used)
	}
}

func TestMappings(t *testing.T) {
	const page = 1 << 21
	first, _, second := newContexts(t)
	at, err := first.Reserve(8*page, page)
	if err != nil || at%page != 0 {
		t.Fatalf("0x%x, %v", at, err)
	}
	f, err := NewFile(2 * page)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, c := range []struct {
		r      Range
		offset uint64
		err    error
	}{
		{Range{at, 2 * page}, 0, nil}, {Range{at + 2*page, page}, page, nil}, {Range{at + page, page}, 0, ErrMapped},
		{Range{at + 7*page, 2 * page}, 0, ErrNotReserved}, {Range{at - page, page}, 0, ErrNotReserved}, {Range{at + 5*page, page}, 0, nil},
	} {
		if err := first.Map(c.r, f, c.offset); !errors.Is(err, c.err) {
			t.Errorf("%v: %v, want %v", c.r, err, c.err)
		}
	}
	if reaches(first, at) {
		t.Error("a mapping without rights was reached")
	}
	for addr, want := range map[uint64]string{at: "was given no access to the mapping", at + 3*page: "nothing is mapped there"} {
		if s := first.Explain(addr, 4); !strings.Contains(s, want) {
			t.Errorf("%q, want %q", s, want)
		}
	}
	if err := first.SetAccess(Range{at, page}, Rights{0: ReadWrite}); !errors.Is(err, ErrSplit) {
		t.Error(err)
	}
	if err := first.SetAccess(Range{at, 8 * page}, Rights{0: ReadWrite, 1: ReadOnly}); err != nil {
		t.Fatal(err)
	}
	b, err := first.Bytes(at+page, 2*page)
	if err != nil {
		t.Fatal(err)
	}
	b[0] = 7 // the second page of the file, which is at at+2*page too
	if b[page] != 7 {
		t.Error("the same memory at two addresses differs")
	}
	view := second.View()
	if _, ok := view.Range(at+page, 4); !ok || view.Writable() {
		t.Error("a device can write what it may read only")
	}
	if _, err := first.Unmap(Range{at + page, page}); !errors.Is(err, ErrSplit) {
		t.Error(err)
	}
	if err := first.Unreserve(Range{at, 8 * page}); !errors.Is(err, ErrMapped) {
		t.Error(err)
	}
	if gone, err := first.Unmap(Range{at, 8 * page}); err != nil || len(gone) != 3 {
		t.Errorf("%v, %v", gone, err)
	}
	if reaches(first, at) {
		t.Error("what is not mapped was reached")
	}
	if err := first.Unreserve(Range{at, 8 * page}); err != nil {
		t.Error(err)
	}
}

// What is exported is the same memory as before, that of its neighbours too, and ends to be shared when it is free.
func TestExports(t *testing.T) {
	m, _, other := newContexts(t)
	a, b := mustAlloc(t, m, 1000), mustAlloc(t, m, 10_000)
	x, _ := m.Bytes(a, 1000)
	y, _ := m.Bytes(b, 10_000)
	x[999], y[0], y[9999] = 1, 2, 3
	f, offset, r, err := m.Export(b + 5)
	if err != nil || r != (Range{b, 10_000}) || x[999] != 1 || y[0] != 2 || y[9999] != 3 {
		t.Fatalf("%v, %v: %d %d %d", r, err, x[999], y[0], y[9999])
	}
	_, offsetA, _, err := m.Export(a)
	if err != nil || b-a != offset-offsetA {
		t.Fatalf("offsets %d and %d, %v", offsetA, offset, err)
	}
	again, err := other.AllocFile(10_000, f, offset, nil)
	if err != nil {
		t.Fatal(err)
	}
	z, err := other.Bytes(again, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	y[1], z[2] = 4, 5
	if z[0] != 2 || z[1] != 4 || y[2] != 5 {
		t.Errorf("%v and %v", y[:3], z[:3])
	}
	if _, _, _, err := other.Export(again); !errors.Is(err, ErrNotAllocated) {
		t.Errorf("exporting what is of a file: %v", err)
	}
	for _, addr := range []uint64{again, b, a} {
		if err := m.Free(addr); err != nil {
			t.Fatal(err)
		}
	}
	for m.release() {
	}
	if len(m.exported) != 0 {
		t.Errorf("exported %v", m.exported)
	}
}

func TestFreedAddressesAreHeldForAWhile(t *testing.T) {
	m := newMemory(t, 1<<30)
	for range 5000 {
		if err := m.Free(mustAlloc(t, m, 100)); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.freed) != heldAllocations {
		t.Errorf("%d allocations are held", len(m.freed))
	}
	for range 100 { // more than there are addresses
		if err := m.Free(mustAlloc(t, m, 1<<29)); err != nil {
			t.Fatal(err)
		}
	}
	if m.held > m.reserved.Size/heldShare {
		t.Errorf("%d bytes are held", m.held)
	}
}

// What the host and kernels touch of memory that is mapped twice is told apart, and is the same memory.
func TestTrackedMemory(t *testing.T) {
	const unit = 64 << 10
	m, _, other := newContexts(t)
	addr, err := m.AllocTracked(10*unit, unit)
	if err != nil {
		t.Fatal(err)
	}
	r := Range{addr, 10 * unit}
	host := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), addr)), 10*unit)
	kernels, err := other.Bytes(addr, 10*unit) // managed memory is for all devices
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 3*unit + 7, 4 * unit} {
		host[i] = 1
	}
	kernels[8*unit] = 2
	check := func(what string, wantHost, wantKernels []int) {
		t.Helper()
		h, k := m.Touched(r, unit)
		for i := range h {
			if h[i] != slices.Contains(wantHost, i) || k[i] != slices.Contains(wantKernels, i) {
				t.Errorf("%s: unit %d was touched by the host %t, by kernels %t", what, i, h[i], k[i])
			}
		}
		if len(h) != 10 || len(k) != 10 {
			t.Errorf("%s: %d and %d units", what, len(h), len(k))
		}
	}
	check("at first", []int{0, 3, 4}, []int{8})
	m.Forget(Range{addr + 3*unit, unit}, true, false)
	check("after forgetting one", []int{0, 4}, []int{8})
	m.Forget(r, true, true)
	check("after forgetting all", nil, nil)
	if kernels[4*unit] != 1 || host[8*unit] != 2 {
		t.Error("the contents are gone")
	}
	check("after reading", []int{8}, []int{4})
	if all := other.Tracked(); len(all) != 0 {
		t.Errorf("of the other GPU: %v", all)
	}
	if err := m.Free(addr); err != nil || len(m.Tracked()) != 0 {
		t.Error(err)
	}
}

// Reserved addresses and what is mapped there are the process's: they outlive the context that asked for them.
func TestReservationsOutliveContexts(t *testing.T) {
	p, err := NewSpace().Add(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	open := func() *Memory {
		m, err := p.Context()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	first := open()
	addr, err := first.Reserve(1<<21, 1<<21)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFile(1 << 21)
	if err != nil {
		t.Fatal(err)
	}
	r := Range{addr, 1 << 21}
	if err := first.Map(r, f, 0); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := open()
	if gone, err := second.Unmap(r); err != nil || len(gone) != 1 {
		t.Errorf("unmapped %v: %v", gone, err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.Unreserve(r); err != nil || p.arena != nil {
		t.Errorf("%v; the arena is at %p", err, p.arena)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
