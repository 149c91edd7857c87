package texture

import (
	"math"
	"testing"
)

func BenchmarkBilinear(b *testing.B) {
	a := newArray(Descriptor{Format: F32, Channels: 1, Width: 1024, Height: 1024}, 1)
	x := NewTexture(a, Sampler{Address: [3]AddressMode{Clamp, Clamp, Clamp}, Filter: Linear})
	s := Sample{}
	for i := range b.N {
		s.At = [3]uint32{math.Float32bits(float32(i%1000) + 0.3), math.Float32bits(float32(i/1000%1000) + 0.7)}
		x.Sample(&s)
	}
}
