// CUDA's device runtime: what kernels call to launch others, and to copy and fill memory in streams of their own.
#ifndef SILICA_DEVICE_RUNTIME_H
#define SILICA_DEVICE_RUNTIME_H

// The names that CUDA 12 and later compile the calls to; see internal/ir, system.go.
#define SILICA_DEVICE_CALL(result, name, parameters, arguments)                                                                       \
    __device__ result __cudaCDP2##name parameters;                                                                                     \
    static __device__ __forceinline__ result cuda##name parameters { return __cudaCDP2##name arguments; }

extern "C" {
SILICA_DEVICE_CALL(void *, GetParameterBuffer, (size_t alignment, size_t size), (alignment, size))
SILICA_DEVICE_CALL(void *, GetParameterBufferV2, (void *func, dim3 grid, dim3 block, unsigned int shared), (func, grid, block, shared))
SILICA_DEVICE_CALL(cudaError_t, LaunchDevice, (void *func, void *parameters, dim3 grid, dim3 block, unsigned int shared, cudaStream_t stream),
                   (func, parameters, grid, block, shared, stream))
SILICA_DEVICE_CALL(cudaError_t, LaunchDeviceV2, (void *parameters, cudaStream_t stream), (parameters, stream))
SILICA_DEVICE_CALL(cudaError_t, GetLastError, (void), ())
SILICA_DEVICE_CALL(cudaError_t, PeekAtLastError, (void), ())
SILICA_DEVICE_CALL(const char *, GetErrorString, (cudaError_t error), (error))
SILICA_DEVICE_CALL(const char *, GetErrorName, (cudaError_t error), (error))
SILICA_DEVICE_CALL(cudaError_t, GetDevice, (int *device), (device))
SILICA_DEVICE_CALL(cudaError_t, GetDeviceCount, (int *count), (count))
SILICA_DEVICE_CALL(cudaError_t, RuntimeGetVersion, (int *version), (version))
SILICA_DEVICE_CALL(cudaError_t, DeviceGetAttribute, (int *value, enum cudaDeviceAttr attr, int device), (value, attr, device))
SILICA_DEVICE_CALL(cudaError_t, DeviceGetLimit, (size_t *value, enum cudaLimit limit), (value, limit))
SILICA_DEVICE_CALL(cudaError_t, DeviceGetCacheConfig, (enum cudaFuncCache *config), (config))
SILICA_DEVICE_CALL(cudaError_t, DeviceGetSharedMemConfig, (enum cudaSharedMemConfig *config), (config))
SILICA_DEVICE_CALL(cudaError_t, StreamCreateWithFlags, (cudaStream_t *stream, unsigned int flags), (stream, flags))
SILICA_DEVICE_CALL(cudaError_t, StreamDestroy, (cudaStream_t stream), (stream))
SILICA_DEVICE_CALL(cudaError_t, StreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0), (stream, event, flags))
SILICA_DEVICE_CALL(cudaError_t, EventCreateWithFlags, (cudaEvent_t *event, unsigned int flags), (event, flags))
SILICA_DEVICE_CALL(cudaError_t, EventDestroy, (cudaEvent_t event), (event))
SILICA_DEVICE_CALL(cudaError_t, EventRecord, (cudaEvent_t event, cudaStream_t stream = 0), (event, stream))
SILICA_DEVICE_CALL(cudaError_t, EventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned int flags), (event, stream, flags))
SILICA_DEVICE_CALL(cudaError_t, Malloc, (void **pointer, size_t size), (pointer, size))
SILICA_DEVICE_CALL(cudaError_t, Free, (void *pointer), (pointer))
SILICA_DEVICE_CALL(cudaError_t, MemcpyAsync, (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream = 0),
                   (dst, src, count, kind, stream))
SILICA_DEVICE_CALL(cudaError_t, Memcpy2DAsync,
                   (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                    cudaStream_t stream = 0),
                   (dst, dpitch, src, spitch, width, height, kind, stream))
SILICA_DEVICE_CALL(cudaError_t, Memcpy3DAsync, (const struct cudaMemcpy3DParms *parms, cudaStream_t stream = 0), (parms, stream))
SILICA_DEVICE_CALL(cudaError_t, MemsetAsync, (void *pointer, int value, size_t count, cudaStream_t stream = 0), (pointer, value, count, stream))
SILICA_DEVICE_CALL(cudaError_t, Memset2DAsync, (void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream = 0),
                   (pointer, pitch, value, width, height, stream))
SILICA_DEVICE_CALL(cudaError_t, Memset3DAsync, (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent, cudaStream_t stream = 0),
                   (pointer, value, extent, stream))
SILICA_DEVICE_CALL(cudaError_t, FuncGetAttributes, (struct cudaFuncAttributes *attributes, const void *func), (attributes, func))
SILICA_DEVICE_CALL(cudaError_t, OccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, const void *func, int blockSize, size_t dynamicShared),
                   (blocks, func, blockSize, dynamicShared))
SILICA_DEVICE_CALL(cudaError_t, OccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                   (int *blocks, const void *func, int blockSize, size_t dynamicShared, unsigned int flags), (blocks, func, blockSize, dynamicShared, flags))

// What conditional nodes of graphs decide by.
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
}
#undef SILICA_DEVICE_CALL

template <class T> static __device__ __forceinline__ cudaError_t cudaMalloc(T **pointer, size_t size) { return cudaMalloc((void **)pointer, size); }
template <class... P> static __device__ __forceinline__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, void (*kernel)(P...))
{ return cudaFuncGetAttributes(attributes, (const void *)kernel); }
template <class... P>
static __device__ __forceinline__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(P...), int blockSize, size_t dynamicShared)
{ return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, blockSize, dynamicShared); }
template <class... P>
static __device__ __forceinline__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void (*kernel)(P...), int blockSize,
                                                                                                     size_t dynamicShared, unsigned int flags)
{ return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, blockSize, dynamicShared, flags); }

// Programmatic dependent launch.
#if SILICA_ARCH >= 900
static __device__ __forceinline__ void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
static __device__ __forceinline__ void cudaTriggerProgrammaticLaunchCompletion() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
#endif

// What launches from device code are compiled to; internal/compile/dialect writes the calls.
namespace silica {

// An execution configuration: what stands in <<<...>>>.
struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    template <class Shared = size_t, class Stream = cudaStream_t>
    __host__ __device__ __forceinline__ configuration(dim3 grid, dim3 block, Shared shared = 0, Stream stream = 0)
        : grid(grid), block(block), shared((size_t)shared), stream((cudaStream_t)(size_t)stream) {}
};

// The address of a kernel. An initialiser may name the kernel, which device code may not.
template <class F, F *Kernel> struct address {
    static constexpr F *value = Kernel;
};

// Puts a parameter at its place in a parameter buffer.
template <class P> static __device__ __forceinline__ void put(char *buffer, size_t &at, const P &parameter)
{
    at = (at + alignof(P) - 1) / alignof(P) * alignof(P);
    __builtin_memcpy(__builtin_assume_aligned(buffer + at, alignof(P)), &parameter, sizeof(P));
    at += sizeof(P);
}

template <class F> struct launcher;
template <class... P> struct launcher<void(P...)> {
    template <void (*Kernel)(P...)> static __host__ __device__ __forceinline__ void launch(const configuration &c, const P &...parameters)
    {
        char *buffer = (char *)__cudaCDP2GetParameterBufferV2((void *)address<void(P...), Kernel>::value, c.grid, c.block, (unsigned int)c.shared);
        if (!buffer) return;
        size_t at = 0;
        int order[] = {0, (put<P>(buffer, at, parameters), 0)...};
        (void)order, (void)at;
        __cudaCDP2LaunchDeviceV2(buffer, c.stream);
    }
};

} // namespace silica
#endif
