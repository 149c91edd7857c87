package randptx

import (
	"math/rand/v2"
	"strings"
	"sync"

	"silica/internal/isa"
)

// catalog holds the rows that a program may take instructions from, by operation.
type catalog struct {
	ops    []isa.Op
	weight []int
	total  int
	rows   map[isa.Op][]*isa.Row
}

// weight says how often an operation comes beside others; what costs much time comes less often.
func weight(op isa.Op) int {
	switch op {
	case isa.OpLane:
		return 60
	case isa.OpLoad, isa.OpStore, isa.OpWarp:
		return 10
	case isa.OpPrefetch, isa.OpNop, isa.OpNanosleep, isa.OpFence, isa.OpTrap, isa.OpExit, isa.OpRet:
		return 1
	}
	return 4
}

type catalogKey struct {
	ctx      isa.Context
	hardware bool
}

var catalogs = sync.OnceValue(func() map[catalogKey]*catalog {
	all := map[catalogKey]*catalog{}
	for _, t := range targets {
		for _, hardware := range []bool{false, true} {
			all[catalogKey{t.ctx, hardware}] = newCatalog(t.ctx, hardware)
		}
	}
	return all
})

// newCatalog collects the rows that exist for a target.
func newCatalog(ctx isa.Context, hardware bool) *catalog {
	c := &catalog{rows: map[isa.Op][]*isa.Row{}}
	random := rand.New(rand.NewPCG(1, 1))
	for _, row := range isa.Rows() {
		if Excluded(row) != "" || hardware && onlyHere(row) {
			continue
		}
		if form, _ := row.Sample(ctx, random); form == nil {
			continue
		}
		if len(c.rows[row.Op]) == 0 {
			c.ops = append(c.ops, row.Op)
			c.weight = append(c.weight, weight(row.Op))
			c.total += weight(row.Op)
		}
		c.rows[row.Op] = append(c.rows[row.Op], row)
	}
	return c
}

// choose returns a row.
func (c *catalog) choose(random *rand.Rand) *isa.Row {
	n := random.IntN(c.total)
	for i, op := range c.ops {
		if n -= c.weight[i]; n < 0 {
			rows := c.rows[op]
			return rows[random.IntN(len(rows))]
		}
	}
	return nil
}

// Excluded returns why programs have no instruction of the row, "" when they do.
func Excluded(row *isa.Row) string {
	switch {
	case row.Unsupported != "":
		return row.Unsupported
	case row.Until.PTX != 0 && row.Until.PTX <= 14:
		return "only modules of PTX 1.3 and earlier have it"
	case row.Op == isa.OpWarpgroup:
		return "it needs four whole warps and matrices in shared memory"
	case strings.HasPrefix(row.Syntax, "tcgen05"):
		return "it needs tensor memory, and matrices described by descriptors"
	case strings.HasPrefix(row.Syntax, "clusterlaunchcontrol.try_cancel"):
		return "its answer depends on which blocks have started"
	case row.Op == isa.OpTexture:
		return "it needs a texture or surface, which the host makes"
	case strings.Contains(row.Syntax, "tensorMap"), strings.HasPrefix(row.Syntax, "tensormap."):
		return "it needs a tensor map, which the host makes"
	}
	return ""
}

// onlyHere tells whether the result of a row's forms depends on more than PTX defines: the layout of fragments for wmma.mma, whole
// warpgroups for wgmma.
func onlyHere(row *isa.Row) bool {
	for _, start := range []string{"activemask", "setmaxnreg", "prefetch{.tensormap_space}", "pmevent", "griddepcontrol", "wmma.mma", "wgmma."} {
		if strings.HasPrefix(row.Syntax, start) {
			return true
		}
	}
	return false
}
