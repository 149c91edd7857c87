package texture

import "math"

// Coordinates are kept in fixed point: a normalized one with normalizedBits fraction bits, rounded down; a texel's
// place with fractionBits, which are what filters weigh texels by.
const (
	normalizedBits = 21
	fractionBits   = 8
	one            = 1 << fractionBits
)

// effective is the address mode that a dimension has: coordinates that are not normalized do not wrap.
func (s *Sampler) effective(dimension int) AddressMode {
	m := s.Address[dimension]
	if !s.Normalized && (m == Wrap || m == Mirror) {
		return Clamp
	}
	return m
}

// reach is more than any texel's place, so that what lies beyond is as far outside.
const reach = 1 << 20

// fixed returns a coordinate in units of 1/scale, rounded down. NaN counts as 0, and so do denormals.
func fixed(bits uint32, scale float64) int64 {
	x := float64(math.Float32frombits(bits))
	switch {
	case x != x || bits&0x7F80_0000 == 0:
		return 0
	case x > reach:
		x = reach
	case x < -reach:
		x = -reach
	}
	return int64(math.Floor(x * scale))
}

// normalized returns a normalized coordinate in fixed point, reduced to the few periods that matter in a mode.
func normalized(bits uint32, mode AddressMode) int64 {
	const period = 1 << normalizedBits
	if mode == Wrap || mode == Mirror {
		x := float64(math.Float32frombits(bits))
		if x-x != 0 { // infinity and NaN
			return 0
		}
		return int64(math.Floor((x-2*math.Floor(x/2))*period)) & (2*period - 1)
	}
	return min(max(fixed(bits, period), -2*period), 2*period)
}

// nearest returns the index of the texel that a coordinate lies in.
func (s *Sampler) nearest(bits uint32, dimension, size int) int {
	if !s.Normalized {
		return int(fixed(bits, 1))
	}
	return int(normalized(bits, s.effective(dimension)) * int64(size) >> normalizedBits)
}

// axis is a place between the middles of two neighbouring texels.
type axis struct {
	index    int // of the first
	fraction int32
}

// between returns the texels around a coordinate, moved by an offset. Texel i has its middle at i + 1/2.
func (s *Sampler) between(bits uint32, dimension, size, offset int) axis {
	const down = normalizedBits - fractionBits
	const shift = (1<<normalizedBits)/2 - 1<<(down-1) // half a texel, less what rounds to nearest
	at := fixed(bits, 1<<normalizedBits)
	if s.Normalized {
		at = normalized(bits, s.effective(dimension)) * int64(size)
	}
	at = (at - shift) >> down
	return axis{int(at>>fractionBits) + offset, int32(at & (one - 1))}
}

// settle moves places beyond the middle of the last texel to it, where they are clamped: nothing of it goes to a
// neighbour.
func (s *Sampler) settle(a *axis, dimension, size int) {
	if s.effective(dimension) != Clamp || a.index >= 0 && a.index < size-1 {
		return
	}
	*a = axis{min(max(a.index, 0), size-1), 0}
}

// address returns the texel that stands for index i of n; ok is false where the border does.
func address(mode AddressMode, i, n int) (index int, ok bool) {
	switch mode {
	case Wrap:
		if i %= n; i < 0 {
			i += n
		}
	case Clamp:
		i = min(max(i, 0), n-1)
	case Mirror:
		if i %= 2 * n; i < 0 {
			i += 2 * n
		}
		if i >= n {
			i = 2*n - 1 - i
		}
	default:
		return i, i >= 0 && i < n
	}
	return i, true
}
