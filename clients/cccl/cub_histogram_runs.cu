#include <cub/cub.cuh>
#include <algorithm>
#include "check.h"

struct tripled { __host__ __device__ int operator()(int x) const { return 3 * x; } };
struct increment
{
    int *p;
    __device__ void operator()(int i) const { p[i] += i; }
};

int main()
{
    const int n = 25013;
    const std::vector<int> h = integers(n, 256);
    int *in = on_device(h), *out = on_device<int>(n), *lengths = on_device<int>(n), *count = on_device<int>(1);

    std::vector<int> want(256);
    for (int x : h) want[x]++;
    with_storage([&](void *s, size_t &b) { return cub::DeviceHistogram::HistogramEven(s, b, in, out, 257, 0, 256, n); });
    CHECK(on_host(out, 256) == want);
    const std::vector<int> levels{0, 10, 100, 101, 256};
    int *l = on_device(levels);
    with_storage([&](void *s, size_t &b) { return cub::DeviceHistogram::HistogramRange(s, b, in, out, 5, l, n); });
    CHECK(on_host(out, 4)[2] == want[100]);

    // Four channels of bytes, of which three are counted.
    std::vector<unsigned char> pixels(4 * 1000);
    for (size_t i = 0; i < pixels.size(); i++) pixels[i] = (unsigned char)(i * i + i % 4 * 50);
    unsigned char *px = on_device(pixels);
    int *channels[3] = {on_device<int>(256), on_device<int>(256), on_device<int>(256)}, sizes[3] = {257, 257, 257}, low[3] = {0, 0, 0}, high[3] = {256, 256, 256};
    with_storage([&](void *s, size_t &b) { return cub::DeviceHistogram::MultiHistogramEven<4, 3>(s, b, px, channels, sizes, low, high, 1000); });
    for (int c = 0; c < 3; c++) {
        std::vector<int> counts(256);
        for (int i = 0; i < 1000; i++) counts[pixels[4 * i + c]]++;
        CHECK(on_host(channels[c], 256) == counts);
    }

    std::vector<int> runs(n), values, lengthOf;
    for (int i = 0; i < n; i++) runs[i] = i * i / 1000 % 7;
    for (int i = 0; i < n; i++) {
        if (i == 0 || runs[i] != runs[i - 1]) values.push_back(runs[i]), lengthOf.push_back(0);
        lengthOf.back()++;
    }
    int *r = on_device(runs);
    with_storage([&](void *s, size_t &b) { return cub::DeviceRunLengthEncode::Encode(s, b, r, out, lengths, count, n); });
    CHECK(on_host(count, 1)[0] == int(values.size()));
    CHECK(on_host(out, values.size()) == values && on_host(lengths, values.size()) == lengthOf);
    with_storage([&](void *s, size_t &b) { return cub::DeviceRunLengthEncode::NonTrivialRuns(s, b, r, out, lengths, count, n); });
    CHECK(on_host(count, 1)[0] == int(std::count_if(lengthOf.begin(), lengthOf.end(), [](int x) { return x > 1; })));

    with_storage([&](void *s, size_t &b) { return cub::DeviceAdjacentDifference::SubtractLeftCopy(s, b, in, out, n); });
    CHECK(on_host(out, n)[9] == h[9] - h[8]);
    CUDA(cub::DeviceFor::Bulk(n, increment{in}));
    CUDA(cub::DeviceTransform::Transform(in, out, n, tripled()));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i += 999) CHECK(on_host(out, n)[i] == 3 * (h[i] + i));

    // Many copies in one call.
    const int copies = 20;
    std::vector<void *> from, to;
    std::vector<unsigned> bytes;
    for (int i = 0; i < copies; i++) from.push_back(in + 40 * i), to.push_back(out + 50 * i), bytes.push_back(4 * i + i % 3);
    void **f = on_device(from), **t = on_device(to);
    unsigned *sizesOf = on_device(bytes);
    CUDA(cudaMemset(out, 0, n * sizeof(int)));
    with_storage([&](void *s, size_t &b) { return cub::DeviceMemcpy::Batched(s, b, f, t, sizesOf, copies); });
    CHECK(on_host(out, n)[50 * 19 + 18] == on_host(in, n)[40 * 19 + 18] && on_host(out, n)[50 * 18 + 18] == 0);
}
