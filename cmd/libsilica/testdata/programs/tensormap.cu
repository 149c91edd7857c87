// Tensor maps that the host encodes through the entry points of the driver, and kernels that copy boxes and images by them, and
// by one that the kernel has changed.
#include <cuda.h>
#include "check.h"

constexpr int rows = 20, columns = 24, boxRows = 8, boxColumns = 16;

__global__ void copy(const __grid_constant__ CUtensorMap map, int x, int y, float *out)
{
    __shared__ alignas(128) float box[boxRows][boxColumns];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned where = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(where));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(where), "r"((unsigned)sizeof box));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     ::"r"((unsigned)__cvta_generic_to_shared(box)), "l"(&map), "r"(x), "r"(y), "r"(where) : "memory");
    }
    __syncthreads();
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n"
                 "@!p bra again;\n"
                 "}" ::"r"(where) : "memory");
    for (int i = threadIdx.x; i < boxRows * boxColumns; i += blockDim.x) out[i] = box[i / boxColumns][i % boxColumns];
}

constexpr int channels = 4, width = 6, height = 5, pixels = 24;

// Loads pixels of images, shifted by offsets.
__global__ void column(const __grid_constant__ CUtensorMap map, int w, int h, int n, unsigned short right, unsigned short down, float *out)
{
    __shared__ alignas(128) float box[pixels][channels];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned where = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(where));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(where), "r"((unsigned)sizeof box));
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};"
                     ::"r"((unsigned)__cvta_generic_to_shared(box)), "l"(&map), "r"(0), "r"(w), "r"(h), "r"(n), "r"(where), "h"(right), "h"(down) : "memory");
    }
    __syncthreads();
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n"
                 "@!p bra again;\n"
                 "}" ::"r"(where) : "memory");
    for (int i = threadIdx.x; i < pixels * channels; i += blockDim.x) out[i] = box[i / channels][i % channels];
}

// Puts a map of another tensor, of half the rows, where copies take it from.
__global__ void replace(const __grid_constant__ CUtensorMap map, float *tensor, CUtensorMap *to)
{
    __shared__ alignas(128) CUtensorMap local;
    unsigned where = (unsigned)__cvta_generic_to_shared(&local);
    if (threadIdx.x == 0) {
        local = map;
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(where), "l"(tensor) : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(where), "r"(rows / 2) : "memory");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;"
                 ::"l"(to), "r"(where) : "memory");
}

// Checks the copies of a tensor map of images.
void images(float *device, float *out)
{
    static float tensor[2][height][width][channels], result[pixels][channels];
    for (int i = 0; i < 2 * height * width * channels; ++i) (&tensor[0][0][0][0])[i] = i + 1;
    CHECK(cudaMemcpy(device, tensor, sizeof tensor, cudaMemcpyHostToDevice));
    CUtensorMap map;
    cuuint64_t dims[] = {channels, width, height, 2}, strides[] = {16, 16 * width, 16 * width * height};
    cuuint32_t steps[] = {1, 1, 2, 1};
    int lower[] = {-1, -1}, upper[] = {-1, -1};
    auto encode = [&](int pixelsPerColumn, CUtensorMapSwizzle swizzle, CUtensorMapDataType type) {
        return cuTensorMapEncodeIm2col(&map, type, 4, device, dims, strides, lower, upper, channels, pixelsPerColumn, steps,
                                       CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    EXPECT(encode(1025, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_DATA_TYPE_FLOAT32) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(pixels, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B, CU_TENSOR_MAP_DATA_TYPE_FLOAT32) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(pixels, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(pixels, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_DATA_TYPE_FLOAT32) == CUDA_SUCCESS);
    for (int right = 0; right < 3; ++right)
        for (int down = 0; down < 3; ++down) {
            column<<<1, 64>>>(map, 2, 1, 0, right, down, out);
            CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
            int wrong = 0, w = 2, h = 1, n = 0;
            for (auto &pixel : result) {
                for (int c = 0; c < channels; ++c) {
                    int x = w + right, y = h + down;
                    bool inside = x >= 0 && x < width && y >= 0 && y < height && n < 2;
                    wrong += pixel[c] != (inside ? tensor[n][y][x][c] : 0);
                }
                if (++w > width - 2) w = -1, h += 2;
                if (h > height - 2) h = -1, ++n;
            }
            EXPECT(wrong == 0);
        }
}

int main()
{
    static float tensor[rows][columns], result[boxRows][boxColumns];
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) tensor[y][x] = y * 100 + x;
    float *device, *out;
    CHECK(cudaMalloc(&device, sizeof tensor));
    CHECK(cudaMalloc(&out, sizeof result));
    CHECK(cudaMemcpy(device, tensor, sizeof tensor, cudaMemcpyHostToDevice));

    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void **)&encode, cudaEnableDefault, &found));
    EXPECT(found == cudaDriverEntryPointSuccess && encode);
    void *nothing = &encode;
    CHECK(cudaGetDriverEntryPoint("cuNoSuchFunction", &nothing, cudaEnableDefault, &found));
    EXPECT(found == cudaDriverEntryPointSymbolNotFound && !nothing);

    CUtensorMap map;
    cuuint64_t dims[] = {columns, rows}, strides[] = {columns * sizeof(float)};
    cuuint32_t box[] = {boxColumns, boxRows}, steps[] = {1, 1};
    auto tiled = [&](CUtensorMapDataType type) {
        return encode(&map, type, 2, device, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    EXPECT(tiled(CU_TENSOR_MAP_DATA_TYPE_FLOAT32) == CUDA_SUCCESS);
    int wrong = 0;
    for (int y : {0, 16})
        for (int x : {0, 12}) {
            copy<<<1, 64>>>(map, x, y, out);
            CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
            for (int i = 0; i < boxRows; ++i)
                for (int k = 0; k < boxColumns; ++k)
                    wrong += result[i][k] != (y + i < rows && x + k < columns ? tensor[y + i][x + k] : 0);
        }
    EXPECT(wrong == 0);

    CUtensorMap *changed;
    CHECK(cudaMalloc(&changed, sizeof *changed));
    replace<<<1, 32>>>(map, device + columns, changed); // begins a row later
    CHECK(cudaMemcpy(&map, changed, sizeof map, cudaMemcpyDeviceToHost));
    copy<<<1, 64>>>(map, 8, 6, out);
    CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
    for (int i = 0; i < boxRows; ++i)
        for (int k = 0; k < boxColumns; ++k) wrong += result[i][k] != (6 + i < rows / 2 ? tensor[7 + i][8 + k] : 0);
    EXPECT(wrong == 0);
    images(device, out);

    strides[0] = 100; // no multiple of 16
    EXPECT(tiled(CU_TENSOR_MAP_DATA_TYPE_FLOAT32) == CUDA_ERROR_INVALID_VALUE);
    return failures;
}
