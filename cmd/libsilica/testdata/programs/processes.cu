// Two processes share memory and an event; virtual memory grows; freed memory says so.
#include "check.h"
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *p, int v) { atomicAdd_system(p, v); }
__global__ void await(volatile int *flag, int *to)
{
    while (*flag == 0) {}
    atomicAdd(to, 5);
}
__global__ void fill(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = i;
}

#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)

// Numbers that neither process has open.
static const int childReads = 100, childWrites = 101;

template <class T> static void tell(int fd, const T &v) { if (write(fd, &v, sizeof v) != sizeof v) exit(9); }
template <class T> static T hear(int fd) { T v; if (read(fd, &v, sizeof v) != sizeof v) exit(8); return v; }

// The other process: it waits in a stream for the parent's kernel, which waits for what it copies in another.
static int child()
{
    cudaIpcMemHandle_t handle = hear<cudaIpcMemHandle_t>(childReads);
    cudaIpcEventHandle_t eventHandle = hear<cudaIpcEventHandle_t>(childReads);
    int *p, v = 0, one = 1;
    cudaEvent_t event;
    cudaStream_t waiting, free;
    CHECK(cudaIpcOpenMemHandle((void **)&p, handle, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenEventHandle(&event, eventHandle));
    CHECK(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking));
    EXPECT(cudaEventQuery(event) == cudaErrorNotReady);
    CHECK(cudaStreamWaitEvent(waiting, event, 0));
    add<<<1, 32, 0, waiting>>>(p + 2, 1);
    EXPECT(cudaStreamQuery(waiting) == cudaErrorNotReady);
    CHECK(cudaMemcpyAsync(p + 1, &one, 4, cudaMemcpyDefault, free));
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaStreamSynchronize(waiting));
    CHECK(cudaEventQuery(event));
    CHECK(cudaMemcpy(&v, p + 2, 4, cudaMemcpyDefault));
    EXPECT(v == 37);
    // Atomics of both at once.
    tell(childWrites, 'a');
    for (int i = 0; i < 20; ++i)
        add<<<8, 64>>>(p + 3, 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaIpcCloseMemHandle(p));
    return failures;
}

static void processes(char *self)
{
    int down[2], up[2];
    EXPECT(pipe(down) == 0 && pipe(up) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(down[0], childReads);
        dup2(up[1], childWrites);
        execl("/proc/self/exe", self, "child", nullptr);
        _exit(7);
    }
    int *p, v = 0;
    cudaEvent_t event;
    cudaIpcMemHandle_t handle;
    cudaIpcEventHandle_t eventHandle;
    CHECK(cudaMalloc(&p, 64));
    CHECK(cudaMemset(p, 0, 64));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK(cudaIpcGetMemHandle(&handle, p));
    CHECK(cudaIpcGetEventHandle(&eventHandle, event));
    CHECK(cudaEventQuery(event));
    await<<<1, 1>>>(p + 1, p + 2);
    CHECK(cudaEventRecord(event));
    EXPECT(cudaEventQuery(event) == cudaErrorNotReady);
    tell(down[1], handle);
    tell(down[1], eventHandle);
    hear<char>(up[0]);
    for (int i = 0; i < 20; ++i)
        add<<<8, 64>>>(p + 3, 1);
    CHECK(cudaDeviceSynchronize());
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(cudaMemcpy(&v, p + 3, 4, cudaMemcpyDefault));
    EXPECT(v == 2 * 20 * 8 * 64);
    CHECK(cudaFree(p));
}

// A vector that grows behind itself.
static void grows()
{
    const size_t step = 2 << 20;
    CUdeviceptr base;
    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    DRIVER(cuMemAddressReserve(&base, 64 * step, 0, 0, 0));
    for (size_t n = 0; n < 8; ++n) {
        CUmemGenericAllocationHandle h;
        DRIVER(cuMemCreate(&h, step, &prop, 0));
        DRIVER(cuMemMap(base + n * step, step, 0, h, 0));
        DRIVER(cuMemSetAccess(base + n * step, step, &access, 1));
        DRIVER(cuMemRelease(h));
        int count = (n + 1) * step / 4;
        fill<<<(count + 1023) / 1024, 1024>>>((int *)base, count);
        int last[2];
        CHECK(cudaMemcpy(last, (int *)base + count - 2, 8, cudaMemcpyDefault));
        EXPECT(last[0] == count - 2 && last[1] == count - 1);
        // Over the border of two pieces.
        if (n > 0) {
            CHECK(cudaMemcpy(last, (char *)base + n * step - 4, 8, cudaMemcpyDefault));
            EXPECT(last[1] == last[0] + 1);
        }
    }
    size_t before, after, total;
    DRIVER(cuMemGetInfo(&before, &total));
    DRIVER(cuMemUnmap(base, 8 * step));
    DRIVER(cuMemGetInfo(&after, &total));
    EXPECT(after - before == 8 * step);
    DRIVER(cuMemAddressFree(base, 64 * step));
}

int main(int argc, char **argv)
{
    if (argc > 1) return child();
    processes(argv[0]);
    grows();
    return failures;
}
