// The driver API beyond what driver_codes.cpp records: copies of boxes, fills, contexts apart, options of modules, managed and
// pinned memory, streams, cooperation with the runtime API.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda.h>
#include <dlfcn.h>
#include "../../driver_more.h"
#include "check.h"

#define OK(call) WANT(CUDA_SUCCESS, call)
#define WANT(code, call)                                                                  \
    do {                                                                                  \
        CUresult code_ = (call);                                                          \
        if (code_ != (code)) {                                                            \
            const char *name_ = "?";                                                      \
            cuGetErrorName(code_, &name_);                                                \
            ++failures;                                                                   \
            printf("%s:%d: %s: %s, want %s\n", __FILE__, __LINE__, #call, name_, #code);  \
        }                                                                                 \
    } while (0)

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .attribute(.managed) .align 4 .b32 shared_counter = 3;\n"
    ".visible .entry increment(.param .u64 p)\n"
    "{\n"
    "    .reg .b64 %rd<2>;\n"
    "    .reg .b32 %r<2>;\n"
    "    ld.param.u64 %rd1, [p];\n"
    "    atom.global.add.u32 %r1, [%rd1], 1;\n"
    "    ret;\n"
    "}\n";

static size_t shared_of(int block) { return block * 4; }

// Graphs through the driver API, with the versions of its functions that older programs look up.
static void graphs(CUfunction increment, CUdeviceptr p, CUstream stream)
{
    typedef CUresult (*add_kernel)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const void *);
    typedef CUresult (*set_kernel)(CUgraphExec, CUgraphNode, const void *);
    typedef CUresult (*instantiate)(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
    add_kernel add = (add_kernel)dlsym(RTLD_DEFAULT, "cuGraphAddKernelNode");
    set_kernel set = (set_kernel)dlsym(RTLD_DEFAULT, "cuGraphExecKernelNodeSetParams");
    instantiate make = (instantiate)dlsym(RTLD_DEFAULT, "cuGraphInstantiate_v2");
    EXPECT(add && set && make);
    struct { CUfunction f; unsigned grid[3], block[3], shared; void **params, **extra; } old = {increment, {2, 1, 1}, {32, 1, 1}, 0, nullptr, nullptr};
    size_t bytes = sizeof p;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &p, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    old.extra = extra;
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode zero, kernel, copy, bad = (CUgraphNode)1;
    unsigned result = 0;
    OK(cuGraphCreate(&graph, 0));
    CUDA_MEMSET_NODE_PARAMS fill = {p, 0, 5, 4, 1, 1};
    OK(cuGraphAddMemsetNode(&zero, graph, nullptr, 0, &fill, nullptr));
    OK(add(&kernel, graph, &zero, 1, &old));
    CUDA_MEMCPY3D box = {};
    box.srcMemoryType = CU_MEMORYTYPE_DEVICE, box.srcDevice = p, box.dstMemoryType = CU_MEMORYTYPE_HOST, box.dstHost = &result;
    box.WidthInBytes = 4, box.Height = box.Depth = 1;
    OK(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &box, nullptr));
    OK(make(&exec, graph, &bad, nullptr, 0));
    EXPECT(bad == nullptr);
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT(result == 5 + 64);
    old.grid[0] = 3;
    OK(set(exec, kernel, &old));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT(result == 5 + 96);
    CUDA_KERNEL_NODE_PARAMS got;
    OK(cuGraphKernelNodeGetParams(kernel, &got));
    EXPECT(got.func == increment && got.gridDimX == 2 && *(CUdeviceptr *)got.kernelParams[0] == p);
    WANT(CUDA_ERROR_INVALID_VALUE, set(exec, copy, &old));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

static void host_function(void *p) { ++*(int *)p; }

static std::string heard;
static void hear(void *data, int level, char *message, size_t length)
{
    if (data == &heard && level == 0)
        heard = std::string(message, length);
}

// What is wrong with a call comes to a function of the program, and can be read again.
static void logs()
{
    void *handle = nullptr;
    unsigned iterator = 0;
    char text[512];
    size_t size = sizeof text;
    OK(cuLogsRegisterCallback((void *)hear, &heard, &handle));
    OK(cuLogsCurrent(&iterator, 0));
    WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(4097));
    EXPECT(heard.find("cuMemFree_v2: CUDA_ERROR_INVALID_VALUE: ") == 0);
    OK(cuLogsDumpToMemory(&iterator, text, &size, 0));
    EXPECT(size == strlen(text) && strstr(text, heard.c_str()) && text[0] == '[');
    size = sizeof text;
    OK(cuLogsDumpToMemory(&iterator, text, &size, 0));
    EXPECT(size == 0);
    OK(cuLogsUnregisterCallback(handle));
    WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(5000001));
    EXPECT(heard.find("4097") != std::string::npos || heard.find("0x1001") != std::string::npos);
    WANT(CUDA_ERROR_INVALID_VALUE, cuLogsUnregisterCallback(handle));
}

// A kernel has at most as many registers as the options of a compiler say, unless it has bounds of its own.
static void registers() {
    std::string body, sum;
    for (int i = 0; i < 40; i++) {
        std::string r = "%f" + std::to_string(i);
        body += "ld.volatile.global.f32 " + r + ", [%p+" + std::to_string(4 * i) + "];\n";
        sum += "add.f32 %s, %s, " + r + ";\n";
    }
    auto kernel = [&](const char *name, const char *bounds) {
        return std::string(".visible .entry ") + name + "(.param .u64 at) " + bounds + " {\n.reg .f32 %f<40>, %s; .reg .u64 %p;\nld.param.u64 %p, [at];\nmov.f32 %s, 0f00000000;\n" +
               body + sum + "st.global.f32 [%p], %s;\nret;\n}\n";
    };
    std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n" + kernel("plain", "") + kernel("bounded", ".maxntid 64");
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    void *limit = (void *)24;
    CUmodule free, limited;
    CUlibrary library;
    OK(cuModuleLoadDataEx(&free, text.c_str(), 0, nullptr, nullptr));
    OK(cuModuleLoadDataEx(&limited, text.c_str(), 1, &option, &limit));
    OK(cuLibraryLoadData(&library, text.c_str(), &option, &limit, 1, nullptr, nullptr, 0));
    auto of = [](CUmodule m, const char *name) {
        CUfunction f;
        int n = 0;
        OK(cuModuleGetFunction(&f, m, name));
        OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
        return n;
    };
    CUkernel k;
    int n = 0;
    OK(cuLibraryGetKernel(&k, library, "plain"));
    OK(cuKernelGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 0));
    EXPECT(of(free, "plain") > 40 && of(limited, "plain") == 24 && n == 24);
    EXPECT(of(limited, "bounded") == of(free, "bounded"));
    OK(cuModuleUnload(free));
    OK(cuModuleUnload(limited));
    OK(cuLibraryUnload(library));
}

int main()
{
    OK(cuInit(0));
    CUdevice device;
    CUcontext context, other;
    OK(cuDeviceGet(&device, 0));
    char name[64], bus[16];
    OK(cuDeviceGetName(name, sizeof name, device));
    OK(cuDeviceGetPCIBusId(bus, sizeof bus, device));
    CUdevice found = -1;
    OK(cuDeviceGetByPCIBusId(&found, bus));
    EXPECT(found == device);
    int major = 0, minor = -1, value = 0;
    OK(cuDeviceComputeCapability(&major, &minor, device));
    EXPECT(major == 9 && minor == 0);
    OK(cuCtxCreate(&context, CU_CTX_SCHED_YIELD, device));
    unsigned flags = 0;
    OK(cuCtxGetFlags(&flags));
    EXPECT((flags & 7) == CU_CTX_SCHED_YIELD);

    logs();

    // Boxes.
    std::vector<unsigned char> source(600), back(4096);
    for (size_t i = 0; i < source.size(); ++i) source[i] = (unsigned char)i;
    CUdeviceptr p;
    OK(cuMemAlloc(&p, 4096));
    OK(cuMemsetD32(p, 0xeeeeeeee, 1024));
    CUDA_MEMCPY2D box = {};
    box.srcMemoryType = CU_MEMORYTYPE_HOST;
    box.srcHost = source.data();
    box.srcPitch = 30;
    box.srcXInBytes = 2;
    box.srcY = 1;
    box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    box.dstDevice = p;
    box.dstPitch = 64;
    box.dstXInBytes = 5;
    box.dstY = 3;
    box.WidthInBytes = 20;
    box.Height = 7;
    OK(cuMemcpy2D(&box));
    OK(cuMemcpyDtoH(back.data(), p, 4096));
    for (int i = 0; i < 4096; ++i) {
        int x = i % 64 - 5, y = i / 64 - 3;
        EXPECT(back[i] == (x >= 0 && x < 20 && y >= 0 && y < 7 ? source[(y + 1) * 30 + x + 2] : 0xee));
    }
    CUDA_MEMCPY3D cube = {};
    cube.srcMemoryType = CU_MEMORYTYPE_HOST;
    cube.srcHost = source.data();
    cube.srcPitch = 10;
    cube.srcHeight = 6;
    cube.srcZ = 1;
    cube.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    cube.dstDevice = p;
    cube.dstPitch = 16;
    cube.dstHeight = 8;
    cube.dstY = 2;
    cube.WidthInBytes = 10;
    cube.Height = 6;
    cube.Depth = 4;
    OK(cuMemsetD8(p, 0, 4096));
    OK(cuMemcpy3D(&cube));
    OK(cuMemcpyDtoH(back.data(), p, 4096));
    for (int z = 0; z < 4; ++z)
        for (int y = 0; y < 6; ++y) EXPECT(!memcmp(&back[(z * 8 + y + 2) * 16], &source[((z + 1) * 6 + y) * 10], 10));
    box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    WANT(CUDA_ERROR_INVALID_HANDLE, cuMemcpy2D(&box));
    box.dstMemoryType = (CUmemorytype)9;
    WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&box));
    OK(cuMemsetD2D16(p, 64, 0x1234, 5, 3));
    OK(cuMemsetD2D32Async(p + 1024, 64, 7, 5, 3, nullptr));
    OK(cuMemcpyDtoH(back.data(), p, 4096));
    EXPECT(back[128] == 0x34 && back[129] == 0x12 && back[137] == 0x12 && back[1024 + 128] == 7);

    // Modules: the log of a module that is wrong, a managed variable, functions have one handle.
    CUmodule module;
    char log[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    WANT(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, ".version 7.0\n.target sm_70\n.address_size 64\n.entry f() { wrong; }\n", 2, options, values));
    EXPECT(strstr(log, "wrong") && (size_t)values[1] == strlen(log));
    registers();
    char info[16] = "as it was";
    CUjit_option informing[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE};
    void *informed[] = {info, (void *)sizeof info, (void *)1};
    OK(cuModuleLoadDataEx(&module, ptx, 3, informing, informed));
    EXPECT(info[0] == 0 && informed[1] == nullptr);
    CUfunction f, again;
    OK(cuModuleGetFunction(&f, module, "increment"));
    OK(cuModuleGetFunction(&again, module, "increment"));
    graphs(f, p, CU_STREAM_PER_THREAD);
    EXPECT(f == again);
    CUmodule of;
    OK(cuFuncGetModule(&of, f));
    EXPECT(of == module);
    const char *text = "";
    OK(cuFuncGetName(&text, f));
    EXPECT(!strcmp(text, "increment"));
    CUdeviceptr counter;
    OK(cuModuleGetGlobal(&counter, nullptr, module, "shared_counter"));
    EXPECT(*(int *)counter == 3); // the host reads it where it is
    unsigned char managed = 0;
    OK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, counter));
    EXPECT(managed);
    void *params[] = {&counter};
    OK(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr));
    OK(cuCtxSynchronize());
    EXPECT(*(int *)counter == 131);
    OK(cuLaunchCooperativeKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, params));
    WANT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cuLaunchCooperativeKernel(f, 100000, 1, 1, 32, 1, 1, 0, nullptr, params));
    int grid = 0, block = 0;
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, shared_of, 0, 0));
    EXPECT(block == 1024 && grid == 264);
    FILE *file = fopen("driver_api.ptx", "w");
    if (file) {
        fputs(ptx, file);
        fclose(file);
        CUmodule loaded;
        OK(cuModuleLoad(&loaded, "driver_api.ptx"));
        OK(cuModuleUnload(loaded));
        remove("driver_api.ptx");
    }
    OK(cuModuleUnload(module));
    WANT(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
    WANT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));

    // Host memory.
    void *pinned;
    OK(cuMemAllocHost(&pinned, 100));
    OK(cuMemHostGetFlags(&flags, pinned));
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_HOST_POINTER};
    unsigned type = 0;
    void *at = nullptr, *answers[] = {&type, &at};
    OK(cuPointerGetAttributes(2, wanted, answers, (CUdeviceptr)pinned));
    EXPECT(type == CU_MEMORYTYPE_HOST && at == pinned);
    OK(cuPointerGetAttributes(2, wanted, answers, 64));
    EXPECT(type == 0 && at == nullptr);
    OK(cuMemFreeHost(pinned));
    OK(cuMemHostRegister(source.data(), source.size(), 0));
    OK(cuMemHostUnregister(source.data()));

    // Streams.
    CUstream stream;
    OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -2));
    OK(cuStreamGetPriority(stream, &value));
    EXPECT(value == -2);
    int calls = 0;
    OK(cuLaunchHostFunc(stream, host_function, &calls));
    OK(cuMemcpyDtoHAsync(back.data(), p, 16, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT(calls == 1);

    // Streams work whichever context is current, and one context ends without the other.
    OK(cuCtxCreate(&other, 0, device));
    CUdeviceptr q;
    OK(cuMemAlloc(&q, 64));
    OK(cuStreamSynchronize(stream));
    OK(cuMemsetD8(p, 0, 4)); // of the same device
    CUcontext current;
    OK(cuCtxPopCurrent(&current));
    EXPECT(current == other);
    OK(cuStreamSynchronize(stream));
    OK(cuCtxDestroy(other));
    OK(cuCtxPushCurrent(other));
    WANT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemFree(p));
    OK(cuCtxPopCurrent(&current));
    OK(cuMemFree(p));

    // The runtime API works in the context that the driver API made current.
    void *r;
    CHECK(cudaMalloc(&r, 64));
    OK(cuMemFree((CUdeviceptr)r));
    CUdeviceptr reserved;
    OK(cuMemAddressReserve(&reserved, 2 << 20, 0, 0, 0));
    OK(cuCtxDestroy(context)); // the only one
    OK(cuMemAddressFree(reserved, 2 << 20));
    WANT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    CHECK(cudaMalloc(&r, 64)); // now in the primary one
    OK(cuCtxGetCurrent(&current));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    EXPECT(current == context);
    OK(cuMemFree((CUdeviceptr)r));

    // What is freed is found by its address, and pools are a device's: neither needs a current context.
    CUmemPoolProps props = {};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    props.maxSize = 1 << 20;
    CUmemoryPool pool;
    void *host;
    OK(cuMemAlloc(&p, 64));
    OK(cuMemAllocHost(&host, 64));
    OK(cuCtxPopCurrent(&context));
    OK(cuMemFree(p));

    // So is virtual memory the process's.
    CUmemAllocationProp virtualProps = {};
    virtualProps.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    virtualProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    virtualProps.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    size_t granularity;
    OK(cuMemGetAllocationGranularity(&granularity, &virtualProps, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CUmemGenericAllocationHandle physical;
    OK(cuMemCreate(&physical, granularity, &virtualProps, 0));
    virtualProps = {};
    OK(cuMemGetAllocationPropertiesFromHandle(&virtualProps, physical));
    EXPECT(virtualProps.allocFlags.compressionType == CU_MEM_ALLOCATION_COMP_GENERIC);
    OK(cuMemAddressReserve(&p, granularity, 0, 0, 0));
    OK(cuMemMap(p, granularity, 0, physical, 0));
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, {0}}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    OK(cuMemSetAccess(p, granularity, &access, 1));
    OK(cuMemRelease(physical));
    OK(cuCtxPushCurrent(other)); // which was destroyed
    OK(cuMemUnmap(p, granularity));
    OK(cuMemAddressFree(p, granularity));
    OK(cuCtxPopCurrent(&current));
    WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
    WANT(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 64));
    OK(cuMemFreeHost(host));
    OK(cuMemPoolCreate(&pool, &props));
    OK(cuCtxPushCurrent(context));
    OK(cuMemAllocFromPoolAsync(&p, 1 << 19, pool, nullptr));
    WANT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&p, 1 << 20, pool, nullptr));
    OK(cuMemFreeAsync(p, nullptr));
    OK(cuMemPoolDestroy(pool));
    return failures;
}
