// Cooperative groups: each thread computes what it can know of its groups and compares.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

#define SAME(a, b)                                                                                                    \
    do {                                                                                                              \
        auto a_ = (a);                                                                                                \
        decltype(a_) b_ = (b);                                                                                        \
        if (a_ != b_) {                                                                                               \
            atomicAdd(wrong, 1);                                                                                      \
            printf("line %d, block %d, thread %d: %lld, want %lld\n", __LINE__, blockIdx.x, threadIdx.x, (long long)a_, (long long)b_); \
        }                                                                                                             \
    } while (0)

__global__ void tiles(int *wrong)
{
    int t = threadIdx.x;
    auto block = cg::this_thread_block();
    SAME(block.size(), blockDim.x);
    SAME(block.thread_rank(), t);
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    auto four = cg::tiled_partition<4>(tile);
    auto two = cg::tiled_partition<2>(cg::tiled_partition<8>(block));
    SAME(tile.meta_group_size(), blockDim.x / 16);
    SAME(tile.meta_group_rank(), t / 16);
    SAME(two.meta_group_size(), 4);
    SAME(two.meta_group_rank(), t % 8 / 2);
    SAME(four.thread_rank(), t % 4);
    SAME(tile.shfl(t, 3), t / 16 * 16 + 3);
    SAME(tile.shfl_up(t, 1), t % 16 ? t - 1 : t);
    SAME(tile.shfl_down(t, 2), t % 16 < 14 ? t + 2 : t);
    SAME(tile.shfl_xor(t, 5), t ^ 5);
    SAME(tile.ballot(t % 3 == 0), [&] { unsigned m = 0; for (int i = 0; i < 16; i++) m |= ((t / 16 * 16 + i) % 3 == 0) << i; return m; }());
    SAME(tile.any(t % 16 == 7), 1);
    SAME(tile.all(t % 16 == 7), 0);
    SAME(cg::reduce(tile, t, cg::plus<int>()), t / 16 * 16 * 16 + 120);
    SAME(cg::reduce(tile, t, cg::greater<int>()), t / 16 * 16 + 15);
    SAME(cg::reduce(tile, t, cg::less<>()), t / 16 * 16);
    SAME(cg::reduce(four, 1 << t % 4, cg::bit_or<int>()), 15);
    SAME(cg::inclusive_scan(tile, 2), 2 * (t % 16 + 1));
    SAME(cg::exclusive_scan(tile, 2), 2 * (t % 16));
    SAME(cg::exclusive_scan(tile, t % 16, cg::plus<int>()), t % 16 * (t % 16 - 1) / 2);
    SAME(cg::invoke_one_broadcast(tile, [&](int add) { return t + add; }, 100), t / 16 * 16 + 100);
    int calls = 0;
    cg::invoke_one(tile, [&] { calls++; });
    SAME(calls, t % 16 == 0);
    cg::thread_group any = tile;
    SAME(any.size(), 16);
    SAME(any.thread_rank(), t % 16);
}

// One lane of those that are here counts for all, and hands over a variable that the others have not set.
__global__ void aggregated(int *wrong, int *sum)
{
    int t = threadIdx.x % 32;
    if (t % 3 == 0) {
        unsigned here = __activemask();
        int leader = __ffs(here) - 1, first;
        if (t == leader) first = atomicAdd(sum, __popc(here));
        first = __shfl_sync(here, first, leader);
        SAME(first % __popc(here), 0);
    }
    __syncthreads();
    auto g = cg::coalesced_threads();
    int first;
    if (g.thread_rank() == 0) first = atomicAdd(sum + 1, g.size());
    SAME(g.shfl(first, 0) % 32, 0);
}

__global__ void coalesced(int *wrong)
{
    int t = threadIdx.x % 32;
    if (t % 3 == 1) {
        auto g = cg::coalesced_threads();
        SAME(g.size(), 11);
        SAME(g.thread_rank(), t / 3);
        SAME(g.shfl(t, 2), 7);
        SAME(g.shfl_down(t, 1), t < 31 ? t + 3 : t);
        SAME(cg::reduce(g, 1, cg::plus<int>()), 11);
        SAME(cg::inclusive_scan(g, 1, cg::plus<int>()), t / 3 + 1);
        auto half = cg::binary_partition(g, t < 16);
        SAME(half.size(), t < 16 ? 5 : 6);
        auto label = cg::labeled_partition(g, (unsigned long long)(t / 9) << 40);
        SAME(label.size(), t < 27 ? 3 : 2);
        auto pieces = cg::tiled_partition(g, 4);
        SAME(pieces.size(), t / 3 < 8 ? 4 : 3);
        SAME(pieces.meta_group_size(), 3);
        SAME(cg::invoke_one_broadcast(g, [&] { return t; }), 1);
    }
    auto byLabel = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), t % 5);
    SAME(byLabel.size(), t % 5 < 2 ? 7 : 6);
    SAME(byLabel.thread_rank(), t / 5);
}

__global__ void copies(int *wrong, const int *in)
{
    __shared__ __align__(16) int s[256];
    __shared__ char c[13];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof s));
    cg::memcpy_async(block, c, (const char *)in + 1, sizeof c);
    cg::wait(block);
    for (int i = threadIdx.x; i < 256; i += blockDim.x) SAME(s[i], i * 3);
    if (threadIdx.x < 13) SAME(c[threadIdx.x], ((const char *)in)[threadIdx.x + 1]);
    block.sync();
    auto warp = cg::tiled_partition<32>(block);
    int *mine = s + warp.meta_group_rank() * 64;
    cg::memcpy_async(warp, mine, 40, in + 100, 32);
    cg::memcpy_async(warp, mine + 32, 32, in, 32);
    cg::wait_prior<1>(warp);
    SAME(mine[warp.thread_rank()], (100 + warp.thread_rank()) * 3);
    cg::wait(warp);
    SAME(mine[32 + warp.thread_rank()], warp.thread_rank() * 3);
}

struct wide_value { double sum; int count; };

// Tiles of more than a warp.
template <unsigned int Size> __global__ void wide_tiles(int *wrong)
{
    __shared__ cg::block_tile_memory<1024> memory;
    __shared__ int s[1024];
    int t = threadIdx.x, first = t / Size * Size, rank = t % Size;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<Size>(block);
    cg::thread_block_tile<Size> same = tile;
    SAME(tile.num_threads(), Size);
    SAME(tile.thread_rank(), rank);
    SAME(same.meta_group_rank(), t / Size);
    SAME(tile.meta_group_size(), blockDim.x / Size);
    for (int i = 0; i < 3; i++) { // tiles go at their own pace
        if (t / Size % 2 == 1) __nanosleep(100);
        s[t] = t + i;
        tile.sync();
        SAME(s[first + (rank + 37) % Size], first + (rank + 37) % Size + i);
        tile.sync();
    }
    SAME(tile.shfl(t, Size - 3), first + Size - 3);
    SAME(tile.any(rank == 40), 1);
    SAME(tile.any(t < 0), 0);
    SAME(tile.all(rank != 40), 0);
    SAME(tile.all(t >= 0), 1);
    SAME(cg::reduce(tile, rank, cg::plus<int>()), Size * (Size - 1) / 2);
    SAME(cg::reduce(tile, t, cg::less<int>()), first);
    SAME(cg::inclusive_scan(tile, rank), rank * (rank + 1) / 2);
    SAME(cg::exclusive_scan(tile, rank), rank * (rank - 1) / 2);
    wide_value v = cg::reduce(tile, wide_value{0.5, 1}, [](wide_value a, wide_value b) { return wide_value{a.sum + b.sum, a.count + b.count}; });
    SAME(v.sum, Size * 0.5);
    SAME(v.count, Size);
    auto inner = cg::tiled_partition<Size / 2>(tile);
    SAME(inner.meta_group_size(), 2);
    SAME(inner.meta_group_rank(), rank / (Size / 2));
    SAME(cg::reduce(inner, 1, cg::plus<int>()), Size / 2);
}

__global__ void __cluster_dims__(2, 1, 1) clusters(int *wrong)
{
    __shared__ int s;
    auto cluster = cg::this_cluster();
    auto grid = cg::this_grid();
    SAME(grid.num_clusters(), gridDim.x / 2);
    SAME(grid.cluster_rank(), blockIdx.x / 2);
    SAME(grid.cluster_index().x, blockIdx.x / 2);
    SAME(grid.dim_clusters().x, gridDim.x / 2);
    SAME(cluster.num_blocks(), 2);
    SAME(cluster.dim_threads().x, 2 * blockDim.x);
    SAME(cluster.thread_rank(), blockIdx.x % 2 * blockDim.x + threadIdx.x);
    SAME(cluster.block_index().x, blockIdx.x % 2);
    if (threadIdx.x == 0) s = blockIdx.x;
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(static_cast<cg::cluster_group::arrival_token &&>(token));
    SAME(*cluster.map_shared_rank(&s, cluster.block_rank() ^ 1), blockIdx.x ^ 1);
    SAME(cluster.query_shared_rank(&s), cluster.block_rank());
    cluster.sync();
}

__global__ void grids(int *wrong, int *sum, int rounds)
{
    auto grid = cg::this_grid();
    SAME(grid.is_valid(), true);
    SAME(grid.num_blocks(), gridDim.x * gridDim.y);
    SAME(grid.block_rank(), blockIdx.y * gridDim.x + blockIdx.x);
    for (int i = 0; i < rounds; i++) {
        atomicAdd(sum, 1);
        if (i % 2) {
            grid.sync();
        } else {
            auto token = grid.barrier_arrive();
            grid.barrier_wait(static_cast<cg::grid_group::arrival_token &&>(token));
        }
        SAME(*(volatile int *)sum, (i + 1) * (int)grid.size());
        grid.sync();
    }
}

int main()
{
    int *wrong, *in, *sum, host[256], rounds = 6;
    for (int i = 0; i < 256; i++) host[i] = 3 * i;
    CHECK(cudaMallocManaged(&wrong, sizeof *wrong));
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&sum, sizeof *sum));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    *wrong = 0;
    tiles<<<2, 128>>>(wrong);
    wide_tiles<64><<<2, 1024>>>(wrong);
    wide_tiles<128><<<2, 512>>>(wrong);
    wide_tiles<1024><<<2, 1024>>>(wrong);
    coalesced<<<2, 64>>>(wrong);
    copies<<<1, 128>>>(wrong, in);
    clusters<<<4, 64>>>(wrong);
    int *counts, counted[2];
    CHECK(cudaMalloc(&counts, sizeof counted));
    CHECK(cudaMemset(counts, 0, sizeof counted));
    aggregated<<<4, 64>>>(wrong, counts);
    CHECK(cudaMemcpy(counted, counts, sizeof counted, cudaMemcpyDeviceToHost));
    EXPECT(counted[0] == 4 * 2 * 11);
    EXPECT(counted[1] == 4 * 64);
    CHECK(cudaGetLastError());
    void *arguments[] = {&wrong, &sum, &rounds};
    CHECK(cudaLaunchCooperativeKernel((void *)grids, dim3(3, 2), dim3(96), arguments, 0, 0));
    CHECK(cudaDeviceSynchronize());
    EXPECT(*wrong == 0);
    return failures;
}
