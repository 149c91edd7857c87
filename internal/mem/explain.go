package mem

import "fmt"

// Explain tells where n bytes at addr lie that the context can not reach: "4 bytes after the allocation of 1024 bytes at
// 0x7000...", in memory that was freed, in memory of another device.
func (m *Memory) Explain(addr, n uint64) string {
	if s := m.denied(addr); s != "" {
		return s
	}
	near, after := m.snapshot().nearest(addr)
	switch {
	case near != nil && near.Contains(addr):
		if left := near.End() - addr; n > left {
			return fmt.Sprintf("the last %d bytes are after %s", n-left, near.name())
		}
		return near.name() + " can only be read"
	case !m.space.inArena(addr) && inProcess(addr):
		return "it is memory of the host that is neither pinned nor registered"
	case near == nil:
		return "nothing is allocated"
	case after:
		return fmt.Sprintf("%d bytes after %s", addr-near.End(), near.name())
	}
	return fmt.Sprintf("%d bytes before %s", near.Base-addr, near.name())
}

func (r *region) name() string {
	what := "allocation"
	if r.kind == mapping {
		what = "mapping"
	}
	return fmt.Sprintf("the %s of %d bytes at 0x%x", what, r.Size, r.Base)
}

// denied explains an address where there is something that the context may not reach, or was.
func (m *Memory) denied(addr uint64) string {
	s := m.space
	if r, ok := s.snapshot().find(addr); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case m.access(r) != NoAccess:
			return ""
		case r.kind == mapping || r.rights != nil:
			return fmt.Sprintf("device %d was given no access to %s", m.ordinal, r.name())
		}
		return fmt.Sprintf("it is in %s of device %d, to which device %d has no access as a peer", r.name(), r.owner.ordinal, m.ordinal)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.physical {
		if f, ok := p.lately(addr); ok {
			return f.explain(addr)
		}
		if r, ok := p.reservation(addr); ok {
			return fmt.Sprintf("nothing is mapped there, in the %d bytes of addresses that are reserved at 0x%x", r.Size, r.Base)
		}
	}
	return ""
}

// explain tells of a freed address.
func (f *freed) explain(addr uint64) string {
	return fmt.Sprintf("address 0x%x was freed: %d bytes at 0x%x, allocated %s, freed %s", addr, f.Size, f.Base, after(f.allocated), after(f.when))
}

// after names a time by the launches before it.
func after(launches uint64) string {
	if launches == 0 {
		return "before the first launch"
	}
	return fmt.Sprintf("after launch %d", launches)
}

// inArena tells whether addr is one of a GPU's.
func (s *Space) inArena(addr uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.physical {
		if p.reserved.Contains(addr) {
			return true
		}
	}
	return false
}
