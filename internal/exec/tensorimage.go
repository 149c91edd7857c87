package exec

import "fmt"

// Column is what one tensor copy of mode im2col moves: channels of pixels of images (PTX manual, Tensors, im2col mode).
//
// The dimensions of the tensor are channels, then one to three of the image (W, H, D), then the images. With interleaving
// those of the image come first, and the channels, in slices, before the images. A copy begins at a pixel and goes on
// along W, H, D and the images; it stays in the bounding box of each image. The offsets of the instruction move
// all its pixels after that, so that they, the positions of a filter, may lie outside the image.
type Column struct {
	// Lower and Upper are the corners of the bounding box, by dimension: relative to the first element and to the last.
	Lower, Upper [3]int16
	Channels     int // of each pixel; with interleaving a copy moves one slice
	Pixels       int
}

// imageBits are the widths of the coordinates of corners and of offsets, by the number of dimensions of an image less one.
var imageBits = [...]int{16, 8, 5}

// imageDims returns how many dimensions images have, and which the first of them is.
func (m *TensorMap) imageDims() (n, first int) {
	if m.Interleave == NoInterleave {
		first = 1
	}
	return m.Rank - 2, first
}

// bounds returns the first and the last element of the bounding box along a dimension of the images.
func (m *TensorMap) bounds(i int) (low, high int64) {
	_, first := m.imageDims()
	return int64(m.Column.Lower[i]), int64(m.Dims[first+i]) - 1 + int64(m.Column.Upper[i])
}

// checkColumn applies the rules of cuTensorMapEncodeIm2col for what is moved, as the driver of an H200 does.
func (m *TensorMap) checkColumn() error {
	c := &m.Column
	switch bytes := c.Channels * m.Type.Bytes(); {
	case m.Rank < 3:
		return fmt.Errorf("a tensor map of images with %d dimensions; 3 to 5 are possible", m.Rank)
	case c.Channels < 1 || c.Channels > 256:
		return fmt.Errorf("%d channels of each pixel; 1 to 256 are possible", c.Channels)
	case bytes%16 != 0:
		return fmt.Errorf("the channels of a pixel have %d bytes; a multiple of 16 is wanted", bytes)
	case c.Pixels < 1 || c.Pixels > 1024:
		return fmt.Errorf("%d pixels; 1 to 1024 are possible", c.Pixels)
	}
	n, _ := m.imageDims()
	for i := range n {
		limit := 1 << (imageBits[n-1] - 1)
		for _, at := range [...]int{int(c.Lower[i]), int(c.Upper[i])} {
			if at < -limit || at >= limit {
				return fmt.Errorf("a corner of the bounding box is at %d; %d to %d are possible", at, -limit, limit-1)
			}
		}
		if low, high := m.bounds(i); low > high {
			return fmt.Errorf("the bounding box begins at %d and ends at %d", low, high)
		}
	}
	return nil
}

// inBoundingBox tells whether a copy that begins at start does so within the bounding box.
func (m *TensorMap) inBoundingBox(start []int32) *Fault {
	n, first := m.imageDims()
	for i := range n {
		at := int64(start[first+i])
		if low, high := m.bounds(i); at < low || at > high {
			return illegal("the first pixel is at %d in dimension %d; the bounding box is from %d to %d", at, first+i, low, high)
		}
	}
	return nil
}

// takesStore tells whether the bounding box lies within the images.
func (c *Column) takesStore() *Fault {
	for i := range c.Lower {
		if c.Lower[i] < 0 || c.Upper[i] > 0 {
			return illegal("a store to images whose bounding box is not within them")
		}
	}
	return nil
}

// pixels is rows for images.
func (m *TensorMap) pixels(p place, do rowFunc) *Fault {
	n, first := m.imageDims()
	at := make([]int64, m.Rank)
	for d, c := range p.start {
		at[d] = int64(c)
	}
	for row := range m.Column.Pixels {
		addr, inside := m.Address, true
		for d, c := range at {
			if d == 0 && first == 1 {
				continue // the channels of the row
			}
			if i := d - first; i < n && p.offsets != nil {
				c += int64(p.offsets[i] & (1<<imageBits[n-1] - 1))
			}
			inside = inside && c >= 0 && c < int64(m.Dims[d])
			addr += uint64(c) * m.pitch(d)
		}
		if f := do(row, addr, inside); f != nil {
			return f
		}
		m.advance(at)
	}
	return nil
}

// advance moves coordinates to the next pixel of the bounding box, or to the first one of a later image.
func (m *TensorMap) advance(at []int64) {
	n, first := m.imageDims()
	for i := range n {
		d := first + i
		low, high := m.bounds(i)
		if at[d] += int64(m.ElementStrides[d]); at[d] <= high {
			return
		}
		at[d] = low
	}
	last := m.Rank - 1
	at[last] += int64(m.ElementStrides[last])
}

// pitch returns the distance of elements along a dimension, in bytes.
func (m *TensorMap) pitch(d int) uint64 {
	if d == 0 {
		return uint64(m.unit())
	}
	return m.Strides[d-1]
}
