/* Linked with libcudart.so.12, as NVIDIA's compiler links. */
#include <cuda_runtime_api.h>
#include <stdio.h>

int main(void)
{
    int n = 0;
    cudaError_t e = cudaGetDeviceCount(&n);
    printf("%s %d\n", cudaGetErrorName(e), n);
    return 0;
}
