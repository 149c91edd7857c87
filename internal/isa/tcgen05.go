package isa

import (
	"fmt"
	"strconv"
	"strings"
)

// tensorMemoryRows holds the fifth-generation tensor core instructions and their memory.
func tensorMemoryRows() []Row {
	const (
		group  = "cta_group"
		kinds  = ".kind::f16 .kind::tf32 .kind::f8f6f4"
		scaled = ".kind::mxf8f6f4 .kind::mxf4 .kind::mxf4nvf4"
		scales = ".scale_vec::1X .scale_vec::2X .scale_vec::4X .block16 .block32"
		usageA = ".collector::a::fill .collector::a::use .collector::a::lastuse .collector::a::discard"
	)
	var usageB []string
	for _, buffer := range []string{"b0", "b1", "b2", "b3"} {
		for _, op := range []string{"fill", "use", "lastuse", "discard"} {
			usageB = append(usageB, ".collector::"+buffer+"::"+op)
		}
	}
	groups := ".cta_group::1 .cta_group::2"
	var rows []Row
	add := func(syntax, types string, mods Mods) {
		mods[group] = groups
		rows = append(rows, Row{Syntax: syntax, Types: types, Mods: mods})
	}
	const types = "a-desc:b64 b-desc:b64 idesc:b32 disable-output-lane:b32*? enable-input-d:pred scale-input-d:u32:imm=0..15 zero-column-mask:b64"
	for _, sparse := range []struct{ mod, meta string }{{"", ""}, {".sp", "[sp-meta], "}} {
		for _, a := range []struct{ operand, ashift string }{{"a-desc", ""}, {"[a]", "{.ashift}"}} {
			operands := " [d], " + a.operand + ", b-desc, " + sparse.meta + "idesc"
			head := "tcgen05.mma" + sparse.mod + ".cta_group"
			add(head+".kind"+a.ashift+"{.usage}"+operands+"{, disable-output-lane}, enable-input-d{, scale-input-d}", types, Mods{"kind": kinds, "usage": usageA})
			add(head+".kind.block_scale{.scale_vectorsize}{.usage}"+operands+", [scale-a], [scale-b], enable-input-d", types,
				Mods{"kind": scaled, "scale_vectorsize": scales, "usage": usageA})
			add(head+".kind::i8"+a.ashift+"{.usage}"+operands+"{, disable-output-lane}, enable-input-d", types, Mods{"usage": usageA})
			add("tcgen05.mma.ws"+sparse.mod+".cta_group::1.kind{.usage}"+operands+", enable-input-d{, zero-column-mask}", types,
				Mods{"kind": kinds + " .kind::i8", "usage": strings.Join(usageB, " ")})
		}
	}
	const widths, halves, counts = ".16x64b .16x128b .16x256b .32x32b", ".16x32bx2", ".x1 .x2 .x4 .x8 .x16 .x32 .x64 .x128"
	for _, s := range []struct{ shapes, offset string }{{widths, ""}, {halves, ", offset"}} {
		add("tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32 r, [a]"+s.offset, "r:b32*?:w offset:u32:imm", Mods{"shape": s.shapes, "num": counts})
		add("tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32 [a]"+s.offset+", r", "r:b32*? offset:u32:imm", Mods{"shape": s.shapes, "num": counts})
	}
	for _, s := range []struct{ shapes, offset string }{{".32x32b", ""}, {halves, ", offset"}} {
		add("tcgen05.ld.red.sync.aligned.shape.num.op{.abs}{.NaN}.f32 r, value, [a]"+s.offset, "r:b32*?:w value:f32:w offset:u32:imm", Mods{"shape": s.shapes, "num": counts, "op": ".min .max"})
		add("tcgen05.ld.red.sync.aligned.shape.num.op.type r, value, [a]"+s.offset, "r:b32*?:w value:type:w offset:u32:imm", Mods{"shape": s.shapes, "num": counts, "op": ".min .max", "type": ".u32 .s32"})
	}
	for i := range rows {
		if strings.Contains(rows[i].Syntax, ".num") {
			rows[i].Check = tensorMemoryCheck
		}
	}
	add("tcgen05.alloc.cta_group.sync.aligned{.shared::cta}.b32 [dst], columns", "columns:u32:const=32|64|128|256|512", Mods{})
	add("tcgen05.dealloc.cta_group.sync.aligned.b32 a, columns", "columns:u32:const=32|64|128|256|512", Mods{})
	add("tcgen05.relinquish_alloc_permit.cta_group.sync.aligned", "", Mods{})
	add("tcgen05.wait.sync.aligned", "", Mods{"wait": ".wait::ld .wait::st"})
	add("tcgen05.cp.cta_group.shape{.multicast}{.dst_fmt.src_fmt} [a], s-desc", "s-desc:b64", Mods{
		"shape": ".128x256b .4x256b .128x128b .64x128b .32x128b", "multicast": ".warpx2::02_13 .warpx2::01_23 .warpx4",
		"dst_fmt": ".b8x16", "src_fmt": ".b6x16_p32 .b4x16_p64",
	})
	add("tcgen05.shift.cta_group.down [a]", "", Mods{})
	add("tcgen05.commit.cta_group.mbarrier::arrive::one{.shared::cluster}{.multicast::cluster}.b64 [mbar]{, ctaMask}", "ctaMask:b16:when=.multicast::cluster", Mods{})
	add("tcgen05.fence", "", Mods{"fence": ".fence::before_thread_sync .fence::after_thread_sync"})
	return parseOnly(Row{
		Since: Since{PTX: 86, SM: 100, Arch: "f"}, Unit: Tensor, Class: ClassMisc,
		Unsupported: "fifth-generation tensor core instructions (tcgen05) are not executed yet",
	}, rows)
}

// tensorMemoryCheck compares the registers of a tcgen05.ld or st with its shape and count.
func tensorMemoryCheck(f *Form) string {
	count, _ := strconv.Atoi(strings.TrimPrefix(f.Get("num"), ".x"))
	switch f.Get("shape") {
	case ".16x128b":
		count *= 2
	case ".16x256b":
		count *= 4
	}
	for _, a := range f.Args {
		if a.Name == "r" && max(a.Vector, 1) != count {
			return fmt.Sprintf("r takes %d registers, found %d", count, max(a.Vector, 1))
		}
	}
	if count > 128 {
		return "more than 128 registers"
	}
	return ""
}
