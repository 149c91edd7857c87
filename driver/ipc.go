package driver

import (
	"encoding/binary"
	"errors"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"silica/internal/mem"
)

// IPCHandle names memory or an event of a process to others: cudaIpcMemHandle_t and cudaIpcEventHandle_t.
type IPCHandle [64]byte

// What a handle says, as words of 64 bits.
type ipcWords struct {
	magic, process, descriptor, identity uint64 // of the file
	offset, size                         uint64 // in the file
	ordinal                              uint64
}

const (
	ipcMemory = 0x5311ca01
	ipcEvent  = 0x5311ca02
	ipcPool   = 0x5311ca03
)

func processID() int { return os.Getpid() }

// handle returns a handle of a part of a file.
func ipcHandle(magic uint64, f *mem.File, w ipcWords) (h IPCHandle, err error) {
	w.magic, w.process, w.descriptor = magic, uint64(processID()), uint64(f.Descriptor())
	if w.identity, err = f.Identity(); err != nil {
		return h, wrap(OperatingSystem, err)
	}
	for i, v := range [...]uint64{w.magic, w.process, w.descriptor, w.identity, w.offset, w.size, w.ordinal} {
		binary.LittleEndian.PutUint64(h[8*i:], v)
	}
	return h, nil
}

// words returns what a handle says.
func (h IPCHandle) words() (w ipcWords) {
	for i, p := range [...]*uint64{&w.magic, &w.process, &w.descriptor, &w.identity, &w.offset, &w.size, &w.ordinal} {
		*p = binary.LittleEndian.Uint64(h[8*i:])
	}
	return w
}

// open opens the file of a handle, which another process made.
func (h IPCHandle) open(magic uint64) (w ipcWords, f *mem.File, err error) {
	w = h.words()
	switch {
	case w.magic != magic:
		return w, nil, Fail(InvalidValue, "not a handle of another process")
	case w.process == uint64(processID()):
		return w, nil, Fail(InvalidContext, "the handle is of this process, where it can not be opened")
	}
	f, err = mem.OpenFile(int(w.process), int(w.descriptor))
	if err != nil {
		return w, nil, wrap(InvalidValue, err)
	}
	if identity, err := f.Identity(); err != nil || identity != w.identity {
		return w, nil, errors.Join(Fail(InvalidValue, "what the handle names is not there any more"), f.Close())
	}
	return w, f, nil
}

// imported is memory of another process that was opened here.
type imported struct {
	addr   uint64
	opened int // times
}

// ExportMemory returns a handle of the allocation at an address. It waits for the work of all devices, so that nothing
// changes the memory while it becomes one that processes can share.
func (d *Device) ExportMemory(addr uint64) (h IPCHandle, err error) {
	if m := d.MemoryAt(addr); m.Kind != DeviceMemory || m.Physical != nil || m.Imported {
		return h, Fail(InvalidValue, "no device memory of this process is at 0x%x", addr)
	}
	s := d.system
	for {
		for _, o := range s.all() {
			o.drain()
		}
		s.order.Lock() // nothing begins meanwhile
		if s.idle() {
			break
		}
		s.order.Unlock()
	}
	f, offset, r, err := d.memory.Export(addr)
	s.order.Unlock()
	if err != nil {
		return h, invalid(err)
	}
	return ipcHandle(ipcMemory, f, ipcWords{offset: offset, size: r.Size, ordinal: uint64(d.MemoryAt(addr).Ordinal)})
}

// idle tells whether all work has ended. The caller holds the order.
func (s *System) idle() bool {
	for _, d := range s.all() {
		for stream := range d.streams {
			if stream.last != nil && !stream.last.ended {
				return false
			}
		}
	}
	return true
}

// ImportMemory returns the address of memory of another process. It is the same each time, and counts how often.
func (d *Device) ImportMemory(h IPCHandle) (uint64, error) {
	w, f, err := h.open(ipcMemory)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := d.imports[h]; i != nil {
		i.opened++
		return i.addr, nil
	}
	addr, err := d.memory.AllocFile(w.size, f, w.offset, nil)
	if err != nil {
		return 0, wrap(OutOfMemory, err)
	}
	d.know(Memory{Kind: DeviceMemory, Base: addr, Size: w.size, Imported: true})
	if d.imports == nil {
		d.imports = map[IPCHandle]*imported{}
	}
	d.imports[h] = &imported{addr, 1}
	return addr, nil
}

// CloseMemory undoes an ImportMemory, when all work has ended.
func (d *Device) CloseMemory(addr uint64) error {
	d.drain()
	d.mu.Lock()
	defer d.mu.Unlock()
	for h, i := range d.imports {
		if i.addr != addr {
			continue
		}
		if i.opened--; i.opened > 0 {
			return nil
		}
		delete(d.imports, h)
		d.forget(addr)
		return invalid(d.memory.Free(addr))
	}
	return Fail(InvalidValue, "no memory of another process is at 0x%x", addr)
}

// sharedEvent is an event that processes share: words in a file.
type sharedEvent struct {
	file *mem.File // nil in the processes that imported it
	page []byte
}

const sharedEventBytes = 4096

func (e *sharedEvent) word(i int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&e.page[8*i]))
}

// The words: how often the event was recorded, how many of these records have happened, and the process that made the latest.
func (e *sharedEvent) recorded() *atomic.Uint64 { return e.word(0) }
func (e *sharedEvent) happened() *atomic.Uint64 { return e.word(1) }
func (e *sharedEvent) recorder() *atomic.Uint64 { return e.word(2) }

// Share lets other processes open the event.
func (e *Event) Share() error {
	f, err := mem.NewFile(sharedEventBytes)
	if err != nil {
		return wrap(OutOfMemory, err)
	}
	page, err := f.Bytes(sharedEventBytes)
	if err != nil {
		return errors.Join(wrap(OutOfMemory, err), f.Close())
	}
	e.shared = &sharedEvent{f, page}
	return nil
}

// Export returns a handle of an event for which Share was called here.
func (e *Event) Export() (h IPCHandle, err error) {
	if e.shared == nil || e.shared.file == nil {
		return h, Fail(InvalidHandle, "the event was not created for other processes")
	}
	return ipcHandle(ipcEvent, e.shared.file, ipcWords{size: sharedEventBytes})
}

// ImportEvent returns an event of another process.
func (d *Device) ImportEvent(h IPCHandle) (*Event, error) {
	_, f, err := h.open(ipcEvent)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	page, err := f.Bytes(sharedEventBytes)
	if err != nil {
		return nil, wrap(OutOfMemory, err)
	}
	return &Event{Device: d, shared: &sharedEvent{page: page}}, nil
}

// Close ends the use of the event. What waits for a record goes on.
func (e *Event) Close() {
	if e.shared != nil {
		_ = e.shared.file.Close() // nothing is written; the page stays for work that has it
	}
}

// record notes a record of the event; happen is the work at its place in the stream.
func (e *sharedEvent) record() (happen func()) {
	n := e.recorded().Add(1)
	e.recorder().Store(uint64(processID()))
	return func() {
		for {
			old := e.happened().Load()
			if old >= n || e.happened().CompareAndSwap(old, n) {
				return
			}
		}
	}
}

// pending returns the number of the latest record if that has not happened, else 0.
func (e *sharedEvent) pending() uint64 {
	if n := e.recorded().Load(); n > e.happened().Load() {
		return n
	}
	return 0
}

// await returns when a record has happened, or when the process that made it is gone.
func (e *sharedEvent) await(n uint64) {
	for pause := 20 * time.Microsecond; e.happened().Load() < n; pause = min(2*pause, time.Millisecond) {
		time.Sleep(pause)
		if unix.Kill(int(e.recorder().Load()), 0) == unix.ESRCH {
			return
		}
	}
}

// waitShared lets the work that the stream gets from now on wait for the latest record of an event, by whatever process.
func (s *Stream) waitShared(e *sharedEvent) error {
	n := e.pending()
	if n == 0 {
		return s.Device.Status()
	}
	_, err := s.enqueue(&Task{work: func() error { e.await(n); return nil }, activity: s.Device.activity(WaitActivity)})
	return err
}
