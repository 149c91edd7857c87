package exec

import "fmt"

// The extent of tensor memory: lanes by columns of 32 bits (PTX ISA, "Tensor Memory").
const (
	tensorLanes   = 128
	tensorColumns = 512
	// tensorUnit is the number of columns that are allocated at once, at least.
	tensorUnit = 32
	// warpTensorLanes is the number of lanes that a warp of a warpgroup reaches.
	warpTensorLanes = 32
)

// TensorMemory is the memory of the fifth-generation tensor cores that a block has. The zero value is one of which nothing is
// allocated.
type TensorMemory struct {
	words     *[tensorColumns][tensorLanes]uint32 // nil before the first allocation
	allocated [tensorColumns / tensorUnit]bool
	// relinquished tells that the block has given up the right to allocate.
	relinquished bool
}

// Reset makes the memory that of a block that begins.
func (m *TensorMemory) Reset() {
	if m.words != nil {
		*m = TensorMemory{words: m.words}
		clear(m.words[:])
	}
}

// alloc returns the first of n contiguous columns that become allocated.
func (m *TensorMemory) alloc(n int) (column int, fault *Fault) {
	switch {
	case n < tensorUnit || n > tensorColumns || n&(n-1) != 0:
		return 0, illegal("an allocation of %d columns of tensor memory; a power of two from %d to %d is wanted", n, tensorUnit, tensorColumns)
	case m.relinquished:
		return 0, illegal("an allocation of tensor memory after the block has relinquished the permit")
	}
	units := n / tensorUnit
	for first := 0; first+units <= len(m.allocated); first++ {
		if free := m.count(first, units, false); free == units {
			for i := range units {
				m.allocated[first+i] = true
			}
			if m.words == nil {
				m.words = new([tensorColumns][tensorLanes]uint32)
			}
			return first * tensorUnit, nil
		}
	}
	return 0, &Fault{Kind: Deadlock, Detail: fmt.Sprintf("an allocation waits for %d columns of tensor memory; the block itself holds the others", n)}
}

// count returns how many of so many units are allocated, or are not.
func (m *TensorMemory) count(first, units int, allocated bool) (n int) {
	for _, a := range m.allocated[first:][:units] {
		if a == allocated {
			n++
		}
	}
	return n
}

func (m *TensorMemory) dealloc(column, n int) *Fault {
	if column%tensorUnit != 0 || n%tensorUnit != 0 || column+n > tensorColumns ||
		m.count(column/tensorUnit, n/tensorUnit, true) != n/tensorUnit {
		return illegal("%d columns of tensor memory from %d on are deallocated that are not allocated", n, column)
	}
	for i := range n / tensorUnit {
		m.allocated[column/tensorUnit+i] = false
	}
	return nil
}

// columns returns n columns from one on, which must be allocated.
func (m *TensorMemory) columns(first, n int) ([][tensorLanes]uint32, *Fault) {
	for column := first; column < first+n; column++ {
		if column >= tensorColumns || !m.allocated[column/tensorUnit] {
			return nil, illegal("column %d of tensor memory is not allocated", column)
		}
	}
	if n == 0 {
		return nil, nil
	}
	return m.words[first:][:n], nil
}

// tensorAddress splits an address in tensor memory.
func tensorAddress(addr uint64) (lane, column int) {
	return int(addr >> 16 & 0xFFFF), int(addr & 0xFFFF)
}
