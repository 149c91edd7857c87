// Texture and surface functions of texture and surface objects.
#ifndef SILICA_TEXTURE_H
#define SILICA_TEXTURE_H

#include "intrinsics.h"
#include "../texture_types.h"

namespace silica {

// A texel of type T: its component type, how many, and the register type the texture unit returns.
template <class T> struct texel;
#define SILICA_TEXEL(T, C, n, R) template <> struct texel<T> { typedef C component; typedef R returned; static constexpr int count = n; };
#define SILICA_TEXELS(name, C, R)                                                                          \
    SILICA_TEXEL(C, C, 0, R) SILICA_TEXEL(name##1, C, 1, R) SILICA_TEXEL(name##2, C, 2, R) SILICA_TEXEL(name##4, C, 4, R)
SILICA_TEXELS(char, signed char, int)
SILICA_TEXEL(char, char, 0, int)
SILICA_TEXELS(uchar, unsigned char, unsigned int)
SILICA_TEXELS(short, short, int)
SILICA_TEXELS(ushort, unsigned short, unsigned int)
SILICA_TEXELS(int, int, int)
SILICA_TEXELS(uint, unsigned int, unsigned int)
SILICA_TEXELS(float, float, float)
#undef SILICA_TEXELS
#undef SILICA_TEXEL

template <class R> struct texels { R x, y, z, w; };

template <class T> SILICA_DEVICE T narrow(texels<typename texel<T>::returned> v)
{
    typedef typename texel<T>::component C;
    if constexpr (texel<T>::count == 0) return (T)v.x;
    else if constexpr (texel<T>::count == 1) return T{(C)v.x};
    else if constexpr (texel<T>::count == 2) return T{(C)v.x, (C)v.y};
    else return T{(C)v.x, (C)v.y, (C)v.z, (C)v.w};
}

// SILICA_FETCH(function, parameters, PTX up to the return type, coordinate type and operands, inputs):
// one overload for each register type, chosen by a tag.
#define SILICA_FETCH_AS(name, R, c, type, params, op, coords, inputs)                                     \
    SILICA_DEVICE texels<R> name(R, cudaTextureObject_t t, SILICA_UNPACK params)                           \
    {                                                                                                      \
        texels<R> v;                                                                                       \
        asm volatile(op "." type coords : "=" c(v.x), "=" c(v.y), "=" c(v.z), "=" c(v.w) : "l"(t), SILICA_UNPACK inputs); \
        return v;                                                                                          \
    }
#define SILICA_UNPACK(...) __VA_ARGS__
#define SILICA_FETCH(name, params, op, coords, inputs)                                                     \
    SILICA_FETCH_AS(name, float, "f", "f32", params, op, coords, inputs)                                   \
    SILICA_FETCH_AS(name, int, "r", "s32", params, op, coords, inputs)                                     \
    SILICA_FETCH_AS(name, unsigned int, "r", "u32", params, op, coords, inputs)
#define SILICA_TO " {%0, %1, %2, %3}, "

SILICA_FETCH(fetch1, (int x), "tex.1d.v4", ".s32" SILICA_TO "[%4, {%5}];", ("r"(x)))
SILICA_FETCH(sample1, (float x), "tex.1d.v4", ".f32" SILICA_TO "[%4, {%5}];", ("f"(x)))
SILICA_FETCH(sample2, (float x, float y), "tex.2d.v4", ".f32" SILICA_TO "[%4, {%5, %6}];", ("f"(x), "f"(y)))
SILICA_FETCH(sample3, (float x, float y, float z), "tex.3d.v4", ".f32" SILICA_TO "[%4, {%5, %6, %7, %7}];", ("f"(x), "f"(y), "f"(z)))
SILICA_FETCH(layered1, (int layer, float x), "tex.a1d.v4", ".f32" SILICA_TO "[%4, {%5, %6}];", ("r"(layer), "f"(x)))
SILICA_FETCH(layered2, (int layer, float x, float y), "tex.a2d.v4", ".f32" SILICA_TO "[%4, {%5, %6, %7, %7}];", ("r"(layer), "f"(x), "f"(y)))
SILICA_FETCH(cube, (float x, float y, float z), "tex.cube.v4", ".f32" SILICA_TO "[%4, {%5, %6, %7, %7}];", ("f"(x), "f"(y), "f"(z)))
SILICA_FETCH(layered_cube, (int layer, float x, float y, float z), "tex.acube.v4", ".f32" SILICA_TO "[%4, {%5, %6, %7, %8}];", ("r"(layer), "f"(x), "f"(y), "f"(z)))
SILICA_FETCH(layered1_level, (int layer, float x, float lod), "tex.level.a1d.v4", ".f32" SILICA_TO "[%4, {%5, %6}], %7;", ("r"(layer), "f"(x), "f"(lod)))
SILICA_FETCH(layered2_level, (int layer, float x, float y, float lod), "tex.level.a2d.v4", ".f32" SILICA_TO "[%4, {%5, %6, %7, %7}], %8;", ("r"(layer), "f"(x), "f"(y), "f"(lod)))
SILICA_FETCH(cube_level, (float x, float y, float z, float lod), "tex.level.cube.v4", ".f32" SILICA_TO "[%4, {%5, %6, %7, %7}], %8;", ("f"(x), "f"(y), "f"(z), "f"(lod)))
SILICA_FETCH(layered_cube_level, (int layer, float x, float y, float z, float lod), "tex.level.acube.v4", ".f32" SILICA_TO "[%4, {%5, %6, %7, %8}], %9;", ("r"(layer), "f"(x), "f"(y), "f"(z), "f"(lod)))
SILICA_FETCH(level1, (float x, float lod), "tex.level.1d.v4", ".f32" SILICA_TO "[%4, {%5}], %6;", ("f"(x), "f"(lod)))
SILICA_FETCH(level2, (float x, float y, float lod), "tex.level.2d.v4", ".f32" SILICA_TO "[%4, {%5, %6}], %7;", ("f"(x), "f"(y), "f"(lod)))
SILICA_FETCH(level3, (float x, float y, float z, float lod), "tex.level.3d.v4", ".f32" SILICA_TO "[%4, {%5, %6, %7, %7}], %8;", ("f"(x), "f"(y), "f"(z), "f"(lod)))
SILICA_FETCH(grad2, (float x, float y, float2 dx, float2 dy), "tex.grad.2d.v4", ".f32" SILICA_TO "[%4, {%5, %6}], {%7, %8}, {%9, %10};", ("f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)))
SILICA_FETCH(grad1, (float x, float dx, float dy), "tex.grad.1d.v4", ".f32" SILICA_TO "[%4, {%5}], {%6}, {%7};", ("f"(x), "f"(dx), "f"(dy)))
SILICA_FETCH(grad3, (float x, float y, float z, float4 dx, float4 dy), "tex.grad.3d.v4", ".f32" SILICA_TO "[%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};",
             ("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)))
SILICA_FETCH(layered1_grad, (int layer, float x, float dx, float dy), "tex.grad.a1d.v4", ".f32" SILICA_TO "[%4, {%5, %6}], {%7}, {%8};", ("r"(layer), "f"(x), "f"(dx), "f"(dy)))
SILICA_FETCH(layered2_grad, (int layer, float x, float y, float2 dx, float2 dy), "tex.grad.a2d.v4", ".f32" SILICA_TO "[%4, {%5, %6, %7, %7}], {%8, %9}, {%10, %11};",
             ("r"(layer), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)))
SILICA_FETCH(cube_grad, (float x, float y, float z, float4 dx, float4 dy), "tex.grad.cube.v4", ".f32" SILICA_TO "[%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};",
             ("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)))
SILICA_FETCH(layered_cube_grad, (int layer, float x, float y, float z, float4 dx, float4 dy), "tex.grad.acube.v4", ".f32" SILICA_TO "[%4, {%5, %6, %7, %8}], {%9, %10, %11, %11}, {%12, %13, %14, %14};",
             ("r"(layer), "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)))
SILICA_FETCH(gather_r, (float x, float y), "tld4.r.2d.v4", ".f32" SILICA_TO "[%4, {%5, %6}];", ("f"(x), "f"(y)))
SILICA_FETCH(gather_g, (float x, float y), "tld4.g.2d.v4", ".f32" SILICA_TO "[%4, {%5, %6}];", ("f"(x), "f"(y)))
SILICA_FETCH(gather_b, (float x, float y), "tld4.b.2d.v4", ".f32" SILICA_TO "[%4, {%5, %6}];", ("f"(x), "f"(y)))
SILICA_FETCH(gather_a, (float x, float y), "tld4.a.2d.v4", ".f32" SILICA_TO "[%4, {%5, %6}];", ("f"(x), "f"(y)))
#undef SILICA_TO
#undef SILICA_FETCH
#undef SILICA_FETCH_AS
#undef SILICA_UNPACK

} // namespace silica

// Each function in its two forms: returning the texel, and storing it.
#define SILICA_TEXTURE(name, params, call)                                                                 \
    template <class T> SILICA_DEVICE T name params                                                         \
    { typename silica::texel<T>::returned tag = 0; return silica::narrow<T>(silica::call); }
#define SILICA_TEXTURE_OUT(name, params, args)                                                             \
    template <class T> SILICA_DEVICE void name params { *out = name<T> args; }

SILICA_TEXTURE(tex1Dfetch, (cudaTextureObject_t t, int x), fetch1(tag, t, x))
SILICA_TEXTURE_OUT(tex1Dfetch, (T *out, cudaTextureObject_t t, int x), (t, x))
SILICA_TEXTURE(tex1D, (cudaTextureObject_t t, float x), sample1(tag, t, x))
SILICA_TEXTURE_OUT(tex1D, (T *out, cudaTextureObject_t t, float x), (t, x))
SILICA_TEXTURE(tex2D, (cudaTextureObject_t t, float x, float y), sample2(tag, t, x, y))
SILICA_TEXTURE_OUT(tex2D, (T *out, cudaTextureObject_t t, float x, float y), (t, x, y))
SILICA_TEXTURE(tex3D, (cudaTextureObject_t t, float x, float y, float z), sample3(tag, t, x, y, z))
SILICA_TEXTURE_OUT(tex3D, (T *out, cudaTextureObject_t t, float x, float y, float z), (t, x, y, z))
SILICA_TEXTURE(tex1DLayered, (cudaTextureObject_t t, float x, int layer), layered1(tag, t, layer, x))
SILICA_TEXTURE_OUT(tex1DLayered, (T *out, cudaTextureObject_t t, float x, int layer), (t, x, layer))
SILICA_TEXTURE(tex2DLayered, (cudaTextureObject_t t, float x, float y, int layer), layered2(tag, t, layer, x, y))
SILICA_TEXTURE_OUT(tex2DLayered, (T *out, cudaTextureObject_t t, float x, float y, int layer), (t, x, y, layer))
SILICA_TEXTURE(texCubemap, (cudaTextureObject_t t, float x, float y, float z), cube(tag, t, x, y, z))
SILICA_TEXTURE_OUT(texCubemap, (T *out, cudaTextureObject_t t, float x, float y, float z), (t, x, y, z))
SILICA_TEXTURE(texCubemapLayered, (cudaTextureObject_t t, float x, float y, float z, int layer), layered_cube(tag, t, layer, x, y, z))
SILICA_TEXTURE_OUT(texCubemapLayered, (T *out, cudaTextureObject_t t, float x, float y, float z, int layer), (t, x, y, z, layer))
SILICA_TEXTURE(tex1DLod, (cudaTextureObject_t t, float x, float lod), level1(tag, t, x, lod))
SILICA_TEXTURE_OUT(tex1DLod, (T *out, cudaTextureObject_t t, float x, float lod), (t, x, lod))
SILICA_TEXTURE(tex2DLod, (cudaTextureObject_t t, float x, float y, float lod), level2(tag, t, x, y, lod))
SILICA_TEXTURE_OUT(tex2DLod, (T *out, cudaTextureObject_t t, float x, float y, float lod), (t, x, y, lod))
SILICA_TEXTURE(tex3DLod, (cudaTextureObject_t t, float x, float y, float z, float lod), level3(tag, t, x, y, z, lod))
SILICA_TEXTURE_OUT(tex3DLod, (T *out, cudaTextureObject_t t, float x, float y, float z, float lod), (t, x, y, z, lod))
SILICA_TEXTURE(tex1DLayeredLod, (cudaTextureObject_t t, float x, int layer, float lod), layered1_level(tag, t, layer, x, lod))
SILICA_TEXTURE_OUT(tex1DLayeredLod, (T *out, cudaTextureObject_t t, float x, int layer, float lod), (t, x, layer, lod))
SILICA_TEXTURE(tex2DLayeredLod, (cudaTextureObject_t t, float x, float y, int layer, float lod), layered2_level(tag, t, layer, x, y, lod))
SILICA_TEXTURE_OUT(tex2DLayeredLod, (T *out, cudaTextureObject_t t, float x, float y, int layer, float lod), (t, x, y, layer, lod))
SILICA_TEXTURE(texCubemapLod, (cudaTextureObject_t t, float x, float y, float z, float lod), cube_level(tag, t, x, y, z, lod))
SILICA_TEXTURE_OUT(texCubemapLod, (T *out, cudaTextureObject_t t, float x, float y, float z, float lod), (t, x, y, z, lod))
SILICA_TEXTURE(texCubemapLayeredLod, (cudaTextureObject_t t, float x, float y, float z, int layer, float lod), layered_cube_level(tag, t, layer, x, y, z, lod))
SILICA_TEXTURE_OUT(texCubemapLayeredLod, (T *out, cudaTextureObject_t t, float x, float y, float z, int layer, float lod), (t, x, y, z, layer, lod))
SILICA_TEXTURE(tex1DGrad, (cudaTextureObject_t t, float x, float dx, float dy), grad1(tag, t, x, dx, dy))
SILICA_TEXTURE_OUT(tex1DGrad, (T *out, cudaTextureObject_t t, float x, float dx, float dy), (t, x, dx, dy))
SILICA_TEXTURE(tex2DGrad, (cudaTextureObject_t t, float x, float y, float2 dx, float2 dy), grad2(tag, t, x, y, dx, dy))
SILICA_TEXTURE_OUT(tex2DGrad, (T *out, cudaTextureObject_t t, float x, float y, float2 dx, float2 dy), (t, x, y, dx, dy))
SILICA_TEXTURE(tex3DGrad, (cudaTextureObject_t t, float x, float y, float z, float4 dx, float4 dy), grad3(tag, t, x, y, z, dx, dy))
SILICA_TEXTURE_OUT(tex3DGrad, (T *out, cudaTextureObject_t t, float x, float y, float z, float4 dx, float4 dy), (t, x, y, z, dx, dy))
SILICA_TEXTURE(tex1DLayeredGrad, (cudaTextureObject_t t, float x, int layer, float dx, float dy), layered1_grad(tag, t, layer, x, dx, dy))
SILICA_TEXTURE_OUT(tex1DLayeredGrad, (T *out, cudaTextureObject_t t, float x, int layer, float dx, float dy), (t, x, layer, dx, dy))
SILICA_TEXTURE(tex2DLayeredGrad, (cudaTextureObject_t t, float x, float y, int layer, float2 dx, float2 dy), layered2_grad(tag, t, layer, x, y, dx, dy))
SILICA_TEXTURE_OUT(tex2DLayeredGrad, (T *out, cudaTextureObject_t t, float x, float y, int layer, float2 dx, float2 dy), (t, x, y, layer, dx, dy))
SILICA_TEXTURE(texCubemapGrad, (cudaTextureObject_t t, float x, float y, float z, float4 dx, float4 dy), cube_grad(tag, t, x, y, z, dx, dy))
SILICA_TEXTURE_OUT(texCubemapGrad, (T *out, cudaTextureObject_t t, float x, float y, float z, float4 dx, float4 dy), (t, x, y, z, dx, dy))
SILICA_TEXTURE(texCubemapLayeredGrad, (cudaTextureObject_t t, float x, float y, float z, int layer, float4 dx, float4 dy), layered_cube_grad(tag, t, layer, x, y, z, dx, dy))
SILICA_TEXTURE_OUT(texCubemapLayeredGrad, (T *out, cudaTextureObject_t t, float x, float y, float z, int layer, float4 dx, float4 dy), (t, x, y, z, layer, dx, dy))
#undef SILICA_TEXTURE
#undef SILICA_TEXTURE_OUT

template <class T> SILICA_DEVICE T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0)
{
    typename silica::texel<T>::returned tag = 0;
    return silica::narrow<T>(component == 0   ? silica::gather_r(tag, t, x, y)
                             : component == 1 ? silica::gather_g(tag, t, x, y)
                             : component == 2 ? silica::gather_b(tag, t, x, y)
                                              : silica::gather_a(tag, t, x, y));
}

template <class T> SILICA_DEVICE void tex2Dgather(T *out, cudaTextureObject_t t, float x, float y, int component = 0)
{
    *out = tex2Dgather<T>(t, x, y, component);
}

// ---- Surfaces. x is in bytes. A texel moves as one, two or four words of 8 to 32 bits.
namespace silica {

template <int bytes> struct surface_word { typedef unsigned int type; };
template <> struct surface_word<1> { typedef unsigned short type; };
template <> struct surface_word<2> { typedef unsigned short type; };

// One class for each dimension and boundary mode; [s] and the coordinates are named operands.
#define SILICA_UNPACK(...) __VA_ARGS__
#define SILICA_SURFACE_MODE(dims, geometry, params, coords, inputs, mode, suffix)                                     \
    template <> struct surface##dims<mode> {                                                                          \
        template <int bytes, class W> static __device__ __forceinline__ void read(W *v, cudaSurfaceObject_t s, SILICA_UNPACK params) \
        {                                                                                                             \
            if constexpr (bytes == 1)                                                                                 \
                asm volatile("suld.b." geometry ".b8." suffix " %0, [%[s], " coords "];" : "=h"(v[0]) : [s] "l"(s), SILICA_UNPACK inputs); \
            else if constexpr (bytes == 2)                                                                            \
                asm volatile("suld.b." geometry ".b16." suffix " %0, [%[s], " coords "];" : "=h"(v[0]) : [s] "l"(s), SILICA_UNPACK inputs); \
            else if constexpr (bytes == 4)                                                                            \
                asm volatile("suld.b." geometry ".b32." suffix " %0, [%[s], " coords "];" : "=r"(v[0]) : [s] "l"(s), SILICA_UNPACK inputs); \
            else if constexpr (bytes == 8)                                                                            \
                asm volatile("suld.b." geometry ".v2.b32." suffix " {%0, %1}, [%[s], " coords "];" : "=r"(v[0]), "=r"(v[1]) : [s] "l"(s), SILICA_UNPACK inputs); \
            else                                                                                                      \
                asm volatile("suld.b." geometry ".v4.b32." suffix " {%0, %1, %2, %3}, [%[s], " coords "];"            \
                             : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : [s] "l"(s), SILICA_UNPACK inputs);    \
        }                                                                                                             \
        template <int bytes, class W> static __device__ __forceinline__ void write(const W *v, cudaSurfaceObject_t s, SILICA_UNPACK params) \
        {                                                                                                             \
            if constexpr (bytes == 1)                                                                                 \
                asm volatile("sust.b." geometry ".b8." suffix " [%[s], " coords "], %0;" ::"h"(v[0]), [s] "l"(s), SILICA_UNPACK inputs : "memory"); \
            else if constexpr (bytes == 2)                                                                            \
                asm volatile("sust.b." geometry ".b16." suffix " [%[s], " coords "], %0;" ::"h"(v[0]), [s] "l"(s), SILICA_UNPACK inputs : "memory"); \
            else if constexpr (bytes == 4)                                                                            \
                asm volatile("sust.b." geometry ".b32." suffix " [%[s], " coords "], %0;" ::"r"(v[0]), [s] "l"(s), SILICA_UNPACK inputs : "memory"); \
            else if constexpr (bytes == 8)                                                                            \
                asm volatile("sust.b." geometry ".v2.b32." suffix " [%[s], " coords "], {%0, %1};" ::"r"(v[0]), "r"(v[1]), [s] "l"(s), SILICA_UNPACK inputs : "memory"); \
            else                                                                                                      \
                asm volatile("sust.b." geometry ".v4.b32." suffix " [%[s], " coords "], {%0, %1, %2, %3};" ::"r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), [s] "l"(s), SILICA_UNPACK inputs : "memory"); \
        }                                                                                                             \
    };
#define SILICA_SURFACE(dims, geometry, params, coords, inputs)                                                        \
    template <cudaSurfaceBoundaryMode mode> struct surface##dims;                                                     \
    SILICA_SURFACE_MODE(dims, geometry, params, coords, inputs, cudaBoundaryModeZero, "zero")                         \
    SILICA_SURFACE_MODE(dims, geometry, params, coords, inputs, cudaBoundaryModeClamp, "clamp")                       \
    SILICA_SURFACE_MODE(dims, geometry, params, coords, inputs, cudaBoundaryModeTrap, "trap")

SILICA_SURFACE(1, "1d", (int x), "{%[x]}", ([x] "r"(x)))
SILICA_SURFACE(2, "2d", (int x, int y), "{%[x], %[y]}", ([x] "r"(x), [y] "r"(y)))
SILICA_SURFACE(3, "3d", (int x, int y, int z), "{%[x], %[y], %[z], %[z]}", ([x] "r"(x), [y] "r"(y), [z] "r"(z)))
SILICA_SURFACE(1layered, "a1d", (int layer, int x), "{%[l], %[x]}", ([l] "r"(layer), [x] "r"(x)))
SILICA_SURFACE(2layered, "a2d", (int layer, int x, int y), "{%[l], %[x], %[y], %[y]}", ([l] "r"(layer), [x] "r"(x), [y] "r"(y)))
#undef SILICA_SURFACE
#undef SILICA_SURFACE_MODE
#undef SILICA_UNPACK

template <template <cudaSurfaceBoundaryMode> class S, class T, class... C>
SILICA_DEVICE T surface_read(cudaSurfaceBoundaryMode mode, cudaSurfaceObject_t s, C... c)
{
    constexpr int bytes = sizeof(T);
    typename surface_word<bytes>::type v[bytes > 4 ? bytes / 4 : 1];
    if (mode == cudaBoundaryModeZero) S<cudaBoundaryModeZero>::template read<bytes>(v, s, c...);
    else if (mode == cudaBoundaryModeClamp) S<cudaBoundaryModeClamp>::template read<bytes>(v, s, c...);
    else S<cudaBoundaryModeTrap>::template read<bytes>(v, s, c...);
    T r;
    __builtin_memcpy(&r, v, bytes);
    return r;
}

template <template <cudaSurfaceBoundaryMode> class S, class T, class... C>
SILICA_DEVICE void surface_write(T value, cudaSurfaceBoundaryMode mode, cudaSurfaceObject_t s, C... c)
{
    constexpr int bytes = sizeof(T);
    typename surface_word<bytes>::type v[bytes > 4 ? bytes / 4 : 1] = {};
    __builtin_memcpy(v, &value, bytes);
    if (mode == cudaBoundaryModeZero) S<cudaBoundaryModeZero>::template write<bytes>(v, s, c...);
    else if (mode == cudaBoundaryModeClamp) S<cudaBoundaryModeClamp>::template write<bytes>(v, s, c...);
    else S<cudaBoundaryModeTrap>::template write<bytes>(v, s, c...);
}

} // namespace silica

#define SILICA_SURFACE(dims, name, params, args)                                                                      \
    template <class T> SILICA_DEVICE T surf##name##read(cudaSurfaceObject_t s, SILICA_UNPACK params, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    { return silica::surface_read<silica::surface##dims, T>(mode, s, SILICA_UNPACK args); }                           \
    template <class T> SILICA_DEVICE void surf##name##read(T *out, cudaSurfaceObject_t s, SILICA_UNPACK params, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    { *out = silica::surface_read<silica::surface##dims, T>(mode, s, SILICA_UNPACK args); }                           \
    template <class T> SILICA_DEVICE void surf##name##write(T value, cudaSurfaceObject_t s, SILICA_UNPACK params, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    { silica::surface_write<silica::surface##dims>(value, mode, s, SILICA_UNPACK args); }
#define SILICA_UNPACK(...) __VA_ARGS__
SILICA_SURFACE(1, 1D, (int x), (x))
SILICA_SURFACE(2, 2D, (int x, int y), (x, y))
SILICA_SURFACE(3, 3D, (int x, int y, int z), (x, y, z))
SILICA_SURFACE(1layered, 1DLayered, (int x, int layer), (layer, x))
SILICA_SURFACE(2layered, 2DLayered, (int x, int y, int layer), (layer, x, y))
SILICA_SURFACE(2layered, Cubemap, (int x, int y, int face), (face, x, y))
SILICA_SURFACE(2layered, CubemapLayered, (int x, int y, int layerFace), (layerFace, x, y))
#undef SILICA_SURFACE
#undef SILICA_UNPACK

#endif
