package exec

import "silica/internal/isa"

// AsyncLog gathers what the lanes of a warp access in an OpAsync instruction, so that an Observer learns of it as of
// other warp-level accesses: what several lanes do alike is one access.
type AsyncLog struct {
	list []loggedAccess
}

type loggedAccess struct {
	space isa.Space
	bytes int
	mask  uint32
	addr  [32]uint64
}

// Add enters an access of a lane.
func (l *AsyncLog) Add(lane int, space isa.Space, addr uint64, bytes int) {
	for i := range l.list {
		if e := &l.list[i]; e.space == space && e.bytes == bytes && e.mask>>lane&1 == 0 {
			e.mask |= 1 << lane
			e.addr[lane] = addr
			return
		}
	}
	e := loggedAccess{space: space, bytes: bytes, mask: 1 << lane}
	e.addr[lane] = addr
	l.list = append(l.list, e)
}

// Flush calls report with the accesses, in the order in which they began, and forgets them.
func (l *AsyncLog) Flush(report func(space isa.Space, mask uint32, addr *[32]uint64, bytes int)) {
	for i := range l.list {
		e := &l.list[i]
		report(e.space, e.mask, &e.addr, e.bytes)
	}
	l.list = l.list[:0]
}
