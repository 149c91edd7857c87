package isa

import (
	"fmt"
	"strconv"
	"strings"
)

// Of a matrix instruction, every lane gives and takes a fragment of each matrix: a vector of 32-bit
// registers (64-bit for f64) that hold as many elements as fit. The rows write fragments as "*?", and
// fragmentCheck compares their lengths with what shape and types ask for.

// fragmentRegister is the type of the registers of a fragment whose elements have one of the given types.
func fragmentRegister(types string) string {
	switch types {
	case ".f64", ".f32", ".s32":
		return types[1:]
	}
	return "b32"
}

// fragmentLength is the number of registers that each of lanes lanes holds of a matrix with elements of the given width.
func fragmentLength(elements, bits, lanes int) int {
	register := max(bits, 32)
	return max(1, elements*bits/(lanes*register))
}

// matrixShape reads ".m16n8k16".
func matrixShape(mod string) (m, n, k int) {
	sizes := strings.FieldsFunc(mod, func(r rune) bool { return strings.ContainsRune(".mnk", r) })
	if len(sizes) != 3 {
		return 0, 0, 0
	}
	m, _ = strconv.Atoi(sizes[0])
	n, _ = strconv.Atoi(sizes[1])
	k, _ = strconv.Atoi(sizes[2])
	return m, n, k
}

// wantFragment compares the length of one operand.
func wantFragment(f *Form, name string, length int) string {
	for _, a := range f.Args {
		if a.Name == name && max(a.Vector, 1) != length {
			return fmt.Sprintf("%s takes a vector of %d registers, found %d", name, length, max(a.Vector, 1))
		}
	}
	return ""
}

// mmaForm is a line of the manual's table of mma shapes and types. Each of d, a, b and c lists
// alternatives; a and b vary independently.
type mmaForm struct {
	shapes   string
	mods     string // between the layouts and the types
	d, ab, c string
	tail     string // after the types
	scales   string // alternatives of .stype in block-scaled forms
	kind     string
	since    Since
}

var (
	volta  = Since{PTX: 64, SM: 70}
	turing = Since{PTX: 65, SM: 75}
	ampere = Since{PTX: 70, SM: 80}
	// consumer is the consumer Blackwell, whose mma instructions know kinds and scales.
	consumer = Since{PTX: 87, SM: 120, Arch: "f"}
	// consumerOnly is what no family of it has.
	consumerOnly = Since{PTX: 87, SM: 120, On: "120a 121a"}
	// blackwell is the first with kinds, of which it has those of 8-bit floats.
	blackwell = Since{PTX: 86, SM: 100, Arch: "f"}
)

const (
	fp8Types  = ".e4m3 .e5m2"
	fp468     = ".e4m3 .e5m2 .e3m2 .e2m3 .e2m1"
	byteTypes = ".u8 .s8"
	nibbles   = ".u4 .s4"
)

// mmaForms are the dense products.
var mmaForms = [...]mmaForm{
	{shapes: ".m16n8k8", d: ".f16", ab: ".f16", c: ".f16", since: turing},
	{shapes: ".m16n8k8", d: ".f32", ab: ".f16", c: ".f32", since: turing},
	{shapes: ".m16n8k16", d: ".f16", ab: ".f16", c: ".f16", since: ampere},
	{shapes: ".m16n8k16", d: ".f32", ab: ".f16", c: ".f32", since: ampere},
	{shapes: ".m16n8k8 .m16n8k16", d: ".f32", ab: ".bf16", c: ".f32", since: ampere},
	{shapes: ".m16n8k4 .m16n8k8", d: ".f32", ab: ".tf32", c: ".f32", since: ampere},
	{shapes: ".m16n8k32", d: ".f32", ab: fp8Types, c: ".f32", since: Since{PTX: 84, SM: 89}},
	{shapes: ".m16n8k16", d: ".f32", ab: fp8Types, c: ".f32", since: Since{PTX: 87, SM: 89}},
	{shapes: ".m16n8k16 .m16n8k32", d: ".f16", ab: fp8Types, c: ".f16", since: Since{PTX: 87, SM: 89}},
	{shapes: ".m16n8k16", mods: ".kind", kind: ".kind::f8f6f4", d: ".f32", ab: fp8Types, c: ".f32", since: blackwell.and(Since{PTX: 87})},
	{shapes: ".m16n8k16", mods: ".kind", kind: ".kind::f8f6f4", d: ".f16", ab: fp8Types, c: ".f16", since: blackwell.and(Since{PTX: 87})},
	{shapes: ".m16n8k32", mods: ".kind", kind: ".kind::f8f6f4", d: ".f32", ab: fp468, c: ".f32", since: blackwell},
	{shapes: ".m16n8k32", mods: ".kind", kind: ".kind::f8f6f4", d: ".f16", ab: fp468, c: ".f16", since: blackwell.and(Since{PTX: 87})},
	{shapes: ".m16n8k64", mods: ".kind.block_scale{.scale_vec::2X}", kind: ".kind::mxf4", d: ".f32", ab: ".e2m1", c: ".f32", scales: ".ue8m0", since: consumer},
	{shapes: ".m16n8k64", mods: ".kind.block_scale.scale_vec::2X", kind: ".kind::mxf4nvf4", d: ".f32", ab: ".e2m1", c: ".f32", scales: ".ue8m0", since: consumer},
	{shapes: ".m16n8k64", mods: ".kind.block_scale.scale_vec::4X", kind: ".kind::mxf4nvf4", d: ".f32", ab: ".e2m1", c: ".f32", scales: ".ue4m3", since: consumer},
	{shapes: ".m16n8k32", mods: ".kind.block_scale{.scale_vec::1X}", kind: ".kind::mxf8f6f4", d: ".f32", ab: fp468, c: ".f32", scales: ".ue8m0", since: consumer},
	{shapes: ".m8n8k4", mods: "{.rnd}", d: ".f64", ab: ".f64", c: ".f64", since: ampere},
	{shapes: ".m16n8k4 .m16n8k8 .m16n8k16", mods: "{.rnd}", d: ".f64", ab: ".f64", c: ".f64", since: Since{PTX: 78, SM: 90}},
	{shapes: ".m8n8k16", mods: "{.satfinite}", d: ".s32", ab: byteTypes, c: ".s32", since: turing},
	{shapes: ".m16n8k16 .m16n8k32", mods: "{.satfinite}", d: ".s32", ab: byteTypes, c: ".s32", since: ampere},
	{shapes: ".m8n8k32", mods: "{.satfinite}", d: ".s32", ab: nibbles, c: ".s32", since: turing},
	{shapes: ".m16n8k32 .m16n8k64", mods: "{.satfinite}", d: ".s32", ab: nibbles, c: ".s32", since: ampere},
	{shapes: ".m8n8k128", d: ".s32", ab: ".b1", c: ".s32", tail: ".bitOp.popc", since: Since{PTX: 70, SM: 75, Mod: map[string]Since{".and": {PTX: 71, SM: 80}}}},
	{shapes: ".m16n8k128 .m16n8k256", d: ".s32", ab: ".b1", c: ".s32", tail: ".bitOp.popc", since: Since{PTX: 70, SM: 80, Mod: map[string]Since{".and": {PTX: 71}}}},
}

// mmaSparseForms are the products whose first matrix has every other element left out.
var mmaSparseForms = [...]mmaForm{
	{shapes: ".m16n8k16 .m16n8k32", d: ".f16", ab: ".f16", c: ".f16"},
	{shapes: ".m16n8k16 .m16n8k32", d: ".f32", ab: ".f16", c: ".f32"},
	{shapes: ".m16n8k16 .m16n8k32", d: ".f32", ab: ".bf16", c: ".f32"},
	{shapes: ".m16n8k8 .m16n8k16", d: ".f32", ab: ".tf32", c: ".f32"},
	{shapes: ".m16n8k64", d: ".f32", ab: fp8Types, c: ".f32", since: Since{PTX: 84, SM: 89}},
	{shapes: ".m16n8k64", mods: ".kind", kind: ".kind::f8f6f4", d: ".f32", ab: fp468, c: ".f32", since: blackwell},
	{shapes: ".m16n8k64", mods: ".kind", kind: ".kind::f8f6f4", d: ".f16", ab: fp468, c: ".f16", since: consumer},
	{shapes: ".m16n8k128", mods: ".kind.block_scale{.scale_vec::2X}", kind: ".kind::mxf4", d: ".f32", ab: ".e2m1", c: ".f32", scales: ".ue8m0", since: consumerOnly},
	{shapes: ".m16n8k128", mods: ".kind.block_scale.scale_vec::2X", kind: ".kind::mxf4nvf4", d: ".f32", ab: ".e2m1", c: ".f32", scales: ".ue8m0", since: consumerOnly},
	{shapes: ".m16n8k128", mods: ".kind.block_scale.scale_vec::4X", kind: ".kind::mxf4nvf4", d: ".f32", ab: ".e2m1", c: ".f32", scales: ".ue4m3", since: consumerOnly},
	{shapes: ".m16n8k64", mods: ".kind.block_scale{.scale_vec::1X}", kind: ".kind::mxf8f6f4", d: ".f32", ab: fp468, c: ".f32", scales: ".ue8m0", since: consumer},
	{shapes: ".m16n8k32 .m16n8k64", mods: "{.satfinite}", d: ".s32", ab: byteTypes, c: ".s32"},
	{shapes: ".m16n8k64 .m16n8k128", mods: "{.satfinite}", d: ".s32", ab: nibbles, c: ".s32"},
}

func mmaRows() []Row {
	var rows []Row
	add := func(head, layouts, operands, extra string, o mmaForm) {
		r := Row{
			Syntax: head + ".sync.aligned.shape" + layouts + o.mods + ".dtype.atype.btype.ctype" + o.tail,
			Mods: Mods{
				"shape": o.shapes, "dtype": o.d, "atype": o.ab, "btype": o.ab, "ctype": o.c, "kind": o.kind, "stype": o.scales,
				"alayout": ".row .col", "blayout": ".row .col", "spvariant": ".sp .sp::ordered_metadata",
				"rnd": ".rn .rz .rm .rp", "bitOp": ".xor .and", "scale_vec": ".scale_vec::2X .scale_vec::4X",
			},
			Types: "d:" + fragmentRegister(o.d) + "*?:w c:" + fragmentRegister(o.c) + "*?" +
				" a:" + fragmentRegister(o.ab) + "*? b:" + fragmentRegister(o.ab) + "*?" +
				" scale-a:b32 ids-a:u16*2:const=" + o.byteIDs() + ",0..1 scale-b:b32 ids-b:u16*2:const=" + o.byteIDs() + ",0..3" + extra,
			Since: o.since, Check: mmaCheck, Op: OpWarp, Warp: productWarp,
		}
		if o.kind != "" {
			r.Need = kindNeed
		}
		if o.scales != "" {
			r.Syntax += ".stype"
			operands += ", scale-a, ids-a, scale-b, ids-b"
		}
		r.Syntax += operands
		rows = append(rows, r)
	}
	for _, d := range []string{".f16", ".f32"} {
		for _, c := range []string{".f16", ".f32"} {
			if d == ".f32" || c == ".f16" {
				add("mma", ".alayout.blayout", " d, a, b, c", "", mmaForm{shapes: ".m8n8k4", d: d, ab: ".f16", c: c, since: volta})
			}
		}
	}
	for _, o := range mmaForms {
		add("mma", ".row.col", " d, a, b, c", "", o)
	}
	for _, o := range mmaSparseForms {
		head := "mma.spvariant"
		if o.since.PTX == 0 {
			o.since = Since{PTX: 71, SM: 80, Mod: map[string]Since{".sp::ordered_metadata": {PTX: 85}}}
		}
		if o.kind != "" {
			head = "mma.sp::ordered_metadata"
		}
		for shape := range strings.FieldsSeq(o.shapes) {
			o.shapes = shape
			add(head, ".row.col", " d, a, b, c, e, f", fmt.Sprintf(" e:b32 f:u32:imm=0..%d", lastSelector(shape, o.ab)), o)
		}
	}
	return onTensorCores(rows)
}

// byteIDs are the bytes of a register of scales that a product may begin with.
func (o mmaForm) byteIDs() string {
	switch {
	case strings.Contains(o.mods, "::4X"):
		return "0"
	case strings.Contains(o.mods, "::2X"):
		return "0|2"
	}
	return "0..3"
}

// kindNeed gives what the types of a product with a kind need: those of 4 and 6 bits are for consumers.
func kindNeed(f *Form) Since {
	small := func(t string) bool { return ParseType(t).Bits() < 8 || t == ".e3m2" || t == ".e2m3" }
	if small(f.Get("atype")) || small(f.Get("btype")) {
		return consumer
	}
	return Since{}
}

// lastSelector returns the largest sparsity selector of a shape. It tells which of four neighbouring lanes hold the
// metadata: one of them, one of two pairs, or all.
func lastSelector(shape, types string) int {
	_, _, k := matrixShape(shape)
	first, _, _ := strings.Cut(types, " ")
	lanes := k / 16
	switch bits := ParseType(first).Bits(); {
	case bits == 32:
		lanes = k / 8
	case types == nibbles || types == ".e2m1":
		lanes = k / 32
	}
	return 4/lanes - 1
}

// onTensorCores gives rows the unit of matrix products, and those that move matrices that of memory.
func onTensorCores(rows []Row) []Row {
	for i := range rows {
		r := &rows[i]
		if r.Unit, r.Class = Tensor, ClassMisc; r.Op == OpMatrix {
			r.Unit, r.Class = LSU, ClassMemory
		}
	}
	return rows
}

// mmaCheck compares the fragments of an mma form with its shape.
func mmaCheck(f *Form) string {
	m, n, k := matrixShape(f.Get("shape"))
	a, b, c, d := ParseType(f.Get("atype")), ParseType(f.Get("btype")), ParseType(f.Get("ctype")), ParseType(f.Get("dtype"))
	copies := 1 // m8n8k4 of f16 computes four products at once
	if a == F16 && m == 8 {
		copies = 4
	}
	rowElements := m * k
	if f.Has(".sp") || f.Has(".sp::ordered_metadata") {
		rowElements /= 2
	}
	width := func(t Type) int {
		if f.Has(".kind::f8f6f4") || f.Has(".kind::mxf8f6f4") {
			return 8 // 4 and 6-bit elements stand in bytes of their own
		}
		return t.Bits()
	}
	for _, want := range [...]struct {
		name           string
		elements, bits int
	}{
		{"d", m * n, d.Bits()}, {"a", rowElements, width(a)}, {"b", k * n, width(b)}, {"c", m * n, c.Bits()},
	} {
		if text := wantFragment(f, want.name, fragmentLength(copies*want.elements, want.bits, 32)); text != "" {
			return text
		}
	}
	return ""
}

// wmmaForm is a line of the manual's table of wmma shapes and types.
type wmmaForm struct {
	shapes           string
	layoutA, layoutB string
	ab               string
	cd               []string
	since            Since
}

func wmmaRows() []Row {
	const cube, anyLayout = ".m16n16k16 .m8n32k16 .m32n8k16", ".row .col"
	forms := []wmmaForm{
		{cube, anyLayout, anyLayout, ".f16", []string{".f16", ".f32"}, Since{PTX: 60, SM: 70, Mod: map[string]Since{".m8n32k16": {PTX: 61}, ".m32n8k16": {PTX: 61}}}},
		{cube, anyLayout, anyLayout, ".bf16", []string{".f32"}, ampere},
		{cube, anyLayout, anyLayout, byteTypes, []string{".s32"}, Since{PTX: 63, SM: 72}},
		{".m16n16k8", anyLayout, anyLayout, ".tf32", []string{".f32"}, ampere},
		{".m8n8k4", anyLayout, anyLayout, ".f64", []string{".f64"}, ampere},
		{".m8n8k32", ".row", ".col", nibbles, []string{".s32"}, Since{PTX: 63, SM: 75}},
		{".m8n8k128", ".row", ".col", ".b1", []string{".s32"}, Since{PTX: 63, SM: 75, Mod: map[string]Since{".and": {PTX: 71, SM: 80}}}},
	}
	var rows []Row
	seen := map[string]bool{} // accumulators are the same for several multiplicands
	add := func(r Row) {
		if key := r.Syntax + r.Mods["shape"] + r.Mods["type"] + r.Mods["atype"]; !seen[key] {
			seen[key] = true
			rows = append(rows, r)
		}
	}
	for _, o := range forms {
		add(o.move("wmma.load.a", "r, [p]", ":w", o.layoutA, o.ab))
		add(o.move("wmma.load.b", "r, [p]", ":w", o.layoutB, o.ab))
		for _, d := range o.cd {
			add(o.move("wmma.load.c", "r, [p]", ":w", anyLayout, d))
			add(o.move("wmma.store.d", "[p], r", "", anyLayout, d))
		}
		for _, d := range o.cd {
			for _, c := range o.cd {
				rows = append(rows, o.product(d, c))
			}
		}
	}
	return onTensorCores(alignedSince63(rows))
}

// alignedSince63 adds the rows without .aligned, as PTX had them before version 6.3.
func alignedSince63(rows []Row) []Row {
	var both []Row
	for _, r := range rows {
		if r.Since.PTX < 63 {
			old := r
			old.Syntax = strings.Replace(r.Syntax, ".aligned", "", 1)
			both = append(both, old.before(63, 0))
		}
		r.Since = r.Since.and(Since{PTX: 63})
		both = append(both, r)
	}
	return both
}

// move is the row of a load or store of a fragment with elements of the given types.
func (o wmmaForm) move(head, operands, access, layouts, types string) Row {
	return Row{
		Syntax: head + ".sync.aligned.layout.shape{.ss}.type " + operands + "{, stride}",
		Mods:   Mods{"layout": layouts, "shape": o.shapes, "ss": ".global .shared .shared::cta", "type": types},
		Types:  "r:" + fragmentRegister(types) + "*?" + access + " stride:u32",
		Since:  o.since.with(".shared::cta", Since{PTX: 78}), Check: wmmaCheck, Op: OpMatrix,
	}
}

// product is the row of a wmma.mma.
func (o wmmaForm) product(d, c string) Row {
	head, types, tail := "wmma.mma", ".dtype.atype.btype.ctype", ""
	switch o.ab {
	case ".f16":
		types = ".dtype.ctype"
	case byteTypes, nibbles:
		tail = "{.satfinite}"
	case ".f64":
		types = "{.rnd}" + types
	case ".b1":
		head += ".op.popc"
	}
	ab := fragmentRegister(o.ab)
	return Row{
		Syntax: head + ".sync.aligned.alayout.blayout.shape" + types + tail + " d, a, b, c",
		Mods: Mods{
			"shape": o.shapes, "alayout": o.layoutA, "blayout": o.layoutB, "op": ".xor .and", "rnd": ".rn .rz .rm .rp",
			"dtype": d, "atype": o.ab, "btype": o.ab, "ctype": c,
		},
		Types: "d:" + fragmentRegister(d) + "*?:w a:" + ab + "*? b:" + ab + "*? c:" + fragmentRegister(c) + "*?",
		Since: o.since, Check: wmmaCheck, Op: OpWarp, Warp: productWarp,
	}
}

// wmmaCheck compares the fragments of a wmma form with its shape.
func wmmaCheck(f *Form) string {
	m, n, k := matrixShape(f.Get("shape"))
	multiplicand := func(elements int, t Type) int {
		if t == F16 {
			return 8 // every element is held twice
		}
		return fragmentLength(elements, t.Bits(), 32)
	}
	switch f.Mods[0] + f.Mods[1] {
	case ".load.a":
		return wantFragment(f, "r", multiplicand(m*k, ParseType(f.Get("type"))))
	case ".load.b":
		return wantFragment(f, "r", multiplicand(n*k, ParseType(f.Get("type"))))
	case ".load.c", ".store.d":
		return wantFragment(f, "r", fragmentLength(m*n, ParseType(f.Get("type")).Bits(), 32))
	}
	if a, b := f.Get("atype"), f.Get("btype"); a != b {
		return fmt.Sprintf("a and b must be of the same type, found %s and %s", a, b)
	}
	t := F16
	if a := f.Get("atype"); a != "" {
		t = ParseType(a)
	}
	for _, want := range [...]struct {
		name   string
		length int
	}{
		{"d", fragmentLength(m*n, ParseType(f.Get("dtype")).Bits(), 32)},
		{"a", multiplicand(m*k, t)}, {"b", multiplicand(n*k, t)},
		{"c", fragmentLength(m*n, ParseType(f.Get("ctype")).Bits(), 32)},
	} {
		if text := wantFragment(f, want.name, want.length); text != "" {
			return text
		}
	}
	return ""
}

// matrixMoveRows holds the loads and stores of 8x8 and 16x16 matrices in shared memory.
func matrixMoveRows() []Row {
	narrow, blackwell := Since{PTX: 65, SM: 75, Mod: accessSince()}, Since{PTX: 86, SM: 100, Arch: "f"}
	mods := func(counts string) Mods {
		return Mods{"num": counts, "ss": sharedState, "src_fmt": ".b6x16_p32 .b4x16_p64"}
	}
	rows := []Row{
		{Syntax: "ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 r, [p]", Types: "r:b32*num:w", Mods: mods(".x1 .x2 .x4"), Since: narrow, Op: OpMatrix},
		{Syntax: "ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8 r, [p]", Types: "r:b32*?:w", Mods: mods(".x1 .x2"), Since: blackwell, Check: matrixMoveCheck, Op: OpMatrix},
		{Syntax: "ldmatrix.sync.aligned.m8n16.num{.ss}.b8x16.src_fmt r, [p]", Types: "r:b32*num:w", Mods: mods(".x1 .x2 .x4"), Since: blackwell, Op: OpMatrix},
		{Syntax: "ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8x16.src_fmt r, [p]", Types: "r:b32*?:w", Mods: mods(".x1 .x2"), Since: blackwell, Check: matrixMoveCheck, Op: OpMatrix},
		{Syntax: "stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [p], r", Types: "r:b32*num", Mods: mods(".x1 .x2 .x4"), Since: Since{PTX: 78, SM: 90}, Op: OpMatrix},
		{Syntax: "stmatrix.sync.aligned.m16n8.num.trans{.ss}.b8 [p], r", Types: "r:b32*num", Mods: mods(".x1 .x2 .x4"), Since: blackwell, Op: OpMatrix},
	}
	for i := range rows {
		rows[i].Unit, rows[i].Class = LSU, ClassMemory
	}
	return rows
}

// matrixMoveCheck: a 16x16 matrix of bytes takes two registers.
func matrixMoveCheck(f *Form) string {
	length := 2
	if f.Get("num") == ".x2" {
		length = 4
	}
	return wantFragment(f, "r", length)
}
