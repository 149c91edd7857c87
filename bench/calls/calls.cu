// Prints the median nanoseconds of calls of the library, and of a system call as their yardstick: a name and a number a line.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>
#include <sys/syscall.h>
#include <unistd.h>

__global__ void empty() {}

// median runs a call often, between which idle runs, and prints the median of the passes' means.
template <class Call, class Idle> static void median(const char *name, int calls, Call call, Idle idle)
{
    enum { passes = 21 };
    double took[passes];
    for (double &t : took) {
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; ++i)
            call();
        t = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / calls;
        idle();
    }
    std::sort(took, took + passes);
    printf("%s %.1f\n", name, took[passes / 2]);
}

int main()
{
    int device;
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return 1;
    auto nothing = [] {};
    auto wait = [&] { cudaStreamSynchronize(stream); };
    empty<<<1, 32, 0, stream>>>(); // loads the module
    wait();
    median("getpid", 20000, [] { syscall(SYS_getpid); }, nothing);
    median("cudaGetDevice", 20000, [&] { cudaGetDevice(&device); }, nothing);
    median("cudaPeekAtLastError", 20000, [] { cudaPeekAtLastError(); }, nothing);
    median("cudaStreamQuery", 20000, [&] { cudaStreamQuery(stream); }, nothing);
    median("launch", 200, [&] { empty<<<1, 32, 0, stream>>>(); }, wait);
    median("launch+synchronize", 100, [&] { empty<<<1, 32, 0, stream>>>(); wait(); }, nothing);
    return cudaGetLastError() != cudaSuccess;
}
