// Cooperative groups: thread_block, tiles, coalesced groups, grid and cluster.
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

// A namespace of its own, as in CUDA: libcu++ declares the groups there before this header does.
namespace cooperative_groups {
namespace __v1 {

namespace details {
SILICA_DEVICE unsigned int thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
SILICA_DEVICE unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
SILICA_DEVICE unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
SILICA_DEVICE unsigned long long grid_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
SILICA_DEVICE unsigned long long block_rank() { return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }

// Shuffles of any trivially copyable type, 32 bits at a time.
template <class T, class Move> SILICA_DEVICE T shuffle(T value, Move move)
{
    constexpr int words = (sizeof(T) + 3) / 4;
    unsigned int w[words] = {};
    __builtin_memcpy(w, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < words; ++i) w[i] = move(w[i]);
    __builtin_memcpy(&value, w, sizeof(T));
    return value;
}

// Bits in the workspace word of a cooperative launch: the arrival counter of grid.sync().
struct grid_workspace { unsigned int size, barrier; };
SILICA_DEVICE grid_workspace *workspace()
{
    unsigned int hi, lo;
    asm("mov.u32 %0, %%envreg1;" : "=r"(hi));
    asm("mov.u32 %0, %%envreg2;" : "=r"(lo));
    return (grid_workspace *)((unsigned long long)hi << 32 | lo);
}
} // namespace details

class thread_block {
public:
    static __device__ __forceinline__ void sync() { __syncthreads(); }
    static __device__ __forceinline__ unsigned int thread_rank() { return details::thread_rank(); }
    static __device__ __forceinline__ unsigned int num_threads() { return details::block_size(); }
    static __device__ __forceinline__ unsigned int size() { return details::block_size(); }
    static __device__ __forceinline__ dim3 group_index() { return blockIdx; }
    static __device__ __forceinline__ dim3 thread_index() { return threadIdx; }
    static __device__ __forceinline__ dim3 group_dim() { return blockDim; }
    static __device__ __forceinline__ dim3 dim_threads() { return blockDim; }
#if SILICA_ARCH >= 700
    struct arrival_token {};
    static __device__ __forceinline__ arrival_token barrier_arrive() { asm volatile("barrier.sync 0;" ::: "memory"); return arrival_token(); }
    static __device__ __forceinline__ void barrier_wait(arrival_token &&) {}
#endif
};
SILICA_DEVICE thread_block this_thread_block() { return thread_block(); }

// A subset of a warp, by its mask of lanes. size() is that of the whole group.
class lane_group {
public:
    __device__ __forceinline__ explicit lane_group(unsigned int mask) : mask_(mask) {}
    __device__ __forceinline__ unsigned int mask() const { return mask_; }

private:
    unsigned int mask_;
};

class coalesced_group : public lane_group {
public:
    __device__ __forceinline__ explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0, unsigned int meta_size = 1)
        : lane_group(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
    __device__ __forceinline__ void sync() const { __syncwarp(mask()); }
    __device__ __forceinline__ unsigned int num_threads() const { return __popc(mask()); }
    __device__ __forceinline__ unsigned int size() const { return num_threads(); }
    __device__ __forceinline__ unsigned int thread_rank() const { return __popc(mask() & __nvvm_read_ptx_sreg_lanemask_lt()); }
    __device__ __forceinline__ unsigned int meta_group_rank() const { return meta_rank_; }
    __device__ __forceinline__ unsigned int meta_group_size() const { return meta_size_; }
    template <class T> __device__ __forceinline__ T shfl(T v, int rank) const
    { int lane = lane_of(rank); return details::shuffle(v, [=, this_mask = mask()](unsigned int w) { return __shfl_sync(this_mask, w, lane); }); }
    template <class T> __device__ __forceinline__ T shfl_up(T v, unsigned int delta) const
    { unsigned int r = thread_rank(); return shfl(v, r >= delta ? r - delta : r); }
    template <class T> __device__ __forceinline__ T shfl_down(T v, unsigned int delta) const
    { unsigned int r = thread_rank(); return shfl(v, r + delta < num_threads() ? r + delta : r); }
    template <class T> __device__ __forceinline__ T shfl_xor(T v, unsigned int lanes) const
    { unsigned int r = thread_rank(), o = r ^ lanes; return shfl(v, o < num_threads() ? o : r); }
    __device__ __forceinline__ int any(int p) const { return __any_sync(mask(), p); }
    __device__ __forceinline__ int all(int p) const { return __all_sync(mask(), p); }
    __device__ __forceinline__ unsigned int ballot(int p) const { return pack(__ballot_sync(mask(), p)); }
    template <class T> __device__ __forceinline__ unsigned int match_any(T v) const { return pack(__match_any_sync(mask(), v)); }
    template <class T> __device__ __forceinline__ unsigned int match_all(T v, int &p) const { return pack(__match_all_sync(mask(), v, &p)); }

private:
    // The lane of the thread of a given rank: the rank-th set bit of the mask.
    __device__ __forceinline__ int lane_of(int rank) const { return (int)__fns(mask(), 0, rank + 1); }
    // Bits of lanes to bits of ranks.
    __device__ __forceinline__ unsigned int pack(unsigned int lanes) const
    {
        unsigned int packed = 0, rank = 0;
        for (unsigned int m = mask(); m; m &= m - 1) packed |= (lanes >> (__ffs(m) - 1) & 1u) << rank++;
        return packed;
    }
    unsigned int meta_rank_, meta_size_;
};
SILICA_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// A tile of Size consecutive threads of its parent; Size is a power of two up to 32. Larger ones are in wide_tile.h.
template <unsigned int Size, class Parent = void> class thread_block_tile {
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 or 1024 threads");

public:
    // meta_rank counts the tile among the meta_size that its parent was partitioned into.
    __device__ __forceinline__ thread_block_tile(unsigned int meta_rank, unsigned int meta_size) : meta_rank_(meta_rank), meta_size_(meta_size) {}
    template <class Other> __device__ __forceinline__ thread_block_tile(const thread_block_tile<Size, Other> &g)
        : meta_rank_(g.meta_group_rank()), meta_size_(g.meta_group_size()) {}
    static __device__ __forceinline__ unsigned int mask()
    { return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1u) << (details::lane() & ~(Size - 1)); }
    static __device__ __forceinline__ void sync() { __syncwarp(mask()); }
    static __device__ __forceinline__ unsigned int thread_rank() { return details::lane() & (Size - 1); }
    static __device__ __forceinline__ constexpr unsigned int num_threads() { return Size; }
    static __device__ __forceinline__ constexpr unsigned int size() { return Size; }
    __device__ __forceinline__ unsigned int meta_group_rank() const { return meta_rank_; }
    __device__ __forceinline__ unsigned int meta_group_size() const { return meta_size_; }
    template <class T> __device__ __forceinline__ T shfl(T v, int rank) const
    { return details::shuffle(v, [=](unsigned int w) { return __shfl_sync(mask(), w, rank, Size); }); }
    template <class T> __device__ __forceinline__ T shfl_up(T v, unsigned int delta) const
    { return details::shuffle(v, [=](unsigned int w) { return __shfl_up_sync(mask(), w, delta, Size); }); }
    template <class T> __device__ __forceinline__ T shfl_down(T v, unsigned int delta) const
    { return details::shuffle(v, [=](unsigned int w) { return __shfl_down_sync(mask(), w, delta, Size); }); }
    template <class T> __device__ __forceinline__ T shfl_xor(T v, unsigned int lanes) const
    { return details::shuffle(v, [=](unsigned int w) { return __shfl_xor_sync(mask(), w, (int)lanes, Size); }); }
    __device__ __forceinline__ int any(int p) const { return (__ballot_sync(mask(), p) & mask()) != 0; }
    __device__ __forceinline__ int all(int p) const { return (__ballot_sync(mask(), p) & mask()) == mask(); }
    __device__ __forceinline__ unsigned int ballot(int p) const { return pack(__ballot_sync(mask(), p)); }
    template <class T> __device__ __forceinline__ unsigned int match_any(T v) const { return pack(__match_any_sync(mask(), v)); }
    template <class T> __device__ __forceinline__ unsigned int match_all(T v, int &p) const { return pack(__match_all_sync(mask(), v, &p)); }
    __device__ __forceinline__ operator coalesced_group() const { return coalesced_group(mask(), meta_group_rank(), meta_group_size()); }

private:
    static __device__ __forceinline__ unsigned int pack(unsigned int lanes) { return (lanes & mask()) >> (details::lane() & ~(Size - 1)); }
    unsigned int meta_rank_, meta_size_;
};
#include "silica/wide_tile.h"
template <unsigned int Size> SILICA_DEVICE thread_block_tile<Size, thread_block> tiled_partition(const thread_block &g)
{
    details::beginning<Size, (Size > 32)>::of(g);
    return thread_block_tile<Size, thread_block>(details::thread_rank() / Size, (details::block_size() + Size - 1) / Size);
}
template <unsigned int Size, unsigned int Outer, class P>
SILICA_DEVICE thread_block_tile<Size, thread_block_tile<Outer, P>> tiled_partition(const thread_block_tile<Outer, P> &g)
{
    static_assert(Size <= Outer, "a tile cannot be larger than its parent");
    details::beginning<Size, (Size > 32 && Size < Outer)>::of(g);
    return thread_block_tile<Size, thread_block_tile<Outer, P>>(g.thread_rank() / Size, Outer / Size);
}
// A tile whose size is known only at run time; and pieces of a coalesced group.
SILICA_DEVICE coalesced_group tiled_partition(const thread_block &, unsigned int size)
{
    unsigned int first = details::lane() & ~(size - 1);
    unsigned int mask = (size == 32 ? 0xffffffffu : ((1u << size) - 1u) << first) & __activemask();
    return coalesced_group(mask, details::thread_rank() / size, (details::block_size() + size - 1) / size);
}
SILICA_DEVICE coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size)
{
    unsigned int piece = parent.thread_rank() / size, rank = 0, mask = 0;
    for (unsigned int m = parent.mask(); m; m &= m - 1, ++rank)
        if (rank / size == piece) mask |= m & -m;
    return coalesced_group(mask, piece, (parent.size() + size - 1) / size);
}
#if SILICA_ARCH >= 700
// The threads of a group that agree on a label, or on a predicate.
template <class Group, class Label> SILICA_DEVICE coalesced_group labeled_partition(const Group &g, Label label)
{
    static_assert(sizeof(Label) <= 8, "a label is an integer");
    if (sizeof(Label) > 4) return coalesced_group(__match_any_sync(g.mask(), (unsigned long long)label) & g.mask());
    return coalesced_group(__match_any_sync(g.mask(), (unsigned int)label) & g.mask());
}
template <class Group> SILICA_DEVICE coalesced_group binary_partition(const Group &g, bool predicate)
{
    unsigned int yes = __ballot_sync(g.mask(), predicate) & g.mask();
    return coalesced_group(predicate ? yes : g.mask() & ~yes, predicate, 2);
}
#endif

// Any group within a block, as a value: a whole block when the mask is 0, or lanes of a warp.
class thread_group {
public:
    __device__ __forceinline__ thread_group(const thread_block &) : mask_(0) {}
    __device__ __forceinline__ thread_group(const coalesced_group &g) : mask_(g.mask()) {}
    template <unsigned int Size, class P> __device__ __forceinline__ thread_group(const thread_block_tile<Size, P> &g) : mask_(g.mask()) {}
    __device__ __forceinline__ void sync() const { if (mask_) __syncwarp(mask_); else __syncthreads(); }
    __device__ __forceinline__ unsigned int size() const { return mask_ ? __popc(mask_) : details::block_size(); }
    __device__ __forceinline__ unsigned int num_threads() const { return size(); }
    __device__ __forceinline__ unsigned int thread_rank() const
    { return mask_ ? __popc(mask_ & __nvvm_read_ptx_sreg_lanemask_lt()) : details::thread_rank(); }

private:
    unsigned int mask_;
};

class grid_group {
public:
    static __device__ __forceinline__ bool is_valid() { return details::workspace() != nullptr; }
    // Each block adds one, the first block what is missing to flip the top bit; everyone waits for the flip.
    // A launch that is not cooperative ends with a trap.
    typedef unsigned int arrival_token;
    static __device__ __forceinline__ arrival_token barrier_arrive()
    {
        if (!is_valid()) __trap();
        unsigned int old = 0;
        __syncthreads();
        if (details::thread_rank() == 0) {
            unsigned int expected = (unsigned int)details::grid_blocks();
            unsigned int add = details::block_rank() == 0 ? 0x80000000u - (expected - 1) : 1u;
            __threadfence();
            old = atomicAdd(&details::workspace()->barrier, add);
        }
        return old;
    }
    static __device__ __forceinline__ void barrier_wait(arrival_token &&old)
    {
        if (details::thread_rank() == 0) {
            while (((*(volatile unsigned int *)&details::workspace()->barrier ^ old) & 0x80000000u) == 0) {}
            __threadfence();
        }
        __syncthreads();
    }
    static __device__ __forceinline__ void sync() { barrier_wait(barrier_arrive()); }
    static __device__ __forceinline__ unsigned long long num_threads() { return details::grid_blocks() * details::block_size(); }
    static __device__ __forceinline__ unsigned long long size() { return num_threads(); }
    static __device__ __forceinline__ unsigned long long thread_rank() { return details::block_rank() * details::block_size() + details::thread_rank(); }
    static __device__ __forceinline__ unsigned long long num_blocks() { return details::grid_blocks(); }
    static __device__ __forceinline__ unsigned long long block_rank() { return details::block_rank(); }
    static __device__ __forceinline__ dim3 group_dim() { return gridDim; }
    static __device__ __forceinline__ dim3 dim_blocks() { return gridDim; }
    static __device__ __forceinline__ dim3 block_index() { return blockIdx; }
#if SILICA_ARCH >= 900
    static __device__ __forceinline__ dim3 cluster_index() { return __clusterIdx(); }
    static __device__ __forceinline__ dim3 dim_clusters() { return __clusterGridDimInClusters(); }
    static __device__ __forceinline__ unsigned long long cluster_rank()
    { dim3 i = cluster_index(), n = dim_clusters(); return ((unsigned long long)i.z * n.y + i.y) * n.x + i.x; }
    static __device__ __forceinline__ unsigned long long num_clusters() { dim3 n = dim_clusters(); return (unsigned long long)n.x * n.y * n.z; }
#endif
};
SILICA_DEVICE grid_group this_grid() { return grid_group(); }

#if SILICA_ARCH >= 900
class cluster_group {
public:
    struct arrival_token {};
    static __device__ __forceinline__ arrival_token barrier_arrive()
    { __cluster_barrier_arrive(); return arrival_token(); }
    static __device__ __forceinline__ void barrier_wait() { __cluster_barrier_wait(); }
    static __device__ __forceinline__ void barrier_wait(arrival_token &&) { barrier_wait(); }
    static __device__ __forceinline__ void sync() { barrier_arrive(); barrier_wait(); }
    static __device__ __forceinline__ unsigned int block_rank() { return __clusterRelativeBlockRank(); }
    static __device__ __forceinline__ unsigned int num_blocks() { return __clusterSizeInBlocks(); }
    static __device__ __forceinline__ unsigned int num_threads() { return num_blocks() * details::block_size(); }
    static __device__ __forceinline__ unsigned int size() { return num_threads(); }
    static __device__ __forceinline__ unsigned int thread_rank() { return block_rank() * details::block_size() + details::thread_rank(); }
    static __device__ __forceinline__ dim3 block_index() { return __clusterRelativeBlockIdx(); }
    static __device__ __forceinline__ dim3 dim_blocks() { return __clusterDim(); }
    static __device__ __forceinline__ dim3 dim_threads()
    { dim3 n = dim_blocks(); return dim3(n.x * blockDim.x, n.y * blockDim.y, n.z * blockDim.z); }
    static __device__ __forceinline__ dim3 thread_index()
    { dim3 i = block_index(); return dim3(i.x * blockDim.x + threadIdx.x, i.y * blockDim.y + threadIdx.y, i.z * blockDim.z + threadIdx.z); }
    // The address of a shared variable of this block in the block of another rank.
    template <class T> static __device__ __forceinline__ T *map_shared_rank(T *p, int rank) { return (T *)__cluster_map_shared_rank(p, rank); }
    static __device__ __forceinline__ unsigned int query_shared_rank(const void *p) { return __cluster_query_shared_rank(p); }
};
SILICA_DEVICE cluster_group this_cluster() { return cluster_group(); }
#endif

template <class Group> SILICA_DEVICE void sync(const Group &g) { g.sync(); }
template <class Group> SILICA_DEVICE auto thread_rank(const Group &g) -> decltype(g.thread_rank()) { return g.thread_rank(); }
template <class Group> SILICA_DEVICE auto group_size(const Group &g) -> decltype(g.size()) { return g.size(); }

// One thread of the group calls a function; its result is that thread's alone, or all threads'.
template <class Group, class F, class... A> SILICA_DEVICE void invoke_one(const Group &g, F &&f, A &&...a)
{ if (g.thread_rank() == 0) static_cast<F &&>(f)(static_cast<A &&>(a)...); }
template <class Group, class F, class... A> SILICA_DEVICE auto invoke_one_broadcast(const Group &g, F &&f, A &&...a)
    -> decltype(static_cast<F &&>(f)(static_cast<A &&>(a)...))
{
    decltype(static_cast<F &&>(f)(static_cast<A &&>(a)...)) result{}; // read in all threads
    if (g.thread_rank() == 0) result = static_cast<F &&>(f)(static_cast<A &&>(a)...);
    return g.shfl(result, 0);
}

// Where CUDA 11 has tiles of more than 32 threads.
namespace experimental {
template <unsigned int Bytes, unsigned int Threads = 1024> struct block_tile_memory {};
template <unsigned int Bytes, unsigned int Threads> SILICA_DEVICE thread_block this_thread_block(block_tile_memory<Bytes, Threads> &)
{ return thread_block(); }
template <unsigned int Size, class Parent> SILICA_DEVICE auto tiled_partition(const Parent &g) -> decltype(__v1::tiled_partition<Size>(g))
{ return __v1::tiled_partition<Size>(g); }
} // namespace experimental

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#pragma clang attribute pop
#endif
#endif
