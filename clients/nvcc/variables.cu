// Constant, device and managed variables, a kernel of a template, printf and atomics.
#include <cstdio>

__constant__ float scale[4];
__device__ int counter = 5;
__managed__ int total = 7;

template <class T>
__global__ void weigh(const T *a, T *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[i] * scale[i % 4];
    atomicAdd(&counter, 1);
    if (i == 0) {
        total += 1;
        printf("first of %d\n", n);
    }
}

int main(int argc, char **argv)
{
    const int n = 1000;
    float weights[4] = {1, 2, 3, 4}, *a, *b;
    int count = 0;
    cudaMemcpyToSymbol(scale, weights, sizeof weights);
    cudaMallocManaged(&a, n * sizeof *a);
    cudaMallocManaged(&b, n * sizeof *b);
    for (int i = 0; i < n; ++i)
        a[i] = i;
    total += 2;
    weigh<<<(n + 255) / 256, 256>>>(a, b, n);
    cudaError_t code = cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(&count, counter, sizeof count);
    printf("%s, %g %g, counter %d, total %d, %d arguments\n", cudaGetErrorName(code), b[5], b[999], count, total, argc);
    return cudaGetLastError() != cudaSuccess;
}
