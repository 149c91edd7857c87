// Rotates a picture by an angle, twice: reading the four nearest pixels from global memory and blending them, and through a
// texture, which blends them in hardware with weights of 8 bits and takes care of what lies outside.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));           \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)

// Where the pixel (x, y) of the result comes from, with pixel (0, 0) reaching from 0 to 1.
__device__ float2 source(int x, int y, int w, int h, float cosine, float sine)
{
    float u = x + 0.5f - w / 2.0f, v = y + 0.5f - h / 2.0f;
    return make_float2(u * cosine - v * sine + w / 2.0f, u * sine + v * cosine + h / 2.0f);
}

__device__ float pixel(const float *in, int x, int y, int w, int h)
{
    return x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0;
}

__global__ void rotate_global(const float *in, float *out, int w, int h, float cosine, float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float2 at = source(x, y, w, h, cosine, sine);
    float fx = floorf(at.x - 0.5f), fy = floorf(at.y - 0.5f);
    float a = at.x - 0.5f - fx, b = at.y - 0.5f - fy;
    int i = (int)fx, j = (int)fy;
    out[y * w + x] = (1 - b) * ((1 - a) * pixel(in, i, j, w, h) + a * pixel(in, i + 1, j, w, h)) +
                     b * ((1 - a) * pixel(in, i, j + 1, w, h) + a * pixel(in, i + 1, j + 1, w, h));
}

__global__ void rotate_texture(cudaTextureObject_t in, float *out, int w, int h, float cosine, float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float2 at = source(x, y, w, h, cosine, sine);
    out[y * w + x] = tex2D<float>(in, at.x, at.y);
}

static bool same(const char *name, const std::vector<float> &got, const std::vector<float> &want, float tolerance)
{
    float worst = 0;
    for (size_t i = 0; i < want.size(); ++i)
        worst = std::max(worst, std::fabs(got[i] - want[i]));
    bool ok = worst <= tolerance;
    printf("%s %s: at most %g apart\n", ok ? "PASS" : "FAIL", name, worst);
    return ok;
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 320, h = argc > 2 ? atoi(argv[2]) : 200;
    float angle = (argc > 3 ? atof(argv[3]) : 30) * 3.14159265f / 180, cosine = std::cos(angle), sine = std::sin(angle);
    std::vector<float> picture(w * h), expected(w * h), got(w * h);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
            picture[y * w + x] = 0.5f + 0.25f * (std::sin(x * 0.2f) + std::cos(y * 0.13f));

    // The same on the host, in double precision.
    auto at = [&](int x, int y) { return x >= 0 && x < w && y >= 0 && y < h ? (double)picture[y * w + x] : 0.0; };
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            double u = x + 0.5 - w / 2.0, v = y + 0.5 - h / 2.0;
            double sx = u * cosine - v * sine + w / 2.0 - 0.5, sy = u * sine + v * cosine + h / 2.0 - 0.5;
            int i = (int)std::floor(sx), j = (int)std::floor(sy);
            double a = sx - i, b = sy - j;
            expected[y * w + x] = (1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) + b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1));
        }

    float *in, *out;
    CHECK(cudaMalloc(&in, w * h * sizeof(float)));
    CHECK(cudaMalloc(&out, w * h * sizeof(float)));
    CHECK(cudaMemcpy(in, picture.data(), w * h * sizeof(float), cudaMemcpyHostToDevice));

    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &channel, w, h));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, picture.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc sampling = {};
    sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeBorder; // black outside
    sampling.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));

    dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
    rotate_global<<<grid, block>>>(in, out, w, h, cosine, sine);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, w * h * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = same("global memory", got, expected, 1e-3f);

    rotate_texture<<<grid, block>>>(texture, out, w, h, cosine, sine);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, w * h * sizeof(float), cudaMemcpyDeviceToHost));
    ok &= same("texture", got, expected, 0.01f); // the weights have 8 bits

    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return ok ? 0 : 1;
}
