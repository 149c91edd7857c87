#include <cub/cub.cuh>
#include <cuda/std/complex>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include "check.h"

template <class T> struct add { __host__ __device__ T operator()(T a, T b) const { return T(float(a) + float(b)); } };

template <class T> void all(int n)
{
    thrust::host_vector<T> h(n);
    for (int i = 0; i < n; i++) h[i] = T(float((i * 37) % 101 - 50));
    thrust::device_vector<T> d = h, out(n);
    CHECK(float(thrust::reduce(d.begin(), d.end(), T(0.0f), add<T>())) == 0);
    thrust::sort(d.begin(), d.end());
    for (int i = 0; i < n; i += 10) CHECK(float(T(d[i])) == i / (n / 101) - 50);
    T *from = thrust::raw_pointer_cast(d.data()), *to = thrust::raw_pointer_cast(out.data());
    with_storage([&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeysDescending(s, b, from, to, n); });
    CHECK(float(T(out[0])) == 50 && float(T(out[n - 1])) == -50);
    with_storage([&](void *s, size_t &b) { return cub::DeviceReduce::Max(s, b, from, to, n); });
    CHECK(float(T(out[0])) == 50);
}

int main()
{
    all<__half>(202);
    all<__nv_bfloat16>(202);
}
