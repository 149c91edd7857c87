package texture

import "math"

// LevelBits is the number of fraction bits of a level of detail.
const LevelBits = fractionBits

// level returns the mipmap level of a sample, and in 1/256 how much of the next level to blend in.
func (t *Texture) level(s *Sample) (level int, blend int32) {
	last := (len(t.Levels) - 1) << fractionBits
	at := min(max(s.Level, 0), last)
	if t.MipFilter == Point || len(t.Levels) == 1 {
		return (at + one/2) >> fractionBits, 0
	}
	return at >> fractionBits, int32(at & (one - 1))
}

// fraction returns a level of detail in 1/256, rounded toward zero. NaN counts as 0.
func fraction(x float32) int {
	const limit = 1 << 15
	switch {
	case x != x:
		return 0
	case x > limit:
		return limit
	case x < -limit:
		return -limit
	}
	return int(math.Trunc(float64(x) * one))
}

// bounded returns a level of detail, which may be an instruction's, in the bounds of the sampler.
func (s *Sampler) bounded(level int) int {
	return max(min(level, fraction(s.MaxLevel)), fraction(s.MinLevel))
}

// BaseLevel is the level of detail of samples that name none.
func (s *Sampler) BaseLevel() int { return s.bounded(0) }

// LevelOf returns the level of detail of a sample that names one.
func (s *Sampler) LevelOf(level float32) int { return s.bounded(fraction(level) + fraction(s.Bias)) }

// SampleGradients samples where coordinates change by dx and dy from one pixel to the next in each direction. The level of
// detail is the logarithm of the longer step in texels. An anisotropic sampler takes several samples along the longer step,
// each of a footprint that is shorter by their number.
func (t *Texture) SampleGradients(s *Sample, dx, dy [3]float32) (out [4]uint32) {
	if t.Cube {
		dx, dy = stepOnFace(s.At, dx), stepOnFace(s.At, dy)
	}
	long, short, along := t.length(dx), t.length(dy), dx
	if short > long {
		long, short, along = short, long, dy
	}
	n := 1
	if t.Anisotropy > 1 && !t.Cube && t.filters(s) && !t.readsIntegers() && long > short {
		n = t.Anisotropy
		if ratio := math.Ceil(long / short); ratio < float64(n) {
			n = int(ratio)
		}
	}
	at := *s
	at.Level = t.LevelOf(float32(math.Log2(long / float64(n))))
	if n == 1 {
		return t.Sample(&at)
	}
	var total [4]float32
	for i := range n {
		for d := range at.At {
			step := along[d] * ((float32(i)+0.5)/float32(n) - 0.5)
			at.At[d] = math.Float32bits(math.Float32frombits(s.At[d]) + step)
		}
		for c, bits := range t.Sample(&at) {
			total[c] += math.Float32frombits(bits)
		}
	}
	for c := range out {
		out[c] = math.Float32bits(total[c] / float32(n))
	}
	return out
}

// length returns the length in texels of a step in coordinates.
func (t *Texture) length(step [3]float32) float64 {
	l := &t.Levels[0]
	sizes := [...]int{l.Width, l.Height, l.Slices}
	square := 0.0
	for d, size := range sizes[:t.dimensions()] {
		x := float64(step[d])
		if t.Normalized || t.Cube {
			x *= float64(size)
		}
		square += x * x
	}
	return math.Sqrt(square)
}

func (t *Texture) readsIntegers() bool { return t.readingOf(t.Format, t.Channels, 0) == readInteger }
