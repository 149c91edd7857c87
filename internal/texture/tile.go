package texture

import "unsafe"

// A tile is 64 bytes of 8 rows: as an H200's counters of sectors show, a sector has 16 bytes of two rows, 64 bytes have two sectors beside
// each other, a line two such pairs below each other. Tiles of 8 places below each other follow each other.
const (
	tileWidth, tileRows = 64, 8
	tileBytes           = tileWidth * tileRows
	tilesBelow          = 8
)

// place returns where byte x of row y of a slice is for the caches of the chip. Programs never see this order; they find rows one after the other.
func (a *Array) place(l *Level, x, y, z int) uint64 {
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(l.Data))))
	if a.Plain || a.Height == 0 {
		return base + uint64((z*l.Height+y)*l.Pitch+x)
	}
	across, down := (l.Pitch+tileWidth-1)/tileWidth, (l.Height+tileRows-1)/tileRows
	below := min(tilesBelow, down)
	row := y / tileRows
	tile := (row/below*across+x/tileWidth)*below + row%below
	slice := (down + below - 1) / below * below * across
	x, y = x%tileWidth, y%tileRows
	within := x/32*256 + y/2*64 + x%32/16*32 + y%2*16 + x%16
	return base + uint64((z*slice+tile)*tileBytes+within)
}

// Place returns where bytes of the surface are for the caches of the chip.
func (s *Surface) Place(b []byte) uint64 {
	l := &s.Levels[0]
	at := int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(l.Data))))
	row := at / l.Pitch
	return s.place(l, at%l.Pitch, row%l.Height, row/l.Height)
}
