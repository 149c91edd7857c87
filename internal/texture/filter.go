package texture

import (
	"math"
	"math/bits"
)

// tap is a texel with its weight in 1/256, and where it is in memory: 0 for one that comes from no array.
type tap struct {
	weight int32
	texel  texel
	place  uint64
}

// weighing returns the tap with a weight.
func (p tap) weighing(weight int32) tap {
	p.weight = weight
	return p
}

// split divides a weight between two neighbours at a fraction; ties go to the second.
func split(weight, fraction int32) (first, second int32) {
	second = (weight*fraction + one/2) >> fractionBits
	return weight - second, second
}

// square divides a weight over four texels: two rows of two.
func square(weight int32, x, y int32) [4]int32 {
	left, right := split(weight, x)
	upperRight, lowerRight := split(right, y)
	lowerLeft, upperLeft := split(left, one-y) // here ties go to the first row
	return [4]int32{upperLeft, upperRight, lowerLeft, lowerRight}
}

// reading is how the bits of channels become numbers.
type reading uint8

const (
	readInteger reading = iota
	readUnsigned8
	readUnsigned16
	readSigned8
	readSigned16
	readSRGB
	readHalf
	readFloat
)

// readingOf returns how a sampler reads channel c of so many of a format.
func (s *Sampler) readingOf(f Format, channels, c int) reading {
	switch f {
	case F16:
		return readHalf
	case F32:
		return readFloat
	case U32, S32:
		return readInteger
	}
	if s.Integer {
		return readInteger
	}
	switch f {
	case U8:
		if s.SRGB && c < 3 && (c == 0 || channels > 2) { // the second of two counts as alpha
			return readSRGB
		}
		return readUnsigned8
	case U16:
		return readUnsigned16
	case S8:
		return readSigned8
	}
	return readSigned16
}

// Scales of normalized numbers.
const (
	unsigned8, unsigned16 = 1<<8 - 1, 1<<16 - 1
	signed8, signed16     = 1<<7 - 1, 1<<15 - 1
)

// ratio returns a normalized number as an f32. The most negative integer stands for -1, like the one above it.
func ratio(n, scale int32) uint32 {
	return math.Float32bits(float32(float64(max(n, -scale)) / float64(scale)))
}

// value returns the bits of a channel as a sample has them: f32, or the integer.
func (r reading) value(b uint32) uint32 {
	switch r {
	case readUnsigned8:
		return ratio(int32(b), unsigned8)
	case readUnsigned16:
		return ratio(int32(b), unsigned16)
	case readSigned8:
		return ratio(int32(b), signed8)
	case readSigned16:
		return ratio(int32(b), signed16)
	case readSRGB:
		return halfToFloat(uint32(linearOfSRGB[b&0xFF]))
	case readHalf:
		return halfToFloat(b)
	}
	return b
}

// blend returns the sum of a channel over taps as a sample has it. The arithmetic is that of an H200: normalized
// integers are summed in 16 bits, floating-point numbers with the precision of their format.
func (r reading) blend(taps []tap, c int) uint32 {
	switch r {
	case readUnsigned8:
		return ratio((sum(taps, c)*(unsigned16/unsigned8)+one/2)>>fractionBits, unsigned16)
	case readUnsigned16:
		return ratio((sum(taps, c)+one/2)>>fractionBits, unsigned16)
	case readSigned16:
		return ratio((sum(taps, c)+one/2)>>fractionBits, signed16)
	case readSigned8:
		// The sum has 15 bits below the sign; it is scaled from 127 * 256 to 32767 by adding itself shifted by 7 bits, of
		// which 3 lie behind the point, and by 15.
		n := sum(taps, c)
		eighths := n<<3 + n>>4
		return ratio((eighths<<12+n+1<<14)>>15, signed16)
	case readInteger:
		return taps[0].texel[c]
	}
	return r.blendFloat(taps, c)
}

func sum(taps []tap, c int) (n int32) {
	for i := range taps {
		n += taps[i].weight * int32(taps[i].texel[c])
	}
	return n
}

// float is the layout of a floating-point format.
type float struct{ exponent, fraction uint }

func (f float) infinite() uint32 { return 1<<f.exponent - 1 }

// guardBits is what the significands of a slice's texels keep below that of the largest among them, where they are cut off;
// sumBits what is kept when slices and levels are added.
const guardBits, sumBits = 4, 20

// blendFloat sums floating-point numbers: significands are aligned to the largest exponent of their slice, weighed and
// added exactly, and the sum is rounded to the format, ties away from zero. Denormals of f32 count as zeros.
func (r reading) blendFloat(taps []tap, c int) uint32 {
	f := float{8, 23}
	if r != readFloat {
		f = float{5, 10}
	}
	slice := min(len(taps), 4)
	if slice == 2 { // a texel of each of two levels
		slice = 1
	}
	largest := r.largest(f, taps, c)
	if largest == f.infinite() {
		return r.blendSpecial(taps, c)
	}
	var total int64
	for ; len(taps) > 0; taps = taps[slice:] {
		within := r.largest(f, taps[:slice], c)
		var sum int64
		for i := range taps[:slice] {
			negative, significand, exponent := f.split(r.bits(taps[i].texel[c]))
			if taps[i].weight == 0 {
				continue
			}
			significand = significand << guardBits >> (within - exponent)
			if r == readSRGB { // 8 significant bits and none below
				significand &^= 1<<(guardBits+3) - 1
			}
			if negative {
				significand = -significand
			}
			sum += significand * int64(taps[i].weight)
		}
		total += sum << sumBits >> (largest - within)
	}
	return f.round(total, int(largest)-guardBits-sumBits)
}

// largest returns the largest exponent of the texels that weigh anything.
func (r reading) largest(f float, taps []tap, c int) uint32 {
	largest := uint32(1)
	for i := range taps {
		if taps[i].weight != 0 {
			largest = max(largest, r.bits(taps[i].texel[c])>>f.fraction&f.infinite())
		}
	}
	return largest
}

// split returns the parts of a finite number.
func (f float) split(bits uint32) (negative bool, significand int64, exponent uint32) {
	exponent = bits >> f.fraction & f.infinite()
	significand = int64(bits & (1<<f.fraction - 1))
	switch {
	case exponent > 0:
		significand |= 1 << f.fraction
	case f.fraction > 10:
		significand, exponent = 0, 1
	default:
		exponent = 1
	}
	return bits>>(f.exponent+f.fraction) != 0, significand, exponent
}

// bits returns a texel's channel as floating-point bits.
func (r reading) bits(b uint32) uint32 {
	if r == readSRGB {
		return uint32(linearOfSRGB[b&0xFF])
	}
	return b
}

// round returns the f32 of a sum of weighed significands whose largest had the given exponent.
func (f float) round(total int64, exponent int) uint32 {
	sign := uint32(0)
	if total < 0 {
		sign, total = 1<<31, -total
	}
	if total == 0 {
		return 0
	}
	bias := 1<<(f.exponent-1) - 1
	// The value of the sum is total * 2^unit; that of the last place of a denormal 2^smallest.
	unit := exponent - bias - int(f.fraction) - fractionBits
	smallest := 1 - bias - int(f.fraction)
	drop := max(bits.Len64(uint64(total))-int(f.fraction)-1, smallest-unit)
	if drop > 0 {
		total = (total + 1<<(drop-1)) >> drop
		unit += drop
	}
	return sign | math.Float32bits(float32(math.Ldexp(float64(total), unit)))
}

// canonicalNaN is the NaN that filters give, halfNaN that of f16.
const canonicalNaN, halfNaN = 0x7FFF_FFFF, 0x7FFF_E000

// blendSpecial sums numbers of which some are infinite or none at all.
func (r reading) blendSpecial(taps []tap, c int) uint32 {
	var total float64
	for i := range taps {
		if taps[i].weight != 0 {
			total += float64(math.Float32frombits(r.value(taps[i].texel[c])))
		}
	}
	switch {
	case total == total:
		return math.Float32bits(float32(total))
	case r == readHalf:
		return halfNaN
	}
	return canonicalNaN
}

// encode returns the bits of a channel that a number, which is a border's, is kept as.
func (r reading) encode(x float32) uint32 {
	normalized := func(low, scale float64) uint32 {
		return uint32(int32(math.Floor(min(max(float64(x), low), 1)*scale + 0.5)))
	}
	switch r {
	case readUnsigned8, readSRGB:
		return normalized(0, unsigned8)
	case readUnsigned16:
		return normalized(0, unsigned16)
	case readSigned8:
		return normalized(-1, signed8)
	case readSigned16:
		return normalized(-1, signed16)
	case readHalf:
		return Half(math.Float32bits(x))
	}
	return math.Float32bits(x)
}
