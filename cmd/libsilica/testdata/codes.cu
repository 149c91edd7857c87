// What each call answers, line by line: "call: code, last error". Each group runs in a process of its own, since a fault ends
// a context for good. Compiled with nvcc on an NVIDIA H200 this program wrote codes.h200.txt.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cassert>
#include <thread>
#include <sys/wait.h>
#include <unistd.h>
#include <cuda_runtime.h>

static const char *name(cudaError_t e) { return cudaGetErrorName(e); }

// R prints what the call answers and what it leaves as the last error.
#define R(call)                                                         \
    do {                                                                \
        cudaError_t code_ = (call), last_ = cudaGetLastError();         \
        printf("%s: %s", #call, name(code_));                           \
        if (last_ != code_) printf(", last %s", name(last_));           \
        printf("\n");                                                   \
    } while (0)
#define V(expression) printf("%s = %lld\n", #expression, (long long)(expression))

__device__ int variable[4] = {1, 2, 3, 4};
__constant__ float constants[8];

__global__ void empty() {}
__global__ void store(int *p) { *p = 42; }
__global__ void store_at(char *p, long long offset) { *(int *)(p + offset) = 42; }
__global__ void __launch_bounds__(256) bounded(int *p) { *p = threadIdx.x; }
__global__ void shared_static(int *p) { __shared__ int s[1024]; s[threadIdx.x] = 1; __syncthreads(); *p = s[threadIdx.x ^ 1]; }
__global__ void shared_dynamic(int *p) { extern __shared__ int d[]; d[threadIdx.x] = 1; __syncthreads(); *p = d[threadIdx.x ^ 1]; }
__global__ void fails() { assert(threadIdx.x == 99); }
__global__ void traps() { asm("trap;"); }
__global__ void shared_outside(int i) { __shared__ volatile int s[32]; s[i] = 1; }

static void host_function(void *p) { ++*(int *)p; }
static void host_allocates(void *p) { void *q; *(cudaError_t *)p = cudaMalloc(&q, 16); }
static void callback(cudaStream_t, cudaError_t status, void *p) { *(int *)p += status == cudaSuccess; }

static void group_device()
{
    int n = -1;
    R(cudaGetDeviceCount(nullptr));
    R(cudaGetDevice(&n)); V(n);
    R(cudaGetDevice(nullptr));
    R(cudaSetDevice(0));
    R(cudaSetDevice(99));
    R(cudaSetDevice(-1));
    cudaDeviceProp prop;
    R(cudaGetDeviceProperties(&prop, 99));
    R(cudaGetDeviceProperties(&prop, 0));
    V(prop.major); V(prop.totalGlobalMem); V(prop.pciDomainID); V(prop.luidDeviceNodeMask);
    R(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0));
    R(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0));
    R(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 99)); 
    R(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    for (int a : {44, 92, 93, 94, 98, 102, 105, 107, 110, 122, 127, 128, 129, 132, 135}) {
        n = -7;
        cudaError_t e = cudaDeviceGetAttribute(&n, (cudaDeviceAttr)a, 0);
        printf("attribute %d: %s %d\n", a, name(e), n);
        cudaGetLastError();
    }
    R(cudaDeviceCanAccessPeer(&n, 0, 0)); V(n);
    R(cudaDeviceCanAccessPeer(&n, 0, 99));
    R(cudaDeviceEnablePeerAccess(0, 0));
    R(cudaDeviceEnablePeerAccess(99, 0));
    R(cudaDeviceDisablePeerAccess(0));
    R(cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 0));
    size_t size = 0;
    for (int l = 0; l < 7; ++l) {
        cudaError_t e = cudaDeviceGetLimit(&size, (cudaLimit)l);
        printf("limit %d: %s %zu\n", l, name(e), e ? 0 : size);
        cudaGetLastError();
    }
    R(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
    R(cudaDeviceGetLimit(&size, cudaLimitMallocHeapSize)); V(size);
    R(cudaDeviceSetLimit(cudaLimitStackSize, 5000));
    R(cudaDeviceGetLimit(&size, cudaLimitStackSize)); V(size);
    R(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 30));
    R(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
    R(cudaDeviceGetLimit(&size, cudaLimitPrintfFifoSize)); V(size);
    R(cudaDeviceSetLimit((cudaLimit)99, 1));
    R(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4));
    R(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    cudaFuncCache cache;
    R(cudaDeviceGetCacheConfig(&cache)); V(cache);
    R(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    R(cudaDeviceGetCacheConfig(&cache)); V(cache);
    R(cudaDeviceSetCacheConfig((cudaFuncCache)77));
    int least, greatest;
    R(cudaDeviceGetStreamPriorityRange(&least, &greatest)); V(least); V(greatest);
    unsigned flags;
    R(cudaGetDeviceFlags(&flags)); V(flags);
    R(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    R(cudaGetDeviceFlags(&flags)); V(flags);
    R(cudaSetDeviceFlags(0x4000));
    R(cudaInitDevice(0, 0, 0));
    R(cudaInitDevice(99, 0, 0));
    char bus[32];
    R(cudaDeviceGetPCIBusId(bus, 32, 0)); V(strlen(bus));
    R(cudaDeviceGetPCIBusId(bus, 2, 0));
    cudaDeviceGetPCIBusId(bus, 32, 0);
    R(cudaDeviceGetByPCIBusId(&n, bus)); V(n);
    R(cudaDeviceGetByPCIBusId(&n, "nonsense"));
    R(cudaChooseDevice(&n, &prop)); V(n);
    R(cudaDeviceSynchronize());
    R(cudaDriverGetVersion(nullptr));
    R(cudaDeviceReset());
    R(cudaFree(0));
}

static void attributes(const char *what, const void *p)
{
    cudaPointerAttributes a;
    memset(&a, 0x55, sizeof a);
    cudaError_t e = cudaPointerGetAttributes(&a, p);
    printf("attributes of %s: %s type %d device %d device pointer %s host pointer %s\n", what, name(e), a.type, a.device,
           a.devicePointer == p ? p ? "same" : "null" : a.devicePointer ? "other" : "null", a.hostPointer == p ? p ? "same" : "null" : a.hostPointer ? "other" : "null");
    cudaGetLastError();
}

static void group_memory()
{
    char *d = nullptr, *e = nullptr, *h = nullptr, *m = nullptr;
    static char page[1 << 16];
    char local[16];
    R(cudaMalloc((void **)&d, 0)); V(d == nullptr);
    R(cudaMalloc((void **)nullptr, 4));
    R(cudaMalloc((void **)&d, (size_t)1 << 50));
    R(cudaMalloc((void **)&d, ~(size_t)0));
    R(cudaMalloc((void **)&d, 1000)); V((uintptr_t)d % 512);
    R(cudaFree(nullptr));
    R(cudaFree(d + 16));
    R(cudaFree(local));
    R(cudaFree((void *)16));
    R(cudaFreeHost(d));
    R(cudaFree(d));
    R(cudaFree(d));
    attributes("freed", d);
    R(cudaMallocHost((void **)&h, 0)); V(h == nullptr);
    R(cudaMallocHost((void **)&h, 1000)); V((uintptr_t)h % 512);
    R(cudaFree(h));
    R(cudaFreeHost(nullptr));
    R(cudaFreeHost(local));
    R(cudaFreeHost(h + 8));
    R(cudaFreeHost(h));
    R(cudaFreeHost(h));
    R(cudaHostAlloc((void **)&h, 1000, 0x100));
    R(cudaHostAlloc((void **)&h, 1000, cudaHostAllocMapped | cudaHostAllocPortable));
    void *p = nullptr;
    R(cudaHostGetDevicePointer(&p, h, 0)); V(p == h);
    R(cudaHostGetDevicePointer(&p, h + 100, 0)); V(p == h + 100);
    R(cudaHostGetDevicePointer(&p, h, 1));
    R(cudaHostGetDevicePointer(&p, local, 0));
    unsigned flags;
    R(cudaHostGetFlags(&flags, h)); V(flags);
    R(cudaHostGetFlags(&flags, local));
    R(cudaHostRegister(page, sizeof page, 0));
    R(cudaHostRegister(page, sizeof page, 0));
    R(cudaHostRegister(page + 100, 50, 0));
    R(cudaHostRegister(page, 0, 0));
    R(cudaHostRegister(nullptr, 100, 0));
    R(cudaHostRegister(h, 100, 0));
    R(cudaHostGetDevicePointer(&p, page, 0)); V(p == page);
    R(cudaHostGetFlags(&flags, page)); V(flags);
    R(cudaHostUnregister(page + 8));
    attributes("registered", page);
    R(cudaFreeHost(page));
    R(cudaHostUnregister(page));
    R(cudaHostUnregister(page));
    R(cudaHostUnregister(h));
    R(cudaMallocManaged((void **)&m, 0));
    R(cudaMallocManaged((void **)&m, 1000, 0));
    R(cudaMallocManaged((void **)&m, 1000, cudaMemAttachGlobal));
    m[5] = 3;
    attributes("managed", m);
    attributes("pinned", h);
    attributes("pinned interior", h + 5);
    attributes("local", local);
    attributes("null", nullptr);
    R(cudaPointerGetAttributes(nullptr, h));
    R(cudaFreeHost(m));
    R(cudaFree(m));
    size_t pitch = 0;
    for (size_t width : {1, 4, 511, 512, 513, 1000, 4096}) {
        cudaError_t code = cudaMallocPitch((void **)&e, &pitch, width, 3);
        printf("pitch of %zu: %s %zu\n", width, name(code), pitch);
        cudaFree(e);
    }
    R(cudaMallocPitch((void **)&e, &pitch, 0, 3)); V(e == nullptr);
    R(cudaMallocPitch((void **)&e, nullptr, 4, 3));
    R(cudaMallocPitch((void **)&e, &pitch, 4, 0)); V(e == nullptr);
    cudaPitchedPtr pp = {};
    R(cudaMalloc3D(&pp, make_cudaExtent(100, 5, 7))); V(pp.pitch); V(pp.xsize); V(pp.ysize);
    attributes("pitched", pp.ptr);
    attributes("pitched interior", (char *)pp.ptr + 3);
    R(cudaMemset3D(pp, 1, make_cudaExtent(100, 5, 7)));
    R(cudaMemset3D(pp, 1, make_cudaExtent(100, 5, 8)));
    R(cudaMemset3D(pp, 1, make_cudaExtent(1000, 5, 7)));
    R(cudaMalloc3D(&pp, make_cudaExtent(0, 5, 7))); V(pp.ptr == nullptr);
    size_t free_, total;
    R(cudaMemGetInfo(&free_, &total)); V(total); V(free_ < total);
    R(cudaMemGetInfo(nullptr, &total));
    R(cudaMemGetInfo(nullptr, nullptr));
    R(cudaMallocAsync((void **)&d, 1000, 0));
    R(cudaFreeAsync(d, 0));
    R(cudaFreeAsync(nullptr, 0));
    R(cudaFreeAsync(local, 0));
    R(cudaMallocAsync((void **)&d, 0, 0)); V(d == nullptr);
    R(cudaMallocAsync((void **)&d, 1000, 0));
    attributes("stream-ordered", d);
    R(cudaFree(d));
    R(cudaMalloc((void **)&d, 1000));
    R(cudaFreeAsync(d, 0));
    R(cudaMallocAsync((void **)&d, (size_t)1 << 50, 0));
    cudaMemPool_t pool;
    R(cudaDeviceGetDefaultMemPool(&pool, 0));
    R(cudaDeviceGetDefaultMemPool(&pool, 99));
    uint64_t threshold = 7;
    R(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold)); V(threshold);
    R(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    R(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold)); V(threshold);
    int reuse = -1;
    R(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse)); V(reuse);
    R(cudaMemPoolTrimTo(pool, 0));
}

static void group_copy()
{
    const size_t n = 4096;
    static char pageable[n];
    char *device, *device2, *pinned, *managed, *freed;
    cudaMalloc((void **)&device, n);
    cudaMalloc((void **)&device2, n);
    cudaMallocHost((void **)&pinned, n);
    cudaMallocManaged((void **)&managed, n);
    cudaMalloc((void **)&freed, 32 << 20);
    cudaFree(freed);
    struct { const char *name; char *p; } places[] = {{"pageable", pageable}, {"pinned", pinned}, {"managed", managed}, {"device", device}};
    for (auto &dst : places)
        for (auto &src : places)
            for (int kind = 0; kind <= 4; ++kind) {
                cudaError_t e = cudaMemcpy(dst.p, src.p + (dst.p == src.p ? 64 : 0), 64, (cudaMemcpyKind)kind);
                cudaGetLastError();
                cudaError_t f = cudaMemcpyAsync(dst.p, src.p + (dst.p == src.p ? 64 : 0), 64, (cudaMemcpyKind)kind, 0);
                printf("copy to %s from %s, kind %d: %s", dst.name, src.name, kind, name(e));
                if (e != f) printf(", async %s", name(f));
                printf("\n");
                cudaGetLastError();
            }
    R(cudaMemcpy(device, pageable, n, (cudaMemcpyKind)5));
    R(cudaMemcpy(device, pageable, n, (cudaMemcpyKind)-1));
    R(cudaMemcpy(device, pageable, 0, (cudaMemcpyKind)5));
    R(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    R(cudaMemcpy(nullptr, pageable, 8, cudaMemcpyHostToDevice));
    R(cudaMemcpy(device, nullptr, 8, cudaMemcpyHostToDevice));
    R(cudaMemcpy(nullptr, pageable, 8, cudaMemcpyHostToHost));
    R(cudaMemcpy(freed, pageable, 8, cudaMemcpyHostToDevice));
    R(cudaMemcpy(pageable, freed, 8, cudaMemcpyDeviceToHost));
    R(cudaMemcpy(device, device2, n, cudaMemcpyDeviceToDevice));
    R(cudaMemcpy(device + 100, device, 1000, cudaMemcpyDeviceToDevice));
    R(cudaMemcpy(device, pageable, n, cudaMemcpyHostToDevice));
    R(cudaMemcpy(device, pageable, 1 << 30, cudaMemcpyHostToDevice));
    R(cudaMemcpy(pageable, device, (size_t)1 << 40, cudaMemcpyDeviceToHost));
    R(cudaMemset(device, 1, n));
    R(cudaMemset(device, 1, 1 << 30));
    R(cudaMemset(nullptr, 1, 4));
    R(cudaMemset(nullptr, 1, 0));
    R(cudaMemset(pageable, 1, 4));
    R(cudaMemset(pinned, 1, 4)); V(pinned[1]);
    R(cudaMemset(managed, 0x1ff, 4)); V(managed[1]);
    R(cudaMemset(freed, 1, 4));
    R(cudaMemset2D(device, 64, 2, 65, 3));
    R(cudaMemset2D(device, 64, 2, 64, 64));
    R(cudaMemset2D(device, 64, 2, 0, 64));
    R(cudaMemset2D(device, 64, 2, 10, 1 << 26));
    R(cudaMemcpy2D(device, 64, pageable, 64, 65, 2, cudaMemcpyHostToDevice));
    R(cudaMemcpy2D(device, 64, pageable, 32, 48, 2, cudaMemcpyHostToDevice));
    R(cudaMemcpy2D(device, 64, pageable, 48, 48, 20, cudaMemcpyHostToDevice));
    R(cudaMemcpy2D(device, 64, pageable, 48, 0, 20, cudaMemcpyHostToDevice));
    R(cudaMemcpy2D(device, 64, pageable, 48, 48, 0, cudaMemcpyHostToDevice));
    R(cudaMemcpy2D(nullptr, 64, pageable, 48, 48, 2, cudaMemcpyHostToDevice));
    R(cudaMemcpy2D(device, 64, pageable, 48, 48, 2, (cudaMemcpyKind)9));
    R(cudaMemcpy2D(device, (size_t)1 << 40, pageable, 48, 48, 2, cudaMemcpyHostToDevice));
    R(cudaMemcpy2D(pageable, 64, device, 48, 48, 20, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms p = {};
    R(cudaMemcpy3D(nullptr));
    R(cudaMemcpy3D(&p));
    p.srcPtr = make_cudaPitchedPtr(pageable, 64, 64, 8);
    p.dstPtr = make_cudaPitchedPtr(device, 64, 64, 8);
    p.extent = make_cudaExtent(64, 8, 8);
    p.kind = cudaMemcpyHostToDevice;
    R(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(65, 8, 8);
    R(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(64, 9, 2);
    R(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(0, 9, 2);
    R(cudaMemcpy3D(&p));
    int values[4] = {};
    R(cudaMemcpyFromSymbol(values, variable, sizeof values)); V(values[2]);
    R(cudaMemcpyFromSymbol(values, variable, 8, 8)); V(values[0]);
    R(cudaMemcpyFromSymbol(values, variable, 8, 12));
    R(cudaMemcpyFromSymbol(values, variable, 20));
    R(cudaMemcpyFromSymbol(values, variable, 4, 0, cudaMemcpyHostToDevice));
    R(cudaMemcpyFromSymbol(values, variable, 4, 0, cudaMemcpyDefault));
    R(cudaMemcpyFromSymbol(device, variable, 4, 0, cudaMemcpyDeviceToDevice));
    R(cudaMemcpyFromSymbol(values, values, 4));
    R(cudaMemcpyFromSymbol(values, (const void *)nullptr, 4));
    R(cudaMemcpyToSymbol(variable, values, 4, 4));
    R(cudaMemcpyToSymbol(variable, values, 16, 4));
    R(cudaMemcpyToSymbol(variable, values, 4, 0, cudaMemcpyDeviceToHost));
    R(cudaMemcpyToSymbol(variable, values, 4, (size_t)-4));
    R(cudaMemcpyToSymbol(constants, values, 16));
    R(cudaMemcpyToSymbolAsync(constants, values, 16, 0, cudaMemcpyHostToDevice, 0));
    R(cudaMemcpyToSymbol(values, values, 4));
    void *address = nullptr;
    R(cudaGetSymbolAddress(&address, variable)); V(address != nullptr);
    attributes("symbol", address);
    R(cudaGetSymbolAddress(&address, values));
    size_t size = 0;
    R(cudaGetSymbolSize(&size, constants)); V(size);
    R(cudaGetSymbolSize(&size, values));
}

static void print_attributes(const char *what, cudaFuncAttributes a, cudaError_t e)
{
    printf("function %s: %s shared %zu const %zu local %s threads %d ptx %d binary %d cache %d dynamic %d carveout %d cluster %d %d %d %d %d %d\n", what,
           name(e), a.sharedSizeBytes, a.constSizeBytes, a.localSizeBytes ? "some" : "none", a.maxThreadsPerBlock, a.ptxVersion,
           a.binaryVersion, a.cacheModeCA, a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout, a.clusterDimMustBeSet,
           a.requiredClusterWidth, a.requiredClusterHeight, a.requiredClusterDepth, a.clusterSchedulingPolicyPreference,
           a.nonPortableClusterSizeAllowed);
}

static void group_launch()
{
    int *p, blocks = -1;
    cudaMalloc((void **)&p, 4096);
    void *args[] = {&p};
#define L(grid, block, shared, kernel) \
    do { R(cudaLaunchKernel((const void *)kernel, grid, block, args, shared, 0)); } while (0)
    L(dim3(1), dim3(1), 0, store);
    L(dim3(0), dim3(1), 0, store);
    L(dim3(1, 0), dim3(1), 0, store);
    L(dim3(1), dim3(0), 0, store);
    L(dim3(1), dim3(1025), 0, store);
    L(dim3(1), dim3(1, 1, 65), 0, store);
    L(dim3(1), dim3(32, 32, 2), 0, store);
    L(dim3(1, 65536), dim3(1), 0, store);
    L(dim3(1, 1, 65536), dim3(1), 0, store);
    L(dim3(0x80000000u), dim3(1), 0, store);
    L(dim3(1), dim3(1), 49152, shared_dynamic);
    L(dim3(1), dim3(1), 49153, shared_dynamic);
    L(dim3(1), dim3(1), 45056, shared_static);
    L(dim3(1), dim3(1), 45057, shared_static);
    R(cudaFuncSetAttribute((const void *)shared_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    L(dim3(1), dim3(1), 232448, shared_dynamic);
    L(dim3(1), dim3(1), 232449, shared_dynamic);
    R(cudaFuncSetAttribute((const void *)shared_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
    R(cudaFuncSetAttribute((const void *)shared_static, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    R(cudaFuncSetAttribute((const void *)shared_static, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448 - 4096));
    R(cudaFuncSetAttribute((const void *)shared_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    R(cudaFuncSetAttribute((const void *)shared_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100));
    L(dim3(1), dim3(1), 200, shared_dynamic);
    R(cudaFuncSetAttribute((const void *)shared_dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    R(cudaFuncSetAttribute((const void *)shared_dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    R(cudaFuncSetAttribute((const void *)shared_dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
    R(cudaFuncSetAttribute((const void *)shared_dynamic, (cudaFuncAttribute)3, 1));
    R(cudaFuncSetAttribute((const void *)shared_dynamic, (cudaFuncAttribute)77, 1));
    R(cudaFuncSetAttribute((const void *)nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
    R(cudaFuncSetAttribute((const void *)host_function, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
    R(cudaFuncSetCacheConfig((const void *)store, cudaFuncCachePreferShared));
    R(cudaFuncSetCacheConfig((const void *)store, (cudaFuncCache)77));
    R(cudaFuncSetCacheConfig((const void *)host_function, cudaFuncCachePreferShared));
    L(dim3(1), dim3(256), 0, bounded);
    L(dim3(1), dim3(257), 0, bounded);
    L(dim3(1), dim3(1), 0, nullptr);
    L(dim3(1), dim3(1), 0, host_function);
    R(cudaLaunchKernel((const void *)store, dim3(1), dim3(1), nullptr, 0, 0));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    R(cudaLaunchKernelExC(&config, (const void *)store, args));
    cudaLaunchAttribute attribute[1] = {};
    config.attrs = attribute;
    config.numAttrs = 1;
    attribute[0].id = cudaLaunchAttributeCooperative;
    attribute[0].val.cooperative = 1;
    R(cudaLaunchKernelExC(&config, (const void *)store, args));
    config.gridDim = dim3(100000);
    R(cudaLaunchKernelExC(&config, (const void *)store, args));
    R(cudaLaunchCooperativeKernel((const void *)store, dim3(132 * 32), dim3(32), args, 0, 0));
    R(cudaLaunchCooperativeKernel((const void *)store, dim3(132 * 32 + 1), dim3(32), args, 0, 0));
    R(cudaLaunchCooperativeKernel((const void *)store, dim3(0), dim3(32), args, 0, 0));
    R(cudaDeviceSynchronize());
    cudaFuncAttributes a = {};
    cudaError_t e;
    e = cudaFuncGetAttributes(&a, (const void *)empty); print_attributes("empty", a, e);
    e = cudaFuncGetAttributes(&a, (const void *)bounded); print_attributes("bounded", a, e);
    e = cudaFuncGetAttributes(&a, (const void *)shared_static); print_attributes("shared_static", a, e);
    e = cudaFuncGetAttributes(&a, (const void *)shared_dynamic); print_attributes("shared_dynamic", a, e);
    R(cudaFuncGetAttributes(&a, (const void *)host_function));
    R(cudaFuncGetAttributes(&a, (const void *)nullptr));
    R(cudaFuncGetAttributes(nullptr, (const void *)store));
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)empty, 256, 0)); V(blocks);
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)empty, 1024, 0)); V(blocks);
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)empty, 1025, 0)); V(blocks);
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)empty, 0, 0));
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)empty, -1, 0));
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)bounded, 257, 0)); V(blocks);
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)empty, 256, 49153)); V(blocks);
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)empty, 256, 300000)); V(blocks);
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)host_function, 256, 0));
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, (const void *)empty, 256, 0));
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)empty, 256, 0, 1)); V(blocks);
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)empty, 256, 0, 2));
    size_t dynamic = 0;
    R(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, (const void *)empty, 2, 256)); V(dynamic);
    R(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, (const void *)shared_static, 1, 256)); V(dynamic);
    R(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, (const void *)empty, 99, 256));
    R(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, (const void *)empty, 0, 256));
    int grid, block;
    R(cudaOccupancyMaxPotentialBlockSize(&grid, &block, empty, 0, 0)); V(grid); V(block);
    R(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0)); V(grid); V(block);
    const char *function = "";
    R(cudaFuncGetName(&function, (const void *)store)); printf("name %s\n", function);
    R(cudaFuncGetName(&function, (const void *)host_function));
}

static void group_streams()
{
    cudaStream_t s = nullptr, t = nullptr;
    unsigned flags = 99;
    int priority = 99, count = 0;
    R(cudaStreamCreate(nullptr));
    R(cudaStreamCreate(&s));
    R(cudaStreamGetFlags(s, &flags)); V(flags);
    R(cudaStreamGetPriority(s, &priority)); V(priority);
    R(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    R(cudaStreamGetFlags(t, &flags)); V(flags);
    R(cudaStreamGetFlags(0, &flags)); V(flags);
    R(cudaStreamGetPriority(0, &priority)); V(priority);
    R(cudaStreamDestroy(t));
    R(cudaStreamCreateWithFlags(&t, 2));
    R(cudaStreamCreateWithPriority(&t, 0, -100));
    R(cudaStreamGetPriority(t, &priority)); V(priority);
    R(cudaStreamCreateWithPriority(&t, 0, 100));
    R(cudaStreamGetPriority(t, &priority)); V(priority);
    R(cudaStreamDestroy(0));
    R(cudaStreamDestroy(cudaStreamLegacy));
    R(cudaStreamDestroy(cudaStreamPerThread));
    R(cudaStreamQuery(s));
    R(cudaStreamQuery(0));
    R(cudaStreamSynchronize(s));
    R(cudaStreamSynchronize(0));
    R(cudaStreamSynchronize(cudaStreamLegacy));
    R(cudaStreamSynchronize(cudaStreamPerThread));
    unsigned long long id = 0, id0 = 0;
    R(cudaStreamGetId(s, &id));
    R(cudaStreamGetId(0, &id0)); V(id == id0);
    cudaEvent_t a = nullptr, b = nullptr, untimed = nullptr;
    float ms = -1;
    R(cudaEventCreate(nullptr));
    R(cudaEventCreate(&a));
    R(cudaEventCreate(&b));
    R(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    R(cudaEventCreateWithFlags(&untimed, 0x100));
    R(cudaEventCreateWithFlags(&untimed, cudaEventInterprocess));
    R(cudaEventQuery(a));
    R(cudaEventSynchronize(a));
    R(cudaEventElapsedTime(&ms, a, b));
    R(cudaStreamWaitEvent(s, a, 0));
    R(cudaStreamWaitEvent(s, nullptr, 0));
    R(cudaStreamWaitEvent(s, a, 5));
    R(cudaEventRecord(a, s));
    R(cudaEventElapsedTime(&ms, a, b));
    R(cudaEventRecord(b, 0));
    R(cudaDeviceSynchronize());
    R(cudaEventQuery(b));
    R(cudaEventElapsedTime(&ms, a, b)); V(ms >= 0 && ms < 1000);
    R(cudaEventElapsedTime(nullptr, a, b));
    R(cudaEventElapsedTime(&ms, nullptr, b));
    R(cudaEventRecord(untimed, s));
    R(cudaEventSynchronize(untimed));
    R(cudaEventElapsedTime(&ms, untimed, b));
    R(cudaEventRecord(nullptr, s));
    R(cudaEventQuery(nullptr));
    R(cudaEventSynchronize(nullptr));
    R(cudaEventDestroy(nullptr));
    R(cudaEventDestroy(a));
    R(cudaEventRecordWithFlags(b, s, 0));
    R(cudaEventRecordWithFlags(b, s, 9));
    R(cudaLaunchHostFunc(s, host_function, &count));
    R(cudaLaunchHostFunc(s, nullptr, &count));
    R(cudaStreamAddCallback(s, callback, &count, 0));
    R(cudaStreamAddCallback(s, callback, &count, 1));
    R(cudaStreamAddCallback(s, nullptr, &count, 0));
    R(cudaStreamSynchronize(s)); V(count);
    cudaError_t inside = cudaErrorUnknown;
    R(cudaLaunchHostFunc(s, host_allocates, &inside));
    R(cudaStreamSynchronize(s));
    printf("allocation in a host function: %s\n", name(inside));
    int *managed;
    cudaMallocManaged((void **)&managed, 4096);
    R(cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachGlobal));
    R(cudaStreamDestroy(s));
    cudaStreamCaptureStatus status;
    R(cudaStreamIsCapturing(t, &status)); V(status);
}

static void group_errors()
{
    R(cudaGetLastError());
    cudaSetDevice(99);
    R(cudaPeekAtLastError());
    cudaSetDevice(99);
    void *p;
    cudaMalloc(&p, 16);
    R(cudaPeekAtLastError());
    cudaSetDevice(99);
    std::thread([] { printf("other thread: %s\n", name(cudaPeekAtLastError())); }).join();
    R(cudaGetLastError());
    empty<<<1, 2000>>>();
    R(cudaGetLastError());
    R(cudaGetLastError());
    for (int i : {-1, 1234}) printf("%d: %s, %s\n", i, cudaGetErrorName((cudaError_t)i), cudaGetErrorString((cudaError_t)i));
    for (int i = 0; i < 1000; ++i) {
        if (i == 226 || i == 721 || (i >= 913 && i <= 915)) continue; // later than CUDA 12.3
        const char *s = cudaGetErrorName((cudaError_t)i);
        if (strncmp(s, "unrecognized", 12)) printf("%d: %s, %s\n", i, s, cudaGetErrorString((cudaError_t)i));
    }
}

// after prints what calls answer once a fault has happened.
static void after(const char *fault)
{
    printf("after %s\n", fault);
    R(cudaPeekAtLastError());
    R(cudaDeviceSynchronize());
    R(cudaGetLastError());
    R(cudaDeviceSynchronize());
    void *p = nullptr;
    int n, k;
    static char host[16];
    R(cudaMalloc(&p, 16));
    R(cudaFree(nullptr));
    R(cudaMemcpy(host, host + 8, 8, cudaMemcpyHostToHost));
    R(cudaMallocHost(&p, 16));
    R(cudaGetDeviceCount(&n));
    R(cudaGetDevice(&n));
    R(cudaSetDevice(0));
    R(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
    cudaFuncAttributes a;
    R(cudaFuncGetAttributes(&a, (const void *)store));
    R(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&k, (const void *)empty, 256, 0));
    cudaEvent_t e = nullptr;
    R(cudaEventCreate(&e));
    cudaStream_t s = nullptr;
    R(cudaStreamCreate(&s));
    R(cudaStreamSynchronize(0));
    R(cudaStreamQuery(0));
    size_t size;
    R(cudaMemGetInfo(&size, &size));
    R(cudaDriverGetVersion(&n));
    cudaPointerAttributes pa;
    R(cudaPointerGetAttributes(&pa, host));
    empty<<<1, 1>>>();
    R(cudaGetLastError());
    R(cudaGetLastError());
    R(cudaDeviceReset());
}

static void group_null() { store<<<1, 1>>>(nullptr); cudaDeviceSynchronize(); cudaGetLastError(); after("null pointer"); }
static void group_fault(const char *what)
{
    char *p;
    cudaMalloc((void **)&p, 256);
    static int host;
    if (!strcmp(what, "misaligned")) store_at<<<1, 1>>>(p, 1);
    if (!strcmp(what, "host")) store<<<1, 1>>>(&host);
    if (!strcmp(what, "assert")) fails<<<1, 2>>>();
    if (!strcmp(what, "trap")) traps<<<1, 1>>>();
    if (!strcmp(what, "shared")) shared_outside<<<1, 1>>>(100000000);
    printf("launch %s: %s\n", what, name(cudaGetLastError()));
    R(cudaDeviceSynchronize());
    R(cudaMalloc((void **)&p, 16));
    R(cudaDeviceReset());
}
static void group_memcpy_fault()
{
    store<<<1, 1>>>(nullptr);
    int x, *p = &x;
    void *q = nullptr;
    cudaDeviceSynchronize();
    R(cudaMemcpy(p, p, 4, cudaMemcpyHostToHost));
    R(cudaGetLastError());
    R(cudaMalloc(&q, 4));
}
static void group_fork()
{
    void *p;
    R(cudaMalloc(&p, 16));
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        int n = -1;
        R(cudaMalloc(&p, 16));
        R(cudaGetDevice(&n));
        R(cudaDeviceSynchronize());
        R(cudaFree(p));
        empty<<<1, 1>>>();
        R(cudaGetLastError());
        fflush(stdout);
        _exit(0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    V(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    R(cudaFree(p));
}

int main(int argc, char **argv)
{
    static const char *const groups[] = {"device", "memory", "copy", "launch", "streams", "errors", "null", "misaligned", "host", "assert",
                                         "trap", "shared", "memcpy_fault", "fork"};
    if (argc < 2) {
        for (const char *group : groups) {
            printf("== %s\n", group);
            fflush(stdout);
            char command[4096];
            snprintf(command, sizeof command, "%s %s 2>/dev/null", argv[0], group);
            int status = system(command);
            printf("exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        }
        return 0;
    }
    setvbuf(stdout, nullptr, _IOLBF, 0); // a group that crashes has printed what came before
    const char *g = argv[1];
    if (!strcmp(g, "device")) group_device();
    else if (!strcmp(g, "memory")) group_memory();
    else if (!strcmp(g, "copy")) group_copy();
    else if (!strcmp(g, "launch")) group_launch();
    else if (!strcmp(g, "streams")) group_streams();
    else if (!strcmp(g, "errors")) group_errors();
    else if (!strcmp(g, "null")) group_null();
    else if (!strcmp(g, "memcpy_fault")) group_memcpy_fault();
    else if (!strcmp(g, "fork")) group_fork();
    else group_fault(g);
    return 0;
}
