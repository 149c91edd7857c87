package amd64

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Register is a general register.
type Register uint8

// The general registers.
const (
	RAX Register = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// Vector is a vector register of 128, 256 or 512 bits.
type Vector struct {
	Number uint8 // 0 to 31
	Bits   int
}

// Z, Y and X return a vector register of 512, 256 and 128 bits.
func Z(n uint8) Vector { return Vector{n, 512} }
func Y(n uint8) Vector { return Vector{n, 256} }
func X(n uint8) Vector { return Vector{n, 128} }

// Mask is a mask register, K0 to K7.
type Mask uint8

// Immediate is a constant in an instruction.
type Immediate int64

// Memory is an operand in memory: Base + Index*Scale + Displacement, or a constant of the code.
type Memory struct {
	Base         Register
	Index        Register // RSP for none
	Scale        int      // 1, 2, 4 or 8
	Displacement int32
	// Broadcast tells that every lane reads the same element.
	Broadcast bool
	constant  int  // place among the constants plus 1; 0 for none
	indexed   bool // Index is the low bits of a vector's number
}

// At returns the operand at a distance from a register.
func At(base Register, displacement int32) Memory {
	return Memory{Base: base, Index: RSP, Scale: 1, Displacement: displacement}
}

// Label is a place in the code.
type Label int

// Assembler collects code. The first error stays.
type Assembler struct {
	code      []byte
	places    []int // of labels; -1 before Place
	jumps     []reference
	data      []byte // constants
	constants map[string]int
	uses      []reference // of constants
	err       error
}

// reference is a 32-bit distance at a place in the code, counted from the end of its instruction.
type reference struct{ at, end, to int }

func (a *Assembler) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("amd64: "+format, args...)
	}
}

// Len returns the bytes of code so far.
func (a *Assembler) Len() int { return len(a.code) }

// NewLabel returns a label to be placed.
func (a *Assembler) NewLabel() Label {
	a.places = append(a.places, -1)
	return Label(len(a.places) - 1)
}

// Place puts a label at the next instruction.
func (a *Assembler) Place(l Label) { a.places[l] = len(a.code) }

// alignment is that of constants.
const alignment = 64

// Constant returns the operand that reads data, of 4 to 64 bytes, a power of two. Equal data is kept once.
func (a *Assembler) Constant(data []byte) Memory {
	if a.constants == nil {
		a.constants = map[string]int{}
	}
	at, ok := a.constants[string(data)]
	if !ok {
		for len(a.data)%len(data) != 0 {
			a.data = append(a.data, 0)
		}
		at = len(a.data)
		a.data = append(a.data, data...)
		a.constants[string(data)] = at
	}
	return Memory{constant: at + 1}
}

// Bytes returns the code with its constants, to lie at an address that is a multiple of 64.
func (a *Assembler) Bytes() ([]byte, error) {
	out := slices.Clone(a.code)
	for len(out)%alignment != 0 {
		out = append(out, 0xcc)
	}
	pool := len(out)
	out = append(out, a.data...)
	for _, j := range a.jumps {
		if a.places[j.to] < 0 {
			a.fail("label %d is nowhere", j.to)
			break
		}
		binary.LittleEndian.PutUint32(out[j.at:], uint32(a.places[j.to]-j.end))
	}
	for _, u := range a.uses {
		binary.LittleEndian.PutUint32(out[u.at:], uint32(pool+u.to-u.end))
	}
	return out, a.err
}

func (a *Assembler) emit(bytes ...byte) { a.code = append(a.code, bytes...) }

func (a *Assembler) emit32(v uint32) { a.code = binary.LittleEndian.AppendUint32(a.code, v) }

// address emits the ModRM byte and what follows it for a register field and an operand in memory, of an instruction that has so many bytes of
// immediates behind.
func (a *Assembler) address(field uint8, m Memory, immediates int) {
	field = field & 7 << 3
	if m.constant > 0 {
		a.emit(field | 5)
		at := len(a.code)
		a.uses = append(a.uses, reference{at, at + 4 + immediates, m.constant - 1})
		a.emit32(0)
		return
	}
	mod := byte(0x80)
	if m.Displacement == 0 && m.Base&7 != RBP {
		mod = 0
	}
	if m.Index == RSP && !m.indexed && m.Base&7 != RSP {
		a.emit(mod | field | byte(m.Base&7))
	} else {
		scale := map[int]byte{1: 0, 2: 0x40, 4: 0x80, 8: 0xc0}[m.Scale]
		a.emit(mod|field|4, scale|byte(m.Index&7)<<3|byte(m.Base&7))
	}
	if mod != 0 {
		a.emit32(uint32(m.Displacement))
	}
}

// high returns bit 3 of the numbers of the base and the index.
func (m Memory) high() (base, index bool) {
	if m.constant > 0 {
		return false, false
	}
	return m.Base >= R8, m.Index >= R8
}
