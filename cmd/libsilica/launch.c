// What a compiled program calls for kernel<<<grid, block, shared, stream>>>(...) and before main, and what has a result that
// is no error code.
#include <stdlib.h>

#include "call.h"
#include "functions_gen.h"
#include "runtime_more.h"

// A launch pushes its configuration, evaluates the arguments, which may launch too, and pops it.
struct configuration {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
};

struct configurations {
	unsigned int count;
	struct configuration pushed[16];
};

unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, cudaStream_t stream)
{
	struct silica_thread *t = silica_self();
	struct configurations *c = t->configurations;
	if (!c)
		c = t->configurations = calloc(1, sizeof *c);
	if (!c || c->count == sizeof c->pushed / sizeof *c->pushed)
		return 1; // the launch is left out
	c->pushed[c->count++] = (struct configuration){gridDim, blockDim, sharedMem, stream};
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream)
{
	struct configurations *all = silica_self()->configurations;
	if (!all || all->count == 0)
		return cudaErrorMissingConfiguration;
	struct configuration c = all->pushed[--all->count];
	*gridDim = c.grid;
	*blockDim = c.block;
	*sharedMem = c.shared;
	*(cudaStream_t *)stream = c.stream;
	return cudaSuccess;
}

void **__cudaRegisterFatBinary(void *fatCubin)
{
	void **handle = malloc(sizeof *handle);
	uint64_t words[REGISTRATION_WORDS] = {(uint64_t)fatCubin, (uint64_t)handle};
	if (handle && silica_register(FUNCTION___cudaRegisterFatBinary, words) == cudaSuccess)
		return handle;
	free(handle);
	return NULL;
}

void __cudaRegisterFatBinaryEnd(void **fatCubinHandle)
{
	uint64_t words[REGISTRATION_WORDS] = {(uint64_t)fatCubinHandle};
	silica_register(FUNCTION___cudaRegisterFatBinaryEnd, words);
}

void __cudaUnregisterFatBinary(void **fatCubinHandle)
{
	uint64_t words[REGISTRATION_WORDS] = {(uint64_t)fatCubinHandle};
	if (silica_register(FUNCTION___cudaUnregisterFatBinary, words) == cudaSuccess)
		free(fatCubinHandle);
}

int __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun, const char *deviceName, int threadLimit,
                           uint3 *tid, uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize)
{
	(void)deviceFun, (void)threadLimit, (void)tid, (void)bid, (void)bDim, (void)gDim, (void)wSize;
	uint64_t words[REGISTRATION_WORDS] = {(uint64_t)fatCubinHandle, (uint64_t)hostFun, (uint64_t)deviceName};
	return silica_register(FUNCTION___cudaRegisterFunction, words);
}

void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress, const char *deviceName, int ext, size_t size,
                       int constant, int global)
{
	(void)deviceAddress, (void)ext, (void)constant, (void)global;
	uint64_t words[REGISTRATION_WORDS] = {(uint64_t)fatCubinHandle, (uint64_t)hostVar, (uint64_t)deviceName, size};
	silica_register(FUNCTION___cudaRegisterVar, words);
}

void __cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress, char *deviceAddress, const char *deviceName, int ext,
                              size_t size, int constant, int global)
{
	(void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
	uint64_t words[REGISTRATION_WORDS] = {(uint64_t)fatCubinHandle, (uint64_t)hostVarPtrAddress, (uint64_t)deviceName};
	silica_register(FUNCTION___cudaRegisterManagedVar, words);
}

char __cudaInitModule(void **fatCubinHandle)
{
	__cudaRegisterFatBinaryEnd(fatCubinHandle); // loads what has managed variables
	return 1;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

// nvcc 13 asks once for the handle of a kernel that it launches. The address of the host's function serves.
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
	*kernel = (cudaKernel_t)function;
	return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream)
{
	return cudaLaunchKernel((const void *)kernel, gridDim, blockDim, args, sharedMem, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream)
{
	return __cudaLaunchKernel(kernel, gridDim, blockDim, args, sharedMem, (cudaStream_t)silica_own_stream((uint64_t)stream));
}
