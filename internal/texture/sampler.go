package texture

// AddressMode is what stands for texels outside an array.
type AddressMode uint8

// The address modes.
const (
	Wrap AddressMode = iota
	Clamp
	Mirror
	Border
)

// Filter is how a sample is made of texels.
type Filter uint8

// The filters.
const (
	Point Filter = iota
	Linear
)

// Sampler is how a texture is sampled.
type Sampler struct {
	Address [3]AddressMode
	Filter  Filter
	// MipFilter chooses the nearest mipmap level, or blends two.
	MipFilter Filter
	// Normalized coordinates go from 0 to 1. With others, the modes Wrap and Mirror act like Clamp.
	Normalized bool
	// Integer reads 8 and 16-bit integers as they are, not as numbers between 0, or -1, and 1.
	Integer bool
	// SRGB decodes the first three 8-bit channels from sRGB.
	SRGB bool
	// Seamless filters cube maps across the edges of their faces.
	Seamless bool
	// Anisotropy is the most samples along the longer axis of a footprint; 0 and 1 stand for none.
	Anisotropy int
	// Bias is added to the level that an instruction asks for; the sum stays between MinLevel and MaxLevel.
	Bias, MinLevel, MaxLevel float32
	Border                   [4]float32
}
