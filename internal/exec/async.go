package exec

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"unsafe"

	"silica/internal/isa"
	"silica/internal/mem"
)

// BlockMemory is memory as the threads of one block reach it; the engines implement it.
type BlockMemory interface {
	// Bytes returns the n bytes at an address, aligned to align, in a space: Global, Shared (of this block),
	// SharedCluster, or Generic for a generic address in any of them or in parameter memory.
	Bytes(space isa.Space, addr uint64, n, align int) ([]byte, *Fault)
	// Rank is the rank of the block in its cluster.
	Rank() int
	// Tensor returns the tensor memory of the block of a rank in the cluster; nil when there is no such block.
	Tensor(rank int) *TensorMemory
}

// Async is what one lane's execution of an OpAsync instruction sees. Src and Dst are in the order of
// ir.Inst's; Addr holds its memory operands, as the instruction forms them.
type Async struct {
	Src, Addr, Dst []uint64
	Memory         BlockMemory
	// Lane is the lane, Warp the index of its warp in the block. First tells that it is the first of the warp's lanes that
	// execute the instruction together.
	Lane, Warp int
	First      bool
	// Report is told of the memory that copies read and write; nil when nobody listens.
	Report func(space isa.Space, addr uint64, bytes int)
}

// bytes returns memory that a copy reads or writes.
func (a *Async) bytes(space isa.Space, addr uint64, n, align int) ([]byte, *Fault) {
	b, fault := a.Memory.Bytes(space, addr, n, align)
	if fault == nil && a.Report != nil {
		a.Report(space, addr, n)
	}
	return b, fault
}

// AsyncFunc executes an OpAsync instruction for one lane. Copies are made, and complete, at once: that is one
// of the orders that PTX allows.
type AsyncFunc func(a *Async) *Fault

// illegal returns the fault of an operand that an instruction does not take.
func illegal(format string, args ...any) *Fault {
	return &Fault{Kind: IllegalInstruction, Detail: fmt.Sprintf(format, args...)}
}

// AsyncOf binds a form whose Op is OpAsync.
func AsyncOf(f *isa.Form) AsyncFunc {
	name := f.Name()
	for _, b := range asyncBinders {
		if strings.HasPrefix(name, b.prefix) {
			return b.bind(f)
		}
	}
	return func(*Async) *Fault { // no row comes here, as a test shows
		return &Fault{Kind: IllegalInstruction, Detail: name + " can not be executed"}
	}
}

// asyncBinders gives the semantics by the start of an instruction's name, longer ones first.
var asyncBinders = []struct {
	prefix string
	bind   func(f *isa.Form) AsyncFunc
}{
	{"mbarrier.init", bindInit},
	{"mbarrier.inval", bindInval},
	{"mbarrier.expect_tx", bindTx},
	{"mbarrier.complete_tx", bindTx},
	{"mbarrier.arrive", bindArrive},
	{"mbarrier.test_wait", bindWait},
	{"mbarrier.try_wait", bindWait},
	{"mbarrier.pending_count", bindPendingCount},
	{"clusterlaunchcontrol.try_cancel", bindTryCancel},
	{"st.bulk", bindStoreBulk},
	{"tcgen05.mma", bindTensorProduct},
	{"tcgen05.cp", bindTensorCopy},
	{"tcgen05.commit", bindTensorCommit},
	{"cp.async.mbarrier.arrive", bindCopyArrive},
	{"cp.async.bulk.tensor", bindTensor},
	{"cp.async.bulk", bindBulk},
	{"cp.async", bindCopy},
	{"cp.reduce.async.bulk.tensor", bindTensor},
	{"cp.reduce.async.bulk", bindBulk},
	{"tensormap.replace", bindTensorMapReplace},
	{"st.async", bindStoreAsync},
	{"red.async", bindReduceAsync},
}

// spaces returns the state spaces that a form names, in order.
func spaces(f *isa.Form) (list []isa.Space) {
	for _, m := range f.Mods {
		switch m {
		case ".global":
			list = append(list, isa.Global)
		case ".shared", ".shared::cta":
			list = append(list, isa.Shared)
		case ".shared::cluster":
			list = append(list, isa.SharedCluster)
		}
	}
	return list
}

// sourceNamed returns the index in Src of the operand that the row calls name, -1 when it was not written.
func sourceNamed(f *isa.Form, name string) int {
	i := 0
	for _, a := range f.Args {
		if a.Kind != isa.ArgValue || !a.Read {
			continue
		}
		if a.Name == name {
			return i
		}
		i += max(a.Vector, 1)
	}
	return -1
}

// barrierWord binds a form to the space of its barrier object.
func barrierWord(f *isa.Form) func(a *Async) ([]byte, *Fault) {
	space := isa.Generic
	if list := spaces(f); len(list) > 0 {
		space = list[0]
	}
	return func(a *Async) ([]byte, *Fault) { return a.Memory.Bytes(space, a.Addr[0], 8, 8) }
}

// onBarrier binds a form that changes its barrier object; its result, if it has one, is the word before.
func onBarrier(f *isa.Form, change func(a *Async, b *BarrierObject) *Fault) AsyncFunc {
	word := barrierWord(f)
	return func(a *Async) *Fault {
		p, fault := word(a)
		if fault != nil {
			return fault
		}
		before := changeBarrier(p, func(b *BarrierObject) { fault = change(a, b) })
		if len(a.Dst) > 0 {
			a.Dst[0] = before
		}
		return fault
	}
}

func bindInit(f *isa.Form) AsyncFunc {
	return onBarrier(f, func(a *Async, b *BarrierObject) *Fault {
		n := a.Src[0]
		if n == 0 || n > countMask {
			return illegal("mbarrier.init for %d arrivals; 1 to %d are possible", n, countMask)
		}
		*b = BarrierObject{Expected: int(n), Pending: int(n)}
		return nil
	})
}

func bindInval(f *isa.Form) AsyncFunc {
	return onBarrier(f, func(a *Async, b *BarrierObject) *Fault {
		*b = BarrierObject{}
		return nil
	})
}

func bindTx(f *isa.Form) AsyncFunc {
	complete := f.Has(".complete_tx")
	return onBarrier(f, func(a *Async, b *BarrierObject) *Fault {
		if complete {
			b.Bytes -= int(uint32(a.Src[0]))
			b.complete()
		} else {
			b.Bytes += int(uint32(a.Src[0]))
		}
		return nil
	})
}

func bindArrive(f *isa.Form) AsyncFunc {
	drop, noComplete, expect := f.Has(".arrive_drop"), f.Has(".noComplete"), f.Has(".expect_tx")
	return onBarrier(f, func(a *Async, b *BarrierObject) *Fault {
		n := 1
		switch {
		case expect:
			b.Bytes += int(uint32(a.Src[0]))
		case len(a.Src) > 0:
			n = int(uint32(a.Src[0]))
		}
		if n > b.Pending || noComplete && n == b.Pending && b.Bytes == 0 {
			return illegal("%d arrivals at an mbarrier that lacks %d", n, b.Pending)
		}
		b.Pending -= n
		if drop {
			b.Expected -= n
		}
		if !noComplete {
			b.complete()
		}
		return nil
	})
}

// bindWait tests whether the phase of a state or of a parity has ended.
func bindWait(f *isa.Form) AsyncFunc {
	word, parity := barrierWord(f), f.Has(".parity")
	return func(a *Async) *Fault {
		p, fault := word(a)
		if fault != nil {
			return fault
		}
		phase := int(a.Src[0] & 1)
		if !parity {
			phase = DecodeBarrier(a.Src[0]).Phase
		}
		a.Dst[0] = 0
		if DecodeBarrier(binary.LittleEndian.Uint64(p)).Phase != phase {
			a.Dst[0] = 1
		}
		return nil
	}
}

func bindPendingCount(*isa.Form) AsyncFunc {
	return func(a *Async) *Fault {
		a.Dst[0] = uint64(DecodeBarrier(a.Src[0]).Pending)
		return nil
	}
}

// bindCopyArrive arrives when the thread's copies have ended, which they have. Without .noinc the arrival
// is one more that the phase expects.
func bindCopyArrive(f *isa.Form) AsyncFunc {
	expected := f.Has(".noinc")
	return onBarrier(f, func(a *Async, b *BarrierObject) *Fault {
		if expected {
			b.Pending--
			b.complete()
		}
		return nil
	})
}

// bindCopy is cp.async: size bytes, of which src-size are read and the rest is zero.
func bindCopy(f *isa.Form) AsyncFunc {
	sourceSize, ignore := sourceNamed(f, "src-size"), sourceNamed(f, "ignore-src")
	return func(a *Async) *Fault {
		size := int(a.Src[0])
		read := size
		if sourceSize >= 0 {
			if read = int(uint32(a.Src[sourceSize])); read > size {
				return illegal("cp.async of %d bytes reads %d", size, read)
			}
		}
		if ignore >= 0 && a.Src[ignore] != 0 {
			read = 0
		}
		to, fault := a.bytes(isa.Shared, a.Addr[0], size, size)
		if fault != nil {
			return fault
		}
		clear(to)
		if read == 0 {
			return nil
		}
		from, fault := a.bytes(isa.Global, a.Addr[1], read, 1)
		if fault == nil && a.Addr[1]%uint64(size) != 0 {
			fault = Misaligned(a.Addr[1], size)
		}
		if fault != nil {
			return fault
		}
		copy(to, from)
		return nil
	}
}

// bulkAlign is the alignment of addresses and sizes of bulk copies.
const bulkAlign = 16

// reduceSpace gives the arithmetic of bulk reductions: an H200 keeps f32 denormals in them even in global
// memory, as atom does in shared memory.
const reduceSpace = isa.Shared

// bindBulk is cp.async.bulk and cp.reduce.async.bulk. With a barrier object, it lies with the destination.
func bindBulk(f *isa.Form) AsyncFunc {
	list := spaces(f)
	to, from := list[0], list[1]
	move := copyElements
	if f.Opcode == "cp" && f.Mods[0] == ".reduce" {
		move = combineElements(isa.CombineIn(f, reduceSpace), isa.ParseType(f.Get("type")).Bytes())
	}
	signals := f.Has(".mbarrier::complete_tx::bytes")
	mask := sourceNamed(f, "ctaMask")
	byteMask := sourceNamed(f, "byteMask")
	return func(a *Async) *Fault {
		size := int(uint32(a.Src[0]))
		if size%bulkAlign != 0 {
			return illegal("a bulk copy of %d bytes; a multiple of %d is wanted", size, bulkAlign)
		}
		if size == 0 {
			return nil
		}
		source, fault := a.bytes(from, a.Addr[1], size, bulkAlign)
		if fault != nil {
			return fault
		}
		return a.toBlocks(mask, func(address func(uint64) uint64) *Fault {
			target, fault := a.bytes(to, address(a.Addr[0]), size, bulkAlign)
			if fault != nil {
				return fault
			}
			if byteMask >= 0 {
				copyMasked(target, source, a.Src[byteMask])
			} else {
				move(target, source)
			}
			if !signals {
				return nil
			}
			return a.signal(to, address(a.Addr[2]), size)
		})
	}
}

func copyElements(to, from []byte) { copy(to, from) }

// copyMasked copies the bytes whose bit in mask, counted within 16 bytes, is set.
func copyMasked(to, from []byte, mask uint64) {
	for i := range to {
		if mask>>(i%16)&1 != 0 {
			to[i] = from[i]
		}
	}
}

// combineElements combines elements of the given size one by one.
func combineElements(combine isa.CombineFunc, size int) func(to, from []byte) {
	return func(to, from []byte) {
		for i := 0; i+size <= len(to); i += size {
			mem.Update(unsafe.Pointer(&to[i]), size, combine, loadElement(from[i:], size), 0)
		}
	}
}

// toBlocks calls do for each block of the cluster in the mask, with what turns an address in shared memory
// into that of the same place in the block; once, with addresses as they are, when there is no mask.
func (a *Async) toBlocks(mask int, do func(address func(uint64) uint64) *Fault) *Fault {
	if mask < 0 {
		return do(func(addr uint64) uint64 { return addr })
	}
	for blocks := uint16(a.Src[mask]); blocks != 0; blocks &= blocks - 1 {
		rank := bits.TrailingZeros16(blocks)
		fault := do(func(addr uint64) uint64 {
			_, offset := SharedOwner(addr, a.Memory.Rank())
			return SharedAddress(rank, offset)
		})
		if fault != nil {
			return fault
		}
	}
	return nil
}

// signal completes bytes on the barrier object at an address.
func (a *Async) signal(space isa.Space, addr uint64, bytes int) *Fault {
	p, fault := a.Memory.Bytes(space, addr, 8, 8)
	if fault != nil {
		return fault
	}
	changeBarrier(p, func(b *BarrierObject) {
		b.Bytes -= bytes
		b.complete()
	})
	return nil
}

// bindStoreAsync stores in shared memory of the cluster and completes the bytes on a barrier object.
func bindStoreAsync(f *isa.Form) AsyncFunc {
	access := isa.AccessOf(f)
	size := access.Type.Bytes()
	return func(a *Async) *Fault {
		p, fault := a.bytes(isa.SharedCluster, a.Addr[0], access.Bytes(), access.Bytes())
		if fault != nil {
			return fault
		}
		for i, v := range a.Src[:access.Vector] {
			storeElement(p[i*size:], size, v)
		}
		return a.signal(isa.SharedCluster, a.Addr[1], access.Bytes())
	}
}

func bindReduceAsync(f *isa.Form) AsyncFunc {
	size := isa.ParseType(f.Get("type")).Bytes()
	combine := isa.CombineIn(f, isa.SharedCluster)
	return func(a *Async) *Fault {
		p, fault := a.bytes(isa.SharedCluster, a.Addr[0], size, size)
		if fault != nil {
			return fault
		}
		storeElement(p, size, combine(loadElement(p, size), a.Src[0], 0))
		return a.signal(isa.SharedCluster, a.Addr[1], size)
	}
}

func loadElement(p []byte, size int) uint64 {
	var w [8]byte
	copy(w[:], p[:size])
	return binary.LittleEndian.Uint64(w[:])
}

func storeElement(p []byte, size int, v uint64) {
	var w [8]byte
	binary.LittleEndian.PutUint64(w[:], v)
	copy(p[:size], w[:])
}
