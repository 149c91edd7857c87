package isa

// movRows holds mov: between registers, from special registers, of addresses, and packing and
// unpacking of vectors.
func movRows() []Row {
	const packed = ".b16 .b32 .b64 .b128"
	since128 := Since{PTX: 10, SM: 10, Mod: map[string]Since{".b128": {PTX: 83, SM: 70}}}
	return []Row{
		{Syntax: "mov.type d, a", Mods: Mods{"type": ".pred .b16 .b32 .b64 .b128 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64"}, Since: since128, Unit: ALU, Class: ClassMisc, Op: OpMov},
		{Syntax: "mov.type d, a", Mods: Mods{"type": ".pred .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64"}, Types: "a:type:special", Since: Since{PTX: 10, SM: 10}, Unit: ALU, Class: ClassMisc, Op: OpSpecial},
		{Syntax: "mov.type d, a", Mods: Mods{"type": packed}, Types: "a:pack", Since: since128, Unit: ALU, Class: ClassMisc, Op: OpMov},
		{Syntax: "mov.type d, a", Mods: Mods{"type": packed}, Types: "d:pack", Since: since128, Unit: ALU, Class: ClassMisc, Op: OpMov},
		{Syntax: "mov.vec.type d, a", Mods: Mods{"vec": ".v2 .v4", "type": ".b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64"}, Types: "d:type*vec a:type*vec:special", Since: Since{PTX: 10, SM: 10}, Unit: ALU, Class: ClassMisc, Op: OpMov,
			Check: vectorMoveCheck},
	}
}

// vectorMoveCheck refuses vectors of more than 128 bits.
func vectorMoveCheck(f *Form) string {
	if f.Has(".v4") && ParseType(f.Get("type")).Bits() > 32 {
		return "a vector has at most 128 bits"
	}
	return ""
}
