// Mistakes with both APIs. Each is named on stdout with its answer; with SILICA_LOG=info a line on stderr says what is wrong.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <cuda.h>
#include <cuda_runtime.h>

static const char *name(cudaError_t e) { return cudaGetErrorName(e); }
static const char *name(CUresult e) { const char *s = "?"; cuGetErrorName(e, &s); return s; }

// T makes a mistake: its text, and what it answers.
#define T(call) (printf("> %s: ", #call), fflush(stdout), printf("%s\n", name(call)), fflush(stdout))

__global__ void store(int *p) { *p = 1; }
__global__ void __launch_bounds__(256) bounded(int *p) { *p = 1; }
__device__ int variable[4];

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n";
static const char unresolved[] = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func missing;\n.visible .entry k() { call missing; ret; }\n";
static const char future[] = ".version 99.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";
static const char later[] = ".version 9.0\n.target sm_100\n.address_size 64\n.visible .entry k() { ret; }\n";

static void driver()
{
    int n;
    CUdevice device;
    CUcontext context, other;
    CUdeviceptr p = 0, q;
    CUstream stream;
    CUevent event;
    CUmodule module;
    CUfunction k;
    char host[64] = {};
    T(cuDeviceGetCount(&n));
    T(cuInit(7));
    cuInit(0);
    T(cuDeviceGet(&device, 99));
    T(cuMemAlloc(&p, 64));
    T(cuCtxSynchronize());
    cuCtxCreate(&context, 0, 0);
    T(cuMemAlloc(&p, 0));
    T(cuMemAlloc(nullptr, 64));
    cuMemAlloc(&p, 4096);
    cuMemAlloc(&q, 4096);
    T(cuMemFree(p + 8));
    T(cuMemcpyHtoD(p + 4090, host, 64));
    T(cuMemcpyHtoD(p, nullptr, 64));
    T(cuMemcpyHtoD((CUdeviceptr)host, host, 8));
    cuMemFree(p);
    T(cuMemFree(p));
    T(cuMemcpyHtoD(p, host, 64));
    T(cuMemsetD32(q + 1, 0, 4));
    T(cuModuleLoadData(&module, unresolved));
    T(cuModuleLoadData(&module, future));
    T(cuModuleLoadData(&module, later));
    T(cuModuleLoadData(&module, "hello"));
    T(cuModuleLoad(&module, "/nonexistent.ptx"));
    cuModuleLoadData(&module, ptx);
    T(cuModuleGetFunction(&k, module, "absent"));
    cuModuleGetFunction(&k, module, "k");
    void *arguments[] = {&q};
    T(cuLaunchKernel(k, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr));
    T(cuLaunchKernel(k, 0, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    T(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 1 << 20, nullptr, arguments, nullptr));
    T(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    T(cuLaunchKernel((CUfunction)0x1234560, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    cuStreamCreate(&stream, 0);
    cuEventCreate(&event, 0);
    T(cuStreamSynchronize((CUstream)event));
    T(cuEventQuery((CUevent)stream));
    T(cuStreamCreate(&stream, 99));
    cuCtxCreate(&other, 0, 0);
    T(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    T(cuEventRecord(event, nullptr));
    cuCtxDestroy(other);
    T(cuCtxDestroy(other));
    cuCtxSetCurrent(context);
    cuStreamDestroy(stream);
    T(cuStreamSynchronize(stream));
    T(cuEventElapsedTime(nullptr, event, event));
    cuModuleUnload(module);
    T(cuModuleGetFunction(&k, module, "k"));
    T(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE));
    T(cuDeviceGetAttribute(&n, (CUdevice_attribute)9999, 0));
    std::thread([] { CUdeviceptr r; T(cuMemAlloc(&r, 64)); }).join();
    cuCtxDestroy(context);
}

static void runtime()
{
    int *p = nullptr, host[16] = {};
    cudaStream_t s;
    cudaEvent_t a, b;
    float ms;
    T(cudaSetDevice(99));
    T(cudaMalloc(nullptr, 64));
    cudaMalloc(&p, 64);
    T(cudaMalloc((void **)&s, (size_t)1 << 50));
    T(cudaMemcpy(p, host, 64, (cudaMemcpyKind)9));
    T(cudaMemcpy(p, host, 64, cudaMemcpyDeviceToHost));
    T(cudaMemcpy(p, host, 100, cudaMemcpyHostToDevice));
    T(cudaMemset(host, 0, 64));
    T(cudaFree(host));
    T(cudaFree((char *)p + 4));
    T(cudaFreeHost(host));
    T(cudaHostUnregister(host));
    T(cudaMemcpyToSymbol(host, host, 4));
    T(cudaMemcpyToSymbol(variable, host, 17));
    T(cudaMemcpy2D(p, 4, host, 8, 8, 2, cudaMemcpyHostToDevice));
    T((store<<<1, 2000>>>(p), cudaGetLastError()));
    T((store<<<dim3(1, 70000), 1>>>(p), cudaGetLastError()));
    T((store<<<0, 1>>>(p), cudaGetLastError()));
    T((store<<<1, 1, 100000>>>(p), cudaGetLastError()));
    T((store<<<1, 1, 300000>>>(p), cudaGetLastError()));
    T((bounded<<<1, 512>>>(p), cudaGetLastError()));
    void *arguments[] = {&p};
    T(cudaLaunchKernel((const void *)host, dim3(1), dim3(1), arguments, 0, 0));
    T(cudaLaunchCooperativeKernel((const void *)store, dim3(100000), dim3(1), arguments, 0, 0));
    T(cudaFuncSetAttribute((const void *)store, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    T(cudaStreamDestroy(0));
    cudaStreamCreate(&s);
    cudaStreamDestroy(s);
    T(cudaStreamSynchronize(s));
    T((store<<<1, 1, 0, s>>>(p), cudaGetLastError()));
    cudaEventCreate(&a);
    cudaEventCreateWithFlags(&b, cudaEventDisableTiming);
    T(cudaEventElapsedTime(&ms, a, b));
    cudaEventDestroy(a);
    T(cudaEventRecord(a));
    T(cudaDeviceEnablePeerAccess(0, 0));
    T(cudaDeviceSetLimit((cudaLimit)77, 1));
    T(cudaStreamEndCapture(cudaStreamPerThread, (cudaGraph_t *)&s));
    cudaFree(p);
    T(cudaFree(p));
    T((store<<<1, 1>>>(host), cudaDeviceSynchronize()));
    T(cudaMalloc(&p, 64));
}

int main(int argc, char **argv)
{
    setvbuf(stdout, nullptr, _IONBF, 0);
    if (argc > 1 && !strcmp(argv[1], "driver"))
        driver();
    else
        runtime();
    return 0;
}
