package ref

import (
	"unsafe"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/mem"
)

// cell is where a lane's access begins. Local memory keeps word i of all lanes together, so that a lane's
// next word is a row further on.
type cell struct {
	p     unsafe.Pointer
	local bool
}

func (c cell) at(offset int) unsafe.Pointer {
	if !c.local {
		return unsafe.Add(c.p, offset)
	}
	within := int(uintptr(c.p)&3) + offset
	return unsafe.Add(c.p, within/4*int(unsafe.Sizeof(row{}))+within%4-int(uintptr(c.p)&3))
}

// load returns the 1, 2, 4 or 8 bytes at an offset.
func (c cell) load(offset, bytes int) uint64 {
	if c.local && bytes == 8 {
		return mem.Load(c.at(offset), 4) | mem.Load(c.at(offset+4), 4)<<32
	}
	return mem.Load(c.at(offset), bytes)
}

// store writes the 1, 2, 4 or 8 bytes at an offset.
func (c cell) store(offset, bytes int, v uint64) {
	if c.local && bytes == 8 {
		mem.Store(c.at(offset), 4, v)
		mem.Store(c.at(offset+4), 4, v>>32)
		return
	}
	mem.Store(c.at(offset), bytes, v)
}

// localCell returns the place of a byte of a lane's local memory, which grows as needed.
func (w *warp) localCell(lane int, offset uint64) cell {
	word := int(offset / 4)
	if word+8 > len(w.local) { // the widest access is 8 words
		w.local = append(w.local, make([]row, max(word+8-len(w.local), len(w.local)))...)
	}
	return cell{unsafe.Add(unsafe.Pointer(&w.local[word][lane]), offset%4), true}
}

// copyLocal copies bytes within a lane's local memory.
func (w *warp) copyLocal(lane int, to, from uint64, bytes int) {
	for i := range uint64(bytes) {
		v := w.localCell(lane, from+i).load(0, 1)
		w.localCell(lane, to+i).store(0, 1, v)
	}
}

// spaceOf resolves an address as an instruction forms it to the space it reaches and the offset there.
func spaceOf(space isa.Space, addr uint64) (isa.Space, uint64) {
	if space != isa.Generic {
		return space, addr
	}
	switch space = isa.SpaceOf(addr); space {
	case isa.Shared:
		return isa.SharedCluster, addr - isa.SharedWindow
	case isa.Generic:
		return isa.Global, addr
	}
	return space, addr - exec.Window(space)
}

// resolve returns the place of an access of a lane, or the fault it is.
func (w *warp) resolve(view *mem.View, space isa.Space, lane int, addr uint64, bytes int) (cell, *exec.Fault) {
	space, offset := spaceOf(space, addr)
	if offset%uint64(bytes) == 0 {
		if c, ok := w.cellOf(view, space, lane, offset, bytes); ok {
			return c, nil
		}
	}
	return cell{}, exec.ExplainAccess(w.worker.Launch, space, addr, bytes)
}

func (w *warp) cellOf(view *mem.View, space isa.Space, lane int, offset uint64, bytes int) (cell, bool) {
	n := uint64(bytes)
	switch space {
	case isa.Global, isa.Const:
		p, ok := view.Range(offset, n)
		return cell{p: p}, ok
	case isa.Shared, isa.SharedCluster:
		b := w.block
		if space == isa.SharedCluster {
			var owner int
			if owner, offset = exec.SharedOwner(offset, b.rank); owner >= len(b.cluster.blocks) {
				return cell{}, false
			}
			b = b.cluster.blocks[owner]
		}
		if size := uint64(len(b.shared)) * 8; offset >= size || n > size-offset {
			return cell{}, false
		}
		return cell{p: unsafe.Add(unsafe.Pointer(&b.shared[0]), offset)}, true
	case isa.Local, isa.ParamFunc:
		if limit := uint64(w.worker.Machine.LocalPerThread); offset >= limit || n > limit-offset {
			return cell{}, false
		}
		return w.localCell(lane, offset), true
	case isa.ParamEntry:
		if size := uint64(len(w.worker.Params)); offset >= size || n > size-offset {
			return cell{}, false
		}
		return cell{p: unsafe.Add(unsafe.Pointer(&w.worker.params[0]), offset)}, true
	}
	return cell{}, false
}

// formAddress returns a lane's address as a memory operand forms it. An address of 32 bits wraps around.
func (w *warp) formAddress(f *fragment, a *ir.Addr, lane int) uint64 {
	if a.Base.Slot < 0 {
		return uint64(a.Offset)
	}
	addr := w.get(f, a.Base, lane) + uint64(a.Offset)
	if a.Base.Bits == 32 {
		addr = uint64(uint32(addr))
	}
	return addr
}

// access calls do with the place of each active lane's access, until one faults, and reports the accesses.
func (w *warp) access(f *fragment, s *step, active uint32, do func(lane int, c cell, space isa.Space) *exec.Fault) {
	g := w.worker
	view, bytes := &g.scratch.views[s.view], s.Mem.Bytes()
	formed := &g.scratch.formed
	lanes(active, func(lane int) { formed[lane] = w.formAddress(f, &s.Addr, lane) })
	for mask := active; mask != 0; mask &= mask - 1 {
		lane := firstLane(mask)
		c, fault := w.resolve(view, s.Addr.Space, lane, formed[lane], bytes)
		if fault == nil {
			space, _ := spaceOf(s.Addr.Space, formed[lane])
			if space == isa.Global && s.Op != isa.OpLoad && !view.Writable() {
				fault = exec.Outside(g.Launch, space, formed[lane], bytes)
			} else {
				fault = do(lane, c, space)
			}
		}
		if fault != nil {
			w.fail(f, lane, fault)
			return
		}
	}
	if w.observed() && !s.Synthetic {
		w.observe(f, s, s.Addr.Space, active, bytes)
	}
}

// observed tells whether anybody listens to the accesses of the warp.
func (w *warp) observed() bool { return w.worker.observer != nil || w.block.tracer != nil }

// observe reports an access in a space as the instruction names it, once for each space that it reached.
func (w *warp) observe(f *fragment, s *step, named isa.Space, active uint32, bytes int) {
	x := &w.worker.scratch
	var reached [16]uint32 // lanes by space
	lanes(active, func(lane int) {
		space, offset := spaceOf(named, x.formed[lane])
		if space == isa.SharedCluster {
			if owner, in := exec.SharedOwner(offset, w.block.rank); owner == w.block.rank {
				space, offset = isa.Shared, in
			}
		}
		x.address[lane] = offset
		reached[space] |= 1 << lane
	})
	for space, mask := range reached {
		if mask == 0 {
			continue
		}
		a := &exec.Access{
			Func: f.frame.fn.ir.Index, PC: f.pc, Block: w.block.number, Warp: w.index, Inst: s.Inst,
			Space: isa.Space(space), Mask: mask, Addr: &x.address, Bytes: bytes, Times: 1,
		}
		w.listen(a)
	}
}

// listen passes an access to those who listen.
func (w *warp) listen(a *exec.Access) {
	if o := w.worker.observer; o != nil {
		o.Access(a)
	}
	if t := w.block.tracer; t != nil {
		t.Access(a)
	}
}

func executeLoad(w *warp, f *fragment, s *step, active uint32) {
	t := s.Mem.Type
	size := t.Bytes()
	w.access(f, s, active, func(lane int, c cell, _ isa.Space) *exec.Fault {
		for i, o := range s.Dst {
			if size == 16 {
				w.set128(f, o, lane, c.load(i*16, 8), c.load(i*16+8, 8))
				continue
			}
			v := c.load(i*size, size)
			if t.Kind() == isa.Signed {
				shift := 64 - 8*size
				v = uint64(int64(v<<shift) >> shift)
			}
			w.set(f, o, lane, v)
		}
		return nil
	})
	if s.Mem.Order != "" {
		executeFence(w, f, s, active)
	}
}

func executeStore(w *warp, f *fragment, s *step, active uint32) {
	if s.Mem.Order != "" {
		executeFence(w, f, s, active)
	}
	size := s.Mem.Type.Bytes()
	w.access(f, s, active, func(lane int, c cell, space isa.Space) *exec.Fault {
		if space == isa.ParamEntry {
			return &exec.Fault{Kind: exec.IllegalAddress, Detail: "the parameters of a kernel can not be written"}
		}
		for i, o := range s.Src[:s.Mem.Vector] {
			if o.Slot < 0 {
				continue
			}
			if size == 16 {
				c.store(i*16, 8, w.get(f, o, lane))
				c.store(i*16+8, 8, w.high(f, o, lane))
				continue
			}
			c.store(i*size, size, w.get(f, o, lane))
		}
		return nil
	})
}

// mostElements is how many an atomic operation has.
const mostElements = 8

// executeAtom runs atom and red: lane after lane, each element on its own.
func executeAtom(w *warp, f *fragment, s *step, active uint32) {
	size, n := s.Mem.Type.Bytes(), s.Mem.Vector
	w.access(f, s, active, func(lane int, c cell, space isa.Space) *exec.Fault {
		atomic := s.atomics[0]
		switch space {
		case isa.Global:
		case isa.Shared, isa.SharedCluster:
			atomic = s.atomics[1]
		default:
			return &exec.Fault{Kind: exec.IllegalAddress, Detail: "atomic operations work on global and shared memory"}
		}
		if s.atomic128 != nil {
			w.atomic128(f, s, lane, c)
			return nil
		}
		var operands [mostElements]uint64 // read first, as the result may be in the same registers
		for i := range max(n, min(len(s.Src), 2)) {
			operands[i] = w.get(f, s.Src[i], lane)
		}
		for i := range n {
			var second uint64
			if n == 1 {
				second = operands[1]
			}
			old := atomic(c.at(i*size), operands[i], second)
			if i < len(s.Dst) {
				w.set(f, s.Dst[i], lane, old)
			}
		}
		return nil
	})
}

func (w *warp) atomic128(f *fragment, s *step, lane int, c cell) {
	var b, second [2]uint64
	b = [2]uint64{w.get(f, s.Src[0], lane), w.high(f, s.Src[0], lane)}
	if len(s.Src) > 1 {
		second = [2]uint64{w.get(f, s.Src[1], lane), w.high(f, s.Src[1], lane)}
	}
	old := w.worker.Memory.Update128(c.p, s.atomic128, b, second)
	if len(s.Dst) > 0 {
		w.set128(f, s.Dst[0], lane, old[0], old[1])
	}
}
