package gpu

// A Point of a curve is the occupancy of a kernel with one of its figures
// changed to X.
//
// As in a real launch, the driver chooses the L1/shared split anew for every
// point. The graphs of Nsight Compute keep the split of the launch instead,
// which makes shared memory look scarcer than it is; set Kernel.SharedConfig
// to Occupancy.SharedConfig to see the same.
type Point struct {
	X       int
	Blocks  int // per SM
	Warps   int // per SM
	Percent float64
}

// sharedStep is the distance in bytes between the points of a shared memory
// curve, as in the graphs of Nsight Compute.
const sharedStep = 512

// OccupancyByBlockSize has a point for every whole number of warps in a block.
func (g *GPU) OccupancyByBlockSize(k Kernel) ([]Point, error) {
	return g.curve(k, g.SM.WarpSize, g.Limits.ThreadsPerBlock, g.SM.WarpSize, func(k *Kernel, x int) { k.BlockSize = x })
}

// OccupancyByRegisters has a point for every number of registers per thread.
func (g *GPU) OccupancyByRegisters(k Kernel) ([]Point, error) {
	return g.curve(k, 0, g.Limits.RegistersPerThread, 1, func(k *Kernel, x int) { k.RegistersPerThread = x })
}

// OccupancyByShared has a point for every 512 bytes of shared memory that a
// block uses, static and dynamic together.
func (g *GPU) OccupancyByShared(k Kernel) ([]Point, error) {
	return g.curve(k, 0, g.Limits.SharedPerBlockOptin, sharedStep, func(k *Kernel, x int) { k.StaticShared, k.DynamicShared = 0, x })
}

// OccupancyByBarriers has a point for every number of barriers.
func (g *GPU) OccupancyByBarriers(k Kernel) ([]Point, error) {
	return g.curve(k, 0, g.Limits.BarriersPerBlock, 1, func(k *Kernel, x int) { k.Barriers = x })
}

func (g *GPU) curve(k Kernel, from, to, step int, set func(*Kernel, int)) ([]Point, error) {
	var points []Point
	for x := from; x <= to; x += step {
		set(&k, x)
		o, err := g.Occupancy(k)
		if err != nil {
			return nil, err
		}
		points = append(points, Point{x, o.Blocks, o.Warps, o.Percent})
	}
	return points, nil
}
