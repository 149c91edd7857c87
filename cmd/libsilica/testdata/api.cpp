// What functions of the driver API answer that programs find by name: newer ones, and forms of older ones. Each section, the argument,
// is a process. Compiled on an NVIDIA H200, driver 580, CUDA 13.0, this program wrote api.h200.txt. The functions are looked up by
// their symbols, so that no version of a header gives them other names.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>
#include <initializer_list>
#include <thread>
#include <unistd.h>

typedef unsigned long long u64;

static const char *name(int r)
{
    const char *s = nullptr;
    auto f = (CUresult(*)(CUresult, const char **))dlsym(RTLD_DEFAULT, "cuGetErrorName");
    return f((CUresult)r, &s) == CUDA_SUCCESS ? s + 5 : "?";
}

template <class... A> static int call(const char *symbol, A... a)
{
    auto f = (int (*)(A...))dlsym(RTLD_DEFAULT, symbol);
    return f ? f(a...) : 98989;
}

// Calls that answer a code; values.
#define R(symbol, ...) printf(#symbol "(" #__VA_ARGS__ "): %s\n", name(call(#symbol, ##__VA_ARGS__)))
#define V(expression) printf("%s = %lld\n", #expression, (long long)(expression))
#define OK(symbol, ...)                                                                                                                    \
    do {                                                                                                                                   \
        int code = call(#symbol, ##__VA_ARGS__);                                                                                           \
        if (code)                                                                                                                          \
            printf("line %d, " #symbol ": %s\n", __LINE__, name(code));                                                                    \
    } while (0)

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".global .align 4 .b32 counter = 5;\n"
    ".visible .entry add(.param .u64 p, .param .u32 v)\n"
    "{\n    .reg .b64 %rd<3>;\n    .reg .b32 %r<4>;\n    ld.param.u64 %rd1, [p];\n    ld.param.u32 %r1, [v];\n"
    "    atom.global.add.u32 %r2, [%rd1], %r1;\n    ret;\n}\n"
    ".visible .entry nothing()\n{\n    ret;\n}\n";

static CUdevice device;
static CUcontext context;
static CUstream stream, other;
static CUmodule module_;
static CUfunction add, nothing;
static CUdeviceptr p;
static uint32_t *host;
static const size_t zero = 0, one = 1, two = 2;

static void begin()
{
    OK(cuCtxCreate_v2, &context, 0u, device);
    OK(cuStreamCreate, &stream, 1u);
    OK(cuStreamCreate, &other, 1u);
    OK(cuModuleLoadData, &module_, ptx);
    OK(cuModuleGetFunction, &add, module_, "add");
    OK(cuModuleGetFunction, &nothing, module_, "nothing");
    OK(cuMemAlloc_v2, &p, (size_t)4096);
    OK(cuMemsetD8_v2, p, (unsigned char)0, (size_t)4096);
    OK(cuMemAllocHost_v2, (void **)&host, (size_t)4096);
    memset(host, 0, 4096);
}

static uint32_t word(CUdeviceptr at)
{
    uint32_t v = 0;
    OK(cuMemcpyDtoH_v2, (void *)&v, at, (size_t)4);
    return v;
}

static void libraries()
{
    CUlibrary l = nullptr, l2 = nullptr;
    CUkernel k = nullptr, k2 = nullptr, all[4] = {};
    CUfunction f = nullptr, f2 = nullptr;
    CUmodule m = nullptr;
    CUdeviceptr g = 0;
    size_t size = 0, offset = 0;
    unsigned n = 0;
    int value = -1, state = -1;
    const char *text = nullptr;
    void *none = nullptr;
    R(cuLibraryLoadData, &l, ptx, none, none, 0u, none, none, 0u);
    R(cuLibraryLoadData, &l2, ".version 7.0\n.target sm_70\n.visible .entry x() { wrong }\n", none, none, 0u, none, none, 0u);
    R(cuLibraryLoadData, &l2, "nonsense", none, none, 0u, none, none, 0u);
    R(cuLibraryLoadData, &l2, none, none, none, 0u, none, none, 0u);
    R(cuLibraryLoadFromFile, &l2, "/nonexistent", none, none, 0u, none, none, 0u);
    R(cuLibraryGetKernelCount, &n, l); V(n);
    R(cuLibraryEnumerateKernels, all, 4u, l); V(all[0] != nullptr && all[1] != nullptr && all[2] == nullptr);
    R(cuLibraryGetKernel, &k, l, "add"); V(k == all[0] || k == all[1]);
    R(cuLibraryGetKernel, &k2, l, "missing");
    R(cuLibraryGetKernel, &k2, l, none);
    R(cuKernelGetName, &text, k); printf("%s\n", text ? text : "-");
    CUlibrary of = nullptr;
    R(cuKernelGetLibrary, &of, k); V(of == l);
    R(cuKernelGetParamInfo, k, zero, &offset, &size); V(size);
    R(cuKernelGetParamInfo, k, one, &offset, &size); V(offset); V(size);
    R(cuKernelGetParamInfo, k, two, &offset, &size);
    R(cuKernelGetParamInfo, k, one, &offset, none);
    R(cuKernelGetAttribute, &value, (int)CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, device); V(value);
    R(cuKernelGetAttribute, &value, (int)CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 99);
    R(cuKernelSetAttribute, (int)CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536, k, device);
    R(cuKernelGetAttribute, &value, (int)CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, k, device); V(value);
    R(cuKernelSetCacheConfig, k, 1, device);
    R(cuLibraryGetModule, &m, l);
    R(cuLibraryGetGlobal, &g, &size, l, "counter");
    R(cuKernelGetFunction, &f, k);
    begin();
    R(cuLibraryGetModule, &m, l); V(m != nullptr);
    R(cuLibraryGetGlobal, &g, &size, l, "counter"); V(size); V(word(g));
    R(cuLibraryGetGlobal, &g, &size, l, "missing");
    R(cuLibraryGetManaged, &g, &size, l, "counter");
    R(cuKernelGetFunction, &f, k); V(f != nullptr);
    R(cuFuncIsLoaded, &state, f); V(state == 0 || state == 1);
    R(cuFuncLoad, f);
    R(cuFuncIsLoaded, &state, f); V(state);
    R(cuFuncIsLoaded, none, f);
    R(cuFuncGetAttribute, &value, (int)CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f); V(value);
    uint32_t v = 3;
    void *arguments[] = {&p, &v};
    R(cuLaunchKernel, f, 1u, 1u, 1u, 1u, 1u, 1u, 0u, stream, arguments, none);
    R(cuLaunchKernel, (CUfunction)k, 1u, 1u, 1u, 2u, 1u, 1u, 0u, stream, arguments, none);
    R(cuStreamSynchronize, stream); V(word(p));
    R(cuFuncGetName, &text, (CUfunction)k);
    CUcontext first = context, second = nullptr;
    R(cuCtxCreate_v2, &second, 0u, device);
    R(cuKernelGetFunction, &f2, k); V(f2 != f);
    CUdeviceptr g2 = 0;
    OK(cuCtxSetCurrent, first); OK(cuLibraryGetGlobal, &g, &size, l, "counter");
    OK(cuCtxSetCurrent, second); OK(cuLibraryGetGlobal, &g2, &size, l, "counter"); V(g != g2);
    OK(cuCtxSetCurrent, first);
    R(cuCtxDestroy_v2, second);
    R(cuLibraryUnload, l);
    R(cuLibraryUnload, none);
    R(cuLibraryGetKernel, &k2, none, "add");
}

static void contexts()
{
    u64 id = 0, id2 = 0;
    unsigned flags = 0;
    int value = -1;
    void *none = nullptr;
    CUcontext c = nullptr;
    CUdevice d = -1;
    R(cuCtxGetId, c, &id);
    R(cuCtxSetFlags, 4u);
    R(cuCtxGetDevice_v2, &d, c);
    R(cuCtxSynchronize_v2, c);
    begin();
    R(cuCtxGetId, c, &id); R(cuCtxGetId, context, &id2); V(id == id2);
    R(cuCtxGetId, context, none);
    R(cuCtxSetFlags, 4u); R(cuCtxGetFlags, &flags); V(flags);
    R(cuCtxSetFlags, 3u); R(cuCtxSetFlags, 0x1000u);
    R(cuCtxSetFlags, 0u); R(cuCtxGetFlags, &flags); V(flags);
    R(cuCtxGetDevice_v2, &d, context); V(d);
    R(cuCtxGetDevice_v2, &d, c);
    R(cuCtxSynchronize_v2, context); R(cuCtxSynchronize_v2, c);
    CUevent e = nullptr;
    OK(cuEventCreate, &e, 0u);
    R(cuCtxRecordEvent, context, e);
    R(cuEventSynchronize, e);
    R(cuCtxWaitEvent, context, e);
    R(cuCtxRecordEvent, c, e); R(cuCtxWaitEvent, c, e);
    R(cuCtxRecordEvent, context, none); R(cuCtxWaitEvent, context, none);
    R(cuCtxResetPersistingL2Cache);
    R(cuFlushGPUDirectRDMAWrites, 0, 100); R(cuFlushGPUDirectRDMAWrites, 0, 200); R(cuFlushGPUDirectRDMAWrites, 0, 300); R(cuFlushGPUDirectRDMAWrites, 1, 100);
    R(cuDeviceGetExecAffinitySupport, &value, 0, device); V(value);
    R(cuDeviceGetExecAffinitySupport, &value, 1, device);
    struct { int type; unsigned count; } affinity = {7, 7};
    R(cuCtxGetExecAffinity, &affinity, 0); V(affinity.type); V(affinity.count);
    char luid[8] = {1};
    unsigned mask = 7;
    R(cuDeviceGetLuid, luid, &mask, device);
    size_t width = 0;
    R(cuDeviceGetTexture1DLinearMaxWidth, &width, (int)CU_AD_FORMAT_FLOAT, 4u, device); V(width);
    R(cuDeviceGetTexture1DLinearMaxWidth, &width, (int)CU_AD_FORMAT_UNSIGNED_INT8, 1u, device); V(width);
    R(cuDeviceGetTexture1DLinearMaxWidth, &width, 99, 1u, device);
    R(cuDeviceGetTexture1DLinearMaxWidth, &width, (int)CU_AD_FORMAT_FLOAT, 3u, device);
    R(cuProfilerInitialize, "a", "b", 1);
    struct { int a, b[3], c[3], sharedMem, constMem, warp, pitch, regs, clock, align; } properties = {};
    R(cuDeviceGetProperties, &properties, device);
    V(properties.a); V(properties.b[0]); V(properties.c[0]); V(properties.sharedMem); V(properties.constMem); V(properties.warp); V(properties.pitch); V(properties.regs); V(properties.align);
    CUuuid u1 = {}, u2 = {};
    R(cuDeviceGetUuid, &u1, device); R(cuDeviceGetUuid_v2, &u2, device); V(!memcmp(&u1, &u2, 16));
    unsigned capabilities[8] = {};
    int operations[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    R(cuDeviceGetHostAtomicCapabilities, capabilities, operations, 8u, device);
    for (unsigned x : capabilities) V(x);
    R(cuDeviceGetAttribute, &value, 132, device); V(value);
    R(cuCtxPopCurrent, &c); V(c == context); R(cuCtxPushCurrent, c);
    R(cuDevicePrimaryCtxSetFlags, device, 0u);
    R(cuDevicePrimaryCtxRelease, device);
    CUcontext s1 = nullptr; void *green = (void *)1;
    R(cuStreamGetCtx_v2, stream, &s1, &green); V(s1 == context); V(green == nullptr);
    R(cuStreamGetDevice, stream, &d); V(d);
    R(cuStreamGetGreenCtx, stream, &green); V(green == nullptr);
}

static void attributes()
{
    begin();
    unsigned char value[64], get[64];
    void *none = nullptr;
    for (int id = 0; id < 16; ++id) {
        memset(get, 0xee, 64);
        int code = call("cuStreamGetAttribute", stream, id, (void *)get);
        printf("get %d: %s", id, name(code));
        for (int i = 0; i < 32; ++i) if (!code) printf(" %02x", get[i]);
        memset(value, 0, 64);
        if (id == 3) value[0] = 2;
        if (id == 9) value[0] = 1, value[1] = 0;
        if (id == 10) value[0] = 1;
        if (id == 8) value[0] = 0xfe, memset(value + 1, 0xff, 3);
        code = call("cuStreamSetAttribute", stream, id, (void *)value);
        printf("\nset %d: %s", id, name(code));
        memset(get, 0xee, 64);
        code = call("cuStreamGetAttribute", stream, id, (void *)get);
        printf(", get: %s", name(code));
        for (int i = 0; i < 8; ++i) if (!code) printf(" %02x", get[i]);
        printf("\n");
    }
    int priority = 99;
    R(cuStreamGetPriority, stream, &priority); V(priority);
    R(cuStreamCopyAttributes, other, stream);
    R(cuStreamGetAttribute, other, 3, (void *)get); V(get[0]);
    memset(value, 9, 64); R(cuStreamSetAttribute, stream, 3, (void *)value);
    R(cuStreamCopyAttributes, other, (CUstream)0);
    CUgraph g = nullptr;
    CUgraphNode k = nullptr, k2 = nullptr, m = nullptr;
    OK(cuGraphCreate, &g, 0u);
    CUDA_KERNEL_NODE_PARAMS kp = {};
    kp.func = nothing; kp.gridDimX = kp.gridDimY = kp.gridDimZ = kp.blockDimX = kp.blockDimY = kp.blockDimZ = 1;
    OK(cuGraphAddKernelNode_v2, &k, g, none, zero, &kp);
    OK(cuGraphAddKernelNode_v2, &k2, g, none, zero, &kp);
    OK(cuGraphAddEmptyNode, &m, g, none, zero);
    for (int id = 0; id < 16; ++id) {
        if (id == 13)
            continue;
        memset(get, 0xee, 64);
        int code = call("cuGraphKernelNodeGetAttribute", k, id, (void *)get);
        printf("get %d: %s", id, name(code));
        for (int i = 0; i < 32; ++i) if (!code) printf(" %02x", get[i]);
        memset(value, 0, 64);
        if (id == 4 || id == 11) value[0] = value[4] = value[8] = 1;
        if (id == 8) value[0] = 0xfe, memset(value + 1, 0xff, 3);
        if (id == 2) value[0] = 1;
        if (id == 9) value[0] = 1;
        code = call("cuGraphKernelNodeSetAttribute", k, id, (void *)value);
        printf("\nset %d: %s", id, name(code));
        memset(get, 0xee, 64);
        code = call("cuGraphKernelNodeGetAttribute", k, id, (void *)get);
        printf(", get: %s", name(code));
        for (int i = 0; i < 12; ++i) if (!code) printf(" %02x", get[i]);
        printf("\n");
    }
    R(cuGraphKernelNodeCopyAttributes, k2, k);
    R(cuGraphKernelNodeGetAttribute, k2, 8, (void *)get); V((signed char)get[0]);
    R(cuGraphKernelNodeCopyAttributes, k2, m);
    R(cuGraphKernelNodeGetAttribute, m, 8, (void *)get);
    R(cuGraphKernelNodeSetAttribute, m, 8, (void *)get);
    R(cuGraphKernelNodeSetParams_v2, k2, &kp);
    R(cuGraphKernelNodeGetAttribute, k2, 8, (void *)get); V((signed char)get[0]);
}

static void words()
{
    begin();
    void *none = nullptr;
    uint32_t *pageable = (uint32_t *)malloc(4096);
    CUdeviceptr h = (CUdeviceptr)host, managed = 0;
    OK(cuMemAllocManaged, &managed, (size_t)4096, 1u);
    R(cuStreamWriteValue32_v2, stream, p, 7u, 0u); R(cuStreamWriteValue32_v2, stream, p + 4, 8u, 1u);
    R(cuStreamWriteValue32_v2, stream, p + 1, 7u, 0u); R(cuStreamWriteValue32_v2, stream, p, 7u, 2u);
    R(cuStreamWriteValue32_v2, stream, h, 9u, 0u); R(cuStreamWriteValue32_v2, stream, managed, 9u, 0u);
    R(cuStreamWriteValue32_v2, stream, (CUdeviceptr)pageable, 9u, 0u); R(cuStreamWriteValue32_v2, stream, (CUdeviceptr)0, 9u, 0u);
    R(cuStreamWriteValue64_v2, stream, p + 8, (u64)10, 0u); R(cuStreamWriteValue64_v2, stream, p + 12, (u64)10, 0u);
    R(cuStreamWriteValue32_v2, (CUstream)0, p + 16, 11u, 0u); R(cuStreamWriteValue32_v2, (CUstream)1, p + 20, 12u, 0u);
    R(cuStreamWriteValue32, stream, p + 24, 13u, 0u);
    R(cuCtxSynchronize);
    V(word(p)); V(word(p + 4)); V(host[0]); V(*(uint32_t *)managed); V(word(p + 8)); V(word(p + 16)); V(word(p + 20)); V(word(p + 24));
    R(cuStreamWaitValue32_v2, stream, p, 7u, 0u); R(cuStreamWaitValue32_v2, stream, p, 6u, 0u); R(cuStreamWaitValue32_v2, stream, p, 0xfffffff0u, 0u);
    R(cuStreamWaitValue32_v2, stream, p, 7u, 1u); R(cuStreamWaitValue32_v2, stream, p, 4u, 2u); R(cuStreamWaitValue32_v2, stream, p, 8u, 3u);
    R(cuStreamWaitValue32_v2, stream, p, 7u, 4u); R(cuStreamWaitValue32_v2, stream, p, 7u, 0x40000000u); R(cuStreamWaitValue32_v2, stream, p + 2, 7u, 0u);
    R(cuStreamWaitValue64_v2, stream, p + 8, (u64)10, 1u); R(cuStreamWaitValue64_v2, stream, p + 4, (u64)10, 1u);
    R(cuStreamWaitValue32, stream, p, 7u, 1u);
    R(cuStreamSynchronize, stream);
    R(cuStreamWaitValue32_v2, stream, h + 64, 5u, 1u);
    R(cuStreamQuery, stream);
    R(cuStreamWriteValue32_v2, other, h + 64, 5u, 0u);
    R(cuStreamSynchronize, stream);
    R(cuStreamWaitValue32_v2, stream, h + 68, 5u, 0u);
    *(volatile uint32_t *)(host + 17) = 6;
    R(cuStreamSynchronize, stream);
    static CUstreamBatchMemOpParams ops[300];
    auto set = [&](int i, int operation, CUdeviceptr at, u64 value, unsigned flags) {
        memset(&ops[i], 0, sizeof ops[i]);
        ops[i].writeValue.operation = (CUstreamBatchMemOpType)operation;
        ops[i].writeValue.address = at;
        ops[i].writeValue.value64 = value;
        ops[i].writeValue.flags = flags;
    };
    auto barrier = [&](int i, int operation, unsigned flags) {
        memset(&ops[i], 0, sizeof ops[i]);
        ops[i].memoryBarrier.operation = (CUstreamBatchMemOpType)operation;
        ops[i].memoryBarrier.flags = flags;
    };
    for (int i = 0; i < 300; ++i) set(i, 2, p + 256 + 4 * i, i, 0);
    R(cuStreamBatchMemOp_v2, stream, 0u, ops, 0u); R(cuStreamBatchMemOp_v2, stream, 256u, ops, 0u); R(cuStreamBatchMemOp_v2, stream, 257u, ops, 0u);
    R(cuStreamBatchMemOp_v2, stream, 1u, ops, 1u);
    set(0, 2, p + 512, 21, 0); set(1, 1, p + 512, 21, 1); set(2, 5, p + 520, 22, 0); set(3, 4, p + 520, 22, 1); barrier(4, 6, 0); barrier(5, 6, 1);
    R(cuStreamBatchMemOp_v2, stream, 6u, ops, 0u);
    R(cuStreamBatchMemOp, stream, 1u, ops, 0u);
    barrier(0, 6, 2); R(cuStreamBatchMemOp_v2, stream, 1u, ops, 0u);
    barrier(0, 3, 0); R(cuStreamBatchMemOp_v2, stream, 1u, ops, 0u);
    barrier(0, 99, 0); R(cuStreamBatchMemOp_v2, stream, 1u, ops, 0u);
    set(0, 2, p + 513, 1, 0); R(cuStreamBatchMemOp_v2, stream, 1u, ops, 0u);
    R(cuStreamSynchronize, stream); V(word(p + 512)); V(word(p + 520)); V(word(p + 256 + 4 * 200));
    CUgraph g = nullptr;
    CUgraphNode nodes[8] = {}, n = nullptr;
    CUgraphExec x = nullptr;
    size_t count = 8;
    int type = -1;
    OK(cuStreamBeginCapture_v2, stream, 0);
    R(cuStreamWriteValue32_v2, stream, p + 600, 31u, 0u); R(cuStreamWaitValue32_v2, stream, p + 600, 31u, 1u);
    R(cuStreamEndCapture, stream, &g);
    R(cuGraphGetNodes, g, nodes, &count); V(count);
    R(cuGraphNodeGetType, nodes[0], &type); V(type);
    CUDA_BATCH_MEM_OP_NODE_PARAMS b = {}, got = {};
    set(0, 2, p + 604, 41, 0); set(1, 1, p + 604, 41, 1);
    b.ctx = context; b.count = 2; b.paramArray = ops;
    R(cuGraphAddBatchMemOpNode, &n, g, nodes, one, &b);
    R(cuGraphBatchMemOpNodeGetParams, n, &got); V(got.count); V(got.flags); V(got.ctx == context);
    if (got.paramArray) { V(got.paramArray[1].waitValue.operation); V(got.paramArray[1].waitValue.value); V(got.paramArray[1].waitValue.flags); V(got.paramArray[0].writeValue.address == p + 604); }
    R(cuGraphInstantiateWithFlags, &x, g, (u64)0); R(cuGraphLaunch, x, stream); R(cuStreamSynchronize, stream); V(word(p + 604));
    set(0, 2, p + 604, 51, 0); b.count = 1;
    R(cuGraphExecBatchMemOpNodeSetParams, x, n, &b); R(cuGraphLaunch, x, stream); R(cuStreamSynchronize, stream); V(word(p + 604));
    R(cuGraphBatchMemOpNodeSetParams, n, &b); R(cuGraphBatchMemOpNodeGetParams, n, &got); V(got.count);
    b.count = 0; R(cuGraphBatchMemOpNodeSetParams, n, &b); R(cuGraphAddBatchMemOpNode, &n, g, none, zero, &b);
    b.count = 1; b.flags = 1; R(cuGraphBatchMemOpNodeSetParams, n, &b);
    R(cuGraphBatchMemOpNodeGetParams, none, &got);
}

// What a call answers while a stream is captured, what becomes of the capture, and what its end answers.
template <class F> static void during(const char *what, int mode, F f)
{
    CUgraph g = nullptr;
    int status = -1;
    CUevent e = nullptr;
    OK(cuEventCreate, &e, 0u);
    OK(cuStreamBeginCapture_v2, stream, mode);
    OK(cuEventRecord, e, stream);
    int code = f(e), after = call("cuStreamIsCapturing", stream, &status), end = call("cuStreamEndCapture", stream, &g);
    printf("%s, mode %d: %s; %s %d; %s\n", what, mode, name(code), name(after), status, name(end));
    if (g) OK(cuGraphDestroy, g);
    OK(cuEventDestroy_v2, e);
}

static void captures()
{
    begin();
    CUdeviceptr q = 0;
    CUstream blocking = nullptr;
    OK(cuStreamCreate, &blocking, 0u);
    CUevent before = nullptr;
    OK(cuEventCreate, &before, 0u);
    OK(cuEventRecord, before, other);
    for (int mode = 0; mode < 3; ++mode) {
        during("cuMemAlloc", mode, [&](CUevent) { return call("cuMemAlloc_v2", &q, (size_t)64); });
        during("cuMemFree", mode, [&](CUevent) { CUdeviceptr r = q; q = 0; return r ? call("cuMemFree_v2", r) : call("cuMemFree_v2", (CUdeviceptr)0); });
        during("cuMemAlloc in another thread", mode, [&](CUevent) { int code = -1; std::thread t([&] { call("cuCtxSetCurrent", context); CUdeviceptr r = 0; code = call("cuMemAlloc_v2", &r, (size_t)64); }); t.join(); return code; });
        during("cuStreamSynchronize", mode, [&](CUevent) { return call("cuStreamSynchronize", stream); });
        during("cuStreamSynchronize of another", mode, [&](CUevent) { return call("cuStreamSynchronize", other); });
        during("cuStreamQuery", mode, [&](CUevent) { return call("cuStreamQuery", stream); });
        during("cuStreamQuery of another", mode, [&](CUevent) { return call("cuStreamQuery", other); });
        during("cuStreamQuery of the legacy stream", mode, [&](CUevent) { return call("cuStreamQuery", (CUstream)0); });
        during("cuCtxSynchronize", mode, [&](CUevent) { return call("cuCtxSynchronize"); });
        during("cuEventQuery", mode, [&](CUevent e) { return call("cuEventQuery", e); });
        during("cuEventSynchronize", mode, [&](CUevent e) { return call("cuEventSynchronize", e); });
        during("cuEventQuery of another", mode, [&](CUevent) { return call("cuEventQuery", before); });
        during("cuEventSynchronize of another", mode, [&](CUevent) { return call("cuEventSynchronize", before); });
        during("cuStreamWaitEvent of another", mode, [&](CUevent) { return call("cuStreamWaitEvent", stream, before, 0u); });
        during("cuStreamWaitEvent in another stream", mode, [&](CUevent e) { return call("cuStreamWaitEvent", other, e, 0u); });
        during("cuStreamWaitEvent in the legacy stream", mode, [&](CUevent e) { return call("cuStreamWaitEvent", (CUstream)0, e, 0u); });
        during("cuMemcpyDtoH", mode, [&](CUevent) { return call("cuMemcpyDtoH_v2", (void *)host, p, (size_t)4); });
        during("cuMemsetD8", mode, [&](CUevent) { return call("cuMemsetD8_v2", p, (unsigned char)0, (size_t)4); });
        during("cuMemsetD8Async in the legacy stream", mode, [&](CUevent) { return call("cuMemsetD8Async", p, (unsigned char)0, (size_t)4, (CUstream)0); });
        during("cuMemsetD8Async in another stream", mode, [&](CUevent) { return call("cuMemsetD8Async", p, (unsigned char)0, (size_t)4, other); });
        during("cuMemcpyDtoHAsync to pageable memory", mode, [&](CUevent) { int x; return call("cuMemcpyDtoHAsync_v2", (void *)&x, p, (size_t)4, stream); });
        during("cuModuleLoadData", mode, [&](CUevent) { CUmodule m; return call("cuModuleLoadData", &m, ptx); });
        during("cuStreamCreate", mode, [&](CUevent) { CUstream s; return call("cuStreamCreate", &s, 1u); });
        during("cuEventCreate", mode, [&](CUevent) { CUevent e; return call("cuEventCreate", &e, 0u); });
        during("cuMemAllocHost", mode, [&](CUevent) { void *r; return call("cuMemAllocHost_v2", &r, (size_t)64); });
        during("cuStreamBeginCapture again", mode, [&](CUevent) { return call("cuStreamBeginCapture_v2", stream, mode); });
        during("cuStreamBeginCapture in another thread", mode, [&](CUevent) { int code = -1; std::thread t([&] { call("cuCtxSetCurrent", context); CUgraph g; code = call("cuStreamEndCapture", stream, &g); }); t.join(); return code; });
        during("cuStreamDestroy of another", mode, [&](CUevent) { CUstream s; call("cuStreamCreate", &s, 1u); return call("cuStreamDestroy_v2", s); });
        during("cuStreamAddCallback", mode, [&](CUevent) { return call("cuStreamAddCallback", stream, (CUstreamCallback)[](CUstream, CUresult, void *) {}, (void *)nullptr, 0u); });
        during("cuStreamAttachMemAsync", mode, [&](CUevent) { CUdeviceptr m = 0; return call("cuStreamAttachMemAsync", stream, m, (size_t)0, 4u); });
        during("cuLaunchHostFunc", mode, [&](CUevent) { return call("cuLaunchHostFunc", stream, (CUhostFn)[](void *) {}, (void *)nullptr); });
        during("cuMemPrefetchAsync", mode, [&](CUevent) { return call("cuMemPrefetchAsync", p, (size_t)4, device, stream); });
        during("cuEventElapsedTime", mode, [&](CUevent e) { float ms; return call("cuEventElapsedTime", &ms, before, e); });
        during("cuStreamGetCaptureInfo", mode, [&](CUevent) { int status; u64 id; return call("cuStreamGetCaptureInfo", stream, &status, &id); });
        during("cuStreamSetAttribute", mode, [&](CUevent) { int value[16] = {2}; return call("cuStreamSetAttribute", stream, 3, (void *)value); });
        during("cuCtxRecordEvent", mode, [&](CUevent) { return call("cuCtxRecordEvent", context, before); });
        during("cuCtxWaitEvent", mode, [&](CUevent) { return call("cuCtxWaitEvent", context, before); });
        during("cuGraphLaunch", mode, [&](CUevent) { return call("cuGraphLaunch", (CUgraphExec)nullptr, stream); });
        OK(cuEventRecord, before, other);
    }
    void *none = nullptr;
    int status = -1;
    u64 id = 0;
    CUgraph g = nullptr, g2 = nullptr;
    const CUgraphNode *nodes = nullptr;
    const CUgraphEdgeData *edges = (const CUgraphEdgeData *)1;
    size_t count = 99;
    R(cuStreamUpdateCaptureDependencies, stream, none, zero, 0u);
    R(cuStreamUpdateCaptureDependencies_v2, stream, none, none, zero, 0u);
    R(cuStreamGetCaptureInfo_v3, stream, &status, &id, &g, &nodes, &edges, &count); V(status);
    OK(cuStreamBeginCapture_v2, stream, 0);
    OK(cuMemsetD8Async, p, (unsigned char)0, (size_t)4, stream);
    R(cuStreamGetCaptureInfo_v3, stream, &status, &id, &g, &nodes, &edges, &count); V(status); V(count); if (edges) V(edges[0].type);
    R(cuStreamGetCaptureInfo_v3, stream, &status, &id, &g, &nodes, none, &count);
    R(cuStreamGetCaptureInfo_v3, stream, &status, none, none, none, none, none);
    R(cuStreamGetCaptureInfo_v3, stream, none, none, none, none, none, none);
    CUgraphNode n = nullptr;
    OK(cuGraphAddEmptyNode, &n, g, none, zero);
    R(cuStreamUpdateCaptureDependencies_v2, stream, &n, none, one, 0u);
    R(cuStreamGetCaptureInfo_v3, stream, &status, &id, &g, &nodes, &edges, &count); V(count);
    R(cuStreamUpdateCaptureDependencies_v2, stream, &n, none, one, 1u);
    R(cuStreamGetCaptureInfo_v3, stream, &status, &id, &g, &nodes, &edges, &count); V(count);
    R(cuStreamUpdateCaptureDependencies_v2, stream, &n, none, one, 2u);
    R(cuStreamUpdateCaptureDependencies_v2, stream, none, none, one, 0u);
    R(cuStreamUpdateCaptureDependencies_v2, stream, none, none, zero, 1u);
    R(cuStreamGetCaptureInfo_v3, stream, &status, &id, &g, &nodes, &edges, &count); V(count);
    R(cuStreamEndCapture, stream, &g2); V(g2 == g);
    OK(cuStreamBeginCapture_v2, blocking, 2);
    R(cuMemsetD8Async, p, (unsigned char)0, (size_t)4, (CUstream)0);
    R(cuStreamIsCapturing, (CUstream)0, &status);
    R(cuStreamEndCapture, blocking, &g2);
}

static void graphs()
{
    begin();
    void *none = nullptr;
    CUgraph g = nullptr, child = nullptr, g2 = nullptr;
    CUgraphNode k = nullptr, k2 = nullptr, m = nullptr, n = nullptr, nodes[16] = {};
    CUgraphExec x = nullptr;
    int type = -1;
    CUevent e = nullptr, e2 = nullptr, got = nullptr;
    OK(cuEventCreate, &e, 0u); OK(cuEventCreate, &e2, 0u);
    OK(cuGraphCreate, &g, 0u); OK(cuGraphCreate, &child, 0u);
    static CUgraphNodeParams q, blank;
    auto kernel = [&] {
        q = blank;
        q.type = CU_GRAPH_NODE_TYPE_KERNEL;
        q.kernel.func = nothing;
        q.kernel.gridDimX = q.kernel.gridDimY = q.kernel.gridDimZ = q.kernel.blockDimX = q.kernel.blockDimY = q.kernel.blockDimZ = 1;
    };
    kernel(); R(cuGraphAddNode, &k, g, none, zero, &q); R(cuGraphAddNode, &k2, g, none, zero, &q);
    q.kernel.blockDimX = 2000; R(cuGraphAddNode, &n, g, none, zero, &q);
    q = blank; q.type = CU_GRAPH_NODE_TYPE_MEMSET; q.memset.dst = p; q.memset.elementSize = 4; q.memset.width = 4; q.memset.height = 1; q.memset.value = 3; q.memset.ctx = context;
    R(cuGraphAddNode, &m, g, &k, one, &q);
    q.memset.elementSize = 3; R(cuGraphAddNode, &n, g, none, zero, &q);
    q = blank; q.type = CU_GRAPH_NODE_TYPE_MEMCPY; q.memcpy.copyCtx = context;
    q.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_DEVICE; q.memcpy.copyParams.srcDevice = p; q.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_HOST; q.memcpy.copyParams.dstHost = host;
    q.memcpy.copyParams.WidthInBytes = 16; q.memcpy.copyParams.Height = q.memcpy.copyParams.Depth = 1;
    R(cuGraphAddNode, &n, g, &m, one, &q);
    CUDA_MEMCPY3D copy = {};
    R(cuGraphMemcpyNodeGetParams, n, &copy);
    V(copy.srcMemoryType); V(copy.srcDevice == p); V(copy.dstMemoryType); V(copy.dstHost == host); V(copy.WidthInBytes); V(copy.Height); V(copy.Depth);
    R(cuGraphMemcpyNodeGetParams, k, &copy); R(cuGraphMemcpyNodeGetParams, n, none);
    q = blank; q.type = CU_GRAPH_NODE_TYPE_EMPTY; R(cuGraphAddNode, &n, g, none, zero, &q);
    q = blank; q.type = CU_GRAPH_NODE_TYPE_HOST; R(cuGraphAddNode, &n, g, none, zero, &q);
    q.host.fn = [](void *) {}; R(cuGraphAddNode, &n, g, none, zero, &q);
    q = blank; q.type = CU_GRAPH_NODE_TYPE_GRAPH; q.graph.graph = child; R(cuGraphAddNode, &n, g, none, zero, &q);
    q.graph.graph = nullptr; R(cuGraphAddNode, &n, g, none, zero, &q);
    q = blank; q.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD; q.eventRecord.event = e; R(cuGraphAddNode, &n, g, none, zero, &q);
    R(cuGraphEventRecordNodeGetEvent, n, &got); V(got == e); R(cuGraphEventRecordNodeSetEvent, n, e2); R(cuGraphEventRecordNodeGetEvent, n, &got); V(got == e2);
    R(cuGraphEventWaitNodeGetEvent, n, &got); R(cuGraphEventRecordNodeSetEvent, k, e); R(cuGraphEventRecordNodeGetEvent, n, none); R(cuGraphEventRecordNodeSetEvent, n, none);
    q = blank; q.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT; q.eventWait.event = e; R(cuGraphAddNode, &n, g, none, zero, &q);
    R(cuGraphEventWaitNodeGetEvent, n, &got); V(got == e); R(cuGraphEventWaitNodeSetEvent, n, e2); R(cuGraphEventWaitNodeGetEvent, n, &got); V(got == e2);
    q = blank; q.type = (CUgraphNodeType)77; R(cuGraphAddNode, &n, g, none, zero, &q);
    R(cuGraphAddNode, &n, g, none, zero, none); R(cuGraphAddNode, none, g, none, zero, &q); R(cuGraphAddNode, &n, none, none, zero, &q);
    R(cuGraphInstantiateWithFlags, &x, g, (u64)0); R(cuGraphLaunch, x, stream); R(cuStreamSynchronize, stream); V(word(p)); V(host[0]);
    q = blank; q.type = CU_GRAPH_NODE_TYPE_MEMSET; q.memset.dst = p; q.memset.elementSize = 4; q.memset.width = 4; q.memset.height = 1; q.memset.value = 5; q.memset.ctx = context;
    R(cuGraphExecNodeSetParams, x, m, &q); R(cuGraphExecNodeSetParams, x, k, &q); R(cuGraphNodeSetParams, k, &q); R(cuGraphNodeSetParams, m, &q); R(cuGraphNodeSetParams, m, none);
    R(cuGraphLaunch, x, stream); R(cuStreamSynchronize, stream); V(word(p));
    kernel(); q.kernel.blockDimX = 32; R(cuGraphNodeSetParams, k, &q); R(cuGraphExecNodeSetParams, x, k, &q);
    CUDA_KERNEL_NODE_PARAMS kp = {};
    R(cuGraphKernelNodeGetParams_v2, k, &kp); V(kp.blockDimX); V(kp.func == nothing);

    OK(cuGraphCreate, &g2, 0u);
    CUgraphNode a = nullptr, b = nullptr, c = nullptr, from[4], to[4];
    CUgraphEdgeData d[4] = {}, edges[4] = {};
    size_t count = 4;
    kernel(); OK(cuGraphAddNode, &a, g2, none, zero, &q); OK(cuGraphAddNode, &b, g2, none, zero, &q);
    d[0].type = 1; d[0].from_port = 1;
    R(cuGraphAddDependencies_v2, g2, &a, &b, d, one); R(cuGraphAddDependencies_v2, g2, &a, &b, d, one); R(cuGraphAddDependencies_v2, g2, &a, &b, none, one);
    R(cuGraphGetEdges, g2, from, to, &count); count = 4; R(cuGraphGetEdges, g2, none, none, &count); V(count);
    count = 4; R(cuGraphGetEdges_v2, g2, from, to, none, &count); count = 4; R(cuGraphGetEdges_v2, g2, from, to, edges, &count); V(count); V(from[0] == a); V(edges[0].type); V(edges[0].from_port);
    count = 4; R(cuGraphNodeGetDependencies, b, from, &count); count = 4; R(cuGraphNodeGetDependencies_v2, b, from, edges, &count); V(count); V(edges[0].type);
    count = 4; R(cuGraphNodeGetDependentNodes, a, from, &count); count = 4; R(cuGraphNodeGetDependentNodes_v2, a, to, edges, &count); V(count); V(edges[0].type); V(to[1] == nullptr);
    R(cuGraphRemoveDependencies, g2, &a, &b, one); R(cuGraphRemoveDependencies_v2, g2, &a, &b, none, one);
    d[1] = d[0]; d[1].from_port = 2; R(cuGraphRemoveDependencies_v2, g2, &a, &b, d + 1, one); R(cuGraphRemoveDependencies_v2, g2, &a, &b, d, one); R(cuGraphRemoveDependencies_v2, g2, &a, &b, d, one);
    R(cuGraphAddDependencies_v2, g2, &a, &b, d + 1, one); R(cuGraphRemoveDependencies_v2, g2, &a, &b, d + 1, one);
    for (int t = 0; t < 3; ++t) for (int f = 0; f < 4; ++f) for (int o = 0; o < 2; ++o) {
        d[2] = CUgraphEdgeData{}; d[2].type = t; d[2].from_port = f; d[2].to_port = o;
        int code = call("cuGraphAddDependencies_v2", g2, &a, &b, &d[2], one);
        printf("type %d, ports %d %d: %s\n", t, f, o, name(code));
        if (!code) OK(cuGraphRemoveDependencies_v2, g2, &a, &b, &d[2], one);
    }
    q = blank; q.type = CU_GRAPH_NODE_TYPE_EMPTY; OK(cuGraphAddNode, &c, g2, none, zero, &q);
    R(cuGraphAddDependencies_v2, g2, &c, &a, d, one); R(cuGraphAddDependencies_v2, g2, &a, &c, d, one); d[0].type = 0; R(cuGraphAddDependencies_v2, g2, &a, &c, d, one);
    d[0] = CUgraphEdgeData{}; d[0].type = 1; d[0].from_port = 1;
    kernel(); R(cuGraphAddNode_v2, &n, g2, &a, d, one, &q); count = 4; R(cuGraphNodeGetDependencies_v2, n, from, edges, &count); V(count); V(edges[0].type);
    R(cuGraphAddNode_v2, &n, g2, &c, d, one, &q); R(cuGraphAddNode_v2, &n, g2, &c, none, one, &q);
    CUgraph g3 = nullptr;
    R(cuGraphClone, &g3, g2); count = 4; R(cuGraphGetEdges, g3, from, to, &count);
    count = 16; OK(cuGraphGetNodes, g2, nodes, &count); V(count);
    R(cuGraphInstantiateWithFlags, &x, g2, (u64)0); R(cuGraphLaunch, x, stream); R(cuStreamSynchronize, stream);

    CUgraph t = nullptr, w = nullptr;
    u64 handle = 0, handle2 = 0;
    OK(cuGraphCreate, &t, 0u); OK(cuGraphCreate, &w, 0u);
    R(cuGraphConditionalHandleCreate, &handle, t, context, 1u, 1u); R(cuGraphConditionalHandleCreate, &handle2, t, context, 1u, 2u); R(cuGraphConditionalHandleCreate, &handle2, none, context, 1u, 1u);
    R(cuGraphConditionalHandleCreate, none, t, context, 1u, 1u); R(cuGraphConditionalHandleCreate, &handle2, t, none, 1u, 0u);
    auto conditional = [&](u64 h, int kind, unsigned size) {
        q = blank;
        q.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
        q.conditional.handle = h; q.conditional.type = (CUgraphConditionalNodeType)kind; q.conditional.size = size; q.conditional.ctx = context;
    };
    CUgraphNode w1 = nullptr;
    conditional(handle, 0, 0); R(cuGraphAddNode, &w1, t, none, zero, &q);
    conditional(handle, 0, 3); R(cuGraphAddNode, &w1, t, none, zero, &q);
    conditional(handle, 1, 2); R(cuGraphAddNode, &w1, t, none, zero, &q);
    conditional(handle, 3, 1); R(cuGraphAddNode, &w1, t, none, zero, &q);
    conditional(handle, 0, 1); R(cuGraphAddNode, &w1, w, none, zero, &q);
    conditional(12345, 0, 1); R(cuGraphAddNode, &w1, t, none, zero, &q);
    conditional(handle, 0, 1); R(cuGraphAddNode, &w1, t, none, zero, &q); V(q.conditional.phGraph_out != nullptr);
    R(cuGraphNodeGetType, w1, &type); V(type);
    CUgraph body = q.conditional.phGraph_out ? q.conditional.phGraph_out[0] : nullptr;
    conditional(handle, 0, 1); R(cuGraphAddNode, &n, t, none, zero, &q);
    R(cuGraphNodeSetParams, w1, &q);
    R(cuGraphDestroy, body);
    q = blank; q.type = CU_GRAPH_NODE_TYPE_MEMSET; q.memset.dst = p + 64; q.memset.elementSize = 4; q.memset.width = 1; q.memset.height = 1; q.memset.value = 77; q.memset.ctx = context;
    R(cuGraphAddNode, &n, body, none, zero, &q);
    R(cuGraphInstantiateWithFlags, &x, t, (u64)0); R(cuGraphLaunch, x, stream); R(cuStreamSynchronize, stream); V(word(p + 64));
    q.memset.value = 78; R(cuGraphExecNodeSetParams, x, n, &q); R(cuGraphLaunch, x, stream); R(cuStreamSynchronize, stream); V(word(p + 64));
    R(cuGraphClone, &g3, t);
    R(cuGraphAddChildGraphNode, &n, w, none, zero, t);
    conditional(handle2, 2, 3); R(cuGraphAddNode, &n, t, none, zero, &q);
    if (q.conditional.phGraph_out) V(q.conditional.phGraph_out[2] != nullptr);
    q = blank; q.type = CU_GRAPH_NODE_TYPE_HOST; q.host.fn = [](void *) {}; R(cuGraphAddNode, &n, body, none, zero, &q);
    R(cuGraphInstantiateWithFlags, &x, t, (u64)0);
    R(cuGraphDestroyNode, w1); R(cuGraphDestroy, t);
    // Instantiation and its result.
    CUDA_GRAPH_INSTANTIATE_PARAMS ip = {};
    CUgraph u = nullptr;
    OK(cuGraphCreate, &u, 0u);
    OK(cuGraphConditionalHandleCreate, &handle, u, context, 1u, 1u);
    R(cuGraphInstantiateWithParams, &x, u, &ip); V(ip.result_out);
}

static void batches()
{
    begin();
    void *none = nullptr;
    CUdeviceptr dsts[4] = {p, p + 64, p + 128, p + 192}, srcs[4] = {(CUdeviceptr)host, (CUdeviceptr)host, (CUdeviceptr)host, (CUdeviceptr)host};
    size_t sizes[4] = {16, 16, 16, 16}, index[4] = {0, 2, 3, 3}, failed = 55, four = 4;
    CUmemcpyAttributes attributes[4] = {};
    for (auto &x : attributes) x.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    host[0] = 11;
    R(cuMemcpyBatchAsync, dsts, srcs, sizes, four, attributes, index, one, &failed, stream); R(cuStreamSynchronize, stream); V(failed); V(word(p)); V(word(p + 192));
    R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, two, stream); R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, four, stream);
    R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index + 1, one, stream); R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, none, none, zero, stream);
    R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, zero, stream); R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, zero, attributes, index, one, stream);
    R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, one, attributes, index, two, stream); R(cuMemcpyBatchAsync_v2, none, srcs, sizes, four, attributes, index, one, stream);
    R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, one, (CUstream)0); R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, one, (CUstream)1); R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, one, (CUstream)2);
    attributes[0].srcAccessOrder = (CUmemcpySrcAccessOrder)0; R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, one, stream);
    attributes[0].srcAccessOrder = (CUmemcpySrcAccessOrder)4; R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, one, stream);
    attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY; R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, one, stream);
    attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL; R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, one, stream);
    attributes[0].flags = 1; R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, one, stream);
    attributes[0].flags = 8; R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, one, stream);
    attributes[0].flags = 0; attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    sizes[2] = 0; failed = 55; R(cuMemcpyBatchAsync, dsts, srcs, sizes, four, attributes, index, one, &failed, stream); V(failed);
    sizes[2] = 16; R(cuStreamSynchronize, stream);
    OK(cuStreamBeginCapture_v2, stream, 2);
    R(cuMemcpyBatchAsync_v2, dsts, srcs, sizes, four, attributes, index, one, stream);
    CUgraph g = nullptr;
    R(cuStreamEndCapture, stream, &g);
    size_t count = 0;
    if (g) { OK(cuGraphGetNodes, g, none, &count); V(count); }
    CUDA_MEMCPY3D_BATCH_OP op[2] = {};
    auto fill = [&] {
        memset(op, 0, sizeof op);
        for (auto &o : op) {
            o.src.type = o.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
            o.src.op.ptr.ptr = (CUdeviceptr)host; o.src.op.ptr.rowLength = 16; o.src.op.ptr.layerHeight = 2;
            o.dst.op.ptr.ptr = p; o.dst.op.ptr.rowLength = 32; o.dst.op.ptr.layerHeight = 4;
            o.extent.width = 8; o.extent.height = 2; o.extent.depth = 2;
            o.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
        }
    };
    for (int i = 0; i < 64; ++i) host[i] = 100 + i;
    OK(cuMemsetD8_v2, p, (unsigned char)0, (size_t)4096);
    fill(); failed = 55; R(cuMemcpy3DBatchAsync, two, op, &failed, (u64)0, stream); R(cuStreamSynchronize, stream); V(failed);
    V(word(p)); V(word(p + 4)); V(word(p + 8)); V(word(p + 32)); V(word(p + 128)); V(word(p + 160));
    R(cuMemcpy3DBatchAsync_v2, one, op, (u64)0, stream); R(cuMemcpy3DBatchAsync_v2, zero, op, (u64)0, stream); R(cuMemcpy3DBatchAsync_v2, one, op, (u64)1, stream);
    R(cuMemcpy3DBatchAsync_v2, one, op, (u64)0, (CUstream)0);
    op[0].srcAccessOrder = (CUmemcpySrcAccessOrder)0; R(cuMemcpy3DBatchAsync_v2, one, op, (u64)0, stream);
    fill(); op[1].src.type = (CUmemcpy3DOperandType)0; failed = 55; R(cuMemcpy3DBatchAsync, two, op, &failed, (u64)0, stream); V(failed);
    fill(); op[0].extent.width = 0; R(cuMemcpy3DBatchAsync_v2, one, op, (u64)0, stream);
    fill(); op[0].src.op.ptr.rowLength = 4; R(cuMemcpy3DBatchAsync_v2, one, op, (u64)0, stream);
    fill(); op[0].src.op.ptr.rowLength = 0; op[0].src.op.ptr.layerHeight = 0; R(cuMemcpy3DBatchAsync_v2, one, op, (u64)0, stream); R(cuStreamSynchronize, stream); V(word(p + 32));
    CUarray array = nullptr;
    CUDA_ARRAY3D_DESCRIPTOR ad = {};
    ad.Width = 4; ad.Height = 2; ad.Format = CU_AD_FORMAT_UNSIGNED_INT32; ad.NumChannels = 1;
    OK(cuArray3DCreate_v2, &array, &ad);
    fill(); op[0].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY; op[0].dst.op.array.array = array; op[0].dst.op.array.offset = {1, 0, 0}; op[0].extent.width = 2; op[0].extent.depth = 1; op[0].src.op.ptr.rowLength = 4;
    R(cuMemcpy3DBatchAsync_v2, one, op, (u64)0, stream); R(cuStreamSynchronize, stream);
    uint32_t texels[4] = {};
    R(cuMemcpyAtoH_v2, texels, array, zero, (size_t)16); V(texels[1]); V(texels[2]);
    R(cuMemcpyAtoH_v2, texels, array, (size_t)16, (size_t)16); V(texels[1]); V(texels[2]);

    CUdeviceptr managed[2] = {};
    size_t lengths[2] = {1 << 20, 1 << 20}, first[2] = {0, 1};
    OK(cuMemAllocManaged, &managed[0], (size_t)1 << 20, 1u); OK(cuMemAllocManaged, &managed[1], (size_t)1 << 20, 1u);
    *(uint32_t *)managed[0] = 5;
    CUmemLocation at[2] = {};
    at[0].type = at[1].type = CU_MEM_LOCATION_TYPE_DEVICE; at[0].id = at[1].id = device;
    R(cuMemPrefetchBatchAsync, managed, lengths, two, at, first, two, (u64)0, stream); R(cuMemPrefetchBatchAsync, managed, lengths, two, at, first, one, (u64)0, stream);
    R(cuMemPrefetchBatchAsync, managed, lengths, two, at, first + 1, one, (u64)0, stream); R(cuMemPrefetchBatchAsync, managed, lengths, one, at, first, two, (u64)0, stream);
    R(cuMemPrefetchBatchAsync, managed, lengths, zero, at, first, one, (u64)0, stream); R(cuMemPrefetchBatchAsync, managed, lengths, two, at, first, zero, (u64)0, stream); R(cuMemPrefetchBatchAsync, managed, lengths, two, at, first, one, (u64)1, stream);
    R(cuMemPrefetchBatchAsync, managed, lengths, two, at, first, one, (u64)0, (CUstream)0); R(cuMemPrefetchBatchAsync, &p, lengths, one, at, first, one, (u64)0, stream);
    R(cuStreamSynchronize, stream);
    int where = -9;
    R(cuMemRangeGetAttribute, &where, (size_t)4, 4, managed[1], (size_t)1 << 20); V(where);
    at[0].id = 99; R(cuMemPrefetchBatchAsync, managed, lengths, one, at, first, one, (u64)0, stream);
    at[0].type = CU_MEM_LOCATION_TYPE_INVALID; R(cuMemPrefetchBatchAsync, managed, lengths, one, at, first, one, (u64)0, stream);
    at[0].type = CU_MEM_LOCATION_TYPE_HOST; at[0].id = 0; R(cuMemPrefetchBatchAsync, managed, lengths, one, at, first, one, (u64)0, stream); R(cuStreamSynchronize, stream); V(*(uint32_t *)managed[0]);
    R(cuMemDiscardBatchAsync, managed + 1, lengths, one, (u64)0, stream); R(cuMemDiscardBatchAsync, managed, lengths, zero, (u64)0, stream); R(cuMemDiscardBatchAsync, managed, lengths, one, (u64)1, stream); R(cuMemDiscardBatchAsync, &p, lengths, one, (u64)0, stream); R(cuMemDiscardBatchAsync, managed, lengths, one, (u64)0, (CUstream)0);
    R(cuMemDiscardAndPrefetchBatchAsync, managed + 1, lengths, one, at, first, one, (u64)0, stream); R(cuMemDiscardAndPrefetchBatchAsync, managed + 1, lengths, one, at, first, zero, (u64)0, stream);
    R(cuStreamSynchronize, stream);
}

static void memory()
{
    begin();
    void *none = nullptr;
    CUmemoryPool pool = nullptr, pool2 = nullptr, by = nullptr;
    CUmemLocation at = {};
    at.type = CU_MEM_LOCATION_TYPE_DEVICE;
    R(cuDeviceGetDefaultMemPool, &pool, device);
    R(cuMemGetDefaultMemPool, &pool2, &at, 1); V(pool == pool2); R(cuMemGetMemPool, &pool2, &at, 1); V(pool == pool2); R(cuMemGetDefaultMemPool, none, &at, 1); R(cuMemGetDefaultMemPool, &pool2, none, 1);
    R(cuMemGetDefaultMemPool, &pool2, &at, 0); R(cuMemGetDefaultMemPool, &pool2, &at, 3); R(cuMemGetMemPool, &pool2, &at, 0); R(cuMemGetMemPool, &pool2, &at, 3);
    at.id = 99; R(cuMemGetDefaultMemPool, &pool2, &at, 1); R(cuMemGetMemPool, &pool2, &at, 1);
    at.type = CU_MEM_LOCATION_TYPE_INVALID; R(cuMemGetDefaultMemPool, &pool2, &at, 1);
    CUmemPoolProps props = {};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED; props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    OK(cuMemPoolCreate, &by, &props);
    at.type = CU_MEM_LOCATION_TYPE_DEVICE; at.id = 0;
    R(cuMemSetMemPool, &at, 1, by); R(cuMemGetMemPool, &pool2, &at, 1); V(pool2 == by); R(cuDeviceGetMemPool, &pool2, device); V(pool2 == by); R(cuMemGetDefaultMemPool, &pool2, &at, 1); V(pool2 == pool);
    R(cuMemSetMemPool, &at, 1, none); R(cuMemSetMemPool, &at, 3, by); R(cuMemSetMemPool, none, 1, by); R(cuMemSetMemPool, &at, 1, pool);
    int value = 1;
    unsigned flag = 77;
    R(cuPointerSetAttribute, &value, 6, p); R(cuPointerGetAttribute, &flag, 6, p); V(flag); value = 0; R(cuPointerSetAttribute, &value, 6, p); R(cuPointerGetAttribute, &flag, 6, p); V(flag);
    R(cuPointerSetAttribute, &value, 7, p); R(cuPointerSetAttribute, none, 6, p); R(cuPointerSetAttribute, &value, 6, (CUdeviceptr)&value); R(cuPointerSetAttribute, &value, 6, p + 8); R(cuPointerSetAttribute, &value, 6, (CUdeviceptr)host);
    CUarray array = nullptr, plane = nullptr;
    CUDA_ARRAY3D_DESCRIPTOR ad = {};
    ad.Width = 64; ad.Height = 64; ad.Format = CU_AD_FORMAT_UNSIGNED_INT32; ad.NumChannels = 1;
    OK(cuArray3DCreate_v2, &array, &ad);
    R(cuArrayGetPlane, &plane, array, 0u); R(cuArrayGetPlane, &plane, none, 0u);
    CUDA_MEMCPY3D_PEER peer = {};
    peer.srcMemoryType = peer.dstMemoryType = CU_MEMORYTYPE_DEVICE; peer.srcDevice = p; peer.dstDevice = p + 2048; peer.srcContext = peer.dstContext = context;
    peer.WidthInBytes = 16; peer.Height = peer.Depth = 1;
    OK(cuMemsetD32_v2, p, 0x1234u, (size_t)4);
    R(cuMemcpy3DPeer, &peer); V(word(p + 2048)); peer.dstDevice = p + 2064; R(cuMemcpy3DPeerAsync, &peer, stream); R(cuStreamSynchronize, stream); V(word(p + 2064));
    peer.dstContext = nullptr; R(cuMemcpy3DPeer, &peer);
}

static void logs()
{
    void *none = nullptr, *callback = nullptr;
    unsigned iterator = 0;
    static char text[4096];
    size_t size = sizeof text;
    begin();
    R(cuLogsRegisterCallback, none, none, &callback); R(cuLogsCurrent, &iterator, 0u); R(cuLogsCurrent, &iterator, 1u);
    R(cuLogsDumpToMemory, none, text, &size, 0u); V(text[0]); R(cuLogsDumpToMemory, none, text, &size, 1u); R(cuLogsDumpToMemory, none, none, &size, 0u);
    R(cuLogsDumpToFile, none, "/nonexistent/file", 0u); R(cuLogsUnregisterCallback, none);
}

static void green()
{
    begin();
    void *none = nullptr;
    struct resource { int type; unsigned char pad[92]; unsigned sms[12]; } r = {}, groups[8] = {}, rest = {};
    V(sizeof(resource));
    R(cuDeviceGetDevResource, device, &r, 1); V(r.type); V(r.sms[0]); V(r.sms[1]); V(r.sms[2]);
    R(cuDeviceGetDevResource, device, &r, 0); R(cuDeviceGetDevResource, device, &r, 2); R(cuDeviceGetDevResource, 99, &r, 1); R(cuDeviceGetDevResource, device, none, 1);
    R(cuCtxGetDevResource, context, &r, 1); V(r.sms[0]);
    for (unsigned want : {1u, 2u, 7u, 8u, 9u, 16u, 60u, 132u, 133u}) {
        unsigned n = 0;
        OK(cuDeviceGetDevResource, device, &r, 1);
        int code = 0;
        n = 2; memset(groups, 0, sizeof groups); memset(&rest, 0, sizeof rest);
        code = call("cuDevSmResourceSplitByCount", groups, &n, &r, &rest, 0u, want);
        printf("groups of %u: %s %u, %u %u, rest %d %u\n", want, name(code), n, groups[0].sms[0], groups[1].sms[0], rest.type, rest.sms[0]);
        n = 2;
        code = call("cuDevSmResourceSplitByCount", groups, &n, &r, &rest, 1u, want);
        printf("ignoring coscheduling: %s %u, %u %u, rest %d %u\n", name(code), n, groups[0].sms[0], groups[1].sms[0], rest.type, rest.sms[0]);
    }
    unsigned n = 1;
    OK(cuDevSmResourceSplitByCount, groups, &n, &r, &rest, 0u, 16u);
    void *desc = nullptr, *green = nullptr, *got = nullptr;
    R(cuDevResourceGenerateDesc, &desc, groups, 1u);
    R(cuGreenCtxCreate, &green, desc, device, 1u); R(cuGreenCtxCreate, &got, desc, device, 0u);
    R(cuGreenCtxGetDevResource, green, &r, 1); V(r.sms[0]);
    CUcontext c = nullptr, sc = nullptr;
    R(cuCtxFromGreenCtx, &c, green); V(c != nullptr && c != context);
    CUstream s = nullptr;
    CUstream refused = nullptr;
    R(cuGreenCtxStreamCreate, &s, green, 1u, 0); R(cuGreenCtxStreamCreate, &refused, green, 0u, 0); R(cuGreenCtxStreamCreate, &refused, none, 1u, 0); R(cuStreamGetGreenCtx, s, &got); V(got == green); R(cuStreamGetCtx_v2, s, &sc, &got); V(sc == nullptr); V(got == green); R(cuStreamGetCtx, s, &sc); V(sc == c);
    u64 id = 0, id2 = 0;
    R(cuGreenCtxGetId, green, &id); R(cuCtxGetId, c, &id2); V(id == id2);
    CUevent e = nullptr, own = nullptr;
    OK(cuEventCreate, &e, 0u);
    R(cuGreenCtxRecordEvent, green, e); R(cuGreenCtxWaitEvent, green, e);
    CUcontext now = nullptr;
    R(cuCtxSetCurrent, c); R(cuCtxGetCurrent, &now); V(now == c); OK(cuEventCreate, &own, 0u); R(cuGreenCtxRecordEvent, green, own); R(cuGreenCtxWaitEvent, green, own); R(cuEventRecord, own, s); R(cuEventSynchronize, own);
    R(cuCtxGetDevResource, c, &r, 1); V(r.sms[0]);
    CUdevice d = -1;
    R(cuCtxGetDevice, &d); V(d);
    CUmodule m = nullptr; CUfunction f = nullptr;
    R(cuModuleLoadData, &m, ptx); R(cuModuleGetFunction, &f, m, "add");
    CUdeviceptr q = 0;
    R(cuMemAlloc_v2, &q, (size_t)64); OK(cuMemsetD8_v2, q, (unsigned char)0, (size_t)64);
    uint32_t v = 4;
    void *arguments[] = {&q, &v};
    R(cuLaunchKernel, f, 2u, 1u, 1u, 1u, 1u, 1u, 0u, s, arguments, none); R(cuStreamSynchronize, s); V(word(q));
    R(cuStreamGetCtx, stream, &sc); V(sc == context); R(cuStreamGetGreenCtx, stream, &got); V(got == nullptr);
    CUcontext primary = nullptr; unsigned flags = 9; int active = -1;
    R(cuDevicePrimaryCtxGetState, device, &flags, &active); V(active);
    R(cuDevicePrimaryCtxRetain, &primary, device); V(primary != c); R(cuCtxSetCurrent, primary);
    CUdeviceptr base = 0; size_t length = 0;
    R(cuMemGetAddressRange_v2, &base, &length, q); V(base == q);
    R(cuMemcpyDtoD_v2, q + 8, q, (size_t)4); V(word(q + 8));
    R(cuCtxSetCurrent, c);
    R(cuCtxDestroy_v2, c); R(cuStreamDestroy_v2, s); R(cuGreenCtxDestroy, green); R(cuCtxSetCurrent, context);
}

int main(int count, char **argument)
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    const struct { const char *name; void (*run)(); } sections[] = {
        {"libraries", libraries}, {"contexts", contexts}, {"attributes", attributes}, {"words", words}, {"captures", captures},
        {"graphs", graphs}, {"batches", batches}, {"memory", memory}, {"logs", logs}, {"green", green},
    };
    OK(cuInit, 0u);
    OK(cuDeviceGet, &device, 0);
    for (auto &s : sections)
        if (count > 1 && !strcmp(s.name, argument[1]))
            s.run();
    fflush(stdout);
    _exit(0);
}
