// A tensor map that the host encodes through the entry point of the driver, and a kernel that copies a box by it.
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
    strides[0] = 100; // no multiple of 16
    EXPECT(tiled(CU_TENSOR_MAP_DATA_TYPE_FLOAT32) == CUDA_ERROR_INVALID_VALUE);
    return failures;
}
