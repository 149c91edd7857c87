#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <algorithm>
#include <functional>
#include "check.h"

struct point { int x, y; };
struct by_both
{
    __host__ __device__ bool operator()(const point &a, const point &b) const { return a.x < b.x || (a.x == b.x && a.y < b.y); }
};
struct descending { template <class T> __host__ __device__ bool operator()(T a, T b) const { return a > b; } };

template <class T> void sorts(const std::vector<int> &values)
{
    std::vector<T> h(values.begin(), values.end());
    for (T &x : h) x = x / T(3) - T(100);
    thrust::device_vector<T> d = h;
    thrust::sort(d.begin(), d.end());
    std::sort(h.begin(), h.end());
    CHECK(thrust::host_vector<T>(d) == h);
    thrust::stable_sort(d.begin(), d.end(), descending());
    std::reverse(h.begin(), h.end());
    CHECK(thrust::host_vector<T>(d) == h);
}

int main()
{
    const int n = 6001;
    const std::vector<int> h = integers(n, 1 << 20);
    sorts<int>(h);
    sorts<double>(h);
    sorts<unsigned short>(h);

    // Keys with values: stable.
    std::vector<int> keys = integers(n, 50, 3);
    thrust::device_vector<int> k = keys, v(n);
    thrust::sequence(v.begin(), v.end());
    thrust::stable_sort_by_key(k.begin(), k.end(), v.begin());
    std::vector<int> order(n);
    for (int i = 0; i < n; i++) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    CHECK(thrust::host_vector<int>(v) == order);

    // A comparison of one's own, of a structure.
    std::vector<point> points(n);
    for (int i = 0; i < n; i++) points[i] = {keys[i], h[i]};
    thrust::device_vector<point> p = points;
    thrust::sort(p.begin(), p.end(), by_both());
    std::sort(points.begin(), points.end(), by_both());
    for (int i = 0; i < n; i += 97) {
        const point q = p[i];
        CHECK(q.x == points[i].x && q.y == points[i].y);
    }

    // Sorted ranges.
    std::vector<int> a = integers(500, 1000, 5), b = integers(700, 1000, 6), want;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    thrust::device_vector<int> da = a, db = b, out(1200), at(b.size());
    thrust::merge(da.begin(), da.end(), db.begin(), db.end(), out.begin());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(want));
    CHECK(thrust::host_vector<int>(out) == want);
    want.clear();
    out.resize(thrust::set_intersection(da.begin(), da.end(), db.begin(), db.end(), out.begin()) - out.begin());
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(want));
    CHECK(thrust::host_vector<int>(out) == want);
    thrust::lower_bound(da.begin(), da.end(), db.begin(), db.end(), at.begin());
    for (int i = 0; i < 700; i += 31) CHECK(at[i] == std::lower_bound(a.begin(), a.end(), b[i]) - a.begin());
}
