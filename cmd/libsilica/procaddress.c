// cuGetProcAddress and its kin: the library's own functions by name, version and default stream. What they answer was recorded in
// testdata/procaddress.h200.txt and entrypoint.h200.txt.
#include <string.h>

#include "call.h"
#include "functions_gen.h"
#include "procaddress.h"
#include <cuda.h>
#include <cuda_runtime_api.h>

enum { legacyStream = 1, perThreadStream = 2 };

// Finds what a name stands for in a version; a negative version is later than all.
static CUdriverProcAddressQueryResult find(const char *name, int version, int per_thread, void **function)
{
	*function = NULL;
	int low = 0, high = silica_procedure_count;
	while (low < high) {
		int middle = (low + high) / 2;
		if (strcmp(silica_procedures[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	int found = low;
	for (; found < silica_procedure_count && !strcmp(silica_procedures[found].name, name); ++found) {
		const struct silica_procedure *p = &silica_procedures[found];
		const struct silica_form *f = per_thread ? &p->per_thread : &p->legacy;
		if (f->function && (version < 0 || version >= f->since))
			*function = (void *)f->function;
	}
	if (found == low)
		return CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
}

static CUresult look_up(const char *symbol, void **pfn, int cudaVersion, unsigned long long flags, CUdriverProcAddressQueryResult *symbolStatus)
{
	if (!symbol || !pfn || flags & ~(unsigned long long)(legacyStream | perThreadStream))
		return CUDA_ERROR_INVALID_VALUE;
	if (cudaVersion > SILICA_DRIVER_VERSION) {
		*pfn = NULL;
		return CUDA_ERROR_INVALID_VALUE;
	}
	CUdriverProcAddressQueryResult status = find(symbol, cudaVersion, flags & perThreadStream, pfn);
	if (symbolStatus)
		*symbolStatus = status;
	return CUDA_SUCCESS;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, unsigned long long flags, CUdriverProcAddressQueryResult *symbolStatus)
{
	uint64_t words[] = {(uint64_t)symbol, (uint64_t)pfn, (uint64_t)cudaVersion, flags, (uint64_t)symbolStatus};
	return silica_traced(FUNCTION_cuGetProcAddress_v2, words, look_up(symbol, pfn, cudaVersion, flags, symbolStatus));
}

// The older version has no status.
#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, unsigned long long flags)
{
	void *function;
	CUresult result = look_up(symbol, pfn ? &function : NULL, cudaVersion, flags, NULL);
	if (result != CUDA_SUCCESS)
		return result;
	if (!function)
		return CUDA_ERROR_NOT_FOUND;
	*pfn = function;
	return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags, enum cudaDriverEntryPointQueryResult *driverStatus)
{
	CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	if (look_up(symbol, funcPtr, (int)cudaVersion, flags, &status) != CUDA_SUCCESS)
		return silica_failed(cudaErrorInvalidValue);
	if (driverStatus)
		*driverStatus = (enum cudaDriverEntryPointQueryResult)status;
	uint64_t words[] = {(uint64_t)symbol, (uint64_t)funcPtr, cudaVersion, flags, (uint64_t)driverStatus};
	return silica_traced(FUNCTION_cudaGetDriverEntryPointByVersion, words, cudaSuccess);
}

cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags, enum cudaDriverEntryPointQueryResult *driverStatus)
{
	return cudaGetDriverEntryPointByVersion(symbol, funcPtr, cudaVersion, flags ? flags : perThreadStream, driverStatus);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags, enum cudaDriverEntryPointQueryResult *driverStatus)
{
	return cudaGetDriverEntryPointByVersion(symbol, funcPtr, CUDART_VERSION, flags, driverStatus);
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr, unsigned long long flags, enum cudaDriverEntryPointQueryResult *driverStatus)
{
	return cudaGetDriverEntryPointByVersion_ptsz(symbol, funcPtr, CUDART_VERSION, flags, driverStatus);
}

// The tables of functions that NVIDIA's own libraries share are not there.
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
	if (!table || !id)
		return CUDA_ERROR_INVALID_VALUE;
	*table = NULL;
	return CUDA_ERROR_NOT_FOUND;
}
