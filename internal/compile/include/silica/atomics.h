// Atomic functions: device scope, _block and _system.
#ifndef SILICA_ATOMICS_H
#define SILICA_ATOMICS_H

#include "intrinsics.h"

// SILICA_ATOMIC(name, op, T, cast, code): the three scopes of one operation; code is the builtin's type letter.
#define SILICA_ATOMIC(name, op, T, C, code)                                                                              \
    SILICA_DEVICE T name(T *p, T v) { return (T)__nvvm_atom_##op##_gen_##code((C *)p, (C)v); }                           \
    SILICA_DEVICE T name##_block(T *p, T v) { return (T)__nvvm_atom_cta_##op##_gen_##code((C *)p, (C)v); }               \
    SILICA_DEVICE T name##_system(T *p, T v) { return (T)__nvvm_atom_sys_##op##_gen_##code((C *)p, (C)v); }
#define SILICA_ATOMIC_BITS(name, op)                                                                                     \
    SILICA_ATOMIC(name, op, int, int, i)                                                                                 \
    SILICA_ATOMIC(name, op, unsigned int, int, i)                                                                        \
    SILICA_ATOMIC(name, op, long long, long long, ll)                                                                    \
    SILICA_ATOMIC(name, op, unsigned long long, long long, ll)
#define SILICA_ATOMIC_ORDER(name, op)                                                                                    \
    SILICA_ATOMIC(name, op, int, int, i)                                                                                 \
    SILICA_ATOMIC(name, op, unsigned int, unsigned int, ui)                                                              \
    SILICA_ATOMIC(name, op, long long, long long, ll)                                                                    \
    SILICA_ATOMIC(name, op, unsigned long long, unsigned long long, ull)

SILICA_ATOMIC(atomicAdd, add, int, int, i)
SILICA_ATOMIC(atomicAdd, add, unsigned int, int, i)
SILICA_ATOMIC(atomicAdd, add, unsigned long long, long long, ll)
SILICA_ATOMIC(atomicAdd, add, float, float, f)
#if SILICA_ARCH >= 600
SILICA_ATOMIC(atomicAdd, add, double, double, d)
#endif
SILICA_ATOMIC_ORDER(atomicMin, min)
SILICA_ATOMIC_ORDER(atomicMax, max)
SILICA_ATOMIC_BITS(atomicAnd, and)
SILICA_ATOMIC_BITS(atomicOr, or)
SILICA_ATOMIC_BITS(atomicXor, xor)
SILICA_ATOMIC_BITS(atomicExch, xchg)
SILICA_ATOMIC(atomicInc, inc, unsigned int, unsigned int, ui)
SILICA_ATOMIC(atomicDec, dec, unsigned int, unsigned int, ui)
#undef SILICA_ATOMIC
#undef SILICA_ATOMIC_BITS
#undef SILICA_ATOMIC_ORDER

#define SILICA_ATOMIC_SCOPES(X) X() X(_block) X(_system)
#define SILICA_ATOMIC_REST(scope)                                                                                        \
    SILICA_DEVICE int atomicSub##scope(int *p, int v) { return atomicAdd##scope(p, (int)-(unsigned int)v); }             \
    SILICA_DEVICE unsigned int atomicSub##scope(unsigned int *p, unsigned int v) { return atomicAdd##scope(p, -v); }     \
    SILICA_DEVICE float atomicExch##scope(float *p, float v)                                                             \
    { return __builtin_bit_cast(float, atomicExch##scope((int *)p, __builtin_bit_cast(int, v))); }
SILICA_ATOMIC_SCOPES(SILICA_ATOMIC_REST)
#undef SILICA_ATOMIC_REST
#undef SILICA_ATOMIC_SCOPES

// Compare and swap: the compiler's own is the one that finds the address space and, unlike the builtin, never adds fences.
#define SILICA_ATOMIC_CAS(T, C, code)                                                                                    \
    SILICA_DEVICE T atomicCAS(T *p, T compare, T v)                                                                      \
    {                                                                                                                    \
        __scoped_atomic_compare_exchange_n(p, &compare, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); \
        return compare;                                                                                                  \
    }                                                                                                                    \
    SILICA_DEVICE T atomicCAS_block(T *p, T compare, T v)                                                                \
    { return (T)__nvvm_atom_cta_cas_gen_##code((C *)p, (C)compare, (C)v); }                                              \
    SILICA_DEVICE T atomicCAS_system(T *p, T compare, T v)                                                               \
    { return (T)__nvvm_atom_sys_cas_gen_##code((C *)p, (C)compare, (C)v); }
SILICA_ATOMIC_CAS(int, int, i)
SILICA_ATOMIC_CAS(unsigned int, int, i)
SILICA_ATOMIC_CAS(unsigned long long, long long, ll)
#undef SILICA_ATOMIC_CAS

#if SILICA_ARCH >= 700
#define SILICA_ATOMIC_CAS16(name, scope)                                                                                 \
    SILICA_DEVICE unsigned short name(unsigned short *p, unsigned short compare, unsigned short v)                       \
    {                                                                                                                    \
        unsigned short r;                                                                                                \
        asm volatile("atom" scope ".cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(compare), "h"(v) : "memory");     \
        return r;                                                                                                        \
    }
SILICA_ATOMIC_CAS16(atomicCAS, "")
SILICA_ATOMIC_CAS16(atomicCAS_block, ".cta")
SILICA_ATOMIC_CAS16(atomicCAS_system, ".sys")
#undef SILICA_ATOMIC_CAS16
#endif

#if SILICA_ARCH >= 900
#define SILICA_ATOMIC_VECTOR(name, scope)                                                                                \
    SILICA_DEVICE float2 name(float2 *p, float2 v)                                                                       \
    {                                                                                                                    \
        float2 r;                                                                                                        \
        asm volatile("atom.global" scope ".add.v2.f32 {%0, %1}, [%2], {%3, %4};"                                         \
                     : "=f"(r.x), "=f"(r.y) : "l"(p), "f"(v.x), "f"(v.y) : "memory");                                    \
        return r;                                                                                                        \
    }                                                                                                                    \
    SILICA_DEVICE float4 name(float4 *p, float4 v)                                                                       \
    {                                                                                                                    \
        float4 r;                                                                                                        \
        asm volatile("atom.global" scope ".add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"                         \
                     : "=f"(r.x), "=f"(r.y), "=f"(r.z), "=f"(r.w)                                                        \
                     : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");                                       \
        return r;                                                                                                        \
    }
SILICA_ATOMIC_VECTOR(atomicAdd, ".gpu")
SILICA_ATOMIC_VECTOR(atomicAdd_block, ".cta")
SILICA_ATOMIC_VECTOR(atomicAdd_system, ".sys")
#undef SILICA_ATOMIC_VECTOR
#endif

#endif
