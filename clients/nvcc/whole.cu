// Uses the device code of part.cu.
#include "part.h"
#include <cstdio>

static __device__ int own = 2;

static __global__ void kernel(float *x)
{
    x[threadIdx.x] = twice(x[threadIdx.x]) + own;
}

int main()
{
    float x[32], *d;
    int count = 0;
    for (int i = 0; i < 32; ++i)
        x[i] = i;
    cudaMalloc(&d, sizeof x);
    cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
    kernel<<<1, 32>>>(d);
    cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&count, calls, sizeof count);
    fromPart();
    printf("%g %g, %d calls, %s\n", x[1], x[31], count, cudaGetErrorName(cudaGetLastError()));
}
