// Clusters of blocks: where a block is in its cluster, their barrier, and their shared memory.
#ifndef SILICA_CLUSTER_H
#define SILICA_CLUSTER_H

#include "intrinsics.h"

#if SILICA_ARCH >= 900
// The three values of a special register.
#define SILICA_DIMENSIONS(function, name)                                                                                              \
    SILICA_DEVICE dim3 function()                                                                                                      \
    {                                                                                                                                  \
        unsigned int x, y, z;                                                                                                          \
        asm("mov.u32 %0, %%" name ".x;" : "=r"(x));                                                                                    \
        asm("mov.u32 %0, %%" name ".y;" : "=r"(y));                                                                                    \
        asm("mov.u32 %0, %%" name ".z;" : "=r"(z));                                                                                    \
        return dim3(x, y, z);                                                                                                          \
    }
SILICA_DIMENSIONS(__clusterDim, "cluster_nctaid")
SILICA_DIMENSIONS(__clusterRelativeBlockIdx, "cluster_ctaid")
SILICA_DIMENSIONS(__clusterGridDimInClusters, "nclusterid")
SILICA_DIMENSIONS(__clusterIdx, "clusterid")
#undef SILICA_DIMENSIONS
SILICA_DEVICE unsigned int __clusterRelativeBlockRank() { unsigned int r; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
SILICA_DEVICE unsigned int __clusterSizeInBlocks() { unsigned int r; asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r)); return r; }
SILICA_DEVICE unsigned int __clusterDimIsSpecified()
{
    unsigned int r;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(r));
    return r;
}

SILICA_DEVICE void __cluster_barrier_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
SILICA_DEVICE void __cluster_barrier_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
SILICA_DEVICE void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }

// The address of a shared variable of this block in the block of another rank, and the rank of the block whose variable it is.
SILICA_DEVICE void *__cluster_map_shared_rank(const void *p, unsigned int rank)
{
    void *r;
    asm("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(p), "r"(rank));
    return r;
}
SILICA_DEVICE unsigned int __cluster_query_shared_rank(const void *p)
{
    unsigned int r;
    asm("getctarank.u64 %0, %1;" : "=r"(r) : "l"(p));
    return r;
}
#endif

#endif
