#include <thrust/device_malloc.h>
#include <thrust/device_free.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/universal_vector.h>
#include <thrust/complex.h>
#include "check.h"

__global__ void add(int *p, int n, int k)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] += k;
}

struct uniform
{
    __host__ __device__ float operator()(unsigned i) const
    {
        thrust::default_random_engine engine(7);
        engine.discard(i);
        return thrust::uniform_real_distribution<float>(0, 1)(engine);
    }
};

int main()
{
    const int n = 4099;
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));

    // Work in a stream, between kernels of the program.
    thrust::device_vector<int> d(n);
    thrust::tabulate(thrust::cuda::par.on(stream), d.begin(), d.end(), [] __host__ __device__(int i) { return (i * 7919) % 4099; });
    add<<<4, 128, 0, stream>>>(thrust::raw_pointer_cast(d.data()), n, 1);
    thrust::sort(thrust::cuda::par_nosync.on(stream), d.begin(), d.end());
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i += 101) CHECK(d[i] == i + 1);
    CHECK(thrust::reduce(thrust::cuda::par.on(stream), d.begin(), d.end(), 0) == n * (n + 1) / 2);

    // Memory of the program's own.
    int *raw = on_device<int>(n);
    thrust::device_ptr<int> p = thrust::device_pointer_cast(raw);
    thrust::fill(p, p + n, 2);
    thrust::inclusive_scan(thrust::device, raw, raw + n, raw);
    CHECK(p[n - 1] == 2 * n);
    thrust::device_ptr<double> q = thrust::device_malloc<double>(3);
    q[1] = 2.5;
    CHECK(q[1] * 2 == 5);
    thrust::device_free(q);

    // The host's policy, and memory of both.
    std::vector<int> h = integers(n, 100);
    long want = 0;
    for (int x : h) want += x;
    CHECK(thrust::reduce(thrust::host, h.begin(), h.end(), 0L) == want);
    thrust::universal_vector<int> u(h.begin(), h.end());
    u[0] += 1;
    CHECK(thrust::reduce(thrust::device, u.begin(), u.end(), 0L) == want + 1);

    // Random numbers and complex ones are the same on both sides.
    thrust::device_vector<float> random(n);
    thrust::transform(thrust::make_counting_iterator(0u), thrust::make_counting_iterator(unsigned(n)), random.begin(), uniform());
    for (int i = 0; i < n; i += 501) CHECK(random[i] == uniform()(i));
    thrust::device_vector<thrust::complex<float>> z(n, thrust::complex<float>(0, 1));
    thrust::transform(z.begin(), z.end(), z.begin(), [] __host__ __device__(thrust::complex<float> a) { return a * a + thrust::abs(a); });
    const thrust::complex<float> zero = z[n - 1];
    CHECK(zero.real() == 0 && zero.imag() == 0);
}
