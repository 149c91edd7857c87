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

// Copy copies n bytes in the stream's order, as Copy3D does.
func (s *Stream) Copy(dst, src, n uint64, kind CopyKind, wait bool) error {
	return s.Copy3D(Place{Addr: dst}, Place{Addr: src}, Extent{n, 1, 1}, kind, wait)
}

// Copy3D copies an extent between pitched memory in the stream's order. Each side is memory that the device knows, and then
// lies in one allocation, or host memory where the kind allows it. Host memory that does not exist is a fault of the process.
// It returns when the copy has ended if wait is set or one of its sides is host memory that the device does not know; else
// at once.
func (s *Stream) Copy3D(dst, src Place, e Extent, kind CopyKind, wait bool) error {
	c, err := s.Device.newCopy(dst, src, e, kind)
	if err != nil {
		return err
	}
	return s.inOrder(c.run, wait || c.pageable)
}

// inOrder runs work at its place in the stream's order, and waits for it when asked to.
func (s *Stream) inOrder(work func() error, wait bool) error {
	if wait {
		return s.Do(work)
	}
	_, err := s.Enqueue(work)
	return err
}

// newCopy checks a copy.
func (d *Device) newCopy(dst, src Place, e Extent, kind CopyKind) (*memoryCopy, error) {
	c := &memoryCopy{dst: dst, src: src, extent: e}
	switch {
	case e.empty():
		return c, nil
	case kind < HostToHost || kind > Default:
		return nil, Fail(InvalidMemcpyDirection, "a copy of kind %d", kind)
	case e.Height > 1 && (e.Width > dst.Pitch || e.Width > src.Pitch):
		return nil, Fail(InvalidPitchValue, "rows of %d bytes with pitches of %d and %d bytes", e.Width, dst.Pitch, src.Pitch)
	}
	var err error
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
	dst, src Place
	extent   Extent
	to, from []byte
	pageable bool // a side is host memory that the device does not know
}

// run copies.
func (c *memoryCopy) run() error {
	e := c.extent
	switch {
	case e.empty():
	case e.Height == 1 && e.Depth == 1:
		copy(c.to, c.from)
	default:
		for z := range e.Depth {
			for y := range e.Height {
				copy(c.to[z*c.dst.Slice+y*c.dst.Pitch:][:e.Width], c.from[z*c.src.Slice+y*c.src.Pitch:])
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
	if onDevice || d.MemoryAt(p.Addr).onDevice() {
		return d.Bytes(p.Addr, n)
	}
	if p.Addr < lowestAddress || p.Addr+n < n {
		return nil, Fail(InvalidValue, "%d bytes at the address 0x%x", n, p.Addr)
	}
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), p.Addr)), n), nil
}

// Set fills an extent of memory that the device knows with a value of 1, 2 or 4 bytes, in the stream's order. The address,
// the pitch and the width are multiples of the value's size. It waits for its end in memory that the host reaches.
func (s *Stream) Set(dst Place, value uint32, bytes uint64, e Extent) error {
	switch {
	case e.empty():
		return nil
	case e.Height > 1 && e.Width > dst.Pitch:
		return Fail(InvalidValue, "rows of %d bytes with a pitch of %d bytes", e.Width, dst.Pitch)
	case (dst.Addr|e.Width)%bytes != 0 || e.Height > 1 && dst.Pitch%bytes != 0:
		return Fail(InvalidValue, "the address 0x%x, the width %d and the pitch %d have to be multiples of %d", dst.Addr, e.Width, dst.Pitch, bytes)
	}
	to, err := s.Device.side(dst, e, true)
	if err != nil {
		return err
	}
	return s.inOrder(func() error {
		for z := range e.Depth {
			for y := range e.Height {
				fill(to[z*dst.Slice+y*dst.Pitch:][:e.Width], value, bytes)
			}
		}
		return nil
	}, s.Device.MemoryAt(dst.Addr).Kind != DeviceMemory)
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
