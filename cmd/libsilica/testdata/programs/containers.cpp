// Device programs in the containers of NVIDIA's compiler, as its host code registers them and as the driver API loads them.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>

static int failures;
#define WANT(want, got)                                                                                      \
    do {                                                                                                     \
        long long want_ = (long long)(want), got_ = (long long)(got);                                        \
        if (want_ != got_) {                                                                                 \
            ++failures;                                                                                      \
            printf("%s:%d: %s: %lld, want %lld\n", __FILE__, __LINE__, #got, got_, want_);                   \
        }                                                                                                    \
    } while (0)

extern "C" {
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
int __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, uint3 *, uint3 *, dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t size, int constant, int global);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);
cudaError_t cudaMemcpyFromSymbol_ptds(void *dst, const void *symbol, size_t count, size_t offset, cudaMemcpyKind kind);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);
}

// A container with one entry: machine code that is none, or PTX.
struct alignas(8) Container {
    uint32_t magic = 0xba55ed50;
    uint16_t version = 1, headerBytes = 16;
    uint64_t bytes;
    struct {
        uint16_t kind, version = 0x101;
        uint32_t headerBytes = 64;
        uint64_t bytes = 1024;
        uint32_t words[3] = {}, sm = 70;
        uint64_t words2[4] = {};
    } entry;
    char text[1024] = {};

    Container(int kind, const char *contents) : bytes(sizeof entry + sizeof text)
    {
        entry.kind = kind;
        strcpy(text, contents);
    }
};

struct Wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *parts;
};

#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

static Container machineCode(2, "\177ELF");
static Container kernel(1, HEADER
    ".extern .func add(.param .b64 p, .param .b32 a);\n"
    ".visible .global .align 4 .b32 sum;\n"
    ".visible .global .align 8 .attribute(.managed) .b64 seen = 41;\n"
    ".visible .entry k(.param .b32 a)\n"
    "{\n"
    "    .param .b64 p;\n"
    "    .param .b32 v;\n"
    "    .reg .b64 %p;\n"
    "    .reg .b32 %a;\n"
    "    mov.u64 %p, sum;\n"
    "    ld.param.u32 %a, [a];\n"
    "    st.param.b64 [p], %p;\n"
    "    st.param.b32 [v], %a;\n"
    "    call add, (p, v);\n"
    "    atom.global.add.u64 %p, [seen], 1;\n"
    "    ret;\n"
    "}\n");
static Container function(1, HEADER
    ".visible .func add(.param .b64 p, .param .b32 a)\n"
    "{\n"
    "    .reg .b64 %p;\n"
    "    .reg .b32 %a;\n"
    "    ld.param.u64 %p, [p];\n"
    "    ld.param.u32 %a, [a];\n"
    "    red.add.u32 [%p], %a;\n"
    "    ret;\n"
    "}\n");
static Container alone(1, HEADER ".visible .global .align 4 .b32 answer = 42;\n");

static const void *parts[] = {&kernel, &function, nullptr};
static Wrapper linked = {0x466243b1, 2, &machineCode, parts};
static Wrapper one = {0x466243b1, 1, &alone, nullptr};

static void hostKernel() {}
static int sum, answer;
static unsigned long long *seen;

// Two compilations that nvcc linked, and one more.
static void registered()
{
    void **handle = __cudaRegisterFatBinary(&linked);
    __cudaRegisterFunction(handle, (const char *)hostKernel, (char *)"k", "k", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle, (char *)&sum, (char *)"sum", "sum", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&seen, (char *)"seen", "seen", 0, 8, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    void **second = __cudaRegisterFatBinary(&one);
    __cudaRegisterVar(second, (char *)&answer, (char *)"answer", "answer", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(second);

    WANT(41, *seen);
    cudaKernel_t k = nullptr;
    WANT(cudaSuccess, __cudaGetKernel(&k, (const void *)hostKernel));
    int a = 3, result = 0;
    void *args[] = {&a};
    WANT(cudaSuccess, __cudaLaunchKernel(k, dim3{2, 1, 1}, dim3{32, 1, 1}, args, 0, nullptr));
    WANT(cudaSuccess, cudaDeviceSynchronize());
    WANT(41 + 64, *seen);
    WANT(cudaSuccess, __cudaLaunchKernel_ptsz(k, dim3{1, 1, 1}, dim3{32, 1, 1}, args, 0, nullptr));
    WANT(cudaSuccess, cudaMemcpyFromSymbol_ptds(&result, &sum, 4, 0, cudaMemcpyDeviceToHost));
    WANT(3 * 96, result);
    WANT(cudaSuccess, cudaStreamSynchronize_ptsz(nullptr));
    WANT(cudaSuccess, cudaMemcpyFromSymbol(&result, &answer, 4, 0, cudaMemcpyDeviceToHost));
    WANT(42, result);
    __cudaUnregisterFatBinary(second);
    __cudaUnregisterFatBinary(handle);
}

static void loaded()
{
    CUcontext context;
    CUmodule module;
    CUlinkState linker;
    CUdeviceptr address;
    size_t size = 0;
    WANT(CUDA_SUCCESS, cuInit(0));
    WANT(CUDA_SUCCESS, cuCtxCreate(&context, 0, 0));
    const void *images[] = {&alone, &one};
    for (const void *image : images) {
        WANT(CUDA_SUCCESS, cuModuleLoadData(&module, image));
        WANT(CUDA_SUCCESS, cuModuleGetGlobal(&address, &size, module, "answer"));
        WANT(4, size);
        WANT(CUDA_SUCCESS, cuModuleUnload(module));
    }
    WANT(CUDA_SUCCESS, cuModuleLoadFatBinary(&module, &alone));
    WANT(CUDA_SUCCESS, cuModuleUnload(module));
    WANT(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, &machineCode));
    WANT(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, machineCode.text));

    void *image;
    CUfunction f;
    WANT(CUDA_SUCCESS, cuLinkCreate(0, nullptr, nullptr, &linker));
    WANT(CUDA_SUCCESS, cuLinkAddData(linker, CU_JIT_INPUT_FATBINARY, &kernel, sizeof kernel, "kernel", 0, nullptr, nullptr));
    WANT(CUDA_SUCCESS, cuLinkAddData(linker, CU_JIT_INPUT_PTX, function.text, strlen(function.text) + 1, "function", 0, nullptr, nullptr));
    WANT(CUDA_ERROR_NO_BINARY_FOR_GPU, cuLinkAddData(linker, CU_JIT_INPUT_CUBIN, machineCode.text, 64, "code", 0, nullptr, nullptr));
    WANT(CUDA_SUCCESS, cuLinkComplete(linker, &image, &size));
    WANT(CUDA_SUCCESS, cuModuleLoadData(&module, image));
    WANT(CUDA_SUCCESS, cuModuleGetFunction(&f, module, "k"));
    WANT(CUDA_SUCCESS, cuLinkDestroy(linker));
}

int main()
{
    registered();
    loaded();
    return failures != 0;
}
