package simd

import (
	"unsafe"

	"silica/internal/amd64"
	"silica/internal/isa"
)

// A launch that stores streamBytes at least, when each of its threads makes each store once, has whole warps store past the caches: they hold less than
// that, and would have to load each line first. Where a kernel loads what it stores, the lines have been loaded anyhow.
const streamBytes = 32 << 20

// cachedStores returns 0 when a launch stores past the caches.
func (h *whole) cachedStores(g *grid) uint64 {
	if g.program.unit.wholes || g.clusters*g.Block.Count()*h.stored >= streamBytes {
		return 0
	}
	return 1
}

// streams tells whether an access may store past the caches.
func (a *access) streams() bool {
	return a.c.streamed && a.w.store && !a.partial() && a.m.elem >= 4 && !a.site.loads && a.m.space != isa.Shared && a.m.space != isa.SharedCluster
}

func cachedAt() amd64.Memory { return suspensionAt(unsafe.Offsetof(suspension{}.cached)) }

// stream emits the store of a vector, past the caches where the launch asks for that and it is a line. It changes RAX.
func (a *access) stream(r int, at amd64.Memory) {
	c := a.c
	plain, end := c.NewLabel(), c.NewLabel()
	c.Address32(amd64.RAX, at)
	c.DoImmediate32(amd64.And, amd64.RAX, 63)
	c.Do32(amd64.Or, amd64.RAX, cachedAt())
	c.JumpIf(amd64.NotEqual, plain)
	c.vector("VMOVNTDQ", z(r), at)
	c.Place(end)
	c.slow = append(c.slow, func() {
		c.Place(plain)
		c.vector("VMOVDQU32", z(r), at)
		c.Jump(end)
	})
}

// unlessStreamed emits code that runs where the access does not store past the caches.
func (a *access) unlessStreamed(emit func()) {
	c := a.c
	if !a.streams() {
		emit()
		return
	}
	end := c.NewLabel()
	c.DoImmediate32(amd64.Compare, cachedAt(), 0)
	c.JumpIf(amd64.Equal, end)
	emit()
	c.Place(end)
}

// storedBytes returns how many bytes the stores of some work store that may go past the caches: none where others wait for what is stored with loads and
// stores that are in order.
func storedBytes(list []work) (bytes int) {
	for i := range list {
		w := &list[i]
		if w.kind != accesses {
			continue
		}
		if w.mem.ordered {
			return 0
		}
		if w.store && w.mem.space != isa.Shared {
			bytes += w.mem.bytes
		}
	}
	return bytes
}
