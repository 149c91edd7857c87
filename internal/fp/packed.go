package fp

// ConvertPair returns a and b, values of format from, converted to format to and packed, a above b,
// as cvt to a packed type does. A six-bit format takes eight bits each.
func ConvertPair(from, to Format, a, b uint64, m Mode) uint32 {
	return uint32(Convert(from, to, a, m))<<to.packedWidth() | uint32(Convert(from, to, b, m))
}

// ConvertX2 returns the two packed values of x, of format from, converted to format to and packed.
func ConvertX2(from, to Format, x uint32, m Mode) uint32 {
	width := from.packedWidth()
	element := uint32(1)<<width - 1
	return ConvertPair(from, to, uint64(x>>width&element), uint64(x&element), m)
}

// packedWidth returns the number of bits that one of two packed values takes.
func (f Format) packedWidth() int {
	if width := f.Width(); width != 6 {
		return width
	}
	return 8
}

// PackInts returns a and b saturated to integers of width bits and packed below c, a above b: what
// cvt.pack.sat does. Width is 2, 4, 8 or 16; with 16 nothing of c is left.
func PackInts(a, b int32, c uint32, width int, signed bool) uint32 {
	least, most := int32(0), int32(1)<<width-1
	if signed {
		least, most = -1<<(width-1), 1<<(width-1)-1
	}
	element := uint32(1)<<width - 1
	upper, lower := uint32(min(max(a, least), most)), uint32(min(max(b, least), most))
	return c<<(2*width) | upper&element<<width | lower&element
}
