// What the driver API answers, line by line. Compiled on an NVIDIA H200 this program wrote driver_codes.h200.txt.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#if CUDA_VERSION < 13000
#include "../driver_more.h"
#endif

static const char *name(CUresult r)
{
    const char *s = nullptr;
    return cuGetErrorName(r, &s) == CUDA_SUCCESS ? s : "?";
}

#define R(call) printf("%s: %s\n", #call, name(call))
#define V(expression) printf("%s = %lld\n", #expression, (long long)(expression))

static const char ptx[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".global .align 4 .b32 counter = 5;\n"
    ".const .align 8 .b8 table[64];\n"
    ".visible .entry add(.param .u64 p, .param .u32 v, .param .align 8 .b8 pair[16])\n"
    ".maxntid 128, 1, 1\n"
    "{\n"
    "    .reg .b64 %rd<3>;\n"
    "    .reg .b32 %r<4>;\n"
    "    .shared .align 4 .b8 s[64];\n"
    "    ld.param.u64 %rd1, [p];\n"
    "    ld.param.u32 %r1, [v];\n"
    "    ld.param.u32 %r2, [pair+8];\n"
    "    add.u32 %r3, %r1, %r2;\n"
    "    st.shared.u32 [s], %r1;\n"
    "    atom.global.add.u32 %r1, [%rd1], %r3;\n"
    "    ret;\n"
    "}\n";

int main()
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    int n = -1, m = -1;
    CUdevice device;
    CUcontext context = nullptr, other = nullptr, current = nullptr;
    CUdeviceptr p = 0, q = 0;
    size_t size = 0;
    R(cuDeviceGetCount(&n));
    R(cuCtxGetCurrent(&current));
    R(cuMemAlloc(&p, 16));
    R(cuDriverGetVersion(&n));
    R(cuInit(1));
    R(cuInit(0));
    R(cuDriverGetVersion(nullptr));
    R(cuDeviceGetCount(&n));
    R(cuDeviceGet(&device, 99));
    R(cuDeviceGet(&device, 0)); V(device);
    char text[64];
    R(cuDeviceGetName(text, 4, device)); printf("%s\n", text);
    R(cuDeviceGetName(text, 64, 99));
    R(cuDeviceTotalMem(&size, device)); V(size);
    R(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device)); V(n);
    R(cuDeviceGetAttribute(&n, (CUdevice_attribute)9999, device));
    R(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99));
    R(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    R(cuCtxGetCurrent(&current)); V(current == nullptr);
    R(cuMemAlloc(&p, 16));
    R(cuCtxSynchronize());
    R(cuCtxGetDevice(&device));
    R(cuCtxPopCurrent(&current));
    unsigned flags = 99;
    R(cuDevicePrimaryCtxGetState(0, &flags, &n)); V(flags); V(n);
    R(cuDevicePrimaryCtxRetain(&context, 0)); V(context != nullptr);
    R(cuDevicePrimaryCtxGetState(0, &flags, &n)); V(n);
    R(cuCtxGetCurrent(&current)); V(current == nullptr);
    R(cuCtxSetCurrent(context));
    R(cuCtxGetCurrent(&current)); V(current == context);
    R(cuCtxPushCurrent(context));
    R(cuCtxPopCurrent(&current)); V(current == context);
    R(cuCtxPushCurrent(nullptr));
    R(cuCtxGetDevice(&device)); V(device);
    R(cuCtxGetApiVersion(context, &flags)); V(flags);
    R(cuMemAlloc(&p, 0));
    R(cuMemAlloc(nullptr, 16));
    R(cuMemAlloc(&p, (size_t)1 << 50));
    R(cuMemAlloc(&p, 1024));
    R(cuMemFree(0));
    R(cuMemFree(p + 4));
    R(cuMemGetAddressRange(&q, &size, p + 100)); V(q == p); V(size);
    R(cuMemGetAddressRange(&q, &size, 16));
    R(cuMemsetD8(p, 1, 1024));
    R(cuMemsetD16(p, 0x1234, 512));
    R(cuMemsetD16(p + 1, 0x1234, 4));
    R(cuMemsetD32(p, 0x12345678, 256));
    R(cuMemsetD32(p + 2, 0x12345678, 4));
    R(cuMemsetD32(p, 1, 257));
    R(cuMemsetD32(p, 1, 0));
    unsigned host[256];
    R(cuMemcpyDtoH(host, p, 1024)); V(host[255]);
    R(cuMemcpyDtoH(host, p, 1025));
    R(cuMemcpyDtoH(nullptr, p, 4));
    R(cuMemcpyDtoH(host, 16, 4));
    R(cuMemcpyHtoD(p, host, 1024));
    R(cuMemcpyHtoD(16, host, 4));
    R(cuMemcpyDtoD(p, p + 512, 512));
    R(cuMemcpy(p, (CUdeviceptr)(uintptr_t)host, 4));
    R(cuMemcpyHtoD(p, host, 0));
    int kind = -1;
    R(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p)); V(kind);
    R(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)host));
    R(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p)); V(kind);
    R(cuPointerGetAttribute(&q, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p)); V(q == p);
    R(cuPointerGetAttribute(&q, CU_POINTER_ATTRIBUTE_HOST_POINTER, p));
    R(cuPointerGetAttribute(&q, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 4)); V(q == p);
    R(cuPointerGetAttribute(&current, CU_POINTER_ATTRIBUTE_CONTEXT, p)); V(current == context);
    R(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_IS_MANAGED, p)); V(kind & 255);
    CUmodule module = nullptr;
    CUfunction add = nullptr;
    R(cuModuleLoadData(&module, "this is no PTX"));
    R(cuModuleLoadData(&module, ".version 7.0\n.target sm_70\n.address_size 64\n.entry f() { nonsense; }\n"));
    R(cuModuleLoadData(&module, ".version 8.7\n.target sm_120\n.address_size 64\n.entry f() { ret; }\n"));
    R(cuModuleLoadData(&module, nullptr));
    R(cuModuleLoad(&module, "/nonexistent.ptx"));
    R(cuModuleLoadData(&module, ptx));
    R(cuModuleGetFunction(&add, module, "absent"));
    R(cuModuleGetFunction(&add, module, "add"));
    R(cuModuleGetFunction(nullptr, module, "add"));
    R(cuModuleGetGlobal(&q, &size, module, "counter")); V(size);
    R(cuModuleGetGlobal(&q, nullptr, module, "table"));
    R(cuModuleGetGlobal(&q, &size, module, "absent"));
    R(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add)); V(n);
    R(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_PTX_VERSION, add)); V(n);
    R(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_BINARY_VERSION, add)); V(n);
    R(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, add)); V(n);
    R(cuFuncGetAttribute(&n, (CUfunction_attribute)99, add));
    R(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
    R(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_NUM_REGS, 3));
    size_t offset;
    R(cuFuncGetParamInfo(add, 0, &offset, &size)); V(offset); V(size);
    R(cuFuncGetParamInfo(add, 2, &offset, &size)); V(offset); V(size);
    R(cuFuncGetParamInfo(add, 3, &offset, &size));
    unsigned value = 7;
    struct { unsigned a[2], b[2]; } pair = {{0, 0}, {100, 0}};
    void *params[] = {&p, &value, &pair};
    R(cuMemsetD32(p, 0, 256));
    R(cuLaunchKernel(add, 2, 1, 1, 64, 1, 1, 0, 0, params, nullptr));
    R(cuCtxSynchronize());
    R(cuMemcpyDtoH(host, p, 4)); V(host[0]);
    struct { CUdeviceptr p; unsigned v, pad; unsigned pair[4]; } buffer = {p, 1, 0, {0, 0, 2, 0}};
    size_t bytes = sizeof buffer;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    R(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, extra));
    R(cuMemcpyDtoH(host, p, 4)); V(host[0]);
    bytes = 12;
    R(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, extra));
    bytes = 100;
    R(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, extra));
    bytes = sizeof buffer;
    R(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, params, extra));
    R(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
    R(cuLaunchKernel(add, 0, 1, 1, 1, 1, 1, 0, 0, params, nullptr));
    R(cuLaunchKernel(add, 1, 1, 1, 129, 1, 1, 0, 0, params, nullptr));
    R(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 300000, 0, params, nullptr));
    R(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, 0, params, nullptr));
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    R(cuLaunchKernelEx(&config, add, params, nullptr));
    R(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, add, 128, 0)); V(n);
    R(cuOccupancyMaxPotentialBlockSize(&n, &m, add, nullptr, 0, 0)); V(n); V(m);
    CUstream stream;
    CUevent a, b;
    float ms;
    R(cuStreamCreate(&stream, 2));
    R(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    R(cuStreamGetCtx(stream, &current)); V(current == context);
    R(cuEventCreate(&a, 0));
    R(cuEventCreate(&b, 0));
    R(cuEventElapsedTime(&ms, a, b));
    R(cuEventRecord(a, stream));
    R(cuEventRecord(b, stream));
    R(cuEventSynchronize(b));
    R(cuEventElapsedTime(&ms, a, b));
    R(cuEventQuery(b));
    R(cuEventDestroy(a));
    R(cuStreamDestroy(stream));
    void *pinned = nullptr;
    R(cuMemHostAlloc(&pinned, 100, CU_MEMHOSTALLOC_DEVICEMAP));
    R(cuMemHostGetDevicePointer(&q, pinned, 0)); V(q == (CUdeviceptr)(uintptr_t)pinned);
    R(cuMemFreeHost(pinned));
    R(cuMemFreeHost(host));
    R(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    R(cuCtxGetLimit(&size, CU_LIMIT_STACK_SIZE)); V(size);
    R(cuModuleUnload(module));
    R(cuMemFree(p));
    R(cuMemFree(p));
#if CUDA_VERSION < 13000
    R(cuCtxCreate(&other, 0, 0));
#else
    R(cuCtxCreate(&other, nullptr, 0, 0));
#endif
    V(other != context);
    R(cuCtxGetCurrent(&current)); V(current == other);
    R(cuCtxDestroy(other));
    R(cuCtxGetCurrent(&current)); V(current == context);
    void *entry = nullptr;
    CUdriverProcAddressQueryResult found;
    R(cuGetProcAddress_v2("cuMemAlloc", &entry, 12000, 0, &found)); V(entry != nullptr); V(found);
    R(cuGetProcAddress_v2("cuNonsense", &entry, 12000, 0, &found)); V(entry == nullptr); V(found);
    R(cuDevicePrimaryCtxRelease(0));
    R(cuDevicePrimaryCtxGetState(0, &flags, &n)); V(n);
    R(cuMemAlloc(&p, 16));
    const char *s = nullptr;
    R(cuGetErrorName((CUresult)12345, &s));
    R(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &s)); printf("%s\n", s);
    return 0;
}
