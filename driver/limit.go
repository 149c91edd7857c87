package driver

import (
	"sync/atomic"

	"silica/gpu"
)

// Limit is a resource limit of a device, numbered as CUlimit and cudaLimit.
type Limit int

// The limits.
const (
	LimitStackSize                 Limit = 0 // bytes of a thread
	LimitPrintfFIFOSize            Limit = 1 // bytes
	LimitMallocHeapSize            Limit = 2 // bytes of all that kernels allocate
	LimitDevRuntimeSyncDepth       Limit = 3 // of compute capability 8 and earlier
	LimitDevRuntimePendingLaunches Limit = 4
	LimitMaxL2FetchGranularity     Limit = 5 // bytes, a hint
	LimitPersistingL2CacheSize     Limit = 6 // bytes
	limitCount                     Limit = 7
)

// limits holds the values of a device's limits.
type limits [limitCount]atomic.Uint64

// reset sets the values that a new context has: those an H200 was seen to have.
func (l *limits) reset(g *gpu.GPU) {
	for limit, value := range [limitCount]uint64{
		LimitStackSize:                 1024,
		LimitPrintfFIFOSize:            8650752,
		LimitMallocHeapSize:            8 << 20,
		LimitDevRuntimePendingLaunches: 2048,
		LimitMaxL2FetchGranularity:     64,
		LimitPersistingL2CacheSize:     uint64(g.Memory.L2PersistingBytes) * 3 / 10,
	} {
		l[limit].Store(value)
	}
}

func (l *limits) get(limit Limit) uint64 { return l[limit].Load() }

// Limit returns the value of a limit.
func (d *Device) Limit(l Limit) (uint64, error) {
	if err := d.checkLimit(l); err != nil {
		return 0, err
	}
	return d.limits.get(l), nil
}

// SetLimit changes a limit. Of these, LimitMallocHeapSize and LimitDevRuntimePendingLaunches have an effect on a simulated device.
func (d *Device) SetLimit(l Limit, value uint64) error {
	if err := d.checkLimit(l); err != nil {
		return err
	}
	if l == LimitStackSize {
		if most := uint64(d.localLimit()); value > most {
			return Fail(InvalidValue, "a stack of %d bytes; a thread has at most %d bytes of local memory", value, most)
		}
		value = (value + 15) &^ 15
	}
	d.limits[l].Store(value)
	return nil
}

func (d *Device) checkLimit(l Limit) error {
	switch {
	case l < 0 || l >= limitCount:
		return Fail(InvalidValue, "there is no limit %d", l)
	case l == LimitDevRuntimeSyncDepth:
		return Fail(UnsupportedLimit, "the depth of nested synchronization can not be set")
	}
	return nil
}
