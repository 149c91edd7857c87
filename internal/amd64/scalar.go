package amd64

import "encoding/binary"

// Condition is a condition of the flags, as jumps encode it.
type Condition byte

// The conditions in use.
const (
	Below        Condition = 0x2
	AboveOrEqual Condition = 0x3
	Equal        Condition = 0x4
	NotEqual     Condition = 0x5
	Above        Condition = 0x7
	Less         Condition = 0xc
)

// Operation is an operation of two operands on general registers, by the opcode of its form register, register or memory.
type Operation byte

// The operations in use. Move copies.
const (
	Add     Operation = 0x03
	Or      Operation = 0x0b
	And     Operation = 0x23
	Sub     Operation = 0x2b
	Xor     Operation = 0x33
	Compare Operation = 0x3b
	Move    Operation = 0x8b
)

// rex emits the prefix of an instruction on a register field and a register or memory operand.
func (a *Assembler) rex(wide bool, field Register, rm any) {
	prefix := byte(0x40)
	if wide {
		prefix |= 8
	}
	if field >= R8 {
		prefix |= 4
	}
	switch rm := rm.(type) {
	case Register:
		if rm >= R8 {
			prefix |= 1
		}
	case Memory:
		base, index := rm.high()
		if base {
			prefix |= 1
		}
		if index {
			prefix |= 2
		}
	}
	if prefix != 0x40 {
		a.emit(prefix)
	}
}

// operand emits the operands of an instruction.
func (a *Assembler) operand(field Register, rm any, immediates int) {
	switch rm := rm.(type) {
	case Register:
		a.emit(0xc0 | byte(field&7)<<3 | byte(rm&7))
	case Memory:
		a.address(uint8(field), rm, immediates)
	default:
		a.fail("%T is no operand", rm)
	}
}

// Do emits dst = dst op src on 64 bits; src is a Register or Memory.
func (a *Assembler) Do(op Operation, dst Register, src any) {
	a.rex(true, dst, src)
	a.emit(byte(op))
	a.operand(dst, src, 0)
}

// Do32 emits dst = dst op src on 32 bits; the upper ones become zero.
func (a *Assembler) Do32(op Operation, dst Register, src any) {
	a.rex(false, dst, src)
	a.emit(byte(op))
	a.operand(dst, src, 0)
}

// Store emits the store of 64 bits, Store32 that of 32 bits and Store16 that of 16.
func (a *Assembler) Store(dst Memory, src Register) {
	a.rex(true, src, dst)
	a.emit(0x89)
	a.operand(src, dst, 0)
}

func (a *Assembler) Store32(dst Memory, src Register) {
	a.rex(false, src, dst)
	a.emit(0x89)
	a.operand(src, dst, 0)
}

func (a *Assembler) Store16(dst Memory, src Register) {
	a.emit(0x66)
	a.Store32(dst, src)
}

// Store8 emits the store of the low byte of RAX, RCX, RDX or RBX.
func (a *Assembler) Store8(dst Memory, src Register) {
	if src > RBX {
		a.fail("no byte of register %d", src)
	}
	a.rex(false, src, dst)
	a.emit(0x88)
	a.operand(src, dst, 0)
}

// Load16 emits the load of 16 bits and Load8 that of 8, the rest of the register becomes zero.
func (a *Assembler) Load16(dst Register, src Memory) {
	a.rex(false, dst, src)
	a.emit(0x0f, 0xb7)
	a.operand(dst, src, 0)
}

func (a *Assembler) Load8(dst Register, src Memory) {
	a.rex(false, dst, src)
	a.emit(0x0f, 0xb6)
	a.operand(dst, src, 0)
}

// DoImmediate emits dst = dst op value on 64 bits, a Register or Memory.
func (a *Assembler) DoImmediate(op Operation, dst any, value int32) {
	a.rex(true, 0, dst)
	a.emit(0x81)
	a.operand(Register(op>>3), dst, 4)
	a.emit32(uint32(value))
}

// DoImmediate32 is DoImmediate on 32 bits.
func (a *Assembler) DoImmediate32(op Operation, dst any, value int32) {
	a.rex(false, 0, dst)
	a.emit(0x81)
	a.operand(Register(op>>3), dst, 4)
	a.emit32(uint32(value))
}

// AddTo emits the addition of a register to 64 bits of memory.
func (a *Assembler) AddTo(dst Memory, src Register) {
	a.rex(true, src, dst)
	a.emit(0x01)
	a.operand(src, dst, 0)
}

// Not32 emits dst = NOT dst on 32 bits.
func (a *Assembler) Not32(dst Register) {
	a.rex(false, 0, dst)
	a.emit(0xf7)
	a.operand(2, dst, 0)
}

// StoreImmediate emits the store of a sign-extended value in 64 bits.
func (a *Assembler) StoreImmediate(dst Memory, value int32) {
	a.rex(true, 0, dst)
	a.emit(0xc7)
	a.operand(0, dst, 4)
	a.emit32(uint32(value))
}

// Test emits the comparison of a AND b with zero, on 64 bits; TestImmediate32 that with a constant.
func (a *Assembler) Test(x, y Register) {
	a.rex(true, y, x)
	a.emit(0x85)
	a.operand(y, x, 0)
}

func (a *Assembler) TestImmediate32(x Register, value int32) {
	a.rex(false, 0, x)
	a.emit(0xf7)
	a.operand(0, x, 4)
	a.emit32(uint32(value))
}

// Load64 emits dst = value.
func (a *Assembler) Load64(dst Register, value uint64) {
	if value <= 1<<32-1 {
		a.rex(false, 0, dst)
		a.emit(0xb8 | byte(dst&7))
		a.emit32(uint32(value))
		return
	}
	a.rex(true, 0, dst)
	a.emit(0xb8 | byte(dst&7))
	a.code = binary.LittleEndian.AppendUint64(a.code, value)
}

// Address emits dst = the address of src, Address32 its low 32 bits.
func (a *Assembler) Address(dst Register, src Memory) {
	a.rex(true, dst, src)
	a.emit(0x8d)
	a.operand(dst, src, 0)
}

func (a *Assembler) Address32(dst Register, src Memory) {
	a.rex(false, dst, src)
	a.emit(0x8d)
	a.operand(dst, src, 0)
}

// Multiply emits dst = src * value on 64 bits.
func (a *Assembler) Multiply(dst Register, src any, value int32) {
	a.rex(true, dst, src)
	a.emit(0x69)
	a.operand(dst, src, 4)
	a.emit32(uint32(value))
}

// SignExtend emits dst = the low 32 bits of src, sign-extended.
func (a *Assembler) SignExtend(dst Register, src any) {
	a.rex(true, dst, src)
	a.emit(0x63)
	a.operand(dst, src, 0)
}

// ShiftRight emits dst = dst >> bits on 64 bits, with the sign.
func (a *Assembler) ShiftRight(dst Register, bits uint8) {
	a.rex(true, 0, dst)
	a.emit(0xc1)
	a.operand(7, dst, 1)
	a.emit(bits)
}

// AddressOf emits dst = the address of a label.
func (a *Assembler) AddressOf(dst Register, l Label) {
	a.rex(true, dst, RAX)
	a.emit(0x8d, byte(dst&7)<<3|5)
	at := len(a.code)
	a.jumps = append(a.jumps, reference{at, at + 4, int(l)})
	a.emit32(0)
}

// CountBits32 emits dst = the number of bits set in src.
func (a *Assembler) CountBits32(dst, src Register) {
	a.emit(0xf3)
	a.rex(false, dst, src)
	a.emit(0x0f, 0xb8)
	a.operand(dst, src, 0)
}

// LowestBit32 emits dst = the number of the lowest bit set in src, which has one.
func (a *Assembler) LowestBit32(dst, src Register) {
	a.emit(0xf3)
	a.rex(false, dst, src)
	a.emit(0x0f, 0xbc)
	a.operand(dst, src, 0)
}

// Jump emits a jump to a label, JumpIf one on a condition.
func (a *Assembler) Jump(l Label) {
	a.emit(0xe9)
	a.distance(l)
}

func (a *Assembler) JumpIf(c Condition, l Label) {
	a.emit(0x0f, 0x80|byte(c))
	a.distance(l)
}

func (a *Assembler) distance(l Label) {
	at := len(a.code)
	a.jumps = append(a.jumps, reference{at, at + 4, int(l)})
	a.emit32(0)
}

// JumpTo emits a jump to the address in a Register or Memory.
func (a *Assembler) JumpTo(target any) {
	a.rex(false, 0, target)
	a.emit(0xff)
	a.operand(4, target, 0)
}

// Prefetch emits PREFETCHT0, which brings a cache line near and never faults.
func (a *Assembler) Prefetch(at Memory) {
	a.rex(false, 0, at)
	a.emit(0x0f, 0x18)
	a.operand(1, at, 0)
}

// StoreFence emits SFENCE: others see the stores before it, those past the caches as well, before those behind it.
func (a *Assembler) StoreFence() { a.emit(0x0f, 0xae, 0xf8) }

// LoadControl emits LDMXCSR.
func (a *Assembler) LoadControl(src Memory) {
	a.rex(false, 0, src)
	a.emit(0x0f, 0xae)
	a.operand(2, src, 0)
}
