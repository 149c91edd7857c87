package conform

import (
	"encoding/binary"
	"fmt"

	"silica/internal/exec"
	"silica/internal/isa"
)

// tensorMap holds the arguments of the call that makes a tensor map.
type tensorMap struct {
	Type           string
	Dims           []uint32
	Strides        []uint64
	Box            []uint16
	ElementStrides []uint8
	Interleave     uint8
	Swizzle        uint8
	OOBFill        int
}

// place writes the map over the buffer whose address is in the argument buffer.
func (t *tensorMap) place(argument, buffer []byte) error {
	if len(buffer) != 8 || len(t.Dims) > 5 || len(t.Strides) > 4 {
		return fmt.Errorf("a tensor map of %d dimensions", len(t.Dims))
	}
	m := exec.TensorMap{
		Type: isa.ParseType(t.Type), Address: binary.LittleEndian.Uint64(buffer), Rank: len(t.Dims),
		Interleave: exec.Interleave(t.Interleave), Swizzle: exec.Swizzle(t.Swizzle), FillNaN: t.OOBFill == 1,
	}
	copy(m.Dims[:], t.Dims)
	copy(m.Strides[:], t.Strides)
	copy(m.Box[:], t.Box)
	copy(m.ElementStrides[:], t.ElementStrides)
	b, err := m.Encode()
	copy(argument, b)
	return err
}
