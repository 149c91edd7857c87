// Functions of the driver API as they were before the version that cuda.h names today, for programs that look them up by name.
// Where a structure only grew, a null kernel stands for what an older one does not have.
#include <string.h>

#include <cuda.h>

#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphInstantiate
#undef cuGraphExecUpdate
#undef cuStreamBeginCapture
#undef cuStreamGetCaptureInfo

// The bytes that kernel nodes had before kern and ctx.
enum { oldKernelBytes = offsetof(CUDA_KERNEL_NODE_PARAMS, kern) };

static CUDA_KERNEL_NODE_PARAMS widened(const CUDA_KERNEL_NODE_PARAMS *old)
{
	CUDA_KERNEL_NODE_PARAMS p = {0};
	memcpy(&p, old, oldKernelBytes);
	return p;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count, const CUDA_KERNEL_NODE_PARAMS *old)
{
	if (!old)
		return CUDA_ERROR_INVALID_VALUE;
	CUDA_KERNEL_NODE_PARAMS p = widened(old);
	return cuGraphAddKernelNode_v2(node, graph, dependencies, count, &p);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *old)
{
	CUDA_KERNEL_NODE_PARAMS p;
	CUresult result = old ? cuGraphKernelNodeGetParams_v2(node, &p) : CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		memcpy(old, &p, oldKernelBytes);
	return result;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *old)
{
	if (!old)
		return CUDA_ERROR_INVALID_VALUE;
	CUDA_KERNEL_NODE_PARAMS p = widened(old);
	return cuGraphKernelNodeSetParams_v2(node, &p);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *old)
{
	if (!old)
		return CUDA_ERROR_INVALID_VALUE;
	CUDA_KERNEL_NODE_PARAMS p = widened(old);
	return cuGraphExecKernelNodeSetParams_v2(exec, node, &p);
}

// The node of an error and the log are what only these have; an error has no node.
CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *errorNode, char *log, size_t bytes)
{
	if (errorNode)
		*errorNode = NULL;
	if (log && bytes)
		*log = 0;
	return cuGraphInstantiateWithFlags(exec, graph, 0);
}

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *errorNode, char *log, size_t bytes)
{
	return cuGraphInstantiate_v2(exec, graph, errorNode, log, bytes);
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *errorNode, CUgraphExecUpdateResult *result)
{
	CUgraphExecUpdateResultInfo info = {CU_GRAPH_EXEC_UPDATE_ERROR, NULL, NULL};
	CUresult code = cuGraphExecUpdate_v2(exec, graph, &info);
	if (errorNode)
		*errorNode = info.errorNode;
	if (result)
		*result = info.result;
	return code;
}

CUresult cuStreamBeginCapture(CUstream stream) { return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL); }

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id)
{
	return cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}
