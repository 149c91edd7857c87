// One call that is not supported, one that fails, two asynchronous ones that do, and a launch that is refused.
#include <cuda_runtime.h>

extern "C" cudaError_t cudaEGLStreamConsumerDisconnect(void *connection);

__global__ void nothing() {}

int main()
{
    void *p;
    cudaMalloc(&p, 16);
    cudaEGLStreamConsumerDisconnect(&p);
    cudaFree((char *)p + 1);
    cudaFreeAsync((char *)p + 1, 0);
    cudaFreeAsync((char *)p + 2, 0);
    nothing<<<1, 2000>>>();
}
