// Ways for a process to end, one for each argument.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>
#include <cuda_runtime.h>

__global__ void say() { printf("said\n"); }
__global__ void spin(long long n, int *p)
{
    long long s = 0;
    for (long long i = 0; i < n; ++i) s += i * i;
    *p = (int)s;
}

struct Resource {
    void *p = nullptr;
    ~Resource()
    {
        if (p) printf("destroyed %s\n", cudaGetErrorName(cudaFree(p)));
    }
} resource;

static void at_exit() { say<<<1, 1>>>(); }
static void leave(void *) { exit(9); }
static void crash(void *) { *(volatile int *)16 = 1; }

int main(int, char **argv)
{
    const char *how = argv[1];
    int *p;
    if (cudaMalloc(&p, 64) != cudaSuccess) return 100;
    if (!strcmp(how, "return")) return 3;
    if (!strcmp(how, "destructor")) { cudaMalloc(&resource.p, 16); return 4; }
    if (!strcmp(how, "atexit")) { atexit(at_exit); exit(5); }
    if (!strcmp(how, "quick")) { say<<<1, 1>>>(); _exit(6); }
    if (!strcmp(how, "thread")) {
        std::thread([=] { spin<<<4, 32>>>(1ll << 40, p); }).detach();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        exit(7);
    }
    if (!strcmp(how, "host function")) { cudaLaunchHostFunc(0, leave, nullptr); cudaDeviceSynchronize(); }
    if (!strcmp(how, "segmentation fault")) *(volatile int *)32 = 1;
    if (!strcmp(how, "crash in host function")) { cudaLaunchHostFunc(0, crash, nullptr); cudaDeviceSynchronize(); }
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "interrupt")) { raise(SIGINT); }
    if (!strcmp(how, "closed output")) { fclose(stdout); say<<<1, 1>>>(); return cudaDeviceSynchronize() == cudaSuccess ? 8 : 1; }
    if (!strcmp(how, "fork")) { // a child that uses nothing of CUDA ends as ever
        if (fork() == 0) exit(0);
        return cudaDeviceSynchronize() == cudaSuccess ? 10 : 1;
    }
    return 1;
}
