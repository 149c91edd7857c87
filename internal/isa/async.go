package isa

import (
	"fmt"
	"strings"
)

// parseOnly gives rows whose instructions are checked and printed, but not run, what they share.
// A row's own Since is kept.
func parseOnly(base Row, rows []Row) []Row {
	for i := range rows {
		r := &rows[i]
		r.Unit, r.Class, r.Unsupported = base.Unit, base.Class, base.Unsupported
		if r.Since.PTX == 0 {
			r.Since = base.Since
		}
	}
	return rows
}

// asyncRows gives rows of asynchronous instructions what they share. A row's own Since, Op and reason not to
// run are kept.
func asyncRows(base Row, rows []Row) []Row {
	for i := range rows {
		r := &rows[i]
		r.Unit, r.Class = base.Unit, base.Class
		if r.Since.PTX == 0 {
			r.Since = base.Since
		}
		if r.Op == OpNone && r.Unsupported == "" {
			r.Op = OpAsync
		}
	}
	return rows
}

const (
	sharedState  = ".shared .shared::cta"
	clusterScope = ".cta .cluster"
	completeTx   = ".mbarrier::complete_tx::bytes"
	tensorDims   = ".1d .2d .3d .4d .5d"
	imageDims    = ".3d .4d .5d"
)

// mbarrierRows holds the barriers in shared memory that asynchronous copies complete on.
func mbarrierRows() []Row {
	since80, relaxed := Since{PTX: 80, SM: 90}, Since{PTX: 86, SM: 90}
	scoped := map[string]Since{".shared::cta": {PTX: 78}, ".relaxed": relaxed, ".release": since80, ".acquire": since80, ".cta": since80, ".cluster": since80}
	var rows []Row
	add := func(since Since, syntax, types string, mods Mods) {
		mods["state"], mods["scope"] = sharedState, clusterScope
		rows = append(rows, Row{Syntax: syntax, Types: types, Mods: mods, Since: since})
	}
	arrive := Since{PTX: 70, SM: 80, Mod: scoped}
	add(arrive, "mbarrier.init{.state}.b64 [a], count", "count:u32", Mods{})
	add(arrive, "mbarrier.inval{.state}.b64 [a]", "", Mods{})
	for _, op := range []string{".expect_tx", ".complete_tx"} {
		add(since80, "mbarrier"+op+"{.relaxed.scope}{.space}.b64 [a], txCount", "txCount:u32", Mods{"space": ".shared .shared::cta .shared::cluster"})
	}
	for _, op := range []string{".arrive", ".arrive_drop"} {
		const sem = "{.sem.scope}"
		local, remote := "state:u64:w:sink count:u32 txCount:u32", "count:u32 txCount:u32 _:b64:w:sink"
		add(arrive, "mbarrier"+op+sem+"{.state}.b64 state, [a]{, count}", local, Mods{"sem": redSem})
		rows[len(rows)-1].Need = countNeed
		add(since80.with(".relaxed", relaxed), "mbarrier"+op+sem+".shared::cluster.b64 _, [a]{, count}", remote, Mods{"sem": redSem})
		add(since80.with(".relaxed", relaxed), "mbarrier"+op+".expect_tx"+sem+"{.state}.b64 state, [a], txCount", local, Mods{"sem": redSem})
		add(since80.with(".relaxed", relaxed), "mbarrier"+op+".expect_tx"+sem+".shared::cluster.b64 _, [a], txCount", remote, Mods{"sem": redSem})
		add(arrive, "mbarrier"+op+".noComplete{.release.cta}{.state}.b64 state, [a], count", local, Mods{})
	}
	const wait = "complete:pred:w state:u64 parity:u32:const=0..1 hint:u32"
	for _, op := range []struct {
		name, hint string
		since      Since
	}{{".test_wait", "", arrive}, {".try_wait", "{, hint}", Since{PTX: 78, SM: 90, Mod: scoped}}} {
		add(op.since, "mbarrier"+op.name+"{.sem.scope}{.state}.b64 complete, [a], state"+op.hint, wait, Mods{"sem": ".acquire .relaxed"})
		parity := op.since.and(Since{PTX: 71})
		add(parity, "mbarrier"+op.name+".parity{.sem.scope}{.state}.b64 complete, [a], parity"+op.hint, wait, Mods{"sem": ".acquire .relaxed"})
	}
	add(arrive, "mbarrier.pending_count.b64 count, state", "count:u32:w state:u64", Mods{})
	add(arrive, "cp.async.mbarrier.arrive{.noinc}{.state}.b64 [a]", "", Mods{})
	return asyncRows(Row{Unit: LSU, Class: ClassCommunication}, rows)
}

// countNeed gives what an arrival with a count needs that may complete a phase.
func countNeed(f *Form) Since {
	if len(f.Args) == 3 {
		return Since{PTX: 78, SM: 90}
	}
	return Since{}
}

// asyncCopyRows holds the copies of each thread (cp.async).
func asyncCopyRows() []Row {
	const head, operands = ".state.global{.L2::cache_hint}{.level::prefetch_size}", " [dst], [src], size"
	mods := Mods{"state": sharedState, "level::prefetch_size": fetchL2}
	var rows []Row
	for _, cache := range []struct{ mod, size string }{{".ca", "4"}, {".ca", "8"}, {".ca", "16"}, {".cg", "16"}} {
		for _, rest := range []string{"{, src-size}{, policy}", ", ignore-src{, policy}"} {
			since := Since{PTX: 70, SM: 80, Mod: accessSince()}
			delete(since.Mod, ".shared::cta")
			if strings.Contains(rest, "ignore-src") {
				since.PTX = 75
			}
			rows = append(rows, Row{
				Syntax: "cp.async" + cache.mod + head + operands + rest, Mods: mods,
				Types: "size:u32:imm=" + cache.size + " src-size:u32:const=0.." + cache.size + " ignore-src:pred policy:u64:when=.L2::cache_hint",
				Since: since,
			})
		}
	}
	rows = append(rows,
		// Copies are made at once, so there is nothing to wait for.
		Row{Syntax: "cp.async.commit_group", Op: OpNop},
		Row{Syntax: "cp.async.wait_group n", Types: "n:u32:imm", Op: OpNop},
		Row{Syntax: "cp.async.wait_all", Op: OpNop})
	return asyncRows(Row{Since: Since{PTX: 70, SM: 80}, Unit: LSU, Class: ClassMemory}, rows)
}

// bulkRows holds the bulk copies and reductions of plain memory and of tensors.
func bulkRows() []Row {
	since, since86 := Since{PTX: 80, SM: 90}, Since{PTX: 86, SM: 90}
	const types = "size:u32:const=x16 ctaMask:b16:when=.multicast::cluster byteMask:b16:when=.cp_mask policy:u64:when=.L2::cache_hint"
	rows := []Row{
		{Syntax: "cp.async.bulk.shared::cta.global" + completeTx + "{.L2::cache_hint} [dst], [src], size, [mbar]{, policy}", Since: since86},
		{Syntax: "cp.async.bulk.shared::cluster.global" + completeTx + "{.multicast::cluster}{.L2::cache_hint} [dst], [src], size, [mbar]{, ctaMask}{, policy}"},
		{Syntax: "cp.async.bulk.shared::cluster.shared::cta" + completeTx + " [dst], [src], size, [mbar]"},
		{
			Syntax: "cp.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask} [dst], [src], size{, policy}{, byteMask}",
			Since:  Since{PTX: 80, SM: 90, Mod: map[string]Since{".cp_mask": {PTX: 86, SM: 100}}},
		},
		{Syntax: "cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [src], size{, policy}", Op: OpNop},
		{Syntax: "cp.async.bulk.commit_group", Op: OpNop},
		{Syntax: "cp.async.bulk.wait_group{.read} n", Op: OpNop},
	}
	for _, o := range [...]struct{ op, types string }{
		{".op", ".b32"}, {".add", ".u32 .s32 .u64"}, {".step", ".u32"}, {".order", ".u32 .s32"},
	} {
		rows = append(rows, Row{
			Syntax: "cp.reduce.async.bulk.shared::cluster.shared::cta" + completeTx + o.op + ".type [dst], [src], size, [mbar]",
			Mods:   Mods{"type": o.types},
		})
	}
	for _, o := range [...]struct{ op, types string }{
		{".op", ".b32 .b64"}, {".add", ".u32 .s32 .u64 .f32 .f64"}, {".step", ".u32"},
		{".order", ".u32 .s32 .u64 .s64 .f16 .bf16"}, {".add.noftz", ".f16 .bf16"},
	} {
		rows = append(rows, Row{
			Syntax: "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}" + o.op + ".type [dst], [src], size{, policy}",
			Mods:   Mods{"type": o.types},
		})
	}
	for i := range rows {
		r := &rows[i]
		r.Types = types + " n:u32:imm"
		if r.Mods != nil {
			r.Mods["op"], r.Mods["step"], r.Mods["order"] = ".and .or .xor", ".inc .dec", ".min .max"
		}
	}
	rows = append(rows, tensorCopyRows()...)
	return asyncRows(Row{Since: since, Unit: TMA, Class: ClassMemory}, rows)
}

// tensorModes are the ways to address a tensor, with the coordinates and image offsets each takes. The
// modes without a mark copy into shared memory.
var tensorModes = [...]struct{ mode, dims, coordinates, info, infoSize string }{
	{"{.tile}", tensorDims, "*dim", "", "0"},
	{".tile::gather4", ".2d", "*5", "", "0"},
	{".im2col", ".3d", "*dim", ", im2colInfo", "1"},
	{".im2col", ".4d", "*dim", ", im2colInfo", "2"},
	{".im2col", ".5d", "*dim", ", im2colInfo", "3"},
	{".im2col::w", imageDims, "*dim", ", im2colInfo", "2"},
	{".im2col::w::128", imageDims, "*dim", ", im2colInfo", "2"},
}

func tensorCopyRows() []Row {
	const tensor = "[tensorMap, tensorCoords]"
	since := Since{PTX: 80, SM: 90}
	since86 := since.and(Since{PTX: 86})
	var rows []Row
	add := func(since Since, syntax, dims, coordinates, infoSize string) {
		op, reason := OpAsync, ""
		switch {
		case strings.Contains(syntax, ".prefetch."):
			op = OpNop
		case strings.Contains(syntax, ".im2col::w"):
			op, reason = OpNone, "there is no tensor map of this mode: the driver does not encode one"
		}
		rows = append(rows, Row{
			Syntax: syntax, Since: since, Op: op, Unsupported: reason,
			Mods:  Mods{"dim": dims, "cta_group": ".cta_group::1 .cta_group::2", "op": ".add .min .max .inc .dec .and .or .xor"},
			Need:  tensorCopyNeed,
			Types: "tensorCoords:s32" + coordinates + " im2colInfo:u16*" + infoSize + " ctaMask:b16:when=.multicast::cluster policy:u64:when=.L2::cache_hint",
		})
	}
	for _, m := range tensorModes {
		load := m.mode + completeTx
		add(since86, "cp.async.bulk.tensor.dim.shared::cta.global"+load+"{.cta_group}{.L2::cache_hint} [dst], "+tensor+", [mbar]"+m.info+"{, policy}", m.dims, m.coordinates, m.infoSize)
		add(since, "cp.async.bulk.tensor.dim.shared::cluster.global"+load+"{.multicast::cluster}{.cta_group}{.L2::cache_hint} [dst], "+tensor+", [mbar]"+m.info+"{, ctaMask}{, policy}", m.dims, m.coordinates, m.infoSize)
		add(since, "cp.async.bulk.prefetch.tensor.dim.L2.global"+m.mode+"{.L2::cache_hint} "+tensor+m.info+"{, policy}", m.dims, m.coordinates, m.infoSize)
	}
	for _, m := range [...]struct{ mode, dims, coordinates string }{
		{"{.tile}", tensorDims, "*dim"}, {".tile::scatter4", ".2d", "*5"}, {".im2col_no_offs", imageDims, "*dim"},
	} {
		add(since, "cp.async.bulk.tensor.dim.global.shared::cta"+m.mode+".bulk_group{.L2::cache_hint} "+tensor+", [src]{, policy}", m.dims, m.coordinates, "0")
		add(since, "cp.reduce.async.bulk.tensor.dim.global.shared::cta.op"+m.mode+".bulk_group{.L2::cache_hint} "+tensor+", [src]{, policy}", m.dims, m.coordinates, "0")
	}
	return rows
}

// tensorCopyNeed gives what the mode of a tensor copy needs: into shared memory of the block .tile::gather4 and .im2col::w
// are part of sm_100 and later, else of targets with a suffix.
func tensorCopyNeed(f *Form) Since {
	local := spaceIn(f.Mods) == Shared && !f.Has(".bulk_group")
	switch {
	case f.Has(".cta_group::1"), f.Has(".cta_group::2"), f.Has(".tile::scatter4"), f.Has(".im2col::w::128"):
	case f.Has(".tile::gather4"), f.Has(".im2col::w"):
		if local {
			return Since{PTX: 86, SM: 100}
		}
	default:
		return Since{}
	}
	return Since{PTX: 86, SM: 100, On: tensorTargets}
}

// tensormapRows holds the instructions that change tensor maps.
func tensormapRows() []Row {
	replace := func(field, typ, operands, types string, since Since) Row {
		mods := Mods{"field": field, "ss": ".global .shared::cta", "type": typ}
		return Row{Syntax: "tensormap.replace.tile.field{.ss}.b1024.type [a], " + operands, Types: types, Mods: mods, Since: since}
	}
	refused := func(r Row, reason string) Row {
		r.Unsupported = reason
		return r
	}
	const ord = "ord:u32:imm=0..4"
	atomicity := Since{PTX: 86, SM: 100, Arch: "f"}
	return asyncRows(Row{Since: Since{PTX: 83, SM: 90, Arch: "f"}, Unit: TMA, Class: ClassMemory}, []Row{
		replace(".global_address", ".b64", "value", "", Since{}),
		replace(".rank", ".b32", "value", "", Since{}),
		replace(".box_dim .global_dim .element_stride", ".b32", "ord, value", ord, Since{}),
		replace(".global_stride", ".b64", "ord, value", ord, Since{}),
		replace(".elemtype", ".b32", "value", "value:type:imm=0..12", Since{}),
		refused(replace(".elemtype", ".b32", "value", "value:type:imm=13..15", Since{PTX: 87, SM: 100, Arch: "f"}), "tensors of elements of 4 and 6 bits are not copied"),
		replace(".interleave_layout", ".b32", "value", "value:type:imm=0..2", Since{}),
		replace(".swizzle_mode", ".b32", "value", "value:type:imm=0..3", Since{}),
		refused(replace(".swizzle_mode", ".b32", "value", "value:type:imm=4", Since{PTX: 88, SM: 103, On: "103a"}), "copies have no swizzle of 96 bytes"),
		replace(".swizzle_atomicity", ".b32", "value", "value:type:imm=0", atomicity),
		refused(replace(".swizzle_atomicity", ".b32", "value", "value:type:imm=1..3", atomicity), "swizzles move pieces of 16 bytes only"),
		replace(".fill_mode", ".b32", "value", "value:type:imm=0..1", Since{}),
		{
			Syntax: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [dst], [src], size",
			Mods:   Mods{"scope": scopes}, Types: "size:u32:imm=128", Since: Since{PTX: 83, SM: 90}, Op: OpTensorMemory,
		},
	})
}

// asyncAccessRows holds the stores and reductions that complete on an mbarrier.
func asyncAccessRows() []Row {
	const remote = "{.ss}" + completeTx
	since81, later := Since{PTX: 81, SM: 90}, Since{PTX: 87, SM: 100}
	rows := []Row{
		{
			Syntax: "st.async{.weak}" + remote + "{.vec}.type [a], b, [mbar]",
			Mods:   Mods{"ss": ".shared::cluster .shared::cta", "vec": ".v2 .v4", "type": ".b32 .b64 .u32 .u64 .s32 .s64 .f32 .f64"}, Types: "b:type*vec",
			Check: asyncStoreCheck,
		},
		{
			Syntax: "st.async{.mmio}.release.scope{.global}.type [a], b", Since: later, Op: OpStore,
			Mods: Mods{"scope": ".gpu .sys", "type": ".b8 .b16 .b32 .b64 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64"}, Types: "b:type:wider",
		},
		{
			Syntax: "red.async{.mmio}.release.scope{.global}.op.type [a], b", Since: later, Op: OpRed, Combine: combine, Check: asyncReductionCheck,
			Mods: Mods{"scope": ".gpu .sys", "op": ".add .min .max .inc .dec .and .or .xor", "type": ".b32 .u32 .s32 .u64 .s64"},
		},
	}
	for _, o := range [...]struct{ op, types string }{
		{".inc .dec", ".u32"}, {".min .max", ".u32 .s32"}, {".and .or .xor", ".b32"}, {".add", ".u32 .s32 .u64 .s64"},
	} {
		rows = append(rows, Row{
			Syntax: "red.async.relaxed.cluster" + remote + ".op.type [a], b, [mbar]",
			Mods:   Mods{"ss": ".shared::cluster", "op": o.op, "type": o.types},
		})
	}
	return asyncRows(Row{Since: since81, Unit: LSU, Class: ClassMemory}, rows)
}

// multimemNeed gives what 8-bit floats need.
func multimemNeed(f *Form) Since {
	if t := f.Get("type"); strings.HasPrefix(t, ".e4m3") || strings.HasPrefix(t, ".e5m2") {
		return Since{PTX: 86, SM: 100, On: "100f 110f 120a 121a"}
	}
	return Since{}
}

// multimemCheck refuses floats that are no whole words, reductions that a type does not have, and precisions of other types.
func multimemCheck(f *Form) string {
	t := ParseType(f.Get("type"))
	if t.Kind() != Float {
		switch {
		case f.Get("vec") != "":
			return fmt.Sprintf("there are no vectors of type .%s", t)
		case f.Get("op") == ".add" && t == S64:
			return ".add is not for .s64"
		}
		return ""
	}
	vector := 1
	if v := f.Get("vec"); v != "" {
		vector = int(v[2] - '0')
	}
	element := t.Bits() / t.Pack()
	switch bits := t.Bits() * vector; {
	case bits < 32, bits > 128, t == F64 && vector > 1:
		return fmt.Sprintf("there are no vectors of %d elements of type .%s", vector, t)
	case f.Has(".ld_reduce") && element >= 32 && f.Get("op") != ".add":
		return fmt.Sprintf("%s is not for .%s", f.Get("op"), t)
	}
	switch precision := f.Get("acc_prec"); {
	case precision == "":
	case f.Get("op") != ".add", precision == ".acc::f32" && element != 16, precision == ".acc::f16" && element != 8:
		return fmt.Sprintf("%s does not apply to %s of .%s", precision, f.Get("op"), t)
	}
	return ""
}

// asyncStoreCheck refuses vectors of more than 16 bytes.
func asyncStoreCheck(f *Form) string {
	if a := AccessOf(f); a.Bytes() > 16 {
		return fmt.Sprintf("there are no vectors of %d elements of type .%s", a.Vector, a.Type)
	}
	return ""
}

// asyncReductionCheck refuses operations on types that a red.async in global memory does not have.
func asyncReductionCheck(f *Form) string {
	op, t := f.Get("op"), f.Get("type")
	allowed := ".u32 .s32 .u64 .s64"
	switch op {
	case ".inc", ".dec":
		allowed = ".u32"
	case ".and", ".or", ".xor":
		allowed = ".b32"
	case ".min", ".max":
		allowed = ".u32 .s32"
	}
	if !strings.Contains(allowed, t) {
		return op + " is for " + allowed
	}
	return ""
}

// multimemRows holds the accesses to memory that several GPUs share.
func multimemRows() []Row {
	const vectors = ".v2 .v4 .v8"
	integer := [...]struct{ op, types string }{
		{".min .max .add", ".u32 .s32 .u64 .s64"},
		{".and .or .xor", ".b32 .b64"},
	}
	const halves, floats, bytes = ".f16 .f16x2 .bf16 .bf16x2", ".f32 .f64", ".e5m2 .e5m2x2 .e5m2x4 .e4m3 .e4m3x2 .e4m3x4"
	var rows []Row
	add := func(syntax string, mods Mods, types string) {
		mods["scope"] = scopes
		rows = append(rows, Row{Syntax: syntax, Mods: mods, Types: types, Since: Since{PTX: 81, SM: 90}, Need: multimemNeed, Check: multimemCheck})
	}
	for _, head := range []string{"{.sem.scope}", ".weak"} {
		for _, o := range integer {
			add("multimem.ld_reduce"+head+"{.global}.op.type d, [a]", Mods{"sem": ".relaxed .acquire", "op": o.op, "type": o.types}, "")
		}
		add("multimem.ld_reduce"+head+"{.global}.op{.acc_prec}{.vec}.type d, [a]",
			Mods{"sem": ".relaxed .acquire", "op": ".min .max .add", "acc_prec": ".acc::f32 .acc::f16", "vec": vectors, "type": halves + " " + floats + " " + bytes}, "d:type*vec")
		add("multimem.st"+head+"{.global}{.vec}.type [a], b",
			Mods{"sem": redSem, "vec": vectors, "type": ".b32 .b64 .u32 .u64 .s32 .s64 " + halves + " " + floats + " " + bytes}, "b:type*vec")
	}
	for _, o := range integer {
		add("multimem.red{.sem.scope}{.global}.op.type [a], b", Mods{"sem": redSem, "op": o.op, "type": o.types}, "")
	}
	add("multimem.red{.sem.scope}{.global}.add{.vec}.type [a], b", Mods{"sem": redSem, "vec": vectors, "type": halves + " " + floats}, "b:type*vec")
	return parseOnly(Row{
		Unit: LSU, Class: ClassMemory,
		Unsupported: "multimem needs several GPUs; Silica runs one",
	}, rows)
}
