package mma

import (
	"slices"
	"unsafe"
)

// Row is one 32-bit register of a warp.
type Row = [lanes]uint32

// A tile is 16 rows and 8 columns of a product, of which every dense product of floats consists. In the
// registers of A, B and C each quad of lanes has a row of A and a column of B.
//
// Terms are summed in doubles, a fused multiply-add each that rounds down. A sum begins with so large a number that its last bit is the one
// that terms are cut to, so each term is cut as it is added; the sum of the cut terms is exact. What is cut from a negative term must make it
// greater, though, and rounding down makes it smaller. So magnitudes grow a little, by less than the last bit of any term: a positive
// term is cut to the same then, and a negative one, that was a multiple of the last bit or not, becomes the next smaller multiple always. One is
// added to the sum for each negative term.

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
	last        bool   // of the forms
}

// formsOf returns the forms of elements, of which all those of a factor have to be in one, and nil where there is none. 8-bit floats are
// f16s when they are decoded, with a least exponent of their own. bf16 and tf32 have the exponents of f32, more than there is room for.
func formsOf(e Element, least int32) (forms []elementForm) {
	switch e {
	case F16, E4M3, E5M2:
		return []elementForm{{shift: 10, mask: 0x1F, least: uint16(least + halfBias), low: 1, high: 30, half: true, last: true}}
	case BF16, TF32:
		for _, low := range []uint16{87, 67, 120} {
			forms = append(forms, elementForm{shift: 7, mask: 0xFF, least: 1, low: low, high: low + formExponents - 1})
		}
		forms[len(forms)-1].last = true
	}
	return forms
}

const halfBias, singleBias = 15, 127

// tileProduct is a dense product that is computed tile by tile.
type tileProduct struct {
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

// tiled returns how a product is computed tile by tile, nil where it can not.
func tiled(s *shape, m *accumulation) *tileProduct {
	rows, columns := s.a.Rows, s.b.Rows
	if routines() == nil || s.sparse != nil || s.batches != 1 || rows*columns%(16*8) != 0 {
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
		sum: m, a: s.a.Element, b: s.b.Element, formsA: formsA, formsB: formsB, bias: bias, pairs: s.a.Length / (4 * per), groups: s.a.Length / 4,
	}
	if t.groups > tileGroups || 2*t.pairs > len(call{}.from) {
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

// emit has a chain compute the product.
func (t *tileProduct) emit(e *emitter, src, dst []place) {
	registers, last := int(t.sum.d.Bits()/8), len(t.places)-1
	results := inScratch(unsafe.Offsetof(Scratch{}.results)).rows(last * registers)
	for i, p := range t.places {
		to := dst[p.d:]
		if i < last {
			to = results[i*registers:]
		}
		a, b := t.decodeA(e, src[p.a:][:2*t.pairs]), t.decodeB(e, src[p.b:][:t.pairs])
		t.tile(e, a, b, src[p.c:], to[:registers])
	}
	e.copy(dst[:last*registers], results, 0)
}

// decodeA returns where the groups of A are.
func (t *tileProduct) decodeA(e *emitter, registers []place) (groups place) {
	slot, known := find(t, registers, e.a[:], &e.nextA, func(f *decodedFactor) bool {
		return f.tile.a == t.a && f.tile.either() == t.either() && f.tile.formsA[0] == t.formsA[0]
	})
	groups = inScratch(unsafe.Offsetof(Scratch{}.a) + uintptr(slot)*unsafe.Sizeof(decodedA{}))
	if !known {
		c := call{code: routines()[routineDecodeA16], count: int64(t.pairs), to: groups, low: groups + place(unsafe.Offsetof(decodedA{}.factor)), forms: &t.formsA[0]}
		if t.a.Bits() == 32 {
			c.code = routines()[routineDecodeA32]
		}
		t.decode(e, c, t.a, registers, unsafe.Sizeof(tileA{}))
	}
	return groups
}

// decodeB returns where the groups of B are.
func (t *tileProduct) decodeB(e *emitter, registers []place) (groups place) {
	slot, known := find(t, registers, e.b[:], &e.nextB, func(f *decodedFactor) bool {
		return f.tile.b == t.b && f.tile.either() == t.either() && f.tile.formsB[0] == t.formsB[0]
	})
	groups = inScratch(unsafe.Offsetof(Scratch{}.b) + uintptr(slot)*unsafe.Sizeof(decodedB{}))
	if !known {
		t.emitB(e, groups, registers)
	}
	return groups
}

// emitB has B decoded to groups that lie in a decodedB.
func (t *tileProduct) emitB(e *emitter, groups place, registers []place) {
	c := call{code: routines()[routineDecodeB16], count: int64(t.pairs), to: groups, low: groups + place(unsafe.Offsetof(decodedB{}.factor)), forms: &t.formsB[0]}
	if t.b.Bits() == 32 {
		c.code = routines()[routineDecodeB32]
	}
	t.decode(e, c, t.b, registers, unsafe.Sizeof(tileB{}))
}

// find returns the part of the scratch that is or will be the decoded factor's.
func find(t *tileProduct, registers []place, kept []decodedFactor, next *int, same func(*decodedFactor) bool) (slot int, known bool) {
	for i := range kept {
		if f := &kept[i]; f.tile != nil && same(f) && slices.Equal(f.registers[:f.count], registers) {
			return i, true
		}
	}
	slot = *next
	*next = (slot + 1) % len(kept)
	kept[slot] = decodedFactor{tile: t, count: len(registers)}
	copy(kept[slot].registers[:], registers)
	return slot, false
}

// either tells whether the factors are decoded by the sums, which may be of singles.
func (t *tileProduct) either() bool { return t.a.Bits() == 16 && sumsSingles() }

// decode emits the call that decodes registers of a factor, of bytes once for the first two of each four elements and once for the others.
func (t *tileProduct) decode(e *emitter, c call, element Element, registers []place, group uintptr) {
	if element.Bits() != 8 {
		if t.either() {
			c.code, c.option = routines()[routineScan], int32(len(registers))
		}
		copy(c.from[:], registers)
		e.add(c)
		return
	}
	halves := inScratch(unsafe.Offsetof(Scratch{}.halves))
	split := call{code: routines()[routineHalves], count: int64(len(registers)), to: halves}
	if element == E4M3 {
		split.option = 1
	}
	copy(split.from[:], registers)
	e.add(split)
	for half := range 2 {
		copy(c.from[:], (halves + place(half*4*rowBytes)).rows(4))
		e.add(c)
		c.to += place(2*t.pairs) * place(group)
	}
}

// tile has the steps of a tile computed, and its registers of D.
func (t *tileProduct) tile(e *emitter, a, b place, c, to []place) {
	m := t.sum
	rows := func(offset uintptr) []place { return inScratch(offset).rows(4) }
	sums, widened, packed := rows(unsafe.Offsetof(Scratch{}.sums)), rows(unsafe.Offsetof(Scratch{}.widened)), rows(unsafe.Offsetof(Scratch{}.packed))
	zero := inScratch(unsafe.Offsetof(Scratch{}.zero))
	begin := c
	switch {
	case m.last:
		begin = []place{zero, zero, zero, zero}
	case m.c == F16:
		e.widen(widened, c)
		begin = widened
	}
	least := m.leastC
	plain := m.d != F16 && !m.last && !m.short
	count := t.groups / m.steps
	for step := range m.steps {
		if step > 0 {
			if begin = sums; m.d == F16 {
				t.pack(e, packed, sums)
				e.widen(widened, packed)
				begin = widened
			}
			least = m.d.least()
		}
		results := sums
		if plain && step == m.steps-1 {
			results = to
		}
		x := call{
			code: routines()[routineSum], count: int64(count), bits: m.bits, bias: t.bias - 1, least: least + singleBias,
			a: a + place(step*count)*place(unsafe.Sizeof(tileA{})), b: b + place(step*count)*place(unsafe.Sizeof(tileB{})),
			lowA: a + place(unsafe.Offsetof(decodedA{}.factor)), lowB: b + place(unsafe.Offsetof(decodedB{}.factor)),
		}
		if t.either() {
			x.code = routines()[routineSumEither]
		}
		if plain && m.c == F32 && count <= 4 {
			x.single = 1
		}
		if m.d == F16 && !m.mixed {
			x.option = 1
		}
		copy(x.from[:], begin[:4])
		copy(x.results[:], results[:4])
		e.add(x)
	}
	switch {
	case m.d == F16 && !m.last:
		t.pack(e, to, sums)
	case m.d == F16:
		// Numbers of 24 bits have enough for a sum of two of 11 that is rounded twice.
		t.pack(e, packed, sums)
		e.widen(sums, packed)
		e.widen(widened, c)
		e.sum(widened, sums)
		t.pack(e, to, sums)
	case m.short:
		e.copy(to, sums, 1<<(23-fp8Bits)-1)
	case m.last:
		e.sum(c, sums)
		e.copy(to, sums, 0)
	}
}

// widen has two registers of f16s turned into four rows.
func (e *emitter) widen(to, from []place) {
	c := call{code: routines()[routineWiden], to: to[0]}
	copy(c.from[:], from[:2])
	e.add(c)
}

// sum has four registers of f32s added to four rows.
func (e *emitter) sum(registers, rows []place) {
	c := call{code: routines()[routineAdd], a: rows[0], to: rows[0]}
	copy(c.from[:], registers[:4])
	e.add(c)
}

// pack has two registers set from sums. There is no negative zero, but where the sum was an f32 first.
func (t *tileProduct) pack(e *emitter, to, sums []place) {
	c := call{code: routines()[routinePack], a: sums[0]}
	if t.sum.mixed {
		c.option = 0x8000
	}
	copy(c.results[:], to[:2])
	e.add(c)
}
