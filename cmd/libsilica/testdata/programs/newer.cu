// Functions of the runtime API since CUDA 12.3: libraries, nodes of any type, edges with data, batches of copies, pools by location. An
// NVIDIA H200 (driver 580, CUDA 13.0) passes the same checks.
#include <string.h>
#include "check.h"

#if CUDART_VERSION >= 13000
#define ADD(node, graph, before, count, parameters) cudaGraphAddNode(node, graph, before, nullptr, count, parameters)
#define ADD_EDGES cudaGraphAddNode
#define GET_EDGES cudaGraphGetEdges
#define COPY_BATCH(dsts, srcs, sizes, count, attributes, firsts, n, stream) cudaMemcpyBatchAsync(dsts, srcs, sizes, count, attributes, firsts, n, stream)
#define COPY_3D_BATCH(count, list, flags, stream) cudaMemcpy3DBatchAsync(count, list, flags, stream)
#define CAPTURE_INFO cudaStreamGetCaptureInfo
#define UPDATE cudaStreamUpdateCaptureDependencies
typedef const void *const *Sources;
#else
static size_t failed;
#define ADD(node, graph, before, count, parameters) cudaGraphAddNode(node, graph, before, count, parameters)
#define ADD_EDGES cudaGraphAddNode_v2
#define GET_EDGES cudaGraphGetEdges_v2
#define COPY_BATCH(dsts, srcs, sizes, count, attributes, firsts, n, stream) cudaMemcpyBatchAsync(dsts, srcs, sizes, count, attributes, firsts, n, &failed, stream)
#define COPY_3D_BATCH(count, list, flags, stream) cudaMemcpy3DBatchAsync(count, list, &failed, flags, stream)
#define CAPTURE_INFO cudaStreamGetCaptureInfo_v3
#define UPDATE cudaStreamUpdateCaptureDependencies_v2
typedef void **Sources;
#endif

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".global .align 4 .b32 counter = 5;\n"
    ".visible .entry add(.param .u64 p, .param .u32 v)\n"
    "{\n    .reg .b64 %rd<3>;\n    .reg .b32 %r<4>;\n    ld.param.u64 %rd1, [p];\n    ld.param.u32 %r1, [v];\n"
    "    atom.global.add.u32 %r2, [%rd1], %r1;\n    ret;\n}\n";

__device__ int variable;
__global__ void plus(int *p, int n) { *p += n; }
__global__ void plusVariable(int *p) { *p += variable; }

static int *p;
static cudaStream_t s;

static int value(int i)
{
    int v = -1;
    CHECK(cudaMemcpy(&v, p + i, 4, cudaMemcpyDeviceToHost));
    return v;
}

static void libraries()
{
    cudaLibrary_t l;
    cudaKernel_t k, all[2] = {}, host;
    unsigned n = 0;
    void *g = nullptr;
    size_t size = 0, offset = 0;
    CHECK(cudaMemset(p, 0, 64));
    CHECK(cudaLibraryLoadData(&l, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cudaLibraryGetKernelCount(&n, l));
    EXPECT(n == 1);
    CHECK(cudaLibraryEnumerateKernels(all, 2, l));
    CHECK(cudaLibraryGetKernel(&k, l, "add"));
    EXPECT(k == all[0] && all[1] == nullptr);
    ANSWERS(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&k, l, "missing"));
    CHECK(cudaLibraryGetGlobal(&g, &size, l, "counter"));
    EXPECT(size == 4);
    int v = 0;
    CHECK(cudaMemcpy(&v, g, 4, cudaMemcpyDeviceToHost));
    EXPECT(v == 5);
    ANSWERS(cudaErrorSymbolNotFound, cudaLibraryGetManaged(&g, &size, l, "counter"));
    k = all[0];
    void *arguments[] = {&p, &v};
    CHECK(cudaLaunchKernel((const void *)k, dim3(2), dim3(1), arguments, 0, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(value(0) == 10);
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, (const void *)k));
    EXPECT(a.maxThreadsPerBlock == 1024);
    CHECK(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 0));
    ANSWERS(cudaErrorInvalidDevice, cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 99));
    CHECK(cudaFuncGetParamInfo((const void *)plus, 1, &offset, &size));
    EXPECT(offset == 8 && size == 4);
    ANSWERS(cudaErrorInvalidValue, cudaFuncGetParamInfo((const void *)plus, 2, &offset, &size));
    CHECK(cudaGetKernel(&host, (const void *)plus));
    CHECK(cudaLaunchKernel((const void *)host, dim3(1), dim3(1), arguments, 0, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(value(0) == 15);
    CHECK(cudaLibraryUnload(l));
    ANSWERS(cudaErrorFileNotFound, cudaLibraryLoadFromFile(&l, "/nonexistent", nullptr, nullptr, 0, nullptr, nullptr, 0));
}

static cudaGraphNodeParams kernel(void *f, void **arguments)
{
    cudaGraphNodeParams q = {cudaGraphNodeTypeKernel};
    q.kernel.func = f;
    q.kernel.gridDim = q.kernel.blockDim = dim3(1);
    q.kernel.kernelParams = arguments;
    return q;
}

static void graphs()
{
    cudaGraph_t g;
    cudaGraphNode_t set, first, second, to, from, event, free_, n;
    cudaGraphExec_t x;
    int three = 3, seven = 7, *host, *at = p + 1;
    CHECK(cudaMallocHost(&host, 64));
    host[0] = 40;
    CHECK(cudaGraphCreate(&g, 0));
    cudaGraphNodeParams q = {cudaGraphNodeTypeMemset};
    q.memset.dst = p, q.memset.elementSize = 4, q.memset.width = 4, q.memset.height = 1;
    CHECK(ADD(&set, g, nullptr, 0, &q));
    void *arguments[] = {&p, &three}, *others[] = {&p, &seven}, *variables[] = {&p};
    q = kernel((void *)plus, arguments);
    CHECK(ADD(&first, g, &set, 1, &q));
    cudaGraphEdgeData e = {};
    e.from_port = cudaGraphKernelNodePortProgrammatic, e.type = cudaGraphDependencyTypeProgrammatic;
    CHECK(ADD_EDGES(&second, g, &first, &e, 1, &q));
    cudaGraphNode_t a[8], b[8];
    cudaGraphEdgeData data[8];
    size_t count = 8;
    CHECK(GET_EDGES(g, a, b, data, &count));
    EXPECT(count == 2);
    for (size_t i = 0; i < count; ++i)
        EXPECT(data[i].type == (b[i] == second ? cudaGraphDependencyTypeProgrammatic : cudaGraphDependencyTypeDefault));
    count = 8;
    ANSWERS(cudaErrorLossyQuery, GET_EDGES(g, a, b, nullptr, &count));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&to, g, &second, 1, variable, host, 4, 0, cudaMemcpyHostToDevice));
    q = kernel((void *)plusVariable, variables);
    CHECK(ADD(&n, g, &to, 1, &q));
    CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, host + 1, variable, 4, 0, cudaMemcpyDeviceToHost));
    cudaMemcpy3DParms copy;
    CHECK(cudaGraphMemcpyNodeGetParams(from, &copy));
    EXPECT(copy.dstPtr.ptr == host + 1 && copy.extent.width == 4 && copy.extent.height == 1 && copy.kind == cudaMemcpyDeviceToHost);
    q = cudaGraphNodeParams{cudaGraphNodeTypeMemAlloc};
    q.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    q.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    q.alloc.bytesize = 64;
    CHECK(ADD(&n, g, nullptr, 0, &q));
    EXPECT(q.alloc.dptr != nullptr);
    void *memory = q.alloc.dptr;
    q = cudaGraphNodeParams{cudaGraphNodeTypeMemFree};
    q.free.dptr = memory;
    CHECK(ADD(&free_, g, &n, 1, &q));
    cudaEvent_t happened, got = nullptr, later;
    CHECK(cudaEventCreate(&happened));
    CHECK(cudaEventCreate(&later));
    q = cudaGraphNodeParams{cudaGraphNodeTypeEventRecord};
    q.eventRecord.event = happened;
    CHECK(ADD(&event, g, &from, 1, &q));
    CHECK(cudaGraphEventRecordNodeGetEvent(event, &got));
    EXPECT(got == happened);
    CHECK(cudaGraphEventRecordNodeSetEvent(event, later));
    CHECK(cudaGraphEventRecordNodeGetEvent(event, &got));
    EXPECT(got == later);
    cudaKernelNodeAttrValue v = {}, w = {};
    v.priority = -3;
    CHECK(cudaGraphKernelNodeSetAttribute(first, cudaLaunchAttributePriority, &v));
    CHECK(cudaGraphKernelNodeCopyAttributes(second, first));
    CHECK(cudaGraphKernelNodeGetAttribute(second, cudaLaunchAttributePriority, &w));
    EXPECT(w.priority == -3);
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(value(0) == 46 && host[1] == 40);
    CHECK(cudaEventQuery(later));
    q = kernel((void *)plus, others);
    CHECK(cudaGraphExecNodeSetParams(x, second, &q));
    CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(x, to, variable, &at, 4, 0, cudaMemcpyHostToDevice));
    host[0] = 30;
    CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(x, to, variable, host, 4, 0, cudaMemcpyHostToDevice));
    CHECK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(x, from, host + 2, variable, 4, 0, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(value(0) == 40 && host[2] == 30);
    CHECK(cudaGraphNodeSetParams(second, &q));
    q = cudaGraphNodeParams{cudaGraphNodeTypeMemset};
    ANSWERS(cudaErrorInvalidValue, cudaGraphNodeSetParams(second, &q));
    CHECK(cudaGraphMemcpyNodeSetParamsFromSymbol(from, host + 3, variable, 4, 0, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, host + 3, 4, 0, cudaMemcpyHostToDevice));
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));
    CHECK(cudaFreeHost(host));
}

static void batches()
{
    int *host;
    CHECK(cudaMallocHost(&host, 256));
    for (int i = 0; i < 64; ++i)
        host[i] = i;
    void *dsts[] = {p, p + 8}, *srcs[] = {host, host + 16};
    size_t sizes[] = {16, 8}, first = 0;
    cudaMemcpyAttributes a = {};
    a.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CHECK(COPY_BATCH(dsts, (Sources)srcs, sizes, 2, &a, &first, 1, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(value(3) == 3 && value(9) == 17);
    ANSWERS(cudaErrorInvalidValue, COPY_BATCH(dsts, (Sources)srcs, sizes, 0, &a, &first, 1, s));
    cudaMemcpy3DBatchOp o = {};
    o.src.type = o.dst.type = cudaMemcpyOperandTypePointer;
    o.src.op.ptr.ptr = host, o.src.op.ptr.rowLength = 32, o.src.op.ptr.layerHeight = 2;
    o.dst.op.ptr.ptr = p, o.dst.op.ptr.rowLength = 8, o.dst.op.ptr.layerHeight = 2;
    o.extent = make_cudaExtent(8, 2, 2);
    o.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CHECK(COPY_3D_BATCH(1, &o, 0, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(value(0) == 0 && value(1) == 1 && value(2) == 8 && value(4) == 16 && value(7) == 25);
    CHECK(cudaFreeHost(host));
}

static void captures()
{
    cudaStreamCaptureStatus status;
    unsigned long long id;
    cudaGraph_t g;
    const cudaGraphNode_t *nodes;
    const cudaGraphEdgeData *edges;
    size_t count = 9;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CHECK(cudaMemsetAsync(p, 0, 4, s));
    CHECK(CAPTURE_INFO(s, &status, &id, &g, &nodes, &edges, &count));
    EXPECT(status == cudaStreamCaptureStatusActive && count == 1);
    CHECK(UPDATE(s, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies));
    CHECK(CAPTURE_INFO(s, &status, &id, &g, &nodes, &edges, &count));
    EXPECT(count == 0);
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaGraphDestroy(g));
}

static void rest()
{
    cudaStream_t other;
    CHECK(cudaStreamCreate(&other));
    cudaStreamAttrValue v = {}, w = {};
    v.syncPolicy = cudaSyncPolicyYield;
    CHECK(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    CHECK(cudaStreamCopyAttributes(other, s));
    CHECK(cudaStreamGetAttribute(other, cudaLaunchAttributeSynchronizationPolicy, &w));
    EXPECT(w.syncPolicy == cudaSyncPolicyYield);
    CHECK(cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice, cudaFlushGPUDirectRDMAWritesToOwner));
    cudaMemPool_t pool, same;
    cudaMemLocation at = {cudaMemLocationTypeDevice, 0};
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemGetDefaultMemPool(&same, &at, cudaMemAllocationTypePinned));
    EXPECT(pool == same);
    CHECK(cudaMemSetMemPool(&at, cudaMemAllocationTypePinned, pool));
    CHECK(cudaMemGetMemPool(&same, &at, cudaMemAllocationTypePinned));
    EXPECT(pool == same);
    int *m;
    CHECK(cudaMallocManaged(&m, 1 << 20));
    *m = 6;
    void *ranges[] = {m};
    size_t sizes[] = {1 << 20}, first = 0;
    CHECK(cudaMemPrefetchBatchAsync(ranges, sizes, 1, &at, &first, 1, 0, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(*m == 6);
    CHECK(cudaMemDiscardBatchAsync(ranges, sizes, 1, 0, s));
    CHECK(cudaMemDiscardAndPrefetchBatchAsync(ranges, sizes, 1, &at, &first, 1, 0, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaFree(m));
    CHECK(cudaStreamDestroy(other));
    cudaArray_t from, to, plane;
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&from, &ints, 4, 2));
    CHECK(cudaMallocArray(&to, &ints, 4, 2));
    ANSWERS(cudaErrorInvalidValue, cudaArrayGetPlane(&plane, from, 0));
    int texels[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got[8] = {};
    CHECK(cudaMemcpy2DToArray(from, 0, 0, texels, 16, 16, 2, cudaMemcpyHostToDevice));
    cudaMemcpy3DPeerParms q = {};
    q.srcArray = from, q.dstArray = to, q.srcPos.x = 1, q.extent = make_cudaExtent(3, 2, 1);
    CHECK(cudaMemcpy3DPeer(&q));
    q.srcPos.x = 0, q.dstPos.x = 3, q.extent.width = 1;
    CHECK(cudaMemcpy3DPeerAsync(&q, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy2DFromArray(got, 16, to, 0, 0, 16, 2, cudaMemcpyDeviceToHost));
    int want[8] = {2, 3, 4, 1, 6, 7, 8, 5};
    EXPECT(!memcmp(got, want, sizeof want));
    CHECK(cudaFreeArray(from));
    CHECK(cudaFreeArray(to));
}

int main()
{
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaMalloc(&p, 256));
    libraries();
    graphs();
    batches();
    captures();
    rest();
    return failures;
}
