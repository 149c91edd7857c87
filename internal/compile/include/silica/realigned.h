// What stands for reinterpret_cast to a pointer in code for the device: see internal/compile/dialect, cast.go. Through the pointer to
// void the compiler forgets what the variable behind the pointer is aligned for.
#ifndef SILICA_REALIGNED_H
#define SILICA_REALIGNED_H

#ifdef __cplusplus
template <bool, class T> struct silica_enabled { };
template <class T> struct silica_enabled<true, T> { typedef T type; };

template <class T, class U>
__host__ __device__ __forceinline__ T silica$realigned(U *p)
{
    return (T)(const volatile void *)p;
}

template <class T, class U>
__host__ __device__ __forceinline__ typename silica_enabled<__is_integral(U) || __is_enum(U), T>::type silica$realigned(U p)
{
    return (T)(const volatile void *)(unsigned long long)p;
}

template <class T, class U>
__host__ __device__ typename silica_enabled<!(__is_integral(U) || __is_enum(U) || __is_pointer(U) || __is_array(U) || __is_function(U)), T>::type
silica$realigned(const U &) __attribute__((unavailable("only pointers and integers can be cast to a pointer")));
#endif

#endif
