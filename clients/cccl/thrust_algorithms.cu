#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>
#include <algorithm>
#include <map>
#include <numeric>
#include "check.h"

struct square { __host__ __device__ int operator()(int x) const { return x * x; } };
struct odd { __host__ __device__ bool operator()(int x) const { return x & 1; } };
struct sum { template <class A, class B> __host__ __device__ auto operator()(A a, B b) const { return a + b; } };
struct saxpy
{
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct doubled
{
    template <class Tuple> __host__ __device__ void operator()(Tuple t) const { thrust::get<1>(t) = 2 * thrust::get<0>(t); }
};

int main()
{
    const int n = 10007;
    const std::vector<int> h = integers(n, 1000);
    thrust::device_vector<int> d(h.begin(), h.end()), out(n);

    CHECK(thrust::reduce(d.begin(), d.end()) == std::accumulate(h.begin(), h.end(), 0));
    CHECK(thrust::transform_reduce(d.begin(), d.end(), square(), 0L, sum()) == std::inner_product(h.begin(), h.end(), h.begin(), 0L));
    CHECK(thrust::inner_product(d.begin(), d.end(), d.begin(), 0L) == std::inner_product(h.begin(), h.end(), h.begin(), 0L));
    CHECK(thrust::count_if(d.begin(), d.end(), odd()) == std::count_if(h.begin(), h.end(), odd()));
    CHECK(thrust::max_element(d.begin(), d.end()) - d.begin() == std::max_element(h.begin(), h.end()) - h.begin());
    CHECK(thrust::any_of(d.begin(), d.end(), odd()));

    std::vector<int> want(n);
    std::partial_sum(h.begin(), h.end(), want.begin());
    thrust::inclusive_scan(d.begin(), d.end(), out.begin());
    CHECK(thrust::host_vector<int>(out) == want);
    thrust::exclusive_scan(d.begin(), d.end(), out.begin(), 5);
    CHECK(out[0] == 5 && out[n - 1] == want[n - 2] + 5);
    thrust::adjacent_difference(d.begin(), d.end(), out.begin());
    CHECK(out[7] == h[7] - h[6]);

    const auto end = thrust::copy_if(d.begin(), d.end(), out.begin(), odd());
    want.clear();
    std::copy_if(h.begin(), h.end(), std::back_inserter(want), odd());
    CHECK(thrust::host_vector<int>(out.begin(), end) == want);
    thrust::device_vector<int> copy = d;
    copy.erase(thrust::remove_if(copy.begin(), copy.end(), odd()), copy.end());
    CHECK(copy.size() + want.size() == h.size());
    copy = d;
    CHECK(thrust::stable_partition(copy.begin(), copy.end(), odd()) - copy.begin() == int(want.size()));
    CHECK(std::equal(want.begin(), want.end(), thrust::host_vector<int>(copy).begin()));

    // Runs of equal keys.
    thrust::device_vector<int> keys(n), sums(n);
    thrust::transform(thrust::make_counting_iterator(0), thrust::make_counting_iterator(n), keys.begin(), [] __host__ __device__(int i) { return i / 13; });
    const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), d.begin(), keys.begin(), sums.begin());
    CHECK(ends.first - keys.begin() == (n + 12) / 13);
    CHECK(sums[2] == std::accumulate(h.begin() + 26, h.begin() + 39, 0));
    CHECK(keys[n / 13] == n / 13);
    copy = d;
    thrust::fill(copy.begin() + 10, copy.begin() + 500, 3);
    CHECK(thrust::unique(copy.begin(), copy.end()) - copy.begin() <= n - 489);
    thrust::inclusive_scan_by_key(keys.begin(), keys.begin() + 4, thrust::make_constant_iterator(1), out.begin());
    CHECK(out[3] == 1);

    // Iterators that compute, and permutations.
    const auto squares = thrust::make_transform_iterator(thrust::make_counting_iterator(1), square());
    CHECK(thrust::reduce(squares, squares + 100) == 338350);
    thrust::device_vector<int> order(n);
    thrust::sequence(order.begin(), order.end());
    thrust::reverse(order.begin(), order.end());
    thrust::gather(order.begin(), order.end(), d.begin(), out.begin());
    CHECK(out[0] == h[n - 1] && out[n - 1] == h[0]);
    thrust::scatter(d.begin(), d.end(), order.begin(), out.begin());
    CHECK(out[3] == h[n - 4]);
    const auto permuted = thrust::make_permutation_iterator(d.begin(), order.begin());
    CHECK(thrust::reduce(permuted, permuted + 3) == h[n - 1] + h[n - 2] + h[n - 3]);
    const auto zipped = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), out.begin()));
    thrust::for_each(zipped, zipped + n, doubled());
    CHECK(out[11] == 2 * h[11]);

    thrust::device_vector<float> x(n, 3.0f), y(n, 1.5f);
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), saxpy{2});
    CHECK(thrust::count(y.begin(), y.end(), 7.5f) == n);
    thrust::host_vector<float> back(n);
    thrust::copy(y.begin(), y.end(), back.begin());
    CHECK(back[n - 1] == 7.5f);
}
