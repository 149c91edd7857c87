// Kernels of applications of other kinds, as in kernels.cu: no rule of the model comes from them.
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#define CHECK(x)                                                                                                                           \
    do {                                                                                                                                   \
        cudaError_t e = (x);                                                                                                               \
        if (e != cudaSuccess) {                                                                                                            \
            printf("%s: %s\n", #x, cudaGetErrorString(e));                                                                                 \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

__global__ void tridiagonal(int n, int systems, const float *b, const float *d, float *c, float *x) { // a system a thread, side by side
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    float pc = 0, px = 0;
    for (int i = 0; i < n; i++) {
        float m = 1.0f / (b[i * systems + s] + 4.0f + pc);
        pc = -m;
        px = (d[i * systems + s] + px) * m;
        c[i * systems + s] = pc;
        x[i * systems + s] = px;
    }
    for (int i = n - 2; i >= 0; i--) {
        px = x[i * systems + s] - c[i * systems + s] * px;
        x[i * systems + s] = px;
    }
}
__global__ void lattice_boltzmann(int w, int h, const float *in, float *out) { // nine directions of a cell, in planes
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const float wt[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
    float f[9], rho = 0, u = 0, v = 0;
#pragma unroll
    for (int i = 0; i < 9; i++) {
        int sx = (x - dx[i] + w) % w, sy = (y - dy[i] + h) % h;
        f[i] = in[(i * h + sy) * w + sx];
        rho += f[i];
        u += dx[i] * f[i];
        v += dy[i] * f[i];
    }
    u /= rho;
    v /= rho;
    float k = 1.5f * (u * u + v * v);
#pragma unroll
    for (int i = 0; i < 9; i++) {
        float e = 3 * (dx[i] * u + dy[i] * v);
        out[(i * h + y) * w + x] = f[i] + 0.6f * (wt[i] * rho * (1 + e + 0.5f * e * e - k) - f[i]);
    }
}
__global__ void life_bits(int words, int h, const unsigned *in, unsigned *out) { // 32 cells a word
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    unsigned s0 = 0, s1 = 0, s2 = 0, alive = in[y * words + x];
    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *r = in + ((y + dy + h) % h) * words;
        unsigned c = r[x], l = __funnelshift_l(r[(x + words - 1) % words], c, 1), g = __funnelshift_r(c, r[(x + 1) % words], 1);
        unsigned all[3] = {l, g, dy ? c : 0};
        for (int i = 0; i < 3; i++) {
            unsigned c0 = s0 & all[i], c1 = s1 & c0;
            s0 ^= all[i];
            s1 ^= c0;
            s2 |= c1;
        }
    }
    out[y * words + x] = ~s2 & s1 & (s0 | alive);
}
__global__ void table_cipher(int rounds, const unsigned *table, const uint4 *in, uint4 *out) { // four tables in shared memory
    __shared__ unsigned t[4][256];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        t[i / 256][i % 256] = table[i];
    __syncthreads();
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 s = in[g];
    for (int r = 0; r < rounds; r++) {
        uint4 n;
        n.x = t[0][s.x & 255] ^ t[1][s.y >> 8 & 255] ^ t[2][s.z >> 16 & 255] ^ t[3][s.w >> 24];
        n.y = t[0][s.y & 255] ^ t[1][s.z >> 8 & 255] ^ t[2][s.w >> 16 & 255] ^ t[3][s.x >> 24];
        n.z = t[0][s.z & 255] ^ t[1][s.w >> 8 & 255] ^ t[2][s.x >> 16 & 255] ^ t[3][s.y >> 24];
        n.w = t[0][s.w & 255] ^ t[1][s.x >> 8 & 255] ^ t[2][s.y >> 16 & 255] ^ t[3][s.z >> 24];
        s = make_uint4(n.x + r, n.y, n.z, n.w);
    }
    out[g] = s;
}
__global__ void merge_path(int n, int each, const int *a, const int *b, int *out) { // two sorted lists, a stretch of the result a thread
    int k = (blockIdx.x * blockDim.x + threadIdx.x) * each, lo = max(0, k - n), hi = min(k, n);
    while (lo < hi) {
        int m = (lo + hi) / 2;
        if (a[m] <= b[k - 1 - m])
            lo = m + 1;
        else
            hi = m;
    }
    int i = lo, j = k - lo;
    for (int s = 0; s < each; s++)
        out[k + s] = j >= n || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}
__global__ void match_count(int n, int groups, const int *keys, int *counts) { // one atomic for the lanes that agree
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = (unsigned)keys[i] % groups;
        unsigned same = __match_any_sync(~0u, k);
        if (__ffs(same) - 1 == threadIdx.x % 32)
            atomicAdd(counts + k, __popc(same));
    }
}
__global__ void gemv_int4(int cols, const uint4 *w, const float *scale, const float *x, float *y) { // 4-bit weights, a warp a row
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float s = 0;
    for (int c = lane; c < cols / 32; c += 32) {
        uint4 q = w[(size_t)row * (cols / 32) + c];
        unsigned v[4] = {q.x, q.y, q.z, q.w};
        float t = 0;
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 8; j++)
                t += ((int)(v[i] >> (4 * j) & 15) - 8) * x[c * 32 + i * 8 + j];
        s += t * scale[row * (cols / 32) + c];
    }
    for (int f = 16; f; f /= 2)
        s += __shfl_xor_sync(~0u, s, f);
    if (!lane)
        y[row] = s;
}
__constant__ float4 spheres[64];
__global__ void ray_spheres(int w, int count, float *out) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float dx = (x - w / 2) / (float)w, dy = (y - w / 2) / (float)w, dz = 1, r = rsqrtf(dx * dx + dy * dy + 1), ox = 0, oy = 0, oz = -3, light = 1, sum = 0;
    dx *= r, dy *= r, dz *= r;
    for (int bounce = 0; bounce < 4; bounce++) {
        float best = 1e30f;
        int hit = -1;
        for (int i = 0; i < count; i++) {
            float4 s = spheres[i];
            float px = ox - s.x, py = oy - s.y, pz = oz - s.z, b = px * dx + py * dy + pz * dz, c = px * px + py * py + pz * pz - s.w, d = b * b - c;
            if (d > 0) {
                float t = -b - sqrtf(d);
                if (t > 1e-3f && t < best)
                    best = t, hit = i;
            }
        }
        if (hit < 0)
            break;
        float4 s = spheres[hit];
        ox += best * dx, oy += best * dy, oz += best * dz;
        float q = rsqrtf(s.w), nx = (ox - s.x) * q, ny = (oy - s.y) * q, nz = (oz - s.z) * q, k = 2 * (nx * dx + ny * dy + nz * dz);
        dx -= k * nx, dy -= k * ny, dz -= k * nz;
        sum += light * fabsf(ny);
        light *= 0.6f;
    }
    out[y * w + x] = sum;
}
__global__ void bilateral(int w, int h, const float *in, float *out) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float c = in[y * w + x], s = 0, n = 0;
    for (int j = -3; j <= 3; j++)
        for (int i = -3; i <= 3; i++) {
            float v = in[min(max(y + j, 0), h - 1) * w + min(max(x + i, 0), w - 1)], d = v - c, k = __expf(-0.05f * (i * i + j * j) - 8 * d * d);
            s += k * v;
            n += k;
        }
    out[y * w + x] = s / n;
}
__global__ void union_find(int edges, const int2 *edge, int *parent) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int a = edge[e].x, b = edge[e].y;
    for (;;) {
        while (a != parent[a])
            a = parent[a];
        while (b != parent[b])
            b = parent[b];
        if (a == b)
            return;
        if (a < b) {
            int t = a;
            a = b, b = t;
        }
        int old = atomicMin(parent + a, b);
        if (old == a)
            return;
        a = old;
    }
}
__global__ void rotary(int heads, int dim, float2 *q) {
    int t = blockIdx.x, i = threadIdx.x, head = blockIdx.y;
    float s, c, a = t * powf(10000.0f, -2.0f * i / dim);
    sincosf(a, &s, &c);
    float2 *p = q + ((size_t)t * heads + head) * (dim / 2) + i, v = *p;
    *p = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}
__global__ void cross_entropy(int classes, const float *logits, const int *label, float *loss, float *grad) {
    __shared__ float red[8];
    const float *l = logits + (size_t)blockIdx.x * classes;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float m = -1e30f, s = 0;
    for (int i = threadIdx.x; i < classes; i += blockDim.x)
        m = fmaxf(m, l[i]);
    for (int f = 16; f; f /= 2)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, f));
    if (!lane)
        red[warp] = m;
    __syncthreads();
    for (int i = 0; i < 8; i++)
        m = fmaxf(m, red[i]);
    __syncthreads();
    for (int i = threadIdx.x; i < classes; i += blockDim.x)
        s += expf(l[i] - m);
    for (int f = 16; f; f /= 2)
        s += __shfl_xor_sync(~0u, s, f);
    if (!lane)
        red[warp] = s;
    __syncthreads();
    s = 0;
    for (int i = 0; i < 8; i++)
        s += red[i];
    int t = label[blockIdx.x] % classes;
    for (int i = threadIdx.x; i < classes; i += blockDim.x)
        grad[(size_t)blockIdx.x * classes + i] = expf(l[i] - m) / s - (i == t);
    if (!threadIdx.x)
        loss[blockIdx.x] = logf(s) + m - l[t];
}
__global__ void power_mod(unsigned modulus, const unsigned *in, unsigned *out) { // 64-bit products and remainders
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long b = in[i] % modulus, r = 1;
    for (unsigned e = in[i + 1] & 65535; e; e >>= 1) {
        if (e & 1)
            r = r * b % modulus;
        b = b * b % modulus;
    }
    out[i] = (unsigned)r;
}
__global__ void gemm_bf16_stages(int n, const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) { // 64 by 64, ldmatrix, mma.sync, two stages of cp.async; b transposed
    __shared__ __align__(16) __nv_bfloat16 as[2][64][40], bs[2][64][40];
    int t = threadIdx.x, w = t / 32, lane = t % 32, row = blockIdx.y * 64, col = blockIdx.x * 64;
    float acc[2][4][4] = {};
    auto load = [&](int stage, int k) {
        for (int i = t; i < 256; i += 128) {
            int r = i / 4, s = i % 4 * 8;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(&as[stage][r][s])), "l"(a + (size_t)(row + r) * n + k + s));
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(&bs[stage][r][s])), "l"(b + (size_t)(col + r) * n + k + s));
        }
        asm volatile("cp.async.commit_group;");
    };
    load(0, 0);
    for (int k = 0, stage = 0; k < n; k += 32, stage ^= 1) {
        if (k + 32 < n) {
            load(stage ^ 1, k + 32);
            asm volatile("cp.async.wait_group 1;");
        } else
            asm volatile("cp.async.wait_group 0;");
        __syncthreads();
        for (int kk = 0; kk < 32; kk += 16) {
            unsigned fa[2][4], fb[4][2];
            for (int i = 0; i < 2; i++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3]) : "r"((unsigned)__cvta_generic_to_shared(&as[stage][w / 2 * 32 + i * 16 + lane % 16][kk + lane / 16 * 8])));
            for (int j = 0; j < 4; j++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(fb[j][0]), "=r"(fb[j][1]) : "r"((unsigned)__cvta_generic_to_shared(&bs[stage][w % 2 * 32 + j * 8 + lane % 8][kk + lane / 8 % 2 * 8])));
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3]) : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) {
            float *p = c + (size_t)(row + w / 2 * 32 + i * 16 + lane / 4) * n + col + w % 2 * 32 + j * 8 + lane % 4 * 2;
            *(float2 *)p = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2 *)(p + 8 * n) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}
__global__ void lstm_cell(int hidden, const float *gates, const float *c0, float *c1, float *h1) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / hidden, k = i % hidden;
    const float *g = gates + (size_t)row * 4 * hidden + k;
    float in = 1 / (1 + expf(-g[0])), forget = 1 / (1 + expf(-g[hidden])), cell = tanhf(g[2 * hidden]), o = 1 / (1 + expf(-g[3 * hidden]));
    float c = forget * c0[i] + in * cell;
    c1[i] = c;
    h1[i] = o * tanhf(c);
}
__global__ void nearest(int n, int queries, const float3 *p, float *out) { // the four nearest of a tile in shared memory
    __shared__ float3 tile[256];
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    float3 c = p[q];
    float best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    for (int b = 0; b < n; b += 256) {
        tile[threadIdx.x] = p[b + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 256; i++) {
            float x = tile[i].x - c.x, y = tile[i].y - c.y, z = tile[i].z - c.z, d = x * x + y * y + z * z;
            if (d < best[3]) {
                best[3] = d;
#pragma unroll
                for (int k = 3; k; k--)
                    if (best[k] < best[k - 1]) {
                        float t = best[k];
                        best[k] = best[k - 1], best[k - 1] = t;
                    }
            }
        }
        __syncthreads();
    }
    out[q] = best[0] + best[1] + best[2] + best[3];
}
static unsigned seed = 521288629u;
static unsigned next() {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    return seed ^= seed << 5;
}
template <class T, class F> static T *fill(size_t n, F f) {
    T *h = (T *)malloc(n * sizeof(T)), *d;
    for (size_t i = 0; i < n; i++)
        h[i] = f(i);
    CHECK(cudaMalloc(&d, n * sizeof(T)));
    CHECK(cudaMemcpy(d, h, n * sizeof(T), cudaMemcpyHostToDevice));
    free(h);
    return d;
}
int main() {
    float *a = fill<float>(1 << 23, [](size_t) { return next() * 0x1p-32f; }), *c = fill<float>(1 << 24, [](size_t) { return 0.f; });
    unsigned *words = fill<unsigned>(1 << 22, [](size_t) { return next(); });
    int at = 0, *sorted = fill<int>(1 << 21, [&](size_t i) { return at = (i == 1 << 20 ? 0 : at) + next() % 16; });
    int *own = fill<int>(1 << 17, [](size_t i) { return (int)i; }), *zeros = fill<int>(1 << 16, [](size_t) { return 0; });
    int2 *edge = fill<int2>(1 << 17, [](size_t) { return make_int2(next() % (1 << 17), next() % (1 << 17)); });
    __nv_bfloat16 *h = fill<__nv_bfloat16>(1 << 21, [](size_t) { return __float2bfloat16(next() * 0x1p-32f); });
    float4 scene[64];
    for (int i = 0; i < 64; i++)
        scene[i] = make_float4(next() * 0x1p-30f - 2, next() * 0x1p-30f - 2, next() * 0x1p-30f, 0.05f + next() * 0x1p-34f);
    CHECK(cudaMemcpyToSymbol(spheres, scene, sizeof(scene)));
    tridiagonal<<<128, 128>>>(64, 16384, a, a + (1 << 20), c, c + (1 << 20));
    lattice_boltzmann<<<dim3(4, 512), 128>>>(512, 512, a, c);
    life_bits<<<dim3(1, 4096), 128>>>(128, 4096, words, (unsigned *)c);
    table_cipher<<<512, 256>>>(10, words, (uint4 *)words, (uint4 *)c);
    merge_path<<<512, 256>>>(1 << 20, 16, sorted, sorted + (1 << 20), (int *)c);
    match_count<<<264, 256>>>(1 << 20, 20, (int *)words, zeros);
    gemv_int4<<<512, 256>>>(4096, (uint4 *)words, a, a + (1 << 22), c);
    ray_spheres<<<dim3(32, 32), dim3(16, 16)>>>(512, 64, c);
    bilateral<<<dim3(32, 128), dim3(32, 8)>>>(1024, 1024, a, c);
    union_find<<<512, 256>>>(1 << 17, edge, own);
    rotary<<<dim3(512, 16), 64>>>(16, 128, (float2 *)a);
    cross_entropy<<<512, 256>>>(8000, a, own, c, c + 1024);
    power_mod<<<1024, 256>>>(1000000007u, words, (unsigned *)c);
    gemm_bf16_stages<<<dim3(16, 16), 128>>>(1024, h, h + (1 << 20), c);
    lstm_cell<<<2048, 256>>>(1024, a, a + (1 << 22), c, c + (1 << 20));
    nearest<<<64, 256>>>(4096, 16384, (float3 *)a, c);
    CHECK(cudaDeviceSynchronize());
    puts("done");
    return 0;
}
