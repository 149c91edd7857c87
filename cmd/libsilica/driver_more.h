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
CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end);

#ifdef __cplusplus
}
#endif

#endif
