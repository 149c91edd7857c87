// What the runtime's look-ups of driver functions answer, and what its named streams are. Compiled on an NVIDIA H200, CUDA 13.0,
// with and without --default-stream per-thread, this program wrote entrypoint.h200.txt.
#include <cstdio>
#include <dlfcn.h>
#include <thread>
#include <cuda_runtime.h>

#define R(call) do { cudaError_t code_ = (call), last_ = cudaGetLastError(); printf("%s: %s, last %s\n", #call, cudaGetErrorName(code_), cudaGetErrorName(last_)); } while (0)

static void entry(const char *name, unsigned version, unsigned long long flags, bool want)
{
    void *p = (void *)16;
    cudaDriverEntryPointQueryResult status = (cudaDriverEntryPointQueryResult)-1;
    cudaError_t code = cudaGetDriverEntryPointByVersion(name, &p, version, flags, want ? &status : nullptr);
    Dl_info info = {};
    const char *found = !p ? "none" : p == (void *)16 ? "untouched" : dladdr(p, &info) && info.dli_sname ? info.dli_sname : "unnamed";
    printf("%s %u %llu: %s, last %s, status %d, %s\n", name, version, flags, cudaGetErrorName(code), cudaGetErrorName(cudaGetLastError()), (int)status, found);
}

static unsigned long long id(cudaStream_t s)
{
    unsigned long long n = 0;
    cudaError_t code = cudaStreamGetId(s, &n);
    if (code) printf("id: %s\n", cudaGetErrorName(code));
    return n;
}

int main()
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    R(cudaFree(0));
    for (bool want : {true, false}) {
        entry("cuMemcpyHtoD", 12000, 0, want);
        entry("cuMemcpyHtoD", 12000, 1, want);
        entry("cuMemcpyHtoD", 12000, 2, want);
        entry("cuMemcpyHtoD", 12000, 3, want);
        entry("cuMemcpyHtoD", 1000, 0, want);
        entry("cuCtxCreate", 11040, 0, want);
        entry("cuFoo", 12000, 0, want);
        entry("cuFoo", 12000, 8, want);
    }
    printf("0 is legacy %d, 0 is per thread %d\n", id(0) == id(cudaStreamLegacy), id(0) == id(cudaStreamPerThread));
    unsigned long long mine = id(cudaStreamPerThread), others = 0, zero = id(0), theirs = 0;
    std::thread([&] { others = id(cudaStreamPerThread); theirs = id(0); }).join();
    printf("per thread differs %d, 0 differs %d\n", mine != others, zero != theirs);
    unsigned flags = 7;
    int priority = 7;
    R(cudaStreamGetFlags(0, &flags)); printf("%u\n", flags);
    R(cudaStreamGetFlags(cudaStreamLegacy, &flags)); printf("%u\n", flags);
    R(cudaStreamGetFlags(cudaStreamPerThread, &flags)); printf("%u\n", flags);
    R(cudaStreamGetPriority(cudaStreamPerThread, &priority)); printf("%d\n", priority);
    R(cudaStreamQuery(cudaStreamLegacy));
    R(cudaStreamQuery(cudaStreamPerThread));
    R(cudaStreamDestroy(cudaStreamPerThread));
    cudaGraph_t graph;
    R(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed));
    R(cudaStreamEndCapture(0, &graph));
    R(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeRelaxed));
    R(cudaStreamEndCapture(cudaStreamPerThread, &graph));
    R(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed));
    R(cudaStreamDestroy(0));
    R(cudaStreamDestroy(cudaStreamLegacy));
}
