// Calls whose trace is traced.txt.
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void store(int *p) { *p = 1; }

int main()
{
    int *p, host[4], n;
    cudaStream_t s;
    cudaMalloc(&p, 64);
    cudaMemcpy(p, host, 16, cudaMemcpyHostToDevice);
    cudaMemcpy(p, host, 16, (cudaMemcpyKind)9);
    cudaGetLastError();
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    store<<<2, dim3(3, 4), 5, s>>>(p);
    cudaStreamSynchronize(s);
    cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0);
    cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    CUmodule m;
    CUfunction f;
    cuModuleLoadData(&m, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry kernel(.param .u64 p) { ret; }\n");
    cuModuleGetFunction(&f, m, "kernel");
    cuModuleGetFunction(&f, m, "absent");
    void *arguments[] = {&p}, *function;
    cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
    cuGetProcAddress_v2("cuMemAlloc", &function, 12000, 0, nullptr);
    cudaFree(p);
}
