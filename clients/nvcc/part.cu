// Compiled on its own: a device function, a device variable and a kernel that others use.
#include "part.h"
#include <cstdio>

__device__ int calls;
static __device__ int own = 1;

__device__ float twice(float x)
{
    atomicAdd(&calls, 1);
    return x * 2;
}

static __global__ void kernel() { printf("part %d\n", own); }

void fromPart()
{
    kernel<<<1, 1>>>();
    cudaDeviceSynchronize();
}
