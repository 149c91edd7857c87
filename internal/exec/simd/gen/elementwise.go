package main

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"log"
	"regexp"
	"strconv"
	"strings"
)

// op is one elementwise instruction: the names it serves, its shape and the instructions that compute one
// vector of the result d from the sources a, b, c and e.
//
// In a body t0 to t9 are scratch vectors; x.half is the lower half of vector x. {d 0x1} and {q 0x1} are
// vectors of a 32-bit or 64-bit constant, {x 000102...} repeats 16 bytes, {m 0x1} is a 32-bit constant in
// memory, {v 000102...} a vector there. Where 64-bit and 32-bit operands mix, a 32-bit operand is a vector of half
// the size, and x.full the whole. A predicate source is the mask register K3, a predicate result d; K5 to K7 are scratch. Bodies are AVX-512; see lower.go for AVX2.
type op struct {
	names []string
	shape shape
	body  []string
	// prologue runs once before the loop; R10 and AX are free for it, and R10 in the body. In native code, which has no loop, lines
	// take its place in front of each body; none can do for others.
	prologue, native []string
	// wide has each vector hold as many lanes as fit with 64 bits each even when no operand is so wide.
	wide bool
	// float marks what depends on the rounding mode; control is what else MXCSR has to hold.
	float   bool
	control uint32
	rare    bool // worth less code
}

// Bits of MXCSR: all exceptions masked, flush-to-zero with denormals-are-zero, and the roundings.
const (
	controlDefault = 0x1f80
	controlFlush   = 0x8040
)

// shape tells the width of an op's operands: 1 for a predicate, 16 (zero-extended in a 32-bit row),
// 32, 64, or 0 for none. Sources are a, b, c, e in this order.
type shape struct {
	dst int
	src [4]int
}

func un(bits int) shape       { return shape{bits, [4]int{bits}} }
func bin(bits int) shape      { return shape{bits, [4]int{bits, bits}} }
func tern(bits int) shape     { return shape{bits, [4]int{bits, bits, bits}} }
func quad(bits int) shape     { return shape{bits, [4]int{bits, bits, bits, bits}} }
func compare(bits int) shape  { return shape{1, [4]int{bits, bits}} }
func selectOf(bits int) shape { return shape{bits, [4]int{bits, bits, 1}} }

func (s shape) sources() string {
	var parts []string
	for _, n := range s.src {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, ", ")
}

// row returns the width of the row that holds an operand.
func row(bits int) int {
	if bits == 16 {
		return 32
	}
	return bits
}

func names(format string, alternatives ...string) []string {
	var out []string
	for _, a := range alternatives {
		out = append(out, fmt.Sprintf(format, a))
	}
	return out
}

func lines(l ...string) []string { return l }

func join(parts ...[]string) []string {
	var out []string
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// pointers are the registers that point to the rows of d, a, b, c and e.
var pointers = [5]string{"DI", "SI", "DX", "CX", "BX"}

// prologue points the registers at the operands of the step and begins with the first warp.
func (c *code) prologue(operands string) {
	for _, o := range operands {
		c.line("POINT_%c", o)
	}
	c.line("WARPS")
}

// elementwise writes the kernel of an op; ok is false when the unit lacks its instructions.
func (u *unit) elementwise(o op) (k kernel, ok bool) {
	if !u.avx512 {
		if o, ok = lower(o); !ok {
			return kernel{}, false
		}
	}
	e := elementwise{unit: u, op: o, lanes: 16, registers: map[string]int{}}
	if o.mixed() {
		e.lanes = 8
	}
	if !u.avx512 {
		e.lanes /= 2
	}
	before := e.translate(o.prologue)
	e.translated = e.translate(o.body)
	if e.exhausted {
		return kernel{}, false
	}
	operands := "D"
	for i, bits := range o.shape.src {
		if bits != 0 {
			operands += "ABCE"[i : i+1]
		}
	}
	e.code.prologue(operands)
	e.lines(e.constants...)
	e.lines(before...)
	if len(o.body) > u.mostUnrolled() || o.rare {
		e.compactLoop()
	} else {
		e.lines("TESTQ R8, R8", "JNE masked")
		e.loop(false)
		e.label("masked")
		e.loop(true)
	}
	control := o.control
	if o.float {
		control |= controlDefault
	}
	k = kernel{names: o.names, shape: o.shape, control: control, code: e.Bytes()}
	if u.avx512 && (len(o.prologue) == 0) == (len(o.native) == 0) && !o.wide {
		k.body = strings.Join(join(o.native, o.body), "; ")
	}
	return k, true
}

// elementwise is the state of writing one kernel. R9 counts bytes of 32-bit rows, R14 bytes of
// predicates and masks.
type elementwise struct {
	code
	op
	unit       *unit
	lanes      int // of a vector
	translated []string
	constants  []string
	registers  map[string]int // that names have been given
	exhausted  bool           // there were too few
}

// mostUnrolled is the longest body that is written out for all vectors of a warp, with and without a mask.
func (u *unit) mostUnrolled() int {
	if u.avx512 {
		return 6
	}
	return 9 // what a comparison of unsigned numbers comes to
}

// loop prints the loop over warps. Lanes outside the mask keep their old values and warps with an empty
// mask are skipped.
func (e *elementwise) loop(masked bool) {
	name := "warp"
	if masked {
		name = "maskedWarp"
	}
	e.label(name)
	if masked {
		e.lines("CMPL (R8)(R14*1), $0", "JEQ skip")
	}
	for v := range 32 / e.lanes {
		e.vectorStep(v, masked)
	}
	if masked {
		e.label("skip")
	}
	e.lines("NEXT_WARP", "JNE "+name, "NEXT")
}

// vectorStep prints the work on vector v of a warp.
func (e *elementwise) vectorStep(v int, masked bool) {
	if e.unit.avx512 {
		if masked {
			e.line("%s %s, K1", e.moveMask(), e.place("R8", 1, v))
		}
		e.load(v)
		e.lines(e.translated...)
		e.store(v, masked)
		return
	}
	e.loadAVX2(v)
	e.lines(e.translated...)
	e.storeAVX2(v, masked)
}

// compactLoop prints the loop over the lanes whose masks share a byte or word, always with a mask.
func (e *elementwise) compactLoop() {
	e.lines("LEAQ machine_all(R13), AX", "TESTQ R8, R8", "CMOVQEQ AX, R8")
	e.label("vector")
	vectors := 1
	if e.unit.avx512 {
		e.line("%s (R8)(R14*1), K1", e.moveMask())
		e.lines("KORTESTW K1, K1", "JEQ skip")
	} else {
		vectors = 8 / e.lanes
		e.lines("CMPB (R8)(R14*1), $0", "JEQ skip")
	}
	for v := range vectors {
		e.vectorStep(v, true)
	}
	e.label("skip")
	e.line("ADDQ $%d, R9", vectors*e.lanes*4)
	e.line("ADDQ $%d, R14", vectors*e.lanes/8)
	e.lines("CMPQ R9, machine_span(R13)", "JNE vector", "NEXT")
}

// vector returns a vector register of the unit's size, or half of it.
func (e *elementwise) vector(n int, half bool) string {
	size := "YX"
	if e.unit.avx512 {
		size = "ZY"
	}
	if half {
		return fmt.Sprintf("%c%d", size[1], n)
	}
	return fmt.Sprintf("%c%d", size[0], n)
}

// mixed tells whether a vector holds as many lanes as fit with 64 bits each.
func (o op) mixed() bool {
	for _, n := range append(o.shape.src[:], o.shape.dst) {
		if n == 64 {
			return true
		}
	}
	return o.wide
}

// half tells whether an operand of the given width takes half a vector.
func (o op) half(bits int) bool { return o.mixed() && row(bits) == 32 }

// place returns the address of vector v of the operand at a pointer.
func (e *elementwise) place(pointer string, bits, v int) string {
	switch row(bits) {
	case 1:
		return fmt.Sprintf("%d(%s)(R14*1)", v*e.lanes/8, pointer)
	case 64:
		return fmt.Sprintf("%d(%s)(R9*2)", v*e.lanes*8, pointer)
	}
	return fmt.Sprintf("%d(%s)(R9*1)", v*e.lanes*4, pointer)
}

// load brings vector v of every source into registers 0 to 3, or its predicate bits into K3.
func (e *elementwise) load(v int) {
	for i, bits := range e.shape.src {
		at := e.place(pointers[i+1], bits, v)
		switch {
		case bits == 0:
		case bits == 1:
			e.line("%s %s, K3", e.moveMask(), at)
		case e.half(bits):
			e.line("VMOVDQU %s, %s", at, e.vector(i, true))
		default:
			e.line("VMOVDQU64 %s, %s", at, e.vector(i, false))
		}
	}
}

func (e *elementwise) moveMask() string {
	if e.lanes == 8 {
		return "KMOVB"
	}
	return "KMOVW"
}

// store writes vector v of the result from register 4, or the predicate bits from K4.
func (e *elementwise) store(v int, masked bool) {
	at := e.place("DI", e.shape.dst, v)
	if e.shape.dst == 1 {
		if masked {
			e.line("KANDW K1, K4, K4")
			e.line("%s %s, K2", e.moveMask(), at)
			e.line("KANDNW K2, K1, K1")
			e.line("KORW K1, K4, K4")
		}
		e.line("%s K4, %s", e.moveMask(), at)
		return
	}
	move := "VMOVDQU32 "
	if row(e.shape.dst) == 64 {
		move = "VMOVDQU64 "
	}
	move += e.vector(4, e.half(e.shape.dst)) + ", "
	if masked {
		move += "K1, "
	}
	e.line("%s%s", move, at)
}

// token matches what translate replaces in a line.
var token = regexp.MustCompile(`\{[dqxmv] [^}]*\}(?:\.half)?|\b(?:[abced]|t[0-9]|[sk][0-9]|Z[12][0-9])(?:\.half|\.full)?\b`)

// The first registers of t0 and on, and of constants, in AVX-512. AVX2 gives out the registers from the first on in the
// order of use.
const scratch, firstConstant, lastAVX2 = 5, 16, 15

// translate puts registers for the names in lines.
func (e *elementwise) translate(list []string) []string {
	var out []string
	for _, l := range list {
		mnemonic, operands, _ := strings.Cut(l, " ")
		out = append(out, mnemonic+" "+token.ReplaceAllStringFunc(operands, e.operand))
	}
	return out
}

func (e *elementwise) operand(t string) string {
	t, half := strings.CutSuffix(t, ".half")
	t, full := strings.CutSuffix(t, ".full")
	size := func(bits int) bool { return half || !full && e.half(bits) }
	switch {
	case t[0] == '{':
		return e.constant(t[1:len(t)-1], half)
	case t == "d" && e.shape.dst == 1 && e.unit.avx512:
		return "K4"
	case t == "d":
		return e.vector(4, size(e.shape.dst))
	case e.unit.avx512 && t[0] == 'Z':
		return t
	case e.unit.avx512 && t[0] == 't':
		return e.vector(scratch+int(t[1]-'0'), half)
	case len(t) > 1:
		return e.vector(e.register(t), half)
	}
	i := strings.Index("abce", t)
	return e.vector(i, size(e.shape.src[i]))
}

// register gives a register to a name.
func (e *elementwise) register(name string) int {
	n, ok := e.registers[name]
	if ok {
		return n
	}
	n = firstConstant
	if !e.unit.avx512 {
		n = scratch
	}
	n += len(e.registers)
	if !e.unit.avx512 && n > lastAVX2 {
		e.exhausted, n = true, lastAVX2
	}
	e.registers[name] = n
	return n
}

// constant returns the register of a constant, which is loaded before the loop, or its place in memory.
func (e *elementwise) constant(t string, half bool) string {
	data, load := constantBytes(t)
	if t[0] == 'm' || t[0] == 'v' {
		return e.unit.constants.add(data)
	}
	_, known := e.registers[t]
	n := e.register(t)
	if !known {
		if load == "VBROADCASTI32X4" && !e.unit.avx512 {
			load = "VBROADCASTI128"
		}
		e.constants = append(e.constants, fmt.Sprintf("%s %s, %s", load, e.unit.constants.add(data), e.vector(n, false)))
	}
	return e.vector(n, half)
}

// constantBytes returns the bytes of a constant and the instruction that fills a vector with them.
func constantBytes(t string) (data []byte, load string) {
	if t[0] == 'x' || t[0] == 'v' {
		data, err := hex.DecodeString(t[2:])
		if err != nil {
			log.Fatal(err)
		}
		return data, "VBROADCASTI32X4"
	}
	v, err := strconv.ParseUint(t[2:], 0, 64)
	if err != nil {
		log.Fatal(err)
	}
	if t[0] == 'q' {
		return binary.LittleEndian.AppendUint64(nil, v), "VPBROADCASTQ"
	}
	return binary.LittleEndian.AppendUint32(nil, uint32(v)), "VPBROADCASTD"
}
