__global__ void sample(const float *in, float *out, int *count, int n)
{
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[x * n + y];
    __syncthreads();
    float v = tile[x][y];
    if (x & 1)
        v *= 0.1;
    atomicAdd(count, 1);
    out[y * n + x] = v;
}
