// C++ conveniences over the C functions of the runtime API.
#ifndef SILICA_RUNTIME_TEMPLATES_H
#define SILICA_RUNTIME_TEMPLATES_H

#include "../cuda_runtime_api.h"

template <class T> inline cudaError_t cudaMalloc(T **p, size_t size) { return ::cudaMalloc((void **)p, size); }
template <class T> inline cudaError_t cudaMallocHost(T **p, size_t size, unsigned int flags = cudaHostAllocDefault)
{ return ::cudaHostAlloc((void **)p, size, flags); }
template <class T> inline cudaError_t cudaHostAlloc(T **p, size_t size, unsigned int flags) { return ::cudaHostAlloc((void **)p, size, flags); }
template <class T> inline cudaError_t cudaHostGetDevicePointer(T **p, void *host, unsigned int flags)
{ return ::cudaHostGetDevicePointer((void **)p, host, flags); }
template <class T> inline cudaError_t cudaMallocManaged(T **p, size_t size, unsigned int flags = cudaMemAttachGlobal)
{ return ::cudaMallocManaged((void **)p, size, flags); }
template <class T> inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{ return ::cudaMallocPitch((void **)p, pitch, width, height); }
template <class T> inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream) { return ::cudaMallocAsync((void **)p, size, stream); }
template <class T> inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{ return ::cudaMallocFromPoolAsync((void **)p, size, pool, stream); }
template <class T> inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{ return ::cudaMallocFromPoolAsync((void **)p, size, pool, stream); }

// The form that CUDA 11 has.
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *errorNode, cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
    if (errorNode) *errorNode = info.errorNode;
    if (result) *result = info.result;
    return error;
}

// Symbols are variables; their address is what the C functions take.
template <class T> inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                                         cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{ return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind); }
template <class T> inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                                              cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{ return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream); }
template <class T> inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                                           cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{ return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind); }
template <class T> inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                                                cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{ return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream); }
template <class T> inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) { return ::cudaGetSymbolAddress(p, (const void *)&symbol); }
template <class T> inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) { return ::cudaGetSymbolSize(size, (const void *)&symbol); }
template <class T>
inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t numDependencies,
                                                  const T &symbol, const void *src, size_t count, size_t offset, cudaMemcpyKind kind)
{ return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, numDependencies, (const void *)&symbol, src, count, offset, kind); }
template <class T>
inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t numDependencies,
                                                    void *dst, const T &symbol, size_t count, size_t offset, cudaMemcpyKind kind)
{ return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, numDependencies, dst, (const void *)&symbol, count, offset, kind); }
template <class T>
inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *src, size_t count, size_t offset, cudaMemcpyKind kind)
{ return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, src, count, offset, kind); }
template <class T>
inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const T &symbol, size_t count, size_t offset, cudaMemcpyKind kind)
{ return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void *)&symbol, count, offset, kind); }
template <class T>
inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const T &symbol, const void *src, size_t count,
                                                            size_t offset, cudaMemcpyKind kind)
{ return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, src, count, offset, kind); }
template <class T>
inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const T &symbol, size_t count,
                                                              size_t offset, cudaMemcpyKind kind)
{ return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, dst, (const void *)&symbol, count, offset, kind); }

// Kernels are functions; their address is what the C functions take.
template <class F> inline cudaError_t cudaLaunchKernel(F *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0)
{ return ::cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream); }
template <class F> inline cudaError_t cudaLaunchCooperativeKernel(F *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0)
{ return ::cudaLaunchCooperativeKernel((const void *)kernel, grid, block, args, shared, stream); }
template <class... Parameters, class... Arguments>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...), Arguments &&...arguments)
{
    return [&](Parameters... converted) {
        void *args[] = {(void *)&converted..., nullptr};
        return ::cudaLaunchKernelExC(config, (const void *)kernel, args);
    }(static_cast<Arguments &&>(arguments)...);
}
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, const void *kernel, void **args) { return ::cudaLaunchKernelExC(config, kernel, args); }
template <class F> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attr, F *kernel) { return ::cudaFuncGetAttributes(attr, (const void *)kernel); }
template <class F> inline cudaError_t cudaFuncSetAttribute(F *kernel, cudaFuncAttribute attr, int value)
{ return ::cudaFuncSetAttribute((const void *)kernel, attr, value); }
template <class F> inline cudaError_t cudaFuncSetCacheConfig(F *kernel, cudaFuncCache config) { return ::cudaFuncSetCacheConfig((const void *)kernel, config); }
template <class F> inline cudaError_t cudaFuncSetSharedMemConfig(F *kernel, cudaSharedMemConfig config)
{ return ::cudaFuncSetSharedMemConfig((const void *)kernel, config); }
template <class F> inline cudaError_t cudaGetKernel(cudaKernel_t *handle, F *kernel) { return ::cudaGetKernel(handle, (const void *)kernel); }
template <class T> inline cudaError_t cudaLibraryGetGlobal(T **address, size_t *bytes, cudaLibrary_t library, const char *name)
{ return ::cudaLibraryGetGlobal((void **)address, bytes, library, name); }
template <class T> inline cudaError_t cudaLibraryGetManaged(T **address, size_t *bytes, cudaLibrary_t library, const char *name)
{ return ::cudaLibraryGetManaged((void **)address, bytes, library, name); }
template <class F> inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, F *kernel) { return ::cudaGetFuncBySymbol(function, (const void *)kernel); }
template <class F> inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F kernel, int blockSize, size_t shared)
{ return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, blockSize, shared); }
template <class F> inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, F kernel, int blockSize, size_t shared, unsigned int flags)
{ return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, blockSize, shared, flags); }
template <class F> inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, F *kernel, int blocks, int blockSize)
{ return ::cudaOccupancyAvailableDynamicSMemPerBlock(shared, (const void *)kernel, blocks, blockSize); }
template <class F> inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, F *kernel, const cudaLaunchConfig_t *config)
{ return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config); }
template <class F> inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, F *kernel, const cudaLaunchConfig_t *config)
{ return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config); }

// The block size, a multiple of the warp, with the most resident threads; the larger one of equals. minGridSize fills the device.
template <class Size, class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *minGridSize, int *blockSize, F kernel, Size sharedOfBlock,
                                                                          int limit = 0, unsigned int flags = 0)
{
    int device, multiprocessors, residentThreads, maxBlock;
    cudaFuncAttributes attr;
    cudaError_t e;
    if ((e = ::cudaGetDevice(&device)) != cudaSuccess) return e;
    if ((e = ::cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device)) != cudaSuccess) return e;
    if ((e = ::cudaDeviceGetAttribute(&residentThreads, cudaDevAttrMaxThreadsPerMultiProcessor, device)) != cudaSuccess) return e;
    if ((e = ::cudaDeviceGetAttribute(&maxBlock, cudaDevAttrMaxThreadsPerBlock, device)) != cudaSuccess) return e;
    if ((e = ::cudaFuncGetAttributes(&attr, (const void *)kernel)) != cudaSuccess) return e;
    if (attr.maxThreadsPerBlock < maxBlock) maxBlock = attr.maxThreadsPerBlock;
    if (limit > 0 && limit < maxBlock) maxBlock = limit;
    int bestThreads = 0;
    *minGridSize = *blockSize = 0;
    for (int top = (maxBlock + 31) / 32 * 32; top > 0; top -= 32) {
        int size = top < maxBlock ? top : maxBlock, blocks;
        e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)kernel, size, sharedOfBlock(size), flags);
        if (e != cudaSuccess) return e;
        if (blocks * size > bestThreads) {
            bestThreads = blocks * size;
            *blockSize = size;
            *minGridSize = blocks * multiprocessors;
        }
        if (bestThreads == residentThreads) break;
    }
    return cudaSuccess;
}
template <class Size, class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize, int *blockSize, F kernel, Size sharedOfBlock, int limit = 0)
{ return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, kernel, sharedOfBlock, limit); }
template <class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, F kernel, size_t shared = 0, int limit = 0, unsigned int flags = 0)
{ return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, kernel, [=](int) { return shared; }, limit, flags); }
template <class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, F kernel, size_t shared = 0, int limit = 0)
{ return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, kernel, shared, limit); }

inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) { return ::cudaEventCreateWithFlags(event, flags); }
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *, char *, size_t)
{ return ::cudaGraphInstantiate(exec, graph, 0); }
inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t count, cudaMemLocation location, unsigned int flags, cudaStream_t stream = 0)
{ return ::cudaMemPrefetchAsync_v2(p, count, location, flags, stream); }
inline cudaError_t cudaMemAdvise(const void *p, size_t count, cudaMemoryAdvise advice, cudaMemLocation location)
{ return ::cudaMemAdvise_v2(p, count, advice, location); }

inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t xsize, size_t ysize) { return cudaPitchedPtr{p, pitch, xsize, ysize}; }
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return cudaExtent{width, height, depth}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return cudaPos{x, y, z}; }

// cudaCreateChannelDesc<float4>() and its kind: components and bits of the type.
namespace silica {
template <class T> struct channel;
#define SILICA_CHANNEL(T, n, bits, kind)                                                                  \
    template <> struct channel<T> {                                                                       \
        static constexpr int components = n, width = bits;                                                \
        static constexpr cudaChannelFormatKind format = cudaChannelFormatKind##kind;                      \
    };
#define SILICA_CHANNELS(name, scalar, bits, kind)                                                         \
    SILICA_CHANNEL(scalar, 1, bits, kind) SILICA_CHANNEL(name##1, 1, bits, kind)                          \
    SILICA_CHANNEL(name##2, 2, bits, kind) SILICA_CHANNEL(name##4, 4, bits, kind)
SILICA_CHANNEL(char, 1, 8, Signed)
SILICA_CHANNELS(char, signed char, 8, Signed)
SILICA_CHANNELS(uchar, unsigned char, 8, Unsigned)
SILICA_CHANNELS(short, short, 16, Signed)
SILICA_CHANNELS(ushort, unsigned short, 16, Unsigned)
SILICA_CHANNELS(int, int, 32, Signed)
SILICA_CHANNELS(uint, unsigned int, 32, Unsigned)
SILICA_CHANNELS(float, float, 32, Float)
#undef SILICA_CHANNELS
#undef SILICA_CHANNEL
} // namespace silica
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef silica::channel<T> c;
    return cudaChannelFormatDesc{c::width, c::components > 1 ? c::width : 0, c::components > 2 ? c::width : 0,
                                 c::components > 3 ? c::width : 0, c::format};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return cudaChannelFormatDesc{16, 0, 0, 0, cudaChannelFormatKindFloat}; }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() { return cudaChannelFormatDesc{16, 16, 0, 0, cudaChannelFormatKindFloat}; }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() { return cudaChannelFormatDesc{16, 16, 16, 16, cudaChannelFormatKindFloat}; }

#endif
