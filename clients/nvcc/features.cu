// Cooperative launches, texture and surface objects, streams and events, graphs, cp.async, wmma, clusters, half precision.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;

#define OK(call)                                                                   \
    do {                                                                           \
        cudaError_t code_ = (call);                                                \
        if (code_ != cudaSuccess)                                                  \
            printf("%d: %s: %s\n", __LINE__, #call, cudaGetErrorName(code_));      \
    } while (0)

__global__ void sumOfGrid(const int *in, int *partial, int *out, int n)
{
    auto grid = cg::this_grid();
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        sum += in[i];
    sum = cg::reduce(warp, sum, cg::plus<int>());
    if (warp.thread_rank() == 0)
        atomicAdd(&partial[blockIdx.x], sum);
    grid.sync();
    if (grid.thread_rank() == 0)
        for (unsigned b = 0; b < gridDim.x; ++b)
            *out += partial[b];
}

static void cooperative()
{
    const int n = 5000, blocks = 8;
    int *in, *partial, *out;
    OK(cudaMallocManaged(&in, n * sizeof *in));
    OK(cudaMallocManaged(&partial, blocks * sizeof *partial));
    OK(cudaMallocManaged(&out, sizeof *out));
    for (int i = 0; i < n; ++i)
        in[i] = i;
    int count = n;
    void *args[] = {&in, &partial, &out, &count};
    OK(cudaLaunchCooperativeKernel((void *)sumOfGrid, blocks, 128, args));
    OK(cudaDeviceSynchronize());
    printf("cooperative %d\n", *out);
}

__global__ void sample(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float *out)
{
    int x = threadIdx.x, y = threadIdx.y;
    float t = tex2D<float>(texture, x + 1.0f, y + 0.5f);
    surf2Dwrite(t, surface, x * 4, y);
    out[y * 8 + x] = t;
}

static void textures()
{
    float texels[64], back[64], *out;
    for (int i = 0; i < 64; ++i)
        texels[i] = i;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t a, b;
    OK(cudaMallocArray(&a, &format, 8, 8));
    OK(cudaMallocArray(&b, &format, 8, 8, cudaArraySurfaceLoadStore));
    OK(cudaMemcpy2DToArray(a, 0, 0, texels, 32, 32, 8, cudaMemcpyHostToDevice));
    cudaResourceDesc from = {}, to = {};
    from.resType = to.resType = cudaResourceTypeArray;
    from.res.array.array = a;
    to.res.array.array = b;
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    OK(cudaCreateTextureObject(&texture, &from, &how, nullptr));
    OK(cudaCreateSurfaceObject(&surface, &to));
    OK(cudaMallocManaged(&out, sizeof texels));
    sample<<<1, dim3(8, 8)>>>(texture, surface, out);
    OK(cudaMemcpy2DFromArray(back, 32, b, 0, 0, 32, 8, cudaMemcpyDeviceToHost));
    printf("textures %g %g %g\n", out[0], out[63], back[10]);
}

__global__ void scale(float *x, float by) { x[threadIdx.x] *= by; }

static void graphs()
{
    float *x, host[32];
    OK(cudaMalloc(&x, sizeof host));
    for (float &h : host)
        h = 1;
    cudaStream_t s;
    cudaEvent_t e;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreate(&e));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemcpyAsync(x, host, sizeof host, cudaMemcpyHostToDevice, s));
    scale<<<1, 32, 0, s>>>(x, 2);
    scale<<<1, 32, 0, s>>>(x, 5);
    OK(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaEventRecord(e, s));
    OK(cudaEventSynchronize(e));
    printf("graphs %g\n", host[31]);
}

__global__ void product(const __half *a, const __half *b, float *c, const int *in, int *out)
{
    using namespace nvcuda::wmma;
    __shared__ int staged[32];
    __pipeline_memcpy_async(&staged[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = staged[31 - threadIdx.x];
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, b, 16);
    fill_fragment(fc, 1.0f);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 16, mem_row_major);
    if (threadIdx.x == 0)
        c[0] += float(__nv_fp8_e4m3(0.3f)) + __bfloat162float(__float2bfloat16(1.01f));
}

static void matrices()
{
    __half *a, *b;
    float *c;
    int *in, *out;
    OK(cudaMallocManaged(&a, 512));
    OK(cudaMallocManaged(&b, 512));
    OK(cudaMallocManaged(&c, 1024));
    OK(cudaMallocManaged(&in, 128));
    OK(cudaMallocManaged(&out, 128));
    for (int i = 0; i < 256; ++i) {
        a[i] = __float2half(i % 7);
        b[i] = __float2half(i % 5 - 2);
    }
    for (int i = 0; i < 32; ++i)
        in[i] = i;
    product<<<1, 32>>>(a, b, c, in, out);
    OK(cudaDeviceSynchronize());
    printf("matrices %.4f %g, %d\n", c[0], c[255], out[0]);
}

__global__ void __cluster_dims__(2, 1, 1) neighbours(int *out)
{
    __shared__ int mine;
    auto cluster = cg::this_cluster();
    mine = 10 + blockIdx.x;
    cluster.sync();
    out[blockIdx.x] = *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
    cluster.sync();
}

static void clusters()
{
    int *out;
    OK(cudaMallocManaged(&out, 16));
    neighbours<<<4, 1>>>(out);
    OK(cudaDeviceSynchronize());
    printf("clusters %d %d %d %d\n", out[0], out[1], out[2], out[3]);
}

int main()
{
    cooperative();
    textures();
    graphs();
    matrices();
    clusters();
    OK(cudaGetLastError());
}
