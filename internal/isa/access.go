package isa

// Access is what an ld, st, atom, red or prefetch form does to memory, decoded once.
type Access struct {
	Space Space
	// Type is the type of one element, Vector the number of elements a lane moves (1 when scalar).
	Type   Type
	Vector int
	// Volatile, relaxed, acquire... accesses may not be merged or kept in registers; engines treat
	// every access as performed when it is executed, so only the timing model and the sanitizer read these.
	Order, Scope string
	NonCoherent  bool // ld.global.nc, ldu
}

// Bytes returns the number of bytes one lane moves.
func (a Access) Bytes() int { return a.Type.Bytes() * a.Vector }
