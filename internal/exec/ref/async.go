package ref

import (
	"unsafe"

	"silica/internal/exec"
	"silica/internal/isa"
	"silica/internal/mem"
)

// asyncMemory is the memory that an asynchronous instruction of a lane reaches; it is an exec.BlockMemory.
type asyncMemory struct {
	w    *warp
	view *mem.View
	lane int
}

func (m asyncMemory) Rank() int { return m.w.block.rank }

func (m asyncMemory) Tensor(rank int) *exec.TensorMemory {
	if blocks := m.w.block.cluster.blocks; rank < len(blocks) {
		return &blocks[rank].tensor
	}
	return nil
}

func (m asyncMemory) Bytes(space isa.Space, addr uint64, n, align int) ([]byte, *exec.Fault) {
	space, offset := spaceOf(space, addr)
	switch {
	case space == isa.Local:
		return nil, &exec.Fault{Kind: exec.IllegalAddress, Address: addr, Bytes: n, Detail: "asynchronous instructions do not reach local memory"}
	case offset%uint64(align) != 0:
		return nil, exec.Misaligned(addr, align)
	}
	c, ok := m.w.cellOf(m.view, space, m.lane, offset, n)
	if !ok {
		return nil, exec.Outside(m.w.worker.Launch, space, addr, n)
	}
	return unsafe.Slice((*byte)(c.p), n), nil
}

// executeAsync runs barrier objects and asynchronous copies lane by lane.
func executeAsync(w *warp, f *fragment, s *step, active uint32) {
	x := &w.worker.scratch
	a := exec.Async{Src: make([]uint64, len(s.Src)), Dst: make([]uint64, len(s.Dst))}
	for mask := active; mask != 0; mask &= mask - 1 {
		lane := firstLane(mask)
		for i, o := range s.Src {
			a.Src[i] = w.get(f, o, lane)
		}
		a.Addr = append(a.Addr[:0], w.formAddress(f, &s.Addr, lane))
		for i := range s.MoreAddrs {
			a.Addr = append(a.Addr, w.formAddress(f, &s.MoreAddrs[i], lane))
		}
		a.Memory = asyncMemory{w, &x.views[s.view], lane}
		a.Lane, a.Warp, a.First = lane, w.index, mask == active
		if w.observed() {
			a.Report = func(space isa.Space, addr uint64, bytes int) { x.async.Add(lane, space, addr, bytes) }
		}
		if fault := s.async(&a); fault != nil {
			w.fail(f, lane, fault)
			return
		}
		for i, o := range s.Dst {
			w.set(f, o, lane, a.Dst[i])
		}
	}
	x.async.Flush(func(space isa.Space, mask uint32, addr *[32]uint64, bytes int) {
		x.formed = *addr
		w.observe(f, s, space, mask, bytes)
	})
}
