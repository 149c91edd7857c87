package isa

// geometry groups the texture and surface geometries that take the same number of coordinates. In
// array geometries the first coordinate is the layer; coordinates of three and more come four at a time.
var geometry = [...]struct{ name, texture, surface, coordinates string }{
	{"1", ".1d", ".1d", "*1"},
	{"2", ".2d .a1d", ".2d .a1d", "*2"},
	{"4", ".3d .a2d .cube .acube", ".3d .a2d", "*4"},
}

// Why some forms can not run.
const (
	multisampleReason = "CUDA makes no multi-sample textures"
	depthReason       = "CUDA makes no depth textures to compare with"
)

// textureRows holds tex, tld4 and the queries of textures and samplers. The address may be a texture
// reference or a register with the handle of a texture object; [a, b, c] names a sampler too.
func textureRows() []Row {
	const (
		dtypes = ".u32 .s32 .f16 .f32"
		ctypes = ".s32 .f32"
	)
	since := Since{PTX: 10, Mod: map[string]Since{
		".a1d": {PTX: 20, SM: 20}, ".a2d": {PTX: 20, SM: 20}, ".cube": {PTX: 20, SM: 20}, ".acube": {PTX: 20, SM: 20},
		".2dms": {PTX: 32, SM: 30}, ".a2dms": {PTX: 32, SM: 30}, ".f16": {PTX: 42, SM: 53}, ".f16x2": {PTX: 42, SM: 53},
		".base": {PTX: 31}, ".level": {PTX: 31}, ".grad": {PTX: 31},
	}}
	var rows []Row
	add := func(syntax, geoms, coordinates, result, reason string) {
		for _, depth := range []string{"", ", f"} {
			if depth != "" && reason == "" {
				reason = depthReason
			}
			rows = append(rows, Row{
				Syntax: syntax + "{, e}" + depth, Since: since, Unsupported: reason,
				Mods:  Mods{"geom": geoms, "dtype": dtypes, "ctype": ctypes, "comp": ".r .g .b .a"},
				Types: "d:" + result + ":w p:pred:w c:b32" + coordinates + " b:u64 lod:ctype dPdx:f32*? dPdy:f32*? e:s32*? f:f32",
			})
		}
	}
	for _, address := range []string{"[a, c]", "[a, b, c]"} {
		for _, value := range []struct{ mods, result string }{{".v4.dtype.ctype", "dtype*4"}, {".v2.f16x2.ctype", "f16x2*2"}} {
			tail := ".geom" + value.mods + " d{|p}, " + address
			for _, g := range geometry {
				add("tex{.base}"+tail, g.texture, g.coordinates, value.result, "")
				add("tex.level"+tail+", lod", g.texture, g.coordinates, value.result, "")
				add("tex.grad"+tail+", dPdx, dPdy", g.texture, g.coordinates, value.result, "")
			}
			add("tex{.base}"+tail, ".2dms .a2dms", "*4", value.result, multisampleReason)
		}
		for _, g := range [...]struct{ geoms, coordinates string }{{".2d", "*2"}, {".a2d .cube .acube", "*4"}} {
			for _, depth := range [...]struct{ operand, reason string }{{"", ""}, {", f", depthReason}} {
				rows = append(rows, Row{
					Syntax: "tld4.comp.geom.v4.dtype.f32 d{|p}, " + address + "{, e}" + depth.operand, Unsupported: depth.reason,
					Mods:  Mods{"comp": ".r .g .b .a", "geom": g.geoms, "dtype": ".u32 .s32 .f32"},
					Types: "d:dtype*4:w p:pred:w c:b32" + g.coordinates + " b:u64 e:s32*? f:f32",
					Since: Since{PTX: 22, SM: 20},
				})
			}
		}
	}
	query := Since{PTX: 15}
	rows = append(rows,
		Row{
			Syntax: "txq.query.b32 d, [a]", Since: query,
			Mods: Mods{"query": ".width .height .depth .channel_data_type .channel_order .normalized_coords .array_size .num_mipmap_levels .num_samples" +
				" .force_unnormalized_coords .filter_mode .addr_mode_0 .addr_mode_1 .addr_mode_2"},
		},
		Row{
			Syntax: "txq.level.query.b32 d, [a], lod", Types: "lod:u32", Since: Since{PTX: 31, SM: 30},
			Mods: Mods{"query": ".width .height .depth"},
		},
		Row{
			Syntax: "istypep.type p, a", Types: "p:pred a:u64",
			Mods: Mods{"type": ".texref .samplerref .surfref"}, Since: Since{PTX: 40, SM: 30},
		})
	return texturing(rows)
}

// surfaceRows holds loads, stores, reductions and queries of surfaces.
func surfaceRows() []Row {
	const modes = ".trap .clamp .zero"
	since := Since{PTX: 15, SM: 20, Mod: map[string]Since{".3d": {PTX: 20, SM: 20}, ".a1d": {PTX: 30, SM: 20}, ".a2d": {PTX: 30, SM: 20}}}
	var rows []Row
	add := func(syntax, geoms, types, dtypes, ops, cops string) {
		rows = append(rows, Row{
			Syntax: syntax, Types: types, Since: since,
			Mods: Mods{"geom": geoms, "mode": modes, "vec": ".v2 .v4", "dtype": dtypes, "op": ops, "cop": cops},
		})
	}
	for _, g := range geometry {
		coordinates := " b:s32" + g.coordinates
		add("suld.b.geom{.cop}{.vec}.dtype.mode d, [a, b]", g.surface, "d:dtype*vec:wider:w"+coordinates, ".b8 .b16 .b32 .b64", "", ".ca .cg .cs .cv")
		add("sust.b.geom{.cop}{.vec}.dtype.mode [a, b], c", g.surface, "c:dtype*vec:wider"+coordinates, ".b8 .b16 .b32 .b64", "", ".wb .cg .cs .wt")
		add("sust.p.geom{.vec}.dtype.mode [a, b], c", g.surface, "c:dtype*vec"+coordinates, ".b32", "", "")
		for _, o := range [...]struct{ op, types string }{
			{".add", ".u32 .u64 .s32 .s64"}, {".min .max", ".u32 .s32 .u64 .s64"}, {".and .or", ".b32 .b64"},
		} {
			add("sured.b.op.geom.dtype.mode [a, b], c", g.surface, "c:dtype"+coordinates, o.types, o.op, "")
		}
		add("sured.p.op.geom.dtype.mode [a, b], c", g.surface, "c:dtype"+coordinates, ".b32 .b64", ".add .min .max .and .or", "")
	}
	rows = append(rows, Row{
		Syntax: "suq.query.b32 d, [a]", Since: since,
		Mods: Mods{"query": ".width .height .depth .channel_data_type .channel_order .array_size .memory_layout"},
	})
	return texturing(rows)
}

// texturing gives rows of textures and surfaces what they share.
func texturing(rows []Row) []Row {
	for i := range rows {
		r := &rows[i]
		r.Unit, r.Class = TEX, ClassMemory
		if r.Unsupported == "" {
			r.Op = OpTexture
		}
	}
	return rows
}
