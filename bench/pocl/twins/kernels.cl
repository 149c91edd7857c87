// The twins of ../../kernels.cu in OpenCL C.

__kernel void saxpy(__global const float *x, __global float *y, float a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__kernel void matmul_naive(__global const float *A, __global const float *B, __global float *C, int n)
{
    int row = get_global_id(1), col = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
}

__kernel void matmul_tiled(__global const float *A, __global const float *B, __global float *C, int n)
{
    __local float As[32][32], Bs[32][32];
    int tx = get_local_id(0), ty = get_local_id(1), row = get_group_id(1) * 32 + ty, col = get_group_id(0) * 32 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        As[ty][tx] = A[row * n + k0 + tx];
        Bs[ty][tx] = B[(k0 + ty) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < 32; ++k)
            sum += As[ty][k] * Bs[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * n + col] = sum;
}

__kernel void matmul_register(__global const float *A, __global const float *B, __global float *C, int n)
{
    __local float As[8][128], Bs[8][128];
    int t = get_local_id(0), tx = t % 16, ty = t / 16;
    int row0 = get_group_id(1) * 128, col0 = get_group_id(0) * 128;
    float sum[8][8];
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            sum[i][j] = 0;
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = t; i < 8 * 128; i += 256) {
            As[i % 8][i / 8] = A[(row0 + i / 8) * n + k0 + i % 8];
            Bs[i / 128][i % 128] = B[(k0 + i / 128) * n + col0 + i % 128];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float a[8], b[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                a[i] = As[k][ty * 8 + i];
                b[i] = Bs[k][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sum[i][j] += a[i] * b[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            C[(row0 + ty * 8 + i) * n + col0 + tx + 16 * j] = sum[i][j];
}

// OpenCL 1.2 has no shuffles: the sum of a group goes through local memory.
__kernel void reduce(__global const float *x, __global float *sums, int n)
{
    __local float part[256];
    int t = get_local_id(0);
    float s = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        s += x[i];
    part[t] = s;
    for (int d = 128; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d)
            part[t] += part[t + d];
    }
    if (t == 0)
        sums[get_group_id(0)] = part[0];
}

__kernel void stencil(__global const float *in, __global float *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.5f * in[y * n + x] + 0.125f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

__kernel void histogram(__global const uchar *data, __global uint *bins, int n)
{
    __local uint part[256];
    int t = get_local_id(0);
    part[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&part[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[t], part[t]);
}

__kernel void transpose(__global const float *in, __global float *out, int n)
{
    __local float tile[32][33];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x = get_group_id(0) * 32 + tx, y = get_group_id(1) * 32 + ty;
    for (int j = 0; j < 32; j += 8)
        tile[ty + j][tx] = in[(y + j) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 32 + tx;
    y = get_group_id(0) * 32 + ty;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] = tile[tx][ty + j];
}

// One row to 32 work-items, whose maximum and sum go through local memory.
__kernel void softmax(__global const float *in, __global float *out, int n)
{
    __local float part[256];
    int t = get_local_id(0), lane = t % 32;
    size_t row = get_global_id(0) / 32;
    __global const float *x = in + row * n;
    float m = -1e30f, s = 0;
    for (int i = lane; i < n; i += 32)
        m = fmax(m, x[i]);
    part[t] = m;
    for (int d = 16; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < d)
            part[t] = fmax(part[t], part[t + d]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    m = part[t - lane];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lane; i < n; i += 32)
        s += native_exp(x[i] - m);
    part[t] = s;
    for (int d = 16; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < d)
            part[t] += part[t + d];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    s = part[t - lane];
    for (int i = lane; i < n; i += 32)
        out[row * n + i] = native_exp(x[i] - m) / s;
}

__kernel void spmv(__global const int *start, __global const int *column, __global const float *value, __global const float *x, __global float *y, int n)
{
    int row = get_global_id(0);
    if (row >= n)
        return;
    float sum = 0;
    for (int i = start[row]; i < start[row + 1]; ++i)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}

__kernel void copy(__global const uint *in, __global uint *out, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[i];
}

__kernel void bitonic(__global uint *data, int distance, int size)
{
    int i = get_global_id(0), other = i ^ distance;
    if (other <= i)
        return;
    uint a = data[i], b = data[other];
    if ((a > b) == ((i & size) == 0)) {
        data[i] = b;
        data[other] = a;
    }
}

static float cumulative_normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float c = 0.39894228f * exp(-0.5f * d * d) * k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1.0f - c : c;
}

__kernel void black_scholes(__global const float *price, __global const float *strike, __global const float *years, __global float *call, __global float *put, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    const float rate = 0.02f, volatility = 0.30f;
    float s = 5 + 25 * price[i], x = 1 + 99 * strike[i], t = 0.25f + 9.75f * years[i];
    float root = sqrt(t), d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root), d2 = d1 - volatility * root;
    float c1 = cumulative_normal(d1), c2 = cumulative_normal(d2), discount = x * exp(-rate * t);
    call[i] = s * c1 - discount * c2;
    put[i] = discount * (1 - c2) - s * (1 - c1);
}

__kernel void mandelbrot(__global uint *out, int n)
{
    int px = get_global_id(0), py = get_global_id(1);
    float cx = -2.0f + 3.0f * px / n, cy = -1.5f + 3.0f * py / n, x = 0, y = 0;
    uint i = 0;
    while (i < 256 && x * x + y * y < 4) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++i;
    }
    out[py * n + px] = i;
}
