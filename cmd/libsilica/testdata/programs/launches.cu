// Launches: arguments of all sizes, shared memory, configurations, clusters of launches, function pointers, cooperation.
#include <cooperative_groups.h>
#include <cstring>
#include "check.h"

struct Big { double d[100]; char tail[3]; };
struct __align__(16) Aligned { float x, y, z, w; };

__global__ void mixed(long long *out, char a, short b, Big big, long long c, Aligned v, bool flag)
{
    out[0] = a;
    out[1] = b;
    out[2] = (long long)(big.d[0] + big.d[99]) + big.tail[2];
    out[3] = c;
    out[4] = (long long)(v.x + 10 * v.y + 100 * v.z + 1000 * v.w);
    out[5] = flag;
}
template <class T, int N> __global__ void scale(T *p, T by) { p[threadIdx.x] *= by * N; }
__global__ void shapes(int *out)
{
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0 && blockIdx.x + blockIdx.y + blockIdx.z == 0) {
        int values[] = {(int)gridDim.x, (int)gridDim.y, (int)gridDim.z, (int)blockDim.x, (int)blockDim.y, (int)blockDim.z};
        for (int i = 0; i < 6; ++i) out[i] = values[i];
    }
    atomicAdd(out + 6, 1);
}
__global__ void reverse(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void stages(int *sums, int steps)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int i = 0; i < steps; ++i) {
        if (threadIdx.x == 0) atomicAdd(sums + i, 1);
        grid.sync();
        if (sums[i] != (int)gridDim.x) atomicAdd(sums + steps, 1); // somebody did not wait
    }
}
__device__ int twice(int v) { return 2 * v; }
__device__ int square(int v) { return v * v; }
__device__ int (*const operations[])(int) = {twice, square};
__global__ void apply(int *p, int which) { *p = operations[which](*p); }

int main()
{
    long long *out, got[6];
    CHECK(cudaMalloc(&out, sizeof got));
    Big big = {};
    big.d[0] = 3;
    big.d[99] = 4;
    big.tail[2] = 5;
    mixed<<<1, 1>>>(out, -1, -2, big, 1ll << 40, Aligned{1, 2, 3, 4}, true);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got[0] == -1 && got[1] == -2 && got[2] == 12 && got[3] == 1ll << 40 && got[4] == 4321 && got[5] == 1);

    double *d, dv[32];
    for (int i = 0; i < 32; ++i) dv[i] = i;
    CHECK(cudaMalloc(&d, sizeof dv));
    CHECK(cudaMemcpy(d, dv, sizeof dv, cudaMemcpyHostToDevice));
    scale<double, 3><<<1, 32>>>(d, 0.5);
    CHECK(cudaMemcpy(dv, d, sizeof dv, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) EXPECT(dv[i] == i * 1.5);

    int *p, values[64];
    CHECK(cudaMalloc(&p, sizeof values));
    CHECK(cudaMemset(p, 0, sizeof values));
    shapes<<<dim3(3, 2, 2), dim3(5, 4, 2)>>>(p);
    CHECK(cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost));
    EXPECT(values[0] == 3 && values[1] == 2 && values[2] == 2 && values[3] == 5 && values[4] == 4 && values[5] == 2 && values[6] == 480);

    // cudaLaunchKernel, cudaLaunchKernelEx and a function pointer do what <<<>>> does.
    void *args[] = {&p};
    CHECK(cudaMemset(p, 0, sizeof values));
    CHECK(cudaLaunchKernel((const void *)shapes, dim3(2), dim3(3), args, 0, 0));
    cudaLaunchConfig_t config = {};
    config.gridDim = 2;
    config.blockDim = 3;
    CHECK(cudaLaunchKernelEx(&config, shapes, p));
    void (*pointer)(int *) = shapes;
    pointer<<<2, 3>>>(p);
    CHECK(cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost));
    EXPECT(values[6] == 18);

    for (int i = 0; i < 64; ++i) values[i] = i;
    CHECK(cudaMemcpy(p, values, sizeof values, cudaMemcpyHostToDevice));
    reverse<<<1, 64, sizeof values>>>(p);
    CHECK(cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) EXPECT(values[i] == 63 - i);
    reverse<<<1, 64, 100 << 10>>>(p);
    ANSWERS(cudaErrorInvalidValue, cudaGetLastError());
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
    reverse<<<1, 64, 100 << 10>>>(p);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) EXPECT(values[i] == i);

    int v = 7;
    CHECK(cudaMemcpy(p, &v, 4, cudaMemcpyHostToDevice));
    apply<<<1, 1>>>(p, 0);
    apply<<<1, 1>>>(p, 1);
    CHECK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    EXPECT(v == 196);

    // A cooperative launch of as many blocks as run at once, whose blocks wait for each other.
    int perSM, sms, sums[6];
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSM, stages, 64, 0));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    int blocks = 200, steps = 5;
    EXPECT(perSM * sms >= blocks);
    CHECK(cudaMemset(p, 0, sizeof values));
    void *stage_args[] = {&p, &steps};
    CHECK(cudaLaunchCooperativeKernel(stages, blocks, 64, stage_args));
    CHECK(cudaMemcpy(sums, p, sizeof sums, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 5; ++i) EXPECT(sums[i] == blocks);
    EXPECT(sums[5] == 0);
    ANSWERS(cudaErrorCooperativeLaunchTooLarge, cudaLaunchCooperativeKernel(stages, perSM * sms + 1, 64, stage_args));

    // A refused launch does not end the context.
    shapes<<<0, 1>>>(p);
    ANSWERS(cudaErrorInvalidConfiguration, cudaGetLastError());
    shapes<<<1, 1>>>(p);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return failures;
}
