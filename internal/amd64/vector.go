package amd64

import (
	"strconv"
	"strings"
)

// layout tells where an instruction has its operands. They are listed as they are written, the destination last.
type layout uint8

const (
	threeOperands layout = iota // rm, vvvv, reg
	twoOperands                 // rm, reg
	reversed                    // reg, rm
	shifted                     // immediate, rm, vvvv; an opcode extension in reg
	general                     // a general register, reg
)

// encoding is how an instruction with an EVEX prefix is encoded.
type encoding struct {
	page      byte // of opcodes: 1 for 0F, 2 for 0F38, 3 for 0F3A
	prefix    byte // 0, 1 for 66, 2 for F3, 3 for F2
	wide      bool // EVEX.W
	opcode    byte
	layout    layout
	extension byte // of shifted
}

// encodings are listed as in the manual: prefix.page.W opcode, then the layout where it is not three operands: 2 for two,
// r for reversed, g for a general register, /n for an opcode extension.
const encodings = `
VADDPS NP.0F.W0 58
VADDPD 66.0F.W1 58
VSUBPS NP.0F.W0 5C
VSUBPD 66.0F.W1 5C
VMULPS NP.0F.W0 59
VMULPD 66.0F.W1 59
VDIVPS NP.0F.W0 5E
VDIVPD 66.0F.W1 5E
VMINPS NP.0F.W0 5D
VMAXPS NP.0F.W0 5F
VSQRTPS NP.0F.W0 51 2
VSQRTPD 66.0F.W1 51 2
VCMPPS NP.0F.W0 C2
VCMPPD 66.0F.W1 C2
VFMADD132PS 66.0F38.W0 98
VFMADD132PD 66.0F38.W1 98
VFMADD213PS 66.0F38.W0 A8
VFMADD213PD 66.0F38.W1 A8
VFMADD231PS 66.0F38.W0 B8
VFMADD231PD 66.0F38.W1 B8
VCVTDQ2PD F3.0F.W0 E6 2
VCVTDQ2PS NP.0F.W0 5B 2
VCVTPD2DQ F2.0F.W1 E6 2
VCVTTPD2DQ 66.0F.W1 E6 2
VCVTPD2PS 66.0F.W1 5A 2
VCVTPD2QQ 66.0F.W1 7B 2
VCVTPD2UDQ NP.0F.W1 79 2
VCVTTPD2UDQ NP.0F.W1 78 2
VCVTPD2UQQ 66.0F.W1 79 2
VCVTPH2PS 66.0F38.W0 13 2
VCVTPS2DQ 66.0F.W0 5B 2
VCVTPS2PD NP.0F.W0 5A 2
VCVTPS2PH 66.0F3A.W0 1D r
VCVTPS2QQ 66.0F.W0 7B 2
VCVTPS2UDQ NP.0F.W0 79 2
VCVTPS2UQQ 66.0F.W0 79 2
VCVTQQ2PD F3.0F.W1 E6 2
VCVTQQ2PS NP.0F.W1 5B 2
VCVTTPD2UQQ 66.0F.W1 78 2
VCVTTPS2DQ F3.0F.W0 5B 2
VCVTUDQ2PD F3.0F.W0 7A 2
VCVTUDQ2PS F2.0F.W0 7A 2
VCVTUQQ2PD F3.0F.W1 7A 2
VCVTUQQ2PS F2.0F.W1 7A 2
VEXTRACTI32X4 66.0F3A.W0 39 r
VEXTRACTI64X4 66.0F3A.W1 3B r
VINSERTI32X4 66.0F3A.W0 38
VINSERTI64X4 66.0F3A.W1 3A
VFIXUPIMMPS 66.0F3A.W0 54
VFPCLASSPSZ 66.0F3A.W0 66 2
VFPCLASSPDZ 66.0F3A.W1 66 2
VMOVDQA32 66.0F.W0 6F 2
VMOVDQA64 66.0F.W1 6F 2
VMOVDQU16 F2.0F.W1 6F 2
VMOVDQU32 F3.0F.W0 6F 2
VMOVDQU64 F3.0F.W1 6F 2
VPABSD 66.0F38.W0 1E 2
VPABSQ 66.0F38.W1 1F 2
VPADDD 66.0F.W0 FE
VPADDQ 66.0F.W1 D4
VPADDW 66.0F.W0 FD
VPANDD 66.0F.W0 DB
VPANDQ 66.0F.W1 DB
VPORD 66.0F.W0 EB
VPORQ 66.0F.W1 EB
VPUNPCKLDQ 66.0F.W0 62
VPUNPCKHDQ 66.0F.W0 6A
VPUNPCKLQDQ 66.0F.W1 6C
VPUNPCKHQDQ 66.0F.W1 6D
VPXORD 66.0F.W0 EF
VPXORQ 66.0F.W1 EF
VPBLENDMB 66.0F38.W0 66
VPBLENDMD 66.0F38.W0 64
VPBLENDMQ 66.0F38.W1 64
VPBROADCASTD 66.0F38.W0 58 2
VPBROADCASTQ 66.0F38.W1 59 2
VPBROADCASTGD 66.0F38.W0 7C g
VPBROADCASTGQ 66.0F38.W1 7C g
VBROADCASTI32X4 66.0F38.W0 5A 2
VPCMPD 66.0F3A.W0 1F
VPCMPQ 66.0F3A.W1 1F
VPCMPUD 66.0F3A.W0 1E
VPCMPUQ 66.0F3A.W1 1E
VPCMPUW 66.0F3A.W1 3E
VPCMPEQD 66.0F.W0 76
VPCMPEQQ 66.0F38.W1 29
VPCMPGTB 66.0F.W0 64
VPERMD 66.0F38.W0 36
VPMADDWD 66.0F.W0 F5
VPERMI2D 66.0F38.W0 76
VPERMT2D 66.0F38.W0 7E
VPERMT2Q 66.0F38.W1 7E
VSHUFI64X2 66.0F3A.W1 43
VPLZCNTD 66.0F38.W0 44 2
VPLZCNTQ 66.0F38.W1 44 2
VPMAXSD 66.0F38.W0 3D
VPMAXSQ 66.0F38.W1 3D
VPMAXSW 66.0F.W0 EE
VPMAXUD 66.0F38.W0 3F
VPMAXUQ 66.0F38.W1 3F
VPMAXUW 66.0F38.W0 3E
VPMINSD 66.0F38.W0 39
VPMINSQ 66.0F38.W1 39
VPMINSW 66.0F.W0 EA
VPMINUD 66.0F38.W0 3B
VPMINUQ 66.0F38.W1 3B
VPMINUW 66.0F38.W0 3A
VPMOVB2M F3.0F38.W0 29 2
VPMOVD2M F3.0F38.W0 39 2
VPMOVQ2M F3.0F38.W1 39 2
VPMOVM2B F3.0F38.W0 28 2
VPMOVDB F3.0F38.W0 31 r
VMOVNTDQ 66.0F.W0 E7 r
VPMOVDW F3.0F38.W0 33 r
VPMOVQD F3.0F38.W0 35 r
VPMOVSQD F3.0F38.W0 25 r
VPMOVSXDQ 66.0F38.W0 25 2
VPMOVZXDQ 66.0F38.W0 35 2
VPMOVZXWD 66.0F38.W0 33 2
VPMOVZXBD 66.0F38.W0 31 2
VPMULDQ 66.0F38.W1 28
VPMULUDQ 66.0F.W1 F4
VPMULLD 66.0F38.W0 40
VPMULLQ 66.0F38.W1 40
VPOPCNTD 66.0F38.W0 55 2
VPOPCNTQ 66.0F38.W1 55 2
VPSHLDVD 66.0F38.W0 71
VPSHRDVD 66.0F38.W0 73
VPSHUFB 66.0F38.W0 00
VPSLLD 66.0F.W0 72 /6
VPSLLQ 66.0F.W1 73 /6
VPSRAD 66.0F.W0 72 /4
VPSRAQ 66.0F.W1 72 /4
VPSRLD 66.0F.W0 72 /2
VPSRLQ 66.0F.W1 73 /2
VPSLLVD 66.0F38.W0 47
VPSLLVQ 66.0F38.W1 47
VPSRAVD 66.0F38.W0 46
VPSRAVQ 66.0F38.W1 46
VPSRLVD 66.0F38.W0 45
VPSRLVQ 66.0F38.W1 45
VPSUBD 66.0F.W0 FA
VPSUBQ 66.0F.W1 FB
VPTERNLOGD 66.0F3A.W0 25
VPTERNLOGQ 66.0F3A.W1 25
VPTESTMD 66.0F38.W0 27
VPTESTMQ 66.0F38.W1 27
VPTESTNMD F3.0F38.W0 27
VPTESTNMQ F3.0F38.W1 27
VRANGEPS 66.0F3A.W0 50
VRANGEPD 66.0F3A.W1 50
VRNDSCALEPS 66.0F3A.W0 08 2
VRNDSCALEPD 66.0F3A.W1 09 2
`

// Encoder knows the vector instructions. It is immutable.
type Encoder struct{ table map[string]encoding }

// NewEncoder returns the instructions.
func NewEncoder() *Encoder {
	e := &Encoder{table: map[string]encoding{}}
	for line := range strings.Lines(encodings) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		part := strings.Split(fields[1], ".")
		opcode, _ := strconv.ParseUint(fields[2], 16, 8)
		x := encoding{
			page: map[string]byte{"0F": 1, "0F38": 2, "0F3A": 3}[part[1]], prefix: map[string]byte{"NP": 0, "66": 1, "F3": 2, "F2": 3}[part[0]],
			wide: part[2] == "W1", opcode: byte(opcode),
		}
		if len(fields) > 3 {
			switch mark := fields[3]; mark[0] {
			case '2':
				x.layout = twoOperands
			case 'r':
				x.layout = reversed
			case 'g':
				x.layout = general
			case '/':
				x.layout, x.extension = shifted, mark[1]-'0'
			}
		}
		e.table[fields[0]] = x
	}
	return e
}

// Has tells whether there is an instruction.
func (e *Encoder) Has(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	_, ok := e.table[name]
	return ok || maskOperations[name] != 0
}

// maskOperations are the opcodes of those on three mask registers, or two.
var maskOperations = map[string]byte{"KANDW": 0x41, "KANDNW": 0x42, "KNOTW": 0x44, "KORW": 0x45, "KXNORW": 0x46, "KXORW": 0x47}

// Options of an instruction.
type options struct {
	mask     Mask // 0 for none
	zero     bool
	rounding byte // of L'L, plus 1; 0 for none
}

// Vector emits an instruction by name with its suffixes: .Z where lanes that a mask leaves out become zero, .RN_SAE, .RD_SAE, .RU_SAE and .RZ_SAE for
// a rounding of its own. Operands are in the order of Go's assembler: an Immediate first, the destination last, a Mask before it. The size of an
// operand in memory follows from the largest vector register.
func (a *Assembler) Vector(e *Encoder, name string, operands ...any) {
	name, suffix, _ := strings.Cut(name, ".")
	var o options
	switch suffix {
	case "":
	case "Z":
		o.zero = true
	default:
		o.rounding = byte(strings.Index("RNRDRURZ", suffix[:2]))/2 + 1
	}
	if opcode := maskOperations[name]; opcode != 0 {
		a.maskOperation(opcode, operands)
		return
	}
	x, ok := e.table[name]
	if !ok {
		a.fail("no instruction %s", name)
		return
	}
	var immediate []byte
	if i, ok := operands[0].(Immediate); ok {
		immediate, operands = []byte{byte(i)}, operands[1:]
	}
	n := len(operands)
	count := 2
	if x.layout == threeOperands {
		count = 3
	}
	if n == count+1 {
		o.mask, _ = operands[n-2].(Mask)
		operands = append(append([]any{}, operands[:n-2]...), operands[n-1])
	}
	if len(operands) != count {
		a.fail("%s has %d operands", name, len(operands))
		return
	}
	var reg, second, rm any
	switch x.layout {
	case threeOperands:
		rm, second, reg = operands[0], operands[1], operands[2]
	case twoOperands, general:
		rm, reg = operands[0], operands[1]
	case reversed:
		reg, rm = operands[0], operands[1]
	case shifted:
		rm, second, reg = operands[0], operands[1], Mask(x.extension)
	}
	// A move to memory has an opcode of its own.
	if m, ok := reg.(Memory); ok && x.opcode == 0x6f {
		x.opcode, reg, rm = 0x7f, rm, m
	}
	a.evex(x, o, size(operands), reg, second, rm, immediate)
}

// size returns the bits of the largest vector among operands.
func size(operands []any) int {
	bits := 0
	for _, o := range operands {
		if v, ok := o.(Vector); ok {
			bits = max(bits, v.Bits)
		}
	}
	return bits
}

// number returns the number of a register.
func number(o any) byte {
	switch o := o.(type) {
	case Vector:
		return o.Number
	case Mask:
		return byte(o)
	case Register:
		return byte(o)
	}
	return 0
}

// evex emits an instruction with an EVEX prefix.
func (a *Assembler) evex(x encoding, o options, bits int, reg, second, rm any, immediate []byte) {
	r, v := number(reg), number(second)
	p1, p2, p3 := x.page|0xf0, x.prefix|4, byte(0)
	clear := func(p *byte, bit byte, when bool) {
		if when {
			*p &^= bit
		}
	}
	clear(&p1, 0x80, r&8 != 0)
	clear(&p1, 0x10, r&16 != 0)
	if x.wide {
		p2 |= 0x80
	}
	p2 |= ^v & 15 << 3
	if v&16 == 0 {
		p3 |= 8
	}
	if o.zero {
		p3 |= 0x80
	}
	p3 |= byte(o.mask)
	m, memory := rm.(Memory)
	if memory {
		base, index := m.high()
		clear(&p1, 0x20, base)
		clear(&p1, 0x40, index)
	} else {
		clear(&p1, 0x20, number(rm)&8 != 0)
		clear(&p1, 0x40, number(rm)&16 != 0)
	}
	switch {
	case o.rounding > 0:
		p3 |= 0x10 | (o.rounding-1)<<5
	case memory && m.Broadcast:
		p3 |= 0x10
		fallthrough
	default:
		p3 |= map[int]byte{128: 0, 256: 0x20, 512: 0x40}[bits]
	}
	a.emit(0x62, p1, p2, p3, x.opcode)
	if memory {
		a.address(r, m, len(immediate))
	} else {
		a.emit(0xc0 | r&7<<3 | number(rm)&7)
	}
	a.emit(immediate...)
}

// vex emits an instruction with a VEX prefix of three bytes.
func (a *Assembler) vex(page, prefix byte, wide, long bool, opcode byte, reg, second byte, rm any, immediate ...byte) {
	p1, p2 := page|0xe0, prefix|(^second&15<<3)
	if reg&8 != 0 {
		p1 &^= 0x80
	}
	base, index := false, false
	m, memory := rm.(Memory)
	if memory {
		base, index = m.high()
	} else {
		base = number(rm)&8 != 0
	}
	if index {
		p1 &^= 0x40
	}
	if base {
		p1 &^= 0x20
	}
	if wide {
		p2 |= 0x80
	}
	if long {
		p2 |= 4
	}
	a.emit(0xc4, p1, p2, opcode)
	if memory {
		a.address(reg, m, len(immediate))
	} else {
		a.emit(0xc0 | reg&7<<3 | number(rm)&7)
	}
	a.emit(immediate...)
}

// maskOperation emits an operation on masks of 16 lanes.
func (a *Assembler) maskOperation(opcode byte, operands []any) {
	if len(operands) == 2 {
		a.vex(1, 0, false, false, opcode, number(operands[1]), 0, operands[0])
		return
	}
	a.vex(1, 0, false, true, opcode, number(operands[2]), number(operands[1]), operands[0])
}

// LoadMask emits the load of a mask of 8, 16 or 32 lanes from a Memory, or of 16 from a Register.
func (a *Assembler) LoadMask(lanes int, src any, dst Mask) {
	opcode := byte(0x90)
	if _, ok := src.(Register); ok {
		opcode = 0x92
	}
	a.vex(1, maskPrefix(lanes), lanes == 32, false, opcode, byte(dst), 0, src)
}

// StoreMask emits the store of a mask of 8, 16 or 32 lanes to a Memory, or of 16 to a Register.
func (a *Assembler) StoreMask(lanes int, src Mask, dst any) {
	if r, ok := dst.(Register); ok {
		a.vex(1, maskPrefix(lanes), false, false, 0x93, byte(r), 0, src)
		return
	}
	a.vex(1, maskPrefix(lanes), lanes == 32, false, 0x91, byte(src), 0, dst)
}

// maskPrefix returns the prefix of a move of a mask of so many lanes.
func maskPrefix(lanes int) byte {
	if lanes == 16 {
		return 0
	}
	return 1
}

// TestMasks emits the comparison of the union of two masks of 16 lanes with zero.
func (a *Assembler) TestMasks(x, y Mask) { a.vex(1, 0, false, false, 0x98, byte(x), 0, y) }

// ShiftMask emits dst = src >> bits.
func (a *Assembler) ShiftMask(bits uint8, src, dst Mask) {
	a.vex(3, 1, true, false, 0x30, byte(dst), 0, src, bits)
}

// JoinMasks emits a mask from two of so many lanes each, 8 or 16.
func (a *Assembler) JoinMasks(lanes int, low, high, dst Mask) {
	a.vex(1, maskPrefix(lanes), false, true, 0x4b, byte(dst), byte(high), low)
}

// FirstLane emits dst = the first 64 bits, or 32, of a vector.
func (a *Assembler) FirstLane(bits int, src Vector, dst Register) {
	a.evex(encoding{page: 1, prefix: 1, wide: bits == 64, opcode: 0x7e}, options{}, 128, src, nil, dst, nil)
}

// InsertLane emits dst = src with an element of 32 bits, or 64, from memory; the others of 128 are those of src.
func (a *Assembler) InsertLane(bits int, lane uint8, element Memory, src, dst Vector) {
	a.evex(encoding{page: 3, prefix: 1, wide: bits == 64, opcode: 0x22}, options{}, 128, dst, src, element, []byte{lane})
}

// LoadLane emits the load of an element of 32 bits, or 64; the rest of the vector becomes zero.
func (a *Assembler) LoadLane(bits int, element Memory, dst Vector) {
	a.evex(encoding{page: 1, prefix: 1, wide: bits == 64, opcode: 0x6e}, options{}, 128, dst, nil, element, nil)
}

// Indexed is a vector of operands in memory: at Base + each of Index*Scale, of 32 bits.
type Indexed struct {
	Base  Register
	Index Vector
	Scale int
}

// Gather emits the load of elements of 32 bits, or 64, in the lanes of a mask, which becomes empty.
func (a *Assembler) Gather(bits int, src Indexed, lanes Mask, dst Vector) {
	a.indexed(bits, 0x90, dst, src, lanes)
}

// Scatter emits the store of elements of 32 bits, or 64, in the lanes of a mask, which becomes empty, the first lane first.
func (a *Assembler) Scatter(bits int, src Vector, dst Indexed, lanes Mask) {
	a.indexed(bits, 0xa0, src, dst, lanes)
}

func (a *Assembler) indexed(bits int, opcode byte, reg Vector, at Indexed, lanes Mask) {
	index := at.Index.Number
	m := Memory{Base: at.Base, Index: Register(index & 15), Scale: at.Scale, indexed: true}
	// The fifth bit of the index is where others have that of the second operand.
	second := Vector{Number: index & 16}
	a.evex(encoding{page: 2, prefix: 1, wide: bits == 64, opcode: opcode}, options{mask: lanes}, reg.Bits, reg, second, m, nil)
}
