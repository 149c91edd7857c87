package exec

import "silica/internal/isa"

// cancelBytes is the size of the answer to a clusterlaunchcontrol.try_cancel.
const cancelBytes = 16

// bindTryCancel asks for a cluster that has not begun. There never is one: that all clusters have been launched is an answer
// that PTX allows. The answer, all zeros, goes to the block or to all of its cluster, with its bytes on their barrier
// objects.
func bindTryCancel(f *isa.Form) AsyncFunc {
	all := f.Has(".multicast::cluster::all")
	space := isa.Generic
	if list := spaces(f); len(list) > 0 {
		space = list[0]
	}
	return func(a *Async) *Fault {
		answer := func(space isa.Space, to, barrier uint64) *Fault {
			p, fault := a.bytes(space, to, cancelBytes, cancelBytes)
			if fault != nil {
				return fault
			}
			clear(p)
			return a.signal(space, barrier, cancelBytes)
		}
		if !all {
			return answer(space, a.Addr[0], a.Addr[1])
		}
		to, barrier := a.Addr[0], a.Addr[1]
		if space == isa.Generic {
			to, barrier = to-isa.SharedWindow, barrier-isa.SharedWindow
		}
		for rank := 0; a.Memory.Tensor(rank) != nil; rank++ {
			_, at := SharedOwner(to, a.Memory.Rank())
			_, signal := SharedOwner(barrier, a.Memory.Rank())
			if fault := answer(isa.SharedCluster, SharedAddress(rank, at), SharedAddress(rank, signal)); fault != nil {
				return fault
			}
		}
		return nil
	}
}

// bindStoreBulk is st.bulk: zeros in shared memory.
func bindStoreBulk(f *isa.Form) AsyncFunc {
	space := isa.Generic
	if list := spaces(f); len(list) > 0 {
		space = list[0]
	}
	return func(a *Async) *Fault {
		size := a.Src[0]
		if size%8 != 0 || size > sharedStride {
			return illegal("st.bulk of %d bytes; a multiple of 8 within shared memory is wanted", size)
		}
		if size == 0 {
			return nil
		}
		if space == isa.Generic && isa.SpaceOf(a.Addr[0]) != isa.Shared {
			return &Fault{Kind: IllegalAddress, Address: a.Addr[0], Bytes: int(size), Detail: "st.bulk works on shared memory"}
		}
		p, fault := a.bytes(space, a.Addr[0], int(size), 8)
		if fault != nil {
			return fault
		}
		clear(p)
		return nil
	}
}
