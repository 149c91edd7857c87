// Prints the arguments, the device, the architecture it was compiled for, and doubles the numbers on stdin; the exit status is
// how many there were.
#include <cstdio>
#include <cuda_runtime.h>

#ifndef GREETING
#define GREETING "hello"
#endif

__global__ void twice(int *p, int *arch)
{
    *p *= 2;
#ifdef __CUDA_ARCH__
    *arch = __CUDA_ARCH__;
#endif
}

int main(int argc, char **argv)
{
    cudaDeviceProp prop;
    if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess) return 100;
    printf("%s", GREETING);
    for (int i = 1; i < argc; ++i) printf(" [%s]", argv[i]);
    int *p, v, arch = 0, n = 0;
    cudaMallocManaged(&p, 8);
    while (scanf("%d", &v) == 1) {
        p[0] = v;
        twice<<<1, 1>>>(p, p + 1);
        cudaDeviceSynchronize();
        printf(" %d", p[0]);
        arch = p[1];
        ++n;
    }
    printf("\n%s, %d\n", prop.name, arch);
    fprintf(stderr, "%d numbers\n", n);
    return n;
}
