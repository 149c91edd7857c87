#include <cub/cub.cuh>
#include <algorithm>
#include <numeric>
#include "check.h"

constexpr int threads = 128, items = 4, n = threads * items;

__global__ void scans(const int *in, int *inclusive, int *exclusive, int *total)
{
    using Scan = cub::BlockScan<int, threads>;
    using Load = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, threads, items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Scan::TempStorage scan;
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } storage;
    int v[items], s[items], sum;
    Load(storage.load).Load(in, v);
    __syncthreads();
    Scan(storage.scan).InclusiveSum(v, s);
    __syncthreads();
    Store(storage.store).Store(inclusive, s);
    __syncthreads();
    Scan(storage.scan).ExclusiveSum(v, s, sum);
    __syncthreads();
    Store(storage.store).Store(exclusive, s);
    if (threadIdx.x == 0) *total = sum;
}

__global__ void sorts(const int *in, int *keys, int *values, int *striped)
{
    using Sort = cub::BlockRadixSort<int, threads, items, int>;
    using Exchange = cub::BlockExchange<int, threads, items>;
    __shared__ typename Sort::TempStorage sort;
    __shared__ typename Exchange::TempStorage exchange;
    int k[items], v[items];
    cub::LoadDirectBlocked(threadIdx.x, in, k);
    for (int i = 0; i < items; i++) v[i] = threadIdx.x * items + i;
    Sort(sort).Sort(k, v);
    cub::StoreDirectBlocked(threadIdx.x, keys, k);
    cub::StoreDirectBlocked(threadIdx.x, values, v);
    Exchange(exchange).BlockedToStriped(k);
    cub::StoreDirectStriped<threads>(threadIdx.x, striped, k);
}

struct less { __device__ bool operator()(int a, int b) const { return a < b; } };
struct different { __device__ bool operator()(int a, int b) const { return a != b; } };
struct larger { __device__ int operator()(int a, int b) const { return a < b ? b : a; } };

__global__ void others(const int *in, int *sorted, int *largest, int *histogram, int *heads)
{
    using Sort = cub::BlockMergeSort<int, threads, items>;
    using Reduce = cub::BlockReduce<int, threads, cub::BLOCK_REDUCE_RAKING>;
    using Histogram = cub::BlockHistogram<unsigned char, threads, items, 256, cub::BLOCK_HISTO_ATOMIC>;
    using Discontinuity = cub::BlockDiscontinuity<int, threads>;
    __shared__ typename Sort::TempStorage sort;
    __shared__ typename Reduce::TempStorage reduce;
    __shared__ typename Histogram::TempStorage counts;
    __shared__ typename Discontinuity::TempStorage discontinuity;
    __shared__ int bins[256];
    int v[items], flags[items];
    cub::LoadDirectBlocked(threadIdx.x, in, v);
    unsigned char bytes[items];
    for (int i = 0; i < items; i++) bytes[i] = (unsigned char)v[i];
    Histogram(counts).Histogram(bytes, bins);
    int most = Reduce(reduce).Reduce(v, larger());
    if (threadIdx.x == 0) *largest = most;
    Sort(sort).Sort(v, less());
    cub::StoreDirectBlocked(threadIdx.x, sorted, v);
    Discontinuity(discontinuity).FlagHeads(flags, v, different());
    cub::StoreDirectBlocked(threadIdx.x, heads, flags);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += threads) histogram[i] = bins[i];
}

__global__ void warps(const int *in, int *sums, int *prefixes, int *sorted, int *heads)
{
    using Reduce = cub::WarpReduce<int>;
    using Eights = cub::WarpReduce<int, 8>;
    using Scan = cub::WarpScan<int>;
    using Sort = cub::WarpMergeSort<int, items, 32>;
    __shared__ typename Reduce::TempStorage reduce[threads / 32];
    __shared__ typename Eights::TempStorage eights[threads / 8];
    __shared__ typename Scan::TempStorage scan[threads / 32];
    __shared__ typename Sort::TempStorage sort[threads / 32];
    const int warp = threadIdx.x / 32, x = in[threadIdx.x];
    const int sum = Reduce(reduce[warp]).Sum(x), eight = Eights(eights[threadIdx.x / 8]).Sum(x);
    if (threadIdx.x % 32 == 0) sums[warp] = sum;
    if (threadIdx.x % 8 == 0) sums[threads / 32 + threadIdx.x / 8] = eight;
    int prefix;
    Scan(scan[warp]).InclusiveSum(x, prefix);
    prefixes[threadIdx.x] = prefix;
    __syncwarp();
    const int segmented = Reduce(reduce[warp]).HeadSegmentedSum(x, threadIdx.x % 5 == 0);
    heads[threadIdx.x] = threadIdx.x % 5 == 0 ? segmented : 0;
    int v[items];
    cub::LoadDirectBlocked(threadIdx.x, in, v);
    Sort(sort[warp]).Sort(v, less());
    cub::StoreDirectBlocked(threadIdx.x, sorted, v);
}

int main()
{
    const std::vector<int> h = integers(n, 10000);
    int *in = on_device(h), *a = on_device<int>(n), *b = on_device<int>(n), *c = on_device<int>(n), *d = on_device<int>(n);
    std::vector<int> want(n), sorted = h;
    std::partial_sum(h.begin(), h.end(), want.begin());
    scans<<<1, threads>>>(in, a, b, c);
    CUDA(cudaDeviceSynchronize());
    CHECK(on_host(a, n) == want && on_host(c, 1)[0] == want[n - 1]);
    CHECK(on_host(b, n)[n - 1] == want[n - 2] && on_host(b, n)[0] == 0);

    sorts<<<1, threads>>>(in, a, b, c);
    CUDA(cudaDeviceSynchronize());
    std::sort(sorted.begin(), sorted.end());
    CHECK(on_host(a, n) == sorted && on_host(c, n) == sorted);
    for (int i = 0; i < n; i += 17) CHECK(h[on_host(b, n)[i]] == sorted[i]);

    others<<<1, threads>>>(in, a, b, c, d);
    CUDA(cudaDeviceSynchronize());
    CHECK(on_host(a, n) == sorted && on_host(b, 1)[0] == sorted[n - 1]);
    std::vector<int> counts(256);
    for (int x : h) counts[x & 255]++;
    CHECK(on_host(c, 256) == counts);
    const std::vector<int> heads = on_host(d, n);
    CHECK(std::accumulate(heads.begin(), heads.end(), 0) == std::unique(sorted.begin(), sorted.end()) - sorted.begin());

    warps<<<1, threads>>>(in, a, b, c, d);
    CUDA(cudaDeviceSynchronize());
    CHECK(on_host(a, 4)[2] == std::accumulate(h.begin() + 64, h.begin() + 96, 0));
    CHECK(on_host(a, 20)[4 + 9] == std::accumulate(h.begin() + 72, h.begin() + 80, 0));
    CHECK(on_host(b, n)[63] == std::accumulate(h.begin() + 32, h.begin() + 64, 0));
    CHECK(on_host(d, n)[40] == std::accumulate(h.begin() + 40, h.begin() + 45, 0));
    std::vector<int> part(h.begin() + 128, h.begin() + 256);
    std::sort(part.begin(), part.end());
    const std::vector<int> parts = on_host(c, n);
    CHECK(std::equal(part.begin(), part.end(), parts.begin() + 128));
}
