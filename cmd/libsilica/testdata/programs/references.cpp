// Texture and surface references, and arrays, of the driver API.
#include <cuda.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define CHECK(call)                                                                  \
    do {                                                                             \
        CUresult code_ = (call);                                                     \
        const char *name_ = "?";                                                     \
        if (code_ != CUDA_SUCCESS) cuGetErrorName(code_, &name_), ++failures, printf("%d: %s: %s\n", __LINE__, #call, name_); \
    } while (0)
#define EXPECT(condition)                                                            \
    do {                                                                             \
        if (!(condition)) ++failures, printf("%d: not so: %s\n", __LINE__, #condition); \
    } while (0)

static const char unified[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".global .texref image;\n.global .surfref canvas;\n"
    ".visible .entry read(.param .u64 out)\n{\n"
    ".reg .f32 %f<8>;\n.reg .u64 %p, %t;\n.reg .u32 %i;\n.reg .pred %q;\n"
    "ld.param.u64 %p, [out];\n"
    "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [image, {0f40200000, 0f3FC00000}];\n"
    "st.global.f32 [%p], %f0;\n"
    "mov.u64 %t, image;\n"
    "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {0f42C80000, 0f42C80000}];\n"
    "st.global.f32 [%p+4], %f0;\n"
    "istypep.texref %q, %t;\n"
    "selp.u32 %i, 1, 0, %q;\n"
    "st.global.u32 [%p+8], %i;\n"
    "txq.width.b32 %i, [image];\n"
    "st.global.u32 [%p+12], %i;\n"
    "mov.u32 %i, 77;\n"
    "sust.b.2d.b32.trap [canvas, {8, 1}], %i;\n"
    "ret;\n}\n";

static const char independent[] =
    ".version 8.0\n.target sm_90, texmode_independent\n.address_size 64\n"
    ".global .texref image;\n"
    ".global .samplerref blend = { filter_mode = linear, addr_mode_0 = clamp_to_edge, addr_mode_1 = clamp_to_edge };\n"
    ".visible .entry read(.param .u64 out)\n{\n"
    ".reg .f32 %f<8>;\n.reg .u64 %p;\n"
    "ld.param.u64 %p, [out];\n"
    "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [image, blend, {0f40400000, 0f3FC00000}];\n"
    "st.global.f32 [%p], %f0;\n"
    "ret;\n}\n";

int main()
{
    CUdevice device;
    CUcontext context;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));

    CUDA_ARRAY_DESCRIPTOR shape = {8, 4, CU_AD_FORMAT_FLOAT, 1};
    CUarray array;
    CHECK(cuArrayCreate(&array, &shape));
    float rows[32];
    for (int i = 0; i < 32; ++i) rows[i] = i;
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = rows, copy.srcPitch = 32;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
    copy.WidthInBytes = 32, copy.Height = 4;
    CHECK(cuMemcpy2D(&copy));
    float first[8] = {};
    CHECK(cuMemcpyAtoH(first, array, 8, 16));
    EXPECT(first[0] == 2 && first[3] == 5 && first[4] == 0);
    EXPECT(cuMemcpyAtoH(first, array, 16, 32) == CUDA_ERROR_INVALID_VALUE);
    CUDA_ARRAY_DESCRIPTOR seen;
    CHECK(cuArrayGetDescriptor(&seen, array));
    EXPECT(!memcmp(&seen, &shape, sizeof seen));

    CUDA_ARRAY3D_DESCRIPTOR drawing = {8, 4, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUarray canvas;
    CHECK(cuArray3DCreate(&canvas, &drawing));

    CUdeviceptr out;
    CHECK(cuMemAlloc(&out, 64));
    CUmodule module;
    CHECK(cuModuleLoadData(&module, unified));
    CUfunction read;
    CHECK(cuModuleGetFunction(&read, module, "read"));
    CUtexref image;
    CUsurfref surface;
    CHECK(cuModuleGetTexRef(&image, module, "image"));
    CHECK(cuModuleGetSurfRef(&surface, module, "canvas"));
    CUtexref none;
    EXPECT(cuModuleGetTexRef(&none, module, "canvas") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuTexRefSetArray(image, array, CU_TRSA_OVERRIDE_FORMAT));
    CHECK(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_BORDER));
    CHECK(cuTexRefSetAddressMode(image, 1, CU_TR_ADDRESS_MODE_BORDER));
    float border[4] = {-5, 0, 0, 0};
    CHECK(cuTexRefSetBorderColor(image, border));
    CHECK(cuTexRefSetFlags(image, 0));
    CHECK(cuTexRefSetMipmapLevelBias(image, 1.5f));
    float bias = 0;
    CHECK(cuTexRefGetMipmapLevelBias(&bias, image));
    EXPECT(bias == 1.5f);
    CUarray bound;
    CHECK(cuTexRefGetArray(&bound, image));
    EXPECT(bound == array);
    CHECK(cuSurfRefSetArray(surface, canvas, 0));
    void *params[] = {&out};
    CHECK(cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, 0, params, 0));
    struct { float inside, outside; unsigned is, width; } result;
    CHECK(cuMemcpyDtoH(&result, out, sizeof result));
    EXPECT(result.inside == 10 && result.outside == -5 && result.is == 1 && result.width == 8);
    unsigned pixels[32];
    copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = canvas;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = pixels, copy.dstPitch = 32;
    copy.WidthInBytes = 32, copy.Height = 4;
    CHECK(cuMemcpy2DUnaligned(&copy));
    for (int i = 0; i < 32; ++i) EXPECT(pixels[i] == (i == 10 ? 77u : 0));

    CHECK(cuModuleLoadData(&module, independent));
    CHECK(cuModuleGetFunction(&read, module, "read"));
    CHECK(cuModuleGetTexRef(&image, module, "image"));
    CHECK(cuTexRefSetArray(image, array, CU_TRSA_OVERRIDE_FORMAT));
    CHECK(cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, 0, params, 0));
    CHECK(cuMemcpyDtoH(&result, out, sizeof result));
    EXPECT(result.inside == 10.5f);

    // What an H200 (driver 580, CUDA 13.0) answered.
    static const struct { CUDA_ARRAY3D_DESCRIPTOR shape; unsigned levels; int code; } shapes[] = {
        {{0, 0, 0, (CUarray_format)1, 1, 0}, 0, 1},
        {{16, 0, 0, (CUarray_format)1, 3, 0}, 0, 1},
        {{16, 0, 0, (CUarray_format)1, 0, 0}, 0, 1},
        {{16, 0, 0, (CUarray_format)7, 1, 0}, 0, 1},
        {{16, 0, 0, (CUarray_format)0, 1, 0}, 0, 1},
        {{16, 0, 4, (CUarray_format)1, 1, 0}, 0, 1},
        {{16, 0, 4, (CUarray_format)1, 1, 1}, 0, 0},
        {{16, 8, 6, (CUarray_format)1, 1, 4}, 0, 1},
        {{16, 16, 6, (CUarray_format)1, 1, 4}, 0, 0},
        {{16, 16, 5, (CUarray_format)1, 1, 4}, 0, 1},
        {{16, 16, 12, (CUarray_format)1, 1, 4}, 0, 1},
        {{16, 16, 12, (CUarray_format)1, 1, 5}, 0, 0},
        {{16, 16, 13, (CUarray_format)1, 1, 5}, 0, 1},
        {{16, 0, 6, (CUarray_format)1, 1, 4}, 0, 1},
        {{16384, 2, 2, (CUarray_format)1, 1, 0}, 0, 0},
        {{16385, 2, 2, (CUarray_format)1, 1, 0}, 0, 1},
        {{16, 16, 2049, (CUarray_format)1, 1, 1}, 0, 1},
        {{32768, 0, 2048, (CUarray_format)1, 1, 1}, 0, 0},
        {{32769, 0, 2, (CUarray_format)1, 1, 1}, 0, 1},
        {{16, 8, 0, (CUarray_format)1, 1, 8}, 0, 0},
        {{16, 0, 0, (CUarray_format)1, 1, 8}, 0, 1},
        {{16, 8, 2, (CUarray_format)1, 1, 8}, 0, 1},
        {{32769, 8, 0, (CUarray_format)1, 1, 8}, 0, 1},
        {{16, 8, 4, (CUarray_format)1, 1, 9}, 0, 1},
        {{16, 8, 0, (CUarray_format)32, 4, 2}, 0, 0},
        {{16, 8, 0, (CUarray_format)1, 1, 16}, 0, 1},
        {{16, 8, 0, (CUarray_format)32, 1, 16}, 0, 1},
        {{16, 8, 0, (CUarray_format)1, 1, 32}, 0, 1},
        {{64, 32, 0, (CUarray_format)32, 1, 0}, 7, 0},
        {{64, 32, 0, (CUarray_format)32, 1, 0}, 8, 0},
        {{64, 32, 0, (CUarray_format)32, 1, 0}, 99, 0},
        {{64, 0, 0, (CUarray_format)32, 1, 0}, 7, 0},
        {{64, 32, 0, (CUarray_format)32, 1, 8}, 7, 0},
        {{64, 32, 0, (CUarray_format)32, 1, 2}, 3, 0},
        {{16, 8, 0, (CUarray_format)1, 4, 0}, 0, 0},
        {{16, 8, 0, (CUarray_format)3, 4, 0}, 0, 0},
        {{16, 8, 0, (CUarray_format)32, 4, 2}, 0, 0},
        {{64, 32, 0, (CUarray_format)32, 1, 0}, 7, 0},
        {{8, 6, 5, (CUarray_format)32, 1, 0}, 0, 0}};
    for (const auto &s : shapes) {
        CUarray made;
        CUmipmappedArray mipmap;
        CUresult code = s.levels ? cuMipmappedArrayCreate(&mipmap, &s.shape, s.levels) : cuArray3DCreate(&made, &s.shape);
        if (code != s.code)
            ++failures, printf("%zu x %zu x %zu, format %d, %u channels, flags %u, %u levels: %d, want %d\n", s.shape.Width, s.shape.Height, s.shape.Depth,
                               s.shape.Format, s.shape.NumChannels, s.shape.Flags, s.levels, code, s.code);
        if (code == CUDA_SUCCESS) {
            if (s.levels) CHECK(cuMipmappedArrayDestroy(mipmap));
            else CHECK(cuArrayDestroy(made));
        }
    }

    CUtexref free_standing;
    CHECK(cuTexRefCreate(&free_standing));
    CHECK(cuTexRefDestroy(free_standing));
    CHECK(cuArrayDestroy(array));
    EXPECT(cuArrayDestroy(array) == CUDA_ERROR_INVALID_HANDLE);
    return failures != 0;
}
