#include <cuda/barrier>
#include <cuda/ptx>
#include "check.h"

namespace ptx = cuda::ptx;

// A bulk copy in, arithmetic, and a bulk copy out.
__global__ void bulk(const int *in, int *out)
{
    __shared__ alignas(16) int tile[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(tile, in + 256 * blockIdx.x, cuda::aligned_size_t<16>(sizeof(tile)), barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, 0);
    } else {
        token = barrier.arrive();
    }
    barrier.wait(cuda::std::move(token));
    tile[threadIdx.x] = 2 * tile[threadIdx.x] + ptx::get_sreg_tid_x();
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 256 * blockIdx.x, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

// The same with the instructions of barriers.
__global__ void instructions(const int *in, int *out)
{
    __shared__ alignas(16) int tile[128];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof(tile), &barrier);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof(tile));
    }
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {}
    out[threadIdx.x] = tile[127 - threadIdx.x] + int(ptx::get_sreg_laneid());
}

int main()
{
    const std::vector<int> h = integers(1024, 1000);
    int *in = on_device(h), *out = on_device<int>(1024);
    bulk<<<4, 256>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 1024; i += 5) CHECK(on_host(out, 1024)[i] == 2 * h[i] + i % 256);
    instructions<<<1, 128>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 128; i++) CHECK(on_host(out, 128)[i] == h[127 - i] + i % 32);
}
