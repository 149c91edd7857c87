package sass

import (
	"errors"
	"fmt"

	"silica/gpu"
)

// Arch is what lowering has to know of an architecture.
type Arch struct {
	SM int // 90
}

// ErrArchitecture is what ArchOf wraps for a GPU whose machine code is not known.
var ErrArchitecture = errors.New("machine code is known for compute capabilities 7.0 to 12.1")

// ArchOf returns the architecture of a GPU.
func ArchOf(g *gpu.GPU) (Arch, error) {
	c := g.Chip.ComputeCapability
	a, err := ArchFor(c.SM())
	if err != nil {
		return a, fmt.Errorf("%w, not for %s, which has %s", ErrArchitecture, g.Name, c)
	}
	return a, nil
}

// ArchFor returns the architecture of a compute capability: 90 for 9.0. The error is ErrArchitecture.
func ArchFor(sm int) (Arch, error) {
	if sm < 70 || sm > 121 {
		return Arch{}, ErrArchitecture
	}
	return Arch{SM: sm}, nil
}

// paramBase is where kernel parameters begin in constant bank 0.
func (a Arch) paramBase() uint64 {
	switch {
	case a.SM >= 100:
		return 0x380
	case a.SM >= 90:
		return 0x210
	}
	return 0x160
}

// descriptor is where the descriptor of global memory lies in constant bank 0, 0 when there is none.
func (a Arch) descriptor() uint64 {
	switch {
	case a.SM >= 100:
		return 0x358
	case a.SM >= 90:
		return 0x208
	case a.SM >= 80:
		return 0x118
	}
	return 0
}

// stackPointer is where the first value of R1 lies in constant bank 0.
func (a Arch) stackPointer() uint64 {
	switch {
	case a.SM >= 100:
		return 0x37c
	}
	return 0x28
}

// threads is how many threads a multiprocessor holds: fewer on Turing, and on Ampere, Ada and Blackwell for graphics.
func (a Arch) threads() int {
	switch {
	case a.SM == 75:
		return 1024
	case a.SM > 80 && a.SM < 90, a.SM >= 120:
		return 1536
	}
	return 2048
}

// fullWarps is how many registers a thread has when a multiprocessor holds all the threads that it can. ptxas takes them freely.
func (a Arch) fullWarps() int { return registerFile / a.threads() &^ 7 }

// loadsConstants tells whether parameters are loaded to registers before they are used; else they are operands.
func (a Arch) loadsConstants() bool { return a.SM >= 90 }

// sharedWindow tells whether addresses of shared memory have to be made from the block's place in its cluster.
func (a Arch) sharedWindow() bool { return a.SM >= 90 }

// uniformDatapath tells whether an instruction can work for all lanes of a warp together.
func (a Arch) uniformDatapath() bool { return a.SM >= 75 }
