// Asynchronous copies from global to shared memory in their C form. Before sm_80 they are ordinary copies.
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_runtime.h"

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

// Copies size (4, 8 or 16) bytes, the last zfill of them as zeros.
SILICA_DEVICE void __pipeline_memcpy_async(void *__restrict__ dst, const void *__restrict__ src, size_t size, size_t zfill = 0)
{
#if __CUDA_ARCH__ >= 800
    unsigned int to = (unsigned int)__cvta_generic_to_shared(dst);
    size_t from = __cvta_generic_to_global(src);
    unsigned int bytes = (unsigned int)(size - zfill);
    if (size == 16 && zfill == 0) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else if (size == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    else if (size == 8 && zfill == 0) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
    else if (size == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    else if (zfill == 0) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
#else
    for (size_t i = 0; i < size; ++i) ((char *)dst)[i] = i < size - zfill ? ((const char *)src)[i] : 0;
#endif
}
SILICA_DEVICE void __pipeline_commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits until at most n of the newest groups are unfinished; n is a compile-time constant after inlining, at most 8.
SILICA_DEVICE void __pipeline_wait_prior(size_t n)
{
#if __CUDA_ARCH__ >= 800
#define SILICA_WAIT(k) else if (n == k) asm volatile("cp.async.wait_group " #k ";" ::: "memory");
    if (n == 0) asm volatile("cp.async.wait_all;" ::: "memory");
    SILICA_WAIT(1) SILICA_WAIT(2) SILICA_WAIT(3) SILICA_WAIT(4) SILICA_WAIT(5) SILICA_WAIT(6) SILICA_WAIT(7)
    else asm volatile("cp.async.wait_group 8;" ::: "memory");
#undef SILICA_WAIT
#endif
}

#pragma clang attribute pop
#endif
#endif
