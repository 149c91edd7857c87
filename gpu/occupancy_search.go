package gpu

import "fmt"

// MaxPotentialBlockSize returns the block size, of at most limit threads (0:
// as many as a block can have), at which an SM holds the most threads of k,
// and the least grid that fills the GPU with such blocks. Of equal block sizes
// it is the largest. shared, unless nil, gives the dynamic shared memory of a
// block of some size, and else k does. This is cudaOccupancyMaxPotentialBlockSize:
// multiples of the warp size are tried, and the limit itself.
//
// Both results are 0 when no block size fits.
func (g *GPU) MaxPotentialBlockSize(k Kernel, limit int, shared func(blockSize int) int) (blockSize, grid int, err error) {
	if limit <= 0 {
		limit = g.Limits.ThreadsPerBlock
	}
	limit = min(limit, g.Limits.ThreadsPerBlock)
	most := 0
	for size := roundUp(limit, g.SM.WarpSize); size > 0; size -= g.SM.WarpSize {
		k.BlockSize = min(size, limit)
		if shared != nil {
			k.DynamicShared = shared(k.BlockSize)
		}
		o, err := g.Occupancy(k)
		if err != nil {
			return 0, 0, err
		}
		if threads := o.Blocks * k.BlockSize; threads > most {
			most, blockSize, grid = threads, k.BlockSize, o.Blocks*g.Chip.SMs
		}
	}
	return blockSize, grid, nil
}

// AvailableDynamicShared returns the dynamic shared memory in bytes that the
// driver offers each of that many blocks of k on an SM: what
// cudaOccupancyAvailableDynamicSMemPerBlock answers. The driver leaves out the
// memory that is reserved for each block, so that with several blocks they may
// not all fit after all. It is an error if they do not fit without any.
func (g *GPU) AvailableDynamicShared(k Kernel, blocks int) (int, error) {
	k.DynamicShared = 0
	o, err := g.Occupancy(k)
	if err != nil {
		return 0, err
	}
	if blocks < 1 || blocks > o.Blocks {
		return 0, fmt.Errorf("occupancy: an SM holds %d blocks of %d threads, not %d", o.Blocks, k.BlockSize, blocks)
	}
	share := g.Limits.SharedPerSM / blocks / g.Limits.SharedUnit * g.Limits.SharedUnit
	return max(0, min(share, g.Limits.SharedPerBlockOptin)-k.StaticShared), nil
}

// MaxActiveClusters returns how many clusters of that many blocks of k the GPU
// holds at once. A cluster stays within one of the groups of Chip.SMGroups, so
// the answer is for the board that those were read from; it is an error if the
// GPU has no clusters or its groups are unknown.
func (g *GPU) MaxActiveClusters(k Kernel, clusterBlocks int) (int, error) {
	most := max(g.Limits.ClusterBlocks, g.Limits.ClusterBlocksNonportable)
	switch {
	case g.Limits.ClusterBlocks == 0:
		return 0, fmt.Errorf("occupancy: %s has no clusters", g.Name)
	case clusterBlocks < 1 || clusterBlocks > most:
		return 0, fmt.Errorf("occupancy: a cluster of %s has 1 to %d blocks, not %d", g.Name, most, clusterBlocks)
	case len(g.Chip.SMGroups) == 0 || g.Limits.ClusterBlocksPerSM == 0:
		return 0, fmt.Errorf("occupancy: the SM groups of %s are unknown", g.Name)
	}
	o, err := g.Occupancy(k)
	if err != nil {
		return 0, err
	}
	clusters := 0
	for _, sms := range g.Chip.SMGroups {
		if sms >= clusterBlocks {
			clusters += sms * min(o.Blocks, g.Limits.ClusterBlocksPerSM) / clusterBlocks
		}
	}
	return clusters, nil
}
