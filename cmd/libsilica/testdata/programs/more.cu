// What does not fit elsewhere: pools, attributes of streams, handles of functions, managed variables as NVIDIA's compiler has them.
#include <cstring>
#include <cuda.h>
#include "check.h"

__global__ void set(int *p, int v) { p[threadIdx.x] = v; }

extern "C" void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);

static const char image[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .attribute(.managed) .align 4 .b32 level = 12;\n";

static struct { int magic, version; const void *data; void *unused; } wrapper = {0x466243b1, 1, image, nullptr};

extern "C" cudaError_t cudaImportExternalMemory(void **memory, const void *description);

int main()
{
    cudaMemPool_t pool, standard;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&pool, &props));
    CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
    EXPECT(pool != standard);
    cudaMemAccessDesc access = {};
    access.location = props.location;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    CHECK(cudaMemPoolSetAccess(pool, &access, 1));
    cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    CHECK(cudaMemPoolGetAccess(&flags, pool, &props.location));
    EXPECT(flags == cudaMemAccessFlagsProtReadWrite);
    int *p, value = 0;
    CHECK(cudaMallocFromPoolAsync(&p, 64, pool, 0));
    set<<<1, 16>>>(p, 9);
    CHECK(cudaMemcpy(&value, p + 15, 4, cudaMemcpyDeviceToHost));
    EXPECT(value == 9);
    CHECK(cudaFreeAsync(p, 0));
    CHECK(cudaMemPoolDestroy(pool));
    ANSWERS(cudaErrorInvalidValue, cudaMemPoolDestroy(standard));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaMallocFromPoolAsync(&p, 64, pool, 0));

    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    cudaStreamAttrValue in = {}, out = {};
    in.accessPolicyWindow.num_bytes = 4096;
    in.accessPolicyWindow.hitRatio = 0.5f;
    CHECK(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &in));
    CHECK(cudaStreamGetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &out));
    EXPECT(out.accessPolicyWindow.num_bytes == 4096 && out.accessPolicyWindow.hitRatio == 0.5f);
    ANSWERS(cudaErrorInvalidValue, cudaStreamSetAttribute(s, cudaLaunchAttributeCooperative, &in));
    CHECK(cudaStreamDestroy(s));

    cudaFunction_t f;
    CHECK(cudaGetFuncBySymbol(&f, set));
    CHECK(cudaMalloc(&p, 64));
    int v = 5;
    void *args[] = {&p, &v};
    EXPECT(cuInit(0) == CUDA_SUCCESS);
    EXPECT(cuLaunchKernel((CUfunction)f, 1, 1, 1, 16, 1, 1, 0, nullptr, args, nullptr) == CUDA_SUCCESS);
    CHECK(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    EXPECT(value == 5);

    int *level = nullptr;
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterManagedVar(handle, (void **)&level, (char *)"level", "level", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    EXPECT(level && *level == 12);
    cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, level));
    EXPECT(a.type == cudaMemoryTypeManaged);
    __cudaUnregisterFatBinary(handle);
    CHECK(cudaPointerGetAttributes(&a, level));
    EXPECT(a.type == cudaMemoryTypeUnregistered);

    // What the library does not have says so.
    ANSWERS(cudaErrorNotSupported, cudaImportExternalMemory(nullptr, nullptr));
    ANSWERS(cudaErrorNotSupported, cudaImportExternalMemory(nullptr, nullptr));
    return failures;
}
