// What the driver API answers to mistakes with contexts, handles and images, line by line. Each group runs in a process of its
// own. Compiled on an NVIDIA H200, driver 580, CUDA 13.0, this program wrote misuse.h200.txt.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <cuda.h>

static const char *name(CUresult r)
{
    const char *s = nullptr;
    return cuGetErrorName(r, &s) == CUDA_SUCCESS ? s : "?";
}

#define R(call) (printf("%s: ", #call), printf("%s\n", name(call)))

static const std::string head = ".version 7.0\n.target sm_70\n.address_size 64\n";
static const std::string body = ".visible .entry add(.param .u64 p) { .reg .b64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a], 1; ret; }\n";

static CUcontext a, b;
static CUmodule moduleA, moduleB;
static CUfunction addA, addB;
static CUstream streamA, streamB;
static CUevent eventA, eventB;
static CUdeviceptr memoryA, memoryB;

static void make(CUcontext *c, CUmodule *m, CUfunction *f, CUstream *s, CUevent *e, CUdeviceptr *p)
{
#if CUDA_VERSION >= 13000
    CUresult r = cuCtxCreate(c, nullptr, 0, 0);
#else
    CUresult r = cuCtxCreate(c, 0, 0);
#endif
    if (r || cuModuleLoadData(m, (head + body).c_str()) || cuModuleGetFunction(f, *m, "add") || cuStreamCreate(s, 0) ||
        cuEventCreate(e, 0) || cuMemAlloc(p, 4096))
        printf("a context can not be made: %d\n", r);
}

static void two()
{
    cuInit(0);
    make(&a, &moduleA, &addA, &streamA, &eventA, &memoryA);
    make(&b, &moduleB, &addB, &streamB, &eventB, &memoryB); // b is current
}

static void group_images()
{
    cuInit(0);
    two();
    CUmodule m;
    auto load = [&](const char *what, const std::string &text) { m = nullptr; printf("%s: ", what); printf("%s\n", name(cuModuleLoadData(&m, text.c_str()))); };
    load("an unresolved function", head + ".extern .func missing;\n.visible .entry k() { call missing; ret; }\n");
    load("an unresolved function that nobody calls", head + ".extern .func missing;\n" + body);
    load("an unresolved variable", head + ".extern .global .u32 absent;\n.visible .entry k() { .reg .b64 %a; mov.u64 %a, absent; ret; }\n");
    load("a function that calls what is unresolved", head + ".extern .func missing;\n.func f() { call missing; ret; }\n" + body);
    load("an unknown instruction", head + ".visible .entry k() { fly.b32; ret; }\n");
    load("an unknown name", head + ".visible .entry k() { mov.u32 %r1, %r2; ret; }\n");
    load("PTX of the future", ".version 99.0\n.target sm_70\n.address_size 64\n" + body);
    load("PTX for a later GPU", ".version 9.0\n.target sm_100\n.address_size 64\n" + body);
    load("PTX for a GPU with suffix", ".version 9.0\n.target sm_100a\n.address_size 64\n" + body);
    load("an empty text", "");
    load("no PTX", "hello");
    load("no target", ".version 7.0\n" + body);
    load("no version", ".target sm_70\n" + body);
    load("an instruction that is too new for the target", ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k() { .reg .b32 %a; redux.sync.add.s32 %a, %a, -1; ret; }\n");
    load("an instruction that is too new for the version", ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k() { .reg .b64 %a; cp.async.wait_all; ret; }\n");
    load("two kernels of one name", head + body + body);
    load("too much shared memory", head + ".visible .entry k() { .shared .b8 s[300000]; .reg .b64 %a; mov.u64 %a, s; ret; }\n");
    load("parameters of 4352 bytes", head + ".visible .entry k(.param .b8 p[4352]) { ret; }\n");
    load("parameters of 4356 bytes", head + ".visible .entry k(.param .b8 p[4356]) { ret; }\n");
    load("parameters of 32764 bytes", ".version 8.1\n.target sm_70\n.address_size 64\n.visible .entry k(.param .b8 p[32764]) { ret; }\n");
    load("parameters of 32768 bytes", ".version 8.1\n.target sm_70\n.address_size 64\n.visible .entry k(.param .b8 p[32768]) { ret; }\n");
    CUfunction f;
    load("right PTX", head + body);
    R(cuModuleGetFunction(&f, m, "subtract"));
    R(cuModuleGetFunction(&f, m, ""));
    R(cuModuleGetFunction(&f, m, nullptr));
    R(cuModuleGetFunction(&f, nullptr, "add"));
    CUdeviceptr p;
    R(cuModuleGetGlobal(&p, nullptr, m, "absent"));
    R(cuModuleUnload(m));
    R(cuModuleLoad(&m, "/nonexistent/file.ptx"));
}

static void group_contexts()
{
    two();
    char host[64];
    void *params[] = {&memoryA};
    R(cuStreamSynchronize(streamA));
    R(cuStreamQuery(streamA));
    R(cuMemcpyHtoDAsync(memoryA, host, 64, streamA));
    R(cuLaunchKernel(addA, 1, 1, 1, 1, 1, 1, 0, streamA, params, nullptr));
    R(cuLaunchKernel(addA, 1, 1, 1, 1, 1, 1, 0, streamB, params, nullptr));
    R(cuLaunchKernel(addB, 1, 1, 1, 1, 1, 1, 0, streamA, params, nullptr));
    R(cuLaunchKernel(addA, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));
    R(cuEventRecord(eventA, streamA));
    R(cuEventRecord(eventA, streamB));
    R(cuEventRecord(eventB, streamA));
    R(cuEventRecord(eventB, streamB));
    R(cuEventSynchronize(eventA));
    R(cuStreamWaitEvent(streamB, eventA, 0));
    R(cuStreamWaitEvent(streamA, eventB, 0));
    R(cuStreamWaitEvent(streamA, eventA, 0));
    float ms;
    R(cuEventElapsedTime(&ms, eventA, eventB));
    CUfunction f;
    R(cuModuleGetFunction(&f, moduleA, "add"));
    int n;
    R(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, addA));
    CUcontext of = nullptr;
    R(cuStreamGetCtx(streamA, &of));
    printf("%d\n", of == a);
    R(cuCtxSynchronize());
    R(cuEventDestroy(eventA));
    R(cuStreamDestroy(streamA));
    R(cuModuleUnload(moduleA));
}

static void group_nothing_current()
{
    two();
    cuCtxSetCurrent(nullptr);
    cuCtxSetCurrent(nullptr);
    CUcontext c;
    while (cuCtxGetCurrent(&c) == CUDA_SUCCESS && c)
        cuCtxPopCurrent(&c);
    char host[64];
    void *params[] = {&memoryA};
    int n;
    R(cuMemAlloc(&memoryB, 64));
    R(cuMemcpyDtoH(host, memoryA, 64));
    R(cuStreamSynchronize(streamA));
    R(cuStreamSynchronize(nullptr));
    R(cuStreamQuery(streamA));
    R(cuEventQuery(eventA));
    R(cuEventSynchronize(eventA));
    R(cuLaunchKernel(addA, 1, 1, 1, 1, 1, 1, 0, streamA, params, nullptr));
    R(cuModuleGetFunction(&addB, moduleA, "add"));
    R(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, addA));
    R(cuCtxSynchronize());
    R(cuCtxGetDevice(&n));
    R(cuEventCreate(&eventB, 0));
    R(cuEventDestroy(eventA));
    R(cuStreamDestroy(streamA));
    R(cuModuleUnload(moduleA));
    R(cuCtxPopCurrent(&c));
    unsigned v;
    R(cuCtxGetApiVersion(a, &v));
    R(cuCtxGetApiVersion(nullptr, &v));
}

static void group_other_thread()
{
    two();
    std::thread([] {
        CUdeviceptr p;
        R(cuMemAlloc(&p, 64));
        R(cuStreamSynchronize(streamB));
        R(cuCtxSetCurrent(b));
        R(cuMemAlloc(&p, 64));
    }).join();
}

static void group_destroyed_context()
{
    two();
    R(cuCtxDestroy(a));
    CUdeviceptr p;
    char host[64];
    R(cuCtxSetCurrent(a));
    R(cuCtxPushCurrent(a));
    R(cuCtxDestroy(a));
    R(cuMemFree(memoryA));
    R(cuMemcpyDtoH(host, memoryA, 64));
    R(cuMemAlloc(&p, 64));
    R(cuCtxDestroy(b));
    R(cuMemAlloc(&p, 64));
}
static void group_destroyed_in_thread()
{
    two();
    std::thread([] {
        cuCtxSetCurrent(b);
        CUdeviceptr p;
        cuMemAlloc(&p, 64);
        std::thread([] { cuCtxDestroy(b); }).join();
        CUcontext c = nullptr;
        R(cuMemAlloc(&p, 64));
        R(cuCtxSynchronize());
        R(cuCtxGetCurrent(&c));
        printf("%d\n", c == b);
    }).join();
}
static void group_stream_of_destroyed_context() { two(); cuCtxDestroy(a); R(cuStreamSynchronize(streamA)); }
static void group_event_of_destroyed_context() { two(); cuCtxDestroy(a); R(cuEventQuery(eventA)); }
static void group_module_of_destroyed_context() { two(); cuCtxDestroy(a); R(cuModuleGetFunction(&addA, moduleA, "add")); }
static void group_function_of_destroyed_context() { two(); cuCtxDestroy(a); void *params[] = {&memoryB}; R(cuLaunchKernel(addA, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr)); }
static void group_unloaded_module() { two(); cuModuleUnload(moduleB); R(cuModuleGetFunction(&addB, moduleB, "add")); }
static void group_unloaded_module_twice() { two(); cuModuleUnload(moduleB); R(cuModuleUnload(moduleB)); }
static void group_unloaded_function() { two(); cuModuleUnload(moduleB); void *params[] = {&memoryB}; R(cuLaunchKernel(addB, 1, 1, 1, 1, 1, 1, 0, streamB, params, nullptr)); }

static void group_memory()
{
    two();
    CUdeviceptr p;
    char host[64] = {};
    R(cuMemAlloc(&p, 4096));
    R(cuMemFree(p + 8));
    R(cuMemFree(p));
    R(cuMemFree(p));
    R(cuMemcpyHtoD(p, host, 64));
    R(cuMemsetD8(p, 0, 64));
    R(cuMemFree((CUdeviceptr)host));
    R(cuMemcpyHtoD((CUdeviceptr)host, host, 8));
    R(cuMemcpyHtoD(memoryB + 4090, host, 64));
    R(cuMemAlloc(&p, (size_t)1 << 50));
    R(cuMemAllocHost((void **)&p, (size_t)1 << 50));
    R(cuMemFreeHost(host));
    R(cuMemcpyHtoD(memoryB, nullptr, 64));
    size_t size;
    R(cuMemGetAddressRange(&p, &size, (CUdeviceptr)host));
}

static void group_fault()
{
    two();
    CUdeviceptr wrong = 0x10, p;
    void *params[] = {&wrong};
    R(cuLaunchKernel(addB, 1, 1, 1, 1, 1, 1, 0, streamB, params, nullptr));
    R(cuStreamSynchronize(streamB));
    R(cuMemAlloc(&p, 64));
    R(cuEventQuery(eventB));
    R(cuModuleUnload(moduleB));
    R(cuMemFree(memoryB));
    R(cuStreamDestroy(streamB));
    R(cuEventDestroy(eventB));
    R(cuCtxDestroy(b));
}

#define G(x) {#x, group_##x}
static const struct { const char *name; void (*run)(); } groups[] = {
    G(images), G(contexts), G(nothing_current), G(other_thread), G(destroyed_context), G(destroyed_in_thread), G(stream_of_destroyed_context),
    G(event_of_destroyed_context), G(module_of_destroyed_context), G(function_of_destroyed_context),
    G(unloaded_module), G(unloaded_module_twice), G(unloaded_function), G(memory), G(fault)};

int main(int argc, char **argv)
{
    setvbuf(stdout, nullptr, _IONBF, 0);
    for (const auto &g : groups) {
        if (argc > 1 && !strcmp(argv[1], g.name)) {
            g.run();
            _exit(0);
        }
        if (argc > 1)
            continue;
        printf("== %s\n", g.name);
        pid_t child = fork();
        if (child == 0)
            execl("/proc/self/exe", argv[0], g.name, nullptr);
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status))
            printf("(signal %d)\n", WTERMSIG(status));
    }
}
