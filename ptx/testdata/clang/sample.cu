// The source of optimized.ptx (-O2) and debug.ptx (-O0 -g):
// clang++-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -Xclang -target-sdk-version=12.3 \
//   -fdebug-compilation-dir=/src -S sample.cu
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
extern "C" __device__ int printf(const char*, ...);
__device__ int counter = 5;
__device__ int values[4] = {1, 2, 3};
__device__ int *pointer = &values[2];
__constant__ float weights[3] = {1.5f, -2, 0};
struct __attribute__((packed)) Packed { char c; int *p; short s; double d; };
__device__ Packed packed = {1, &values[1], 3, 2.5};
__device__ __attribute__((noinline)) int twice(int x) { return x * 2; }
__device__ __attribute__((noinline)) int flip(int x) { return x ^ 7; }
__device__ int (*table[2])(int) = {twice, flip};
struct Big { int v[8]; double d; };
__device__ __attribute__((noinline)) Big change(Big b, int x) { b.v[x & 7]++; b.d += x; return b; }
extern __shared__ int dynamic[];
__global__ void __attribute__((launch_bounds(256, 2))) kernel(int *p, int n, Big b) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  dynamic[t] = n;
  __nvvm_bar_sync(0);
  int s = 0;
#pragma nounroll
  for (int i = 0; i < n; i++) s += p[(i * 7 + t) & 15];
  b = change(b, s);
  switch (n) { case 0: s += 1; break; case 1: s *= 3; break; case 2: s ^= 9; break; case 3: s -= t; break; case 4: s = 11; break; }
  p[t] = s + table[t & 1](s) + dynamic[(t + 1) & 63] + *pointer + (int)b.d + (int)weights[t % 3] + packed.s + counter;
  if (t == 3) printf("hello %d\n", s);
}
