#include <cuda/functional>
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/bitset>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/expected>
#include <cuda/std/functional>
#include <cuda/std/inplace_vector>
#include <cuda/std/initializer_list>
#include <cuda/std/iterator>
#include <cuda/std/limits>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/ratio>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda/std/variant>
#include "check.h"

namespace cs = cuda::std;

// The same code on both sides: it writes numbers of which the device's have to be the host's.
struct writer
{
    double *out;
    int n = 0;
    __host__ __device__ void operator()(double x) { out[n++] = x; }
};

__host__ __device__ cs::optional<int> halved(int x) { return x % 2 ? cs::optional<int>() : cs::optional<int>(x / 2); }
__host__ __device__ cs::expected<int, char> checked(int x)
{
    if (x < 0) return cs::unexpected<char>('n');
    return x;
}

struct visitor
{
    __host__ __device__ double operator()(int x) const { return x; }
    __host__ __device__ double operator()(double x) const { return 10 * x; }
};

__host__ __device__ int everything(double *out)
{
    writer w{out};
    cs::array<int, 6> a{5, 3, 9, 1, 7, 2};
    for (int i = 1; i < 6; i++)
        for (int j = i; j > 0 && a[j] < a[j - 1]; j--) cs::swap(a[j], a[j - 1]);
    for (int x : a) w(x);
    w(cs::accumulate(a.begin(), a.end(), 0));
    w(cs::distance(a.begin(), cs::lower_bound(a.begin(), a.end(), 6)));
    w(*cs::max_element(a.begin(), a.end()));
    w(cs::inner_product(a.begin(), a.end(), a.begin(), 0));

    const auto t = cs::make_tuple(1, 2.5, 'c');
    w(cs::get<0>(t) + cs::get<1>(t) + cs::get<2>(t));
    w(cs::apply([](int x, double y, char z) { return x * y * z; }, t));
    w(halved(8).value_or(-1));
    w(halved(7).has_value());
    w(checked(-1).has_value() ? 0 : checked(-1).error());
    w(*checked(4));
    cs::variant<int, double> v = 3;
    w(cs::visit(visitor(), v));
    v = 1.5;
    w(cs::visit(visitor(), v));
    w(v.index());

    const cs::complex<double> z = cs::complex<double>(1, 2) * cs::complex<double>(3, -1) + 1.0;
    w(z.real());
    w(z.imag());
    w(cs::norm(z));
    w(cs::popcount(0xf0f0u) + cs::countl_zero(1u) + cs::bit_width(1000u));
    w(cs::bit_cast<int>(1.0f));
    w(cs::numeric_limits<float>::max());
    w(cs::gcd(84, 36));
    w(cs::bitset<40>(0xff00ff).count());
    w(cs::chrono::duration_cast<cs::chrono::milliseconds>(cs::chrono::seconds(2)).count());

    int storage[12];
    cs::iota(storage, storage + 12, 0);
    const cs::span<int> s(storage);
    w(s.subspan(3, 4).back());
    const cs::mdspan<int, cs::extents<int, cs::dynamic_extent, 4>> m(storage, 3);
    w(m(2, 1) + m.extent(0));
    const cs::mdspan<int, cs::dextents<int, 2>, cs::layout_left> l(storage, 3, 4);
    w(l(2, 1));
    cs::inplace_vector<int, 4> vector;
    vector.push_back(4);
    vector.push_back(5);
    w(vector.size() * 10 + vector.back());
    const auto rotate = cs::plus<>();
    w(rotate(1, 2.25));
    w(cs::is_same_v<cs::common_type_t<int, double>, double> && cs::is_trivially_copyable_v<cs::array<int, 3>>);
    w(cs::isnan(cs::numeric_limits<double>::quiet_NaN()) + cs::signbit(-0.0));
    w(cs::fmax(2.0, cs::abs(-3.5)) + cs::floor(2.7));
    return w.n;
}

__global__ void run(double *out, int *n) { *n = everything(out); }

int main()
{
    double want[100];
    const int n = everything(want);
    double *out = on_device<double>(100);
    int *count = on_device<int>(1);
    run<<<1, 1>>>(out, count);
    CUDA(cudaDeviceSynchronize());
    CHECK(on_host(count, 1)[0] == n && n > 30);
    const std::vector<double> got = on_host(out, n);
    for (int i = 0; i < n; i++) {
        if (got[i] != want[i]) std::printf("%d: %g, and %g on the host\n", i, got[i], want[i]);
        CHECK(got[i] == want[i]);
    }
}
