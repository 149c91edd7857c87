package simd

import (
	"strconv"
	"strings"

	"silica/internal/amd64"
)

// body is the vector instructions of a kernel, as gen writes them, taken apart.
type body struct {
	lines []line
	shape shape
	// mixed tells that a vector holds eight lanes, of 64 bits each in the wider operands.
	mixed bool
	// tolerant tells that NaNs of operands need not be canonical, raw that those of t9 are not yet, which is then the result.
	tolerant, raw bool
	// changesLanes tells that K2 is scratch, which has lanes of the warp otherwise.
	changesLanes bool
}

// line is one instruction. Its last operand is the destination.
type line struct {
	name     string // with its suffix
	operands []token
}

// token is an operand of a line.
type token struct {
	name     string // of a register; the text of a constant
	constant bool
	// memory tells that a constant stays there, broadcast that each lane reads the same word of it.
	memory, broadcast bool
	number            int64 // of an immediate, which has no name
	mask              amd64.Mask
	isMask            bool
	half              bool // half a vector
}

// canonicalLines is how a body ends that makes NaNs canonical.
const canonicalLines = "VMOVDQA64 {d 0x7fffffff}, d; VFIXUPIMMPS $0, {d 0x11111100}, t9, d"

// tolerantNames are those that give a NaN, or the same order, for every NaN.
var tolerantNames = []string{"VADDPS", "VSUBPS", "VMULPS", "VDIVPS", "VSQRTPS", "VFMADD231PS", "VCMPPS", "VMOVDQA64"}

// body takes the body of a kernel apart; nil when it has something that is not known here.
func (c *compiler) body(k *kernel) *body {
	key := k.body
	if b, ok := c.bodies[key]; ok && b.shape == k.shape {
		return b
	}
	b := c.parse(k)
	c.bodies[key] = b
	return b
}

func (c *compiler) parse(k *kernel) *body {
	b := &body{shape: k.shape}
	for _, bits := range append(k.shape.src[:], k.shape.d) {
		b.mixed = b.mixed || bits == 64
	}
	text, raw := strings.CutSuffix(k.body, "; "+canonicalLines)
	b.raw, b.tolerant = raw, true
	for l := range strings.SplitSeq(text, "; ") {
		name, rest, _ := strings.Cut(l, " ")
		name, broadcast := strings.CutSuffix(name, ".BCST")
		if !c.encoder.Has(name) && name != loadMask {
			return nil
		}
		base, _, _ := strings.Cut(name, ".")
		b.tolerant = b.tolerant && contains(tolerantNames, base)
		x := line{name: name}
		for o := range strings.SplitSeq(rest, ", ") {
			t, ok := b.token(o)
			if !ok {
				return nil
			}
			t.broadcast = broadcast && t.memory
			x.operands = append(x.operands, t)
		}
		b.lines = append(b.lines, x)
	}
	if !raw && k.shape.d != 1 { // a plain move keeps a NaN as it is
		b.tolerant = false
	}
	return b
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// token reads an operand.
func (b *body) token(o string) (t token, ok bool) {
	o, half := strings.CutSuffix(o, ".half")
	o, full := strings.CutSuffix(o, ".full")
	t.half = half
	switch {
	case o[0] == '$':
		n, err := strconv.ParseInt(o[1:], 0, 64)
		t.number = n
		return t, err == nil
	case o[0] == '{':
		t.name, t.constant = o[1:len(o)-1], true
		t.memory = strings.ContainsRune("mv", rune(t.name[0]))
		return t, t.memory || strings.ContainsRune("dqx", rune(t.name[0]))
	case o[0] == 'K':
		t.mask, t.isMask = amd64.Mask(o[1]-'0'), true
		b.changesLanes = b.changesLanes || t.mask == 2
		return t, t.mask >= 2
	case o[0] == 'Z' || o[0] == 'Y': // scratch by its number
		t.name, t.half = "Z"+o[1:], o[0] == 'Y'
		return t, true
	case o == "d" && b.shape.d == 1:
		t.mask, t.isMask = 4, true
		return t, true
	case o == "d":
		t.half = half || !full && b.mixed && b.shape.d != 64
	case len(o) == 1 && strings.Contains(sourceNames, o):
		t.half = half || !full && b.mixed && b.shape.src[strings.Index(sourceNames, o)] != 64
	case len(o) != 2 || o[0] != 't':
		return t, false
	}
	t.name = o
	return t, true
}

const sourceNames = "abce"

// loadMask names the load of a mask from memory.
const loadMask = "KMOVW"

// readsDestination tells whether an instruction keeps something of its destination.
func (l *line) readsDestination() bool {
	name, suffix, _ := strings.Cut(l.name, ".")
	n := len(l.operands)
	if n > 2 && l.operands[n-2].isMask && !l.operands[n-1].isMask && suffix != "Z" && !strings.HasPrefix(name, "VPBLENDM") {
		return true
	}
	for _, p := range []string{"VFMADD", "VPTERNLOG", "VFIXUP", "VPSHLDV", "VPSHRDV", "VPERMT2", "VPERMI2"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// copies tells whether a line is a plain copy of a vector register.
func (l *line) copies() bool {
	return (l.name == "VMOVDQA64" || l.name == "VMOVDQA32") && len(l.operands) == 2 && l.operands[0].name != "" && !l.operands[0].constant && !l.operands[0].half && !l.operands[1].half
}

// expansion is the state of writing a body for one vector.
type expansion struct {
	c         *compiler
	b         *body
	registers map[string]int
	shared    map[string]bool // the register is that of a value, not to be changed
	takeover  map[string]bool // but may be taken over
}

// compute emits an elementwise instruction.
func (c *compiler) compute(w *work) {
	b := c.body(&w.kernel)
	parts := 2
	if b.mixed {
		parts = 4
	}
	low := -1 // the first half of a row of 32 bits
	for part := range parts {
		x := expansion{c, b, map[string]int{}, map[string]bool{}, map[string]bool{}}
		x.load(w, part)
		x.lines()
		if b.changesLanes && c.masked {
			c.LoadMask(16, c.warpMasks(false, 2), 2)
		}
		switch {
		case w.dst.bits == 1:
			c.storePredicate(w, part, parts)
		case b.mixed && w.dst.bits != 64:
			r := x.result()
			if part%2 == 0 {
				low = r
				break
			}
			c.vector("VINSERTI64X4", amd64.Immediate(1), amd64.Y(uint8(r)), z(low), z(low))
			c.define(w, part/2, low, false)
		default:
			c.define(w, part, x.result(), b.raw)
		}
		if !(b.mixed && w.dst.bits != 64 && w.dst.bits != 1 && part%2 == 0) {
			c.values.unlock()
		}
	}
}

// result returns the register of the result.
func (x *expansion) result() int {
	if x.b.raw {
		return x.registers["t9"]
	}
	return x.registers["d"]
}

// load brings the sources of a part in registers.
func (x *expansion) load(w *work, part int) {
	c, s := x.c, &x.c.values
	count := map[int]int{}
	for _, o := range w.srcs {
		count[o.offset]++
	}
	for i, o := range w.srcs {
		bits := x.b.shape.src[i]
		if bits == 0 {
			continue
		}
		if bits == 1 {
			if x.b.mixed {
				c.LoadMask(8, c.predicate(o, part), 3)
			} else {
				c.LoadMask(16, c.predicate(o, 2*part), 3)
			}
			continue
		}
		name := sourceNames[i : i+1]
		of := part
		if x.b.mixed && bits != 64 {
			of = part / 2
		}
		r := s.need(c.rowValue(o, of))
		if !x.b.tolerant {
			s.canonical(r)
		}
		redefines := w.dst.offset == o.offset && !w.guarded && w.dst.bits != 1
		last := count[o.offset] == 1 && (of == part || part%2 == 1)
		if x.b.mixed && bits != 64 && part%2 == 1 && !c.plan.constants[o.offset] {
			t := s.take()
			c.vector("VEXTRACTI64X4", amd64.Immediate(1), z(r), amd64.Y(uint8(t)))
			x.registers[name] = t
			continue
		}
		x.registers[name], x.shared[name] = r, true
		x.takeover[name] = last && s.takeover(r, redefines) && !(x.b.mixed && bits != 64)
	}
}

// reads tells whether a line from i on reads a register.
func (x *expansion) reads(name string, i int) bool {
	for ; i < len(x.b.lines); i++ {
		l := &x.b.lines[i]
		n := len(l.operands)
		for j, o := range l.operands {
			if o.name == name && !o.constant && (j < n-1 || l.readsDestination()) {
				return true
			}
		}
	}
	return name == "d" && !x.b.raw || name == "t9" && x.b.raw
}

// lines emits the instructions.
func (x *expansion) lines() {
	s := &x.c.values
	for i := range x.b.lines {
		l := &x.b.lines[i]
		n := len(l.operands)
		dst := l.operands[n-1]
		if l.copies() && !x.reads(l.operands[0].name, i+1) {
			if from := l.operands[0].name; x.own(from) {
				x.registers[dst.name], x.shared[dst.name] = x.registers[from], false
				delete(x.registers, from)
				continue
			}
		}
		operands := make([]any, n)
		for j, o := range l.operands[:n-1] {
			operands[j] = x.operand(o)
		}
		switch {
		case dst.isMask:
			operands[n-1] = dst.mask
		default:
			operands[n-1] = x.destination(l, i)
		}
		if l.name == loadMask {
			x.c.LoadMask(16, operands[0], dst.mask)
		} else {
			x.c.vector(l.name, operands...)
		}
		for _, o := range l.operands[:n-1] { // others may have the register of a constant that is not needed any more
			if o.constant && !o.memory {
				s.holders[s.find(value{constant: o.name})].locked = false
			}
		}
		for name, r := range x.registers { // what is not needed any more
			if !x.shared[name] && !x.reads(name, i+1) {
				s.release(r)
				delete(x.registers, name)
			}
		}
	}
}

// own makes the register of a name one that may be changed; false when it has to be copied for that.
func (x *expansion) own(name string) bool {
	if !x.shared[name] {
		return true
	}
	if x.takeover[name] {
		x.c.values.detach(x.registers[name])
		x.shared[name], x.takeover[name] = false, false
		return true
	}
	return false
}

// destination returns the register that a line writes.
func (x *expansion) destination(l *line, i int) amd64.Vector {
	t := l.operands[len(l.operands)-1]
	r, known := x.registers[t.name]
	switch {
	case known && l.readsDestination() && x.own(t.name), known && !x.shared[t.name]:
	case known && l.readsDestination():
		old := r
		r = x.c.values.take()
		x.c.vector("VMOVDQA64", z(old), z(r))
	default:
		r = x.c.values.take()
	}
	x.registers[t.name], x.shared[t.name] = r, false
	return sized(r, t.half)
}

func sized(r int, half bool) amd64.Vector {
	if half {
		return amd64.Y(uint8(r))
	}
	return z(r)
}

// operand returns a source of a line.
func (x *expansion) operand(t token) any {
	switch {
	case t.isMask:
		return t.mask
	case t.memory:
		m := x.c.constantMemory(t.name)
		m.Broadcast = t.broadcast
		return m
	case t.constant:
		return sized(x.c.values.need(value{constant: t.name}), t.half)
	case t.name == "":
		return amd64.Immediate(t.number)
	}
	r, ok := x.registers[t.name]
	if !ok { // written before it is read, or of no matter
		r = x.c.values.take()
		x.registers[t.name] = r
	}
	return sized(r, t.half)
}

// define makes a register the value of a part of the destination.
func (c *compiler) define(w *work, part, r int, raw bool) {
	s := &c.values
	v := value{row: w.dst.offset, part: part, wide: w.dst.bits == 64}
	if !w.guarded {
		s.bind(r, v, raw)
		return
	}
	if raw {
		c.canonical(r, c.loadedConstant(canonicalNaN, spare))
	}
	old := s.need(v)
	s.canonical(old)
	move := "VMOVDQA32"
	if v.wide {
		move = "VMOVDQA64"
	}
	c.vector(move, z(r), c.laneMask(true, part, v.wide, 7), z(old))
	s.holders[old].dirty, s.holders[old].saved = true, false
	s.release(r)
}

// storePredicate stores K4, the bits of a part of a predicate; halves of a warp's bits go together where they can.
func (c *compiler) storePredicate(w *work, part, parts int) {
	at, lanes := 2*part, 16
	if parts == 4 {
		at, lanes = part, 8
	}
	if c.masked || w.guarded {
		c.LoadMask(lanes, c.warpMasks(w.guarded, at), 7)
		c.LoadMask(lanes, c.predicate(w.dst, at), 5)
		c.vector("KANDW", amd64.Mask(7), amd64.Mask(4), amd64.Mask(4))
		c.vector("KANDNW", amd64.Mask(5), amd64.Mask(7), amd64.Mask(5))
		c.vector("KORW", amd64.Mask(5), amd64.Mask(4), amd64.Mask(4))
	}
	if part%2 == 0 {
		c.vector("KORW", amd64.Mask(4), amd64.Mask(4), amd64.Mask(0))
		return
	}
	c.JoinMasks(lanes, 0, 4, 4)
	c.StoreMask(2*lanes, 4, c.predicate(w.dst, at-lanes/8))
}
