// Texture and surface objects over arrays of every shape and plain memory, and copies to and from arrays.
#include <cmath>
#include <vector>
#include "check.h"

template <class T> struct Device {
    T *p;
    size_t n;
    Device(size_t n) : n(n) { CHECK(cudaMalloc(&p, n * sizeof(T))); CHECK(cudaMemset(p, 0, n * sizeof(T))); }
    std::vector<T> get() { std::vector<T> v(n); CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost)); return v; }
};

static cudaTextureObject_t texture(cudaResourceDesc r, cudaTextureFilterMode filter = cudaFilterModePoint, bool normalized = false,
                                   cudaTextureAddressMode mode = cudaAddressModeClamp, cudaTextureReadMode read = cudaReadModeElementType, float maxLevel = 0)
{
    cudaTextureDesc t = {};
    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = mode;
    t.filterMode = t.mipmapFilterMode = filter;
    t.readMode = read;
    t.normalizedCoords = normalized;
    t.maxMipmapLevelClamp = maxLevel;
    cudaTextureObject_t o = 0;
    CHECK(cudaCreateTextureObject(&o, &r, &t, nullptr));
    return o;
}

static cudaResourceDesc over(cudaArray_t a)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

template <class T> __global__ void fetch1(cudaTextureObject_t t, T *out) { out[threadIdx.x] = tex1Dfetch<T>(t, threadIdx.x); }
template <class T> __global__ void read2(cudaTextureObject_t t, T *out, int w)
{
    out[threadIdx.y * w + threadIdx.x] = tex2D<T>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}
__global__ void at2(cudaTextureObject_t t, float *out, float x, float y) { *out = tex2D<float>(t, x, y); }
__global__ void read3(cudaTextureObject_t t, float *out)
{
    out[(threadIdx.z * 6 + threadIdx.y) * 8 + threadIdx.x] = tex3D<float>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f, threadIdx.z + 0.5f);
}
__global__ void layers(cudaTextureObject_t t, float *out)
{
    out[(threadIdx.z * 6 + threadIdx.y) * 8 + threadIdx.x] = tex2DLayered<float>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f, threadIdx.z);
}
__global__ void faces(cudaTextureObject_t t, float *out)
{
    const float d[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    out[threadIdx.x] = texCubemap<float>(t, d[threadIdx.x][0], d[threadIdx.x][1], d[threadIdx.x][2]);
}
__global__ void levels(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, threadIdx.x * 0.5f);
    out[threadIdx.x + 8] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(exp2f(threadIdx.x) / 16, 0), make_float2(0, 0));
}
__global__ void gather(cudaTextureObject_t t, float4 *out) { *out = tex2Dgather<float4>(t, 3, 2, 1); }
__global__ void surfaces(cudaSurfaceObject_t s, int w)
{
    uchar4 v;
    surf2Dread(&v, s, threadIdx.x * 4, threadIdx.y);
    v.x += 1, v.w = threadIdx.y;
    surf2Dwrite(v, s, threadIdx.x * 4, threadIdx.y);
    surf2Dwrite(v, s, w * 4, threadIdx.y, cudaBoundaryModeZero);
}
__global__ void volume(cudaSurfaceObject_t s) { surf3Dwrite((short)(threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z), s, threadIdx.x * 2, threadIdx.y, threadIdx.z); }

int main()
{
    Device<float> out(256);
    std::vector<float> f(240);
    for (int i = 0; i < 240; ++i) f[i] = i;

    // Two dimensions: copies with offsets, filters, address modes.
    cudaArray_t a;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&a, &channel, 20, 12));
    CHECK(cudaMemcpy2DToArray(a, 0, 0, f.data(), 80, 80, 12, cudaMemcpyHostToDevice));
    cudaTextureObject_t t = texture(over(a));
    read2<<<1, dim3(20, 12)>>>(t, out.p, 20);
    std::vector<float> got = out.get();
    for (int i = 0; i < 240; ++i) EXPECT(got[i] == f[i]);
    CHECK(cudaDestroyTextureObject(t));
    t = texture(over(a), cudaFilterModeLinear);
    at2<<<1, 1>>>(t, out.p, 3.75f, 2.0f);
    EXPECT(out.get()[0] == 1.5f * 20 + 3.25f);
    CHECK(cudaDestroyTextureObject(t));
    t = texture(over(a), cudaFilterModePoint, true, cudaAddressModeWrap);
    at2<<<1, 1>>>(t, out.p, 2 + 4.5f / 20, -1 + 7.5f / 12);
    EXPECT(out.get()[0] == 7 * 20 + 4);
    cudaResourceDesc r;
    cudaTextureDesc d;
    CHECK(cudaGetTextureObjectResourceDesc(&r, t));
    CHECK(cudaGetTextureObjectTextureDesc(&d, t));
    EXPECT(r.res.array.array == a && d.normalizedCoords == 1 && d.addressMode[0] == cudaAddressModeWrap);
    CHECK(cudaDestroyTextureObject(t));
    float part[6] = {-1, -2, -3, -4, -5, -6}, back[240];
    CHECK(cudaMemcpy2DToArray(a, 8, 3, part, 12, 12, 2, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DFromArray(back, 80, a, 0, 0, 80, 12, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 240; ++i) {
        int y = i / 20 - 3, x = i % 20 - 2;
        EXPECT(back[i] == (x >= 0 && x < 3 && y >= 0 && y < 2 ? part[3 * y + x] : f[i]));
    }
    cudaChannelFormatDesc info;
    cudaExtent extent;
    unsigned flags;
    CHECK(cudaArrayGetInfo(&info, &extent, &flags, a));
    EXPECT(info.x == 32 && info.y == 0 && info.f == cudaChannelFormatKindFloat && extent.width == 20 && extent.height == 12 && extent.depth == 0 && flags == 0);
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 0, 0, f.data(), 84, 84, 12, cudaMemcpyHostToDevice));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 0, 0, f.data(), 80, 80, 13, cudaMemcpyHostToDevice));
    ANSWERS(cudaErrorInvalidPitchValue, cudaMemcpy2DToArray(a, 0, 0, f.data(), 40, 80, 12, cudaMemcpyHostToDevice));
    ANSWERS(cudaErrorInvalidMemcpyDirection, cudaMemcpy2DToArray(a, 0, 0, f.data(), 80, 80, 12, cudaMemcpyDeviceToHost));
    CHECK(cudaFreeArray(a));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaMemcpy2DToArray(a, 0, 0, f.data(), 80, 80, 12, cudaMemcpyHostToDevice));

    // Gather.
    cudaChannelFormatDesc four = cudaCreateChannelDesc<float4>();
    CHECK(cudaMallocArray(&a, &four, 8, 6, cudaArrayTextureGather));
    CHECK(cudaMemcpy2DToArray(a, 0, 0, f.data(), 128, 128, 6, cudaMemcpyHostToDevice));
    t = texture(over(a));
    Device<float4> quad(1);
    gather<<<1, 1>>>(t, quad.p);
    float4 g = quad.get()[0];
    EXPECT(g.x == (2 * 8 + 2) * 4 + 1 && g.y == (2 * 8 + 3) * 4 + 1 && g.z == (8 + 3) * 4 + 1 && g.w == (8 + 2) * 4 + 1);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(a));

    // Three dimensions, layers and faces.
    for (unsigned kind : {cudaArrayDefault, cudaArrayLayered}) {
        CHECK(cudaMalloc3DArray(&a, &channel, make_cudaExtent(8, 6, 5), kind));
        cudaMemcpy3DParms p = {};
        p.srcPtr = make_cudaPitchedPtr(f.data(), 32, 8, 6);
        p.dstArray = a;
        p.extent = make_cudaExtent(8, 6, 5);
        p.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&p));
        t = texture(over(a));
        if (kind == cudaArrayDefault) read3<<<1, dim3(8, 6, 5)>>>(t, out.p);
        else layers<<<1, dim3(8, 6, 5)>>>(t, out.p);
        got = out.get();
        for (int i = 0; i < 240; ++i) EXPECT(got[i] == f[i]);
        CHECK(cudaDestroyTextureObject(t));
        CHECK(cudaFreeArray(a));
    }
    CHECK(cudaMalloc3DArray(&a, &channel, make_cudaExtent(1, 1, 6), cudaArrayCubemap));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(f.data() + 1, 4, 1, 1);
    p.dstArray = a;
    p.extent = make_cudaExtent(1, 1, 6);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    t = texture(over(a), cudaFilterModePoint, true);
    faces<<<1, 6>>>(t, out.p);
    got = out.get();
    for (int i = 0; i < 6; ++i) EXPECT(got[i] == i + 1);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(a));

    // Mipmaps: every level holds its number.
    cudaMipmappedArray_t m;
    CHECK(cudaMallocMipmappedArray(&m, &channel, make_cudaExtent(16, 16, 0), 5));
    for (int l = 0; l < 5; ++l) {
        CHECK(cudaGetMipmappedArrayLevel(&a, m, l));
        std::vector<float> v((16 >> l) * (16 >> l), l);
        CHECK(cudaMemcpy2DToArray(a, 0, 0, v.data(), (16 >> l) * 4, (16 >> l) * 4, 16 >> l, cudaMemcpyHostToDevice));
    }
    r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    t = texture(r, cudaFilterModeLinear, true, cudaAddressModeClamp, cudaReadModeElementType, 4);
    levels<<<1, 8>>>(t, out.p);
    got = out.get();
    for (int i = 0; i < 8; ++i) EXPECT(got[i] == (i < 8 ? i * 0.5f : 4.0f) && got[i + 8] == (i < 4 ? i : 4));
    CHECK(cudaDestroyTextureObject(t));
    ANSWERS(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&a, m, 5));
    CHECK(cudaFreeMipmappedArray(m));

    // Integers as normalized numbers, and surfaces.
    cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
    CHECK(cudaMallocArray(&a, &bytes, 8, 4, cudaArraySurfaceLoadStore));
    std::vector<uchar4> pixels(32);
    for (int i = 0; i < 32; ++i) pixels[i] = make_uchar4(8 * i, 1, 2, 3);
    CHECK(cudaMemcpyToArray(a, 0, 0, pixels.data(), 128, cudaMemcpyHostToDevice));
    t = texture(over(a), cudaFilterModePoint, false, cudaAddressModeClamp, cudaReadModeNormalizedFloat);
    Device<float4> colours(32);
    read2<<<1, dim3(8, 4)>>>(t, colours.p, 8);
    std::vector<float4> c = colours.get();
    for (int i = 0; i < 32; ++i) EXPECT(c[i].x == 8 * i / 255.0f && c[i].w == 3 / 255.0f);
    CHECK(cudaDestroyTextureObject(t));
    cudaSurfaceObject_t s;
    r = over(a);
    CHECK(cudaCreateSurfaceObject(&s, &r));
    surfaces<<<1, dim3(8, 4)>>>(s, 8);
    CHECK(cudaMemcpyFromArray(pixels.data(), a, 0, 0, 128, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) EXPECT(pixels[i].x == (unsigned char)(8 * i + 1) && pixels[i].y == 1 && pixels[i].w == i / 8);
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFreeArray(a));
    cudaChannelFormatDesc shorts = cudaCreateChannelDesc<short>();
    CHECK(cudaMalloc3DArray(&a, &shorts, make_cudaExtent(4, 3, 2), cudaArraySurfaceLoadStore));
    r = over(a);
    CHECK(cudaCreateSurfaceObject(&s, &r));
    volume<<<1, dim3(4, 3, 2)>>>(s);
    short box[24];
    p = {};
    p.srcArray = a;
    p.dstPtr = make_cudaPitchedPtr(box, 8, 4, 3);
    p.extent = make_cudaExtent(4, 3, 2);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&p));
    for (int i = 0; i < 24; ++i) EXPECT(box[i] == i % 4 + 10 * (i / 4 % 3) + 100 * (i / 12));
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFreeArray(a));

    // Plain memory.
    Device<int4> plain(16);
    std::vector<int4> four_ints(16);
    for (int i = 0; i < 16; ++i) four_ints[i] = make_int4(i, -i, 100 * i, 7);
    CHECK(cudaMemcpy(plain.p, four_ints.data(), 256, cudaMemcpyHostToDevice));
    r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = plain.p;
    r.res.linear.desc = cudaCreateChannelDesc<int4>();
    r.res.linear.sizeInBytes = 256;
    t = texture(r);
    Device<int4> ints(20);
    fetch1<<<1, 20>>>(t, ints.p);
    std::vector<int4> v = ints.get();
    for (int i = 0; i < 20; ++i) EXPECT(v[i].x == (i < 16 ? i : 0) && v[i].y == (i < 16 ? -i : 0) && v[i].w == (i < 16 ? 7 : 0));
    CHECK(cudaDestroyTextureObject(t));
    float *rows;
    size_t pitch;
    CHECK(cudaMallocPitch(&rows, &pitch, 40, 6));
    CHECK(cudaMemcpy2D(rows, pitch, f.data(), 40, 40, 6, cudaMemcpyHostToDevice));
    r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = rows;
    r.res.pitch2D.desc = channel;
    r.res.pitch2D.width = 10;
    r.res.pitch2D.height = 6;
    r.res.pitch2D.pitchInBytes = pitch;
    t = texture(r, cudaFilterModeLinear);
    read2<<<1, dim3(10, 6)>>>(t, out.p, 10);
    got = out.get();
    for (int i = 0; i < 60; ++i) EXPECT(got[i] == f[i]);

    // What is refused.
    cudaTextureDesc bad = {};
    bad.addressMode[0] = (cudaTextureAddressMode)4;
    ANSWERS(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &bad, nullptr));
    bad = {};
    r.res.pitch2D.pitchInBytes = 200;
    ANSWERS(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &bad, nullptr));
    cudaChannelFormatDesc three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    ANSWERS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &three, 4, 4));
    ANSWERS(cudaErrorInvalidValue, cudaMallocArray(&a, &channel, 0, 4));
    ANSWERS(cudaErrorInvalidValue, cudaMalloc3DArray(&a, &channel, make_cudaExtent(8, 6, 6), cudaArrayCubemap));
    CHECK(cudaDestroyTextureObject(0));
    CHECK(cudaFreeArray(nullptr));
    return failures != 0;
}
