#include <cub/cub.cuh>
#include <algorithm>
#include <numeric>
#include "check.h"

struct larger { template <class T> __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; } };

int main()
{
    const int n = 30011;
    const std::vector<int> h = integers(n, 1000);
    int *in = on_device(h), *out = on_device<int>(n);
    with_storage([&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, in, out, n); });
    CHECK(on_host(out, 1)[0] == std::accumulate(h.begin(), h.end(), 0));
    with_storage([&](void *s, size_t &b) { return cub::DeviceReduce::Min(s, b, in, out, n); });
    CHECK(on_host(out, 1)[0] == *std::min_element(h.begin(), h.end()));
    with_storage([&](void *s, size_t &b) { return cub::DeviceReduce::Reduce(s, b, in, out, n, larger(), -1); });
    CHECK(on_host(out, 1)[0] == *std::max_element(h.begin(), h.end()));

    // Doubles, and few items.
    std::vector<double> halves(h.begin(), h.end());
    for (double &x : halves) x /= 2;
    double *din = on_device(halves), *dout = on_device<double>(n);
    with_storage([&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, din, dout, n); });
    CHECK(on_host(dout, 1)[0] == std::accumulate(halves.begin(), halves.end(), 0.0));
    with_storage([&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, din, dout, 3); });
    CHECK(on_host(dout, 1)[0] == halves[0] + halves[1] + halves[2]);

    std::vector<int> want(n);
    std::partial_sum(h.begin(), h.end(), want.begin());
    with_storage([&](void *s, size_t &b) { return cub::DeviceScan::InclusiveSum(s, b, in, out, n); });
    CHECK(on_host(out, n) == want);
    with_storage([&](void *s, size_t &b) { return cub::DeviceScan::ExclusiveScan(s, b, in, out, larger(), 17, n); });
    int most = 17;
    for (int i = 0; i < n; i++) {
        want[i] = most;
        most = std::max(most, h[i]);
    }
    CHECK(on_host(out, n) == want);

    // By key, and by segment.
    std::vector<int> keys(n);
    for (int i = 0; i < n; i++) keys[i] = i / 100;
    int *k = on_device(keys), *unique = on_device<int>(n), *runs = on_device<int>(1);
    with_storage([&](void *s, size_t &b) { return cub::DeviceReduce::ReduceByKey(s, b, k, unique, in, out, runs, larger(), n); });
    const int segments = (n + 99) / 100;
    CHECK(on_host(runs, 1)[0] == segments);
    std::vector<int> largest(segments, 0), offsets(segments + 1, n);
    for (int i = 0; i < n; i++) largest[i / 100] = std::max(largest[i / 100], h[i]);
    CHECK(on_host(out, segments) == largest);
    with_storage([&](void *s, size_t &b) { return cub::DeviceScan::InclusiveSumByKey(s, b, k, in, out, n); });
    CHECK(on_host(out, n)[199] == std::accumulate(h.begin() + 100, h.begin() + 200, 0));
    for (int i = 0; i < segments; i++) offsets[i] = 100 * i;
    int *o = on_device(offsets);
    with_storage([&](void *s, size_t &b) { return cub::DeviceSegmentedReduce::Max(s, b, in, out, segments, o, o + 1); });
    CHECK(on_host(out, segments) == largest);
}
