// What kernels print comes in order with what the host prints.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void say(int i) { printf("device %d, thread %d\n", i, threadIdx.x); }
__global__ void formats(const char *) { printf("%5d|%-5u|%08x|%c|%s|%.3f|%lld|%%\n", -42, 42u, 255, 'x', "text", 1.5, 1ll << 40); }

int main()
{
    printf("host 1\n");
    say<<<1, 2>>>(1);
    cudaDeviceSynchronize();
    printf("host 2\n");
    say<<<1, 1>>>(2);
    say<<<1, 1>>>(3);
    cudaStreamSynchronize(0);
    printf("host 3\n");
    formats<<<1, 1>>>("");
    int *p, value = 0;
    cudaMalloc(&p, 4);
    cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice);
    printf("host 4\n");
    say<<<1, 1>>>(4); // printed at the end of the process
    return 0;
}
