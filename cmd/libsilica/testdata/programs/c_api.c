/* The runtime API from C. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    int count = 0, failures = 0, version = 0;
    void *p = NULL;
    char text[6] = "", *back = text;
    struct cudaDeviceProp prop;
    dim3 grid = {1, 1, 1};
    failures += cudaGetDeviceCount(&count) != cudaSuccess || count != 1;
    failures += cudaRuntimeGetVersion(&version) != cudaSuccess || version != CUDART_VERSION;
    failures += cudaGetDeviceProperties(&prop, 0) != cudaSuccess || prop.warpSize != 32 || strlen(prop.name) == 0;
    failures += cudaMalloc(&p, 100) != cudaSuccess;
    failures += cudaMemcpy(p, "hello", 6, cudaMemcpyHostToDevice) != cudaSuccess;
    failures += cudaMemcpy(back, p, 6, cudaMemcpyDeviceToHost) != cudaSuccess || strcmp(text, "hello") != 0;
    failures += cudaLaunchKernel((const void *)main, grid, grid, NULL, 0, NULL) != cudaErrorInvalidDeviceFunction;
    failures += cudaPeekAtLastError() != cudaErrorInvalidDeviceFunction;
    failures += strcmp(cudaGetErrorString(cudaGetLastError()), "invalid device function") != 0;
    failures += cudaFree(p) != cudaSuccess;
    struct cudaChannelFormatDesc desc = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    failures += desc.x != 8 || desc.f != cudaChannelFormatKindUnsigned;
    printf("%d\n", failures);
    return failures;
}
