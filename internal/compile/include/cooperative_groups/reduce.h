// Reductions and scans over a group: cooperative_groups::reduce, inclusive_scan and exclusive_scan.
#ifndef SILICA_COOPERATIVE_GROUPS_REDUCE_H
#define SILICA_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {
namespace __v1 {

// An operator, for one type or for what it is called with.
#define SILICA_OPERATOR(name, expression)                                                                                             \
    template <class T = void> struct name { __device__ T operator()(T a, T b) const { return expression; } };                         \
    template <> struct name<void> { template <class T> __device__ T operator()(T a, T b) const { return expression; } };
SILICA_OPERATOR(plus, a + b)
SILICA_OPERATOR(less, a < b ? a : b)
SILICA_OPERATOR(greater, a < b ? b : a)
SILICA_OPERATOR(bit_and, a & b)
SILICA_OPERATOR(bit_or, a | b)
SILICA_OPERATOR(bit_xor, a ^ b)
#undef SILICA_OPERATOR

namespace details {
template <unsigned int Size, bool Wide = (Size > 32)> struct tile_algorithms {
    // Partners exchange at doubling distances.
    template <class Tile, class T, class Op> static __device__ __forceinline__ T reduce(const Tile &g, T v, Op op)
    {
#pragma unroll
        for (unsigned int d = Size / 2; d > 0; d /= 2) v = op(v, g.shfl_xor(v, d));
        return v;
    }
    template <class Tile, class T, class Op> static __device__ __forceinline__ T inclusive_scan(const Tile &g, T v, Op op)
    {
#pragma unroll
        for (unsigned int d = 1; d < Size; d *= 2) {
            T before = g.shfl_up(v, d);
            if (g.thread_rank() >= d) v = op(before, v);
        }
        return v;
    }
    template <class Tile, class T, class Op> static __device__ __forceinline__ T exclusive_scan(const Tile &g, T v, Op op)
    {
        T before = g.shfl_up(inclusive_scan(g, v, op), 1);
        return g.thread_rank() == 0 ? T() : before;
    }
};
template <unsigned int Size> struct tile_algorithms<Size, true> {
    template <class Tile, class T, class Op> static __device__ __forceinline__ T reduce(const Tile &g, T v, Op op)
    { return g.shfl(g.scan(v, op), Size - 1); }
    template <class Tile, class T, class Op> static __device__ __forceinline__ T inclusive_scan(const Tile &g, T v, Op op)
    { return g.scan(v, op); }
    template <class Tile, class T, class Op> static __device__ __forceinline__ T exclusive_scan(const Tile &g, T v, Op op)
    {
        T warps, own = g.scan(v, op, &warps);
        T before = shuffle(own, [](unsigned int w) { return __shfl_up_sync(0xffffffffu, w, 1); });
        return g.thread_rank() % 32 == 0 ? warps : before;
    }
};
} // namespace details

// Every thread of a tile gets the same result.
template <unsigned int Size, class P, class T, class Op> SILICA_DEVICE T reduce(const thread_block_tile<Size, P> &g, T v, Op op)
{
    return details::tile_algorithms<Size>::reduce(g, v, op);
}
// A coalesced group may have any size: a scan, whose last value all take.
template <class T, class Op> SILICA_DEVICE T inclusive_scan(const coalesced_group &g, T v, Op op)
{
    unsigned int rank = g.thread_rank();
    for (unsigned int d = 1; d < g.size(); d *= 2) {
        T before = g.shfl_up(v, d);
        if (rank >= d) v = op(before, v);
    }
    return v;
}
template <class T, class Op> SILICA_DEVICE T reduce(const coalesced_group &g, T v, Op op)
{
    return g.shfl(inclusive_scan(g, v, op), (int)g.size() - 1);
}
template <unsigned int Size, class P, class T, class Op> SILICA_DEVICE T inclusive_scan(const thread_block_tile<Size, P> &g, T v, Op op)
{
    return details::tile_algorithms<Size>::inclusive_scan(g, v, op);
}
template <class Group, class T> SILICA_DEVICE T inclusive_scan(const Group &g, T v) { return inclusive_scan(g, v, plus<T>()); }
// The first thread's result is T().
template <class Group, class T, class Op> SILICA_DEVICE T exclusive_scan(const Group &g, T v, Op op)
{
    T before = g.shfl_up(inclusive_scan(g, v, op), 1);
    return g.thread_rank() == 0 ? T() : before;
}
template <unsigned int Size, class P, class T, class Op> SILICA_DEVICE T exclusive_scan(const thread_block_tile<Size, P> &g, T v, Op op)
{
    return details::tile_algorithms<Size>::exclusive_scan(g, v, op);
}
template <class Group, class T> SILICA_DEVICE T exclusive_scan(const Group &g, T v) { return exclusive_scan(g, v, plus<T>()); }

} // namespace __v1
} // namespace cooperative_groups

#pragma clang attribute pop
#endif
#endif
