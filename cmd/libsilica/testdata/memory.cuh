// What the programs about memory, devices and processes share.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *name(CUresult r)
{
    const char *s = nullptr;
    return cuGetErrorName(r, &s) == CUDA_SUCCESS ? s : "?";
}
static const char *name(cudaError_t r) { return cudaGetErrorName(r); }

#define R(call) (printf("%s: %s\n", #call, name(call)), fflush(stdout))
#define V(expression) (printf("%s = %lld\n", #expression, (long long)(expression)), fflush(stdout))

__global__ void set(int *p, int v) { *p = v; }
__global__ void add(int *p, int v) { atomicAdd_system(p, v); }
__global__ void load(const int *p, int *to) { *to = *p; }
__global__ void spin(volatile int *p)
{
    while (*p == 0) {}
}
__device__ int variable;
__constant__ int constant;
__managed__ int managed;
__global__ void readVariables(int *to)
{
    to[0] = variable;
    to[1] = constant;
}

#if CUDART_VERSION >= 13000
#define prefetchTo(p, n, where) cudaMemPrefetchAsync(p, n, where, 0, 0)
#define advise(p, n, what, where) cudaMemAdvise(p, n, what, where)
#else
#define prefetchTo(p, n, where) cudaMemPrefetchAsync_v2(p, n, where, 0, 0)
#define advise(p, n, what, where) cudaMemAdvise_v2(p, n, what, where)
#endif

static inline CUcontext createContext(CUdevice device)
{
    CUcontext c = nullptr;
#if CUDA_VERSION >= 13000
    cuCtxCreate(&c, nullptr, 0, device);
#else
    cuCtxCreate(&c, 0, device);
#endif
    return c;
}
