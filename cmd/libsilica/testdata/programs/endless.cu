// A kernel that waits for what never comes.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void spin(volatile int *p)
{
    // No other kernel and no host sets it.
    while (*p == 0)
        continue;
}

int main()
{
    int *p;
    cudaMalloc((void **)&p, sizeof *p);
    cudaMemset(p, 0, sizeof *p);
    spin<<<1, 64>>>(p); // a second block could use up the limit before this one is in its loop
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
