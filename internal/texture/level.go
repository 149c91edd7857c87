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

// LevelOfGradients returns the level of detail of a sample whose coordinates change by dx and dy from one pixel to the next in
// each direction: the logarithm of the longer step in texels.
func (t *Texture) LevelOfGradients(s *Sample, dx, dy [3]float32) int {
	l := &t.Levels[0]
	length := func(step [3]float32) (square float64) {
		for d, size := range [...]int{l.Width, l.Height, l.Slices} {
			x := float64(step[d])
			if t.Normalized {
				x *= float64(size)
			}
			square += x * x
		}
		return square
	}
	return t.LevelOf(float32(math.Log2(max(length(dx), length(dy))) / 2))
}
