// What calls answer on two devices, a section for each argument. On two NVIDIA H200 this program wrote devices.h200.txt.
#include "memory.cuh"

static int *mallocOn(int device, size_t bytes)
{
    int *p = nullptr, before = 0;
    cudaGetDevice(&before);
    cudaSetDevice(device);
    cudaMalloc(&p, bytes);
    cudaMemset(p, 0, bytes);
    cudaDeviceSynchronize();
    cudaSetDevice(before);
    return p;
}

static void choosing()
{
    int n = -1;
    CUcontext c = nullptr, first = nullptr;
    R(cudaGetDeviceCount(&n)); V(n);
    R(cudaGetDevice(&n)); V(n);
    R(cuCtxGetCurrent(&c)); V(c == nullptr);
    unsigned flags; int active = -1;
    R(cudaSetDevice(2));
    R(cudaSetDevice(-1));
    R(cudaGetDevice(&n)); V(n);
    R(cudaSetDevice(1));
    R(cuDevicePrimaryCtxGetState(1, &flags, &active)); V(active);
    R(cuDevicePrimaryCtxGetState(0, &flags, &active)); V(active);
    R(cuCtxGetCurrent(&c)); V(c == nullptr);
    CUdevice d = -1;
    R(cuCtxGetDevice(&d)); V(d);
    R(cudaGetDevice(&n)); V(n);
    R(cudaSetDevice(0));
    R(cuCtxGetCurrent(&first)); V(first != c);
    R(cuCtxSetCurrent(c));
    R(cudaGetDevice(&n)); V(n);
    R(cuCtxPushCurrent(first));
    R(cudaGetDevice(&n)); V(n);
    R(cudaSetDevice(1));
    CUcontext top = nullptr;
    R(cuCtxPopCurrent(&top)); V(top == c);
    R(cuCtxGetCurrent(&top)); V(top == c);
    R(cuCtxPopCurrent(&top)); V(top == c);
    R(cuCtxPopCurrent(&top));
    R(cudaGetDevice(&n)); V(n);
    int *p;
    R(cudaMalloc(&p, 4));
    R(cudaGetDevice(&n)); V(n);
    R(cuDeviceGet(&d, 1)); V(d);
    R(cuDeviceGet(&d, 2));
    CUcontext retained = nullptr;
    R(cuDevicePrimaryCtxRetain(&retained, 1)); V(retained == c);
    R(cuDevicePrimaryCtxRetain(&retained, 2));
    R(cuDevicePrimaryCtxRelease(1));
    R(cudaInitDevice(1, 0, 0));
    R(cudaInitDevice(2, 0, 0));
    R(cudaGetDevice(&n)); V(n);
    int list[] = {1, 0};
    R(cudaSetValidDevices(list, 2));
    int wrong[] = {1, 2};
    R(cudaSetValidDevices(wrong, 2));
    cudaDeviceProp a, b;
    R(cudaGetDeviceProperties(&a, 0));
    R(cudaGetDeviceProperties(&b, 1));
    R(cudaGetDeviceProperties(&b, 2));
    V(memcmp(&a.uuid, &b.uuid, sizeof a.uuid) != 0);
    V(a.pciBusID != b.pciBusID || a.pciDeviceID != b.pciDeviceID || a.pciDomainID != b.pciDomainID);
    V(a.isMultiGpuBoard);
    V(a.multiGpuBoardGroupID == b.multiGpuBoardGroupID);
    char id[32];
    R(cudaDeviceGetPCIBusId(id, 32, 1));
    R(cudaDeviceGetByPCIBusId(&n, id)); V(n);
    R(cudaDeviceGetPCIBusId(id, 32, 2));
    R(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 2));
    R(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1)); V(n);
    R(cudaChooseDevice(&n, &b)); V(n);
}

static void peers()
{
    int n = -1;
    for (int from = 0; from < 3; ++from)
        for (int to = 0; to < 3; ++to) {
            printf("%d to %d\n", from, to);
            R(cudaDeviceCanAccessPeer(&n, from, to)); V(n);
        }
    R(cudaDeviceCanAccessPeer(nullptr, 0, 1));
    for (int attribute = 0; attribute < 6; ++attribute) {
        n = -7;
        printf("attribute %d\n", attribute);
        R(cudaDeviceGetP2PAttribute(&n, (cudaDeviceP2PAttr)attribute, 0, 1)); V(n);
        R(cuDeviceGetP2PAttribute(&n, (CUdevice_P2PAttribute)attribute, 1, 0)); V(n);
    }
    R(cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 0));
    R(cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 2));
    R(cudaDeviceGetP2PAttribute(nullptr, cudaDevP2PAttrAccessSupported, 0, 1));
    R(cudaSetDevice(0));
    R(cudaDeviceDisablePeerAccess(1));
    R(cudaDeviceDisablePeerAccess(0));
    R(cudaDeviceDisablePeerAccess(2));
    R(cudaDeviceEnablePeerAccess(0, 0));
    R(cudaDeviceEnablePeerAccess(2, 0));
    R(cudaDeviceEnablePeerAccess(1, 1));
    R(cudaDeviceEnablePeerAccess(1, 0));
    R(cudaDeviceEnablePeerAccess(1, 0));
    R(cudaGetLastError());
    R(cudaDeviceDisablePeerAccess(1));
    R(cudaDeviceDisablePeerAccess(1));
    CUcontext c0, c1;
    R(cuDevicePrimaryCtxRetain(&c0, 0));
    R(cuDevicePrimaryCtxRetain(&c1, 1));
    R(cuCtxEnablePeerAccess(nullptr, 0));
    R(cuCtxEnablePeerAccess(c0, 0));
    R(cuCtxEnablePeerAccess(c1, 1));
    R(cuCtxEnablePeerAccess(c1, 0));
    R(cuCtxEnablePeerAccess(c1, 0));
    R(cudaDeviceEnablePeerAccess(1, 0));
    R(cuCtxDisablePeerAccess(nullptr));
    R(cuCtxDisablePeerAccess(c0));
    R(cuCtxDisablePeerAccess(c1));
    R(cuCtxDisablePeerAccess(c1));
}

static void copies()
{
    int *a = mallocOn(0, 64), *b = mallocOn(1, 64), host[16] = {7, 8, 9};
    R(cudaSetDevice(0));
    R(cudaMemcpy(a, host, 64, cudaMemcpyHostToDevice));
    R(cudaMemcpyPeer(b, 1, a, 0, 64));
    memset(host, 0, 64);
    R(cudaMemcpy(host, b, 64, cudaMemcpyDeviceToHost)); V(host[2]);
    R(cudaMemcpyPeer(b, 0, a, 1, 64));
    R(cudaMemcpyPeer(b, 2, a, 0, 64));
    R(cudaMemcpyPeer(b, 1, a, -1, 64));
    R(cudaMemcpyPeer(b, 1, a, 0, 128));
    R(cudaMemcpyPeer(b, 1, host, 0, 64));
    R(cudaMemcpyPeer(b, 1, nullptr, 0, 64));
    R(cudaMemcpyPeer(b, 1, a, 0, 0));
    R(cudaMemset(b, 0, 64));
    R(cudaMemcpy(b, a, 64, cudaMemcpyDefault));
    R(cudaMemcpy(host, b, 64, cudaMemcpyDefault)); V(host[1]);
    R(cudaMemset(b, 0, 64));
    R(cudaMemcpy(b, a, 64, cudaMemcpyDeviceToDevice));
    R(cudaMemcpy(host, b, 64, cudaMemcpyDefault)); V(host[1]);
    cudaStream_t s0, s1;
    R(cudaStreamCreate(&s0));
    R(cudaSetDevice(1));
    R(cudaStreamCreate(&s1));
    R(cudaSetDevice(0));
    R(cudaMemcpyAsync(b, a, 64, cudaMemcpyDefault, s0));
    R(cudaMemcpyAsync(b, a, 64, cudaMemcpyDefault, s1));
    R(cudaMemcpyAsync(a, host, 64, cudaMemcpyDefault, s1));
    R(cudaMemcpyPeerAsync(b, 1, a, 0, 64, s0));
    R(cudaMemcpyPeerAsync(b, 1, a, 0, 64, s1));
    R(cudaMemsetAsync(a, 1, 64, s1));
    R(cudaMemsetAsync(b, 1, 64, s1));
    R(cudaMemsetAsync(b, 1, 64, s0));
    R(cudaMemcpy2D(b, 16, a, 16, 16, 4, cudaMemcpyDefault));
    R(cudaMemcpy2DAsync(b, 16, a, 16, 16, 4, cudaMemcpyDeviceToDevice, s1));
    cudaMemcpy3DPeerParms p = {};
    p.srcPtr = make_cudaPitchedPtr(a, 16, 16, 2);
    p.dstPtr = make_cudaPitchedPtr(b, 16, 16, 2);
    p.srcDevice = 0, p.dstDevice = 1;
    p.extent = make_cudaExtent(16, 2, 2);
    R(cudaMemcpy3DPeer(&p));
    R(cudaMemcpy3DPeerAsync(&p, s0));
    R(cudaMemcpy3DPeerAsync(&p, s1));
    p.dstDevice = 2;
    R(cudaMemcpy3DPeer(&p));
    p.dstDevice = 0, p.srcDevice = 1;
    R(cudaMemcpy3DPeer(&p));
    R(cudaDeviceSynchronize());
    cudaPointerAttributes at;
    R(cudaPointerGetAttributes(&at, a)); V(at.device); V(at.type); V(at.hostPointer == nullptr);
    R(cudaPointerGetAttributes(&at, b)); V(at.device); V(at.type);
    R(cudaSetDevice(1));
    R(cudaPointerGetAttributes(&at, a)); V(at.device);
    void *pinned;
    R(cudaMallocHost(&pinned, 64));
    R(cudaPointerGetAttributes(&at, pinned)); V(at.device); V(at.type);
    R(cudaSetDevice(0));
    R(cudaPointerGetAttributes(&at, pinned)); V(at.device);
    R(cudaPointerGetAttributes(&at, host)); V(at.device); V(at.type);
    R(cudaPointerGetAttributes(&at, &managed)); V(at.device); V(at.type);
    set<<<1, 1>>>((int *)pinned, 5);
    R(cudaDeviceSynchronize()); V(*(int *)pinned);
    R(cudaFreeHost(pinned));
    CUcontext c0, c1, of;
    R(cuDevicePrimaryCtxRetain(&c0, 0));
    R(cuDevicePrimaryCtxRetain(&c1, 1));
    R(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)b)); V(of == c1);
    int ordinal = -1;
    R(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, (CUdeviceptr)b)); V(ordinal);
    R(cuMemcpyPeer((CUdeviceptr)b, c1, (CUdeviceptr)a, c0, 64));
    R(cuMemcpyPeer((CUdeviceptr)b, c0, (CUdeviceptr)a, c1, 64));
    R(cuMemcpyPeer((CUdeviceptr)b, nullptr, (CUdeviceptr)a, c0, 64));
    R(cuMemcpyPeerAsync((CUdeviceptr)b, c1, (CUdeviceptr)a, c0, 64, s1));
    R(cuMemcpy((CUdeviceptr)b, (CUdeviceptr)a, 64));
    R(cuMemcpyDtoD((CUdeviceptr)b, (CUdeviceptr)a, 64));
    R(cuMemsetD8((CUdeviceptr)b, 0, 64));
    CUdeviceptr base; size_t size;
    R(cuMemGetAddressRange(&base, &size, (CUdeviceptr)b)); V(size);
    R(cudaFree(b));
    R(cudaFree(b));
    R(cudaSetDevice(1));
    R(cudaFree(a));
}

static void streams()
{
    cudaStream_t s0, s1;
    cudaEvent_t e0, e1, timed0, timed1;
    int n = -1;
    int *a = mallocOn(0, 64), *b = mallocOn(1, 64);
    R(cudaSetDevice(0));
    R(cudaStreamCreate(&s0));
    R(cudaEventCreateWithFlags(&e0, cudaEventDisableTiming));
    R(cudaEventCreate(&timed0));
    R(cudaSetDevice(1));
    R(cudaStreamCreate(&s1));
    R(cudaEventCreateWithFlags(&e1, cudaEventDisableTiming));
    R(cudaEventCreate(&timed1));
    R(cudaEventRecord(timed1, s1));
    R(cudaSetDevice(0));
    R(cudaEventRecord(timed0, s0));
    R(cudaEventRecord(e0, s1));
    R(cudaEventRecord(e1, s0));
    R(cudaEventRecord(e1, s1));
    R(cudaEventRecord(e1));
    R(cudaEventRecord(e0, cudaStreamPerThread));
    R(cudaStreamWaitEvent(s0, e1, 0));
    R(cudaStreamWaitEvent(s1, e0, 0));
    R(cudaStreamWaitEvent(0, e1, 0));
    R(cudaStreamSynchronize(s1));
    R(cudaEventSynchronize(e1));
    R(cudaEventQuery(e1));
    R(cudaStreamSynchronize(s0));
    float ms;
    R(cudaEventElapsedTime(&ms, timed0, timed1));
    R(cudaGetLastError());
    R(cudaStreamGetDevice(s1, &n)); V(n);
    R(cudaStreamGetDevice(s0, &n)); V(n);
    R(cudaStreamGetDevice(0, &n)); V(n);
    CUcontext c0, c1, of;
    R(cuDevicePrimaryCtxRetain(&c0, 0));
    R(cuDevicePrimaryCtxRetain(&c1, 1));
    R(cuStreamGetCtx(s1, &of)); V(of == c1);
    R(cudaLaunchHostFunc(s1, [](void *) {}, nullptr));
    unsigned flags;
    R(cudaStreamGetFlags(s1, &flags));
    R(cudaMallocAsync(&b, 64, s1));
    cudaPointerAttributes at;
    R(cudaPointerGetAttributes(&at, b)); V(at.device);
    R(cudaFreeAsync(b, s0));
    R(cudaStreamSynchronize(s0));
    cudaMemPool_t p0, p1, of1;
    R(cudaDeviceGetDefaultMemPool(&p0, 0));
    R(cudaDeviceGetDefaultMemPool(&p1, 1)); V(p0 != p1);
    R(cudaDeviceGetDefaultMemPool(&p1, 2));
    R(cudaDeviceGetMemPool(&of1, 1)); V(of1 == p1);
    R(cudaDeviceSetMemPool(0, p1));
    R(cudaDeviceSetMemPool(1, p1));
    R(cudaMallocFromPoolAsync(&b, 64, p1, s0));
    R(cudaPointerGetAttributes(&at, b)); V(at.device);
    R(cudaStreamSynchronize(s0));
    cudaMemLocation on0 = {cudaMemLocationTypeDevice, 0}, on1 = {cudaMemLocationTypeDevice, 1}, on2 = {cudaMemLocationTypeDevice, 2};
    cudaMemAccessFlags access;
    R(cudaMemPoolGetAccess(&access, p1, &on0)); V(access);
    R(cudaMemPoolGetAccess(&access, p1, &on1)); V(access);
    R(cudaMemPoolGetAccess(&access, p1, &on2));
    cudaMemAccessDesc desc = {on0, cudaMemAccessFlagsProtReadWrite};
    R(cudaMemPoolSetAccess(p1, &desc, 1));
    R(cudaMemPoolGetAccess(&access, p1, &on0)); V(access);
    set<<<1, 1>>>(b, 3);
    R(cudaDeviceSynchronize());
    desc.flags = cudaMemAccessFlagsProtRead;
    R(cudaMemPoolSetAccess(p1, &desc, 1));
    desc.flags = cudaMemAccessFlagsProtNone;
    R(cudaMemPoolSetAccess(p1, &desc, 1));
    desc.location = on1;
    R(cudaMemPoolSetAccess(p1, &desc, 1));
    desc.location = on2;
    R(cudaMemPoolSetAccess(p1, &desc, 1));
    R(cudaFreeAsync(b, s1));
    R(cudaFree(a));
    R(cudaEventDestroy(e1));
    R(cudaStreamDestroy(s1));
    R(cudaDeviceSynchronize());
}

static void variables()
{
    int v = 1, w = 10, got[2] = {};
    int *a = mallocOn(0, 8), *b = mallocOn(1, 8);
    void *at0, *at1;
    R(cudaSetDevice(0));
    R(cudaMemcpyToSymbol(variable, &v, 4));
    R(cudaMemcpyToSymbol(constant, &w, 4));
    R(cudaGetSymbolAddress(&at0, variable));
    R(cudaSetDevice(1));
    v = 2, w = 20;
    R(cudaMemcpyToSymbol(variable, &v, 4));
    R(cudaMemcpyToSymbol(constant, &w, 4));
    R(cudaGetSymbolAddress(&at1, variable)); V(at0 != at1);
    readVariables<<<1, 1>>>(b);
    R(cudaMemcpy(got, b, 8, cudaMemcpyDefault)); V(got[0]); V(got[1]);
    R(cudaSetDevice(0));
    readVariables<<<1, 1>>>(a);
    R(cudaMemcpy(got, a, 8, cudaMemcpyDefault)); V(got[0]); V(got[1]);
    managed = 1;
    add<<<1, 1>>>(&managed, 10);
    R(cudaSetDevice(1));
    add<<<1, 1>>>(&managed, 100);
    R(cudaDeviceSynchronize());
    R(cudaSetDevice(0));
    R(cudaDeviceSynchronize()); V(managed);
}

// An access of a peer's memory without permission, and after it was taken back.
static void denied()
{
    int *a = mallocOn(0, 4), *b = mallocOn(1, 4);
    R(cudaSetDevice(0));
    load<<<1, 1>>>(b, a);
    R(cudaGetLastError());
    R(cudaDeviceSynchronize());
    R(cudaSetDevice(1));
    R(cudaDeviceSynchronize());
    R(cudaMemset(b, 0, 4));
    set<<<1, 1>>>(b, 1);
    R(cudaDeviceSynchronize());
    R(cudaSetDevice(0));
    R(cudaMalloc(&a, 4));
}

static void allowed()
{
    int *a = mallocOn(0, 4), *b = mallocOn(1, 4), v = 0;
    R(cudaSetDevice(0));
    R(cudaDeviceEnablePeerAccess(1, 0));
    int *later = mallocOn(1, 4);
    add<<<1, 32>>>(b, 1);
    add<<<1, 32>>>(later, 2);
    load<<<1, 1>>>(b, a);
    R(cudaDeviceSynchronize());
    R(cudaMemcpy(&v, a, 4, cudaMemcpyDefault)); V(v);
    R(cudaMemcpy(&v, later, 4, cudaMemcpyDefault)); V(v);
    R(cudaDeviceDisablePeerAccess(1));
    load<<<1, 1>>>(b, a);
    R(cudaDeviceSynchronize());
}

// Access is one way.
static void backwards()
{
    int *a = mallocOn(0, 4), *b = mallocOn(1, 4);
    R(cudaSetDevice(0));
    R(cudaDeviceEnablePeerAccess(1, 0));
    R(cudaSetDevice(1));
    load<<<1, 1>>>(a, b);
    R(cudaDeviceSynchronize());
}

static void reset()
{
    int *a = mallocOn(0, 64), *b = mallocOn(1, 64), v;
    cudaStream_t s1;
    R(cudaSetDevice(1));
    R(cudaStreamCreate(&s1));
    R(cudaDeviceReset());
    R(cudaSetDevice(0));
    R(cudaMemset(a, 0, 64));
    set<<<1, 1>>>(a, 4);
    R(cudaMemcpy(&v, a, 4, cudaMemcpyDefault)); V(v);
    cudaPointerAttributes at;
    R(cudaPointerGetAttributes(&at, b)); V(at.type);
    R(cudaMemcpy(a, b, 64, cudaMemcpyDeviceToDevice));
    R(cudaFree(b));
    R(cudaSetDevice(1));
    R(cudaMalloc(&b, 64));
    set<<<1, 1>>>(b, 5);
    R(cudaMemcpy(&v, b, 4, cudaMemcpyDefault)); V(v);
}

// Two contexts of one device.
static void contexts()
{
    CUdeviceptr a, b;
    int v = 3;
    R(cuInit(0));
    CUcontext c0 = createContext(0), c1 = createContext(0), of;
    R(cuMemAlloc(&b, 64));
    R(cuCtxSetCurrent(c0));
    R(cuMemAlloc(&a, 64));
    R(cuMemcpyHtoD(a, &v, 4));
    R(cuMemcpyDtoD(b, a, 64));
    R(cuMemcpyPeer(b, c1, a, c0, 64));
    R(cuMemcpy(b, a, 64));
    R(cuMemsetD8(b, 0, 64));
    R(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, b)); V(of == c1);
    CUstream s0, s1;
    R(cuStreamCreate(&s0, 0));
    R(cuCtxEnablePeerAccess(c1, 0));
    R(cuCtxSetCurrent(c1));
    R(cuStreamCreate(&s1, 0));
    R(cuStreamSynchronize(s0));
    R(cuMemcpyDtoDAsync(b, a, 64, s0));
    R(cuStreamGetCtx(s0, &of)); V(of == c0);
    CUevent e0, e1;
    R(cuEventCreate(&e1, CU_EVENT_DISABLE_TIMING));
    R(cuCtxSetCurrent(c0));
    R(cuEventCreate(&e0, CU_EVENT_DISABLE_TIMING));
    R(cuEventRecord(e1, s0));
    R(cuEventRecord(e0, s0));
    R(cuStreamWaitEvent(s1, e0, 0));
    R(cuStreamSynchronize(s1));
    R(cuMemFree(b));
    R(cuCtxDestroy(c1));
    R(cuStreamSynchronize(s1));
    R(cuMemFree(a));
    R(cuCtxDestroy(c0));
}

static void sharedDevice()
{
    CUdeviceptr a, b;
    int v = 3;
    cuInit(0);
    CUcontext c0 = createContext(0), c1 = createContext(0);
    R(cuMemAlloc(&b, 64));
    R(cuCtxSetCurrent(c0));
    R(cuMemAlloc(&a, 64));
    R(cuMemcpyHtoD(a, &v, 4));
    R(cuCtxSetCurrent(c1));
    load<<<1, 1>>>((int *)a, (int *)b);
    R(cuCtxSynchronize());
    v = 0;
    R(cuMemcpyDtoH(&v, b, 4)); V(v);
}

int main(int, char **argv)
{
    static const struct { const char *name; void (*run)(); } sections[] = {
        {"choosing", choosing}, {"peers", peers}, {"copies", copies}, {"streams", streams}, {"variables", variables},
        {"denied", denied}, {"allowed", allowed}, {"backwards", backwards}, {"reset", reset}, {"contexts", contexts}, {"shared device", sharedDevice},
    };
    for (auto &s : sections)
        if (!strcmp(argv[1], s.name))
            s.run();
    return 0;
}
