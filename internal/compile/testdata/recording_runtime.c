// A runtime library that only prints what a compiled program hands it.
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

static struct { dim3 grid, block; size_t shared; cudaStream_t stream; } call;

void **__cudaRegisterFatBinary(void *wrapper)
{
    struct { int magic, version; const char *data; void *unused; } *w = wrapper;
    printf("binary magic %x version %d, PTX of %zu bytes %s a kernel\n", w->magic, w->version, strlen(w->data), strstr(w->data, ".entry") ? "with" : "without");
    return (void **)wrapper;
}
void __cudaRegisterFatBinaryEnd(void **handle) { printf("registered\n"); }
void __cudaUnregisterFatBinary(void **handle) { printf("unregistered\n"); }
int __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, uint3 *tid, uint3 *bid, dim3 *bdim, dim3 *gdim, int *wsize)
{
    printf("function %s\n", name);
    return 0;
}
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size, int constant, int global)
{
    printf("variable %s of %zu bytes, constant %d\n", name, size, constant);
}
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    call.grid = grid, call.block = block, call.shared = shared, call.stream = stream;
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = call.grid, *block = call.block, *shared = call.shared, *(cudaStream_t *)stream = call.stream;
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    printf("launch (%u, %u, %u) of (%u, %u, %u), %zu shared, first argument %d\n", grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, *(int *)args[0]);
    return cudaSuccess;
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    printf("copy %zu bytes to a symbol, kind %d\n", count, kind);
    return cudaSuccess;
}
