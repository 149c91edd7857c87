package main

// #include <stdlib.h>
import "C"

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"silica/driver"
	"silica/timeline"
)

// library is what a process has of CUDA.
type library struct {
	settings    func() (settings, error)       // read once
	system      func() (*driver.System, error) // made once
	physical    physicalMemory
	recorder    *timeline.Recorder // nil without a timeline
	output      output
	images      images
	libraries   libraryTable
	logs        logs
	unseen      unseen
	listening   listening
	interrupted atomic.Bool   // by a signal that ends the process
	written     sync.Once     // what is written at the end
	handles     atomic.Uint64 // given out so far
	contexts    atomic.Uint64 // made so far
	initialized atomic.Bool   // by cuInit

	mu        sync.Mutex
	primary   []primary                // by ordinal
	created   map[uint64]*context      // cuCtxCreate, by handle
	gone      map[uint64]bool          // contexts of cuCtxCreate that were destroyed
	ended     map[uint64]bool          // streams and events of destroyed contexts
	green     map[uint64]*greenContext // by both handles
	described map[uint64]int           // multiprocessors of cuDevResourceGenerateDesc, by handle
	texts     map[string]uint64        // C strings that were handed out
}

// primary is what a GPU has of its primary context.
type primary struct {
	*context     // nil before the first use and after a reset
	retained int // cuDevicePrimaryCtxRetain without a release
}

// The handles of primary contexts begin at primaryHandle, handleStep apart. Other handles are above them.
const (
	primaryHandle = 0x5111ca0000
	handleStep    = 16
	maxDevices    = 64
)

// primaryOf returns the ordinal of the GPU whose primary context has a handle.
func primaryOf(handle uint64) (ordinal int, ok bool) {
	n := (handle - primaryHandle) / handleStep
	return int(n), handle >= primaryHandle && n < maxDevices
}

func handleOfPrimary(ordinal int) uint64 { return primaryHandle + uint64(ordinal)*handleStep }

func newLibrary() *library {
	l := &library{created: map[uint64]*context{}, gone: map[uint64]bool{}, ended: map[uint64]bool{}, texts: map[string]uint64{}, green: map[uint64]*greenContext{}, described: map[uint64]int{}, recorder: newRecorder()}
	l.settings = sync.OnceValues(func() (settings, error) {
		s, err := readSettings()
		if err != nil {
			report(err.Error())
		}
		return s, err
	})
	l.system = sync.OnceValues(func() (*driver.System, error) {
		s, err := l.settings()
		if err != nil {
			return nil, errNoDevice
		}
		return driver.NewSystem(s.gpus...)
	})
	return l
}

// runtimeContext returns the thread's current context. A thread without one gets the primary context, which is made when
// it is needed.
func (l *library) runtimeContext(a args) (*context, error) {
	handle := a.current()
	l.mu.Lock()
	defer l.mu.Unlock()
	if handle == 0 {
		c, err := l.primaryContext(0)
		if err == nil {
			a.push(c.handle)
			a.thread.device = 0
		}
		return c, err
	}
	if ordinal, ok := primaryOf(handle); ok {
		return l.primaryContext(ordinal)
	}
	return l.live(handle)
}

// primaryContext returns the primary context of a GPU, which is made when it is needed. The caller holds l.mu.
func (l *library) primaryContext(ordinal int) (*context, error) {
	if l.primary == nil {
		if _, err := l.system(); err != nil {
			return nil, err
		}
		l.primary = make([]primary, maxDevices)
	}
	p := &l.primary[ordinal]
	if p.context == nil {
		c, err := l.open(ordinal)
		if err != nil {
			return nil, err
		}
		c.handle = handleOfPrimary(ordinal)
		p.context = c
	}
	p.context.implicit = false
	return p.context, nil
}

// driverContext returns the thread's current context, which it must have.
func (l *library) driverContext(a args) (*context, error) {
	if !l.initialized.Load() {
		return nil, errNotInitialized
	}
	handle := a.current()
	if handle == 0 {
		return nil, errNoContext
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.live(handle)
}

var (
	errNotInitialized = driver.Fail(driver.NotInitialized, "cuInit was not called; it has to be before all other functions")
	errNoContext      = driver.Fail(driver.InvalidContext, "the thread has no current context: cuCtxSetCurrent, cuCtxCreate or a call of the runtime API gives it one")
	errDestroyed      = driver.Fail(driver.ContextIsDestroyed, "the context of the call was destroyed")
)

// live returns a context by its handle. The caller holds l.mu.
func (l *library) live(handle uint64) (*context, error) {
	c := l.created[handle]
	if g := l.green[handle]; g != nil && g.context == handle {
		c = g.primary
	}
	if ordinal, ok := primaryOf(handle); ok && l.primary != nil {
		c = l.primary[ordinal].context
	}
	if c == nil {
		return nil, errDestroyed
	}
	return c, nil
}

// handleOf returns the handle of a device's context, 0 for none.
func (l *library) handleOf(d *driver.Device) (handle uint64) {
	l.eachContext(func(c *context) {
		if c.device == d {
			handle = c.handle
		}
	})
	return handle
}

// exists tells whether there is a GPU of that ordinal.
func (l *library) exists(ordinal int) bool {
	s, err := l.settings()
	return err == nil && ordinal >= 0 && ordinal < len(s.gpus)
}

// open makes a context on a GPU. The runtime API needs no cuInit: its first context stands for one.
func (l *library) open(ordinal int) (*context, error) {
	s, err := l.settings()
	if err != nil {
		return nil, errNoDevice
	}
	system, err := l.system()
	if err != nil {
		return nil, err
	}
	o := s.options(&l.output)
	if l.recorder != nil {
		o.Recorder = l.recorder.Driver
	}
	d, err := system.Open(ordinal, o)
	if err != nil {
		report(err.Error())
		return nil, err
	}
	l.initialized.Store(true)
	return newContext(l, d), nil
}

// reset ends the primary context of a GPU.
func (l *library) reset(ordinal int) error {
	l.mu.Lock()
	var c *context
	if l.primary != nil {
		c, l.primary[ordinal].context = l.primary[ordinal].context, nil
	}
	l.mu.Unlock()
	if c == nil {
		return nil
	}
	return c.close()
}

// eachContext calls f for every context.
func (l *library) eachContext(f func(c *context)) {
	l.mu.Lock()
	var all []*context
	for _, p := range l.primary {
		if p.context != nil {
			all = append(all, p.context)
		}
	}
	for _, c := range l.created {
		all = append(all, c)
	}
	l.mu.Unlock()
	for _, c := range all {
		f(c)
	}
}

// newHandle returns a number that was no handle before. It is above the small ones that have meanings of their own.
func (l *library) newHandle() uint64 { return primaryHandle + (maxDevices+l.handles.Add(1))*handleStep }

// text returns the address of a C string that stays.
func (l *library) text(s string) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	addr, ok := l.texts[s]
	if !ok {
		addr = uint64(uintptr(unsafe.Pointer(C.CString(s))))
		l.texts[s] = addr
	}
	return addr
}

// patience is how long the end of the process waits for work that the program did not wait for. A GPU does not wait at all.
const patience = 2 * time.Second

// exit is the end of the process, in a thread with an error that it did not ask for, or none. A host function that ends it is work that never ends, for which nothing waits.
func (l *library) exit(inHostFunction, failed bool) {
	if !inHostFunction {
		deadline := time.After(patience)
		l.eachContext(func(c *context) { c.device.Finish(deadline) })
	}
	if failed {
		if _, err := l.settings(); err == nil { // what is wrong with them was said, and fails every call
			l.unseen.tell()
		}
	}
	l.write()
	if l.interrupted.Load() {
		select {} // the signal ends the process
	}
}

// write writes what the end of the process leaves.
func (l *library) write() {
	l.written.Do(func() {
		l.output.flush()
		l.writeProfile()
		l.writeTimeline()
	})
}
