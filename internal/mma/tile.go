package mma

import "silica/internal/fp"

// Row is one 32-bit register of a warp.
type Row = [lanes]uint32

// tileUnit holds routines for a tile: 16 rows and 8 columns of a product, of which every dense product of floats consists. In the
// registers of A, B and C each quad of lanes has a row of A and a column of B.
//
// Terms are summed in doubles, a fused multiply-add each that rounds down. A sum begins with so large a number that its last bit is the one
// that terms are cut to, so each term is cut as it is added; the sum of the cut terms is exact. What is cut from a negative term must make it
// greater, though, and rounding down makes it smaller. So magnitudes grow a little, by less than the last bit of any term: a positive
// term is cut to the same then, and a negative one, that was a multiple of the last bit or not, becomes the next smaller multiple always. One is
// added to the sum for each negative term.
//
// Those that return a bool return false where an element is not finite, or an exponent not in the form's range or not near 0.
type tileUnit struct {
	// halves turns four bytes a lane into f16s, two in low and two in high.
	halves func(low, high, register *Row, e4m3 bool) bool
	// decodeA16 decodes pairs of registers of A that hold two elements a lane, and decodeB16 registers of B: two groups each.
	// decodeA32 and decodeB32 are for tf32.
	decodeA16, decodeA32 func(to *tileA, registers **Row, pairs int, x *elementForm) bool
	decodeB16, decodeB32 func(to *tileB, registers **Row, count int, x *elementForm) bool
	// sum sums a step.
	sum func(x *tileSum) bool
	// widen turns C's two registers of f16s into f32s, pack f32s into f16s, with what is given for negative zeros.
	widen func(to *[4]Row, registers **Row)
	pack  func(to *[2]Row, elements *[4]Row, minusZero uint32)
	// add adds C's four registers of f32 to sums.
	add func(to, sums *[4]Row, registers **Row) bool
}

// tileA is four columns of A, and tileB the four rows of B that they meet. Columns of B are the even ones, then the odd ones. Exponents are
// counted from the form's lowest one, and from 1 in A. Their layouts are known to the routines.
type tileA struct {
	//lint:ignore U1000 machine code uses them, through go_asm.h
	values [16][4]float64 // times above
	// Of each column its rows for each column of B, in the order 0, 4, 1, 5, 2, 6, 3, 7 and likewise of the other eight.
	//lint:ignore U1000 machine code uses them, through go_asm.h
	exponents [4][16][8]int8
	// A bit for each column in which a row is positive, and negative; likewise.
	//lint:ignore U1000 machine code uses them, through go_asm.h
	positive, negative [16][8]uint8
}

type tileB struct {
	//lint:ignore U1000 machine code uses them, through go_asm.h
	values [4][8]float64
	//lint:ignore U1000 machine code uses them, through go_asm.h
	exponents [4][8]int8
	// A bit for each row in which a column is positive, and negative.
	//lint:ignore U1000 machine code uses them, through go_asm.h
	positive, negative [8]uint8
	_                  [16]byte // so that no vector lies in two lines of the cache
}

const (
	// An exponent of A is 1 to 64, of B 0 to 63, zeros have those of zeroOfA and zeroOfB: the sum of two exponents fits in a byte and is above 0
	// where no factor is zero.
	formExponents = 64
	//lint:ignore U1000 machine code uses it, through go_asm.h
	zeroOfA = -63
	//lint:ignore U1000 machine code uses it, through go_asm.h
	zeroOfB = -64
	// above is the bits of 1 + 2^-40: factors and C have 24 bits at most and are cut to no fewer than 25 below the largest, so this is less
	// than the last bit of any term.
	//lint:ignore U1000 machine code uses it, through go_asm.h
	above = 1023<<52 | 1<<12
	// mostExponent is the largest biased exponent of a term: no sum exceeds an f32.
	//lint:ignore U1000 machine code uses it, through go_asm.h
	mostExponent = 240
	// tileGroups is the largest number of groups of a product.
	tileGroups = 8
)

// elementForm is where the exponents of elements are, and in which range: shift and mask are for those of 16 bits. Denormals have the least
// exponent. Its layout is known to the routines.
type elementForm struct {
	shift       int64
	mask, least uint16
	low, high   uint16 // biased exponents
	half        bool   // f16, not bf16
}

// formsOf returns the forms of elements, of which all those of a factor have to be in one, and nil where there is none. 8-bit floats are
// f16s when they are decoded, with a least exponent of their own. bf16 and tf32 have the exponents of f32, more than there is room for.
func formsOf(e Element, least int32) (forms []elementForm) {
	switch e {
	case F16, E4M3, E5M2:
		return []elementForm{{shift: 10, mask: 0x1F, least: uint16(least + halfBias), low: 1, high: 30, half: true}}
	case BF16, TF32:
		for _, low := range []uint16{87, 67, 120} {
			forms = append(forms, elementForm{shift: 7, mask: 0xFF, least: 1, low: low, high: low + formExponents - 1})
		}
	}
	return forms
}

const halfBias, singleBias = 15, 127

// tileSum is a step of a tile: the products of some groups, and C. Its layout is known to the routines.
type tileSum struct {
	// Rows of D as the routine computes them: where a sum begins, C, the top of what it begins with, and the number of negative terms.
	//lint:ignore U1000 machine code uses it, through go_asm.h
	begin [16][8]float64
	//lint:ignore U1000 machine code uses it, through go_asm.h
	rows [16][8]float32
	//lint:ignore U1000 machine code uses it, through go_asm.h
	tops, negative [16][8]uint16

	a     *tileA
	b     *tileB
	count int64
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
	formsA []elementForm
	formsB []elementForm
	bias   int32 // of a product's exponent: to be added to its factors' biased ones for that of an f32
	pairs  int   // of registers of A in a tile
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
	// The groups of a factor of bytes are those of the first two of each four elements, then the others.
	a     [tileGroups]tileA
	step  tileSum
	b     [keptFactors]decodedB
	hasA  bool
	lowA  int32 // the lowest exponent of its form
	hasB  int   // so many
	keptA decodedFactor
	keptB [keptFactors]decodedFactor

	c, sums [4]*Row
	sum     [4]Row
	widened [4]Row
	halves  [2][4]Row // of registers of bytes: the first two elements, and the others
	split   [2][4]*Row
	ends    [4]*Row // sums that are results
	packed  [4]Row
	results [2][4]Row
	kept    [4]*Row // those of a first tile, until the last one is computed

	integers integerPairsScratch
}

// decodedB is the groups of B, and the lowest exponent of their form.
type decodedB struct {
	groups [tileGroups]tileB
	low    int32
	_      [60]byte // as in tileB
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
		x.sums[i], x.kept[i] = &x.sum[i], &x.results[0][i]
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
	formsA, formsB := formsOf(s.a.Element, m.leastA), formsOf(s.b.Element, m.leastB)
	if formsA == nil || formsB == nil {
		return nil
	}
	bias := int32(-singleBias)
	if formsA[0].half {
		bias = singleBias - 2*halfBias
	}
	per := s.a.Element.perRegister()
	t := &tileProduct{
		unit: unit, sum: m, a: s.a.Element, b: s.b.Element, formsA: formsA, formsB: formsB, bias: bias, pairs: s.a.Length / (4 * per), groups: s.a.Length / 4,
	}
	if t.groups > tileGroups || 2*t.pairs > len(decodedFactor{}.registers) {
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
		t.a, t.b, t.formsA, t.formsB = t.b, t.a, t.formsB, t.formsA
	}
	return t
}

// run computes the product; it returns false, having written nothing, where an element's exponent is not near 0.
func (t *tileProduct) run(x *Scratch, src, dst []*Row) bool {
	registers, last := int(t.sum.d.Bits()/8), len(t.places)-1
	for i := range t.places {
		p, to := &t.places[i], x.kept[:registers]
		if i == last {
			to = dst[p.d:][:registers]
		}
		b := t.decodeB(x, src[p.b:][:t.pairs])
		if b == nil || !t.decodeA(x, src[p.a:][:2*t.pairs]) || !t.tile(x, b, src[p.c:], to) {
			return false
		}
	}
	for i, r := range x.kept[:last*registers] {
		*dst[i] = *r
	}
	return true
}

func (t *tileProduct) decodeA(x *Scratch, registers []*Row) bool {
	if x.hasA && x.keptA.is(t.a, registers) {
		return true
	}
	x.hasA = false
	from, decode, groups := &registers[0], t.unit.decodeA16, x.a[:]
	switch t.a.Bits() {
	case 32:
		decode = t.unit.decodeA32
	case 8:
		if !t.halves(x, registers, t.a) {
			return false
		}
		from = &x.split[0][0]
	}
	for i := range t.formsA {
		f := &t.formsA[i]
		if decode(&groups[0], from, t.pairs, f) && (t.a.Bits() != 8 || decode(&groups[2*t.pairs], &x.split[1][0], t.pairs, f)) {
			x.hasA = true
			x.keptA.set(t.a, registers)
			x.lowA = int32(f.low)
			return true
		}
	}
	return false
}

// decodeB returns the groups of B, nil where an exponent is not near 0.
func (t *tileProduct) decodeB(x *Scratch, registers []*Row) *decodedB {
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
func (t *tileProduct) groupsOfB(x *Scratch, to *decodedB, registers []*Row) bool {
	from, decode, groups := &registers[0], t.unit.decodeB16, to.groups[:]
	switch t.b.Bits() {
	case 32:
		decode = t.unit.decodeB32
	case 8:
		if !t.halves(x, registers, t.b) {
			return false
		}
		from = &x.split[0][0]
	}
	for i := range t.formsB {
		f := &t.formsB[i]
		if decode(&groups[0], from, t.pairs, f) && (t.b.Bits() != 8 || decode(&groups[2*t.pairs], &x.split[1][0], t.pairs, f)) {
			to.low = int32(f.low)
			return true
		}
	}
	return false
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

// tile computes the steps of a tile, and its registers of D; it returns false, having written nothing, where it can not.
func (t *tileProduct) tile(x *Scratch, b *decodedB, c, to []*Row) bool {
	m, s := t.sum, &x.step
	s.c, s.sums, s.bits, s.bias = &x.c, &x.sums, m.bits, t.bias+x.lowA+b.low-1
	s.least, s.sticky, s.count = m.leastC+singleBias, 0, int64(t.groups/m.steps)
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
	plain := m.d != F16 && !m.last && !m.short
	for step := range m.steps {
		if step > 0 {
			x.c = x.sums
			if m.d == F16 {
				t.pack(x)
				t.widen(x, []*Row{&x.packed[0], &x.packed[1]})
			}
			s.least = m.d.least() + singleBias
		}
		if plain && step == m.steps-1 {
			x.ends = [4]*Row(to)
			s.sums = &x.ends
		}
		first := step * int(s.count)
		s.a, s.b = &x.a[first], &b.groups[first]
		if !t.unit.sum(s) {
			return false
		}
	}
	switch {
	case plain:
		return true
	case m.d == F16:
		t.pack(x)
		if m.last {
			addHalves(&x.packed, c)
		}
	case m.short:
		for r := range x.packed {
			for lane, w := range x.sum[r] {
				x.packed[r][lane] = w &^ (1<<(23-fp8Bits) - 1)
			}
		}
	case !t.unit.add(&x.packed, &x.sum, &c[0]):
		for r := range x.packed {
			for lane, w := range x.sum[r] {
				x.packed[r][lane] = fp.Add32(w, c[r][lane], fp.RN)
			}
		}
	}
	for i, r := range to {
		*r = x.packed[i]
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

// pack sets two packed registers from the sums. There is no negative zero, but where the sum was an f32 first.
func (t *tileProduct) pack(x *Scratch) {
	minusZero := uint32(0)
	if t.sum.mixed {
		minusZero = 0x8000
	}
	t.unit.pack((*[2]Row)(x.packed[:2]), &x.sum, minusZero)
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
