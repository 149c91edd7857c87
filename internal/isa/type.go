package isa

import "sync"

// Type is a fundamental PTX type, or a packed one that only instructions name.
type Type uint8

// The types of PTX 9.0.
const (
	NoType Type = iota
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	BF16
	TF32
	F32
	F64
	F16x2
	BF16x2
	U16x2
	S16x2
	F32x2
	B32x2 // .b32x2 arithmetic of sm_100
	E4M3
	E5M2
	E4M3x2
	E5M2x2
	E4M3x4
	E5M2x4
	E2M3
	E3M2
	E2M1
	E2M3x2
	E3M2x2
	E2M1x2
	E2M3x4
	E3M2x4
	E2M1x4
	UE8M0
	UE8M0x2
	UE4M3
	S4
	U4
	S2F6x2
	B1
	B4x16
	B4x16p64
	B6x16p32
	B6p2x16
	Pred
	TexRef
	SamplerRef
	SurfRef
	typeCount
)

// Kind is how a type reads its bits.
type Kind uint8

// The kinds.
const (
	Untyped Kind = iota
	Unsigned
	Signed
	Float
	Predicate
	Opaque
)

type typeInfo struct {
	name string
	bits int
	kind Kind
	pack int // elements in a packed type, 1 for a scalar
}

var types = [typeCount]typeInfo{
	NoType: {"", 0, Untyped, 1},
	B8:     {"b8", 8, Untyped, 1}, B16: {"b16", 16, Untyped, 1}, B32: {"b32", 32, Untyped, 1},
	B64: {"b64", 64, Untyped, 1}, B128: {"b128", 128, Untyped, 1},
	U8: {"u8", 8, Unsigned, 1}, U16: {"u16", 16, Unsigned, 1}, U32: {"u32", 32, Unsigned, 1}, U64: {"u64", 64, Unsigned, 1},
	S8: {"s8", 8, Signed, 1}, S16: {"s16", 16, Signed, 1}, S32: {"s32", 32, Signed, 1}, S64: {"s64", 64, Signed, 1},
	F16: {"f16", 16, Float, 1}, BF16: {"bf16", 16, Float, 1}, TF32: {"tf32", 32, Float, 1},
	F32: {"f32", 32, Float, 1}, F64: {"f64", 64, Float, 1},
	F16x2: {"f16x2", 32, Float, 2}, BF16x2: {"bf16x2", 32, Float, 2},
	U16x2: {"u16x2", 32, Unsigned, 2}, S16x2: {"s16x2", 32, Signed, 2},
	F32x2: {"f32x2", 64, Float, 2}, B32x2: {"b32x2", 64, Untyped, 2},
	E4M3: {"e4m3", 8, Float, 1}, E5M2: {"e5m2", 8, Float, 1},
	E4M3x2: {"e4m3x2", 16, Float, 2}, E5M2x2: {"e5m2x2", 16, Float, 2},
	E4M3x4: {"e4m3x4", 32, Float, 4}, E5M2x4: {"e5m2x4", 32, Float, 4},
	E2M3: {"e2m3", 8, Float, 1}, E3M2: {"e3m2", 8, Float, 1}, E2M1: {"e2m1", 4, Float, 1},
	E2M3x2: {"e2m3x2", 16, Float, 2}, E3M2x2: {"e3m2x2", 16, Float, 2}, E2M1x2: {"e2m1x2", 8, Float, 2},
	E2M3x4: {"e2m3x4", 32, Float, 4}, E3M2x4: {"e3m2x4", 32, Float, 4}, E2M1x4: {"e2m1x4", 16, Float, 4},
	UE8M0: {"ue8m0", 8, Float, 1}, UE8M0x2: {"ue8m0x2", 16, Float, 2}, UE4M3: {"ue4m3", 8, Float, 1},
	S4: {"s4", 4, Signed, 1}, U4: {"u4", 4, Unsigned, 1}, S2F6x2: {"s2f6x2", 16, Signed, 2},
	B1: {"b1", 1, Untyped, 1}, B4x16: {"b4x16", 64, Untyped, 16}, B4x16p64: {"b4x16_p64", 128, Untyped, 16},
	B6x16p32: {"b6x16_p32", 128, Untyped, 16}, B6p2x16: {"b6p2x16", 128, Untyped, 16},
	Pred:   {"pred", 1, Predicate, 1},
	TexRef: {"texref", 64, Opaque, 1}, SamplerRef: {"samplerref", 64, Opaque, 1}, SurfRef: {"surfref", 64, Opaque, 1},
}

// String returns the name as PTX spells it, without the dot.
func (t Type) String() string { return types[t].name }

// Bits returns the size in bits; 1 for a predicate.
func (t Type) Bits() int { return types[t].bits }

// Bytes returns the size in memory, rounded up to whole bytes.
func (t Type) Bytes() int { return (types[t].bits + 7) / 8 }

// Kind returns how the bits are read.
func (t Type) Kind() Kind { return types[t].kind }

// Pack returns the number of elements of a packed type, 1 for a scalar.
func (t Type) Pack() int { return types[t].pack }

// ParseType returns the type spelled name (with or without the leading dot), or NoType.
func ParseType(name string) Type {
	if len(name) > 0 && name[0] == '.' {
		name = name[1:]
	}
	return typesByName()[name]
}

var typesByName = sync.OnceValue(func() map[string]Type {
	names := make(map[string]Type, typeCount)
	for t := B8; t < typeCount; t++ {
		names[types[t].name] = t
	}
	return names
})

// Space is a PTX state space.
type Space uint8

// The state spaces. Generic is the flat address space that an access without a space names.
const (
	Generic Space = iota
	Reg
	SReg
	Const
	Global
	Local
	ParamEntry // .param of an entry: one constant bank a launch
	ParamFunc  // .param of a device function or of a call: per thread
	Shared     // .shared, .shared::cta
	SharedCluster
	Tex
	spaceCount
)

var spaceNames = [spaceCount]string{
	Generic: "generic", Reg: "reg", SReg: "sreg", Const: "const", Global: "global", Local: "local",
	ParamEntry: "param", ParamFunc: "param::func", Shared: "shared", SharedCluster: "shared::cluster", Tex: "tex",
}

func (s Space) String() string { return spaceNames[s] }

// The generic address space. Global addresses map to themselves, and so do those of .const variables,
// which the driver places in global memory (an access keeps its space from the instruction). Each of
// the other spaces has a window of WindowSize bytes that starts on its own address. The windows lie
// below every global allocation and are larger than the spaces (shared: 228 KiB for each of at most 16
// blocks of a cluster; local: 512 KiB a thread; the parameters of a launch: 32 KiB).
const (
	SharedWindow uint64 = 0x0100_0000 // block-relative, 16 MiB: this block's shared memory
	LocalWindow  uint64 = 0x0200_0000 // thread-relative, 16 MiB
	ParamWindow  uint64 = 0x0400_0000 // launch-relative, 16 MiB
	WindowSize   uint64 = 0x0100_0000
	// GlobalBase is the lowest address of global memory.
	GlobalBase uint64 = 0x1_0000_0000
)

// SpaceOf returns the space whose window holds the generic address a.
func SpaceOf(a uint64) Space {
	switch {
	case a >= GlobalBase:
		return Global
	case a-SharedWindow < WindowSize:
		return Shared
	case a-LocalWindow < WindowSize:
		return Local
	case a-ParamWindow < WindowSize:
		return ParamEntry
	}
	return Generic
}
