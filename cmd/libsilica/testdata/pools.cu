// Pools of the host's memory and of managed memory: what can be created, who reaches it, what pointers tell.
#include <cuda.h>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
static const char *name(CUresult r) { const char *n; cuGetErrorName(r, &n); return n ? n : "?"; }
#define TRY(call) ({ CUresult r_ = (call); printf("%s = %s\n", #call, name(r_)); r_; })
__global__ void k(int *p) { *p = 7; }
static void attributes(CUdeviceptr p) {
    CUmemorytype t = (CUmemorytype)0; unsigned m = 9, mapped = 9; CUdeviceptr dp = 0; void *hp = 0; int ord = -9; CUmemoryPool pool = 0;
    CUresult r;
    r = cuPointerGetAttribute(&t, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p); printf("  memory type %d %s\n", t, name(r));
    r = cuPointerGetAttribute(&m, CU_POINTER_ATTRIBUTE_IS_MANAGED, p); printf("  managed %d %s\n", m, name(r));
    r = cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, p); printf("  mapped %d %s\n", mapped, name(r));
    r = cuPointerGetAttribute(&dp, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p); printf("  device pointer same %d %s\n", dp == p, name(r));
    r = cuPointerGetAttribute(&hp, CU_POINTER_ATTRIBUTE_HOST_POINTER, p); printf("  host pointer same %d %s\n", (CUdeviceptr)hp == p, name(r));
    r = cuPointerGetAttribute(&ord, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p); printf("  ordinal %d %s\n", ord, name(r));
    r = cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p); printf("  pool %d %s\n", pool != 0, name(r));
    cudaPointerAttributes a; cudaError_t e = cudaPointerGetAttributes(&a, (void *)p); printf("  runtime type %d device %d dp %d hp %d %d\n", a.type, a.device, a.devicePointer != 0, a.hostPointer != 0, e);
}
int main() {
    cuInit(0); CUdevice d; cuDeviceGet(&d, 0); CUcontext c; cuDevicePrimaryCtxRetain(&c, d); cuCtxSetCurrent(c);
    CUstream s; cuStreamCreate(&s, 1);
    struct { CUmemAllocationType t; CUmemLocationType l; int id; int h; const char *n; } all[] = {
        {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST, 0, 0, "pinned host"},
        {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST, 5, 0, "pinned host id 5"},
        {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST, 0, 1, "pinned host fd"},
        {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST_NUMA, 0, 0, "pinned numa 0"},
        {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST_NUMA, 0, 1, "pinned numa 0 fd"},
        {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST_NUMA, 99, 0, "pinned numa 99"},
        {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0, 0, "pinned numa current"},
        {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, 0, 0, "pinned device"},
        {CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_DEVICE, 0, 0, "managed device"},
        {CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_DEVICE, 0, 1, "managed device fd"},
        {CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_HOST, 0, 0, "managed host"},
        {CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_HOST_NUMA, 0, 0, "managed numa"},
        {CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_NONE, 0, 0, "managed none"},
        {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_NONE, 0, 0, "pinned none"},
    };
    for (auto &x : all) {
        printf("== %s\n", x.n);
        CUmemPoolProps p; memset(&p, 0, sizeof p); p.allocType = x.t; p.location.type = x.l; p.location.id = x.id; p.handleTypes = (CUmemAllocationHandleType)x.h;
        CUmemoryPool pool = 0;
        if (TRY(cuMemPoolCreate(&pool, &p))) continue;
        CUmemLocation dev = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0}, numa = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
        CUmemAccess_flags f = (CUmemAccess_flags)77;
        TRY(cuMemPoolGetAccess(&f, pool, &dev)); printf("  access of the device %d\n", f); f = (CUmemAccess_flags)77;
        TRY(cuMemPoolGetAccess(&f, pool, &host)); printf("  access of the host %d\n", f); f = (CUmemAccess_flags)77;
        TRY(cuMemPoolGetAccess(&f, pool, &numa)); printf("  access of numa %d\n", f);
        CUdeviceptr q = 0;
        if (!TRY(cuMemAllocFromPoolAsync(&q, 4096, pool, s))) {
            cuStreamSynchronize(s); attributes(q);
            if (x.l != CU_MEM_LOCATION_TYPE_DEVICE || x.t == CU_MEM_ALLOCATION_TYPE_MANAGED) { *(volatile int *)q = 3; printf("  host wrote\n"); }
        }
        CUmemAccessDesc desc = {dev, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        TRY(cuMemPoolSetAccess(pool, &desc, 1)); f = (CUmemAccess_flags)77;
        TRY(cuMemPoolGetAccess(&f, pool, &dev)); printf("  access of the device %d\n", f);
        desc.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE; TRY(cuMemPoolSetAccess(pool, &desc, 1));
        desc.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE; TRY(cuMemPoolSetAccess(pool, &desc, 1));
        CUmemAccessDesc hdesc = {host, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}; TRY(cuMemPoolSetAccess(pool, &hdesc, 1));
        if (q) { k<<<1, 1, 0, (cudaStream_t)s>>>((int *)q); printf("  kernel wrote %s\n", name(cuStreamSynchronize(s)));
            TRY(cuMemFreeAsync(q, s)); cuStreamSynchronize(s); }
        TRY(cuCtxSetCurrent(c)); TRY(cuMemPoolTrimTo(pool, 0)); int fd; TRY(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
        TRY(cuMemPoolDestroy(pool));
    }
    CUmemoryPool pool; 
    for (int t : {1, 2}) for (int l = 0; l <= 4; l++) { CUmemLocation loc = {(CUmemLocationType)l, l == 1 ? 0 : 0}; pool = 0; CUresult r = cuMemGetDefaultMemPool(&pool, &loc, (CUmemAllocationType)t); printf("default type %d location %d: %d %s\n", t, l, pool != 0, name(r)); pool = 0; r = cuMemGetMemPool(&pool, &loc, (CUmemAllocationType)t); printf("current type %d location %d: %d %s\n", t, l, pool != 0, name(r)); }
    // Access before it is granted.
    CUmemPoolProps p; memset(&p, 0, sizeof p); p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED; p.location.type = CU_MEM_LOCATION_TYPE_HOST; cuMemPoolCreate(&pool, &p);
    CUdeviceptr q; cuMemAllocFromPoolAsync(&q, 4096, pool, s); TRY(cuMemFreeHost((void *)q)); TRY(cuMemFree(q));
    CUdeviceptr q2; cuMemAllocFromPoolAsync(&q2, 4096, pool, s);
    k<<<1, 1, 0, (cudaStream_t)s>>>((int *)q2); TRY(cuStreamSynchronize(s));
}
