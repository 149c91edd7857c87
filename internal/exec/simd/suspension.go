package simd

import (
	"errors"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/isa"
	"silica/internal/mem"
)

var errNoText = errors.New("no memory for native code")

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// pointerSlots is how many groups of accesses of a run keep their pointers in memory.
const pointerSlots = 64

// spillSlots is how many values of a warp may be spilled.
const spillSlots = 1024

// scatteredSlots is how many groups of accesses whose addresses lie anyhow may be known at a time.
const scatteredSlots = 16

// pendingSlots is how many segments a kernel may have that native code is made of as a whole.
const pendingSlots = 128

// suspension is what native code has in its registers when it asks Go for the access of half a warp, and what it keeps in memory
// otherwise. Machine code knows it.
type suspension struct {
	// vectors 30 and 31 hold the addresses of the lanes; the elements of a load go to 29, or to 29 and 28 where they have 64 bits, from
	// where a store takes them.
	vectors [32][64]byte
	masks   [8]uint64 // of lanes; 7 has those of the access
	// registers are the general registers by their numbers; RDI has the number of the access and its half.
	registers [16]uint64
	lanes     [16]uint64 // addresses
	elements  [32]uint64
	suspended uint64
	limit     uint64
	pointers  [pointerSlots][2]uint64
	// before holds the pointers of the warp before, to guess those of the next ones.
	before [pointerSlots][2]uint64
	// What native code of a whole kernel keeps: the lanes of the warp that are to go on at each segment, where the next
	// warp begins, the index of the block, how many more blocks follow in its row.
	pending [pendingSlots]uint32
	onward  uint64
	place   [3]uint32
	blocks  uint32
	cached  uint64 // 0 where what whole warps store goes past the caches
	back    uint64 // where native code goes on behind a step that it has run
	_       [8]byte
	params  [paramCells]uint64 // the first of the launch's parameters
	// hosts holds where the lanes' elements are in host memory, for groups of accesses whose addresses lie anyhow.
	hosts [scatteredSlots][warpLanes]uint64
	// journal is where the next entry goes, and journalLimit behind what the journal should not go on. guests are the addresses at
	// which pointers point, where accesses are reported together.
	journal, journalLimit uintptr
	_                     [48]byte
	guests                [pointerSlots][2]uint64
	tallies               [tallySlots]tally
	// slots are aligned like the vectors.
	slots [spillSlots][64]byte
}

// newSuspension returns one that lies at the start of a cache line.
func newSuspension() *suspension {
	return (*suspension)(ptr(unsafe.SliceData(alignedWords(int(unsafe.Sizeof(suspension{}) / 8)))))
}

const (
	addressVectors, elementVectors, accessMask = 30, 29, 7
	accessRegister, warpRegister               = 7, 14 // RDI, R14
)

// serve makes the access that native code could not, lane by lane; false on a fault.
func (g *gang) serve(r *run, s *suspension) bool {
	number := s.registers[accessRegister]
	if number >= wideAccess {
		return g.serveWide(r, s, number-wideAccess)
	}
	w := &r.work[number/2]
	o, m := &r.code.ops[w.step], w.mem
	g.at = w.step
	half, warp := int(number%2), int(s.registers[warpRegister]/4)
	for i := range warpLanes / 2 {
		if s.masks[accessMask]>>i&1 == 0 {
			continue
		}
		addr := *(*uint64)(unsafe.Pointer(&s.vectors[addressVectors+i/8][i%8*8]))
		c, space, fault := g.resolve(m, addr)
		if fault == nil && w.store && space == isa.ParamEntry {
			fault = &exec.Fault{Kind: exec.IllegalAddress, Detail: "the parameters of a kernel can not be written"}
		}
		if fault != nil {
			g.fail(o, warp, half*warpLanes/2+i, fault)
			return false
		}
		g.transfer(m, c, warp, half*warpLanes/2+i, s.element(m.elem, i), w.store)
	}
	return true
}

// element returns where a lane's element of the access is.
func (s *suspension) element(bytes, i int) ptr {
	if bytes == 8 {
		return ptr(&s.vectors[elementVectors-i/8][i%8*8])
	}
	return ptr(&s.vectors[elementVectors][i*4])
}

// transfer moves an element between memory and a lane's place in a row.
func (g *gang) transfer(m *memoryOp, c cell, w, lane int, at ptr, store bool) {
	width := max(m.elem, 4)
	switch {
	case store && c.local:
		g.storeLocal(w, lane, c.address, m.elem, mem.Load(at, width))
	case store:
		mem.Store(c.p, m.elem, mem.Load(at, width))
	case c.local:
		mem.Store(at, width, g.loadLocal(w, lane, c.address, m.elem))
	default:
		mem.Store(at, width, mem.Load(c.p, m.elem))
	}
}
