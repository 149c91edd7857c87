// Launches in steps, as before cuLaunchKernel, contexts with a count of users, and newer forms of functions of the header.
#include <cstdio>
#include <cuda.h>
#include "../../driver_more.h"

extern "C" CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end);

static int failures;
#define WANT(want, got)                                                                                      \
    do {                                                                                                     \
        long long want_ = (long long)(want), got_ = (long long)(got);                                        \
        if (want_ != got_) {                                                                                 \
            ++failures;                                                                                      \
            printf("%s:%d: %s: %lld, want %lld\n", __FILE__, __LINE__, #got, got_, want_);                   \
        }                                                                                                    \
    } while (0)
#define OK(call) WANT(CUDA_SUCCESS, call)

// Adds x + (unsigned)y + the size of its dynamic shared memory and of its grid to a counter, once for each thread.
static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 p, .param .u32 x, .param .f32 y)\n"
    "{\n"
    "    .reg .b64 %p;\n"
    "    .reg .b32 %x, %y;\n"
    "    .reg .f32 %f;\n"
    "    ld.param.u64 %p, [p];\n"
    "    ld.param.u32 %x, [x];\n"
    "    ld.param.f32 %f, [y];\n"
    "    cvt.rzi.u32.f32 %y, %f;\n"
    "    add.u32 %x, %x, %y;\n"
    "    mov.u32 %y, %dynamic_smem_size;\n"
    "    add.u32 %x, %x, %y;\n"
    "    mov.u32 %y, %nctaid.x;\n"
    "    add.u32 %x, %x, %y;\n"
    "    mov.u32 %y, %nctaid.y;\n"
    "    add.u32 %x, %x, %y;\n"
    "    red.global.add.u32 [%p], %x;\n"
    "    ret;\n"
    "}\n";

int main()
{
    CUcontext context, again;
    CUmodule module;
    CUfunction f;
    CUdeviceptr counter;
    unsigned int count = 0;
    OK(cuInit(0));
    WANT(CUDA_ERROR_INVALID_VALUE, cuCtxCreate_v3(&context, nullptr, 1, 0, 0));
    WANT(CUDA_ERROR_NOT_SUPPORTED, cuCtxCreate_v3(&context, &count, 1, 0, 0));
    OK(cuCtxCreate_v4(&context, nullptr, 0, 0));
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&f, module, "k"));
    OK(cuMemAlloc(&counter, 4));
    OK(cuMemsetD32(counter, 0, 1));

    WANT(CUDA_ERROR_INVALID_VALUE, cuFuncSetBlockShape(f, 0, 1, 1));
    OK(cuFuncSetBlockShape(f, 4, 2, 1));
    OK(cuFuncSetSharedSize(f, 1000));
    OK(cuParamSetv(f, 0, &counter, 8));
    OK(cuParamSeti(f, 8, 20));
    OK(cuParamSetf(f, 12, 3.5f));
    WANT(CUDA_ERROR_INVALID_VALUE, cuParamSeti(f, 13, 0));
    WANT(CUDA_ERROR_INVALID_VALUE, cuParamSeti(f, -4, 0));
    OK(cuParamSetSize(f, 16));
    WANT(CUDA_ERROR_INVALID_VALUE, cuParamSetSize(f, 17));
    OK(cuLaunch(f));
    OK(cuLaunchGrid(f, 3, 2));
    OK(cuLaunchGridAsync(f, 1, 5, nullptr));
    OK(cuMemcpyDtoH(&count, counter, 4));
    WANT(8 * (1023 + 2) + 48 * (1023 + 5) + 40 * (1023 + 6), count);

    CUevent start, end;
    float ms = -1;
    OK(cuEventCreate(&start, 0));
    OK(cuEventCreate(&end, 0));
    OK(cuEventRecord(start, nullptr));
    OK(cuEventRecord(end, nullptr));
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime_v2(&ms, start, end));
    WANT(1, ms >= 0);

    WANT(CUDA_ERROR_INVALID_VALUE, cuCtxAttach(&again, 1));
    OK(cuCtxAttach(&again, 0));
    WANT(context, again);
    OK(cuCtxDetach(context));
    OK(cuMemFree(counter)); // one user is left
    OK(cuCtxDetach(context));
    WANT(CUDA_ERROR_INVALID_CONTEXT, cuCtxAttach(&again, 0));
    return failures != 0;
}
