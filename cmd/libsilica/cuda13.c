// Functions of the runtime API that mean something else in libcudart.so.13 than before, for programs that ask for that version.
// The others have what cuda_runtime_api.h declares.
#include <string.h>

#include "call.h"
#include <cuda_runtime_api.h>

#define VERSION_13(name) __asm__(".symver " #name "_13, " #name "@libcudart.so.13, remove")

// Since 13 a device's properties lack what cudaDeviceGetAttribute tells, and have some numbers more.
struct properties {
#define FIELDS(F) \
	F(char, name, [256]) F(cudaUUID_t, uuid, ) F(char, luid, [8]) F(unsigned, luidDeviceNodeMask, ) F(size_t, totalGlobalMem, ) \
	F(size_t, sharedMemPerBlock, ) F(int, regsPerBlock, ) F(int, warpSize, ) F(size_t, memPitch, ) F(int, maxThreadsPerBlock, ) \
	F(int, maxThreadsDim, [3]) F(int, maxGridSize, [3]) F(size_t, totalConstMem, ) F(int, major, ) F(int, minor, ) \
	F(size_t, textureAlignment, ) F(size_t, texturePitchAlignment, ) F(int, multiProcessorCount, ) F(int, integrated, ) \
	F(int, canMapHostMemory, ) F(int, maxTexture1D, ) F(int, maxTexture1DMipmap, ) F(int, maxTexture2D, [2]) \
	F(int, maxTexture2DMipmap, [2]) F(int, maxTexture2DLinear, [3]) F(int, maxTexture2DGather, [2]) F(int, maxTexture3D, [3]) \
	F(int, maxTexture3DAlt, [3]) F(int, maxTextureCubemap, ) F(int, maxTexture1DLayered, [2]) F(int, maxTexture2DLayered, [3]) \
	F(int, maxTextureCubemapLayered, [2]) F(int, maxSurface1D, ) F(int, maxSurface2D, [2]) F(int, maxSurface3D, [3]) \
	F(int, maxSurface1DLayered, [2]) F(int, maxSurface2DLayered, [3]) F(int, maxSurfaceCubemap, ) \
	F(int, maxSurfaceCubemapLayered, [2]) F(size_t, surfaceAlignment, ) F(int, concurrentKernels, ) F(int, ECCEnabled, ) \
	F(int, pciBusID, ) F(int, pciDeviceID, ) F(int, pciDomainID, ) F(int, tccDriver, ) F(int, asyncEngineCount, ) \
	F(int, unifiedAddressing, ) F(int, memoryBusWidth, ) F(int, l2CacheSize, ) F(int, persistingL2CacheMaxSize, ) \
	F(int, maxThreadsPerMultiProcessor, ) F(int, streamPrioritiesSupported, ) F(int, globalL1CacheSupported, ) \
	F(int, localL1CacheSupported, ) F(size_t, sharedMemPerMultiprocessor, ) F(int, regsPerMultiprocessor, ) F(int, managedMemory, ) \
	F(int, isMultiGpuBoard, ) F(int, multiGpuBoardGroupID, ) F(int, hostNativeAtomicSupported, ) F(int, pageableMemoryAccess, ) \
	F(int, concurrentManagedAccess, ) F(int, computePreemptionSupported, ) F(int, canUseHostPointerForRegisteredMem, ) \
	F(int, cooperativeLaunch, ) F(size_t, sharedMemPerBlockOptin, ) F(int, pageableMemoryAccessUsesHostPageTables, ) \
	F(int, directManagedMemAccessFromHost, ) F(int, maxBlocksPerMultiProcessor, ) F(int, accessPolicyMaxWindowSize, ) \
	F(size_t, reservedSharedMemPerBlock, ) F(int, hostRegisterSupported, ) F(int, sparseCudaArraySupported, ) \
	F(int, hostRegisterReadOnlySupported, ) F(int, timelineSemaphoreInteropSupported, ) F(int, memoryPoolsSupported, ) \
	F(int, gpuDirectRDMASupported, ) F(unsigned, gpuDirectRDMAFlushWritesOptions, ) F(int, gpuDirectRDMAWritesOrdering, ) \
	F(unsigned, memoryPoolSupportedHandleTypes, ) F(int, deferredMappingCudaArraySupported, ) F(int, ipcEventSupported, ) \
	F(int, clusterLaunch, ) F(int, unifiedFunctionPointers, )
#define DECLARE(type, name, extent) type name extent;
	FIELDS(DECLARE)
	int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
	unsigned gpuPciDeviceID, gpuPciSubsystemID;
	int hostNumaMultinodeIpcSupported;
	int reserved[56];
};

VERSION_13(cudaGetDeviceProperties);
cudaError_t cudaGetDeviceProperties_13(struct properties *to, int device)
{
	struct cudaDeviceProp from;
	cudaError_t code = cudaGetDeviceProperties_v2(to ? &from : NULL, device);
	if (code != cudaSuccess)
		return code;
	memset(to, 0, sizeof *to);
#define COPY(type, name, extent) memcpy(&to->name, &from.name, sizeof to->name);
	FIELDS(COPY)
	to->deviceNumaId = to->hostNumaId = -1;
	return cudaSuccess;
}

VERSION_13(cudaMemPrefetchAsync);
cudaError_t cudaMemPrefetchAsync_13(const void *devPtr, size_t count, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream)
{
	return cudaMemPrefetchAsync_v2(devPtr, count, location, flags, stream);
}

VERSION_13(cudaMemPrefetchAsync_ptsz);
cudaError_t cudaMemPrefetchAsync_ptsz_13(const void *devPtr, size_t count, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream)
{
	return cudaMemPrefetchAsync_v2(devPtr, count, location, flags, (cudaStream_t)silica_own_stream((uint64_t)stream));
}

VERSION_13(cudaMemAdvise);
cudaError_t cudaMemAdvise_13(const void *devPtr, size_t count, enum cudaMemoryAdvise advice, struct cudaMemLocation location)
{
	return cudaMemAdvise_v2(devPtr, count, advice, location);
}

// Edges of graphs have data since 13, as those of the functions with a version do before.
VERSION_13(cudaGraphAddNode);
cudaError_t cudaGraphAddNode_13(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges, size_t count,
                                struct cudaGraphNodeParams *params)
{
	return cudaGraphAddNode_v2(node, graph, dependencies, edges, count, params);
}

VERSION_13(cudaGraphAddDependencies);
cudaError_t cudaGraphAddDependencies_13(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count)
{
	return cudaGraphAddDependencies_v2(graph, from, to, edges, count);
}

VERSION_13(cudaGraphRemoveDependencies);
cudaError_t cudaGraphRemoveDependencies_13(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count)
{
	return cudaGraphRemoveDependencies_v2(graph, from, to, edges, count);
}

VERSION_13(cudaGraphGetEdges);
cudaError_t cudaGraphGetEdges_13(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *count)
{
	return cudaGraphGetEdges_v2(graph, from, to, edges, count);
}

VERSION_13(cudaGraphNodeGetDependencies);
cudaError_t cudaGraphNodeGetDependencies_13(cudaGraphNode_t node, cudaGraphNode_t *dependencies, cudaGraphEdgeData *edges, size_t *count)
{
	return cudaGraphNodeGetDependencies_v2(node, dependencies, edges, count);
}

VERSION_13(cudaGraphNodeGetDependentNodes);
cudaError_t cudaGraphNodeGetDependentNodes_13(cudaGraphNode_t node, cudaGraphNode_t *dependents, cudaGraphEdgeData *edges, size_t *count)
{
	return cudaGraphNodeGetDependentNodes_v2(node, dependents, edges, count);
}

VERSION_13(cudaStreamGetCaptureInfo);
cudaError_t cudaStreamGetCaptureInfo_13(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges, size_t *count)
{
	return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, edges, count);
}

VERSION_13(cudaStreamGetCaptureInfo_ptsz);
cudaError_t cudaStreamGetCaptureInfo_ptsz_13(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                                             const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges, size_t *count)
{
	return cudaStreamGetCaptureInfo_v3((cudaStream_t)silica_own_stream((uint64_t)stream), status, id, graph, dependencies, edges, count);
}

VERSION_13(cudaStreamUpdateCaptureDependencies);
cudaError_t cudaStreamUpdateCaptureDependencies_13(cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges, size_t count, unsigned int flags)
{
	return cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, edges, count, flags);
}

VERSION_13(cudaStreamUpdateCaptureDependencies_ptsz);
cudaError_t cudaStreamUpdateCaptureDependencies_ptsz_13(cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges, size_t count, unsigned int flags)
{
	return cudaStreamUpdateCaptureDependencies_v2((cudaStream_t)silica_own_stream((uint64_t)stream), dependencies, edges, count, flags);
}

// Batches of copies do not tell since 13 which of them was refused.
VERSION_13(cudaMemcpyBatchAsync);
cudaError_t cudaMemcpyBatchAsync_13(void **dsts, void **srcs, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                    size_t numAttrs, cudaStream_t stream)
{
	size_t failed;
	return cudaMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, &failed, stream);
}

VERSION_13(cudaMemcpyBatchAsync_ptsz);
cudaError_t cudaMemcpyBatchAsync_ptsz_13(void **dsts, void **srcs, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                         size_t numAttrs, cudaStream_t stream)
{
	size_t failed;
	return cudaMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, &failed, (cudaStream_t)silica_own_stream((uint64_t)stream));
}

VERSION_13(cudaMemcpy3DBatchAsync);
cudaError_t cudaMemcpy3DBatchAsync_13(size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags, cudaStream_t stream)
{
	size_t failed;
	return cudaMemcpy3DBatchAsync(count, list, &failed, flags, stream);
}

VERSION_13(cudaMemcpy3DBatchAsync_ptsz);
cudaError_t cudaMemcpy3DBatchAsync_ptsz_13(size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags, cudaStream_t stream)
{
	size_t failed;
	return cudaMemcpy3DBatchAsync(count, list, &failed, flags, (cudaStream_t)silica_own_stream((uint64_t)stream));
}
