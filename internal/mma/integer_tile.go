package mma

import "unsafe"

// integerScratchRows holds the rows of both factors: of pairs, which have two integers of 16 bits a lane.
type integerScratchRows struct {
	a, b  [16]Row
	bytes [2]Row
	pairs [2]Row
}

// integerTiles is a dense product of bytes or four-bit integers that is computed by blocks of 8 rows and 8 columns. Registers are taken as they lie: each quad of
// lanes has a row of A and a column of B.
type integerTiles struct {
	a, b     integerFactor
	blocks   []integerBlock
	saturate bool
}

// integerFactor tells where the registers of a factor are: those of each 8 rows, one after the other.
type integerFactor struct {
	element   Element
	registers []int
	perBlock  int // registers
}

// rows is the number of rows of pairs of each 8 rows.
func (f *integerFactor) rows() int { return f.perBlock * 16 / f.element.Bits() }

// integerBlock is one of the blocks of a product: which rows of A, which columns of B, and its first register of C among those of C.
type integerBlock struct{ a, b, c int }

// integerFactorOf finds the registers of a factor that are from first on.
func integerFactorOf(f *Fragment, first int) integerFactor {
	per, n := f.Element.perRegister(), f.Registers()
	out := integerFactor{f.Element, make([]int, n), f.Length / (4 * per)}
	for r := range n {
		row, column := f.Place(r*per, 0)
		out.registers[row/8*out.perBlock+column/(4*per)] = first + r
	}
	return out
}

// tiledIntegers returns how a product of integers is computed block by block, nil where it can not.
func tiledIntegers(p *Product, saturate bool) *integerTiles {
	if integerRoutines() == nil || p.sparse != nil {
		return nil
	}
	t := &integerTiles{
		a: integerFactorOf(p.a, 0), b: integerFactorOf(p.b, p.a.Registers()), saturate: saturate,
	}
	// A product of 8 rows and 32 columns runs as that of the transposed matrices.
	transposed := p.b.Rows == 32
	if transposed {
		t.a, t.b = t.b, t.a
	}
	for c := 0; c < p.c.Registers(); c += 2 {
		row, column := p.c.Place(c, 0)
		if transposed {
			row, column = column, row
		}
		t.blocks = append(t.blocks, integerBlock{row / 8, column / 8, c})
	}
	return t
}

// emit has a chain compute the product.
func (t *integerTiles) emit(e *emitter, src, dst []place) {
	at := unsafe.Offsetof(Scratch{}.integers)
	a, b := inScratch(at+unsafe.Offsetof(integerScratchRows{}.a)), inScratch(at+unsafe.Offsetof(integerScratchRows{}.b))
	t.decode(e, &t.a, src, a, false)
	t.decode(e, &t.b, src, b, true)
	c := src[len(t.a.registers)+len(t.b.registers):]
	results := inScratch(unsafe.Offsetof(Scratch{}.results)).rows(len(dst))
	for _, block := range t.blocks {
		x := call{
			code: integerRoutines()[routineSumPairs], count: int64(t.a.rows()),
			a: a + place(block.a*t.a.rows()*rowBytes), b: b + place(block.b*t.b.rows()*rowBytes),
		}
		if t.saturate {
			x.option = 1
		}
		copy(x.from[:], c[block.c:][:2])
		copy(x.results[:], results[block.c:][:2])
		e.add(x)
	}
	e.copy(dst, results, 0)
}

// decode has the registers of a factor turned into rows of pairs.
func (t *integerTiles) decode(e *emitter, f *integerFactor, src []place, to place, spread bool) {
	at := unsafe.Offsetof(Scratch{}.integers)
	halves, pairs := inScratch(at+unsafe.Offsetof(integerScratchRows{}.bytes)), inScratch(at+unsafe.Offsetof(integerScratchRows{}.pairs))
	code := integerRoutines()
	signed := int32(0)
	if f.element == S8 || f.element == S4 {
		signed = 1
	}
	emit := func(routine int, to, from place) {
		c := call{code: code[routine], to: to, option: signed}
		c.from[0] = from
		e.add(c)
	}
	pairsOf := func(register place) {
		if !spread {
			emit(routinePairs, to, register)
		} else {
			emit(routinePairs, pairs, register)
			emit(routineSpread, to, pairs)
			emit(routineSpread, to+rowBytes, pairs+rowBytes)
		}
		to += 2 * rowBytes
	}
	for _, r := range f.registers {
		if f.element.Bits() == 8 {
			pairsOf(src[r])
			continue
		}
		emit(routineBytes, halves, src[r])
		pairsOf(halves)
		pairsOf(halves + rowBytes)
	}
}
