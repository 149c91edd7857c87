// A shared library with a kernel and a variable.
__device__ int value = 30;

static __global__ void kernel(int *x) { *x += value; }

extern "C" int answer(int x)
{
    int *d, zero = 0;
    cudaMalloc(&d, sizeof *d);
    cudaMemcpy(d, &x, sizeof x, cudaMemcpyHostToDevice);
    kernel<<<1, 1>>>(d);
    cudaMemcpy(&x, d, sizeof x, cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaMemcpyToSymbol(value, &zero, sizeof zero);
    return x;
}
