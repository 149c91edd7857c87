// threadIdx, blockIdx, blockDim, gridDim and warpSize. Reading a member reads the special register.
#ifndef SILICA_BUILTIN_VARIABLES_H
#define SILICA_BUILTIN_VARIABLES_H

#include "../vector_types.h"

#ifdef __CUDA__

#define SILICA_SPECIAL(reg, field)                                                                       \
    __declspec(property(get = silica_##field)) unsigned int field;                                       \
    static __device__ __attribute__((always_inline)) unsigned int silica_##field() { return __nvvm_read_ptx_sreg_##reg##_##field(); }
#define SILICA_SPECIAL_TYPE(name, reg)                                                                   \
    struct silica_##name##_t {                                                                           \
        SILICA_SPECIAL(reg, x)                                                                           \
        SILICA_SPECIAL(reg, y)                                                                           \
        SILICA_SPECIAL(reg, z)                                                                           \
        __device__ __attribute__((always_inline)) operator uint3() const { return uint3{x, y, z}; }      \
        __device__ __attribute__((always_inline)) operator dim3() const { return dim3(x, y, z); }        \
        silica_##name##_t() = default;                                                                   \
        silica_##name##_t(const silica_##name##_t &) = delete;                                           \
        void operator=(const silica_##name##_t &) const = delete;                                        \
        silica_##name##_t *operator&() const = delete;                                                   \
    };                                                                                                   \
    extern const __device__ __attribute__((weak)) silica_##name##_t name;

SILICA_SPECIAL_TYPE(threadIdx, tid)
SILICA_SPECIAL_TYPE(blockIdx, ctaid)
SILICA_SPECIAL_TYPE(blockDim, ntid)
SILICA_SPECIAL_TYPE(gridDim, nctaid)

#undef SILICA_SPECIAL_TYPE
#undef SILICA_SPECIAL

static const __device__ int warpSize = 32;

#endif
#endif
