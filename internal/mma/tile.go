package mma

import "silica/internal/fp"

// Row is one 32-bit register of a warp.
type Row = [lanes]uint32

// tileUnit holds routines for a tile: 16 rows and 8 columns of a product, of which every dense product of floats consists. In the
// registers of A, B and C each quad of lanes has a row of A and a column of B, and the routines take them as they lie, 16 lanes at a
// time, in f32: a product of two elements is exact there, and what counts of it when it is aligned fits in 32 bits.
//
// Those that return a bool return false where an element is not finite, or an exponent not near 0.
type tileUnit struct {
	// halves turns four bytes a lane into f16s, two in low and two in high.
	halves func(low, high, register *Row, e4m3 bool) bool
	// decodeA16 decodes pairs of registers of A that hold two elements a lane: the first ones of all pairs, then the second ones;
	// decodeB16 registers of B. decodeA32 and decodeB32 are for tf32.
	decodeA16 func(to *tileA, registers **Row, pairs int, x *wordForm) bool
	decodeB16 func(to *tileB, registers **Row, count int, x *wordForm) bool
	decodeA32 func(to *tileA, registers **Row, pairs int) bool
	decodeB32 func(to *tileB, registers **Row, count int) bool
	// sum sums a step.
	sum func(x *tileSum) bool
	// widen turns C's two registers of f16s into f32s, pack f32s into f16s, with what is given for negative zeros.
	widen func(to *[4]Row, registers **Row)
	pack  func(to *[2]Row, elements *[4]Row, minusZero uint32)
	// add adds C's four registers of f32 to sums.
	add func(to, sums *[4]Row, registers **Row) bool
}

// tileA is four columns of A, and tileB the four rows of B that they meet. Exponents are biased ones, that of zero is
// zeroExponent. Their layouts are known to the routines.
type tileA struct {
	// Rows 0 to 7 of A, and rows 8 to 15; a quad of lanes has a row, a lane of it a column.
	//lint:ignore U1000 machine code uses them, through go_asm.h
	values [2]Row
	// In the low halves.
	//lint:ignore U1000 machine code uses them, through go_asm.h
	exponents [2]Row
}

type tileB struct {
	// Of each row the even columns, then the odd ones.
	//lint:ignore U1000 machine code uses them, through go_asm.h
	values [4][8]float32
	//lint:ignore U1000 machine code uses them, through go_asm.h
	exponents [4][8]int16
}

const (
	// zeroExponent is below the exponent of every product, also when an element's is added, and noExponent no more than twice that.
	//lint:ignore U1000 machine code uses it, through go_asm.h
	zeroExponent = -1 << 13
	//lint:ignore U1000 machine code uses it, through go_asm.h
	noExponent = -1 << 15
	// lowExponent and highExponent limit the biased exponents of elements that have those of f32, so that their products are f32s too.
	lowExponent, highExponent = 127 - 60, 127 + 60
	// tileGroups is the largest number of groups of a product, stepGroups that of a step: the sum of 16 products fits in 32 bits, unless
	// they are cut to fewer bits anyway.
	tileGroups, stepGroups = 8, 4
)

// wordForm is where the exponents of elements of 16 bits are: shift and mask, and what is in range of them. Denormals have the least
// exponent. Its layout is known to the routines.
type wordForm struct {
	shift       int64
	mask, least uint16
	low, high   uint16
	half        bool // f16, not bf16
}

var (
	halfForm   = wordForm{shift: 10, mask: 0x1F, least: 1, high: 30, half: true}
	bfloatForm = wordForm{shift: 7, mask: 0xFF, least: 1, low: lowExponent, high: highExponent}
)

const halfBias, singleBias = 15, 127

// tileSum is a step of a tile: the products of some groups, and C. Its layout is known to the routines.
type tileSum struct {
	a     *tileA
	b     *tileB
	count int
	// Each lane's four elements of C, and of the sums.
	c, sums *[4]*Row
	bits    int32
	bias    int32 // to be added to the exponent of a product for that of an f32
	least   int32 // the least biased exponent of C
	// sticky is 1 to set the last bit of each sum that was cut, for another rounding to follow.
	sticky int32
}

// tileProduct is a dense product that is computed tile by tile.
type tileProduct struct {
	unit   *tileUnit
	sum    *accumulation
	a, b   Element
	bias   int32
	pairs  int // of registers of A in a tile
	groups int
	places []tilePlace
}

// tilePlace is where the operands of a tile are among those of the instruction. A product of 8 rows runs as that of the transposed
// matrices.
type tilePlace struct{ a, b, c, d int }

// decodedFactor names the registers of a factor of a tile.
type decodedFactor struct {
	element   Element
	count     int
	registers [4]*Row
}

func (f *decodedFactor) set(e Element, registers []*Row) {
	f.element, f.count = e, len(registers)
	copy(f.registers[:], registers)
}

// is tells whether the factor is what these registers hold.
func (f *decodedFactor) is(e Element, registers []*Row) bool {
	if f.element != e || f.count != len(registers) {
		return false
	}
	for i, r := range registers {
		if f.registers[i] != r {
			return false
		}
	}
	return true
}

// Scratch is what RunRows needs beside the registers. It keeps the factors that it has decoded until Forget.
type Scratch struct {
	// The groups of a factor are those of the first elements of all registers, then those of the second ones, and so on.
	a     [tileGroups]tileA
	b     [keptFactors][tileGroups]tileB
	hasA  bool
	hasB  int // so many
	keptA decodedFactor
	keptB [keptFactors]decodedFactor

	step    tileSum
	c, sums [4]*Row
	sum     [4]Row
	widened [4]Row
	halves  [2][4]Row // of registers of bytes: the first two elements, and the others
	split   [2][4]*Row
	results [2][4]Row

	integers integerPairsScratch
}

// keptFactors is the number of B that a Scratch keeps decoded.
const keptFactors = 8

// Forget is called when registers that were factors of a product may have changed.
func (x *Scratch) Forget() { x.hasA, x.hasB = false, 0 }

// NewScratch returns a Scratch.
func NewScratch() *Scratch {
	x := new(Scratch)
	for i := range x.split {
		for j := range x.split[i] {
			x.split[i][j] = &x.halves[i][j]
		}
	}
	for i := range x.sum {
		x.sums[i] = &x.sum[i]
	}
	return x
}

// tiled returns how a product is computed tile by tile, nil where it can not.
func tiled(s *shape, m *accumulation) *tileProduct {
	unit := newTileUnit()
	rows, columns := s.a.Rows, s.b.Rows
	if unit == nil || s.sparse != nil || s.batches != 1 || rows*columns%(16*8) != 0 {
		return nil
	}
	bias := int32(singleBias - 2*halfBias)
	switch s.a.Element {
	case F16, E4M3, E5M2:
	case BF16, TF32:
		bias = -singleBias
	default:
		return nil
	}
	per := s.a.Element.perRegister()
	t := &tileProduct{
		unit: unit, sum: m, a: s.a.Element, b: s.b.Element, bias: bias, pairs: s.a.Length / (4 * per), groups: s.a.Length / 4,
	}
	if t.groups > tileGroups || t.groups/m.steps > stepGroups && m.bits > fp8Bits || 2*t.pairs > len(decodedFactor{}.registers) {
		return nil
	}
	na, nb := s.a.Registers(), s.b.Registers()
	c, d := 2*s.c.Element.Bits()/16, 2*s.d.Element.Bits()/16 // registers of a tile
	for i := range rows * columns / (16 * 8) {
		p := tilePlace{a: 0, b: na, c: na + nb + i*c, d: i * d}
		switch {
		case rows == 8:
			p.a, p.b = na+i*2*t.pairs, 0
		case columns == 8:
			p.a += i * 2 * t.pairs
		default:
			p.b += i * t.pairs
		}
		t.places = append(t.places, p)
	}
	if rows == 8 {
		t.a, t.b = t.b, t.a
	}
	return t
}

// run computes the product; it returns false, having written nothing, where an element's exponent is not near 0.
func (t *tileProduct) run(x *Scratch, src, dst []*Row) bool {
	for i, p := range t.places {
		b := t.decodeB(x, src[p.b:][:t.pairs])
		if b == nil || !t.decodeA(x, src[p.a:][:2*t.pairs]) || !t.tile(x, b, src[p.c:], &x.results[i]) {
			return false
		}
	}
	for i, p := range t.places {
		for r := range t.sum.d.Bits() / 8 {
			*dst[p.d+r] = x.results[i][r]
		}
	}
	return true
}

// form returns where the exponents of elements of 16 bits are; those of 8 bits become f16s.
func (e Element) form() *wordForm {
	if e == BF16 {
		return &bfloatForm
	}
	return &halfForm
}

func (t *tileProduct) decodeA(x *Scratch, registers []*Row) (ok bool) {
	if x.hasA && x.keptA.is(t.a, registers) {
		return true
	}
	switch t.a.Bits() {
	case 32:
		ok = t.unit.decodeA32(&x.a[0], &registers[0], t.pairs)
	case 16:
		ok = t.unit.decodeA16(&x.a[0], &registers[0], t.pairs, t.a.form())
	default:
		ok = t.halves(x, registers, t.a) && t.unit.decodeA16(&x.a[0], &x.split[0][0], t.pairs, t.a.form()) &&
			t.unit.decodeA16(&x.a[2*t.pairs], &x.split[1][0], t.pairs, t.a.form())
	}
	x.hasA = ok
	x.keptA.set(t.a, registers)
	return ok
}

// decodeB returns the groups of B, nil where an exponent is not near 0.
func (t *tileProduct) decodeB(x *Scratch, registers []*Row) *[tileGroups]tileB {
	for i := range x.hasB {
		if x.keptB[i].is(t.b, registers) {
			return &x.b[i]
		}
	}
	if x.hasB == keptFactors {
		x.hasB = 0
	}
	to := &x.b[x.hasB]
	if !t.groupsOfB(x, to, registers) {
		return nil
	}
	x.keptB[x.hasB].set(t.b, registers)
	x.hasB++
	return to
}

// groupsOfB decodes the groups of B; it returns false where an exponent is not near 0.
func (t *tileProduct) groupsOfB(x *Scratch, to *[tileGroups]tileB, registers []*Row) bool {
	switch t.b.Bits() {
	case 32:
		return t.unit.decodeB32(&to[0], &registers[0], t.pairs)
	case 16:
		return t.unit.decodeB16(&to[0], &registers[0], t.pairs, t.b.form())
	}
	return t.halves(x, registers, t.b) && t.unit.decodeB16(&to[0], &x.split[0][0], t.pairs, t.b.form()) &&
		t.unit.decodeB16(&to[2*t.pairs], &x.split[1][0], t.pairs, t.b.form())
}

// halves turns registers of bytes into registers of f16s.
func (t *tileProduct) halves(x *Scratch, registers []*Row, e Element) bool {
	for i, r := range registers {
		if !t.unit.halves(&x.halves[0][i], &x.halves[1][i], r, e == E4M3) {
			return false
		}
	}
	return true
}

// tile computes the steps of a tile, and its registers of D.
func (t *tileProduct) tile(x *Scratch, b *[tileGroups]tileB, c []*Row, to *[4]Row) bool {
	m := t.sum
	s := &x.step
	*s = tileSum{c: &x.c, sums: &x.sums, bits: m.bits, bias: t.bias, least: m.leastC + singleBias, count: t.groups / m.steps}
	switch {
	case m.last:
		x.c = [4]*Row{&noRow, &noRow, &noRow, &noRow}
	case m.c == F16:
		t.widen(x, c)
	default:
		x.c = [4]*Row(c)
	}
	if m.d == F16 && !m.mixed {
		s.sticky = 1
	}
	for step := range m.steps {
		if step > 0 {
			x.c = x.sums
			if m.d == F16 {
				t.pack(x, to)
				t.widen(x, []*Row{&to[0], &to[1]})
			}
			s.least = m.d.least() + singleBias
		}
		s.a, s.b = &x.a[step*s.count], &b[step*s.count]
		if !t.unit.sum(s) {
			return false
		}
	}
	switch {
	case m.d == F16:
		t.pack(x, to)
		if m.last {
			addHalves(to, c)
		}
	case m.short:
		for r := range to {
			for lane, w := range x.sum[r] {
				to[r][lane] = w &^ (1<<(23-fp8Bits) - 1)
			}
		}
	case !m.last:
		*to = x.sum
	case !t.unit.add(to, &x.sum, &c[0]):
		for r := range to {
			for lane, w := range x.sum[r] {
				to[r][lane] = fp.Add32(w, c[r][lane], fp.RN)
			}
		}
	}
	return true
}

// noRow is a register of zeros.
var noRow Row

// widen sets C from registers of f16s.
func (t *tileProduct) widen(x *Scratch, registers []*Row) {
	t.unit.widen(&x.widened, &registers[0])
	for i := range x.c {
		x.c[i] = &x.widened[i]
	}
}

// pack sets two registers from the sums. There is no negative zero, but where the sum was an f32 first.
func (t *tileProduct) pack(x *Scratch, to *[4]Row) {
	minusZero := uint32(0)
	if t.sum.mixed {
		minusZero = 0x8000
	}
	t.unit.pack((*[2]Row)(to[:2]), &x.sum, minusZero)
}

// addHalves adds two registers of f16s to those of the sums.
func addHalves(to *[4]Row, c []*Row) {
	for r := range 2 {
		for lane, w := range to[r] {
			low := fp.Add16(fp.F16, uint16(w), uint16(c[r][lane]), fp.RN)
			to[r][lane] = uint32(low) | uint32(fp.Add16(fp.F16, uint16(w>>16), uint16(c[r][lane]>>16), fp.RN))<<16
		}
	}
}
