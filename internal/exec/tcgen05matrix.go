package exec

import "silica/internal/isa"

// tensorMatrix is a matrix in shared memory as the descriptors of tcgen05 describe it (PTX ISA, "Shared Memory Descriptor";
// the layouts are those of CUTLASS' make_umma_desc). A row is one of A, or a column of B.
type tensorMatrix struct {
	start           uint32
	leading, stride uint32 // distances in bytes
	base            uint32 // of the swizzle's pattern
	swizzle         swizzle
	// coarse swizzles pieces of 32 bytes, by the two bits above a row of 128.
	coarse bool
	rank   int // of the block whose shared memory it is
	// bits is the width of an element; transposed tells that neighbours in a column lie next to each other.
	bits       int
	transposed bool
}

// tensorMatrixOf decodes a descriptor.
func tensorMatrixOf(descriptor uint64, rank, bits int) (tensorMatrix, *Fault) {
	field := func(shift int) uint32 { return uint32(descriptor>>shift) & (1<<14 - 1) * pieceBytes }
	d := tensorMatrix{
		start: field(0), leading: field(16), stride: field(32), base: uint32(descriptor>>49) & 7, rank: rank, bits: bits,
	}
	switch mode := descriptor >> 61; mode {
	case 0:
	case 1:
		d.swizzle, d.coarse = 3, true
	case 2:
		d.swizzle = 3
	case 4:
		d.swizzle = 2
	case 6:
		d.swizzle = 1
	default:
		return d, illegal("a matrix descriptor with swizzle mode %d; 0, 1, 2, 4 and 6 are possible", mode)
	}
	if descriptor>>46&7 != 1 {
		return d, illegal("a matrix descriptor whose bits 46 to 48 are %d; 1 is wanted", descriptor>>46&7)
	}
	if descriptor>>52&1 != 0 {
		return d, illegal("a matrix descriptor with an absolute address of the leading dimension, which is for products of depth 96")
	}
	return d, nil
}

// place returns the address of the piece of 16 bytes that is offset bytes behind the start.
func (d *tensorMatrix) place(offset uint32) uint32 {
	at := d.start + offset
	if d.coarse {
		return at ^ (at>>7-d.base)&3<<5
	}
	return at ^ (at>>7-d.base)&(1<<d.swizzle-1)<<4
}

// pieceOf returns the address of a piece of a row of a matrix that is not transposed: 8 rows make a pattern.
func (d *tensorMatrix) pieceOf(row, piece int) uint32 {
	width := d.swizzle.width()
	at := uint32(piece) * pieceBytes
	return d.place(uint32(row/8)*d.stride + uint32(row%8)*width + at%width + at/width*d.leading)
}

// pieceAcross returns the address of the piece of a transposed matrix that has column k of the group of rows that fill a piece.
func (d *tensorMatrix) pieceAcross(group, k int) uint32 {
	width, g, at := d.swizzle.width(), uint32(group), uint32(k)
	if d.swizzle == 0 {
		return d.place(g*d.stride + at%8*pieceBytes + at/8*d.leading)
	}
	perPattern, columns := width/pieceBytes, uint32(8)
	if d.coarse {
		columns = 4
	}
	return d.place(g%perPattern*pieceBytes + g/perPattern*d.leading + at%columns*width + at/columns*d.stride)
}

// shared returns 16 bytes of the shared memory of the block of a rank.
func (a *Async) shared(rank int, addr uint32) ([]byte, *Fault) {
	if rank == a.Memory.Rank() {
		return a.Memory.Bytes(isa.Shared, uint64(addr), pieceBytes, pieceBytes)
	}
	return a.Memory.Bytes(isa.SharedCluster, SharedAddress(rank, uint64(addr)), pieceBytes, pieceBytes)
}

// piece returns a piece of a row of a matrix that is not transposed.
func (a *Async) piece(d *tensorMatrix, row, piece int) ([]byte, *Fault) {
	return a.shared(d.rank, d.pieceOf(row, piece))
}

// elements appends the elements of a row, so many of them, each in bits bits: those of fewer than 8 bits in packs of 16, padded to
// a piece, unless they are packed without padding.
func (a *Async) elements(to []uint32, d *tensorMatrix, row, n, packedBits int) ([]uint32, *Fault) {
	if d.transposed {
		perPiece := pieceBytes * 8 / d.bits
		for k := range n {
			b, fault := a.shared(d.rank, d.pieceAcross(row/perPiece, k))
			if fault != nil {
				return nil, fault
			}
			to = append(to, wideElement(b, row%perPiece, d.bits))
		}
		return to, nil
	}
	perPiece := pieceBytes * 8 / d.bits
	for i := 0; i < n; i += perPiece {
		b, fault := a.piece(d, row, i/perPiece)
		if fault != nil {
			return nil, fault
		}
		for j := range min(perPiece, n-i) {
			if packedBits < 8 {
				to = append(to, uint32(packedElement(b, j, packedBits)))
			} else {
				to = append(to, wideElement(b, j, d.bits))
			}
		}
	}
	return to, nil
}

// wideElement returns element i of elements of 8, 16 or 32 bits.
func wideElement(b []byte, i, bits int) uint32 {
	size := bits / 8
	return uint32(loadElement(b[i*size:], size))
}
