// What calls about virtual memory, memory of other processes, managed memory and memory of graphs answer, a section for each
// argument. On an NVIDIA H200 this program wrote virtual.h200.txt.
#include "memory.cuh"
#include <sys/syscall.h>

static CUmemAllocationProp onDevice(CUmemAllocationHandleType handle)
{
    CUmemAllocationProp p = {};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = 0;
    p.requestedHandleTypes = handle;
    return p;
}

static CUmemAccessDesc access(CUmemAccess_flags flags)
{
    CUmemAccessDesc d = {};
    d.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    d.location.id = 0;
    d.flags = flags;
    return d;
}

static const size_t mega2 = 2 << 20;

static void virtualMemory()
{
    cudaFree(nullptr);
    CUmemAllocationProp p = onDevice(CU_MEM_HANDLE_TYPE_NONE), q = p;
    size_t n = 0;
    R(cuMemGetAllocationGranularity(&n, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM)); V(n);
    R(cuMemGetAllocationGranularity(&n, &p, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)); V(n);
    R(cuMemGetAllocationGranularity(&n, &p, (CUmemAllocationGranularity_flags)2));
    R(cuMemGetAllocationGranularity(nullptr, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    R(cuMemGetAllocationGranularity(&n, nullptr, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    q.location.id = 9;
    R(cuMemGetAllocationGranularity(&n, &q, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    q = p, q.type = (CUmemAllocationType)0;
    R(cuMemGetAllocationGranularity(&n, &q, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    q = p, q.location.type = (CUmemLocationType)0;
    R(cuMemGetAllocationGranularity(&n, &q, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CUdeviceptr at = 0, second = 0, third = 0;
    R(cuMemAddressReserve(&at, 0, 0, 0, 0));
    R(cuMemAddressReserve(&at, 4096, 0, 0, 0));
    R(cuMemAddressReserve(&at, 3 << 20, 0, 0, 0));
    R(cuMemAddressReserve(&at, mega2, 3, 0, 0));
    R(cuMemAddressReserve(&at, mega2, 0, 0, 1));
    R(cuMemAddressReserve(nullptr, mega2, 0, 0, 0));
    R(cuMemAddressReserve(&at, 8 * mega2, 0, 0, 0)); V(at % mega2);
    R(cuMemAddressReserve(&second, 2 * mega2, 1 << 25, 0, 0)); V(second % (1 << 25));
    R(cuMemAddressReserve(&third, mega2, 0, at, 0)); V(third == at);
    R(cuMemAddressFree(third, mega2));
    R(cuMemAddressFree(third, mega2));
    R(cuMemAddressFree(second, mega2));
    R(cuMemAddressFree(second + mega2, mega2));
    R(cuMemAddressFree(second, 2 * mega2));
    CUmemGenericAllocationHandle h = 0, g = 0, again = 0;
    R(cuMemCreate(&h, 0, &p, 0));
    R(cuMemCreate(&h, 4096, &p, 0));
    R(cuMemCreate(&h, mega2, &p, 1));
    R(cuMemCreate(nullptr, mega2, &p, 0));
    R(cuMemCreate(&h, mega2, nullptr, 0));
    q = p, q.location.id = 9;
    R(cuMemCreate(&h, mega2, &q, 0));
    q = p, q.type = (CUmemAllocationType)0;
    R(cuMemCreate(&h, mega2, &q, 0));
    R(cuMemCreate(&h, 1ull << 41, &p, 0));
    size_t before, total, after;
    R(cuMemGetInfo(&before, &total));
    R(cuMemCreate(&h, 2 * mega2, &p, 0));
    R(cuMemGetInfo(&after, &total)); V(before - after);
    R(cuMemCreate(&g, mega2, &p, 0)); V(h != g);
    R(cuMemMap(at, 2 * mega2, 0, h, 1));
    R(cuMemMap(at, 2 * mega2, mega2, h, 0));
    R(cuMemMap(at, 4 * mega2, 0, h, 0));
    R(cuMemMap(at, 4096, 0, h, 0));
    R(cuMemMap(at + 4096, mega2, 0, h, 0));
    R(cuMemMap(at, 0, 0, h, 0));
    R(cuMemMap(at, mega2, 0, h, 0));
    R(cuMemMap(at, mega2, mega2, h, 0));
    R(cuMemMap(second, mega2, 0, g, 0));
    R(cuMemMap(at, 2 * mega2, 0, 0, 0));
    R(cuMemMap(at, 2 * mega2, 0, h, 0));
    R(cuMemMap(at, 2 * mega2, 0, h, 0));
    R(cuMemMap(at + mega2, mega2, 0, g, 0));
    R(cuMemMap(at + 2 * mega2, mega2, 0, g, 0));
    R(cuMemMap(at + 7 * mega2, mega2, 0, g, 0));
    R(cuMemMap(at + 7 * mega2, 2 * mega2, 0, h, 0));
    unsigned long long flags = 9;
    CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    R(cuMemGetAccess(&flags, &device, at)); V(flags);
    int v = 5;
    R(cuMemcpyHtoD(at, &v, 4));
    R(cuMemsetD8(at, 0, 4));
    CUmemAccessDesc d = access(CU_MEM_ACCESS_FLAGS_PROT_READWRITE), e = d;
    R(cuMemSetAccess(at, 0, &d, 1));
    R(cuMemSetAccess(at, 2 * mega2, nullptr, 1));
    R(cuMemSetAccess(at, 2 * mega2, &d, 0));
    R(cuMemSetAccess(at, 8 * mega2, &d, 1));
    R(cuMemSetAccess(at + 4096, mega2, &d, 1));
    R(cuMemSetAccess(at, mega2, &d, 1));
    e.location.id = 9;
    R(cuMemSetAccess(at, 2 * mega2, &e, 1));
    e = d, e.flags = (CUmemAccess_flags)2;
    R(cuMemSetAccess(at, 2 * mega2, &e, 1));
    e.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    R(cuMemSetAccess(at, 2 * mega2, &e, 1));
    R(cuMemGetAccess(&flags, &device, at)); V(flags);
    R(cuMemSetAccess(at, 3 * mega2, &d, 1));
    R(cuMemGetAccess(&flags, &device, at)); V(flags);
    R(cuMemGetAccess(&flags, &device, at + mega2 + 7)); V(flags);
    R(cuMemGetAccess(&flags, &device, at + 5 * mega2)); V(flags);
    R(cuMemGetAccess(&flags, &device, 16));
    CUmemLocation nowhere = {CU_MEM_LOCATION_TYPE_DEVICE, 9};
    R(cuMemGetAccess(&flags, &nowhere, at));
    R(cuMemcpyHtoD(at + 2 * mega2 - 4, &v, 8));
    R(cuMemsetD32(at, 7, 3 * mega2 / 4));
    R(cuMemcpyDtoH(&v, at + 3 * mega2 - 4, 4)); V(v);
    R(cuMemcpyDtoH(&v, at + 3 * mega2, 4));
    R(cuMemcpyDtoD(at + 2 * mega2, at + mega2 / 2, mega2));
    CUdeviceptr base; size_t size;
    R(cuMemGetAddressRange(&base, &size, at + mega2 + 5)); V(base - at); V(size);
    R(cuMemGetAddressRange(&base, &size, at + 2 * mega2 + 5)); V(base - at); V(size);
    R(cuMemGetAddressRange(&base, &size, at + 4 * mega2));
    cudaPointerAttributes a;
    R(cudaPointerGetAttributes(&a, (void *)at)); V(a.type); V(a.device);
    R(cudaPointerGetAttributes(&a, (void *)(at + 4 * mega2))); V(a.type); V(a.device);
    int ordinal;
    R(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at)); V(ordinal);
    CUcontext of;
    R(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, at)); V(of == nullptr);
    R(cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at)); V(n);
    R(cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at + 4 * mega2));
    R(cuMemFree(at));
    R(cuMemRetainAllocationHandle(&again, (void *)(at + mega2))); V(again == h);
    R(cuMemRetainAllocationHandle(&again, (void *)(at + 4 * mega2)));
    R(cuMemRetainAllocationHandle(&again, nullptr));
    R(cuMemRelease(h));
    R(cuMemRelease(h));
    R(cuMemRelease(h));
    R(cuMemRelease(0));
    R(cuMemGetAllocationPropertiesFromHandle(&q, g)); V(q.type); V(q.location.id); V(q.location.type); V(q.requestedHandleTypes); V(q.allocFlags.compressionType);
    R(cuMemGetAllocationPropertiesFromHandle(&q, h));
    R(cuMemGetAllocationPropertiesFromHandle(nullptr, g));
    // The same memory at two addresses.
    R(cuMemMap(at + 4 * mega2, mega2, 0, g, 0));
    R(cuMemSetAccess(at + 4 * mega2, mega2, &d, 1));
    set<<<1, 1>>>((int *)(at + 4 * mega2), 77);
    R(cuMemcpyDtoH(&v, at + 2 * mega2, 4)); V(v);
    R(cuMemUnmap(at, mega2));
    R(cuMemUnmap(at + mega2, mega2));
    R(cuMemUnmap(at, 8 * mega2));
    R(cuMemUnmap(at, 3 * mega2));
    R(cuMemUnmap(at, 2 * mega2));
    R(cuMemAddressFree(at, 8 * mega2));
    R(cuMemUnmap(at + 4 * mega2, mega2));
    R(cuMemUnmap(at + 2 * mega2, mega2));
    R(cuMemUnmap(at + 7 * mega2, mega2));
    R(cuMemAddressFree(at, 8 * mega2));
    R(cuMemRelease(g));
    R(cuMemGetInfo(&after, &total)); V(before - after <= mega2);
    p.location.type = CU_MEM_LOCATION_TYPE_HOST;
    R(cuMemGetAllocationGranularity(&n, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM)); V(n);
    p.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
    R(cuMemGetAllocationGranularity(&n, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM)); V(n);
    int fd = -1;
    p = onDevice(CU_MEM_HANDLE_TYPE_NONE);
    R(cuMemCreate(&h, mega2, &p, 0));
    R(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    R(cuMemRelease(h));
    p = onDevice(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    R(cuMemCreate(&h, mega2, &p, 0));
    R(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
    R(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_NONE, 0));
    R(cuMemExportToShareableHandle(nullptr, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    R(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); V(fd > 2);
    R(cuMemImportFromShareableHandle(&g, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)); V(g == h);
    R(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    R(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)999, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    R(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_NONE));
    close(fd);
    R(cuMemGetAllocationPropertiesFromHandle(&q, g)); V(q.requestedHandleTypes);
    R(cuMemAddressReserve(&at, 2 * mega2, 0, 0, 0));
    R(cuMemMap(at, mega2, 0, h, 0));
    R(cuMemMap(at + mega2, mega2, 0, g, 0));
    R(cuMemSetAccess(at, 2 * mega2, &d, 1));
    set<<<1, 1>>>((int *)at, 78);
    R(cuMemcpyDtoH(&v, at + mega2, 4)); V(v);
}

static CUdeviceptr mapped(CUmemAccess_flags flags)
{
    CUmemAllocationProp p = onDevice(CU_MEM_HANDLE_TYPE_NONE);
    CUmemAccessDesc d = access(flags);
    CUdeviceptr at = 0;
    CUmemGenericAllocationHandle h;
    cudaFree(nullptr);
    R(cuMemAddressReserve(&at, 2 * mega2, 0, 0, 0));
    R(cuMemCreate(&h, mega2, &p, 0));
    R(cuMemMap(at, mega2, 0, h, 0));
    if (flags != CU_MEM_ACCESS_FLAGS_PROT_NONE) R(cuMemSetAccess(at, mega2, &d, 1));
    R(cuMemRelease(h));
    return at;
}

static void accessible()
{
    CUdeviceptr at = mapped(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    int v = 0;
    set<<<1, 1>>>((int *)(at + mega2 - 4), 3);
    R(cudaDeviceSynchronize());
    R(cudaMemcpy(&v, (void *)(at + mega2 - 4), 4, cudaMemcpyDefault)); V(v);
    set<<<1, 1>>>((int *)(at + mega2), 3);
    R(cudaDeviceSynchronize());
}

static void inaccessible()
{
    CUdeviceptr at = mapped(CU_MEM_ACCESS_FLAGS_PROT_NONE);
    set<<<1, 1>>>((int *)at, 3);
    R(cudaDeviceSynchronize());
}

static void readOnly()
{
    CUdeviceptr at = mapped(CU_MEM_ACCESS_FLAGS_PROT_READ);
    int *p, v = 9;
    R(cudaMalloc(&p, 4));
    load<<<1, 1>>>((int *)at, p);
    R(cudaDeviceSynchronize());
    R(cudaMemcpy(&v, p, 4, cudaMemcpyDefault));
    set<<<1, 1>>>((int *)at, 3);
    R(cudaDeviceSynchronize());
}

static void unmapped()
{
    CUdeviceptr at = mapped(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    set<<<1, 1>>>((int *)at, 3);
    R(cudaDeviceSynchronize());
    R(cuMemUnmap(at, mega2));
    set<<<1, 1>>>((int *)at, 3);
    R(cudaDeviceSynchronize());
}

// Two processes: the program starts itself. What one has to say to the other goes through pipes.
static int toChild[2], toParent[2];
static const int childReads = 100, childWrites = 101;
static pid_t startChild(const char *section)
{
    if (pipe(toChild) || pipe(toParent)) exit(7);
    pid_t child = fork();
    if (child == 0) {
        dup2(toChild[0], childReads); // neither number is one that the process may have open
        dup2(toParent[1], childWrites);
        execl("/proc/self/exe", "virtual", section, nullptr);
        exit(6);
    }
    return child;
}
static void joinParent() { toChild[0] = childReads, toParent[1] = childWrites; }

template <class T> static void tell(int fd, const T &v) { if (write(fd, &v, sizeof v) < 0) exit(9); }
template <class T> static T hear(int fd) { T v; if (read(fd, &v, sizeof v) != sizeof v) exit(8); return v; }

static void processes()
{
    pid_t child = startChild("processes' child");
    int *p, *small, v = 0;
    cudaIpcMemHandle_t handle, other;
    cudaIpcEventHandle_t eventHandle;
    R(cudaMalloc(&p, 4 << 20));
    R(cudaMalloc(&small, 64));
    set<<<1, 1>>>(p + 5, 41);
    R(cudaDeviceSynchronize());
    R(cudaIpcGetMemHandle(&handle, p + 5));
    R(cudaIpcGetMemHandle(&other, p)); V(memcmp(&handle, &other, sizeof handle) == 0);
    R(cudaIpcGetMemHandle(&other, nullptr));
    R(cudaIpcGetMemHandle(&other, &v));
    void *pinned, *shared;
    R(cudaMallocHost(&pinned, 64));
    R(cudaIpcGetMemHandle(&other, pinned));
    R(cudaMallocManaged(&shared, 64));
    R(cudaIpcGetMemHandle(&other, shared));
    void *opened = nullptr;
    R(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess));
    R(cudaIpcOpenMemHandle(&opened, handle, 0));
    memset(&other, 0, sizeof other);
    R(cudaIpcOpenMemHandle(&opened, other, cudaIpcMemLazyEnablePeerAccess));
    R(cudaIpcCloseMemHandle(p));
    R(cudaIpcCloseMemHandle(nullptr));
    cudaEvent_t plain, event, again;
    R(cudaEventCreate(&plain));
    R(cudaIpcGetEventHandle(&eventHandle, plain));
    R(cudaEventCreateWithFlags(&event, cudaEventInterprocess));
    R(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    R(cudaIpcGetEventHandle(&eventHandle, event));
    R(cudaIpcOpenEventHandle(&again, eventHandle));
    tell(toChild[1], handle);
    cudaIpcMemHandle_t smallHandle;
    R(cudaIpcGetMemHandle(&smallHandle, small));
    tell(toChild[1], smallHandle);
    tell(toChild[1], eventHandle);
    hear<char>(toParent[0]); // the child has opened all
    int status;
    waitpid(child, &status, 0);
    V(WEXITSTATUS(status));
}

static void processesChild()
{
    joinParent();
    cudaIpcMemHandle_t handle = hear<cudaIpcMemHandle_t>(toChild[0]), small = hear<cudaIpcMemHandle_t>(toChild[0]);
    cudaIpcEventHandle_t eventHandle = hear<cudaIpcEventHandle_t>(toChild[0]);
    int *p = nullptr, *twice = nullptr, *s = nullptr, v = 0, one = 1;
    cudaEvent_t event;
    printf("child\n");
    R(cudaIpcOpenMemHandle((void **)&p, handle, 2));
    R(cudaIpcOpenMemHandle((void **)&p, handle, cudaIpcMemLazyEnablePeerAccess));
    R(cudaIpcOpenMemHandle((void **)&twice, handle, cudaIpcMemLazyEnablePeerAccess)); V(twice == p);
    R(cudaIpcCloseMemHandle(twice));
    R(cudaIpcOpenMemHandle((void **)&s, small, cudaIpcMemLazyEnablePeerAccess));
    R(cudaIpcOpenEventHandle(&event, eventHandle));
    cudaIpcEventHandle_t forward;
    R(cudaIpcGetEventHandle(&forward, event));
    cudaIpcMemHandle_t onwards;
    R(cudaIpcGetMemHandle(&onwards, p));
    cudaPointerAttributes a;
    R(cudaPointerGetAttributes(&a, p)); V(a.type); V(a.device);
    CUdeviceptr base; size_t size;
    R(cuMemGetAddressRange(&base, &size, (CUdeviceptr)(p + 9))); V(base == (CUdeviceptr)p); V(size);
    R(cuMemGetAddressRange(&base, &size, (CUdeviceptr)s)); V(base == (CUdeviceptr)s); V(size);
    R(cudaFree(p));
    R(cudaMemcpy(&v, p + 5, 4, cudaMemcpyDefault)); V(v);
    set<<<1, 1>>>(s, 9);
    R(cudaDeviceSynchronize());
    fflush(stdout);
    tell(toParent[1], 'o');
    exit(3);
}

static void sharedPools()
{
    pid_t child = startChild("shared pools' child");
    int *p, v = 0;
    cudaMemPool_t pool, plain;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    cudaMemPoolPtrExportData data;
    int fd = -1;
    R(cudaMemPoolCreate(&plain, &props));
    R(cudaMemPoolExportToShareableHandle(&fd, plain, cudaMemHandleTypePosixFileDescriptor, 0));
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    R(cudaMemPoolCreate(&pool, &props));
    R(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypeNone, 0));
    R(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 1));
    R(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    R(cudaMallocFromPoolAsync((void **)&p, 64, plain, 0));
    R(cudaMemPoolExportPointer(&data, p));
    R(cudaMallocFromPoolAsync((void **)&p, 1 << 20, pool, 0));
    set<<<1, 1>>>(p, 21);
    R(cudaDeviceSynchronize());
    R(cudaMemPoolExportPointer(&data, p + 1));
    R(cudaMemPoolExportPointer(&data, p));
    R(cudaMemPoolExportPointer(nullptr, p));
    R(cudaMemPoolExportPointer(&data, &v));
    cudaMemPool_t same;
    R(cudaMemPoolImportFromShareableHandle(&same, (void *)(intptr_t)fd, cudaMemHandleTypePosixFileDescriptor, 0));
    tell(toChild[1], fd);
    tell(toChild[1], getpid());
    tell(toChild[1], data);
    hear<char>(toParent[0]);
    R(cudaMemcpy(&v, p, 4, cudaMemcpyDefault)); V(v);
    R(cudaFreeAsync(p, 0));
    R(cudaStreamSynchronize(0));
    int status;
    waitpid(child, &status, 0);
    V(WEXITSTATUS(status));
}

static void sharedPoolsChild()
{
    joinParent();
    int *p;
    cudaMemPool_t pool;
    int theirs = hear<int>(toChild[0]);
    pid_t parent = hear<pid_t>(toChild[0]);
    cudaMemPoolPtrExportData data = hear<cudaMemPoolPtrExportData>(toChild[0]);
    printf("child\n");
    int pidfd = (int)syscall(SYS_pidfd_open, parent, 0), fd = (int)syscall(SYS_pidfd_getfd, pidfd, theirs, 0);
    V(fd > 0);
    R(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd, cudaMemHandleTypeNone, 0));
    R(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)0, cudaMemHandleTypePosixFileDescriptor, 0));
    R(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd, cudaMemHandleTypePosixFileDescriptor, 0));
    R(cudaMallocFromPoolAsync((void **)&p, 64, pool, 0));
    int *q = nullptr, *again = nullptr;
    R(cudaMemPoolImportPointer((void **)&q, pool, nullptr));
    R(cudaMemPoolImportPointer((void **)&q, pool, &data));
    R(cudaMemPoolImportPointer((void **)&again, pool, &data)); V(again == q);
    cudaMemLocation on0 = {cudaMemLocationTypeDevice, 0};
    cudaMemAccessFlags access;
    R(cudaMemPoolGetAccess(&access, pool, &on0)); V(access);
    add<<<1, 32>>>(q, 2);
    R(cudaDeviceSynchronize());
    R(cudaFreeAsync(q, 0));
    R(cudaStreamSynchronize(0));
    R(cudaFree(again));
    R(cudaMemPoolDestroy(pool));
    fflush(stdout);
    tell(toParent[1], 'd');
    exit(4);
}

static void managedMemory()
{
    char *p, *plain;
    const size_t n = 4 * mega2;
    R(cudaMallocManaged(&p, 0));
    R(cudaMallocManaged(&p, 64, 0));
    R(cudaMallocManaged(&p, 64, 4));
    R(cudaMallocManaged(&p, 64, 3));
    R(cudaMallocManaged(&p, n, cudaMemAttachGlobal)); V((uintptr_t)p % 4096);
    R(cudaMalloc(&plain, 64));
    int v = -9, list[4] = {-9, -9, -9, -9};
#define range(attribute, size) R(cudaMemRangeGetAttribute(list, size, attribute, p, n)); V(list[0]); V(list[1])
    range(cudaMemRangeAttributeReadMostly, 4);
    range(cudaMemRangeAttributePreferredLocation, 4);
    range(cudaMemRangeAttributeAccessedBy, 8);
    range(cudaMemRangeAttributeLastPrefetchLocation, 4);
    range(cudaMemRangeAttributePreferredLocationType, 4);
    range(cudaMemRangeAttributePreferredLocationId, 4);
    range(cudaMemRangeAttributeLastPrefetchLocationType, 4);
    range(cudaMemRangeAttributeLastPrefetchLocationId, 4);
    range(cudaMemRangeAttributeReadMostly, 8);
    range(cudaMemRangeAttributeReadMostly, 2);
    range(cudaMemRangeAttributeAccessedBy, 6);
    range(cudaMemRangeAttributeAccessedBy, 0);
    range((cudaMemRangeAttribute)0, 4);
    range((cudaMemRangeAttribute)77, 4);
    R(cudaMemRangeGetAttribute(nullptr, 4, cudaMemRangeAttributeReadMostly, p, n));
    R(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, plain, 64));
    R(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, p, 2 * n));
    R(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, p, 0));
    R(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, p + 1, 1)); V(v);
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0}, nowhere = {cudaMemLocationTypeDevice, 9},
                    numa = {cudaMemLocationTypeHostNuma, 0}, invalid = {cudaMemLocationTypeInvalid, 0};
    R(advise(p, n / 2, cudaMemAdviseSetReadMostly, device));
    R(advise(p, n, cudaMemAdviseSetPreferredLocation, nowhere));
    R(advise(p, n, cudaMemAdviseSetPreferredLocation, invalid));
    R(advise(p, n, cudaMemAdviseSetReadMostly, nowhere));
    R(advise(plain, 64, cudaMemAdviseSetReadMostly, device));
    R(advise(&v, 4, cudaMemAdviseSetReadMostly, device));
    R(advise(p, 2 * n, cudaMemAdviseSetReadMostly, device));
    R(advise(p, 0, cudaMemAdviseSetReadMostly, device));
    R(advise(p, n, (cudaMemoryAdvise)0, device));
    R(advise(p, n, (cudaMemoryAdvise)9, device));
    R(advise(p, n, cudaMemAdviseSetAccessedBy, numa));
    range(cudaMemRangeAttributeReadMostly, 4);
    R(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, p, n / 2)); V(v);
    R(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, p, n / 2 + 1)); V(v);
    R(advise(p + 100, 1, cudaMemAdviseUnsetReadMostly, device));
    R(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, p, 4096)); V(v);
    R(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, p + 4096, 4096)); V(v);
    R(advise(p, n, cudaMemAdviseSetReadMostly, device));
    R(advise(p, n, cudaMemAdviseSetPreferredLocation, device));
    range(cudaMemRangeAttributePreferredLocation, 4);
    range(cudaMemRangeAttributePreferredLocationType, 4);
    range(cudaMemRangeAttributePreferredLocationId, 4);
    R(advise(p, n / 4, cudaMemAdviseSetPreferredLocation, host));
    range(cudaMemRangeAttributePreferredLocation, 4);
    R(cudaMemRangeGetAttribute(list, 4, cudaMemRangeAttributePreferredLocation, p, n / 4)); V(list[0]);
    R(cudaMemRangeGetAttribute(list, 4, cudaMemRangeAttributePreferredLocationType, p, n / 4)); V(list[0]);
    R(cudaMemRangeGetAttribute(list, 4, cudaMemRangeAttributePreferredLocationId, p, n / 4)); V(list[0]);
    R(advise(p, n, cudaMemAdviseUnsetPreferredLocation, device));
    range(cudaMemRangeAttributePreferredLocation, 4);
    R(advise(p, n, cudaMemAdviseSetAccessedBy, device));
    range(cudaMemRangeAttributeAccessedBy, 8);
    R(advise(p, n, cudaMemAdviseSetAccessedBy, host));
    range(cudaMemRangeAttributeAccessedBy, 8);
    range(cudaMemRangeAttributeAccessedBy, 4);
    R(advise(p, n, cudaMemAdviseUnsetAccessedBy, device));
    range(cudaMemRangeAttributeAccessedBy, 8);
    R(prefetchTo(p, n, device));
    range(cudaMemRangeAttributeLastPrefetchLocation, 4);
    range(cudaMemRangeAttributeLastPrefetchLocationType, 4);
    R(prefetchTo(p, n / 2, host));
    range(cudaMemRangeAttributeLastPrefetchLocation, 4);
    R(cudaMemRangeGetAttribute(list, 4, cudaMemRangeAttributeLastPrefetchLocation, p, n / 2)); V(list[0]);
    R(cudaMemRangeGetAttribute(list, 4, cudaMemRangeAttributeLastPrefetchLocationType, p, n / 2)); V(list[0]);
    R(prefetchTo(p, n, nowhere));
    R(prefetchTo(p, n, invalid));
    R(prefetchTo(p, 2 * n, device));
    R(prefetchTo(p, 0, device));
    R(prefetchTo(plain, 64, device));
    R(prefetchTo(&v, 4, device));
    void *data[] = {&list[0], &list[1]};
    size_t sizes[] = {4, 4};
    cudaMemRangeAttribute attributes[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation};
    R(cudaMemRangeGetAttributes(data, sizes, attributes, 2, p, n)); V(list[0]); V(list[1]);
    R(cudaMemRangeGetAttributes(data, sizes, attributes, 0, p, n));
    sizes[1] = 3;
    R(cudaMemRangeGetAttributes(data, sizes, attributes, 2, p, n));
    cudaStream_t s;
    R(cudaStreamCreate(&s));
    R(cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachSingle));
    R(cudaStreamAttachMemAsync(s, p, n, cudaMemAttachHost));
    R(cudaStreamAttachMemAsync(s, p, n / 2, cudaMemAttachGlobal));
    R(cudaStreamAttachMemAsync(s, p + 4, 0, cudaMemAttachGlobal));
    R(cudaStreamAttachMemAsync(0, p, 0, cudaMemAttachSingle));
    R(cudaStreamAttachMemAsync(s, p, 0, 3));
    R(cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachGlobal));
    R(cudaStreamAttachMemAsync(s, &managed, 4, cudaMemAttachGlobal));
    R(cudaStreamSynchronize(s));
    R(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, &managed, 4)); V(v);
    R(cudaDeviceSynchronize());
    R(cudaFree(p));
    R(cudaFree(p));
}

static void graphMemory()
{
    cudaGraph_t g, h, clone;
    cudaGraphNode_t a, b, f, k, nodes[2];
    cudaMemAllocNodeParams params = {};
    cudaStream_t s;
    int *p, *q, v = 0;
    cudaFree(nullptr);
    R(cudaStreamCreate(&s));
    R(cudaGraphCreate(&g, 0));
    R(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &params));
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    R(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &params));
    params.bytesize = 1 << 20;
    params.poolProps.location.id = 9;
    R(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &params));
    params.poolProps.location.id = 0;
    params.poolProps.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    R(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &params));
    params.poolProps.handleTypes = cudaMemHandleTypeNone;
    R(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, nullptr));
    R(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &params));
    p = (int *)params.dptr;
    R(cudaGraphAddMemAllocNode(&b, g, nullptr, 0, &params));
    q = (int *)params.dptr; V(p != q);
    cudaPointerAttributes at;
    R(cudaPointerGetAttributes(&at, p)); V(at.type); V(at.device);
    R(cudaMemset(p, 0, 4));
    R(cudaFree(p));
    uint64_t used, reserved;
#define usage() R(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used)); V(used); R(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used)); V(used); \
    R(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved)); V(reserved); R(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &reserved)); V(reserved)
    usage();
    R(cudaGraphAddMemFreeNode(&f, g, &b, 1, &v));
    R(cudaGraphAddMemFreeNode(&f, g, &b, 1, q));
    R(cudaGraphAddMemFreeNode(&k, g, &b, 1, q));
    R(cudaGraphAddMemFreeNode(&k, g, nullptr, 0, p));
    cudaGraphNodeType type;
    R(cudaGraphNodeGetType(a, &type)); V(type);
    R(cudaGraphNodeGetType(f, &type)); V(type);
    cudaMemAllocNodeParams got;
    void *gotFree;
    R(cudaGraphMemAllocNodeGetParams(a, &got)); V(got.dptr == p); V(got.bytesize);
    R(cudaGraphMemAllocNodeGetParams(f, &got));
    R(cudaGraphMemFreeNodeGetParams(f, &gotFree)); V(gotFree == q);
    R(cudaGraphClone(&clone, g));
    R(cudaGraphCreate(&h, 0));
    R(cudaGraphAddChildGraphNode(&k, h, nullptr, 0, g));
    R(cudaGraphDestroyNode(f));
    cudaKernelNodeParams kernel = {};
    int five = 5, *target = nullptr;
    cudaMalloc(&target, 4);
    void *arguments[] = {&target, &five};
    kernel.func = (void *)set;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    R(cudaGraphAddKernelNode(&k, g, &a, 1, &kernel));
    cudaGraphExec_t x, y;
    R(cudaGraphInstantiate(&x, g, 0));
    R(cudaGraphInstantiate(&y, g, 0));
    usage();
    R(cudaGraphLaunch(x, s));
    R(cudaStreamSynchronize(s));
    usage();
    // A graph that leaves its memory to the program.
    R(cudaGraphDestroy(g));
    R(cudaGraphExecDestroy(x));
    R(cudaGraphCreate(&g, 0));
    R(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &params));
    target = p = (int *)params.dptr;
    R(cudaGraphAddKernelNode(&k, g, &a, 1, &kernel));
    R(cudaGraphInstantiate(&x, g, 0));
    R(cudaGraphLaunch(x, s));
    R(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost)); V(v);
    R(cudaPointerGetAttributes(&at, p)); V(at.type); V(at.device);
    usage();
    R(cudaGraphLaunch(x, s));
    R(cudaFreeAsync(p, s));
    R(cudaGraphLaunch(x, s));
    R(cudaStreamSynchronize(s));
    R(cudaFree(p));
    R(cudaFree(p));
    R(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    R(cudaStreamSynchronize(s));
    usage();
    R(cudaGraphExecDestroy(x));
    R(cudaGraphInstantiate(&x, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    R(cudaGraphLaunch(x, s));
    R(cudaGraphLaunch(x, s));
    R(cudaStreamSynchronize(s));
    R(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost)); V(v);
    usage();
    R(cudaGraphExecDestroy(x));
    R(cudaGraphDestroy(g));
    R(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost)); V(v);
    R(cudaFree(p));
    R(cudaDeviceGraphMemTrim(0));
    usage();
    used = 1;
    R(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used));
    used = 0;
    R(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used));
    R(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &used));
    R(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    R(cudaDeviceGetGraphMemAttribute(9, cudaGraphMemAttrUsedMemCurrent, &used));
    R(cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)9, &used));
    R(cudaDeviceGraphMemTrim(9));
    usage();
    // In a captured stream.
    R(cudaMalloc(&q, 4));
    R(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    R(cudaMallocAsync(&p, 64, s));
    set<<<1, 1, 0, s>>>(p, 6);
    load<<<1, 1, 0, s>>>(p, q);
    R(cudaFreeAsync(p, s));
    R(cudaFreeAsync(p, s));
    R(cudaStreamEndCapture(s, &g));
    R(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    R(cudaMallocAsync(&p, 64, s));
    set<<<1, 1, 0, s>>>(p, 6);
    load<<<1, 1, 0, s>>>(p, q);
    R(cudaFreeAsync(p, s));
    R(cudaStreamEndCapture(s, &g));
    size_t n = 9;
    R(cudaGraphGetNodes(g, nullptr, &n)); V(n);
    n = 1;
    R(cudaGraphGetRootNodes(g, nodes, &n));
    R(cudaGraphNodeGetType(nodes[0], &type)); V(type);
    R(cudaGraphInstantiate(&x, g, 0));
    R(cudaGraphLaunch(x, s));
    R(cudaGraphLaunch(x, s));
    R(cudaMemcpy(&v, q, 4, cudaMemcpyDefault)); V(v);
    usage();
    R(cudaFree(p));
    // What was allocated outside is freed in a graph.
    R(cudaMallocAsync(&p, 64, s));
    R(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    R(cudaFreeAsync(p, s));
    R(cudaStreamEndCapture(s, &g));
}

static void freedInGraph()
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    int *p;
    R(cudaStreamCreate(&s));
    R(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    R(cudaMallocAsync(&p, 64, s));
    set<<<1, 1, 0, s>>>(p, 6);
    R(cudaStreamEndCapture(s, &g));
    R(cudaGraphInstantiate(&x, g, 0));
    set<<<1, 1, 0, s>>>(p, 6);
    R(cudaStreamSynchronize(s));
}

static void freed()
{
    int *p, *q, v = 0;
    R(cudaMalloc(&p, 4 << 20));
    R(cudaFree(p));
    R(cudaFree(p));
    R(cudaMemset(p, 0, 4));
    R(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    R(cudaMalloc(&q, 64));
    R(cudaFree(q + 1));
    R(cudaFree(&v));
    R(cudaMallocAsync(&p, 64, 0));
    R(cudaFreeAsync(p, 0));
    R(cudaFreeAsync(p, 0));
    R(cudaFreeAsync(&v, 0));
    R(cudaFreeAsync(q, 0));
    R(cudaMallocAsync(&p, 64, 0));
    R(cudaFree(p));
    R(cudaMalloc(&p, 4 << 20));
    R(cudaFree(p));
}

int main(int, char **argv)
{
    static const struct { const char *name; void (*run)(); } sections[] = {
        {"virtual memory", virtualMemory}, {"accessible", accessible}, {"inaccessible", inaccessible}, {"read only", readOnly},
        {"unmapped", unmapped}, {"processes", processes}, {"processes' child", processesChild}, {"shared pools", sharedPools}, {"shared pools' child", sharedPoolsChild}, {"managed memory", managedMemory},
        {"graph memory", graphMemory}, {"freed in graph", freedInGraph}, {"freed", freed},
    };
    for (auto &s : sections)
        if (!strcmp(argv[1], s.name))
            s.run();
    return 0;
}
