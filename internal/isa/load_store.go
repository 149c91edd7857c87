package isa

import (
	"fmt"
	"maps"
)

const (
	redSem     = ".relaxed .release"
	scopes     = ".cta .cluster .gpu .sys"
	dataTypes  = ".b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64"
	loadSpace  = ".const .global .local .param .param::entry .param::func .shared .shared::cta .shared::cluster"
	storeSpace = ".global .local .param .param::func .shared .shared::cta .shared::cluster"
	evictL1    = ".L1::evict_normal .L1::evict_unchanged .L1::evict_first .L1::evict_last .L1::no_allocate"
	evictL2    = ".L2::evict_normal .L2::evict_first .L2::evict_last"
	fetchL2    = ".L2::64B .L2::128B .L2::256B"
	// hints are the modifiers that steer caches without changing results.
	hints = "{.level1::eviction_priority}{.level2::eviction_priority}{.L2::cache_hint}"
)

// and returns what both s and o ask for.
func (s Since) and(o Since) Since {
	s.PTX, s.SM = max(s.PTX, o.PTX), max(s.SM, o.SM)
	if o.Arch != "" {
		s.Arch = o.Arch
	}
	if o.On != "" {
		s.On = o.On
	}
	return s
}

// with returns s with the date of one more modifier.
func (s Since) with(mod string, since Since) Since {
	s.Mod = maps.Clone(s.Mod)
	if s.Mod == nil {
		s.Mod = map[string]Since{}
	}
	s.Mod[mod] = since
	return s
}

// accessSince dates the modifiers that all memory instructions share.
func accessSince() map[string]Since {
	mods := map[string]Since{
		".cluster":         {PTX: 78, SM: 90},
		".shared::cta":     {PTX: 78, SM: 30},
		".shared::cluster": {PTX: 78, SM: 90},
		".param::entry":    {PTX: 83},
		".param::func":     {PTX: 83},
		".L2::cache_hint":  {PTX: 74, SM: 80},
		".L2::64B":         {PTX: 74, SM: 75},
		".L2::128B":        {PTX: 74, SM: 75},
		".L2::256B":        {PTX: 74, SM: 80},
	}
	for _, m := range []string{".ca", ".cg", ".cs", ".lu", ".cv", ".wb", ".wt"} {
		mods[m] = Since{PTX: 20, SM: 20}
	}
	for _, m := range []string{".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first", ".L1::evict_last", ".L1::no_allocate"} {
		mods[m] = Since{PTX: 74, SM: 70}
	}
	for _, m := range []string{".L2::evict_normal", ".L2::evict_first", ".L2::evict_last"} {
		mods[m] = Since{PTX: 88, SM: 100}
	}
	return mods
}

// accessForm is one form of ld or st: its modifiers between the opcode and the vector length.
type accessForm struct {
	mods  string
	since Since
	// scalar forms move one element; nc forms read memory that nobody writes.
	scalar, nc bool
}

var loadForms = [...]accessForm{
	{mods: "{.weak}{.ss}{.cop}{.L2::cache_hint}{.level::prefetch_size}", since: Since{PTX: 10}},
	{mods: "{.weak}{.ss}" + hints + "{.level::prefetch_size}", since: Since{PTX: 74, SM: 70}},
	{mods: ".volatile{.ss}{.level::prefetch_size}", since: Since{PTX: 11}},
	{mods: ".relaxed.scope{.ss}" + hints + "{.level::prefetch_size}", since: Since{PTX: 60, SM: 70}},
	{mods: ".acquire.scope{.ss}" + hints + "{.level::prefetch_size}", since: Since{PTX: 60, SM: 70}},
	{mods: ".mmio.relaxed.sys{.global}", since: Since{PTX: 82, SM: 70}, scalar: true},
	{mods: ".global{.cop}.nc{.L2::cache_hint}{.level::prefetch_size}", since: Since{PTX: 31, SM: 32}, nc: true},
	{mods: ".global.nc" + hints + "{.level::prefetch_size}", since: Since{PTX: 74, SM: 70}, nc: true},
}

var storeForms = [...]accessForm{
	{mods: "{.weak}{.ss}{.cop}{.L2::cache_hint}", since: Since{PTX: 10}},
	{mods: "{.weak}{.ss}" + hints, since: Since{PTX: 74, SM: 70}},
	{mods: ".volatile{.ss}", since: Since{PTX: 11}},
	{mods: ".relaxed.scope{.ss}" + hints, since: Since{PTX: 60, SM: 70}},
	{mods: ".release.scope{.ss}" + hints, since: Since{PTX: 60, SM: 70}},
	{mods: ".mmio.relaxed.sys{.global}", since: Since{PTX: 82, SM: 70}, scalar: true},
}

func loadRows() []Row {
	rows := accessRows("ld", loadForms[:], Row{
		Unit: LSU, Class: ClassMemory, Op: OpLoad,
		Types: "d:type*vec:wider:sink:kept policy:u64:when=.L2::cache_hint",
	}, " d, [a]{, policy}", loadSpace, ".ca .cg .cs .lu .cv")
	ldu := Row{
		Syntax: "ldu{.ss}{.vec}.type d, [a]",
		Mods:   Mods{"ss": ".global", "vec": ".v2 .v4", "type": dataTypes},
		Types:  "d:type*vec:wider",
		Since:  Since{PTX: 20, SM: 20}, Need: accessNeed, Check: accessCheck,
		Unit: LSU, Class: ClassMemory, Op: OpLoad,
	}
	return append(rows, ldu)
}

func storeRows() []Row {
	rows := accessRows("st", storeForms[:], Row{
		Unit: LSU, Class: ClassMemory, Op: OpStore,
		Types: "b:type*vec:wider:sink policy:u64:when=.L2::cache_hint",
	}, " [a], b{, policy}", storeSpace, ".wb .cg .cs .wt")
	return append(rows, Row{
		Syntax: "st.bulk{.weak}{.ss} [a], size, initval",
		Mods:   Mods{"ss": ".shared::cta"},
		Types:  "size:u64:const=x8 initval:u64:imm=0",
		Since:  Since{PTX: 86, SM: 100},
		Unit:   LSU, Class: ClassMemory, Op: OpAsync,
	})
}

// accessRows makes the rows of an opcode from its forms.
func accessRows(opcode string, forms []accessForm, base Row, operands, spaces, cacheOps string) []Row {
	var rows []Row
	for _, form := range forms {
		r := base
		r.Mods = Mods{
			"ss": spaces, "cop": cacheOps, "scope": scopes, "vec": ".v2 .v4 .v8", "type": dataTypes,
			"level1::eviction_priority": evictL1, "level2::eviction_priority": evictL2, "level::prefetch_size": fetchL2,
		}
		if form.nc {
			r.Mods["cop"] = ".ca .cg .cs"
		}
		vec := "{.vec}"
		if form.scalar {
			vec = ""
		}
		r.Syntax = opcode + form.mods + vec + ".type" + operands
		r.Since, r.Since.Mod = form.since, accessSince()
		r.Need, r.Check = accessNeed, accessCheck
		rows = append(rows, r)
	}
	return rows
}

// accessNeed gives what the address space and the size of an ld, ldu or st need.
func accessNeed(f *Form) Since {
	a := AccessOf(f)
	var need Since
	if a.Bytes() > 16 {
		need = need.and(Since{PTX: 88, SM: 100})
	}
	if a.Type == B128 {
		need = need.and(Since{PTX: 83, SM: 70})
	}
	if a.Type == F64 {
		need = need.and(Since{SM: 13})
	}
	if a.Space == Generic {
		need = need.and(Since{PTX: 20, SM: 20})
	}
	return need
}

// accessCheck refuses vectors that do not exist and modifiers that need global memory. Vectors of 32 bytes
// are eight elements of 32 bits or four of 64 in global memory, others have up to 16 bytes. ptxas takes eight elements of 8
// or 16 bits in stores.
func accessCheck(f *Form) string {
	a := AccessOf(f)
	small := a.Type.Bits() <= 16 && f.Opcode == "st"
	switch {
	case a.Vector == 8 && a.Bytes() != 32 && !small, a.Bytes() > 32, a.Type == B128 && a.Vector > 1:
		return fmt.Sprintf("there are no vectors of %d elements of type .%s", a.Vector, a.Type)
	case a.Bytes() > 16 && a.Space != Global && a.Space != Generic:
		return fmt.Sprintf("moves %d bytes; more than 16 are for global memory", a.Bytes())
	case f.Get("level2::eviction_priority") != "" && a.Bytes() != 32:
		return f.Get("level2::eviction_priority") + " is for vectors of 32 bytes"
	}
	return hintCheck(f, a)
}

// hintCheck refuses cache hints and memory orders on spaces that have neither.
func hintCheck(f *Form, a Access) string {
	if a.Space == Global || a.Space == Generic {
		return ""
	}
	for _, m := range f.Mods {
		if len(m) > 4 && (m[:4] == ".L1:" || m[:4] == ".L2:") {
			return m + " is for global memory"
		}
	}
	if a.Order != "" && a.Space != Shared && a.Space != SharedCluster {
		return fmt.Sprintf(".%s is for global and shared memory", a.Order)
	}
	return ""
}

// prefetchRows holds the instructions that steer caches: addresses are checked, memory is not changed.
func prefetchRows() []Row {
	const unit, class = LSU, ClassMemory
	return []Row{
		{
			Syntax: "prefetch{.space}.level [a]",
			Mods:   Mods{"space": ".global .local", "level": ".L1 .L2"},
			Since:  Since{PTX: 20, SM: 20}, Unit: unit, Class: class, Op: OpPrefetch,
		},
		{
			Syntax: "prefetch.global.level::eviction_priority [a]",
			Mods:   Mods{"level::eviction_priority": ".L2::evict_last .L2::evict_normal"},
			Since:  Since{PTX: 74, SM: 80}, Unit: unit, Class: class, Op: OpPrefetch,
		},
		{
			Syntax: "prefetch{.tensormap_space}.tensormap [a]",
			Mods:   Mods{"tensormap_space": ".const .param"},
			Since:  Since{PTX: 80, SM: 90}, Unit: unit, Class: class, Op: OpPrefetch,
		},
		{
			Syntax: "prefetchu.L1 [a]",
			Since:  Since{PTX: 20, SM: 20}, Unit: unit, Class: class, Op: OpPrefetch,
		},
		{
			Syntax: "applypriority{.global}.L2::evict_normal [a], size",
			Types:  "size:u32:imm=128",
			Since:  Since{PTX: 74, SM: 80}, Unit: unit, Class: class, Op: OpPrefetch,
		},
		{
			Syntax: "discard{.global}.L2 [a], size",
			Types:  "size:u32:imm=128",
			Since:  Since{PTX: 74, SM: 80}, Unit: unit, Class: class, Op: OpPrefetch,
		},
	}
}

// policyRows holds createpolicy. A policy is opaque to programs and steers caches only; Silica's
// policies are numbers without meaning.
func policyRows() []Row {
	const (
		primary   = ".L2::evict_last .L2::evict_normal .L2::evict_first .L2::evict_unchanged"
		secondary = ".L2::evict_first .L2::evict_unchanged"
		names     = ".level::primary_priority{.level::secondary_priority}.b64"
	)
	mods := Mods{"level::primary_priority": primary, "level::secondary_priority": secondary}
	since := Since{PTX: 74, SM: 80}
	opaque := func(*Form) LaneFunc { return func(l *Lane) { l.Dst[0] = 0 } }
	return []Row{
		{
			Syntax: "createpolicy.fractional" + names + " policy{, fraction}",
			Mods:   mods, Types: "policy:u64:w fraction:f32", Since: since,
			Unit: ALU, Class: ClassMisc, Op: OpLane, Lane: opaque,
		},
		{
			Syntax: "createpolicy.range{.global}" + names + " policy, [a], primary-size, total-size",
			Mods:   mods, Types: "policy:u64:w primary-size:u32 total-size:u32", Since: since,
			Unit: ALU, Class: ClassMisc, Op: OpLane, Lane: opaque,
		},
		{
			Syntax: "createpolicy.cvt.L2.b64 policy, property",
			Types:  "policy:u64:w property:u64", Since: since,
			Unit: ALU, Class: ClassMisc, Op: OpLane,
			Lane: func(*Form) LaneFunc { return func(l *Lane) { l.Dst[0] = l.Src[0] } },
		},
	}
}

// addressRows holds the conversions and questions about state spaces.
func addressRows() []Row {
	const spaces = ".const .global .local .shared .shared::cta .shared::cluster .param .param::entry"
	since := func(ptx, sm int) Since {
		return Since{PTX: ptx, SM: sm, Mod: map[string]Since{
			".const": {PTX: 31}, ".param": {PTX: 77, SM: 70}, ".param::entry": {PTX: 83, SM: 70},
			".shared::cta": {PTX: 78, SM: 30}, ".shared::cluster": {PTX: 78, SM: 90},
		}}
	}
	rows := []Row{
		{
			Syntax: "cvta.space.type d, a",
			Mods:   Mods{"space": spaces, "type": ".u32 .u64"},
			Since:  since(20, 20), Unit: ALU, Class: ClassInteger, Op: OpCvta,
		},
		{
			Syntax: "cvta.to.space.type d, a",
			Mods:   Mods{"space": spaces, "type": ".u32 .u64"},
			Types:  "a:type:reg",
			Since:  since(20, 20), Unit: ALU, Class: ClassInteger, Op: OpCvta,
		},
	}
	// The operand of isspacep is a generic address, as wide as the module's addresses.
	for _, width := range []string{"b64", "b32"} {
		rows = append(rows, Row{
			Syntax: "isspacep.space p, a",
			Mods:   Mods{"space": spaces},
			Types:  "p:pred a:" + width + ":reg",
			Since:  since(20, 20), Unit: ALU, Class: ClassInteger, Op: OpIsspacep,
		})
	}
	return rows
}
