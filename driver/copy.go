package driver

import "unsafe"

// CopyKind is the direction of a copy, numbered as cudaMemcpyKind.
type CopyKind int

// The directions.
const (
	HostToHost     CopyKind = 0
	HostToDevice   CopyKind = 1
	DeviceToHost   CopyKind = 2
	DeviceToDevice CopyKind = 3
	Default        CopyKind = 4 // as the addresses say
)

// toDevice and fromDevice tell which side of a copy has to be memory that the device knows.
func (k CopyKind) toDevice() bool   { return k == HostToDevice || k == DeviceToDevice }
func (k CopyKind) fromDevice() bool { return k == DeviceToHost || k == DeviceToDevice }

// Place is one side of a copy: rows of a pitch, Slice bytes apart in depth.
type Place struct {
	Addr  uint64
	Pitch uint64 // bytes from one row to the next
	Slice uint64 // bytes from one slice to the next
	// In is a place in an array, which then stands for all of the above.
	In ArrayPlace
}

// resolve returns a place in memory.
func (p Place) resolve(e Extent) (Place, error) {
	if p.In.Array == nil {
		return p, nil
	}
	return p.In.place(e)
}

// Extent is the size of a copy or fill: bytes of a row, rows of a slice, slices.
type Extent struct{ Width, Height, Depth uint64 }

func (e Extent) empty() bool { return e.Width == 0 || e.Height == 0 || e.Depth == 0 }

// span returns the bytes from the first to the last byte of an extent at p; ok is false on overflow.
func (e Extent) span(p Place) (n uint64, ok bool) {
	const most = 1 << 62
	if e.Height > 1 && p.Pitch > most/e.Height || e.Depth > 1 && p.Slice > most/e.Depth || e.Width > most {
		return 0, false
	}
	return (e.Depth-1)*p.Slice + (e.Height-1)*p.Pitch + e.Width, true
}

// lowestAddress is the lowest that a process can have memory at: what is below is a null pointer, or an
// offset from one.
const lowestAddress = 4096

// newCopy checks a copy.
func (d *Device) newCopy(o MemoryCopy) (*memoryCopy, error) {
	c := &memoryCopy{MemoryCopy: o}
	e, kind := o.Extent, o.Kind
	switch {
	case e.empty():
		return c, nil
	case kind < HostToHost || kind > Default:
		return nil, Fail(InvalidMemcpyDirection, "a copy of kind %d: kinds go from cudaMemcpyHostToHost, 0, to cudaMemcpyDefault, 4", kind)
	case o.Dst.In.Array != nil && (kind == HostToHost || kind == DeviceToHost), o.Src.In.Array != nil && (kind == HostToHost || kind == HostToDevice):
		return nil, Fail(InvalidMemcpyDirection, "a copy of kind %d of an array", kind)
	}
	var err error
	if c.Dst, err = o.Dst.resolve(e); err != nil {
		return nil, err
	}
	if c.Src, err = o.Src.resolve(e); err != nil {
		return nil, err
	}
	dst, src := c.Dst, c.Src
	if e.Height > 1 && (e.Width > dst.Pitch || e.Width > src.Pitch) {
		return nil, Fail(InvalidPitchValue, "rows of %d bytes with pitches of %d and %d bytes", e.Width, dst.Pitch, src.Pitch)
	}
	if c.to, err = d.side(dst, e, kind.toDevice()); err != nil {
		return nil, err
	}
	if c.from, err = d.side(src, e, kind.fromDevice()); err != nil {
		return nil, err
	}
	c.pageable = !d.MemoryAt(dst.Addr).onDevice() || !d.MemoryAt(src.Addr).onDevice()
	return c, nil
}

// memoryCopy is a copy that has been checked.
type memoryCopy struct {
	MemoryCopy
	to, from []byte
	pageable bool // a side is host memory that the device does not know
}

// run copies.
func (c *memoryCopy) run() error {
	e := c.Extent
	switch {
	case e.empty():
	case e.Height == 1 && e.Depth == 1:
		copy(c.to, c.from)
	default:
		for z := range e.Depth {
			for y := range e.Height {
				copy(c.to[z*c.Dst.Slice+y*c.Dst.Pitch:][:e.Width], c.from[z*c.Src.Slice+y*c.Src.Pitch:])
			}
		}
	}
	return nil
}

// side returns the bytes of one side of a copy.
func (d *Device) side(p Place, e Extent, onDevice bool) ([]byte, error) {
	n, ok := e.span(p)
	if !ok {
		return nil, Fail(InvalidValue, "an extent of %d by %d by %d bytes", e.Width, e.Height, e.Depth)
	}
	m := d.MemoryAt(p.Addr)
	// The host's side may be of a pool that no GPU has access to.
	ofHost := !onDevice && m.Kind == PinnedMemory && p.Addr+n <= m.Base+m.Size
	if onDevice || m.onDevice() && !ofHost {
		return d.Bytes(p.Addr, n)
	}
	if p.Addr < lowestAddress || p.Addr+n < n {
		return nil, Fail(InvalidValue, "%d bytes at the address 0x%x", n, p.Addr)
	}
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), p.Addr)), n), nil
}

func (o MemorySet) prepare(d *Device) (func() error, bool, error) {
	dst, bytes, e := o.Dst, o.Bytes, o.Extent
	switch {
	case e.empty():
		return nil, false, nil
	case e.Height > 1 && e.Width > dst.Pitch:
		return nil, false, Fail(InvalidValue, "rows of %d bytes with a pitch of %d bytes", e.Width, dst.Pitch)
	case (dst.Addr|e.Width)%bytes != 0 || e.Height > 1 && dst.Pitch%bytes != 0:
		return nil, false, Fail(InvalidValue, "the address 0x%x, the width %d and the pitch %d have to be multiples of %d", dst.Addr, e.Width, dst.Pitch, bytes)
	}
	n, ok := e.span(dst)
	if !ok {
		return nil, false, Fail(InvalidValue, "an extent of %d by %d by %d bytes", e.Width, e.Height, e.Depth)
	}
	// A device fills what its kernels may write.
	to, err := d.memory.Bytes(dst.Addr, n)
	if err != nil {
		return nil, false, wrap(InvalidValue, err)
	}
	work := func() error {
		for z := range e.Depth {
			for y := range e.Height {
				fill(to[z*dst.Slice+y*dst.Pitch:][:e.Width], o.Value, bytes)
			}
		}
		return nil
	}
	// In memory that the host reaches, the caller sees the values at once.
	return work, d.MemoryAt(dst.Addr).Kind != DeviceMemory, nil
}

// fill repeats the low bytes of value over b, whose length is a multiple of bytes.
func fill(b []byte, value uint32, bytes uint64) {
	if value == 0 {
		clear(b)
		return
	}
	for i := range bytes {
		b[i] = byte(value >> (8 * i))
	}
	for done := bytes; done < uint64(len(b)); done *= 2 {
		copy(b[done:], b[:done])
	}
}
