package isa

const integerTypes = ".u16 .u32 .u64 .s16 .s32 .s64"

// integerRows holds addition, subtraction and what is built on them.
func integerRows() []Row {
	return []Row{
		{Syntax: "add.type d, a, b", Mods: Mods{"type": integerTypes}, Since: Since{PTX: 10, SM: 10}, Unit: ALU, Class: ClassInteger, Op: OpLane,
			Lane: byType(addInt[uint16], addInt[uint32], addInt[uint64], addInt[int16], addInt[int32], addInt[int64])},
		{Syntax: "add.sat.s32 d, a, b", Since: Since{PTX: 10, SM: 10}, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: always(addSaturated)},
		{Syntax: "sub.type d, a, b", Mods: Mods{"type": integerTypes}, Since: Since{PTX: 10, SM: 10}, Unit: ALU, Class: ClassInteger, Op: OpLane,
			Lane: byType(subInt[uint16], subInt[uint32], subInt[uint64], subInt[int16], subInt[int32], subInt[int64])},
		{Syntax: "sub.sat.s32 d, a, b", Since: Since{PTX: 10, SM: 10}, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: always(subSaturated)},
	}
}

func addInt[T integer](l *Lane) { l.Dst[0] = uint64(T(l.Src[0]) + T(l.Src[1])) }
func subInt[T integer](l *Lane) { l.Dst[0] = uint64(T(l.Src[0]) - T(l.Src[1])) }

func addSaturated(l *Lane) { l.Dst[0] = saturate32(int64(int32(l.Src[0])) + int64(int32(l.Src[1]))) }
func subSaturated(l *Lane) { l.Dst[0] = saturate32(int64(int32(l.Src[0])) - int64(int32(l.Src[1]))) }

// saturate32 clamps to the range of .s32.
func saturate32(v int64) uint64 { return uint64(min(max(v, -1<<31), 1<<31-1)) }
