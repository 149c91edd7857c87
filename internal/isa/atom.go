package isa

import (
	"silica/internal/fp"
)

// atomSpace lists the spaces of atom and red; without one the address is generic.
const atomSpace = ".global .shared .shared::cta .shared::cluster"

// atomOps are the operations of atom and red on scalars with the types each takes. In the manual's
// table .exch and .cas belong to atom only.
var atomOps = [...]struct{ op, types string }{
	{".and", ".b32 .b64"},
	{".or", ".b32 .b64"},
	{".xor", ".b32 .b64"},
	{".add", ".u32 .s32 .u64 .f32 .f64"},
	{".inc", ".u32"},
	{".dec", ".u32"},
	{".min", ".u32 .s32 .u64 .s64"},
	{".max", ".u32 .s32 .u64 .s64"},
	{".add.noftz", ".f16 .f16x2 .bf16 .bf16x2"},
}

// atomVectors are the operations on vectors, which exist in global memory only.
var atomVectors = [...]struct{ op, vec, types string }{
	{".add", ".v2 .v4", ".f32"},
	{".op.noftz", ".v2 .v4 .v8", ".f16 .bf16"},
	{".op.noftz", ".v2 .v4", ".f16x2 .bf16x2"},
}

func atomRows() []Row {
	const head = "atom{.sem}{.scope}"
	base := Row{
		Since: Since{PTX: 11, SM: 11, Mod: accessSince()}, Need: atomNeed,
		Unit: LSU, Class: ClassMemory, Op: OpAtom,
		Types:   "d:type*vec:sink b:type*vec policy:u64:when=.L2::cache_hint",
		Combine: combine, Check: atomCheck,
	}
	row := func(syntax, types string) Row {
		r := base
		r.Syntax = syntax
		r.Mods = Mods{"sem": ".relaxed .acquire .release .acq_rel", "scope": scopes, "space": atomSpace, "type": types}
		return r
	}
	var rows []Row
	for _, o := range atomOps {
		rows = append(rows, row(head+"{.space}"+o.op+"{.L2::cache_hint}.type d, [a], b{, policy}", o.types))
	}
	rows = append(rows,
		row(head+"{.space}.exch{.L2::cache_hint}.type d, [a], b{, policy}", ".b32 .b64 .b128"),
		row(head+"{.space}.cas.type d, [a], b, c", ".b16 .b32 .b64 .b128"))
	for _, o := range atomVectors {
		r := row(head+"{.global}"+o.op+"{.L2::cache_hint}.vec.type d, [a], b{, policy}", o.types)
		r.Mods["op"], r.Mods["vec"] = ".add .min .max", o.vec
		rows = append(rows, r)
	}
	return rows
}

func redRows() []Row {
	const head = "red{.sem}{.scope}"
	base := Row{
		Since: Since{PTX: 12, SM: 11, Mod: accessSince()}, Need: atomNeed,
		Unit: LSU, Class: ClassMemory, Op: OpRed,
		Types:   "b:type*vec policy:u64:when=.L2::cache_hint",
		Combine: combine, Check: atomCheck,
	}
	row := func(syntax, types string) Row {
		r := base
		r.Syntax = syntax
		r.Mods = Mods{"sem": ".relaxed .release", "scope": scopes, "space": atomSpace, "type": types}
		return r
	}
	var rows []Row
	for _, o := range atomOps {
		rows = append(rows, row(head+"{.space}"+o.op+"{.L2::cache_hint}.type [a], b{, policy}", o.types))
	}
	for _, o := range atomVectors {
		r := row(head+"{.global}"+o.op+"{.L2::cache_hint}.vec.type [a], b{, policy}", o.types)
		r.Mods["op"], r.Mods["vec"] = ".add .min .max", o.vec
		rows = append(rows, r)
	}
	return rows
}

// atomCheck refuses cache hints on shared memory.
func atomCheck(f *Form) string { return hintCheck(f, AccessOf(f)) }

// atomNeed gives the targets that the PTX manual names for the types, scopes and spaces of atom and red.
func atomNeed(f *Form) Since {
	var need Since
	switch a := AccessOf(f); {
	case a.Space == Generic, a.Space == Shared && a.Type.Bits() == 64:
		need = need.and(Since{PTX: 20, SM: 20})
	case a.Space == Shared:
		need = need.and(Since{PTX: 12, SM: 12})
	}
	op := CombineOp(f)
	switch t := ParseType(f.Get("type")); {
	case f.Get("vec") != "":
		need = need.and(Since{PTX: 81, SM: 90})
	case t == B128:
		need = need.and(Since{PTX: 83, SM: 90})
	case t == BF16 || t == BF16x2:
		need = need.and(Since{PTX: 78, SM: 90})
	case t == F16x2:
		need = need.and(Since{PTX: 62, SM: 60})
	case t == F16 || t == B16:
		need = need.and(Since{PTX: 63, SM: 70})
	case t == F64:
		need = need.and(Since{PTX: 50, SM: 60})
	case t == F32:
		need = need.and(Since{PTX: 20, SM: 20})
	case t == S64 || t.Bits() == 64 && op != ".add" && op != ".exch" && op != ".cas":
		need = need.and(Since{PTX: 31, SM: 32})
	case t.Bits() == 64:
		need = need.and(Since{PTX: 12, SM: 12})
	}
	switch {
	case f.Get("sem") != "":
		need = need.and(Since{PTX: 60, SM: 70})
	case f.Get("scope") != "":
		need = need.and(Since{PTX: 50, SM: 60})
	}
	return need
}

// combine binds an atom or red form for the space it names; see CombineIn.
func combine(f *Form) CombineFunc { return CombineIn(f, AccessOf(f).Space) }

// CombineIn returns what an atom or red form stores when its address lies in space. The space matters
// for floating-point additions: global memory's units flush f32 denormals and pass a signalling f64
// NaN on, the others keep denormals and quiet NaNs. An engine that meets a generic address binds the form
// once for Global and once for Shared and picks by the address. Generic counts as Global.
//
// Vector forms combine element by element. Of a 128-bit exchange the function gives each half; a
// 128-bit compare-and-swap has none (nil): see Combine128.
func CombineIn(f *Form, space Space) CombineFunc {
	return CombineOf(CombineOp(f), ParseType(f.Get("type")), space)
}

// CombineOf is CombineIn for an operation (".add") on elements of type t.
func CombineOf(op string, t Type, space Space) CombineFunc {
	global := space == Global || space == Generic
	switch op {
	case ".exch":
		return func(old, b, c uint64) uint64 { return b }
	case ".cas":
		if t == B128 {
			return nil
		}
		return func(old, b, c uint64) uint64 {
			if old == b {
				return c
			}
			return old
		}
	case ".and":
		return func(old, b, c uint64) uint64 { return old & b }
	case ".or":
		return func(old, b, c uint64) uint64 { return old | b }
	case ".xor":
		return func(old, b, c uint64) uint64 { return old ^ b }
	case ".inc":
		return func(old, b, c uint64) uint64 {
			if old >= b {
				return 0
			}
			return old + 1
		}
	case ".dec":
		return func(old, b, c uint64) uint64 {
			if old == 0 || old > b {
				return b
			}
			return old - 1
		}
	case ".add":
		if space == SharedCluster && t.Pack() == 2 {
			// An H200 adds packed halves in the shared memory of a cluster as one 32-bit integer.
			t = U32
		}
		return addIn(t, global)
	}
	return extremum(t, op == ".max")
}

// CombineOp returns the operation of an atom, red or redux form: ".add", ".cas", ...
func CombineOp(f *Form) string {
	for _, m := range f.Mods {
		switch m {
		case ".and", ".or", ".xor", ".add", ".inc", ".dec", ".min", ".max", ".exch", ".cas":
			return m
		}
	}
	return ""
}

func addIn(t Type, global bool) CombineFunc {
	switch t {
	case F32:
		mode := fp.RN
		if global {
			mode |= fp.Ftz
		}
		return func(old, b, c uint64) uint64 { return uint64(fp.Add32(uint32(old), uint32(b), mode)) }
	case F64:
		if global {
			return addGlobal64
		}
		return func(old, b, c uint64) uint64 { return fp.Add64(old, b, fp.RN) }
	case F16, BF16:
		format := halfFormat(t)
		return func(old, b, c uint64) uint64 { return uint64(fp.Add16(format, uint16(old), uint16(b), fp.RN)) }
	case F16x2, BF16x2:
		format := halfFormat(t)
		return func(old, b, c uint64) uint64 { return uint64(fp.Add16x2(format, uint32(old), uint32(b), fp.RN)) }
	}
	if t.Bits() == 64 {
		return func(old, b, c uint64) uint64 { return old + b }
	}
	return func(old, b, c uint64) uint64 { return uint64(uint32(old) + uint32(b)) }
}

// addGlobal64 adds f64 as global memory's units do: a NaN operand comes through with all its bits.
func addGlobal64(old, b, _ uint64) uint64 {
	const infinity = 0x7FF << 52
	switch {
	case b&^(1<<63) > infinity:
		return b
	case old&^(1<<63) > infinity:
		return old
	}
	return fp.Add64(old, b, fp.RN)
}

// extremum returns the smaller or larger of two values of type t.
func extremum(t Type, larger bool) CombineFunc {
	switch t {
	case F16, BF16:
		format, choose := halfFormat(t), fp.Min16
		if larger {
			choose = fp.Max16
		}
		return func(old, b, c uint64) uint64 { return uint64(choose(format, uint16(old), uint16(b), fp.RN)) }
	case F16x2, BF16x2:
		format, choose := halfFormat(t), fp.Min16x2
		if larger {
			choose = fp.Max16x2
		}
		return func(old, b, c uint64) uint64 { return uint64(choose(format, uint32(old), uint32(b), fp.RN)) }
	}
	// Flipping the sign bit of signed values lets one unsigned comparison order both.
	var flip uint64
	if t.Kind() == Signed {
		flip = 1 << (t.Bits() - 1)
	}
	if larger {
		return func(old, b, c uint64) uint64 { return max(old^flip, b^flip) ^ flip }
	}
	return func(old, b, c uint64) uint64 { return min(old^flip, b^flip) ^ flip }
}

func halfFormat(t Type) fp.Format {
	if t == BF16 || t == BF16x2 {
		return fp.BF16
	}
	return fp.F16
}

// Combine128Func is CombineFunc for values of 128 bits, low half first.
type Combine128Func func(old, b, c [2]uint64) [2]uint64

// Combine128 returns the semantics of an atom form of type .b128 (exch, cas), nil for any other.
func Combine128(f *Form) Combine128Func {
	if f.Get("type") != ".b128" {
		return nil
	}
	if CombineOp(f) == ".exch" {
		return func(old, b, c [2]uint64) [2]uint64 { return b }
	}
	return func(old, b, c [2]uint64) [2]uint64 {
		if old == b {
			return c
		}
		return old
	}
}
