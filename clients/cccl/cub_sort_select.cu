#include <cub/cub.cuh>
#include <algorithm>
#include <functional>
#include "check.h"

struct less_than
{
    int limit;
    __host__ __device__ bool operator()(int x) const { return x < limit; }
};
struct ascending { __host__ __device__ bool operator()(int a, int b) const { return a < b; } };

int main()
{
    const int n = 20011;
    std::vector<int> h = integers(n, 1 << 22);
    for (int i = 0; i < n; i += 3) h[i] = -h[i];
    int *in = on_device(h), *out = on_device<int>(n), *count = on_device<int>(1);

    std::vector<int> want = h;
    std::sort(want.begin(), want.end());
    with_storage([&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeys(s, b, in, out, n); });
    CHECK(on_host(out, n) == want);
    with_storage([&](void *s, size_t &b) { return cub::DeviceMergeSort::SortKeysCopy(s, b, in, out, n, ascending()); });
    CHECK(on_host(out, n) == want);

    std::vector<int> order(n);
    for (int i = 0; i < n; i++) order[i] = i;
    int *values = on_device(order), *sorted = on_device<int>(n);
    with_storage([&](void *s, size_t &b) { return cub::DeviceRadixSort::SortPairsDescending(s, b, in, out, values, sorted, n); });
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return h[a] > h[b]; });
    CHECK(on_host(sorted, n) == order);

    // Doubles in two buffers, and some bits of keys.
    std::vector<double> reals(h.begin(), h.end());
    for (double &x : reals) x /= 3;
    cub::DoubleBuffer<double> buffers(on_device(reals), on_device<double>(n));
    with_storage([&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeys(s, b, buffers, n); });
    std::sort(reals.begin(), reals.end());
    CHECK(on_host(buffers.Current(), n) == reals);
    std::vector<unsigned> bits(h.begin(), h.end());
    unsigned *from = on_device(bits), *to = on_device<unsigned>(n);
    with_storage([&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeys(s, b, from, to, n, 4, 12); });
    std::stable_sort(bits.begin(), bits.end(), [](unsigned a, unsigned b) { return (a >> 4 & 255) < (b >> 4 & 255); });
    CHECK(on_host(to, n) == bits);

    with_storage([&](void *s, size_t &b) { return cub::DeviceSelect::If(s, b, in, out, count, n, less_than{1000}); });
    want.clear();
    std::copy_if(h.begin(), h.end(), std::back_inserter(want), less_than{1000});
    CHECK(on_host(count, 1)[0] == int(want.size()) && on_host(out, want.size()) == want);
    std::vector<char> flags(n);
    for (int i = 0; i < n; i++) flags[i] = i % 5 == 0;
    char *f = on_device(flags);
    with_storage([&](void *s, size_t &b) { return cub::DeviceSelect::Flagged(s, b, in, f, out, count, n); });
    CHECK(on_host(count, 1)[0] == (n + 4) / 5 && on_host(out, 3)[2] == h[10]);
    with_storage([&](void *s, size_t &b) { return cub::DevicePartition::If(s, b, in, out, count, n, less_than{0}); });
    CHECK(on_host(count, 1)[0] == std::count_if(h.begin(), h.end(), less_than{0}) && on_host(out, n)[n - 1] == h[1]);
    std::vector<int> runs = integers(n, 4);
    int *r = on_device(runs);
    with_storage([&](void *s, size_t &b) { return cub::DeviceSelect::Unique(s, b, r, out, count, n); });
    runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
    CHECK(on_host(count, 1)[0] == int(runs.size()) && on_host(out, runs.size()) == runs);

    // Segments of 1 to 500.
    std::vector<int> offsets{0};
    for (int i = 1; offsets.back() < n; i++) offsets.push_back(std::min(n, offsets.back() + (i * 37) % 500 + 1));
    const int segments = int(offsets.size()) - 1;
    int *o = on_device(offsets);
    with_storage([&](void *s, size_t &b) { return cub::DeviceSegmentedSort::SortKeys(s, b, in, out, n, segments, o, o + 1); });
    want = h;
    for (int i = 0; i < segments; i++) std::sort(want.begin() + offsets[i], want.begin() + offsets[i + 1]);
    CHECK(on_host(out, n) == want);
    with_storage([&](void *s, size_t &b) { return cub::DeviceSegmentedRadixSort::SortKeys(s, b, in, out, n, segments, o, o + 1); });
    CHECK(on_host(out, n) == want);
}
