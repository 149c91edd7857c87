package exec

import "silica/internal/isa"

// gathered is the number of rows that .tile::gather4 and .tile::scatter4 move.
const gathered = 4

// gatheredRows returns which rows a copy of four moves: the coordinates after the first.
func (a *Async) gatheredRows(m *TensorMap) (rows [gathered]int32, fault *Fault) {
	if m.Box[1] != 1 || m.Interleave != NoInterleave {
		return rows, illegal("four rows of a tensor whose box has %d; boxes of one row without interleaving are wanted", m.Box[1])
	}
	for i := range rows {
		rows[i] = int32(a.Src[1+i])
	}
	return rows, nil
}

// gather calls do for the four rows as for those of a box.
func (m *TensorMap) gather(rows [gathered]int32, do rowFunc) *Fault {
	for i, at := range rows {
		if f := do(i, m.Address+uint64(int64(at))*m.Strides[0], at >= 0 && uint32(at) < m.Dims[1]); f != nil {
			return f
		}
	}
	return nil
}

// bindGather loads four rows of a tensor of two dimensions into shared memory, one after the other.
func bindGather(f *isa.Form) AsyncFunc {
	to := spaces(f)[0]
	mask := sourceNamed(f, "ctaMask")
	if mask >= 0 {
		mask = 1 + gathered // after the coordinates
	}
	return func(a *Async) *Fault {
		m, start, fault := a.tensor(1, 2, false)
		if fault != nil {
			return fault
		}
		rows, fault := a.gatheredRows(m)
		if fault != nil {
			return fault
		}
		return a.toBlocks(mask, func(address func(uint64) uint64) *Fault {
			base := address(a.Addr[0])
			box, fault := a.bytes(to, base, m.sharedBytes(gathered), sharedAlign)
			if fault != nil {
				return fault
			}
			_, offset := SharedOwner(base, 0)
			each := func(do rowFunc) *Fault { return m.gather(rows, do) }
			if fault := a.loadRows(m, start[0], each, box, offset); fault != nil {
				return fault
			}
			return a.signal(to, address(a.Addr[2]), gathered*m.rowBytes())
		})
	}
}
