package driver

import (
	"encoding/binary"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// Managed memory moves when somebody else touches it than who had it, in pages of 64 KB: what each step moves is told once.
func TestMigrations(t *testing.T) {
	const pages = 8
	var mu sync.Mutex
	var moved []Migration
	recorder := &Recorder{Ended: func(a *Activity) {
		mu.Lock()
		defer mu.Unlock()
		moved = append(moved, a.Migrations...)
	}}
	first, second := openSystem(t, Options{Recorder: recorder})
	p, err := first.AllocManaged(pages*migrationPage-100, 1)
	if err != nil {
		t.Fatal(err)
	}
	host := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), p)), pages*migrationPage-100)
	kernels := map[*Device]*Function{first: kernelOf(t, first, "set"), second: kernelOf(t, second, "set")}
	set := func(d *Device, page uint64) {
		t.Helper()
		if err := kernels[d].Launch(t.Context(), Launch{Grid: one, Block: one, Params: arguments(p+page*migrationPage, 9)}); err != nil {
			t.Fatal(err)
		}
	}
	prefetch := func(to Location, n uint64) {
		t.Helper()
		if err := first.LegacyStream().Submit(Prefetch{Addr: p, Size: n, To: to}, true); err != nil {
			t.Fatal(err)
		}
	}
	fault := func(device int, toHost bool, pages, bytes uint64) Migration {
		return Migration{Device: device, ToHost: toHost, Fault: true, Pages: pages, Bytes: bytes}
	}
	const k = migrationPage
	for _, step := range []struct {
		what string
		do   func()
		want []Migration
	}{
		{"nothing moves to who touches first", func() { set(first, 7); clear(host[:3*k]); host[5*k] = 1 }, nil},
		{"a kernel gets a page of the host", func() { set(first, 2) }, []Migration{fault(0, false, 1, k)}},
		{"which it keeps", func() { set(first, 2) }, nil},
		{"until the host touches it", func() { host[2*k+5]++; set(first, 7) }, []Migration{fault(0, true, 1, k)}},
		{"a short page", func() { host[7*k] = 1; set(second, 7) }, []Migration{fault(0, true, 1, k-100), fault(1, false, 1, k-100)}},
		{"from one device to another", func() { set(first, 7) }, []Migration{fault(0, false, 1, k-100)}},
		{"a prefetch", func() { prefetch(Location{OnDevice, 0}, 6*k) }, []Migration{{Device: 0, Pages: 4, Bytes: 4 * k}}},
		{"of what is there", func() { prefetch(Location{OnDevice, 0}, 6*k); set(first, 1) }, nil},
		{"and back", func() { prefetch(Location{OnHostMemory, 0}, 2*k) }, []Migration{{Device: 0, ToHost: true, Pages: 2, Bytes: 2 * k}}},
		{"memory that is accessed at the host", func() {
			if err := first.Advise(p, 2*k, SetAccessedBy, Location{OnDevice, 0}); err != nil {
				t.Fatal(err)
			}
			set(first, 0)
		}, nil},
	} {
		step.do()
		mu.Lock()
		if !slices.Equal(moved, step.want) {
			t.Errorf("%s: %+v, want %+v", step.what, moved, step.want)
		}
		moved = nil
		mu.Unlock()
	}
	if got := binary.LittleEndian.Uint32(host); got != 9 {
		t.Errorf("the host reads %d", got)
	}
	host[6*k], host[7*k] = 1, 1
	first.Finish(time.After(time.Minute))
	if want := []Migration{fault(0, true, 1, k-100)}; !slices.Equal(moved, want) {
		t.Errorf("at the end: %+v, want %+v", moved, want)
	}
	if err := first.Free(p); err != nil {
		t.Error(err)
	}
}
