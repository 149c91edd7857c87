// Device, managed, pinned, registered, pitched and stream-ordered memory, reached from kernels and from the host.
#include <cstdint>
#include <cstring>
#include <vector>
#include "check.h"

__global__ void add_index(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += i;
}
__global__ void fill_pitched(char *base, size_t pitch, int width, int height)
{
    for (int y = threadIdx.y; y < height; y += blockDim.y)
        for (int x = threadIdx.x; x < width; x += blockDim.x) base[y * pitch + x] = (char)(x + y);
}
__device__ void *volatile too_much; // so that the allocation is made
__global__ void device_heap(int *out)
{
    int *p = (int *)malloc(64);
    if (p) p[3] = threadIdx.x;
    out[threadIdx.x] = p ? p[3] : -1;
    free(p);
    if (threadIdx.x == 0) {
        too_much = malloc((size_t)1 << 30);
        out[32] = too_much == nullptr;
    }
}

static void check_indices(const char *what, const int *p, int n)
{
    for (int i = 0; i < n; ++i)
        if (p[i] != i + 5) {
            ++failures;
            printf("%s: element %d is %d\n", what, i, p[i]);
            return;
        }
}

int main()
{
    const int n = 1000;
    std::vector<int> host(n, 5);
    int *device;
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    CHECK(cudaMemcpy(device, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    add_index<<<4, 256>>>(device, n);
    CHECK(cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
    check_indices("device", host.data(), n);
    CHECK(cudaFree(device));

    int *managed;
    CHECK(cudaMallocManaged(&managed, n * sizeof(int)));
    for (int i = 0; i < n; ++i) managed[i] = 5;
    CHECK(cudaMemPrefetchAsync(managed, n * sizeof(int), 0));
    CHECK(cudaMemAdvise(managed, n * sizeof(int), cudaMemAdviseSetReadMostly, 0));
    add_index<<<4, 256>>>(managed, n);
    CHECK(cudaDeviceSynchronize());
    check_indices("managed", managed, n);
    ANSWERS(cudaErrorInvalidValue, cudaMemPrefetchAsync(host.data(), 4, 0));
    ANSWERS(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, n * sizeof(int) + 1, 0));
    ANSWERS(cudaErrorInvalidValue, cudaMemAdvise(managed, 4, (cudaMemoryAdvise)77, 0));
    CHECK(cudaFree(managed));

    int *pinned, *mapped;
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    for (int i = 0; i < n; ++i) pinned[i] = 5;
    CHECK(cudaHostGetDevicePointer(&mapped, pinned, 0));
    add_index<<<4, 256>>>(mapped, n);
    CHECK(cudaDeviceSynchronize());
    check_indices("pinned", pinned, n);
    CHECK(cudaFreeHost(pinned));

    std::vector<int> registered(n, 5);
    CHECK(cudaHostRegister(registered.data(), n * sizeof(int), cudaHostRegisterMapped));
    add_index<<<4, 256>>>(registered.data(), n);
    CHECK(cudaDeviceSynchronize());
    check_indices("registered", registered.data(), n);
    CHECK(cudaHostUnregister(registered.data()));

    char *pitched;
    size_t pitch;
    const int width = 100, height = 7;
    CHECK(cudaMallocPitch(&pitched, &pitch, width, height));
    EXPECT(pitch >= (size_t)width && (uintptr_t)pitched % 256 == 0);
    fill_pitched<<<1, dim3(32, 4)>>>(pitched, pitch, width, height);
    std::vector<char> rows(width * height);
    CHECK(cudaMemcpy2D(rows.data(), width, pitched, pitch, width, height, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) EXPECT(rows[y * width + x] == (char)(x + y));
    CHECK(cudaFree(pitched));

    int *ordered;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&ordered, n * sizeof(int), stream));
    CHECK(cudaMemsetAsync(ordered, 0, n * sizeof(int), stream));
    add_index<<<4, 256, 0, stream>>>(ordered, n);
    CHECK(cudaMemcpyAsync(host.data(), ordered, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(ordered, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) EXPECT(host[i] == i);
    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMallocAsync(&ordered, 64, pool, stream));
    CHECK(cudaFree(ordered));
    CHECK(cudaStreamDestroy(stream));

    int *heap, results[33];
    CHECK(cudaMalloc(&heap, sizeof results));
    device_heap<<<1, 32>>>(heap);
    CHECK(cudaMemcpy(results, heap, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) EXPECT(results[i] == i);
    EXPECT(results[32]); // more than the heap's limit

    // All memory can be had in one piece, none is left then, and all of it is back after cudaFree.
    size_t free_, total, before;
    CHECK(cudaMemGetInfo(&before, &total));
    void *most, *more;
    CHECK(cudaMalloc(&most, before / 256 * 256 - 4096));
    CHECK(cudaMemset((char *)most + before / 2, 1, 100));
    ANSWERS(cudaErrorMemoryAllocation, cudaMalloc(&more, 1 << 20));
    CHECK(cudaFree(most));
    CHECK(cudaMemGetInfo(&free_, &total));
    EXPECT(free_ == before);
    return failures;
}
