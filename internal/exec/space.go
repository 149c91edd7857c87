package exec

import (
	"fmt"

	"silica/internal/isa"
)

// Window returns the generic address of a space's first byte: 0 for global and constant memory, whose
// addresses are generic ones.
func Window(s isa.Space) uint64 {
	switch s {
	case isa.Shared, isa.SharedCluster:
		return isa.SharedWindow
	case isa.Local, isa.ParamFunc:
		return isa.LocalWindow
	case isa.ParamEntry:
		return isa.ParamWindow
	}
	return 0
}

// InSpace answers isspacep in a block of the given rank in its cluster: whether a generic address lies in
// a space's window. The parameters of a kernel are in global memory too, as an H200 answers; constant
// variables are not.
func InSpace(l *Launch, rank int, s isa.Space, addr uint64) bool {
	inConst := false
	for _, r := range l.ConstRegions {
		inConst = inConst || r.Contains(addr)
	}
	switch s {
	case isa.Const:
		return inConst
	case isa.Global:
		in := isa.SpaceOf(addr)
		return in == isa.ParamEntry || in == isa.Global && !inConst
	case isa.Shared: // of this block, not of another in its cluster
		owner, _ := SharedOwner(addr-isa.SharedWindow, rank)
		return isa.SpaceOf(addr) == isa.Shared && owner == rank
	case isa.SharedCluster:
		return isa.SpaceOf(addr) == isa.Shared
	}
	return isa.SpaceOf(addr) == s
}

// ExplainAccess returns the fault of an access that an engine could not make: misaligned, or outside
// what exists in its space. addr is the address as the instruction forms it (generic, or an offset in
// the space).
func ExplainAccess(l *Launch, s isa.Space, addr uint64, bytes int) *Fault {
	if addr%uint64(bytes) != 0 {
		return Misaligned(addr, bytes)
	}
	return Outside(l, s, addr, bytes)
}

// Misaligned returns the fault of an address that is not a multiple of align.
func Misaligned(addr uint64, align int) *Fault {
	return &Fault{Kind: MisalignedAddress, Address: addr, Bytes: align, Detail: fmt.Sprintf("the address is not a multiple of %d", align)}
}

// nullPage is how far from a null pointer an address is taken for one with an offset.
const nullPage = 4096

// Outside returns the fault of an access outside what exists in a space.
func Outside(l *Launch, s isa.Space, addr uint64, bytes int) *Fault {
	f := &Fault{Kind: IllegalAddress, Address: addr, Bytes: bytes}
	switch s {
	case isa.Shared, isa.SharedCluster:
		f.Kind = IllegalInstruction
		f.Detail = fmt.Sprintf("outside the %d bytes of shared memory of the block", l.SharedBytes())
	case isa.Local, isa.ParamFunc:
		f.Detail = fmt.Sprintf("outside the %d bytes of local memory of the thread", l.Machine.LocalPerThread)
	case isa.ParamEntry:
		f.Detail = fmt.Sprintf("outside the %d bytes of kernel parameters", len(l.Params))
	case isa.Global:
		// An H200 tells addresses of the windows apart: those of a thread's or a block's memory that were
		// handed to another grid.
		if in := isa.SpaceOf(addr); in == isa.Shared || in == isa.Local {
			f.Kind = InvalidAddressSpace
			f.Detail = fmt.Sprintf("the address is one of .%s memory, and the access is to .global memory", in)
			break
		}
		f.Detail = l.Memory.Explain(addr, uint64(bytes))
		if addr < nullPage {
			f.Detail = fmt.Sprintf("null pointer: address 0x%x", addr)
		}
	default:
		f.Detail = l.Memory.Explain(addr, uint64(bytes))
	}
	return f
}

// sharedStride is the distance of two blocks' shared memory in the shared::cluster window. A block reaches
// its own memory at offset 0, and that of rank r of its cluster at (r+1)*sharedStride.
const sharedStride = 1 << 19

// SharedAddress returns the shared::cluster address of a byte of the shared memory of a block of the cluster.
func SharedAddress(rank int, offset uint64) uint64 { return uint64(rank+1)*sharedStride + offset }

// SharedOwner returns whose shared memory a shared::cluster address of the block of rank own is in, and where.
func SharedOwner(addr uint64, own int) (rank int, offset uint64) {
	if addr < sharedStride {
		return own, addr
	}
	return int(addr/sharedStride) - 1, addr % sharedStride
}
