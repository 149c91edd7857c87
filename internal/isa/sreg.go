package isa

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// SpecialRegister is a predefined register, as the PTX manual's chapter on special registers lists them.
type SpecialRegister struct {
	Name string // "%tid", without a component
	Type Type
	// Vector tells that the register has the components x, y, z and w.
	Vector bool
	Varies Variation
	Since  Since
}

// Variation is the least part of a launch within which a special register has one value.
type Variation uint8

// The variations.
const (
	PerLaunch Variation = iota
	PerBlock
	PerWarp
	PerThread
	Dynamic // may change from one instruction to the next
)

// specialRegisters holds the special registers by name.
var specialRegisters = sync.OnceValue(func() map[string]SpecialRegister {
	old, fermi, hopper := Since{PTX: 10, SM: 10}, Since{PTX: 20, SM: 20}, Since{PTX: 78, SM: 90}
	warp, timer := Since{PTX: 13, SM: 10}, Since{PTX: 31, SM: 30}
	sizes, reserved := Since{PTX: 41, SM: 20}, Since{PTX: 76, SM: 80}
	list := []SpecialRegister{
		{"%tid", U32, true, PerThread, old},
		{"%ntid", U32, true, PerLaunch, old},
		{"%ctaid", U32, true, PerBlock, old},
		{"%nctaid", U32, true, PerLaunch, old},
		{"%laneid", U32, false, PerThread, warp},
		{"%warpid", U32, false, PerWarp, warp},
		{"%nwarpid", U32, false, PerLaunch, fermi},
		{"%smid", U32, false, Dynamic, warp},
		{"%nsmid", U32, false, PerLaunch, fermi},
		{"%gridid", U64, false, PerLaunch, old},
		{"%is_explicit_cluster", Pred, false, PerLaunch, hopper},
		{"%clusterid", U32, true, PerBlock, hopper},
		{"%nclusterid", U32, true, PerLaunch, hopper},
		{"%cluster_ctaid", U32, true, PerBlock, hopper},
		{"%cluster_nctaid", U32, true, PerLaunch, hopper},
		{"%cluster_ctarank", U32, false, PerBlock, hopper},
		{"%cluster_nctarank", U32, false, PerLaunch, hopper},
		{"%lanemask_eq", U32, false, PerThread, fermi},
		{"%lanemask_le", U32, false, PerThread, fermi},
		{"%lanemask_lt", U32, false, PerThread, fermi},
		{"%lanemask_ge", U32, false, PerThread, fermi},
		{"%lanemask_gt", U32, false, PerThread, fermi},
		{"%clock", U32, false, Dynamic, old},
		{"%clock_hi", U32, false, Dynamic, Since{PTX: 50, SM: 20}},
		{"%clock64", U64, false, Dynamic, fermi},
		{"%globaltimer", U64, false, Dynamic, timer},
		{"%globaltimer_lo", U32, false, Dynamic, timer},
		{"%globaltimer_hi", U32, false, Dynamic, timer},
		{"%reserved_smem_offset_begin", B32, false, PerLaunch, reserved},
		{"%reserved_smem_offset_end", B32, false, PerLaunch, reserved},
		{"%reserved_smem_offset_cap", B32, false, PerLaunch, reserved},
		{"%reserved_smem_offset_0", B32, false, PerLaunch, reserved},
		{"%reserved_smem_offset_1", B32, false, PerLaunch, reserved},
		{"%total_smem_size", U32, false, PerLaunch, sizes},
		{"%aggr_smem_size", U32, false, PerLaunch, Since{PTX: 81, SM: 90}},
		{"%dynamic_smem_size", U32, false, PerLaunch, sizes},
		{"%current_graph_exec", U64, false, PerLaunch, Since{PTX: 80, SM: 50}},
	}
	for i := range 32 {
		list = append(list, SpecialRegister{fmt.Sprintf("%%envreg%d", i), B32, false, PerLaunch, Since{PTX: 21, SM: 10}})
	}
	for i := range 8 {
		since := Since{PTX: 13, SM: 10}
		if i >= 4 {
			since = Since{PTX: 30, SM: 20}
		}
		list = append(list, SpecialRegister{fmt.Sprintf("%%pm%d", i), U32, false, Dynamic, since},
			SpecialRegister{fmt.Sprintf("%%pm%d_64", i), U64, false, Dynamic, Since{PTX: 40, SM: 50}})
	}
	byName := map[string]SpecialRegister{}
	for _, r := range list {
		byName[r.Name] = r
	}
	return byName
})

// SpecialNames returns the names of all special registers, without components, sorted.
func SpecialNames() []string { return slices.Sorted(maps.Keys(specialRegisters())) }

// Special returns the special register spelled name, which may end in a component of a vector register
// ("%tid.x" finds %tid). ok is false when there is none.
func Special(name string) (r SpecialRegister, ok bool) {
	base, component, dotted := strings.Cut(name, ".")
	r, ok = specialRegisters()[base]
	if dotted {
		ok = ok && r.Vector && len(component) == 1 && strings.Contains("xyzw", component)
	}
	return r, ok
}
