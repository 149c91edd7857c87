package isa

const (
	integerTypes = ".u16 .u32 .u64 .s16 .s32 .s64"
	bitTypes     = ".b16 .b32 .b64"
)

// integerRows holds integer addition, subtraction, division, sign and extremes.
func integerRows() []Row {
	packed := Since{PTX: 80, SM: 90}
	return []Row{
		integerRow("add.type d, a, b", ALU, byType(addInt[uint16], addInt[uint32], addInt[uint64], addInt[int16], addInt[int32], addInt[int64])),
		{Syntax: "add.sat.s32 d, a, b", Since: first, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: always(addSaturated)},
		{Syntax: "add.type d, a, b", Mods: Mods{"type": ".u16x2 .s16x2"}, Since: packed, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: always(add16x2)},
		integerRow("sub.type d, a, b", ALU, byType(subInt[uint16], subInt[uint32], subInt[uint64], subInt[int16], subInt[int32], subInt[int64])),
		{Syntax: "sub.sat.s32 d, a, b", Since: first, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: always(subSaturated)},

		integerRow("sad.type d, a, b, c", ALU, byType(sad[uint16], sad[uint32], sad[uint64], sad[int16], sad[int32], sad[int64])),
		integerRow("div.type d, a, b", FMA, byType(divInt[uint16], divInt[uint32], divInt[uint64], divInt[int16], divInt[int32], divInt[int64])),
		integerRow("rem.type d, a, b", FMA, byType(remInt[uint16], remInt[uint32], remInt[uint64], remInt[int16], remInt[int32], remInt[int64])),
		{Syntax: "abs.type d, a", Mods: Mods{"type": ".s16 .s32 .s64"}, Since: first, Unit: ALU, Class: ClassInteger, Op: OpLane,
			Lane: byType(nil, nil, nil, absInt[int16], absInt[int32], absInt[int64])},
		{Syntax: "neg.type d, a", Mods: Mods{"type": ".s16 .s32 .s64"}, Since: first, Unit: ALU, Class: ClassInteger, Op: OpLane,
			Lane: byType(nil, nil, nil, negInt[int16], negInt[int32], negInt[int64])},

		integerRow("min.type d, a, b", ALU, byType(minInt[uint16], minInt[uint32], minInt[uint64], minInt[int16], minInt[int32], minInt[int64])),
		{Syntax: "min.relu.s32 d, a, b", Since: packed, Unit: ALU, Class: ClassInteger, Op: OpLane,
			Lane: always(func(l *Lane) { l.Dst[0] = uint64(max(min(int32(l.Src[0]), int32(l.Src[1])), 0)) })},
		{Syntax: "min.u16x2 d, a, b", Since: packed, Unit: ALU, Class: ClassInteger, Op: OpLane,
			Lane: each16x2(func(a, b uint16) uint16 { return min(a, b) })},
		{Syntax: "min{.relu}.s16x2 d, a, b", Since: packed, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: relu16x2(func(a, b int16) int16 { return min(a, b) })},
		integerRow("max.type d, a, b", ALU, byType(maxInt[uint16], maxInt[uint32], maxInt[uint64], maxInt[int16], maxInt[int32], maxInt[int64])),
		{Syntax: "max.relu.s32 d, a, b", Since: packed, Unit: ALU, Class: ClassInteger, Op: OpLane,
			Lane: always(func(l *Lane) { l.Dst[0] = uint64(max(int32(l.Src[0]), int32(l.Src[1]), 0)) })},
		{Syntax: "max.u16x2 d, a, b", Since: packed, Unit: ALU, Class: ClassInteger, Op: OpLane,
			Lane: each16x2(func(a, b uint16) uint16 { return max(a, b) })},
		{Syntax: "max{.relu}.s16x2 d, a, b", Since: packed, Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: relu16x2(func(a, b int16) int16 { return max(a, b) })},
	}
}

// integerRow is a row for all integer types that PTX has had from the start.
func integerRow(syntax string, unit Unit, lane func(*Form) LaneFunc) Row {
	return Row{Syntax: syntax, Mods: Mods{"type": integerTypes}, Since: first, Unit: unit, Class: ClassInteger, Op: OpLane, Lane: lane}
}

func addInt[T integer](l *Lane) { l.Dst[0] = uint64(T(l.Src[0]) + T(l.Src[1])) }
func subInt[T integer](l *Lane) { l.Dst[0] = uint64(T(l.Src[0]) - T(l.Src[1])) }
func minInt[T integer](l *Lane) { l.Dst[0] = uint64(min(T(l.Src[0]), T(l.Src[1]))) }
func maxInt[T integer](l *Lane) { l.Dst[0] = uint64(max(T(l.Src[0]), T(l.Src[1]))) }
func negInt[T integer](l *Lane) { l.Dst[0] = uint64(-T(l.Src[0])) }

func absInt[T integer](l *Lane) {
	a := T(l.Src[0])
	if a < 0 {
		a = -a
	}
	l.Dst[0] = uint64(a)
}

func sad[T integer](l *Lane) {
	a, b := T(l.Src[0]), T(l.Src[1])
	l.Dst[0] = uint64(T(l.Src[2]) + max(a, b) - min(a, b))
}

// divInt gives all ones for a zero divisor, as the hardware does; Go's own rules cover MIN / -1.
func divInt[T integer](l *Lane) {
	a, b := T(l.Src[0]), T(l.Src[1])
	if b == 0 {
		l.Dst[0] = uint64(^T(0))
		return
	}
	l.Dst[0] = uint64(a / b)
}

func remInt[T integer](l *Lane) {
	a, b := T(l.Src[0]), T(l.Src[1])
	if b == 0 {
		l.Dst[0] = uint64(^T(0))
		return
	}
	l.Dst[0] = uint64(a % b)
}

func addSaturated(l *Lane) { l.Dst[0] = saturate32(int64(int32(l.Src[0])) + int64(int32(l.Src[1]))) }
func subSaturated(l *Lane) { l.Dst[0] = saturate32(int64(int32(l.Src[0])) - int64(int32(l.Src[1]))) }

// saturate32 clamps to the range of .s32.
func saturate32(v int64) uint64 { return uint64(min(max(v, -1<<31), 1<<31-1)) }

// join16 packs two halves, low first.
func join16(low, high uint16) uint64 { return uint64(high)<<16 | uint64(low) }

func add16x2(l *Lane) {
	a, b := l.Src[0], l.Src[1]
	l.Dst[0] = join16(uint16(a)+uint16(b), uint16(a>>16)+uint16(b>>16))
}

// each16x2 applies f to both halves.
func each16x2(f func(a, b uint16) uint16) func(*Form) LaneFunc {
	return always(func(l *Lane) {
		a, b := l.Src[0], l.Src[1]
		l.Dst[0] = join16(f(uint16(a), uint16(b)), f(uint16(a>>16), uint16(b>>16)))
	})
}

// relu16x2 applies f to both halves, with .relu clamping negative results to zero.
func relu16x2(f func(a, b int16) int16) func(*Form) LaneFunc {
	return func(form *Form) LaneFunc {
		floor := int16(-1 << 15)
		if form.Has(".relu") {
			floor = 0
		}
		return each16x2(func(a, b uint16) uint16 { return uint16(max(f(int16(a), int16(b)), floor)) })(form)
	}
}
