/* A library with a kernel, registered as nvcc does it, that names no library of CUDA's: it takes the functions of whichever the
   program has, and is initialized before it. */
#include <cuda_runtime_api.h>

static const char text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry answer(.param .u64 out)\n{\n"
	"	.reg .b64 %a;\n	ld.param.u64 %a, [out];\n	st.global.u32 [%a], 42;\n	ret;\n}\n";

static const struct {
	int magic, version;
	const void *data, *parts;
} program = {0x466243b1, 1, text, 0};

static void **handle;
static cudaError_t allocation;

static void answer(void) {}

__attribute__((constructor)) static void begin(void)
{
	void *p;
	handle = __cudaRegisterFatBinary((void *)&program);
	__cudaRegisterFunction(handle, (const char *)answer, "answer", "answer", -1, 0, 0, 0, 0, 0);
	__cudaRegisterFatBinaryEnd(handle);
	allocation = cudaMalloc(&p, 4);
}

__attribute__((destructor)) static void end(void) { __cudaUnregisterFatBinary(handle); }

cudaError_t early_allocation(void) { return allocation; }

int early_answer(void)
{
	int result = 0, *out;
	dim3 one = {1, 1, 1};
	void *arguments[] = {&out};
	cudaMalloc((void **)&out, sizeof result);
	cudaLaunchKernel((const void *)answer, one, one, arguments, 0, 0);
	cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
	cudaFree(out);
	return result;
}
