// Functions of the driver API as they were before the version that cuda.h names today, for programs that look them up by name.
// Where a structure only grew, a null kernel stands for what an older one does not have.
#include <string.h>

#include "call.h"
#include <cuda.h>
#include <cuda_runtime_api.h>

#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphInstantiate
#undef cuGraphExecUpdate
#undef cuStreamBeginCapture
#undef cuStreamGetCaptureInfo
#undef cudaStreamGetCaptureInfo

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

// What has a version because it means something else since, or works on more.
#undef cuCtxDestroy
#undef cuCtxPopCurrent
#undef cuCtxPushCurrent
#undef cuStreamDestroy
#undef cuEventDestroy
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
#undef cuDeviceGetUuid
#undef cuMemHostRegister
#undef cuLinkCreate
#undef cuLinkAddData
#undef cuLinkAddFile
#undef cuIpcOpenMemHandle

CUresult cuCtxDestroy(CUcontext context) { return cuCtxDestroy_v2(context); }
CUresult cuCtxPopCurrent(CUcontext *context) { return cuCtxPopCurrent_v2(context); }
CUresult cuCtxPushCurrent(CUcontext context) { return cuCtxPushCurrent_v2(context); }
CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }
CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return cuDevicePrimaryCtxRelease_v2(device); }
CUresult cuDevicePrimaryCtxReset(CUdevice device) { return cuDevicePrimaryCtxReset_v2(device); }
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) { return cuDevicePrimaryCtxSetFlags_v2(device, flags); }
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }
CUresult cuMemHostRegister(void *p, size_t bytes, unsigned int flags) { return cuMemHostRegister_v2(p, bytes, flags); }
CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle, unsigned int flags) { return cuIpcOpenMemHandle_v2(address, handle, flags); }

CUresult cuLinkCreate(unsigned int count, CUjit_option *options, void **values, CUlinkState *state)
{
	return cuLinkCreate_v2(count, options, values, state);
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned int count, CUjit_option *options, void **values)
{
	return cuLinkAddData_v2(state, type, data, size, name, count, options, values);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int count, CUjit_option *options, void **values)
{
	return cuLinkAddFile_v2(state, type, path, count, options, values);
}

// A device's properties before CUDA 12 had less at their end.
#undef cudaGetDeviceProperties
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *old, int device)
{
	struct cudaDeviceProp p;
	cudaError_t code = cudaGetDeviceProperties_v2(old ? &p : NULL, device);
	if (code == cudaSuccess)
		memcpy(old, &p, offsetof(struct cudaDeviceProp, hostRegisterSupported));
	return code;
}

// The runtime API's of before CUDA 11.3.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
{
	return cudaStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
{
	return cudaStreamGetCaptureInfo((cudaStream_t)silica_own_stream((uint64_t)stream), status, id);
}
