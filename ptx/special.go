package ptx

import (
	"fmt"
	"strings"

	"silica/internal/isa"
)

// specialRegister is a predefined register, as chapter 10 of the PTX manual lists them.
type specialRegister struct {
	typ isa.Type
	// vector marks the registers of four components: %tid stands for all, %tid.x for one.
	vector  bool
	ptx, sm int // first version and target
}

// specialRegisters holds the special registers by name.
var specialRegisters = func() map[string]specialRegister {
	all := map[string]specialRegister{
		"%tid":                        {isa.U32, true, 10, 0},
		"%ntid":                       {isa.U32, true, 10, 0},
		"%ctaid":                      {isa.U32, true, 10, 0},
		"%nctaid":                     {isa.U32, true, 10, 0},
		"%laneid":                     {isa.U32, false, 13, 0},
		"%warpid":                     {isa.U32, false, 13, 0},
		"%nwarpid":                    {isa.U32, false, 20, 20},
		"%smid":                       {isa.U32, false, 13, 0},
		"%nsmid":                      {isa.U32, false, 20, 20},
		"%gridid":                     {isa.U64, false, 10, 0},
		"%is_explicit_cluster":        {isa.Pred, false, 78, 90},
		"%clusterid":                  {isa.U32, true, 78, 90},
		"%nclusterid":                 {isa.U32, true, 78, 90},
		"%cluster_ctaid":              {isa.U32, true, 78, 90},
		"%cluster_nctaid":             {isa.U32, true, 78, 90},
		"%cluster_ctarank":            {isa.U32, false, 78, 90},
		"%cluster_nctarank":           {isa.U32, false, 78, 90},
		"%lanemask_eq":                {isa.U32, false, 20, 20},
		"%lanemask_le":                {isa.U32, false, 20, 20},
		"%lanemask_lt":                {isa.U32, false, 20, 20},
		"%lanemask_ge":                {isa.U32, false, 20, 20},
		"%lanemask_gt":                {isa.U32, false, 20, 20},
		"%clock":                      {isa.U32, false, 10, 0},
		"%clock_hi":                   {isa.U32, false, 50, 20},
		"%clock64":                    {isa.U64, false, 20, 20},
		"%globaltimer":                {isa.U64, false, 31, 30},
		"%globaltimer_lo":             {isa.U32, false, 31, 30},
		"%globaltimer_hi":             {isa.U32, false, 31, 30},
		"%reserved_smem_offset_begin": {isa.B32, false, 76, 80},
		"%reserved_smem_offset_end":   {isa.B32, false, 76, 80},
		"%reserved_smem_offset_cap":   {isa.B32, false, 76, 80},
		"%reserved_smem_offset_0":     {isa.B32, false, 76, 80},
		"%reserved_smem_offset_1":     {isa.B32, false, 76, 80},
		"%total_smem_size":            {isa.U32, false, 41, 20},
		"%aggr_smem_size":             {isa.U32, false, 81, 90},
		"%dynamic_smem_size":          {isa.U32, false, 41, 20},
		"%current_graph_exec":         {isa.U64, false, 80, 50},
	}
	for i := range 32 {
		all[fmt.Sprintf("%%envreg%d", i)] = specialRegister{isa.B32, false, 21, 0}
	}
	for i := range 8 {
		pm := specialRegister{isa.U32, false, 13, 0}
		if i >= 4 {
			pm.ptx, pm.sm = 30, 20
		}
		all[fmt.Sprintf("%%pm%d", i)] = pm
		all[fmt.Sprintf("%%pm%d_64", i)] = specialRegister{isa.U64, false, 40, 50}
	}
	return all
}()

// isSpecialVector tells whether the name is a special register with components.
func isSpecialVector(name string) bool { return specialRegisters[name].vector }

// lookupSpecial returns the special register of the name, which may have a component ("%tid.x").
func lookupSpecial(name string) (r specialRegister, component, ok bool) {
	base, _, component := strings.Cut(name, ".")
	r, ok = specialRegisters[base]
	return r, component, ok
}

// typeIn returns the register's type in a PTX version: %gridid grew from 16 to 64 bits.
func (r specialRegister) typeIn(name string, version int) isa.Type {
	switch {
	case name == "%gridid" && version < 13:
		return isa.U16
	case name == "%gridid" && version < 30:
		return isa.U32
	}
	return r.typ
}
