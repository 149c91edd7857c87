// What reaches memory of a pool of the host's, before a GPU was given access to it and after.
#include <cuda.h>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <sys/wait.h>
#include <cuda_runtime.h>
static const char *name(CUresult r) { const char *n; cuGetErrorName(r, &n); return n ? n : "?"; }
__global__ void k(int *p) { *p = 7; }
static void one(int kind, int op) {
    cuInit(0); CUdevice d; cuDeviceGet(&d, 0); CUcontext c; cuDevicePrimaryCtxRetain(&c, d); cuCtxSetCurrent(c);
    CUstream s; cuStreamCreate(&s, 1); CUdeviceptr dev; cuMemAlloc(&dev, 4096); cuMemsetD32(dev, 5, 1024);
    CUmemoryPool pool = 0; CUmemLocation host = {kind & 1 ? CU_MEM_LOCATION_TYPE_HOST_NUMA : CU_MEM_LOCATION_TYPE_HOST, 0}, gpu = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    if (kind < 2) { CUmemPoolProps p; memset(&p, 0, sizeof p); p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED; p.location = host; cuMemPoolCreate(&pool, &p); }
    else cuMemGetDefaultMemPool(&pool, &host, CU_MEM_ALLOCATION_TYPE_PINNED);
    CUmemAccess_flags f = (CUmemAccess_flags)77; cuMemPoolGetAccess(&f, pool, &gpu);
    CUdeviceptr q = 0; CUresult r = cuMemAllocFromPoolAsync(&q, 4096, pool, s); cuStreamSynchronize(s);
    printf("%s %s, access %d, alloc %s: ", kind < 2 ? "own" : "default", kind & 1 ? "numa" : "host", f, name(r));
    *(volatile int *)q = 3;
    const char *what = ""; 
    switch (op) {
    case 0: what = "kernel"; k<<<1, 1, 0, (cudaStream_t)s>>>((int *)q); r = cuStreamSynchronize(s); break;
    case 1: what = "memset"; r = cuMemsetD32Async(q, 9, 4, s); if (!r) r = cuStreamSynchronize(s); break;
    case 2: what = "cuMemcpyDtoD to the device"; r = cuMemcpyDtoD(dev, q, 16); break;
    case 3: what = "cuMemcpyAsync to the device"; r = cuMemcpyAsync(dev, q, 16, s); if (!r) r = cuStreamSynchronize(s); break;
    case 4: what = "cuMemcpyAsync from the device"; r = cuMemcpyAsync(q, dev, 16, s); if (!r) r = cuStreamSynchronize(s); break;
    case 5: { what = "cuMemcpyDtoH from it"; int got = 0; r = cuMemcpyDtoH(&got, q, 4); printf("(got %d) ", got); break; }
    case 6: what = "cuMemcpyHtoD of it"; r = cuMemcpyHtoD(dev, (void *)q, 16); break;
    case 7: { what = "granted, kernel"; CUmemAccessDesc desc = {gpu, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}; printf("(set %s) ", name(cuMemPoolSetAccess(pool, &desc, 1))); k<<<1, 1, 0, (cudaStream_t)s>>>((int *)q); r = cuStreamSynchronize(s); CUdeviceptr dp = 0; CUresult r2 = cuPointerGetAttribute(&dp, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, q); printf("(device pointer %d %s) ", dp == q, name(r2)); break; }
    }
    printf("%s %s, holds %d\n", what, name(r), *(volatile int *)q);
    fflush(stdout);
}
int main(int argc, char **argv) {
    if (argc == 3) {
        one(argv[1][0] - '0', argv[2][0] - '0');
        return 0;
    }
    for (char kind[] = "0"; *kind < '4'; ++*kind) // a fault ends the process's use of CUDA
        for (char op[] = "0"; *op < '8'; ++*op)
            if (fork()) wait(nullptr);
            else execl("/proc/self/exe", argv[0], kind, op, nullptr);
}
