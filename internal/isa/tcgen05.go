package isa

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The targets that have tensor memory, and those that have single features of it (PTX ISA, the target notes of each tcgen05
// instruction, and ptxas 13.0).
const (
	tensorTargets    = "100f 110f"
	tensorSuffixed   = "100a 103a 110a" // no family has the feature
	integerTargets   = "100a 110a"
	reductionTargets = "103f 110f"
)

const shiftReason = "the manual leaves open whether rows move to the next lane or from it"

// tensorMemoryRows holds the fifth-generation tensor core instructions and their memory.
func tensorMemoryRows() []Row {
	const group, columns = "cta_group", "columns:u32:const=32|64|128|256|512"
	since := Since{PTX: 86, SM: 100, On: tensorTargets}
	rows := append(tensorProductRows(), tensorMoveRows()...)
	add := func(op Op, syntax, types string, mods Mods) {
		rows = append(rows, Row{Syntax: syntax, Types: types, Mods: mods, Op: op})
	}
	add(OpTensorMemory, "tcgen05.alloc.cta_group.sync.aligned{.shared::cta}.b32 [dst], columns", columns, Mods{})
	add(OpTensorMemory, "tcgen05.dealloc.cta_group.sync.aligned.b32 a, columns", "columns:u32:const=x32", Mods{})
	add(OpTensorMemory, "tcgen05.relinquish_alloc_permit.cta_group.sync.aligned", "", Mods{})
	// Loads and stores are made, and products computed, at once.
	add(OpNop, "tcgen05.wait.sync.aligned", "", Mods{"wait": ".wait::ld .wait::st"})
	add(OpFence, "tcgen05.fence", "", Mods{"fence": ".fence::before_thread_sync .fence::after_thread_sync"})
	add(OpNone, "tcgen05.cp.cta_group.4x256b{.dst_fmt.src_fmt} [a], s-desc", "a:b32:narrow s-desc:b64", Mods{
		"dst_fmt": ".b8x16", "src_fmt": ".b6x16_p32 .b4x16_p64",
	})
	rows[len(rows)-1].Unsupported = "the manual does not tell which lanes four rows go to"
	add(OpAsync, "tcgen05.cp.cta_group.shape{.multicast}{.dst_fmt.src_fmt} [a], s-desc", "a:b32:narrow s-desc:b64", Mods{
		"shape": ".128x256b .128x128b .64x128b .32x128b", "multicast": ".warpx2::02_13 .warpx2::01_23 .warpx4",
		"dst_fmt": ".b8x16", "src_fmt": ".b6x16_p32 .b4x16_p64",
	})
	rows[len(rows)-1].Check = tensorCopyCheck
	add(OpNone, "tcgen05.shift.cta_group.down [a]", "a:b32:narrow", Mods{})
	rows[len(rows)-1].Since, rows[len(rows)-1].Unsupported = since.and(Since{On: tensorSuffixed}), shiftReason
	add(OpAsync, "tcgen05.commit.cta_group.mbarrier::arrive::one{.shared::cluster}{.multicast::cluster}.b64 [mbar]{, ctaMask}", "ctaMask:b16:when=.multicast::cluster", Mods{})
	for i := range rows {
		r := &rows[i]
		r.Unit, r.Class = Tensor, ClassMisc
		r.Mods[group] = ".cta_group::1 .cta_group::2"
		if r.Since.PTX == 0 {
			r.Since = since
		}
	}
	return rows
}

// tensorProductRows holds tcgen05.mma.
func tensorProductRows() []Row {
	const (
		kinds  = ".kind::f16 .kind::tf32 .kind::f8f6f4 .kind::i8"
		scaled = ".kind::mxf8f6f4 .kind::mxf4 .kind::mxf4nvf4"
		scales = ".scale_vec::1X .scale_vec::2X .scale_vec::4X .block16 .block32"
		usageA = ".collector::a::fill .collector::a::use .collector::a::lastuse .collector::a::discard"
		types  = "a-desc:b64 b-desc:b64 idesc:b32 disable-output-lane:b32*? enable-input-d:pred scale-input-d:u32:imm=0..15 zero-column-mask:b64" +
			" d:b32:narrow a:b32:narrow sp-meta:b32:narrow scale-a:b32:narrow scale-b:b32:narrow"
	)
	var usageB []string
	for _, buffer := range []string{"b0", "b1", "b2", "b3"} {
		for _, op := range []string{"fill", "use", "lastuse", "discard"} {
			usageB = append(usageB, ".collector::"+buffer+"::"+op)
		}
	}
	var rows []Row
	add := func(syntax string, mods Mods) {
		rows = append(rows, Row{Syntax: syntax, Types: types, Mods: mods, Op: OpAsync, Need: tensorProductNeed, Check: tensorProductCheck})
	}
	// A shifted A, in tensor memory only, is not executed.
	shifts := []struct{ operand, ashift string }{{"a-desc", ""}, {"[a]", ""}, {"[a]", ".ashift"}}
	for _, sparse := range []struct{ mod, meta string }{{"", ""}, {".sp", "[sp-meta], "}} {
		for _, a := range shifts {
			before := len(rows)
			operands := " [d], " + a.operand + ", b-desc, " + sparse.meta + "idesc"
			head := "tcgen05.mma" + sparse.mod + ".cta_group"
			add(head+".kind"+a.ashift+"{.usage}"+operands+"{, disable-output-lane}, enable-input-d{, scale-input-d}", Mods{"kind": kinds, "usage": usageA})
			if a.ashift != "" {
				for i := range rows[before:] {
					rows[before+i].Op, rows[before+i].Unsupported = OpNone, shiftReason
				}
				continue
			}
			add(head+".kind.block_scale{.scale_vectorsize}{.usage}"+operands+", [scale-a], [scale-b], enable-input-d",
				Mods{"kind": scaled, "scale_vectorsize": scales, "usage": usageA})
			add("tcgen05.mma.ws"+sparse.mod+".cta_group::1.kind{.usage}"+operands+", enable-input-d{, zero-column-mask}",
				Mods{"kind": kinds, "usage": strings.Join(usageB, " ")})
		}
	}
	return rows
}

// tensorProductNeed gives what the kind and the scales of a tcgen05.mma need.
func tensorProductNeed(f *Form) (need Since) {
	scales := f.Get("scale_vectorsize")
	switch kind := f.Get("kind"); {
	case kind == ".kind::i8":
		need.On = integerTargets
	case strings.HasPrefix(scales, ".scale_vec"), f.Has(".sp") && strings.HasPrefix(kind, ".kind::mxf4"):
		need.On = tensorSuffixed
	case f.Args[len(f.Args)-1].Name == "scale-input-d":
		need.On = "100f"
	}
	switch {
	case f.Has(".block_scale") && !strings.HasPrefix(scales, ".scale_vec"):
		need.PTX = 88 // without a size of the scale vector, that is .block32
	case f.Get("kind") == ".kind::mxf4nvf4":
		need.PTX = 87
	}
	return need
}

// tensorProductCheck refuses what the modifiers and operands of a tcgen05.mma do not allow together.
func tensorProductCheck(f *Form) string {
	if f.Has(".ashift") && (f.Has(".collector::a::fill") || f.Has(".collector::a::use")) {
		return ".ashift can not be combined with " + f.Get("usage")
	}
	kind := f.Get("kind")
	if f.Has(".block_scale") {
		allowed := map[string]string{
			".kind::mxf8f6f4": "|.scale_vec::1X|.block32", ".kind::mxf4": "|.scale_vec::2X|.block32",
			".kind::mxf4nvf4": ".scale_vec::2X|.scale_vec::4X|.block16|.block32",
		}[kind]
		if !slices.Contains(strings.Split(allowed, "|"), f.Get("scale_vectorsize")) {
			return fmt.Sprintf("%s takes %s", kind, strings.ReplaceAll(strings.Trim(allowed, "|"), "|", " or "))
		}
	}
	masked := false
	lanes := 4 // registers with a bit for each lane
	if f.Has(".cta_group::2") {
		lanes = 8
	}
	for _, a := range f.Args {
		if a.Name == "disable-output-lane" && a.Vector != lanes {
			return fmt.Sprintf("disable-output-lane takes a vector of %d registers, found %d", lanes, a.Vector)
		}
		masked = masked || a.Name == "disable-output-lane"
		// ptxas takes it for sums of integers, which are not scaled.
		if a.Name == "scale-input-d" && (kind == ".kind::f8f6f4" || kind == ".kind::i8" && f.Has(".sp") && masked) {
			return "scale-input-d is for .kind::f16 and .kind::tf32"
		}
	}
	return ""
}

// tensorMoveRows holds the moves between tensor memory and registers.
func tensorMoveRows() []Row {
	const widths, halves = ".16x64b .16x128b .16x256b .32x32b", ".16x32bx2"
	const counts, reduced = ".x1 .x2 .x4 .x8 .x16 .x32 .x64 .x128", ".x2 .x4 .x8 .x16 .x32 .x64 .x128"
	var rows []Row
	add := func(syntax, types string, mods Mods) {
		rows = append(rows, Row{Syntax: syntax, Types: types, Mods: mods, Op: OpTensorMemory, Check: tensorMemoryCheck})
	}
	for _, s := range []struct{ shapes, offset string }{{widths, ""}, {halves, ", offset"}} {
		add("tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32 r, [a]"+s.offset, "r:b32*?:w a:b32:narrow offset:u32:imm", Mods{"shape": s.shapes, "num": counts})
		add("tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32 [a]"+s.offset+", r", "r:b32*? a:b32:narrow offset:u32:imm", Mods{"shape": s.shapes, "num": counts})
	}
	for _, s := range []struct{ shapes, offset string }{{".32x32b", ""}, {halves, ", offset"}} {
		add("tcgen05.ld.red.sync.aligned.shape.num.op{.abs}{.NaN}.f32 r, value, [a]"+s.offset, "r:b32*?:w value:f32:w a:b32:narrow offset:u32:imm", Mods{"shape": s.shapes, "num": reduced, "op": ".min .max"})
		add("tcgen05.ld.red.sync.aligned.shape.num.op.type r, value, [a]"+s.offset, "r:b32*?:w value:type:w a:b32:narrow offset:u32:imm", Mods{"shape": s.shapes, "num": reduced, "op": ".min .max", "type": ".u32 .s32"})
	}
	for i := range rows {
		if strings.HasPrefix(rows[i].Syntax, "tcgen05.ld.red") {
			rows[i].Since = Since{PTX: 88, SM: 100, On: reductionTargets}
		}
	}
	return rows
}

// TensorMove is a tcgen05.ld or tcgen05.st form, decoded.
type TensorMove struct {
	Store bool
	// Lanes and Words are the extent of the shape: lanes of tensor memory and 32-bit columns of each, before Repeat.
	// Halves is set for .16x32bx2, which makes two accesses.
	Lanes, Words, Repeat int
	Halves               bool
	// Packed moves the low halves of two columns in one register.
	Packed bool
	// Reduce tells that the columns of a lane are reduced, too.
	Reduce bool
}

// TensorMoveOf decodes a tcgen05.ld or tcgen05.st form.
func TensorMoveOf(f *Form) TensorMove {
	shape := f.Get("shape")
	m := TensorMove{
		Store: f.Has(".st"), Reduce: f.Has(".red"), Packed: f.Has(".pack::16b") || f.Has(".unpack::16b"), Lanes: 16,
		Halves: shape == ".16x32bx2",
	}
	m.Repeat, _ = strconv.Atoi(strings.TrimPrefix(f.Get("num"), ".x"))
	switch shape {
	case ".16x64b":
		m.Words = 2
	case ".16x128b":
		m.Words = 4
	case ".16x256b":
		m.Words = 8
	case ".32x32b":
		m.Lanes, m.Words = 32, 1
	case ".16x32bx2":
		m.Words = 1
	}
	return m
}

// Registers returns the number of registers that each lane of a warp moves.
func (m TensorMove) Registers() int {
	if m.Halves {
		return m.Repeat
	}
	return m.Lanes * m.Words * m.Repeat / 32
}

// tensorMemoryCheck compares the registers of a tcgen05.ld or st with its shape and count.
func tensorMemoryCheck(f *Form) string {
	count := TensorMoveOf(f).Registers()
	for _, a := range f.Args {
		if a.Name == "r" && a.Vector != count {
			return fmt.Sprintf("r takes a vector of %d registers, found %d", count, max(a.Vector, 1))
		}
	}
	if count > 128 {
		return "more than 128 registers"
	}
	return ""
}

// tensorCopyCheck refuses shapes of a tcgen05.cp with other multicasts than theirs.
func tensorCopyCheck(f *Form) string {
	shape, multicast := f.Get("shape"), f.Get("multicast")
	switch shape {
	case ".64x128b":
		if !strings.HasPrefix(multicast, ".warpx2") {
			return shape + " needs .warpx2::02_13 or .warpx2::01_23"
		}
	case ".32x128b":
		if multicast != ".warpx4" {
			return shape + " needs .warpx4"
		}
	default:
		if multicast != "" {
			return fmt.Sprintf("%s does not take %s", shape, multicast)
		}
	}
	return ""
}
