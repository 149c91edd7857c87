// Copies by the threads of a group: cooperative_groups::memcpy_async, wait and wait_prior.
#ifndef SILICA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define SILICA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

// A size in bytes that is a multiple of Alignment, as are the addresses it goes with.
#ifndef SILICA_ALIGNED_SIZE
#define SILICA_ALIGNED_SIZE
namespace cuda {
template <size_t Alignment> struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;
    __host__ __device__ constexpr explicit aligned_size_t(size_t size) : value(size) {}
    __host__ __device__ constexpr operator size_t() const { return value; }
};
} // namespace cuda
#endif

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {
namespace __v1 {

namespace details {
// The threads of a group copy bytes in pieces of as many as the addresses and the size allow, of 16 at most; from global
// to shared memory, pieces of 4 and more are asynchronous copies.
template <class Group> SILICA_DEVICE void copy(const Group &g, void *dst, const void *src, size_t bytes)
{
    size_t odd = (size_t)dst | (size_t)src | bytes;
    bool asynchronous = __isShared(dst) && __isGlobal(src);
    size_t piece = odd % 16 == 0 ? 16 : odd % 8 == 0 ? 8 : odd % 4 == 0 ? 4 : 1;
    for (size_t at = g.thread_rank() * piece; at < bytes; at += (size_t)g.size() * piece) {
        char *to = (char *)dst + at;
        const char *from = (const char *)src + at;
        if (asynchronous && piece > 1) __pipeline_memcpy_async(to, from, piece);
        else if (piece == 16) *(uint4 *)to = *(const uint4 *)from;
        else if (piece == 8) *(uint2 *)to = *(const uint2 *)from;
        else if (piece == 4) *(unsigned int *)to = *(const unsigned int *)from;
        else *to = *from;
    }
    __pipeline_commit();
}
} // namespace details

// Copies bytes.
template <class Group, class T, class U> SILICA_DEVICE void memcpy_async(const Group &g, T *dst, const U *src, size_t bytes)
{ details::copy(g, (void *)dst, (const void *)src, bytes); }
template <class Group, class T, class U, size_t N>
SILICA_DEVICE void memcpy_async(const Group &g, T *dst, const U *src, const cuda::aligned_size_t<N> &bytes)
{ details::copy(g, (void *)dst, (const void *)src, bytes.value); }
// Copies as many elements as both layouts have: layouts are numbers of elements, or of bytes with an alignment.
template <class Group, class T, class U, class To, class From>
SILICA_DEVICE void memcpy_async(const Group &g, T *dst, const To &to, const U *src, const From &from)
{
    size_t a = (size_t)to * sizeof(T), b = (size_t)from * sizeof(U);
    details::copy(g, (void *)dst, (const void *)src, a < b ? a : b);
}

// Waits until all copies of the group, or all but its newest stages, are complete.
template <class Group> SILICA_DEVICE void wait(const Group &g)
{
    __pipeline_wait_prior(0);
    g.sync();
}
template <unsigned int Stages, class Group> SILICA_DEVICE void wait_prior(const Group &g)
{
    __pipeline_wait_prior(Stages);
    g.sync();
}

} // namespace __v1
} // namespace cooperative_groups

#pragma clang attribute pop
#endif
#endif
