package texture

import "math"

// cubeTaps appends the texels of a direction in a cube map.
func (t *Texture) cubeTaps(taps []tap, s *Sample, l *Level, weight int32) []tap {
	face, u, v := faceOf(s.At)
	slice := face
	if t.Layered {
		slice += cubeFaces * int(min(s.Layer, uint32(l.Slices/cubeFaces-1)))
	}
	on := *t
	on.Normalized = true
	on.Address = [3]AddressMode{Clamp, Clamp, Clamp}
	if t.Filter == Point {
		return append(taps, tap{weight, on.fetch(l, [3]int{on.nearest(u, 0, l.Width), on.nearest(v, 1, l.Height), slice}, 2)})
	}
	return on.squareTaps(taps, l, [3]axis{on.between(u, 0, l.Width, 0), on.between(v, 1, l.Height, 0)}, slice, weight)
}

// faceOf returns the face that a direction meets, and where on it, from 0 to 1.
func faceOf(at [3]uint32) (face int, u, v uint32) {
	x, y, z := math.Float32frombits(at[0]), math.Float32frombits(at[1]), math.Float32frombits(at[2])
	ax, ay, az := abs(x), abs(y), abs(z)
	var s, t, major float32
	switch {
	case az >= ax && az >= ay:
		face, s, t, major = 4, x, -y, az
		if math.Signbit(float64(z)) {
			face, s = 5, -x
		}
	case ay >= ax:
		face, s, t, major = 2, x, z, ay
		if math.Signbit(float64(y)) {
			face, t = 3, -z
		}
	default:
		face, s, t, major = 0, -z, -y, ax
		if math.Signbit(float64(x)) {
			face, s = 1, z
		}
	}
	on := func(c float32) uint32 { return math.Float32bits((c/major + 1) / 2) }
	return face, on(s), on(t)
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
