// Streams, events and host functions, from one thread and from several.
#include <atomic>
#include <thread>
#include <vector>
#include "check.h"

// Not atomic: launches of one stream, and of the legacy stream, never run at the same time.
__global__ void increment(int *p, int n)
{
    for (int i = 0; i < n; ++i) *(volatile int *)p = *(volatile int *)p + 1;
}
__global__ void append(int *log, int *length, int value) { log[(*length)++] = value; }

struct order { std::vector<int> seen; int *device; };

static void note(void *data) { ((order *)data)->seen.push_back(*((order *)data)->device); }
static void called(cudaStream_t, cudaError_t status, void *data) { *(int *)data += status == cudaSuccess ? 1 : 100; }

int main()
{
    int *p, *mapped;
    CHECK(cudaMalloc(&p, 64));
    CHECK(cudaMemset(p, 0, 64));
    CHECK(cudaMallocHost(&mapped, sizeof(int)));
    *mapped = 0;

    // Host functions run at their place.
    cudaStream_t s, t;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    order o{{}, mapped};
    for (int i = 0; i < 3; ++i) {
        increment<<<1, 1, 0, s>>>(mapped, 1);
        CHECK(cudaLaunchHostFunc(s, note, &o));
    }
    int callbacks = 0;
    CHECK(cudaStreamAddCallback(s, called, &callbacks, 0));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(o.seen == std::vector<int>({1, 2, 3}));
    EXPECT(callbacks == 1);

    // Work of another stream after an event.
    int *log = p + 1, *length = p, values[5];
    cudaEvent_t e;
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    append<<<1, 1, 0, s>>>(log, length, 7);
    CHECK(cudaEventRecord(e, s));
    CHECK(cudaStreamWaitEvent(t, e));
    append<<<1, 1, 0, t>>>(log, length, 8);
    CHECK(cudaStreamSynchronize(t));
    append<<<1, 1>>>(log, length, 9);
    CHECK(cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost));
    EXPECT(values[0] == 3 && values[1] == 7 && values[2] == 8 && values[3] == 9);

    // The time between events is the time that the simulation took.
    cudaEvent_t begin, end;
    float shorter = -1, longer = -1;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&shorter, begin, end));
    CHECK(cudaEventRecord(begin));
    increment<<<1, 1>>>(p + 8, 20000);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&longer, begin, end));
    EXPECT(shorter >= 0 && longer > shorter);

    // Eight threads with the same stream, and the legacy stream between them: no increment is lost.
    CHECK(cudaMemset(p, 0, 64));
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([=] {
            for (int k = 0; k < 20; ++k) increment<<<1, 1, 0, k % 3 ? s : cudaStreamLegacy>>>(p, 50);
            if (cudaStreamSynchronize(s) != cudaSuccess) abort();
        });
    // And eight with streams and memory of their own.
    std::atomic<int> wrong(0);
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&wrong] {
            cudaStream_t own;
            int *q, value = -1;
            cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
            cudaMallocAsync((void **)&q, 4, own);
            cudaMemsetAsync(q, 0, 4, own);
            for (int k = 0; k < 20; ++k) increment<<<1, 1, 0, own>>>(q, 50);
            cudaMemcpyAsync(&value, q, 4, cudaMemcpyDeviceToHost, own);
            cudaFreeAsync(q, own);
            cudaStreamDestroy(own);
            if (value != 1000 || cudaGetLastError() != cudaSuccess) ++wrong;
        });
    for (auto &thread : threads) thread.join();
    CHECK(cudaMemcpy(values, p, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(values[0] == 8 * 20 * 50);
    EXPECT(wrong == 0);

    // The last error is each thread's own.
    cudaSetDevice(5);
    cudaError_t other = cudaErrorUnknown;
    std::thread([&] { other = cudaPeekAtLastError(); }).join();
    EXPECT(other == cudaSuccess);
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);

    CHECK(cudaStreamDestroy(s));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaEventRecord((cudaEvent_t)t));
    increment<<<1, 1, 0, s>>>(p, 1);
    ANSWERS(cudaErrorInvalidResourceHandle, cudaGetLastError());
    return failures;
}
