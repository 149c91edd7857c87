// A kernel in the default stream of its thread, while the host holds a stream that the legacy one would wait for. It prints what the kernel stored.
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void store(int *p) { *p = 1; }

static std::atomic<bool> open_;
static void CUDART_CB hold(void *) { while (!open_) {} }

int main()
{
    int *p, seen = 0;
    cudaMallocHost((void **)&p, sizeof(int));
    *p = 0;
    cudaStream_t other;
    cudaStreamCreate(&other);
    cudaLaunchHostFunc(other, hold, nullptr);
    store<<<1, 1>>>(p);
    if (cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess) seen = *p;
    open_ = true;
    cudaDeviceSynchronize();
    printf("%d\n", seen);
}
