package driver_test

import (
	"slices"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"silica/driver"
	"silica/gpu"
)

// listen opens a device whose activities are gathered.
func listen(t *testing.T) (d *driver.Device, activities func() []*driver.Activity) {
	t.Helper()
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all []*driver.Activity
	r := &driver.Recorder{Ended: func(a *driver.Activity) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, a)
	}}
	d, err = driver.Open(g, driver.Options{Recorder: r})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d, func() []*driver.Activity {
		mu.Lock()
		defer mu.Unlock()
		slices.SortFunc(all, func(a, b *driver.Activity) int { return int(a.ID) - int(b.ID) })
		return all
	}
}

// TestActivities submits work of each kind and looks at what a recorder is told.
func TestActivities(t *testing.T) {
	d, activities := listen(t)
	const n = 4096
	dst, err := d.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	host, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE) // as a program's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(host); err != nil {
			t.Error(err)
		}
	})
	s, other := d.NewStream(driver.NonBlocking, 0), d.NewStream(driver.Blocking, 0)
	m, err := d.LoadPTX("empty.ptx", []byte(".version 8.0\n.target sm_80\n.address_size 64\n.entry empty() { ret; }\n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function("empty")
	if err != nil {
		t.Fatal(err)
	}
	one := driver.Dim3{X: 1, Y: 1, Z: 1}
	e := &driver.Event{}
	g := d.NewGraph()
	if _, err := g.Add(driver.KernelLaunch{Function: f, Launch: driver.Launch{Grid: one, Block: one}}, nil); err != nil {
		t.Fatal(err)
	}
	x, err := g.Instantiate()
	if err != nil {
		t.Fatal(err)
	}
	extent := driver.Extent{Width: n / 4, Height: 4, Depth: 1}
	for _, step := range []func() error{
		func() error {
			src := driver.Place{Addr: uint64(uintptr(unsafe.Pointer(&host[0]))), Pitch: n / 4}
			return s.Submit(driver.MemoryCopy{Dst: driver.Place{Addr: dst, Pitch: n / 4}, Src: src, Extent: extent, Kind: driver.HostToDevice}, false)
		},
		func() error {
			return s.Submit(driver.KernelLaunch{Function: f, Launch: driver.Launch{Grid: one, Block: one}}, false)
		},
		func() error { return e.Record(s) },
		func() error { return other.WaitEvent(e) },
		func() error {
			return other.Submit(driver.MemorySet{Dst: driver.Place{Addr: dst}, Bytes: 1, Extent: driver.Extent{Width: n, Height: 1, Depth: 1}}, false)
		},
		func() error { return x.Launch(other) },
		func() error { return f.Launch(t.Context(), driver.Launch{Grid: one, Block: one}) },
		d.Synchronize,
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	want := []driver.Activity{
		{Kind: driver.CopyActivity, Stream: s.ID, Waited: true, Bytes: n, Rows: 4, From: driver.UnknownMemory, To: driver.DeviceMemory},
		{Kind: driver.KernelActivity, Stream: s.ID, Name: "empty", After: []uint64{1}, Grid: 1},
		{Kind: driver.RecordActivity, Stream: s.ID, After: []uint64{2}},
		{Kind: driver.WaitActivity, Stream: other.ID, After: []uint64{3}},
		{Kind: driver.SetActivity, Stream: other.ID, After: []uint64{4}, Bytes: n, Rows: 1, To: driver.DeviceMemory},
		{Kind: driver.GraphActivity, Stream: other.ID, After: []uint64{5}},
		{Kind: driver.KernelActivity, Name: "empty", Graph: 6, After: []uint64{6}, Grid: 2},
		{Kind: driver.PlaceActivity, Stream: other.ID, After: []uint64{6, 7}},
		{Kind: driver.KernelActivity, Stream: d.LegacyStream().ID, Name: "empty", Waited: true, After: []uint64{8}, Grid: 3},
		{Kind: driver.SyncActivity, Waited: true, After: []uint64{3, 8, 9}},
	}
	got := activities()
	if len(got) != len(want) {
		t.Fatalf("%d activities, want %d", len(got), len(want))
	}
	for i, a := range got {
		if a.Submitted.IsZero() || a.Began.Before(a.Submitted) || a.Ended.Before(a.Began) || a.Thread == 0 || a.Context != 1 {
			t.Errorf("activity %d: %+v", i+1, *a)
		}
		w := want[i]
		after := slices.Compact(slices.Sorted(slices.Values(a.After)))
		if a.ID != uint64(i+1) || a.Kind != w.Kind || a.Name != w.Name || a.Stream != w.Stream || a.Graph != w.Graph || a.Waited != w.Waited ||
			a.Bytes != w.Bytes || a.Rows != w.Rows || a.From != w.From || a.To != w.To || a.Grid != w.Grid || !slices.Equal(after, w.After) {
			t.Errorf("activity %d is %+v, want %+v", i+1, *a, w)
		}
	}
}
