// Functions of the runtime API that NVIDIA's compiler calls from the programs it makes, and that no header declares.
#ifndef RUNTIME_MORE_H
#define RUNTIME_MORE_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

// hostVarPtrAddress points to the pointer through which the host reaches the variable.
void __cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress, char *deviceAddress, const char *deviceName, int ext,
                              size_t size, int constant, int global);
char __cudaInitModule(void **fatCubinHandle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream);

// What programs that were built with the headers of CUDA 12.8 call for cudaEventElapsedTime.
cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end);

// Why calls fail.
cudaError_t cudaLogsRegisterCallback(void *callback, void *data, void **handle);
cudaError_t cudaLogsUnregisterCallback(void *handle);
cudaError_t cudaLogsCurrent(unsigned int *iterator, unsigned int flags);
cudaError_t cudaLogsDumpToFile(unsigned int *iterator, const char *path, unsigned int flags);
cudaError_t cudaLogsDumpToMemory(unsigned int *iterator, char *buffer, size_t *size, unsigned int flags);

// What a device does natively on memory of the host, by operation.
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities, const int *operations, unsigned int count, int device);

// Objects of the program that graphs use.
cudaError_t cudaUserObjectCreate(uintptr_t *object, void *data, cudaHostFn_t destroy, unsigned int references, unsigned int flags);
cudaError_t cudaUserObjectRetain(uintptr_t object, unsigned int count);
cudaError_t cudaUserObjectRelease(uintptr_t object, unsigned int count);
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, uintptr_t object, unsigned int count, unsigned int flags);
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, uintptr_t object, unsigned int count);

#ifdef __cplusplus
}
#endif

#endif
