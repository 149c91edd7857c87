// Tiles of more than 32 threads, of cooperative_groups.h: warps of a block that wait for each other and exchange values in shared memory.
// What NVIDIA's take of the shared memory that is reserved for each block, or of block_tile_memory, these take of the kernel's own.
#ifndef SILICA_WIDE_TILE_H
#define SILICA_WIDE_TILE_H

namespace details {
// What the tiles of one size share, 16 of them at most, with 32 bytes for each warp.
struct wide_state {
    unsigned int arrived[16], generation[16];
    unsigned long long values[32][4];
};
template <unsigned int Size> SILICA_DEVICE wide_state *wide()
{
    __shared__ wide_state state;
    return &state;
}

template <unsigned int Size> class wide_tile {
public:
    __device__ __forceinline__ wide_tile(unsigned int meta_rank, unsigned int meta_size) : meta_rank_(meta_rank), meta_size_(meta_size) {}
    // begin is called once before the tile is used; its parent waits for it.
    static __device__ __forceinline__ void begin()
    { if (thread_rank() == 0) wide<Size>()->arrived[index()] = wide<Size>()->generation[index()] = 0; }
    // The last of the warps to come lets the others go.
    static __device__ __forceinline__ void sync()
    {
        __syncwarp();
        if (details::thread_rank() % 32 == 0) {
            volatile unsigned int *generation = &wide<Size>()->generation[index()];
            unsigned int before = *generation;
            __threadfence_block();
            if (atomicAdd(&wide<Size>()->arrived[index()], 1u) == Size / 32 - 1) {
                wide<Size>()->arrived[index()] = 0;
                __threadfence_block();
                *generation = before + 1;
            }
            while (*generation == before) {}
            __threadfence_block();
        }
        __syncwarp();
    }
    static __device__ __forceinline__ unsigned int thread_rank() { return details::thread_rank() % Size; }
    static __device__ __forceinline__ constexpr unsigned int num_threads() { return Size; }
    static __device__ __forceinline__ constexpr unsigned int size() { return Size; }
    __device__ __forceinline__ unsigned int meta_group_rank() const { return meta_rank_; }
    __device__ __forceinline__ unsigned int meta_group_size() const { return meta_size_; }
    template <class T> static __device__ __forceinline__ T shfl(T v, unsigned int rank)
    { return exchange(v, thread_rank() == rank, [=](T (*of)(unsigned int)) { return of(rank / 32); }); }
    static __device__ __forceinline__ int any(int p)
    {
        return exchange(__any_sync(0xffffffffu, p), first(), [](int (*of)(unsigned int)) {
            int result = 0;
            for (unsigned int w = 0; w < Size / 32; ++w) result |= of(w);
            return result;
        });
    }
    static __device__ __forceinline__ int all(int p) { return !any(!p); }
    // Each thread's value and those of all before it, and, of the warps before its own, of those (none is T()).
    template <class T, class Op> static __device__ __forceinline__ T scan(T v, Op op, T *before = nullptr)
    {
#pragma unroll
        for (unsigned int d = 1; d < 32; d *= 2) {
            T lower = details::shuffle(v, [=](unsigned int w) { return __shfl_up_sync(0xffffffffu, w, d); });
            if (details::thread_rank() % 32 >= d) v = op(lower, v);
        }
        return exchange(v, details::thread_rank() % 32 == 31, [=](T (*of)(unsigned int)) {
            unsigned int warp = thread_rank() / 32;
            T lower = T();
            for (unsigned int w = 0; w < warp; ++w) lower = w == 0 ? of(w) : op(lower, of(w));
            if (before) *before = lower;
            return warp == 0 ? v : op(lower, v);
        });
    }

private:
    static __device__ __forceinline__ unsigned int index() { return details::thread_rank() / Size; }
    static __device__ __forceinline__ bool first() { return details::thread_rank() % 32 == 0; }
    // The value that a warp of the tile gave.
    template <class T> static __device__ __forceinline__ T given(unsigned int warp)
    {
        T v;
        __builtin_memcpy(&v, wide<Size>()->values[index() * (Size / 32) + warp], sizeof(T));
        return v;
    }
    // One thread of each warp, at most, gives a value; all take what they want of them.
    template <class T, class Take> static __device__ __forceinline__ T exchange(T v, bool gives, Take take)
    {
        static_assert(sizeof(T) <= 32, "tiles of more than 32 threads exchange values of up to 32 bytes");
        if (gives) __builtin_memcpy(wide<Size>()->values[details::thread_rank() / 32], &v, sizeof(T));
        sync();
        T result = take(&given<T>);
        sync(); // the values have been taken
        return result;
    }
    unsigned int meta_rank_, meta_size_;
};
} // namespace details

#define SILICA_WIDE_TILE(size)                                                                                                        \
    template <class Parent> class thread_block_tile<size, Parent> : public details::wide_tile<size> {                                 \
    public:                                                                                                                           \
        using details::wide_tile<size>::wide_tile;                                                                                    \
        template <class Other> __device__ __forceinline__ thread_block_tile(const thread_block_tile<size, Other> &g)                  \
            : details::wide_tile<size>(g) {}                                                                                          \
    };
SILICA_WIDE_TILE(64)
SILICA_WIDE_TILE(128)
SILICA_WIDE_TILE(256)
SILICA_WIDE_TILE(512)
SILICA_WIDE_TILE(1024)
#undef SILICA_WIDE_TILE

// Memory for the tiles of a block of so many threads, which is not needed here.
template <unsigned int Threads = 1024> struct block_tile_memory {};
template <unsigned int Threads> SILICA_DEVICE thread_block this_thread_block(block_tile_memory<Threads> &) { return thread_block(); }

namespace details {
template <unsigned int Size, bool Wide> struct beginning {
    template <class Parent> static __device__ __forceinline__ void of(const Parent &) {}
};
template <unsigned int Size> struct beginning<Size, true> {
    template <class Parent> static __device__ __forceinline__ void of(const Parent &parent)
    {
        wide_tile<Size>::begin();
        parent.sync();
    }
};
} // namespace details

#endif
