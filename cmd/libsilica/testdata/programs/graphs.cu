// Graphs: built, captured, changed, launched again; and what a capture refuses.
#include <string.h>
#include <thread>
#include <vector>
#include "check.h"

__global__ void add(int *p, int n) { *p += n; }
__global__ void times(int *p, int n) { *p *= n; }

static int seen;
static void CUDART_CB look(void *p) { seen = *(int *)p; }

static int value(int *p)
{
    int v = -1;
    CHECK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    return v;
}

static cudaKernelNodeParams kernel(void *f, void **arguments)
{
    cudaKernelNodeParams k = {};
    k.func = f, k.gridDim = dim3(1), k.blockDim = dim3(1), k.kernelParams = arguments;
    return k;
}

// (0 + 3) * 5 by nodes in the wrong order, with a copy to the host and a function of the host at the end.
static void built(int *p)
{
    int three = 3, five = 5, *host;
    void *first[] = {&p, &three}, *second[] = {&p, &five};
    CHECK(cudaMallocHost(&host, 4));
    cudaGraph_t g, child, clone;
    cudaGraphNode_t a, b, zero, copy, call, node, nodes[8];
    CHECK(cudaGraphCreate(&g, 0));
    cudaKernelNodeParams k = kernel((void *)times, second);
    CHECK(cudaGraphAddKernelNode(&b, g, nullptr, 0, &k));
    k = kernel((void *)add, first);
    CHECK(cudaGraphAddKernelNode(&a, g, nullptr, 0, &k));
    cudaMemsetParams set = {p, 0, 0, 4, 1, 1};
    CHECK(cudaGraphAddMemsetNode(&zero, g, nullptr, 0, &set));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, g, &b, 1, host, p, 4, cudaMemcpyDeviceToHost));
    cudaHostNodeParams h = {look, host};
    CHECK(cudaGraphAddHostNode(&call, g, &copy, 1, &h));
    cudaGraphNode_t from[] = {zero, a}, to[] = {a, b};
    CHECK(cudaGraphAddDependencies(g, from, to, 2));
    ANSWERS(cudaErrorInvalidValue, cudaGraphAddDependencies(g, from, to, 1));

    size_t n = 0;
    cudaGraphNodeType type;
    CHECK(cudaGraphGetNodes(g, nullptr, &n));
    EXPECT(n == 5);
    CHECK(cudaGraphGetRootNodes(g, nodes, &(n = 8)));
    EXPECT(n == 1 && nodes[0] == zero && nodes[1] == nullptr);
    CHECK(cudaGraphGetEdges(g, nullptr, nullptr, &n));
    EXPECT(n == 4);
    CHECK(cudaGraphNodeGetDependencies(b, nodes, &(n = 8)));
    EXPECT(n == 1 && nodes[0] == a);
    CHECK(cudaGraphNodeGetDependentNodes(b, nodes, &(n = 8)));
    EXPECT(n == 1 && nodes[0] == copy);
    CHECK(cudaGraphNodeGetType(zero, &type));
    EXPECT(type == cudaGraphNodeTypeMemset);
    cudaKernelNodeParams got = {};
    CHECK(cudaGraphKernelNodeGetParams(a, &got));
    EXPECT(got.func == (void *)add && got.blockDim.x == 1 && *(int *)got.kernelParams[1] == 3);
    cudaHostNodeParams gotHost = {};
    CHECK(cudaGraphHostNodeGetParams(call, &gotHost));
    EXPECT(gotHost.fn == look && gotHost.userData == host);

    cudaGraphExec_t x;
    CHECK(cudaGraphInstantiate(&x, g));
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    for (int i = 0; i < 3; ++i) {
        seen = 0;
        CHECK(cudaGraphLaunch(x, s));
        CHECK(cudaStreamSynchronize(s));
        EXPECT(seen == 15);
    }

    // Parameters of what was instantiated, and of the graph, are apart.
    three = 4;
    k = kernel((void *)add, first);
    CHECK(cudaGraphExecKernelNodeSetParams(x, a, &k));
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(seen == 20);
    cudaGraphExecUpdateResultInfo result;
    CHECK(cudaGraphExecUpdate(x, g, &result));
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(seen == 15 && result.result == cudaGraphExecUpdateSuccess);
    CHECK(cudaGraphNodeSetEnabled(x, b, 0));
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(seen == 3);
    ANSWERS(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(x, zero, &k));

    // A graph in a graph.
    CHECK(cudaGraphCreate(&child, 0));
    CHECK(cudaGraphAddChildGraphNode(&node, child, nullptr, 0, g));
    k = kernel((void *)times, second);
    CHECK(cudaGraphAddKernelNode(&b, child, &node, 1, &k));
    CHECK(cudaGraphClone(&clone, child));
    CHECK(cudaGraphNodeFindInClone(&node, b, clone));
    CHECK(cudaGraphDestroyNode(node));
    CHECK(cudaGraphGetNodes(clone, nullptr, &n));
    EXPECT(n == 1);
    cudaGraphExec_t y;
    CHECK(cudaGraphInstantiate(&y, child));
    CHECK(cudaGraphLaunch(y, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(value(p) == 75);
    ANSWERS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(x, child, &result));
    EXPECT(result.result == cudaGraphExecUpdateErrorTopologyChanged);

    // A cycle can not be launched.
    CHECK(cudaGraphAddDependencies(child, &b, &node, 0));
    cudaGraphNode_t e, f;
    CHECK(cudaGraphAddEmptyNode(&e, child, nullptr, 0));
    CHECK(cudaGraphAddEmptyNode(&f, child, &e, 1));
    CHECK(cudaGraphAddDependencies(child, &f, &e, 1));
    ANSWERS(cudaErrorInvalidValue, cudaGraphInstantiate(&y, child));

    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));
    ANSWERS(cudaErrorInvalidValue, cudaGraphDestroy(g));
    ANSWERS(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(a, &got));
    CHECK(cudaStreamDestroy(s));
}

static void captured(int *p)
{
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaMemset(p, 0, 8));

    // Two streams; nothing runs before the launch.
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(p, 0, 8, s));
    CHECK(cudaEventRecord(fork, s));
    CHECK(cudaStreamWaitEvent(t, fork));
    add<<<1, 1, 0, s>>>(p, 1);
    add<<<1, 1, 0, t>>>(p + 1, 2);
    CHECK(cudaEventRecord(join, t));
    CHECK(cudaStreamWaitEvent(s, join));
    times<<<1, 1, 0, s>>>(p + 1, 10);
    CHECK(cudaStreamIsCapturing(t, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaStreamIsCapturing(t, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
    EXPECT(value(p) == 0 && value(p + 1) == 0);
    size_t n;
    CHECK(cudaGraphGetNodes(g, nullptr, &n));
    EXPECT(n == 4);
    CHECK(cudaGraphInstantiate(&x, g));
    CHECK(cudaGraphLaunch(x, t));
    CHECK(cudaGraphLaunch(x, t));
    CHECK(cudaStreamSynchronize(t));
    EXPECT(value(p) == 1 && value(p + 1) == 20);

    // What a capture refuses makes it invalid.
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    ANSWERS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s));
    CHECK(cudaStreamIsCapturing(s, &status));
    EXPECT(status == cudaStreamCaptureStatusInvalidated);
    ANSWERS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    EXPECT(g == nullptr);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(fork, s));
    ANSWERS(cudaErrorCapturedEvent, cudaEventSynchronize(fork));
    ANSWERS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(fork, s));
    CHECK(cudaStreamWaitEvent(t, fork));
    add<<<1, 1, 0, t>>>(p, 1);
    ANSWERS(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(t, &g));
    ANSWERS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(s, &g));
    ANSWERS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));

    // Global mode forbids what may wait for the device, unless the thread's own mode is another.
    int *q;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT(mode == cudaStreamCaptureModeGlobal);
    CHECK(cudaMalloc(&q, 64));
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    ANSWERS(cudaErrorStreamCaptureUnsupported, cudaFree(q));
    ANSWERS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    CHECK(cudaFree(q));
    // Thread-local mode forbids it to its own thread.
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    std::thread([] {
        int *other;
        CHECK(cudaMalloc(&other, 64));
        CHECK(cudaFree(other));
    }).join();
    ANSWERS(cudaErrorStreamCaptureUnsupported, cudaMalloc(&q, 64));
    ANSWERS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    ANSWERS(cudaErrorStreamCaptureImplicit, cudaMemcpy(p, p + 1, 4, cudaMemcpyDeviceToDevice));
    ANSWERS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    ANSWERS(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
    cudaStreamEndCapture(s, &g);
    cudaGetLastError();
    CHECK(cudaDeviceSynchronize());
}

int main()
{
    int *p;
    CHECK(cudaMalloc(&p, 8));
    built(p);
    captured(p);
    return failures;
}
