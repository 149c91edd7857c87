// What the device runtime answers, and cooperative launches. An argument names the case.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct Triple { char a; double b; short c; };
__device__ int order[64]; __device__ int next_;
__device__ int counts[16];
__device__ int word;
__global__ void empty() {}
__global__ void mark(int v) { int i = atomicAdd(&next_, 1); if (i < 64) order[i] = v; }
__global__ void slow(int v) { long long t = clock64(); while (clock64() - t < 3000000) {} int i = atomicAdd(&next_, 1); if (i < 64) order[i] = v; }
__global__ void depth(int d, int most) {
  if (d >= most) return;
  depth<<<1, 1>>>(d + 1, most);
  cudaError_t e = cudaGetLastError();
  if (e) printf("depth %d: %d\n", d, e); else if (d + 1 == most) printf("depth reached %d\n", most);
}
__global__ void depthTail(int d, int most) {
  if (d >= most) { printf("tail depth reached %d\n", d); return; }
  depthTail<<<1, 1, 0, cudaStreamTailLaunch>>>(d + 1, most);
  cudaError_t e = cudaGetLastError();
  if (e) printf("tail depth %d: %d\n", d, e);
}
__global__ void many(int n, int which) {
  int ok = 0, first = -1, code = 0;
  cudaStream_t s = which == 1 ? cudaStreamTailLaunch : which == 2 ? cudaStreamFireAndForget : (cudaStream_t)0;
  for (int i = 0; i < n; i++) { empty<<<1, 1, 0, s>>>(); cudaError_t e = cudaGetLastError(); if (e) { if (first < 0) first = i, code = e; } else ok++; }
  printf("many n=%d stream=%d ok=%d first=%d code=%d\n", n, which, ok, first, code);
}
__global__ void __launch_bounds__(64) bounded() {}
__global__ void one(char *what, dim3 g, dim3 b, unsigned s) {
  void *p = cudaGetParameterBufferV2((void *)empty, g, b, s);
  cudaError_t peek = cudaPeekAtLastError();
  cudaError_t e = cudaSuccess;
  if (p) e = cudaLaunchDeviceV2(p, 0);
  printf("config grid(%d,%d,%d) block(%d,%d,%d) shared %u: buffer %s peek %d launch %d last %d\n", g.x, g.y, g.z, b.x, b.y, b.z, s, p ? "yes" : "null", peek, e, cudaGetLastError());
}
__global__ void configs() {
  one<<<1,1>>>(0, dim3(1), dim3(2000), 0);
  one<<<1,1>>>(0, dim3(0), dim3(1), 0);
  one<<<1,1>>>(0, dim3(1), dim3(0), 0);
  one<<<1,1>>>(0, dim3(1,70000), dim3(1), 0);
  one<<<1,1>>>(0, dim3(1), dim3(1,1,100), 0);
  one<<<1,1>>>(0, dim3(1), dim3(1), 40000);
  one<<<1,1>>>(0, dim3(1), dim3(1), 49152);
  one<<<1,1>>>(0, dim3(1), dim3(1), 49153);
  one<<<1,1>>>(0, dim3(1), dim3(1), 1000000);
  empty<<<1, 2000>>>(); printf("<<<1,2000>>> peek %d last %d last %d\n", cudaPeekAtLastError(), cudaGetLastError(), cudaGetLastError());
  empty<<<0, 1>>>(); printf("<<<0,1>>> last %d\n", cudaGetLastError());
  empty<<<1, 1, 1000000>>>(); printf("<<<1,1,1000000>>> last %d\n", cudaGetLastError());
  bounded<<<1, 128>>>(); printf("bounded<<<1,128>>> last %d\n", cudaGetLastError());
  empty<<<1, 1, 0, cudaStreamGraphTailLaunch>>>(); printf("graph tail last %d\n", cudaGetLastError());
  empty<<<1, 1, 0, cudaStreamGraphFireAndForget>>>(); printf("graph fire last %d\n", cudaGetLastError());
  empty<<<1, 1, 0, (cudaStream_t)0x1234560>>>(); printf("bad stream last %d\n", cudaGetLastError());
}
__global__ void errs() { if (threadIdx.x == 0) empty<<<1, 2000>>>(); __syncthreads(); printf("thread %d last %d\n", threadIdx.x, cudaGetLastError()); }
__global__ void errs2() { printf("next kernel last %d\n", cudaGetLastError()); }
__global__ void nullfunc() { void *p = cudaGetParameterBufferV2(nullptr, dim3(1), dim3(1), 0); printf("null function: %s last %d\n", p ? "buffer" : "null", cudaGetLastError()); printf("launch null %d\n", cudaLaunchDeviceV2(nullptr, 0)); }
__global__ void streams() {
  cudaStream_t s, t; cudaEvent_t e, f;
  printf("create nonblocking %d\n", cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  printf("create default %d\n", cudaStreamCreateWithFlags(&t, cudaStreamDefault));
  printf("create flags 7 %d\n", cudaStreamCreateWithFlags(&t, 7));
  printf("event notiming %d\n", cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  printf("event default %d\n", cudaEventCreateWithFlags(&f, 0));
  printf("event 7 %d\n", cudaEventCreateWithFlags(&f, 7));
  printf("record %d wait %d\n", cudaEventRecord(e, s), cudaStreamWaitEvent(s, e, 0));
  printf("record null stream %d wait null stream %d\n", cudaEventRecord(e, 0), cudaStreamWaitEvent(0, e, 0));
  printf("record tail %d fire %d\n", cudaEventRecord(e, cudaStreamTailLaunch), cudaEventRecord(e, cudaStreamFireAndForget));
  printf("wait tail %d fire %d\n", cudaStreamWaitEvent(cudaStreamTailLaunch, e, 0), cudaStreamWaitEvent(cudaStreamFireAndForget, e, 0));
  mark<<<1, 1, 0, s>>>(1); printf("launch in stream %d\n", cudaGetLastError());
  printf("event destroy %d stream destroy %d\n", cudaEventDestroy(e), cudaStreamDestroy(s));
  printf("destroy null stream %d\n", cudaStreamDestroy(0));
  printf("last %d\n", cudaGetLastError());
}
__global__ void twice() { cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); printf("destroy %d", cudaStreamDestroy(s)); printf(" again %d\n", cudaStreamDestroy(s)); }
__global__ void memory(int *host) {
  __shared__ int sh[4]; int loc[4] = {1,2,3,4};
  sh[0] = 5;
  int *p = nullptr; cudaError_t e = cudaMalloc((void**)&p, 1024); printf("malloc %d %s\n", e, p ? "ok" : "null");
  printf("memset %d\n", cudaMemsetAsync(p, 1, 16, 0));
  printf("memcpy d2d %d\n", cudaMemcpyAsync(&word, p, 4, cudaMemcpyDeviceToDevice, 0));
  printf("memcpy default %d\n", cudaMemcpyAsync(&word, p, 4, cudaMemcpyDefault, 0));
  printf("memcpy h2d kind %d\n", cudaMemcpyAsync(&word, p, 4, cudaMemcpyHostToDevice, 0));
  printf("memcpy d2h kind %d\n", cudaMemcpyAsync(&word, p, 4, cudaMemcpyDeviceToHost, 0));
  printf("memcpy kind 9 %d\n", cudaMemcpyAsync(&word, p, 4, (cudaMemcpyKind)9, 0));
  printf("memcpy zero bytes %d\n", cudaMemcpyAsync(&word, p, 0, cudaMemcpyDeviceToDevice, 0));
  printf("memset zero %d\n", cudaMemsetAsync(p, 1, 0, 0));
  printf("memcpy2d %d\n", cudaMemcpy2DAsync(p, 16, p + 64, 32, 8, 4, cudaMemcpyDeviceToDevice, 0));
  printf("memcpy2d width > pitch %d\n", cudaMemcpy2DAsync(p, 4, p + 64, 32, 8, 4, cudaMemcpyDeviceToDevice, 0));
  printf("memset2d %d\n", cudaMemset2DAsync(p, 16, 3, 8, 4, 0));
  printf("memset2d width > pitch %d\n", cudaMemset2DAsync(p, 4, 3, 8, 4, 0));
  printf("memcpy in tail %d fire %d\n", cudaMemcpyAsync(&word, p, 4, cudaMemcpyDeviceToDevice, cudaStreamTailLaunch), cudaMemcpyAsync(&word, p, 4, cudaMemcpyDeviceToDevice, cudaStreamFireAndForget));
  printf("free %d\n", cudaFree(p)); printf("free null %d\n", cudaFree(nullptr));
  void *q = (void*)1; e = cudaMalloc(&q, 1ull << 40); printf("malloc 1T %d %s last %d\n", e, q ? q == (void*)1 ? "same" : "ok" : "null", cudaGetLastError());
  e = cudaMalloc(&q, 0); printf("malloc 0 %d %s\n", e, q ? "ok" : "null");
}
__global__ void sharedcopy() { __shared__ int sh[4]; sh[0] = 1; printf("memcpy from shared %d\n", cudaMemcpyAsync(&word, sh, 4, cudaMemcpyDefault, 0)); }
__global__ void localcopy() { int l[4] = {1}; printf("memcpy from local %d\n", cudaMemcpyAsync(&word, l, 4, cudaMemcpyDefault, 0)); }
__global__ void badfree(int *p) { printf("free of a host allocation %d\n", cudaFree(p)); }
__global__ void ids() { unsigned long long g; asm volatile("mov.u64 %0, %%gridid;" : "=l"(g)); printf("gridid %llu\n", g); }
__global__ void idsParent() { ids<<<1,1>>>(); ids<<<2,1>>>(); }
__global__ void queries(int *dummy) {
  int v = -1; const int attrs[] = {1, 2, 10, 16, 39, 75, 76, 81, 97, 0, 999};
  for (int a : attrs) { v = -1; cudaError_t e = cudaDeviceGetAttribute(&v, (cudaDeviceAttr)a, 0); printf("attribute %d: %d value %d\n", a, e, v); }
  printf("attribute of device 5: %d\n", cudaDeviceGetAttribute(&v, (cudaDeviceAttr)1, 5));
  v = -1; printf("device %d", cudaGetDevice(&v)); printf(" %d\n", v);
  v = -1; printf("count %d", cudaGetDeviceCount(&v)); printf(" %d\n", v);
  v = -1; printf("version %d", cudaRuntimeGetVersion(&v)); printf(" %d\n", v);
  for (int l = 0; l < 8; l++) { size_t s = 77; cudaError_t e = cudaDeviceGetLimit(&s, (cudaLimit)l); printf("limit %d: %d value %llu\n", l, e, (unsigned long long)s); }
  cudaFuncCache c; printf("cache %d\n", cudaDeviceGetCacheConfig(&c));
  printf("string [%s] name [%s]\n", cudaGetErrorString(cudaErrorInvalidValue), cudaGetErrorName(cudaErrorInvalidValue));
  printf("string [%s] name [%s]\n", cudaGetErrorString((cudaError_t)12345), cudaGetErrorName((cudaError_t)12345));
  v = -1; cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, empty, 128, 0); printf("occupancy %d %d\n", e, v);
  v = -1; e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, empty, 2000, 0); printf("occupancy 2000 %d %d\n", e, v);
  cudaFuncAttributes fa; memset(&fa, 0, sizeof fa); e = cudaFuncGetAttributes(&fa, empty); printf("attributes %d: shared %d const %d local %d threads %d regs>0 %d ptx %d binary %d cacheModeCA %d maxdyn %d\n", e, (int)fa.sharedSizeBytes, (int)fa.constSizeBytes, (int)fa.localSizeBytes, fa.maxThreadsPerBlock, fa.numRegs > 0, fa.ptxVersion, fa.binaryVersion, fa.cacheModeCA, fa.maxDynamicSharedSizeBytes);
}
__global__ void readShared(int *p) { printf("child read %d\n", *p); }
__global__ void passShared() { __shared__ int s; s = 42; readShared<<<1,1>>>(&s); printf("pass shared last %d\n", cudaGetLastError()); }
__global__ void passLocal() { int s = 42; readShared<<<1,1>>>(&s); printf("pass local last %d\n", cudaGetLastError()); }
__global__ void bad() { *(volatile int *)8 = 1; }
__global__ void badParent() { bad<<<1,1>>>(); printf("bad launch last %d\n", cudaGetLastError()); }
__global__ void trapParent();
__global__ void trapChild() { asm volatile("trap;"); }
__global__ void trapParent() { trapChild<<<1,1>>>(); }
__global__ void orders() {
  mark<<<1,1,0,cudaStreamTailLaunch>>>(100); mark<<<1,1,0,cudaStreamTailLaunch>>>(101);
  slow<<<1,1>>>(1); mark<<<1,1>>>(2); slow<<<1,1>>>(3); mark<<<1,1>>>(4);
}
__global__ void show() { for (int i = 0; i < next_ && i < 64; i++) printf("%d ", order[i]); printf("\n"); next_ = 0; }
__global__ void args(Triple t, char c, long long l, float f) { printf("args %d %g %d %d %lld %g\n", t.a, t.b, t.c, c, l, f); }
__global__ void argsParent() { Triple t = {1, 2.5, 3}; args<<<1,1>>>(t, 7, 1LL << 40, 0.5f); }
__global__ void __cluster_dims__(2,1,1) clustered() { unsigned r; asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r)); if (threadIdx.x == 0) printf("cluster %u\n", r); }
__global__ void clusterParent() { clustered<<<2,1>>>(); printf("cluster 2 last %d\n", cudaGetLastError()); clustered<<<3,1>>>(); printf("cluster 3 last %d\n", cudaGetLastError()); }
__global__ void gridvalid() { if (threadIdx.x == 0 && blockIdx.x == 0) printf("grid valid %d\n", (int)cg::this_grid().is_valid()); }
__global__ void gridsync() { cg::this_grid().sync(); }
__global__ void childsync() { gridsync<<<1,1>>>(); printf("child sync launch %d\n", cudaGetLastError()); }
__global__ void oldApi(int *p) {
  void *b = cudaGetParameterBuffer(8, 8); if (b) *(int*)b = 9;
  printf("old buffer %s launch %d last %d\n", b ? "yes" : "null", b ? cudaLaunchDevice((void*)mark, b, dim3(1), dim3(1), 0, 0) : 0, cudaGetLastError());
}
int main(int argc, char **argv) {
  const char *w = argv[1]; cudaError_t l = cudaSuccess;
  auto is = [&](const char *s) { return !strcmp(w, s); };
  int *dp; cudaMalloc(&dp, 1024);
  if (is("depth")) { depth<<<1,1>>>(0, 20); cudaDeviceSynchronize(); depth<<<1,1>>>(0, 40); cudaDeviceSynchronize(); depthTail<<<1,1>>>(0, 40); }
  if (is("many")) { for (int k = 0; k < 3; k++) { many<<<1,1>>>(5000, k); l = cudaDeviceSynchronize(); printf("%d\n", l); } }
  if (is("limit")) { printf("set %d\n", cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 64)); for (int k = 0; k < 3; k++) { many<<<1,1>>>(5000, k); l = cudaDeviceSynchronize(); printf("%d\n", l); } }
  if (is("configs")) { configs<<<1,1>>>(); }
  if (is("errs")) { errs<<<1,2>>>(); cudaDeviceSynchronize(); errs2<<<1,1>>>(); }
  if (is("nullfunc")) nullfunc<<<1,1>>>();
  if (is("streams")) streams<<<1,1>>>();
  if (is("twice")) twice<<<1,1>>>();
  if (is("memory")) memory<<<1,1>>>(dp);
  if (is("sharedcopy")) sharedcopy<<<1,1>>>();
  if (is("localcopy")) localcopy<<<1,1>>>();
  if (is("badfree")) badfree<<<1,1>>>(dp);
  if (is("ids")) idsParent<<<1,1>>>();
  if (is("queries")) queries<<<1,1>>>(dp);
  if (is("shared")) passShared<<<1,1>>>();
  if (is("local")) passLocal<<<1,1>>>();
  if (is("bad")) badParent<<<1,1>>>();
  if (is("trap")) trapParent<<<1,1>>>();
  if (is("orders")) { orders<<<1,1>>>(); cudaDeviceSynchronize(); show<<<1,1>>>(); }
  if (is("args")) argsParent<<<1,1>>>();
  if (is("cluster")) clusterParent<<<1,1>>>();
  if (is("grid")) { gridvalid<<<2,32>>>(); void *none[1]; printf("coop %d\n", cudaLaunchCooperativeKernel((void*)gridvalid, 2, 32, none, 0, 0)); cudaDeviceSynchronize();
    printf("coop large %d\n", cudaLaunchCooperativeKernel((void*)gridvalid, 1000000, 32, none, 0, 0)); }
  if (is("gridsync")) { gridsync<<<2,32>>>(); }
  if (is("childsync")) { childsync<<<1,1>>>(); }
  if (is("old")) { oldApi<<<1,1>>>(dp); cudaDeviceSynchronize(); show<<<1,1>>>(); }
  l = cudaGetLastError(); cudaError_t s = cudaDeviceSynchronize();
  printf("launch %d sync %d (%s)\n", l, s, cudaGetErrorName(s));
}
