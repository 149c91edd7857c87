// Objects of the program that graphs use: the destructor runs when the last reference goes, be it the program's, a graph's, or that of
// what was instantiated.
#include <stdint.h>

#include "check.h"

extern "C" {
cudaError_t cudaUserObjectCreate(uintptr_t *object, void *data, void (*destroy)(void *), unsigned int references, unsigned int flags);
cudaError_t cudaUserObjectRetain(uintptr_t object, unsigned int count);
cudaError_t cudaUserObjectRelease(uintptr_t object, unsigned int count);
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, uintptr_t object, unsigned int count, unsigned int flags);
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, uintptr_t object, unsigned int count);
}

static int destroyed;
static void destroy(void *data) { destroyed += *(int *)data; }

int main()
{
    int one = 1;
    uintptr_t object = 0;
    EXPECT(cudaUserObjectCreate(&object, &one, destroy, 1, 0) == cudaErrorInvalidValue);
    EXPECT(cudaUserObjectCreate(&object, &one, destroy, 1, 1) == cudaSuccess);
    EXPECT(cudaUserObjectRetain(object, 2) == cudaSuccess);
    EXPECT(cudaUserObjectRelease(object, 2) == cudaSuccess && destroyed == 0);
    EXPECT(cudaUserObjectRelease(object, 0) == cudaErrorInvalidValue);

    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    EXPECT(cudaGraphCreate(&graph, 0) == cudaSuccess);
    EXPECT(cudaGraphRetainUserObject(graph, object, 1, 1) == cudaSuccess); // moved
    EXPECT(cudaGraphRetainUserObject(graph, object, 2, 0) == cudaSuccess);
    EXPECT(cudaGraphReleaseUserObject(graph, object, 4) == cudaErrorInvalidValue);
    EXPECT(cudaGraphReleaseUserObject(graph, object, 2) == cudaSuccess && destroyed == 0);
    EXPECT(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    EXPECT(cudaGraphClone(&clone, graph) == cudaSuccess);
    EXPECT(cudaGraphDestroy(graph) == cudaSuccess && destroyed == 0);
    EXPECT(cudaGraphDestroy(clone) == cudaSuccess && destroyed == 0);
    EXPECT(cudaGraphLaunch(exec, 0) == cudaSuccess);
    EXPECT(cudaGraphExecDestroy(exec) == cudaSuccess && destroyed == 1);
    EXPECT(cudaUserObjectRelease(object, 1) != cudaSuccess);
    return failures;
}
