// Kernels that do what they must not, one for each argument: prints what the launch, the next synchronization, a later call, and one after a
// reset answer.
#include <cassert>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void outside(int *p, int i)
{
    p[i] = 1; // outside
}
__global__ void misaligned(char *p) { *(int *)(p + 2) = 1; } // misaligned
__global__ void trap() { __trap(); } // trap
__global__ void failing(int limit)
{
    if (threadIdx.x >= limit)
        assert(threadIdx.x < limit); // assert
}
__global__ void shared_outside(int i)
{
    __shared__ volatile int s[16];
    s[i] = 1; // shared
}
__global__ void endless(volatile int *p)
{
    while (*p == 0) {} // endless
}

static const char *name(cudaError_t e) { return cudaGetErrorName(e); }

int main(int, char **argv)
{
    const char *what = argv[1];
    int *p, host = 0;
    if (cudaMalloc(&p, 64) != cudaSuccess || cudaMemset(p, 0, 64) != cudaSuccess) return 1;
    outside<<<1, 1>>>(p, 1); // inside; loads the module, whose variables need memory too
    cudaDeviceSynchronize();
    if (!strcmp(what, "outside")) outside<<<1, 3>>>(p, 16);
    if (!strcmp(what, "far")) outside<<<1, 1>>>(p, 1 << 30);
    if (!strcmp(what, "null")) outside<<<1, 1>>>(nullptr, 0);
    if (!strcmp(what, "host")) outside<<<1, 1>>>(&host, 0);
    if (!strcmp(what, "freed")) { cudaFree(p); outside<<<1, 1>>>(p, 0); }
    if (!strcmp(what, "misaligned")) misaligned<<<1, 1>>>((char *)p);
    if (!strcmp(what, "trap")) trap<<<1, 1>>>();
    if (!strcmp(what, "assert")) failing<<<1, 5>>>(4);
    if (!strcmp(what, "shared")) shared_outside<<<1, 1>>>(1 << 24);
    if (!strcmp(what, "endless")) endless<<<1, 1>>>(p + 2);
    if (!strcmp(what, "block")) outside<<<1, 2000>>>(p, 0);
    printf("launch %s\n", name(cudaGetLastError()));
    printf("synchronize %s\n", name(cudaDeviceSynchronize()));
    printf("later %s\n", name(cudaMalloc(&p, 64)));
    cudaDeviceReset();
    printf("after a reset %s\n", name(cudaMalloc(&p, 64)));
    return 0;
}
