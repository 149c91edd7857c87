package driver

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"silica/gpu"
	"silica/internal/mem"
)

// System is the GPUs of a process and the contexts on them. They share an address space, and the order of their work.
type System struct {
	GPUs []*gpu.GPU

	space    *mem.Space
	physical []*mem.Physical
	order    sync.Mutex   // of tasks
	captures atomic.Int32 // that have not ended

	tracking sync.Mutex
	resident residency

	mu      sync.Mutex
	devices map[*mem.Memory]*Device
	special map[uint64]Memory      // managed and host memory, and mappings, by base address
	blocks  map[uint64]*graphBlock // by address
	graphs  []graphMemory          // by ordinal
	pools   map[uint64]pooling     // allocations of pools, by address
	freeing map[uint64]bool        // memory that a stream will free
	advice  map[uint64]advised     // about managed memory, by base address
	// synchronous is what SetSynchronous noted, by base address.
	synchronous map[uint64]bool
	// conditions are those of graphs; a handle is an index, from 1.
	conditions []*Condition
}

// NewSystem returns a system of GPUs.
func NewSystem(gpus ...*gpu.GPU) (*System, error) {
	s := &System{
		GPUs: gpus, space: mem.NewSpace(), devices: map[*mem.Memory]*Device{}, special: map[uint64]Memory{},
		resident: residency{}, synchronous: map[uint64]bool{}, pools: map[uint64]pooling{}, freeing: map[uint64]bool{}, advice: map[uint64]advised{}, blocks: map[uint64]*graphBlock{}, graphs: make([]graphMemory, len(gpus)),
	}
	for _, g := range gpus {
		p, err := s.space.Add(uint64(g.Memory.GlobalBytes))
		if err != nil {
			return nil, wrap(OutOfMemory, err)
		}
		s.physical = append(s.physical, p)
	}
	return s, nil
}

// all returns the devices that are open.
func (s *System) all() []*Device {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.devices))
}

// fault ends all contexts with an error: an H200 was seen to lose those of other GPUs, too.
func (s *System) fault(e *Error) {
	for _, d := range s.all() {
		d.sticky.CompareAndSwap(nil, e)
	}
}

// owner returns the device whose memory is at addr, or to which known host memory is; nil when there is none.
func (s *System) owner(m *mem.Memory, addr uint64) *Device {
	owner := m.Owner(addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.devices[owner]
}

// CanAccessPeer tells whether a context of one GPU may have access to the memory of one of another. All of a machine's may.
func (s *System) CanAccessPeer(from, to int) bool { return from != to }

// EnablePeerAccess lets the kernels of a device reach the memory of another.
func (d *Device) EnablePeerAccess(peer *Device) error {
	switch {
	case !d.system.CanAccessPeer(d.Ordinal, peer.Ordinal):
		return Fail(PeerAccessUnsupported, "device %d is no peer of itself", d.Ordinal)
	case !d.memory.Peer(peer.memory, true):
		return Fail(PeerAccessAlreadyEnabled, "device %d has access to device %d", d.Ordinal, peer.Ordinal)
	}
	return nil
}

// DisablePeerAccess undoes EnablePeerAccess when all work has ended.
func (d *Device) DisablePeerAccess(peer *Device) error {
	d.drain()
	if !d.memory.Peer(peer.memory, false) {
		return Fail(PeerAccessNotEnabled, "device %d has no access to device %d", d.Ordinal, peer.Ordinal)
	}
	return nil
}
