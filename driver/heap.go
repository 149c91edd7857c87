package driver

import (
	"sync"

	"silica/internal/exec"
)

var _ exec.Heap = (*heap)(nil)

// heap serves malloc and free of kernels from the device's memory, up to LimitMallocHeapSize.
type heap struct {
	device *Device
	mu     sync.Mutex
	used   uint64
	blocks map[uint64]uint64 // size by address
}

// Alloc returns 0 when there is no room.
func (h *heap) Alloc(size uint64) uint64 {
	size = max(size, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if limit := h.device.limits.get(LimitMallocHeapSize); size > limit || h.used > limit-size {
		return 0
	}
	addr, err := h.device.memory.Alloc(size, 16)
	if err != nil {
		return 0
	}
	if h.blocks == nil {
		h.blocks = map[uint64]uint64{}
	}
	h.blocks[addr] = size
	h.used += size
	return addr
}

// Free tells whether addr was an allocation.
func (h *heap) Free(addr uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	size, ok := h.blocks[addr]
	if !ok {
		return false
	}
	delete(h.blocks, addr)
	h.used -= size
	return h.device.memory.Free(addr) == nil
}
