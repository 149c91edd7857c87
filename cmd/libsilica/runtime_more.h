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

#ifdef __cplusplus
}
#endif

#endif
