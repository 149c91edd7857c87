// Prints every attribute of the device, and checks that its properties agree with them.
#include <cstring>
#include "check.h"

int main()
{
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    printf("name %s\nmemory %zu\n", prop.name, prop.totalGlobalMem);
    for (int i = 1; i < 200; ++i) {
        int value;
        if (cudaDeviceGetAttribute(&value, (cudaDeviceAttr)i, 0) == cudaSuccess) printf("attribute %d %d\n", i, value);
    }
    cudaGetLastError();
#define SAME(field, attribute)                                                     \
    do {                                                                           \
        int value_ = -1;                                                           \
        CHECK(cudaDeviceGetAttribute(&value_, cudaDevAttr##attribute, 0));         \
        EXPECT((long long)prop.field == value_);                                   \
    } while (0)
    SAME(sharedMemPerBlock, MaxSharedMemoryPerBlock);
    SAME(regsPerBlock, MaxRegistersPerBlock);
    SAME(warpSize, WarpSize);
    SAME(memPitch, MaxPitch);
    SAME(maxThreadsPerBlock, MaxThreadsPerBlock);
    SAME(maxThreadsDim[2], MaxBlockDimZ);
    SAME(maxGridSize[1], MaxGridDimY);
    SAME(clockRate, ClockRate);
    SAME(totalConstMem, TotalConstantMemory);
    SAME(major, ComputeCapabilityMajor);
    SAME(minor, ComputeCapabilityMinor);
    SAME(multiProcessorCount, MultiProcessorCount);
    SAME(maxTexture2DLinear[1], MaxTexture2DLinearHeight);
    SAME(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers);
    SAME(surfaceAlignment, SurfaceAlignment);
    SAME(ECCEnabled, EccEnabled);
    SAME(pciBusID, PciBusId);
    SAME(unifiedAddressing, UnifiedAddressing);
    SAME(memoryBusWidth, GlobalMemoryBusWidth);
    SAME(l2CacheSize, L2CacheSize);
    SAME(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
    SAME(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
    SAME(regsPerMultiprocessor, MaxRegistersPerMultiprocessor);
    SAME(managedMemory, ManagedMemory);
    SAME(singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio);
    SAME(cooperativeLaunch, CooperativeLaunch);
    SAME(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
    SAME(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
    SAME(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock);
    SAME(clusterLaunch, ClusterLaunch);
    size_t free_, total;
    CHECK(cudaMemGetInfo(&free_, &total));
    EXPECT(total == prop.totalGlobalMem);
    cudaUUID_t none = {};
    EXPECT(memcmp(&none, &prop.uuid, sizeof none) != 0);
    return failures;
}
