// Variables that the host and the device share.
#include "check.h"

__managed__ int counter = 5;
__managed__ float values[4] = {1, 2, 3, 4};
__managed__ int zero[3];

__global__ void step() { counter += 1; zero[threadIdx.x] = threadIdx.x + 1; values[threadIdx.x] *= 2; }

int main()
{
    EXPECT(counter == 5 && values[3] == 4 && zero[2] == 0); // before any call
    counter = 10;
    step<<<1, 3>>>();
    CHECK(cudaDeviceSynchronize());
    EXPECT(counter == 11);
    EXPECT(values[0] == 2 && values[1] == 4 && values[2] == 6 && values[3] == 4);
    EXPECT(zero[0] == 1 && zero[1] == 2 && zero[2] == 3);
    int copy = 0;
    CHECK(cudaMemcpyFromSymbol(&copy, counter, sizeof copy));
    EXPECT(copy == 11);
    cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, &counter));
    EXPECT(a.type == cudaMemoryTypeManaged);
    return failures;
}
