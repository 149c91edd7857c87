// The program in the fat binaries beside it. They are what nvcc 13.5 made of it:
//   nvcc -fatbin -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90a,code=compute_90a --compress-mode=MODE
// with MODE none (plain), speed (LZ4) and size (zstd).
__global__ void scale(float *x, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[i] * by + (by > 1 ? by : x[i + 1] * x[i + 2] + x[i + 3]);
}
