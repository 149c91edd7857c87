package exec

import "fmt"

// Place is where a warp runs, as special registers tell it.
type Place struct {
	Launch *Launch
	Block  Dim3 // %ctaid
	Warp   int  // in the block
	SM     int
	// Cycles counts from the start of the warp. Engines advance it by InstructionCycles for each of the warp's instructions and by
	// what nanosleep asks for, so that it is the same in every run.
	Cycles uint64
}

// InstructionCycles is how far the clock of a warp goes with an instruction: as far as on a chip when it waits for the result of an
// arithmetic instruction before it (4 cycles since compute capability 7.0).
const InstructionCycles = 4

// Special is the value of a special register in one lane of a warp. Registers of 64 bits use all of it.
type Special func(p *Place, lane int) uint64

// SpecialOf returns the special register that PTX spells name ("%tid.x"); ok is false when there is none.
func SpecialOf(name string) (s Special, ok bool) {
	s, ok = specials[name]
	return s, ok
}

// ClusterRank returns the rank of a block in its cluster.
func ClusterRank(block, cluster Dim3) int {
	return block.X%cluster.X + cluster.X*(block.Y%cluster.Y+cluster.Y*(block.Z%cluster.Z))
}

// ThreadIndex returns %tid of the lane of a warp of a block.
func ThreadIndex(block Dim3, warp, lane int) Dim3 {
	i := warp*32 + lane
	return Dim3{i % block.X, i / block.X % block.Y, i / (block.X * block.Y)}
}

// BlockIndex returns %ctaid of block number i of a grid, x fastest.
func BlockIndex(grid Dim3, i int) Dim3 {
	return Dim3{i % grid.X, i / grid.X % grid.Y, i / (grid.X * grid.Y)}
}

// Warps returns the number of warps of a block.
func Warps(block Dim3) int { return (block.Count() + 31) / 32 }

// LanesOf returns the lanes that a warp of a block starts with: all but in a partial last warp.
func LanesOf(block Dim3, warp int) uint32 {
	if rest := block.Count() - warp*32; rest < 32 {
		return 1<<rest - 1
	}
	return ^uint32(0)
}

// SharedBytes returns the shared memory of a block of the launch, without what the system keeps: static
// and dynamic bytes.
func (l *Launch) SharedBytes() int {
	if l.DynamicShared == 0 {
		return l.Kernel.StaticShared
	}
	return max(l.Kernel.StaticShared, l.Kernel.DynamicSharedBase) + l.DynamicShared
}

// sharedUnit is the granularity in which shared memory is given to blocks since compute capability 7.0.
const sharedUnit = 128

// SharedWindowBytes returns the size of the window of shared memory that a block of the launch can reach.
func (l *Launch) SharedWindowBytes() int {
	return (l.SharedBytes() + sharedUnit - 1) / sharedUnit * sharedUnit
}

// perLaunch, perWarp, perLane and perThread make specials from functions that need less.
func perLaunch(f func(l *Launch) int) Special {
	return func(p *Place, _ int) uint64 { return uint64(f(p.Launch)) }
}

func perWarp(f func(p *Place) int) Special {
	return func(p *Place, _ int) uint64 { return uint64(f(p)) }
}

func perLane(f func(lane int) uint32) Special {
	return func(_ *Place, lane int) uint64 { return uint64(f(lane)) }
}

func perThread(f func(tid Dim3) int) Special {
	return func(p *Place, lane int) uint64 { return uint64(f(ThreadIndex(p.Launch.Block, p.Warp, lane))) }
}

func constant(v uint64) Special {
	return func(*Place, int) uint64 { return v }
}

// nanoseconds converts the warp's cycles to %globaltimer.
func nanoseconds(p *Place) uint64 {
	if p.Launch.Machine.ClockHz <= 0 {
		return p.Cycles
	}
	return uint64(float64(p.Cycles) * 1e9 / p.Launch.Machine.ClockHz)
}

// specials holds every special register of PTX but the performance counters and environment registers,
// which newSpecials adds.
var specials = newSpecials()

func newSpecials() map[string]Special {
	m := map[string]Special{
		"%laneid":      perLane(func(lane int) uint32 { return uint32(lane) }),
		"%lanemask_eq": perLane(func(lane int) uint32 { return 1 << lane }),
		"%lanemask_lt": perLane(func(lane int) uint32 { return 1<<lane - 1 }),
		"%lanemask_le": perLane(func(lane int) uint32 { return 2<<lane - 1 }),
		"%lanemask_gt": perLane(func(lane int) uint32 { return ^uint32(2<<lane - 1) }),
		"%lanemask_ge": perLane(func(lane int) uint32 { return ^uint32(1<<lane - 1) }),

		"%warpid":  perWarp(func(p *Place) int { return p.Warp }),
		"%nwarpid": perLaunch(func(l *Launch) int { return l.Machine.WarpsPerSM }),
		"%smid":    perWarp(func(p *Place) int { return p.SM }),
		"%nsmid":   perLaunch(func(l *Launch) int { return l.Machine.SMs }),
		"%gridid":  perLaunch(func(l *Launch) int { return int(l.GridID) }),

		"%is_explicit_cluster": perLaunch(func(l *Launch) int {
			if l.Cluster.Count() > 1 || l.Kernel.Cluster != [3]int{} {
				return 1
			}
			return 0
		}),
		"%cluster_ctarank":  perWarp(func(p *Place) int { return ClusterRank(p.Block, p.Launch.Cluster) }),
		"%cluster_nctarank": perLaunch(func(l *Launch) int { return l.Cluster.Count() }),

		"%clock":          perWarp(func(p *Place) int { return int(uint32(p.Cycles)) }),
		"%clock_hi":       perWarp(func(p *Place) int { return int(p.Cycles >> 32) }),
		"%clock64":        perWarp(func(p *Place) int { return int(p.Cycles) }),
		"%globaltimer":    perWarp(func(p *Place) int { return int(nanoseconds(p)) }),
		"%globaltimer_lo": perWarp(func(p *Place) int { return int(uint32(nanoseconds(p))) }),
		"%globaltimer_hi": perWarp(func(p *Place) int { return int(nanoseconds(p) >> 32) }),

		"%dynamic_smem_size": perLaunch(func(l *Launch) int { return l.DynamicShared }),
		"%total_smem_size":   perLaunch((*Launch).SharedWindowBytes),
		// The system's share is counted, and nothing is rounded up.
		"%aggr_smem_size":             perLaunch(func(l *Launch) int { return l.Kernel.StaticShared + l.DynamicShared + l.Machine.SharedReserved }),
		"%reserved_smem_offset_begin": constant(0),
		"%reserved_smem_offset_end":   perLaunch(func(l *Launch) int { return l.Machine.SharedReserved }),
		"%reserved_smem_offset_cap":   perLaunch(func(l *Launch) int { return l.Machine.SharedReserved }),
		"%reserved_smem_offset_0":     constant(0),
		"%reserved_smem_offset_1":     constant(0),

		"%current_graph_exec": constant(0),
	}
	axes := []struct {
		axis string
		of   func(Dim3) int
	}{
		{".x", func(d Dim3) int { return d.X }},
		{".y", func(d Dim3) int { return d.Y }},
		{".z", func(d Dim3) int { return d.Z }},
	}
	for _, a := range axes {
		of := a.of
		m["%tid"+a.axis] = perThread(of)
		m["%ntid"+a.axis] = perLaunch(func(l *Launch) int { return of(l.Block) })
		m["%ctaid"+a.axis] = perWarp(func(p *Place) int { return of(p.Block) })
		m["%nctaid"+a.axis] = perLaunch(func(l *Launch) int { return of(l.Grid) })
		m["%clusterid"+a.axis] = perWarp(func(p *Place) int { return of(p.Block) / of(p.Launch.Cluster) })
		m["%nclusterid"+a.axis] = perLaunch(func(l *Launch) int { return of(l.Grid) / of(l.Cluster) })
		m["%cluster_ctaid"+a.axis] = perWarp(func(p *Place) int { return of(p.Block) % of(p.Launch.Cluster) })
		m["%cluster_nctaid"+a.axis] = perLaunch(func(l *Launch) int { return of(l.Cluster) })
	}
	// The fourth component of the vector registers is always zero.
	for _, name := range []string{"%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"} {
		m[name+".w"] = constant(0)
	}
	// Nothing counts in the performance counters; of the environment registers, two are in use.
	for i := range 8 {
		m[fmt.Sprintf("%%pm%d", i)] = constant(0)
		m[fmt.Sprintf("%%pm%d_64", i)] = constant(0)
	}
	for i := range 32 {
		m[fmt.Sprintf("%%envreg%d", i)] = constant(0)
	}
	m["%envreg1"] = perLaunch(func(l *Launch) int { return int(l.Workspace >> 32) })
	m["%envreg2"] = perLaunch(func(l *Launch) int { return int(uint32(l.Workspace)) })
	return m
}
