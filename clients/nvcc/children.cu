// Dynamic parallelism: kernels that launch kernels.
#include <cstdio>

__global__ void child(int *sum, int depth)
{
    atomicAdd(sum, 1);
    if (depth > 0 && threadIdx.x == 0)
        child<<<1, 4>>>(sum, depth - 1);
}

__global__ void parent(int *sum)
{
    child<<<2, 8>>>(sum, 2);
    if (threadIdx.x == 0) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        child<<<1, 1, 0, s>>>(sum, 0);
        cudaStreamDestroy(s);
    }
}

int main()
{
    int *sum;
    cudaMallocManaged(&sum, sizeof *sum);
    parent<<<1, 2>>>(sum);
    cudaError_t code = cudaDeviceSynchronize();
    printf("%s, %d\n", cudaGetErrorName(code), *sum);
}
