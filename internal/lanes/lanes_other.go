//go:build !amd64

package lanes

const (
	vector   = false
	noVector = "no vector instructions"
)

func sort(*Order, *[Count]uint64, uint32, *Key, *[Count]uint64) uint32 { panic(noVector) }

func evenly(*[Count]uint64, uint32, uint64, uint64) bool { panic(noVector) }

func alike(*[Count]uint64, uint32, uint64, *[Count]uint64) bool { panic(noVector) }

func different(*Different, *[Count]uint64, uint32, *Key) bool { panic(noVector) }

func mark(*Map, uint64, *[Count]uint64, uint32) uint32 { panic(noVector) }
