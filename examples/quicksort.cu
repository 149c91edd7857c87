// Sorts integers with kernels that launch kernels (dynamic parallelism; nvcc needs -rdc=true). One thread partitions its range
// and launches the sort of both sides, each in a stream of its own, so that they may run at the same time; short ranges,
// and those that are too deep, are sorted in place by one thread.
//   recursive  launches for every range
//   tail       the host launches one grid, which launches itself again when all of its children are done: the passes of an
//              odd-even transposition sort, without the host
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));           \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)

const int MAX_DEPTH = 12, SHORT = 24, BLOCK = 64;

template <class T> __device__ void insertion_sort(T *a, int left, int right)
{
    for (int i = left + 1; i <= right; i++) {
        T v = a[i];
        int j = i;
        for (; j > left && v < a[j - 1]; j--)
            a[j] = a[j - 1];
        a[j] = v;
    }
}

template <class T> __device__ void swap_values(T &a, T &b)
{
    T t = a;
    a = b;
    b = t;
}

template <class T> __global__ void quicksort(T *a, int left, int right, int depth = 0)
{
    if (depth >= MAX_DEPTH || right - left < SHORT) {
        insertion_sort(a, left, right);
        return;
    }
    T pivot = a[(left + right) / 2];
    int i = left, j = right;
    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (pivot < a[j])
            j--;
        if (i <= j)
            swap_values(a[i++], a[j--]);
    }
    if (left < j) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, stream>>>(a, left, j, depth + 1);
        cudaStreamDestroy(stream);
    }
    if (i < right) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, stream>>>(a, i, right, depth + 1);
        cudaStreamDestroy(stream);
    }
}

// A thread orders a pair of neighbours: the even pairs, or the odd ones.
__global__ void order_pairs(int *a, int n, int first)
{
    int i = first + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n && a[i + 1] < a[i])
        swap_values(a[i], a[i + 1]);
}

__global__ void passes(int *a, int n, int left)
{
    int blocks = (n / 2 + BLOCK - 1) / BLOCK;
    for (int pass = 0; pass < 16; pass++)
        order_pairs<<<blocks, BLOCK>>>(a, n, pass % 2);
    if (left > 1)
        passes<<<1, 1, 0, cudaStreamTailLaunch>>>(a, n, left - 1);
}

static bool report(const char *name, const std::vector<int> &sorted, int *device)
{
    std::vector<int> got(sorted.size());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got.data(), device, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == sorted;
    printf("%s %s: %zu numbers\n", ok ? "PASS" : "FAIL", name, got.size());
    return ok;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < 2) {
        fprintf(stderr, "usage: %s [numbers, at least 2]\n", argv[0]);
        return 2;
    }
    std::vector<int> numbers(n);
    unsigned state = 1;
    for (int &v : numbers)
        v = (state = state * 1664525u + 1013904223u) >> 8;
    std::vector<int> sorted = numbers;
    std::sort(sorted.begin(), sorted.end());

    int *device;
    size_t bytes = n * sizeof(int);
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMemcpy(device, numbers.data(), bytes, cudaMemcpyHostToDevice));
    quicksort<<<1, 1>>>(device, 0, n - 1);
    CHECK(cudaGetLastError());
    bool ok = report("recursive", sorted, device);

    CHECK(cudaMemcpy(device, numbers.data(), bytes, cudaMemcpyHostToDevice));
    passes<<<1, 1>>>(device, n, (n + 15) / 16);
    CHECK(cudaGetLastError());
    ok = report("tail", sorted, device) && ok;
    CHECK(cudaFree(device));
    return ok ? 0 : 1;
}
