package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"crypto/sha256"
	"fmt"
	"unsafe"

	"silica/gpu"
)

// getProperties fills a cudaDeviceProp from the GPU's description.
var getProperties = described(1, func(g *gpu.GPU, ordinal int, a args) error {
	p, err := in[C.struct_cudaDeviceProp](a, 0)
	if err != nil {
		return err
	}
	*p = C.struct_cudaDeviceProp{}
	copyText(unsafe.Pointer(&p.name), len(p.name), g.Name)
	*(*[16]byte)(unsafe.Pointer(&p.uuid)) = uuid(g, ordinal)
	p.totalGlobalMem = C.size_t(g.Memory.GlobalBytes)
	for name, field := range propertyFields(p) {
		value := attributeOf(g, ordinal, name)
		switch f := field.(type) {
		case *C.int:
			*f = C.int(value)
		case *C.uint:
			*f = C.uint(value)
		case *C.size_t:
			*f = C.size_t(value)
		}
	}
	return nil
})

// uuid identifies the simulated GPU: different for different GPUs, the same in every run.
func uuid(g *gpu.GPU, ordinal int) [16]byte {
	name := "silica " + g.Name
	if ordinal > 0 {
		name = fmt.Sprintf("%s %d", name, ordinal)
	}
	sum := sha256.Sum256([]byte(name))
	return [16]byte(sum[:16])
}

// propertyFields gives the device attribute that each field of a cudaDeviceProp repeats.
func propertyFields(p *C.struct_cudaDeviceProp) map[string]any {
	return map[string]any{
		"MAX_SHARED_MEMORY_PER_BLOCK":                  &p.sharedMemPerBlock,
		"MAX_REGISTERS_PER_BLOCK":                      &p.regsPerBlock,
		"WARP_SIZE":                                    &p.warpSize,
		"MAX_PITCH":                                    &p.memPitch,
		"MAX_THREADS_PER_BLOCK":                        &p.maxThreadsPerBlock,
		"MAX_BLOCK_DIM_X":                              &p.maxThreadsDim[0],
		"MAX_BLOCK_DIM_Y":                              &p.maxThreadsDim[1],
		"MAX_BLOCK_DIM_Z":                              &p.maxThreadsDim[2],
		"MAX_GRID_DIM_X":                               &p.maxGridSize[0],
		"MAX_GRID_DIM_Y":                               &p.maxGridSize[1],
		"MAX_GRID_DIM_Z":                               &p.maxGridSize[2],
		"CLOCK_RATE":                                   &p.clockRate,
		"TOTAL_CONSTANT_MEMORY":                        &p.totalConstMem,
		"COMPUTE_CAPABILITY_MAJOR":                     &p.major,
		"COMPUTE_CAPABILITY_MINOR":                     &p.minor,
		"TEXTURE_ALIGNMENT":                            &p.textureAlignment,
		"TEXTURE_PITCH_ALIGNMENT":                      &p.texturePitchAlignment,
		"GPU_OVERLAP":                                  &p.deviceOverlap,
		"MULTIPROCESSOR_COUNT":                         &p.multiProcessorCount,
		"KERNEL_EXEC_TIMEOUT":                          &p.kernelExecTimeoutEnabled,
		"INTEGRATED":                                   &p.integrated,
		"CAN_MAP_HOST_MEMORY":                          &p.canMapHostMemory,
		"COMPUTE_MODE":                                 &p.computeMode,
		"MAXIMUM_TEXTURE1D_WIDTH":                      &p.maxTexture1D,
		"MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH":            &p.maxTexture1DMipmap,
		"MAXIMUM_TEXTURE1D_LINEAR_WIDTH":               &p.maxTexture1DLinear,
		"MAXIMUM_TEXTURE2D_WIDTH":                      &p.maxTexture2D[0],
		"MAXIMUM_TEXTURE2D_HEIGHT":                     &p.maxTexture2D[1],
		"MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH":            &p.maxTexture2DMipmap[0],
		"MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT":           &p.maxTexture2DMipmap[1],
		"MAXIMUM_TEXTURE2D_LINEAR_WIDTH":               &p.maxTexture2DLinear[0],
		"MAXIMUM_TEXTURE2D_LINEAR_HEIGHT":              &p.maxTexture2DLinear[1],
		"MAXIMUM_TEXTURE2D_LINEAR_PITCH":               &p.maxTexture2DLinear[2],
		"MAXIMUM_TEXTURE2D_GATHER_WIDTH":               &p.maxTexture2DGather[0],
		"MAXIMUM_TEXTURE2D_GATHER_HEIGHT":              &p.maxTexture2DGather[1],
		"MAXIMUM_TEXTURE3D_WIDTH":                      &p.maxTexture3D[0],
		"MAXIMUM_TEXTURE3D_HEIGHT":                     &p.maxTexture3D[1],
		"MAXIMUM_TEXTURE3D_DEPTH":                      &p.maxTexture3D[2],
		"MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE":            &p.maxTexture3DAlt[0],
		"MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE":           &p.maxTexture3DAlt[1],
		"MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE":            &p.maxTexture3DAlt[2],
		"MAXIMUM_TEXTURECUBEMAP_WIDTH":                 &p.maxTextureCubemap,
		"MAXIMUM_TEXTURE1D_LAYERED_WIDTH":              &p.maxTexture1DLayered[0],
		"MAXIMUM_TEXTURE1D_LAYERED_LAYERS":             &p.maxTexture1DLayered[1],
		"MAXIMUM_TEXTURE2D_LAYERED_WIDTH":              &p.maxTexture2DLayered[0],
		"MAXIMUM_TEXTURE2D_LAYERED_HEIGHT":             &p.maxTexture2DLayered[1],
		"MAXIMUM_TEXTURE2D_LAYERED_LAYERS":             &p.maxTexture2DLayered[2],
		"MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH":         &p.maxTextureCubemapLayered[0],
		"MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS":        &p.maxTextureCubemapLayered[1],
		"MAXIMUM_SURFACE1D_WIDTH":                      &p.maxSurface1D,
		"MAXIMUM_SURFACE2D_WIDTH":                      &p.maxSurface2D[0],
		"MAXIMUM_SURFACE2D_HEIGHT":                     &p.maxSurface2D[1],
		"MAXIMUM_SURFACE3D_WIDTH":                      &p.maxSurface3D[0],
		"MAXIMUM_SURFACE3D_HEIGHT":                     &p.maxSurface3D[1],
		"MAXIMUM_SURFACE3D_DEPTH":                      &p.maxSurface3D[2],
		"MAXIMUM_SURFACE1D_LAYERED_WIDTH":              &p.maxSurface1DLayered[0],
		"MAXIMUM_SURFACE1D_LAYERED_LAYERS":             &p.maxSurface1DLayered[1],
		"MAXIMUM_SURFACE2D_LAYERED_WIDTH":              &p.maxSurface2DLayered[0],
		"MAXIMUM_SURFACE2D_LAYERED_HEIGHT":             &p.maxSurface2DLayered[1],
		"MAXIMUM_SURFACE2D_LAYERED_LAYERS":             &p.maxSurface2DLayered[2],
		"MAXIMUM_SURFACECUBEMAP_WIDTH":                 &p.maxSurfaceCubemap,
		"MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH":         &p.maxSurfaceCubemapLayered[0],
		"MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS":        &p.maxSurfaceCubemapLayered[1],
		"SURFACE_ALIGNMENT":                            &p.surfaceAlignment,
		"CONCURRENT_KERNELS":                           &p.concurrentKernels,
		"ECC_ENABLED":                                  &p.ECCEnabled,
		"PCI_BUS_ID":                                   &p.pciBusID,
		"PCI_DEVICE_ID":                                &p.pciDeviceID,
		"PCI_DOMAIN_ID":                                &p.pciDomainID,
		"TCC_DRIVER":                                   &p.tccDriver,
		"ASYNC_ENGINE_COUNT":                           &p.asyncEngineCount,
		"UNIFIED_ADDRESSING":                           &p.unifiedAddressing,
		"MEMORY_CLOCK_RATE":                            &p.memoryClockRate,
		"GLOBAL_MEMORY_BUS_WIDTH":                      &p.memoryBusWidth,
		"L2_CACHE_SIZE":                                &p.l2CacheSize,
		"MAX_PERSISTING_L2_CACHE_SIZE":                 &p.persistingL2CacheMaxSize,
		"MAX_THREADS_PER_MULTIPROCESSOR":               &p.maxThreadsPerMultiProcessor,
		"STREAM_PRIORITIES_SUPPORTED":                  &p.streamPrioritiesSupported,
		"GLOBAL_L1_CACHE_SUPPORTED":                    &p.globalL1CacheSupported,
		"LOCAL_L1_CACHE_SUPPORTED":                     &p.localL1CacheSupported,
		"MAX_SHARED_MEMORY_PER_MULTIPROCESSOR":         &p.sharedMemPerMultiprocessor,
		"MAX_REGISTERS_PER_MULTIPROCESSOR":             &p.regsPerMultiprocessor,
		"MANAGED_MEMORY":                               &p.managedMemory,
		"MULTI_GPU_BOARD":                              &p.isMultiGpuBoard,
		"MULTI_GPU_BOARD_GROUP_ID":                     &p.multiGpuBoardGroupID,
		"HOST_NATIVE_ATOMIC_SUPPORTED":                 &p.hostNativeAtomicSupported,
		"SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO":        &p.singleToDoublePrecisionPerfRatio,
		"PAGEABLE_MEMORY_ACCESS":                       &p.pageableMemoryAccess,
		"CONCURRENT_MANAGED_ACCESS":                    &p.concurrentManagedAccess,
		"COMPUTE_PREEMPTION_SUPPORTED":                 &p.computePreemptionSupported,
		"CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM":      &p.canUseHostPointerForRegisteredMem,
		"COOPERATIVE_LAUNCH":                           &p.cooperativeLaunch,
		"COOPERATIVE_MULTI_DEVICE_LAUNCH":              &p.cooperativeMultiDeviceLaunch,
		"MAX_SHARED_MEMORY_PER_BLOCK_OPTIN":            &p.sharedMemPerBlockOptin,
		"PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES": &p.pageableMemoryAccessUsesHostPageTables,
		"DIRECT_MANAGED_MEM_ACCESS_FROM_HOST":          &p.directManagedMemAccessFromHost,
		"MAX_BLOCKS_PER_MULTIPROCESSOR":                &p.maxBlocksPerMultiProcessor,
		"MAX_ACCESS_POLICY_WINDOW_SIZE":                &p.accessPolicyMaxWindowSize,
		"RESERVED_SHARED_MEMORY_PER_BLOCK":             &p.reservedSharedMemPerBlock,
		"HOST_REGISTER_SUPPORTED":                      &p.hostRegisterSupported,
		"SPARSE_CUDA_ARRAY_SUPPORTED":                  &p.sparseCudaArraySupported,
		"READ_ONLY_HOST_REGISTER_SUPPORTED":            &p.hostRegisterReadOnlySupported,
		"TIMELINE_SEMAPHORE_INTEROP_SUPPORTED":         &p.timelineSemaphoreInteropSupported,
		"MEMORY_POOLS_SUPPORTED":                       &p.memoryPoolsSupported,
		"GPU_DIRECT_RDMA_SUPPORTED":                    &p.gpuDirectRDMASupported,
		"GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS":         &p.gpuDirectRDMAFlushWritesOptions,
		"GPU_DIRECT_RDMA_WRITES_ORDERING":              &p.gpuDirectRDMAWritesOrdering,
		"MEMPOOL_SUPPORTED_HANDLE_TYPES":               &p.memoryPoolSupportedHandleTypes,
		"DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED":        &p.deferredMappingCudaArraySupported,
		"IPC_EVENT_SUPPORTED":                          &p.ipcEventSupported,
		"CLUSTER_LAUNCH":                               &p.clusterLaunch,
		"UNIFIED_FUNCTION_POINTERS":                    &p.unifiedFunctionPointers,
	}
}
