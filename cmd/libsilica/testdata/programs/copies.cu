// Copies and fills: contents, offsets, pitches, symbols, and what surrounds the range.
#include <cstring>
#include <numeric>
#include <vector>
#include "check.h"

__device__ int variable[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ float scalar = 1.5f;
__constant__ int table[4] = {10, 20, 30, 40};

__global__ void read(int *out)
{
    out[threadIdx.x] = variable[threadIdx.x] + table[threadIdx.x % 4] + (int)(scalar * 1000);
}

int main()
{
    const int n = 4096;
    std::vector<unsigned char> source(n), back(n);
    std::iota(source.begin(), source.end(), 0);
    unsigned char *a, *b;
    CHECK(cudaMalloc(&a, n));
    CHECK(cudaMalloc(&b, n));

    CHECK(cudaMemset(a, 0xee, n));
    CHECK(cudaMemcpy(a + 3, source.data() + 1, 1001, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, a, n, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(back.data(), b, n, cudaMemcpyDefault));
    for (int i = 0; i < n; ++i) EXPECT(back[i] == (i >= 3 && i < 1004 ? source[i - 2] : 0xee));

    // 12 rows of 20 bytes, from a pitch of 50 to a pitch of 64, to the middle of the destination and back.
    CHECK(cudaMemset2D(a, 64, 7, 64, 64));
    CHECK(cudaMemcpy2D(a + 64 * 2 + 5, 64, source.data(), 50, 20, 12, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(back.data(), a, n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
        int y = i / 64 - 2, x = i % 64 - 5;
        EXPECT(back[i] == (y >= 0 && y < 12 && x >= 0 && x < 20 ? source[y * 50 + x] : 7));
    }

    // 3 slices of 4 rows of 5 bytes at (2, 1, 1) of 8 x 6 x 5.
    cudaPitchedPtr volume;
    CHECK(cudaMalloc3D(&volume, make_cudaExtent(8, 6, 5)));
    CHECK(cudaMemset3D(volume, 9, make_cudaExtent(8, 6, 5)));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(source.data(), 5, 5, 4);
    p.dstPtr = volume;
    p.dstPos = make_cudaPos(2, 1, 1);
    p.extent = make_cudaExtent(5, 4, 3);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    std::vector<unsigned char> box(8 * 6 * 5);
    cudaMemcpy3DParms q = {};
    q.srcPtr = volume;
    q.dstPtr = make_cudaPitchedPtr(box.data(), 8, 8, 6);
    q.extent = make_cudaExtent(8, 6, 5);
    q.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3DAsync(&q, 0));
    for (int z = 0; z < 5; ++z)
        for (int y = 0; y < 6; ++y)
            for (int x = 0; x < 8; ++x) {
                bool inside = x >= 2 && x < 7 && y >= 1 && y < 5 && z >= 1 && z < 4;
                EXPECT(box[(z * 6 + y) * 8 + x] == (inside ? source[((z - 1) * 4 + y - 1) * 5 + x - 2] : 9));
            }

    int values[8], *out, more[8];
    CHECK(cudaMalloc(&out, sizeof values));
    read<<<1, 8>>>(out);
    CHECK(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; ++i) EXPECT(values[i] == i + 1 + (i % 4 + 1) * 10 + 1500);
    int four[4] = {-1, -2, -3, -4};
    float half = 0.5f;
    CHECK(cudaMemcpyToSymbol(variable, four, sizeof four, 2 * sizeof(int)));
    CHECK(cudaMemcpyToSymbol(table, four, 8));
    CHECK(cudaMemcpyToSymbol(scalar, &half, sizeof half));
    read<<<1, 8>>>(out);
    CHECK(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
    const int variables[] = {1, 2, -1, -2, -3, -4, 7, 8}, tables[] = {-1, -2, 30, 40};
    for (int i = 0; i < 8; ++i) EXPECT(values[i] == variables[i] + tables[i % 4] + 500);
    CHECK(cudaMemcpyFromSymbol(more, variable, sizeof more));
    EXPECT(!memcmp(more, variables, sizeof more));
    void *address;
    size_t size;
    CHECK(cudaGetSymbolAddress(&address, variable));
    CHECK(cudaGetSymbolSize(&size, variable));
    EXPECT(size == sizeof variable);
    CHECK(cudaMemset(address, 0, size));
    CHECK(cudaMemcpyFromSymbol(more, variable, sizeof more));
    for (int i = 0; i < 8; ++i) EXPECT(more[i] == 0);

    // After a reset the variables have their initial values, and other memory is gone.
    CHECK(cudaDeviceReset());
    CHECK(cudaMemcpyFromSymbol(more, variable, sizeof more));
    for (int i = 0; i < 8; ++i) EXPECT(more[i] == i + 1);
    ANSWERS(cudaErrorInvalidValue, cudaFree(out));

    // The host can not reach the memory: the call says so, and the process goes on.
    CHECK(cudaMalloc(&a, n));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy(a, (void *)0x123456789000, 16, cudaMemcpyHostToDevice));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy((void *)16, a, 16, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(a, 1, n));
    return failures;
}
