package driver

import (
	"sync/atomic"
	"time"
	"unsafe"
)

// WordOperations are reads and writes of words of memory in a stream's order, one after the other: what streams and the host, or
// other devices, tell each other without an event.
type WordOperations []WordOperation

// WordOperation writes a word, or waits for one.
type WordOperation struct {
	Kind    WordKind
	Address uint64 // a multiple of Bytes, in memory of a device, or of the host and known to the device
	Bytes   int    // 4 or 8
	Value   uint64
}

// WordKind tells what a WordOperation does.
type WordKind int

// The kinds. The waits end when the word's condition holds.
const (
	WriteWord          WordKind = iota
	WaitGreaterOrEqual          // the difference to the value, as a signed number of the word's size, is not negative
	WaitEqual
	WaitAnd // a bit of the value is set
	WaitNor // a bit is set neither in the word nor in the value
)

func (o WordOperations) prepare(d *Device) (func() error, bool, error) {
	words := make([]unsafe.Pointer, len(o))
	for i, w := range o {
		if w.Address%uint64(w.Bytes) != 0 {
			return nil, false, Fail(InvalidValue, "the address 0x%x of a word of %d bytes", w.Address, w.Bytes)
		}
		if d.MemoryAt(w.Address).Kind == ManagedMemory {
			return nil, false, Fail(InvalidValue, "0x%x is in managed memory", w.Address)
		}
		b, err := d.memory.Bytes(w.Address, uint64(w.Bytes))
		if err != nil {
			return nil, false, wrap(InvalidValue, err)
		}
		words[i] = unsafe.Pointer(unsafe.SliceData(b))
	}
	return func() error {
		for i, w := range o {
			if err := w.run(d, words[i]); err != nil {
				return err
			}
		}
		return nil
	}, false, nil
}

// How long a wait sleeps between two looks at its word: longer the longer it takes.
const (
	firstPause = 10 * time.Microsecond
	lastPause  = time.Millisecond
)

func (w WordOperation) run(d *Device, word unsafe.Pointer) error {
	if w.Kind == WriteWord {
		w.write(word)
		return nil
	}
	for pause := firstPause; !w.holds(w.read(word)); pause = min(pause*2, lastPause) {
		select {
		case <-d.running.Done():
			return Fail(ContextIsDestroyed, "the word at 0x%x never had the value that a stream waited for", w.Address)
		case <-time.After(pause):
		}
	}
	return nil
}

func (w WordOperation) write(word unsafe.Pointer) {
	if w.Bytes == 4 {
		atomic.StoreUint32((*uint32)(word), uint32(w.Value))
		return
	}
	atomic.StoreUint64((*uint64)(word), w.Value)
}

func (w WordOperation) read(word unsafe.Pointer) uint64 {
	if w.Bytes == 4 {
		return uint64(atomic.LoadUint32((*uint32)(word)))
	}
	return atomic.LoadUint64((*uint64)(word))
}

// holds tells whether the word's condition holds (CUDA Driver API, CUstreamWaitValue_flags).
func (w WordOperation) holds(word uint64) bool {
	switch w.Kind {
	case WaitEqual:
		return word == w.Value
	case WaitAnd:
		return word&w.Value != 0
	case WaitNor:
		return w.truncate(^(word | w.Value)) != 0
	}
	if w.Bytes == 4 {
		return int32(uint32(word)-uint32(w.Value)) >= 0
	}
	return int64(word-w.Value) >= 0
}

func (w WordOperation) truncate(v uint64) uint64 {
	if w.Bytes == 4 {
		return uint64(uint32(v))
	}
	return v
}
