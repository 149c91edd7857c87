package texture

import (
	"math"

	"silica/internal/fp"
)

// face is a face of a cube: where the three directions of its own lie among x, y and z.
type face struct {
	major, right, down        int     // axes
	side, rightSign, downSign float32 // where they point
}

// faces of a cube, in the order of layers (CUDA C++ Programming Guide, "Cubemap Textures").
var faces = [cubeFaces]face{
	{0, 2, 1, +1, -1, -1}, {0, 2, 1, -1, +1, -1},
	{1, 0, 2, +1, +1, +1}, {1, 0, 2, -1, +1, -1},
	{2, 0, 1, +1, +1, -1}, {2, 0, 1, -1, -1, -1},
}

// cubeTaps appends the texels of a direction in a cube map.
func (t *Texture) cubeTaps(taps []tap, s *Sample, l *Level, weight int32) []tap {
	side, u, v := faceOf(s.At)
	first := 0
	if t.Layered {
		first = cubeFaces * int(min(s.Layer, uint32(l.Slices/cubeFaces-1)))
	}
	on := *t
	on.Normalized = true
	if t.Seamless {
		on.Address = [3]AddressMode{Clamp, Clamp, Clamp}
	}
	if t.Filter == Point {
		return append(taps, on.fetch(l, [3]int{on.nearest(u, 0, l.Width), on.nearest(v, 1, l.Height), first + side}, 2).weighing(weight))
	}
	axes := [3]axis{on.between(u, 0, l.Width, 0), on.between(v, 1, l.Height, 0)}
	if !t.Seamless {
		on.settle(&axes[0], 0, l.Width)
		on.settle(&axes[1], 1, l.Height)
		return on.squareTaps(taps, l, axes, first+side, weight)
	}
	return t.seamlessTaps(taps, l, axes, first, side, weight)
}

// seamlessTaps appends the four texels around a place on a face, of which some may be on neighbouring faces. At the corner of
// a cube three faces meet: what the fourth texel would weigh goes to the others in thirds.
func (t *Texture) seamlessTaps(taps []tap, l *Level, at [3]axis, first, side int, weight int32) []tap {
	start, missing := len(taps), -1
	for i, w := range square(weight, at[0].fraction, at[1].fraction) {
		x, y := at[0].index+i&1, at[1].index+i>>1
		if outside(x, l.Width) && outside(y, l.Width) {
			missing = i
			taps = append(taps, tap{weight: w})
			continue
		}
		f, x, y := across(side, x, y, l.Width)
		taps = append(taps, t.load(l, x, y, first+f).weighing(w))
	}
	if missing >= 0 {
		corner := taps[start:]
		w := corner[missing].weight
		corner[missing].weight = 0
		third := (w + 1) / 3
		for i := range corner {
			if i != missing {
				corner[i].weight += third
			}
		}
		corner[3-missing].weight += w - 3*third // on the face itself
	}
	return taps
}

func outside(i, size int) bool { return i < 0 || i >= size }

// across returns the texel at a place that may be one texel beyond an edge of a face.
func across(side, x, y, size int) (int, int, int) {
	if !outside(x, size) && !outside(y, size) {
		return side, x, y
	}
	f := &faces[side]
	// The middle of the texel in units of half a texel from the middle of the face; beyond the edge, the edge.
	var point [3]float32
	along := func(i int) float32 { return float32(min(max(2*i+1-size, -size), size)) }
	point[f.major] = f.side * float32(size)
	point[f.right] = f.rightSign * along(x)
	point[f.down] = f.downSign * along(y)
	out := f.right
	if !outside(x, size) {
		out = f.down
	}
	for n := range faces {
		g := &faces[n]
		if g.major != out || g.side*point[out] <= 0 {
			continue
		}
		index := func(axis int, sign float32) int {
			return min(max((int(sign*point[axis])+size-1)/2, 0), size-1)
		}
		return n, index(g.right, g.rightSign), index(g.down, g.downSign)
	}
	return side, x, y // not reached: each axis has a face on each side
}

// faceOf returns the face that a direction meets, and where on it, from 0 to 1. As compiled code does, it divides by the
// longest component first, with the approximate reciprocal.
func faceOf(at [3]uint32) (side int, u, v uint32) {
	var c [3]float32
	longest := float32(0)
	for i := range c {
		c[i] = math.Float32frombits(at[i])
		longest = max(longest, number(abs(c[i])))
	}
	reciprocal := math.Float32frombits(fp.RcpApprox32(math.Float32bits(longest), fp.RN))
	for i := range c {
		c[i] = min(max(number(c[i]*reciprocal), -1), 1)
	}
	major := 0
	for i := range c {
		if abs(c[i]) >= abs(c[major]) {
			major = i
		}
	}
	for n := range faces {
		f := &faces[n]
		if f.major == major && (f.side < 0) == math.Signbit(float64(c[major])) {
			return n, onFace(f.rightSign * c[f.right]), onFace(f.downSign * c[f.down])
		}
	}
	return 0, 0, 0 // not reached: each axis has a face on each side
}

// stepOnFace returns how far a step of a direction goes on the face that the direction meets, which is 1 wide.
func stepOnFace(at [3]uint32, step [3]float32) (on [3]float32) {
	side, u, v := faceOf(at)
	f := &faces[side]
	major := math.Float32frombits(at[f.major])
	for i, c := range [...]struct {
		axis int
		sign float32
		at   uint32
	}{{f.right, f.rightSign, u}, {f.down, f.downSign, v}} {
		place := 2*math.Float32frombits(c.at) - 1
		on[i] = (c.sign*step[c.axis] - place*f.side*step[f.major]) / (2 * abs(major))
	}
	return on
}

// onFace turns a place from -1 to 1 into one from 0 to 1.
func onFace(c float32) uint32 { return math.Float32bits(float32((float64(c) + 1) / 2)) }

// number returns 0 for what is no number.
func number(x float32) float32 {
	if x != x {
		return 0
	}
	return x
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
