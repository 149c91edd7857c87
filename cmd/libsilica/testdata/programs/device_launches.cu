// Kernels that launch kernels, in the ways that C++ has.
#include "check.h"
#include "device_launches.cuh"

struct Pair {
    char c;
    double d;
    __host__ __device__ Pair(char c, double d) : c(c), d(d) {}
};

namespace deep {
namespace er {
__global__ void store(int *p, int v = 7);
}
} // namespace deep
__global__ void deep::er::store(int *p, int v) { *p = v; }

#define KERNEL static __global__
#define BOTH __host__ __device__
KERNEL void pairs(double *p, const Pair pair, bool negate, float f, short s, void *nothing)
{
    if (!nothing) *p = (negate ? -1 : 1) * (pair.c + pair.d + f + s);
}

__global__ void overloaded(int *p, int v) { *p += v; }
__global__ void overloaded(int *p, double v) { *p += (int)(10 * v); }
template <class... T> __global__ void packed(int *p, T... v)
{
    int all[] = {(int)v...};
    for (int a : all) *p = *p * 10 + a;
}
extern "C" __global__ void plain(int *p) { atomicAdd(p, 1); }
__global__ void shared(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) p[blockIdx.y] = s[blockDim.x - 1] + gridDim.z;
}

struct Functor {
    int *p;
    __device__ void operator()(int v) const { overloaded<<<1, 1>>>(p, v); }
};

#define LAUNCH(kernel, blocks, ...) kernel<<<(blocks), 1>>>(__VA_ARGS__)
#define LAUNCH_PLAIN(p)    \
    do {                   \
        LAUNCH(plain, 2, p); \
        plain<<<1, 3>>>(p);  \
    } while (0)

BOTH void from_both(int *p) { plain<<<2, 3>>>(p); }

template <class T> __device__ void launch_all(T *p, int n) { scale<<<(n + 31) / 32, 32>>>(p, n); scale<T, 5><<<1, 32>>>(p, n); }

__global__ void parent(int *out, double *real, int n)
{
    launch_all(out, n);                    // 3 * 2 * 5
    launch_all(real, n);                   // 1.5 * 2 * 5
    deep::er::store<<<1, 1>>>(out + 40);
    deep::er::store<<<dim3(1, 1), dim3{1, 1, 1}, 0, 0>>>(out + 41, (n > 3) ? 8 : 9);
    Functor{out + 42}(5);
    overloaded<<<1, 1>>>(out + 43, 2.5);
    packed<<<1, 1>>>(out + 44, 1, 2.0, 'A' - 'A' + 3);
    if (n < 0) plain<<<1, 1>>>(out); else from_both(out + 45);
    int bytes = 64 * sizeof(int), extents = 2;
    shared<<<dim3(1, extents, 3),
             64,
             bytes>>>(out + 46);
    auto lambda = [=](int v) { deep::er::store<<<1, 1>>>(out + 48, v); };
    lambda(11);
    LAUNCH_PLAIN(out + 52);
}

__global__ void pair_parent(double *p) { pairs<<<1, 1>>>(p, Pair(1, 2.25), true, 0.5f, -3, nullptr); }

// Programmatic dependent launch: the second kernel may begin before the first has ended, and waits for what it wrote.
__global__ void first(int *p)
{
    *p = 5;
    cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void second(int *p)
{
    cudaGridDependencySynchronize();
    *p *= 2;
}

int main()
{
    int *out;
    double *real;
    CHECK(cudaMallocManaged(&out, 64 * sizeof *out));
    CHECK(cudaMallocManaged(&real, 64 * sizeof *real));
    for (int i = 0; i < 64; i++) out[i] = i < 32 ? 3 : 0, real[i] = 1.5;
    parent<<<1, 1>>>(out, real, 32);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 30 && out[31] == 30 && real[31] == 15 && real[32] == 1.5);
    EXPECT(out[40] == 7 && out[41] == 8 && out[42] == 5 && out[43] == 25 && out[44] == 123 && out[45] == 6);
    EXPECT(out[46] == 66 && out[47] == 66 && out[48] == 11);
    EXPECT(out[52] == 5);
    from_both(out + 50);
    LAUNCH_PLAIN(out + 53);
    deep::er::store<<<1, 1>>>(out + 51);
    scale<int, 4><<<1, 1>>>(out + 40, 1);
    pair_parent<<<1, 1>>>(real + 40);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[53] == 5 && out[50] == 6 && out[51] == 7 && out[40] == 28 && real[40] == -0.75);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    config.attrs = &attribute;
    config.numAttrs = 1;
    first<<<1, 1>>>(out);
    CHECK(cudaLaunchKernelEx(&config, second, out));
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 10);
    return failures;
}
