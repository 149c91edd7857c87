// Conversions of 8-bit floats: checksums over all halves, all bytes, and floats beside the borders of rounding. The output is that of
// the program built with nvcc 13.5 and its headers.
#include <cstdio>
#include <cstring>
#include <cuda_fp8.h>

__host__ __device__ inline unsigned long long mix(unsigned long long h, unsigned int v) { return (h ^ v) * 1099511628211ull; }

// Half h that is no NaN: both types, both saturations.
__host__ __device__ unsigned int ofHalf(unsigned short h)
{
    __half_raw r;
    r.x = h;
    return __nv_cvt_halfraw_to_fp8(r, __NV_SATFINITE, __NV_E4M3) | __nv_cvt_halfraw_to_fp8(r, __NV_SATFINITE, __NV_E5M2) << 8 |
           __nv_cvt_halfraw_to_fp8(r, __NV_NOSAT, __NV_E4M3) << 16 | (unsigned int)__nv_cvt_halfraw_to_fp8(r, __NV_NOSAT, __NV_E5M2) << 24;
}

__host__ __device__ unsigned int ofFloat(float f)
{
    __nv_fp8x4_e4m3 a(make_float4(f, -f, f * 2, f / 2));
    __nv_fp8x2_e5m2 b(make_float2(f, -f));
    return a.__x ^ b.__x * 65537u ^ __nv_cvt_double_to_fp8(f * 1.0000000001, __NV_SATFINITE, __NV_E4M3) << 4 ^ (f > -1e6f && f < 1e6f ? __nv_fp8_e5m2((int)f).__x << 12 : 0);
}

__host__ __device__ float pattern(unsigned int i)
{
    unsigned int bits = (i % 0x3800) << 17 | 0x20000000u; // about 2^-63 to 2^60
    bits += (i / 0x3800) % 3 - 1;                         // at a border of rounding and beside it
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

__host__ __device__ unsigned int ofByte(unsigned char x)
{
    return __nv_cvt_fp8_to_halfraw(x, __NV_E4M3).x | (unsigned int)__nv_cvt_fp8_to_halfraw(x, __NV_E5M2).x << 16;
}

__global__ void device(unsigned int *out, int what)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = what == 0 ? ofHalf(i) : what == 1 ? ofFloat(pattern(i)) : ofByte(i);
}

int main()
{
    const int counts[] = {65536, 43008, 256};
    unsigned int *out;
    cudaMallocManaged(&out, 65536 * 4);
    for (int what = 0; what < 3; ++what) {
        unsigned long long host = 1, gpu = 1;
        device<<<counts[what] / 256, 256>>>(out, what);
        cudaDeviceSynchronize();
        for (int i = 0; i < counts[what]; ++i) {
            if (what == 0 && (i & 0x7fff) > 0x7c00)
                continue;
            host = mix(host, what == 0 ? ofHalf(i) : what == 1 ? ofFloat(pattern(i)) : ofByte(i));
            gpu = mix(gpu, out[i]);
        }
        printf("%016llx %016llx\n", host, gpu);
    }
    printf("%g %g %g %d\n", (float)__nv_fp8_e4m3(0.3f), (double)__nv_fp8_e5m2(70000.0), __half2float(__half(__nv_fp8_e4m3(-17))), (int)__nv_fp8_e5m2(9.9f));
}
