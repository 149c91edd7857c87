// Functions of the driver API that clients look up by name and that cuda.h does not declare.
#ifndef DRIVER_MORE_H
#define DRIVER_MORE_H

#include <cuda.h>

#ifdef __cplusplus
extern "C" {
#endif

CUresult cuGetExportTable(const void **table, const CUuuid *id);
CUresult cuCtxCreate_v3(CUcontext *context, const void *affinity, int affinities, unsigned int flags, CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *context, const void *parameters, unsigned int flags, CUdevice device);
CUresult cuDeviceGetProperties(void *properties, CUdevice device);
CUresult cuDeviceGetHostAtomicCapabilities(unsigned int *capabilities, const int *operations, unsigned int count, CUdevice device);
CUresult cuCtxGetExecAffinity(void *affinity, int type);
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context);
CUresult cuCtxSynchronize_v2(CUcontext context);
CUresult cuDeviceGetExecAffinitySupport(int *supported, int type, CUdevice device);
CUresult cuFlushGPUDirectRDMAWrites(int target, int scope);
CUresult cuProfilerInitialize(const char *config, const char *output, int mode);
CUresult cuStreamGetGreenCtx(CUstream stream, void **green);
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, void **green);
CUresult cuLogsRegisterCallback(void *callback, void *data, void **handle);
CUresult cuLogsUnregisterCallback(void *handle);
CUresult cuLogsCurrent(unsigned int *iterator, unsigned int flags);
CUresult cuLogsDumpToFile(unsigned int *iterator, const char *path, unsigned int flags);
CUresult cuLogsDumpToMemory(unsigned int *iterator, char *buffer, size_t *size, unsigned int flags);
CUresult cuDeviceGetDevResource(CUdevice device, void *resource, int type);
CUresult cuCtxGetDevResource(CUcontext context, void *resource, int type);
CUresult cuDevSmResourceSplitByCount(void *result, unsigned int *count, const void *input, void *remaining, unsigned int flags, unsigned int least);
CUresult cuDevResourceGenerateDesc(void **description, void *resources, unsigned int count);
CUresult cuGreenCtxCreate(void **green, void *description, CUdevice device, unsigned int flags);
CUresult cuGreenCtxDestroy(void *green);
CUresult cuCtxFromGreenCtx(CUcontext *context, void *green);
CUresult cuGreenCtxGetDevResource(void *green, void *resource, int type);
CUresult cuGreenCtxGetId(void *green, unsigned long long *id);
CUresult cuGreenCtxStreamCreate(CUstream *stream, void *green, unsigned int flags, int priority);
CUresult cuGreenCtxRecordEvent(void *green, CUevent event);
CUresult cuGreenCtxWaitEvent(void *green, CUevent event);
CUresult cuModuleGetLoadingMode(int *mode);
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction function, CUoccupancyB2DSize sharedOfBlock, size_t sharedBytes, int limit, unsigned int flags);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *sharedBytes, CUfunction function, int blocks, int blockSize);
CUresult cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream);
CUresult cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream);
CUresult cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream);
CUresult cuUserObjectCreate(uintptr_t *object, void *data, CUhostFn destroy, unsigned int references, unsigned int flags);
CUresult cuUserObjectRetain(uintptr_t object, unsigned int count);
CUresult cuUserObjectRelease(uintptr_t object, unsigned int count);
CUresult cuGraphRetainUserObject(CUgraph graph, uintptr_t object, unsigned int count, unsigned int flags);
CUresult cuGraphReleaseUserObject(CUgraph graph, uintptr_t object, unsigned int count);
CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end);
CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module);
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule module);
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags);
CUresult cuCtxAttach(CUcontext *context, unsigned int flags);
CUresult cuCtxDetach(CUcontext context);
CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z);
CUresult cuFuncSetSharedSize(CUfunction function, unsigned int bytes);
CUresult cuParamSetSize(CUfunction function, unsigned int bytes);
CUresult cuParamSeti(CUfunction function, int offset, unsigned int value);
CUresult cuParamSetf(CUfunction function, int offset, float value);
CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned int bytes);
CUresult cuLaunch(CUfunction function);
CUresult cuLaunchGrid(CUfunction function, int width, int height);
CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream);

#ifdef __cplusplus
}
#endif

#endif
