//go:build !amd64

package lanes

const vector = false

func sort(*Order, *[Count]uint64, uint32, *Key, *[Count]uint64) uint32 {
	panic("no vector instructions")
}
