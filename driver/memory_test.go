package driver

import (
	"bytes"
	"syscall"
	"testing"
	"unsafe"
)

// hostMemory returns memory that is not Go's, like that of a C program, and its address.
func hostMemory(t *testing.T, n int) ([]byte, uint64) {
	t.Helper()
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	return b, uint64(uintptr(unsafe.Pointer(&b[0])))
}

func TestMemoryKinds(t *testing.T) {
	d := open(t, "h200", Options{})
	device := alloc(t, d, 100)
	managed, err := d.AllocManaged(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	host, other := make([]byte, 64), make([]byte, 64)
	p := unsafe.Pointer(&host[0])
	if err := d.RegisterHost(p, Memory{Kind: PinnedMemory, Size: 64, Flags: 3}); err != nil {
		t.Fatal(err)
	}
	addr := uint64(uintptr(p))
	for _, c := range []struct {
		name string
		addr uint64
		want Memory
	}{
		{"device", device, Memory{Kind: DeviceMemory, Base: device, Size: 100, Flags: 0, Device: d}},
		{"inside", device + 99, Memory{Kind: DeviceMemory, Base: device, Size: 100, Flags: 0, Device: d}},
		{"behind", device + 100, Memory{}},
		{"managed", managed + 4, Memory{Kind: ManagedMemory, Base: managed, Size: 100, Flags: 1, Device: d}},
		{"pinned", addr + 63, Memory{Kind: PinnedMemory, Base: addr, Size: 64, Flags: 3, Device: d}},
		{"unknown", uint64(uintptr(unsafe.Pointer(&other[0]))), Memory{}},
		{"null", 0, Memory{}},
	} {
		if got := d.MemoryAt(c.addr); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	wantCode(t, "free of host memory", d.Free(addr), InvalidValue)
	wantCode(t, "second registration", d.RegisterHost(unsafe.Add(p, 8), Memory{Kind: RegisteredMemory, Size: 8}), HostMemoryAlreadyRegistered)
	wantCode(t, "nothing to register", d.RegisterHost(p, Memory{}), InvalidValue)
	wantCode(t, "interior", d.UnregisterHost(unsafe.Add(p, 8)), HostMemoryNotRegistered)
	wantCode(t, "unregister", d.UnregisterHost(p), Success)
	wantCode(t, "unregister again", d.UnregisterHost(p), HostMemoryNotRegistered)
	for _, a := range []uint64{device, managed, 0} {
		wantCode(t, "free", d.Free(a), Success)
	}
	wantCode(t, "double free", d.Free(device), InvalidValue)
	wantCode(t, "interior free", d.Free(alloc(t, d, 100)+4), InvalidValue)
	if m := d.MemoryAt(managed); m != (Memory{}) {
		t.Errorf("freed memory is known: %+v", m)
	}
}

func TestAllocRefuses(t *testing.T) {
	d := open(t, "v100", Options{})
	_, err := d.Alloc(0)
	wantCode(t, "nothing", err, InvalidValue)
	_, total := d.MemInfo()
	_, err = d.Alloc(total + 1)
	wantCode(t, "more than there is", err, OutOfMemory)
	_, err = d.Bytes(alloc(t, d, 8)+4, 8)
	wantCode(t, "bytes past the end", err, InvalidValue)
}

func TestCopyDirections(t *testing.T) {
	d := open(t, "h200", Options{})
	known := alloc(t, d, 64)
	_, host := hostMemory(t, 4096)
	unknown := func(i int) uint64 { return host + uint64(i)*64 }
	for kind := HostToHost; kind <= Default; kind++ {
		for _, c := range []struct {
			name     string
			dst, src uint64
			ok       bool
		}{
			{"host to host", unknown(0), unknown(1), !kind.toDevice() && !kind.fromDevice()},
			{"host to device", known, unknown(1), !kind.fromDevice()},
			{"device to host", unknown(0), known, !kind.toDevice()},
			{"device to device", known, known + 32, true},
		} {
			want := Success
			if !c.ok {
				want = InvalidValue
			}
			wantCode(t, c.name, copyBytes(d, c.dst, c.src, 32, kind), want)
		}
	}
	wantCode(t, "kind", copyBytes(d, known, unknown(0), 1, 9), InvalidMemcpyDirection)
	wantCode(t, "nothing of any kind", copyBytes(d, known, unknown(0), 0, 9), Success)
	wantCode(t, "past the end", copyBytes(d, known+1, unknown(0), 64, HostToDevice), InvalidValue)
	wantCode(t, "null", copyBytes(d, known, 16, 4, HostToDevice), InvalidValue)
	wantCode(t, "all of memory", copyBytes(d, unknown(0), known, 1<<63, DeviceToHost), InvalidValue)
}

func TestCopy3D(t *testing.T) {
	d := open(t, "h200", Options{})
	src, srcAddr := hostMemory(t, 4096)
	for i := range src {
		src[i] = byte(i + 1)
	}
	addr := alloc(t, d, 512)
	if err := d.LegacyStream().Submit(MemorySet{Place{Addr: addr}, 0, 1, Extent{512, 1, 1}}, true); err != nil {
		t.Fatal(err)
	}
	from := Place{Addr: srcAddr, Pitch: 5, Slice: 20}
	to := Place{Addr: addr + 1, Pitch: 16, Slice: 128}
	if err := d.LegacyStream().Submit(MemoryCopy{to, from, Extent{5, 4, 3}, HostToDevice}, true); err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 512)
	for z := range 3 {
		for y := range 4 {
			copy(want[1+z*128+y*16:], src[z*20+y*5:][:5])
		}
	}
	if got, err := d.Bytes(addr, 512); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v\n%v", got, err)
	}
	for _, c := range []struct {
		name     string
		dst, src Place
		e        Extent
		code     Code
	}{
		{"empty", Place{}, Place{}, Extent{0, 1, 1}, Success},
		{"pitch", Place{Addr: addr, Pitch: 4}, from, Extent{5, 2, 1}, InvalidPitchValue},
		{"one row needs no pitch", Place{Addr: addr}, Place{Addr: from.Addr}, Extent{5, 1, 1}, Success},
		{"too many rows", Place{Addr: addr, Pitch: 16}, from, Extent{5, 33, 1}, InvalidValue},
		{"last row to the end", Place{Addr: addr + 11, Pitch: 250}, from, Extent{1, 3, 1}, Success},
		{"overflow", Place{Addr: addr, Pitch: 1 << 62}, from, Extent{5, 8, 1}, InvalidValue},
	} {
		wantCode(t, c.name, d.LegacyStream().Submit(MemoryCopy{c.dst, c.src, c.e, HostToDevice}, true), c.code)
	}
}

func TestSet(t *testing.T) {
	d := open(t, "h200", Options{})
	addr := alloc(t, d, 64)
	for _, c := range []struct {
		name  string
		dst   Place
		value uint32
		bytes uint64
		e     Extent
		code  Code
		want  string // the first bytes
	}{
		{"bytes", Place{Addr: addr}, 0x1ff, 1, Extent{3, 1, 1}, Success, "\xff\xff\xff\x00"},
		{"halves", Place{Addr: addr}, 0x0201, 2, Extent{6, 1, 1}, Success, "\x01\x02\x01\x02\x01\x02\x00"},
		{"words", Place{Addr: addr}, 0x04030201, 4, Extent{8, 1, 1}, Success, "\x01\x02\x03\x04\x01\x02\x03\x04\x00"},
		{"rows", Place{Addr: addr, Pitch: 4}, 5, 1, Extent{2, 2, 1}, Success, "\x05\x05\x00\x00\x05\x05\x00"},
		{"zeros", Place{Addr: addr}, 0, 4, Extent{64, 1, 1}, Success, "\x00"},
		{"nothing", Place{}, 1, 1, Extent{0, 1, 1}, Success, ""},
		{"misaligned address", Place{Addr: addr + 1}, 1, 2, Extent{2, 1, 1}, InvalidValue, ""},
		{"misaligned pitch", Place{Addr: addr, Pitch: 5}, 1, 2, Extent{2, 2, 1}, InvalidValue, ""},
		{"wide rows", Place{Addr: addr, Pitch: 4}, 1, 1, Extent{5, 2, 1}, InvalidValue, ""},
		{"past the end", Place{Addr: addr}, 1, 1, Extent{65, 1, 1}, InvalidValue, ""},
		{"unknown memory", Place{Addr: 1 << 40}, 1, 1, Extent{1, 1, 1}, InvalidValue, ""},
	} {
		b, err := d.Bytes(addr, 64)
		if err != nil {
			t.Fatal(err)
		}
		clear(b)
		wantCode(t, c.name, d.LegacyStream().Submit(MemorySet{c.dst, c.value, c.bytes, c.e}, true), c.code)
		if !bytes.HasPrefix(b, []byte(c.want)) {
			t.Errorf("%s: %v", c.name, b[:16])
		}
	}
}

func copyBytes(d *Device, dst, src, n uint64, kind CopyKind) error {
	return d.LegacyStream().Submit(MemoryCopy{Place{Addr: dst}, Place{Addr: src}, Extent{n, 1, 1}, kind}, true)
}

// A pool with a limit refuses what is beyond it, and takes it when there is room again.
func TestPoolWithLimit(t *testing.T) {
	d := open(t, "h200", Options{})
	for _, shared := range []bool{false, true} {
		p, err := d.NewPool(DeviceMemory, shared, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.Alloc(700_000)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Alloc(400_000)
		wantCode(t, "too much", err, OutOfMemory)
		_, err = p.Alloc(1 << 62)
		wantCode(t, "far too much", err, OutOfMemory)
		if used, high := p.Usage(); used != 700_000 || high != 700_000 {
			t.Errorf("%d bytes are used, at most %d", used, high)
		}
		wantCode(t, "free", d.Free(a), Success)
		_, err = p.Alloc(1 << 20)
		wantCode(t, "all of it", err, Success)
	}
}
