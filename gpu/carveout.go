package gpu

// A Carveout is a program's preference for how much of the memory that L1 and
// shared memory divide should be shared memory. The zero value states none.
type Carveout int

// DriverChoice leaves the split to the driver.
const DriverChoice Carveout = 0

// PreferPercent asks for that percentage of the largest shared memory, as
// cudaFuncAttributePreferredSharedMemoryCarveout does: 0 to 100.
func PreferPercent(percent int) Carveout { return Carveout(percent + 1) }

// sharedConfig returns the shared memory that an SM is configured with to run
// k, of which o has everything but what follows from it.
func (g *GPU) sharedConfig(k Kernel, o Occupancy) int {
	need := o.SharedPerBlock
	used := k.StaticShared + k.DynamicShared
	switch {
	case need > g.Limits.SharedPerSM:
		return g.carveout(need) // no block fits
	case k.SharedConfig > 0:
		return g.carveout(max(k.SharedConfig, need))
	case k.Carveout == DriverChoice:
		return g.driverCarveout(used, o)
	}
	preferred := int(k.Carveout-PreferPercent(0)) * g.Limits.SharedPerSM / 100
	if used == 0 {
		return max(g.carveout(preferred), g.driverCarveout(used, o))
	}
	// The preference is for memory that the blocks can use: what is reserved
	// for each of them comes on top.
	blocks := max(1, preferred/(need-g.Limits.SharedReservedPerBlock))
	return g.carveout(max(preferred, blocks*need))
}

// driverCarveout is the driver's own choice for blocks that use that many
// bytes of shared memory each. Driver 580 was seen to choose so in more than
// 7000 launches on an H200, and reports from other GPUs, of compute capability
// 7.0 to 12.0, agree; none of it is documented.
//
// As many blocks as the other resources allow get their shared memory. Beyond
// that the driver makes room for as many blocks again, to the number of blocks
// of an SM less the warps of a block, unless that would take more than about
// half of the memory from L1, or only one block fits anyway.
func (g *GPU) driverCarveout(used int, o Occupancy) int {
	need := o.SharedPerBlock
	if need == 0 {
		return g.carveout(0)
	}
	resident := max(1, min(o.Limit.Blocks, o.Limit.Registers, o.Limit.Warps, o.Limit.Barriers))
	least := g.carveout(min(resident, g.Limits.SharedPerSM/need) * need)
	if resident == 1 {
		return least
	}
	blocks := min(o.Limit.Blocks-o.WarpsPerBlock, o.Limit.Barriers)
	if used > 0 {
		blocks = min(blocks, 2*resident)
	}
	return max(least, min(g.carveout(blocks*need), g.carveout(g.Memory.L1SharedBytes/2)))
}

// carveout returns the smallest shared memory an SM can be configured with
// that has that many bytes, or the largest there is.
func (g *GPU) carveout(bytes int) int {
	for _, size := range g.Limits.SharedCarveouts {
		if size >= bytes {
			return size
		}
	}
	return g.Limits.SharedPerSM
}
