package driver

import (
	"fmt"
	"sync"

	"silica/gpu"
	"silica/internal/ir"
)

// Function is a kernel of a module.
type Function struct {
	Module *Module
	Kernel *ir.Kernel

	mu            sync.Mutex
	dynamicShared int // the limit set by SetMaxDynamicShared, -1 for the default
	carveout      gpu.Carveout
	nonPortable   bool // whether clusters may have more blocks than every GPU with clusters takes
}

// FunctionAttributes is what cudaFuncGetAttributes and cuFuncGetAttribute tell of a function.
type FunctionAttributes struct {
	StaticShared     int // bytes
	Const            int // bytes of the module's constant variables
	Local            int // bytes of a thread, without what calls need
	ThreadsPerBlock  int // at most
	Registers        int // estimated from what is live at once
	PTXVersion       int // of the target: 90 for sm_90
	BinaryVersion    int // of the device
	MaxDynamicShared int // bytes
	Carveout         int // preferred percentage of shared memory, -1 without preference
	Cluster          [3]int
	// NonPortableClusters tells that clusters may have more blocks than every GPU with clusters takes.
	NonPortableClusters bool
}

// Attributes returns the function's attributes.
func (f *Function) Attributes() FunctionAttributes {
	g, k := f.Module.device.GPU, f.Kernel
	f.mu.Lock()
	defer f.mu.Unlock()
	cc := g.Chip.ComputeCapability
	a := FunctionAttributes{
		StaticShared: k.StaticShared, Const: f.Module.constBytes(), Local: k.Funcs[0].Frame.Local,
		ThreadsPerBlock: g.Limits.ThreadsPerBlock, Registers: f.registers(), PTXVersion: f.Module.program.Source.Architecture().SM,
		BinaryVersion: cc.SM(), MaxDynamicShared: f.maxDynamicShared(), Carveout: int(f.carveout) - 1, Cluster: k.Cluster,
		NonPortableClusters: f.nonPortable,
	}
	if m := k.MaxThreads; m != [3]int{} {
		a.ThreadsPerBlock = min(a.ThreadsPerBlock, m[0]*m[1]*m[2])
	}
	return a
}

// registers is what a compiler would give a thread, as far as liveness tells.
func (f *Function) registers() int {
	return min(max(f.Kernel.LiveRegisters, f.Module.device.GPU.Limits.RegistersPerThreadMin), f.Module.device.GPU.Limits.RegistersPerThread)
}

// SetMaxDynamicShared allows launches with up to n bytes of dynamic shared memory
// (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES).
func (f *Function) SetMaxDynamicShared(n int) error {
	if limit := f.Module.device.GPU.Limits.SharedPerBlockOptin - f.Kernel.StaticShared; n < 0 || n > limit {
		return Fail(InvalidValue, "%s: %d bytes of dynamic shared memory, at most %d are possible", f.Kernel.Name, n, limit)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dynamicShared = n
	return nil
}

// SetCarveout states how much of an SM's memory should be shared memory: 0 to 100 percent, or -1 for
// no preference. Occupancy follows it.
func (f *Function) SetCarveout(percent int) error {
	if percent < -1 || percent > 100 {
		return Fail(InvalidValue, "%s: a preference of %d percent of shared memory", f.Kernel.Name, percent)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.carveout = gpu.Carveout(percent + 1)
	return nil
}

// SetNonPortableClusters allows clusters of more blocks than every GPU with clusters takes
// (CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED).
func (f *Function) SetNonPortableClusters(allowed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nonPortable = allowed
}

// clusterLimit is how many blocks a cluster may have. A size that the kernel itself requires needs no permission.
func (f *Function) clusterLimit() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	limits := f.Module.device.GPU.Limits
	if f.nonPortable || f.Kernel.Cluster != [3]int{} {
		return limits.ClusterBlocksNonportable
	}
	return limits.ClusterBlocks
}

// maxDynamicShared is the dynamic shared memory that a launch may ask for. The caller holds f.mu.
func (f *Function) maxDynamicShared() int {
	if f.dynamicShared >= 0 {
		return f.dynamicShared
	}
	return max(f.Module.device.GPU.Limits.SharedPerBlock-f.Kernel.StaticShared, 0)
}

// sharedLimit is the shared memory that a block of the function may use.
func (f *Function) sharedLimit() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Kernel.StaticShared + f.maxDynamicShared()
}

// Occupancy returns how many blocks of the function an SM holds: none when a launch may not ask for so
// much dynamic shared memory.
func (f *Function) Occupancy(blockSize, dynamicShared int) (gpu.Occupancy, error) {
	o, err := f.Module.device.GPU.Occupancy(f.usage(blockSize, dynamicShared))
	if err != nil {
		return o, wrap(InvalidValue, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if most := f.maxDynamicShared(); dynamicShared > most {
		o.Blocks, o.Warps, o.Percent = 0, 0, 0
		o.Impossible = fmt.Sprintf("%d bytes of dynamic shared memory; a launch may ask for %d", dynamicShared, most)
	}
	return o, nil
}

// MaxPotentialBlockSize is that of package gpu, over the block sizes that the function allows.
func (f *Function) MaxPotentialBlockSize(limit, dynamicShared int, shared func(blockSize int) int) (blockSize, grid int, err error) {
	most := f.Attributes().ThreadsPerBlock
	if limit <= 0 || limit > most {
		limit = most
	}
	blockSize, grid, err = f.Module.device.GPU.MaxPotentialBlockSize(f.usage(limit, dynamicShared), limit, shared)
	if err != nil {
		return 0, 0, wrap(InvalidValue, err)
	}
	return blockSize, grid, nil
}

// AvailableDynamicShared returns the dynamic shared memory in bytes that each of some blocks on an SM can
// have, of what a launch may ask for.
func (f *Function) AvailableDynamicShared(blocks, blockSize int) (int, error) {
	n, err := f.Module.device.GPU.AvailableDynamicShared(f.usage(blockSize, 0), blocks)
	if err != nil {
		return 0, wrap(InvalidValue, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return min(n, f.maxDynamicShared()), nil
}

// ActiveClusters returns how many clusters of some blocks the GPU holds at once.
func (f *Function) ActiveClusters(clusterBlocks, blockSize, dynamicShared int) (int, error) {
	if most := f.clusterLimit(); clusterBlocks > most && most > 0 {
		return 0, Fail(InvalidClusterSize, "%s: a cluster of %d blocks, %d are allowed", f.Kernel.Name, clusterBlocks, most)
	}
	n, err := f.Module.device.GPU.MaxActiveClusters(f.usage(blockSize, dynamicShared), clusterBlocks)
	if err != nil {
		return 0, wrap(InvalidValue, err)
	}
	return n, nil
}

// MaxClusterBlocks returns the blocks of the largest cluster that the function may have and of which the GPU holds one.
func (f *Function) MaxClusterBlocks(blockSize, dynamicShared int) (int, error) {
	most := f.clusterLimit()
	for n := most; n > 1; n /= 2 {
		clusters, err := f.ActiveClusters(n, blockSize, dynamicShared)
		if err != nil {
			return 0, err
		}
		if clusters > 0 {
			return n, nil
		}
	}
	return min(most, 1), nil
}

// usage is what occupancy depends on.
func (f *Function) usage(blockSize, dynamicShared int) gpu.Kernel {
	f.mu.Lock()
	defer f.mu.Unlock()
	return gpu.Kernel{
		BlockSize: blockSize, RegistersPerThread: f.registers(), StaticShared: f.Kernel.StaticShared,
		DynamicShared: dynamicShared, Barriers: f.Kernel.Barriers, Carveout: f.carveout,
	}
}
