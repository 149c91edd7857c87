// The host goes on while kernels run, streams overlap, and what is not waited for is not ready.
#include "check.h"

__global__ void await(volatile int *flag, int *out)
{
    while (*flag == 0) {}
    *out = *flag;
}

__global__ void set(volatile int *flag, int value) { *flag = value; }

static void CUDART_CB wake(void *flag) { *(volatile int *)flag = 3; }

int main()
{
    int *out, *flags, value = 0;
    cudaStream_t s, t;
    cudaEvent_t e;
    CHECK(cudaMalloc(&out, 64));
    CHECK(cudaHostAlloc(&flags, 64, cudaHostAllocMapped));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));

    // A kernel waits for the host.
    volatile int *flag = flags;
    *flag = 0;
    await<<<1, 1, 0, s>>>(flags, out);
    CHECK(cudaEventRecord(e, s));
    ANSWERS(cudaErrorNotReady, cudaStreamQuery(s));
    ANSWERS(cudaErrorNotReady, cudaEventQuery(e));
    CHECK(cudaStreamQuery(t));
    *flag = 1;
    CHECK(cudaEventSynchronize(e));
    CHECK(cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost));
    EXPECT(value == 1);

    // A kernel waits for one of another stream.
    *flag = 0;
    await<<<1, 1, 0, s>>>(flags, out);
    set<<<1, 1, 0, t>>>(flags, 2);
    CHECK(cudaMemcpyAsync(&value, out, 4, cudaMemcpyDeviceToHost, s)); // not pinned: it waits
    EXPECT(value == 2);

    // A kernel waits for a host function.
    *flag = 0;
    await<<<1, 1, 0, s>>>(flags, out);
    CHECK(cudaLaunchHostFunc(t, wake, flags));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost));
    EXPECT(value == 3);

    // What has been enqueued goes on when its stream is destroyed; cudaFree waits for it.
    *flag = 0;
    await<<<1, 1, 0, s>>>(flags, out);
    CHECK(cudaMemcpyAsync(flags + 1, out, 4, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamDestroy(s));
    set<<<1, 1, 0, t>>>(flags, 4);
    CHECK(cudaFree(out));
    EXPECT(flags[1] == 4);
    return failures;
}
