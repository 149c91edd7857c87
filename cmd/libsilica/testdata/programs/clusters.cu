// Queries about clusters.
#include "check.h"

__global__ void empty() {}
__global__ void __cluster_dims__(2, 1, 1) pairs() {}

int main()
{
    cudaLaunchConfig_t config = {};
    config.gridDim = 64;
    config.blockDim = 256;
    cudaLaunchAttribute attribute[1] = {};
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 4;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    int size = 0, clusters = 0;
    CHECK(cudaOccupancyMaxPotentialClusterSize(&size, empty, &config));
    EXPECT(size == 8);
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, empty, &config));
    EXPECT(clusters > 0 && clusters <= 132 * 8 / 4);
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, pairs));
    EXPECT(a.requiredClusterWidth == 2 && a.requiredClusterHeight == 1 && a.requiredClusterDepth == 1);
    config.gridDim = 63; // no multiple of 4
    ANSWERS(cudaErrorInvalidClusterSize, cudaLaunchKernelEx(&config, empty));
    return failures;
}
