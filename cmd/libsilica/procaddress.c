// cuGetProcAddress: the library's own functions by name, with the newest version of each.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

static void *find(const char *name)
{
	Dl_info self;
	if (!dladdr((void *)cuInit, &self))
		return NULL;
	void *library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return NULL;
	char versioned[128];
	void *address = NULL;
	for (int version = 3; version > 1 && !address; --version)
		if (snprintf(versioned, sizeof versioned, "%s_v%d", name, version) < (int)sizeof versioned)
			address = dlsym(library, versioned);
	if (!address)
		address = dlsym(library, name);
	dlclose(library);
	return address;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, unsigned long long flags, CUdriverProcAddressQueryResult *symbolStatus)
{
	(void)cudaVersion, (void)flags;
	if (!symbol || !pfn)
		return CUDA_ERROR_INVALID_VALUE;
	*pfn = find(symbol);
	if (symbolStatus)
		*symbolStatus = *pfn ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags, enum cudaDriverEntryPointQueryResult *driverStatus)
{
	CUdriverProcAddressQueryResult status;
	CUresult result = cuGetProcAddress_v2(symbol, funcPtr, (int)cudaVersion, flags, &status);
	if (result != CUDA_SUCCESS)
		return cudaErrorInvalidValue;
	if (driverStatus)
		*driverStatus = (enum cudaDriverEntryPointQueryResult)status;
	return *funcPtr || driverStatus ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags, enum cudaDriverEntryPointQueryResult *driverStatus)
{
	return cudaGetDriverEntryPointByVersion(symbol, funcPtr, CUDART_VERSION, flags, driverStatus);
}

// The older version has no status.
#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, unsigned long long flags)
{
	CUresult result = cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);
	return result == CUDA_SUCCESS && !*pfn ? CUDA_ERROR_NOT_FOUND : result;
}

// The tables of functions that NVIDIA's own libraries share are not there.
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
	if (!table || !id)
		return CUDA_ERROR_INVALID_VALUE;
	*table = NULL;
	return CUDA_ERROR_NOT_FOUND;
}
