package exec

import (
	"encoding/binary"
	"strings"

	"silica/internal/fp"
	"silica/internal/isa"
)

// The instructions on tensor memory (PTX ISA, "TensorCore 5th Generation Family Instructions"). All are complete when they
// have been issued, which is one of the orders that PTX allows.

// TensorOf binds a form whose Op is OpTensorMemory. It runs for each lane of a warp; what concerns the warp as a whole runs
// for the first of them.
func TensorOf(f *isa.Form) AsyncFunc {
	if f.Opcode == "tensormap" {
		return onceForWarp(copyTensorMap)
	}
	switch f.Mods[0] {
	case ".ld", ".st":
		return bindTensorMove(f)
	case ".alloc":
		return onceForWarp(bindTensorAlloc(f))
	case ".dealloc":
		return onceForWarp(func(a *Async) *Fault {
			_, column := tensorAddress(a.Src[0])
			return a.Memory.Tensor(a.Memory.Rank()).dealloc(column, int(uint32(a.Src[1])))
		})
	}
	return onceForWarp(func(a *Async) *Fault { // relinquish_alloc_permit
		a.Memory.Tensor(a.Memory.Rank()).relinquished = true
		return nil
	})
}

func onceForWarp(do AsyncFunc) AsyncFunc {
	return func(a *Async) *Fault {
		if !a.First {
			return nil
		}
		return do(a)
	}
}

// bindTensorAlloc allocates and writes the address to shared memory.
func bindTensorAlloc(f *isa.Form) AsyncFunc {
	space := isa.Generic
	if list := spaces(f); len(list) > 0 {
		space = list[0]
	}
	return func(a *Async) *Fault {
		to, fault := a.bytes(space, a.Addr[0], 4, 4)
		if fault != nil {
			return fault
		}
		column, fault := a.Memory.Tensor(a.Memory.Rank()).alloc(int(uint32(a.Src[0])))
		if fault != nil {
			return fault
		}
		binary.LittleEndian.PutUint32(to, uint32(column))
		return nil
	}
}

// place returns where register i of a lane of the warp is: the lane of tensor memory, counted from the first of the access,
// and the column. Of shapes of 16 lanes, quads have rows as in fragments of matrices.
func tensorPlace(m *isa.TensorMove, lane, i, offset int) (row, column int) {
	switch {
	case m.Halves:
		return lane % 16, i + lane/16*offset
	case m.Words == 1:
		return lane, i
	case m.Words == 2:
		return lane/4 + lane%2*8, 2*i + lane/2%2
	case m.Words == 4:
		return lane/4 + i%2*8, i/2*4 + lane%4
	}
	return lane/4 + i/2%2*8, i/4*8 + lane%4*2 + i%2
}

// bindTensorMove is tcgen05.ld and tcgen05.st. A warp reaches the 32 lanes of its place in its warpgroup only; of the lane that
// an address names, what lies below counts.
func bindTensorMove(f *isa.Form) AsyncFunc {
	m := isa.TensorMoveOf(f)
	n := m.Registers()
	reduce := tensorReduction(f)
	offsetAt := sourceNamed(f, "offset")
	first := 0 // source
	if m.Store && m.Halves {
		first = 1
	}
	perRegister := 1 // columns
	if m.Packed {
		perRegister = 2
	}
	return func(a *Async) *Fault {
		offset := 0
		if m.Halves {
			offset = int(uint32(a.Src[offsetAt]))
		}
		lane, column := tensorAddress(a.Addr[0])
		lane %= warpTensorLanes
		if lane+m.Lanes > warpTensorLanes || lane%16 != 0 {
			return illegal("an access of %d lanes of tensor memory from lane %d of a warp's on", m.Lanes, lane)
		}
		lane += a.Warp % 4 * warpTensorLanes
		memory := a.Memory.Tensor(a.Memory.Rank())
		for i := range n {
			row, at := tensorPlace(&m, a.Lane, i, offset/perRegister)
			words, fault := memory.columns(column+at*perRegister, perRegister)
			if fault != nil {
				return fault
			}
			word := &words[0][lane+row]
			switch {
			case m.Store && m.Packed:
				v := uint32(a.Src[first+i])
				*word, words[1][lane+row] = v&0xFFFF, v>>16
			case m.Store:
				*word = uint32(a.Src[first+i])
			case m.Packed:
				a.Dst[i] = uint64(*word&0xFFFF | words[1][lane+row]<<16)
			default:
				a.Dst[i] = uint64(*word)
			}
		}
		if m.Reduce {
			a.Dst[n] = reduce(a.Dst[:n])
		}
		return nil
	}
}

// tensorReduction returns what .red makes of the columns that a thread has loaded.
func tensorReduction(f *isa.Form) func(list []uint64) uint64 {
	var combine func(a, b uint64) uint64
	largest := f.Get("op") == ".max"
	switch f.Get("type") {
	case ".s32":
		combine = func(a, b uint64) uint64 {
			if int32(a) > int32(b) == largest {
				return a
			}
			return b
		}
	case ".u32":
		combine = func(a, b uint64) uint64 {
			if a > b == largest {
				return a
			}
			return b
		}
	default:
		mode, choose := fp.RN, fp.Min32
		if largest {
			choose = fp.Max32
		}
		if f.Has(".NaN") {
			mode |= fp.PropagateNaN
		}
		if f.Has(".abs") {
			mode |= fp.Abs
		}
		combine = func(a, b uint64) uint64 { return uint64(choose(uint32(a), uint32(b), mode)) }
	}
	return func(list []uint64) uint64 {
		r := combine(list[0], list[0])
		for _, v := range list[1:] {
			r = combine(r, v)
		}
		return r
	}
}

// tensorBlocks returns the ranks of the blocks that an instruction works on: the own one, or with .cta_group::2 the pair, the
// one of even rank first.
func tensorBlocks(f *isa.Form, a *Async) ([]int, *Fault) {
	own := a.Memory.Rank()
	if !f.Has(".cta_group::2") {
		return []int{own}, nil
	}
	if a.Memory.Tensor(own^1) == nil {
		return nil, illegal("%s needs a pair of blocks; the cluster has no block of rank %d", f.Name(), own^1)
	}
	return []int{own &^ 1, own | 1}, nil
}

// bindTensorCommit signals that all earlier instructions have ended, which they have.
func bindTensorCommit(f *isa.Form) AsyncFunc {
	space := isa.Generic
	if list := spaces(f); len(list) > 0 {
		space = list[0]
	}
	mask := sourceNamed(f, "ctaMask")
	return func(a *Async) *Fault {
		to := space
		addr := a.Addr[0]
		if mask >= 0 && space == isa.Generic {
			to, addr = isa.SharedCluster, addr-isa.SharedWindow
		}
		return a.toBlocks(mask, func(address func(uint64) uint64) *Fault {
			p, fault := a.Memory.Bytes(to, address(addr), 8, 8)
			if fault != nil {
				return fault
			}
			changeBarrier(p, func(b *BarrierObject) {
				if b.Pending == 0 {
					fault = illegal("an arrival at an mbarrier that lacks none")
					return
				}
				b.Pending--
				b.complete()
			})
			return fault
		})
	}
}

// bindTensorCopy is tcgen05.cp: rows of a matrix in shared memory, of one or two pieces, to lanes of tensor memory. With
// .cta_group::2 each block of the pair copies from its own shared memory.
func bindTensorCopy(f *isa.Form) AsyncFunc {
	shape := f.Get("shape")
	rows, pieces := 128, 1
	switch shape {
	case ".128x256b":
		pieces = 2
	case ".64x128b":
		rows = 64
	case ".32x128b":
		rows = 32
	}
	unpack := unpackPiece(f.Get("src_fmt"))
	// row returns the row that a lane gets.
	row := func(lane int) int { return lane % rows }
	if f.Has(".warpx2::01_23") {
		row = func(lane int) int { return lane/64*32 + lane%32 }
	}
	return func(a *Async) *Fault {
		_, column := tensorAddress(a.Addr[0])
		blocks, fault := tensorBlocks(f, a)
		if fault != nil {
			return fault
		}
		for _, rank := range blocks {
			to, fault := a.Memory.Tensor(rank).columns(column, 4*pieces)
			if fault != nil {
				return fault
			}
			from, fault := tensorMatrixOf(a.Src[0], rank, 8)
			if fault != nil {
				return fault
			}
			for r := range rows {
				for piece := range pieces {
					b, fault := a.piece(&from, r, piece)
					if fault != nil {
						return fault
					}
					words := unpack(b)
					for lane := range tensorLanes {
						if row(lane) != r {
							continue
						}
						for i, v := range words {
							to[4*piece+i][lane] = v
						}
					}
				}
			}
		}
		return nil
	}
}

// unpackPiece returns what makes words of a piece of shared memory: as they are, or with a byte for each of 16 elements of 4 or 6
// bits, of which those of 4 bits come into the middle of it.
func unpackPiece(format string) func(b []byte) [4]uint32 {
	width := 8
	switch {
	case strings.HasSuffix(format, ".b4x16_p64"):
		width = 4
	case strings.HasSuffix(format, ".b6x16_p32"):
		width = 6
	}
	return func(b []byte) (words [4]uint32) {
		for i := range 16 {
			v := uint32(packedElement(b, i, width))
			if width == 4 {
				v <<= 2
			}
			words[i/4] |= v << (i % 4 * 8)
		}
		return words
	}
}

// packedElement returns element i of elements of width bits, at most 8, that lie next to each other.
func packedElement(b []byte, i, width int) byte {
	at := i * width
	word := uint16(b[at/8])
	if at/8+1 < len(b) {
		word |= uint16(b[at/8+1]) << 8
	}
	return byte(word >> (at % 8) & (1<<width - 1))
}
