// Linking PTX, libraries and their kernels, memory pools, through the driver API.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include "../../driver_more.h"
#include "check.h"

#define OK(call) WANT(CUDA_SUCCESS, call)
#define WANT(code, call)                                                                       \
    do {                                                                                       \
        CUresult code_ = (call);                                                               \
        if (code_ != (code)) {                                                                 \
            const char *name_ = "?";                                                           \
            cuGetErrorName(code_, &name_);                                                     \
            ++failures;                                                                        \
            printf("%s:%d: %s: %s, want %s\n", __FILE__, __LINE__, #call, name_, #code);       \
        }                                                                                      \
    } while (0)

#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

static char caller[] = HEADER
    ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
    ".extern .global .align 4 .b32 offset;\n"
    ".visible .entry k(.param .u64 p)\n"
    "{\n"
    "    .param .b32 a, r;\n"
    "    .reg .b64 %rd;\n"
    "    .reg .b32 %x, %y;\n"
    "    ld.param.u64 %rd, [p];\n"
    "    ld.global.u32 %x, [%rd];\n"
    "    st.param.b32 [a], %x;\n"
    "    call (r), twice, (a);\n"
    "    ld.param.b32 %x, [r];\n"
    "    ld.global.u32 %y, [offset];\n"
    "    add.u32 %x, %x, %y;\n"
    "    st.global.u32 [%rd], %x;\n"
    "    ret;\n"
    "}\n";
static char callee[] = HEADER
    ".visible .global .align 4 .b32 offset = 100;\n"
    ".visible .func (.param .b32 r) twice(.param .b32 a)\n"
    "{\n"
    "    .reg .b32 %x;\n"
    "    ld.param.b32 %x, [a];\n"
    "    add.u32 %x, %x, %x;\n"
    "    st.param.b32 [r], %x;\n"
    "    ret;\n"
    "}\n";

int main()
{
    CUdevice device;
    CUcontext context;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate(&context, 0, device));

    // NVIDIA's compiler library takes a missing table for an answer, but no missing function.
    const void *table = &device;
    CUuuid id = {};
    WANT(CUDA_ERROR_NOT_FOUND, cuGetExportTable(&table, &id));
    EXPECT(!table);

    // What is not linked can not be run.
    CUmodule module;
    CUfunction function;
    EXPECT(cuModuleLoadData(&module, caller) != CUDA_SUCCESS || cuModuleGetFunction(&function, module, "k") != CUDA_SUCCESS);
    char log[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUlinkState link;
    void *image;
    size_t bytes;
    OK(cuLinkCreate(2, options, values, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, caller, sizeof caller, "caller", 0, nullptr, nullptr));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, callee, sizeof callee, "callee", 0, nullptr, nullptr));
    WANT(CUDA_ERROR_NO_BINARY_FOR_GPU, cuLinkAddData(link, CU_JIT_INPUT_CUBIN, callee, sizeof callee, "cubin", 0, nullptr, nullptr));
    WANT(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/no/such/file", 0, nullptr, nullptr));
    WANT(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, "/no/such/library.a", 0, nullptr, nullptr));
    OK(cuLinkComplete(link, &image, &bytes));
    EXPECT(bytes == strlen((char *)image) + 1);

    // A library of it.
    CUlibrary library, found;
    CUkernel kernel, listed[2] = {};
    CUdeviceptr p, offset;
    unsigned count = 0;
    int threads = 0, x = 7;
    const char *name;
    OK(cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cuLinkDestroy(link));
    WANT(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(link));
    OK(cuLibraryGetKernel(&kernel, library, "k"));
    WANT(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&kernel, library, "none"));
    OK(cuLibraryGetKernelCount(&count, library));
    OK(cuLibraryEnumerateKernels(listed, 2, library));
    EXPECT(count == 1 && listed[0] == kernel && !listed[1]);
    OK(cuKernelGetFunction(&function, kernel));
    OK(cuKernelGetName(&name, kernel));
    OK(cuKernelGetLibrary(&found, kernel));
    OK(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, device));
    EXPECT(!strcmp(name, "k") && found == library && threads == 1024);
    OK(cuLibraryGetGlobal(&offset, &bytes, library, "offset"));
    EXPECT(bytes == 4);
    WANT(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&offset, &bytes, library, "offset"));

    // Memory of a pool.
    CUmemoryPool pool;
    OK(cuDeviceGetDefaultMemPool(&pool, device));
    OK(cuMemAllocFromPoolAsync(&p, 64, pool, nullptr));
    OK(cuMemcpyHtoD(p, &x, 4));
    void *arguments[] = {&p};
    OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuMemcpyDtoH(&x, p, 4));
    EXPECT(x == (7 * 2 + 100) * 2 + 100);
    OK(cuMemFreeAsync(p, nullptr));
    OK(cuLibraryUnload(library));
    WANT(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetKernel(&kernel, library, "k"));
    WANT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxDestroy(context));
    return failures;
}
