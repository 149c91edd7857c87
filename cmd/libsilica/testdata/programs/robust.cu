// What programs do to the library beside calling it. Prints PASS, or what is wrong.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
#include <cuda.h>
#include <cuda_runtime.h>

#define CHECK(call) do { int e_ = (int)(call); if (e_) { printf("line %d: %s: %d\n", __LINE__, #call, e_); exit(1); } } while (0)
#define EXPECT(what) do { if (!(what)) { printf("line %d: not so: %s\n", __LINE__, #what); exit(1); } } while (0)

__global__ void add(int *p, int n) { atomicAdd(p, n); }
__global__ void spin(volatile int *p) { while (*p == 0) continue; }

// The library under all its names, opened, used and closed.
static void names()
{
    const char *list[] = {"libcuda.so.1", "libcudart.so.12", "libcuda.so", "libcudart.so.13"};
    for (int round = 0; round < 20; ++round)
        for (const char *name : list) {
            void *library = dlopen(name, RTLD_NOW | (round & 1 ? RTLD_GLOBAL : RTLD_LOCAL));
            EXPECT(library);
            auto init = (CUresult (*)(unsigned))dlsym(library, "cuInit");
            auto count = (cudaError_t (*)(int *))dlsym(library, "cudaGetDeviceCount");
            EXPECT(init && count);
            int n = 0;
            CHECK(init(0));
            CHECK(count(&n));
            EXPECT(n == 1);
            dlclose(library);
        }
}

// Many threads at once, each with all kinds of calls.
static void threads()
{
    std::vector<std::thread> all;
    int *shared;
    CHECK(cudaMalloc(&shared, 4));
    CHECK(cudaMemset(shared, 0, 4));
    for (int t = 0; t < 100; ++t)
        all.emplace_back([=] {
            for (int round = 0; round < 5; ++round) {
                int *p, v = 0;
                cudaStream_t s;
                cudaEvent_t e;
                CHECK(cudaMalloc(&p, 4));
                CHECK(cudaStreamCreate(&s));
                CHECK(cudaEventCreate(&e));
                CHECK(cudaMemsetAsync(p, 0, 4, s));
                add<<<1, 32, 0, s>>>(p, t);
                add<<<1, 1, 0, cudaStreamPerThread>>>(shared, 1);
                CHECK(cudaEventRecord(e, s));
                CHECK(cudaEventSynchronize(e));
                CHECK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
                EXPECT(v == 32 * t);
                CHECK(cudaMalloc(nullptr, 1) == cudaErrorInvalidValue ? 0 : 1);
                CHECK(cudaGetLastError() == cudaErrorInvalidValue ? 0 : 1);
                CHECK(cudaEventDestroy(e));
                CHECK(cudaStreamDestroy(s));
                CHECK(cudaFree(p));
            }
        });
    for (auto &t : all)
        t.join();
    CHECK(cudaDeviceSynchronize());
    int v;
    CHECK(cudaMemcpy(&v, shared, 4, cudaMemcpyDeviceToHost));
    EXPECT(v == 500);
}

static long resident()
{
    long size = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    EXPECT(f && fscanf(f, "%ld %ld", &size, &pages) == 2);
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.global .u32 table[1000];\n.visible .entry k() { ret; }\n";

static void make_and_end(int n)
{
    for (int i = 0; i < n; ++i) {
        CUcontext c;
        CUmodule m;
        CUfunction f;
        CUstream s;
        CUevent e;
        CUdeviceptr p;
        CHECK(cuCtxCreate(&c, 0, 0));
        CHECK(cuModuleLoadData(&m, ptx));
        CHECK(cuModuleGetFunction(&f, m, "k"));
        CHECK(cuStreamCreate(&s, 0));
        CHECK(cuEventCreate(&e, 0));
        CHECK(cuMemAlloc(&p, 1 << 20));
        CHECK(cuMemsetD8(p, 1, 1 << 20));
        CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr));
        CHECK(cuEventRecord(e, s));
        CHECK(cuStreamSynchronize(s));
        if (i & 1) { // else the context ends them
            CHECK(cuEventDestroy(e));
            CHECK(cuStreamDestroy(s));
            CHECK(cuMemFree(p));
            CHECK(cuModuleUnload(m));
        }
        CHECK(cuCtxDestroy(c));
        for (int k = 0; k < 20; ++k) {
            std::thread([] { cudaStreamSynchronize(cudaStreamPerThread); }).join();
        }
    }
}

// Thousands of things are made and ended without a leak.
static void leaks()
{
    CHECK(cuInit(0));
    CHECK(cudaFree(0));
    make_and_end(100);
    long before = resident(), each = 0;
    for (int n = 200; n <= 2000; n += 200) { // what a collector has not come to gets less for each the longer it goes on, a leak does not
        make_and_end(200);
        each = (resident() - before) / n;
        if (each <= 16 << 10)
            return;
    }
    printf("grown by %ld bytes each time\n", each), exit(1);
}

// What does not fit is refused.
static void memory()
{
    int *p;
    CHECK(cudaMalloc(&p, 4));
    rlimit limit = {};
    CHECK(getrlimit(RLIMIT_AS, &limit));
    long size = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    EXPECT(f && fscanf(f, "%ld", &size) == 1);
    fclose(f);
    limit.rlim_cur = size * sysconf(_SC_PAGESIZE) + (256l << 20);
    CHECK(setrlimit(RLIMIT_AS, &limit));
    void *h = nullptr, *d = nullptr;
    EXPECT(cudaMallocHost(&h, 1l << 30) == cudaErrorMemoryAllocation);
    EXPECT(cudaMalloc(&d, 1l << 50) == cudaErrorMemoryAllocation);
    EXPECT(cudaMallocManaged(&d, 1l << 50) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation ? 0 : 1);
    CHECK(cudaMemset(p, 0, 4));
    add<<<1, 1>>>(p, 1);
    CHECK(cudaDeviceSynchronize());
}

// A child can not use CUDA, but can start a program that does.
static void children(char *self)
{
    CHECK(cudaFree(0));
    pid_t child = fork();
    if (child == 0) {
        int n;
        CUcontext c;
        void *p;
        bool refused = cudaGetDeviceCount(&n) == cudaErrorInitializationError && cuInit(0) == CUDA_ERROR_NOT_INITIALIZED &&
                       cuCtxGetCurrent(&c) == CUDA_ERROR_NOT_INITIALIZED && cudaMalloc(&p, 1) == cudaErrorInitializationError &&
                       cudaGetLastError() == cudaErrorInitializationError;
        if (refused)
            execl(self, self, "hello", nullptr);
        _exit(1);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(cudaFree(0));
}

static int *running()
{
    int *p;
    CHECK(cudaMalloc(&p, 4));
    CHECK(cudaMemset(p, 0, 4));
    spin<<<1, 32>>>(p);
    return p;
}

struct global {
    ~global() { if (made) { int n = 0; cudaGetDeviceCount(&n); cudaFree(0); cudaDeviceSynchronize(); } }
    bool made = false;
} late;

int main(int argc, char **argv)
{
    std::string what = argc > 1 ? argv[1] : "";
    if (what == "names") names();
    if (what == "threads") threads();
    if (what == "leaks") leaks();
    if (what == "memory") memory();
    if (what == "children") children(argv[0]);
    if (what == "hello") { int *p; CHECK(cudaMalloc(&p, 4)); add<<<1, 1>>>(p, 1); CHECK(cudaDeviceSynchronize()); }
    if (what == "destructor") { late.made = true; CHECK(cudaFree(0)); }
    if (what == "return while running") running();
    if (what == "exit while running") { running(); exit(0); }
    if (what == "_exit while running") { running(); puts("PASS"); fflush(stdout); _exit(0); }
    if (what == "exit in a thread while running") { running(); std::thread([] { puts("PASS"); exit(0); }).join(); }
    if (what == "signal while running") { running(); puts("PASS"); fflush(stdout); raise(SIGTERM); }
    if (what == "exception while running") { running(); puts("PASS"); fflush(stdout); throw std::runtime_error("thrown"); }
    if (what == "pthread_exit") { std::thread([] { usleep(100000); CHECK(cudaFree(0)); puts("PASS"); exit(0); }).detach(); CHECK(cudaFree(0)); pthread_exit(nullptr); }
    puts("PASS");
    return 0;
}
