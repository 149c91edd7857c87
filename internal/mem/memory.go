package mem

import "errors"

// ErrOutOfMemory is returned when an allocation does not fit the device's memory.
var ErrOutOfMemory = errors.New("out of memory")

// ErrNotAllocated is returned when an address is not (or no longer) the start of an allocation, or a
// range is not inside one.
var ErrNotAllocated = errors.New("not an allocation")

// Range is a range of device addresses.
type Range struct{ Base, Size uint64 }
