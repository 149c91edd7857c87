// Function and variable qualifiers of CUDA C++.
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#if defined(__CUDA__) || defined(__CUDACC__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// The compiler driver finds these annotations and writes what they say into the PTX (annotations.go).
#define __managed__ __attribute__((device, annotate("silica.managed")))
#ifdef __CUDA_ARCH__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else // the host half knows no architecture that it could fit
#define __launch_bounds__(...)
#endif
#define __cluster_dims__(...) __attribute__((annotate("silica.cluster_dims", __VA_ARGS__)))
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__ __attribute__((annotate("silica.grid_constant"))) // grid_constant.go
#endif
#define __maxnreg__(n) __attribute__((annotate("silica.maxnreg", n)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
// Not a macro named __noinline__: the C++ library writes __attribute__((__noinline__)).
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
// What NVIDIA's headers put around uses of their own deprecated types.
#define __NV_SILENCE_DEPRECATION_BEGIN _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
#define __NV_SILENCE_DEPRECATION_END _Pragma("GCC diagnostic pop")
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
// SILICA_ARCH guards the declarations that an architecture has. The host half, which compiles no kernel but checks the names
// in it, sees them all.
#ifdef __CUDA_ARCH__
#define SILICA_ARCH __CUDA_ARCH__
#else
#define SILICA_ARCH 9999
#endif
#define __CUDA_ARCH_HAS_FEATURE__(x) __CUDA_ARCH_FEAT_##x

#endif
