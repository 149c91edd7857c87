package isa

// integer is the set of Go types that hold PTX's integer types.
type integer interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64
}

// byType returns a Lane function that picks the semantics by the form's own integer type.
func byType(u16, u32, u64, s16, s32, s64 LaneFunc) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		switch f.Get("type") {
		case ".u16", ".b16":
			return u16
		case ".u32", ".b32":
			return u32
		case ".u64", ".b64":
			return u64
		case ".s16":
			return s16
		case ".s32":
			return s32
		}
		return s64
	}
}

// always is the Lane function of a row whose modifiers do not change its semantics.
func always(f LaneFunc) func(*Form) LaneFunc {
	return func(*Form) LaneFunc { return f }
}

// first is the Since of what the first PTX had.
var first = Since{PTX: 10, SM: 10}
