// What stands for reinterpret_cast to a pointer in code for the device: see internal/compile/dialect, cast.go. Through the pointer to
// void the compiler forgets what the variable behind the pointer is aligned for.
#ifndef SILICA_REALIGNED_H
#define SILICA_REALIGNED_H

#ifdef __cplusplus
template <class T, class U>
__host__ __device__ __forceinline__ T silica$realigned(U p)
{
    return (T)(const volatile void *)p;
}
#endif

#endif
