package driver

import (
	"iter"
	"maps"
)

// codes gives each code its name in the driver API, its name in the runtime API, and CUDA's sentence for it. A name is "" in
// an API that has no such code.
var codes = map[Code]struct{ driver, runtime, text string }{
	0:     {"CUDA_SUCCESS", "cudaSuccess", "no error"},
	1:     {"CUDA_ERROR_INVALID_VALUE", "cudaErrorInvalidValue", "invalid argument"},
	2:     {"CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation", "out of memory"},
	3:     {"CUDA_ERROR_NOT_INITIALIZED", "cudaErrorInitializationError", "initialization error"},
	4:     {"CUDA_ERROR_DEINITIALIZED", "cudaErrorCudartUnloading", "driver shutting down"},
	5:     {"CUDA_ERROR_PROFILER_DISABLED", "cudaErrorProfilerDisabled", "profiler disabled while using external profiling tool"},
	6:     {"CUDA_ERROR_PROFILER_NOT_INITIALIZED", "cudaErrorProfilerNotInitialized", "profiler not initialized: call cudaProfilerInitialize()"},
	7:     {"CUDA_ERROR_PROFILER_ALREADY_STARTED", "cudaErrorProfilerAlreadyStarted", "profiler already started"},
	8:     {"CUDA_ERROR_PROFILER_ALREADY_STOPPED", "cudaErrorProfilerAlreadyStopped", "profiler already stopped"},
	9:     {"", "cudaErrorInvalidConfiguration", "invalid configuration argument"},
	12:    {"", "cudaErrorInvalidPitchValue", "invalid pitch argument"},
	13:    {"", "cudaErrorInvalidSymbol", "invalid device symbol"},
	16:    {"", "cudaErrorInvalidHostPointer", "invalid host pointer"},
	17:    {"", "cudaErrorInvalidDevicePointer", "invalid device pointer"},
	18:    {"", "cudaErrorInvalidTexture", "invalid texture reference"},
	19:    {"", "cudaErrorInvalidTextureBinding", "texture is not bound to a pointer"},
	20:    {"", "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"},
	21:    {"", "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
	22:    {"", "cudaErrorAddressOfConstant", "invalid address of constant"},
	23:    {"", "cudaErrorTextureFetchFailed", "fetch from texture failed"},
	24:    {"", "cudaErrorTextureNotBound", "cannot fetch from a texture that is not bound"},
	25:    {"", "cudaErrorSynchronizationError", "incorrect use of __syncthreads()"},
	26:    {"", "cudaErrorInvalidFilterSetting", "linear filtering not supported for non-float type"},
	27:    {"", "cudaErrorInvalidNormSetting", "read as normalized float not supported for 32-bit non float type"},
	28:    {"", "cudaErrorMixedDeviceExecution", "device emulation mode and device execution mode cannot be mixed"},
	31:    {"", "cudaErrorNotYetImplemented", "feature not yet implemented"},
	32:    {"", "cudaErrorMemoryValueTooLarge", "memory size or pointer value too large to fit in 32 bit"},
	34:    {"CUDA_ERROR_STUB_LIBRARY", "cudaErrorStubLibrary", "CUDA driver is a stub library"},
	35:    {"", "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
	36:    {"CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "cudaErrorCallRequiresNewerDriver", "API call is not supported in the installed CUDA driver"},
	37:    {"", "cudaErrorInvalidSurface", "invalid surface reference"},
	43:    {"", "cudaErrorDuplicateVariableName", "duplicate global variable looked up by string name"},
	44:    {"", "cudaErrorDuplicateTextureName", "duplicate texture looked up by string name"},
	45:    {"", "cudaErrorDuplicateSurfaceName", "duplicate surface looked up by string name"},
	46:    {"CUDA_ERROR_DEVICE_UNAVAILABLE", "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
	49:    {"", "cudaErrorIncompatibleDriverContext", "incompatible driver context"},
	52:    {"", "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
	53:    {"", "cudaErrorPriorLaunchFailure", "unspecified launch failure in prior launch"},
	65:    {"", "cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"},
	66:    {"", "cudaErrorLaunchFileScopedTex", "launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)"},
	67:    {"", "cudaErrorLaunchFileScopedSurf", "launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)"},
	68:    {"", "cudaErrorSyncDepthExceeded", "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"},
	69:    {"", "cudaErrorLaunchPendingCountExceeded", "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"},
	98:    {"", "cudaErrorInvalidDeviceFunction", "invalid device function"},
	100:   {"CUDA_ERROR_NO_DEVICE", "cudaErrorNoDevice", "no CUDA-capable device is detected"},
	101:   {"CUDA_ERROR_INVALID_DEVICE", "cudaErrorInvalidDevice", "invalid device ordinal"},
	102:   {"CUDA_ERROR_DEVICE_NOT_LICENSED", "cudaErrorDeviceNotLicensed", "device doesn't have valid Grid license"},
	103:   {"", "cudaErrorSoftwareValidityNotEstablished", "integrity checks failed"},
	127:   {"", "cudaErrorStartupFailure", "startup failure in cuda runtime"},
	200:   {"CUDA_ERROR_INVALID_IMAGE", "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
	201:   {"CUDA_ERROR_INVALID_CONTEXT", "cudaErrorDeviceUninitialized", "invalid device context"},
	202:   {"CUDA_ERROR_CONTEXT_ALREADY_CURRENT", "", "context already current"},
	205:   {"CUDA_ERROR_MAP_FAILED", "cudaErrorMapBufferObjectFailed", "mapping of buffer object failed"},
	206:   {"CUDA_ERROR_UNMAP_FAILED", "cudaErrorUnmapBufferObjectFailed", "unmapping of buffer object failed"},
	207:   {"CUDA_ERROR_ARRAY_IS_MAPPED", "cudaErrorArrayIsMapped", "array is mapped"},
	208:   {"CUDA_ERROR_ALREADY_MAPPED", "cudaErrorAlreadyMapped", "resource already mapped"},
	209:   {"CUDA_ERROR_NO_BINARY_FOR_GPU", "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
	210:   {"CUDA_ERROR_ALREADY_ACQUIRED", "cudaErrorAlreadyAcquired", "resource already acquired"},
	211:   {"CUDA_ERROR_NOT_MAPPED", "cudaErrorNotMapped", "resource not mapped"},
	212:   {"CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "cudaErrorNotMappedAsArray", "resource not mapped as array"},
	213:   {"CUDA_ERROR_NOT_MAPPED_AS_POINTER", "cudaErrorNotMappedAsPointer", "resource not mapped as pointer"},
	214:   {"CUDA_ERROR_ECC_UNCORRECTABLE", "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
	215:   {"CUDA_ERROR_UNSUPPORTED_LIMIT", "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"},
	216:   {"CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "cudaErrorDeviceAlreadyInUse", "exclusive-thread device already in use by a different thread"},
	217:   {"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"},
	218:   {"CUDA_ERROR_INVALID_PTX", "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
	219:   {"CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", "cudaErrorInvalidGraphicsContext", "invalid OpenGL or DirectX context"},
	220:   {"CUDA_ERROR_NVLINK_UNCORRECTABLE", "cudaErrorNvlinkUncorrectable", "uncorrectable NVLink error detected during the execution"},
	221:   {"CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "cudaErrorJitCompilerNotFound", "PTX JIT compiler library not found"},
	222:   {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "cudaErrorUnsupportedPtxVersion", "the provided PTX was compiled with an unsupported toolchain."},
	223:   {"CUDA_ERROR_JIT_COMPILATION_DISABLED", "cudaErrorJitCompilationDisabled", "PTX JIT compilation was disabled"},
	224:   {"CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", "cudaErrorUnsupportedExecAffinity", "the provided execution affinity is not supported"},
	225:   {"CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", "cudaErrorUnsupportedDevSideSync", "the provided PTX contains unsupported call to cudaDeviceSynchronize"},
	226:   {"CUDA_ERROR_CONTAINED", "cudaErrorContained", "Invalid access of peer GPU memory over nvlink or a hardware error"},
	300:   {"CUDA_ERROR_INVALID_SOURCE", "cudaErrorInvalidSource", "device kernel image is invalid"},
	301:   {"CUDA_ERROR_FILE_NOT_FOUND", "cudaErrorFileNotFound", "file not found"},
	302:   {"CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "cudaErrorSharedObjectSymbolNotFound", "shared object symbol not found"},
	303:   {"CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "cudaErrorSharedObjectInitFailed", "shared object initialization failed"},
	304:   {"CUDA_ERROR_OPERATING_SYSTEM", "cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
	400:   {"CUDA_ERROR_INVALID_HANDLE", "cudaErrorInvalidResourceHandle", "invalid resource handle"},
	401:   {"CUDA_ERROR_ILLEGAL_STATE", "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
	402:   {"CUDA_ERROR_LOSSY_QUERY", "cudaErrorLossyQuery", "attempted introspection would be semantically lossy"},
	500:   {"CUDA_ERROR_NOT_FOUND", "cudaErrorSymbolNotFound", "named symbol not found"},
	600:   {"CUDA_ERROR_NOT_READY", "cudaErrorNotReady", "device not ready"},
	700:   {"CUDA_ERROR_ILLEGAL_ADDRESS", "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
	701:   {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
	702:   {"CUDA_ERROR_LAUNCH_TIMEOUT", "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
	703:   {"CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", "cudaErrorLaunchIncompatibleTexturing", "launch uses incompatible texturing mode"},
	704:   {"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
	705:   {"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
	708:   {"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "cudaErrorSetOnActiveProcess", "cannot set while device is active in this process"},
	709:   {"CUDA_ERROR_CONTEXT_IS_DESTROYED", "cudaErrorContextIsDestroyed", "context is destroyed"},
	710:   {"CUDA_ERROR_ASSERT", "cudaErrorAssert", "device-side assert triggered"},
	711:   {"CUDA_ERROR_TOO_MANY_PEERS", "cudaErrorTooManyPeers", "peer mapping resources exhausted"},
	712:   {"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "cudaErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"},
	713:   {"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
	714:   {"CUDA_ERROR_HARDWARE_STACK_ERROR", "cudaErrorHardwareStackError", "hardware stack error"},
	715:   {"CUDA_ERROR_ILLEGAL_INSTRUCTION", "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
	716:   {"CUDA_ERROR_MISALIGNED_ADDRESS", "cudaErrorMisalignedAddress", "misaligned address"},
	717:   {"CUDA_ERROR_INVALID_ADDRESS_SPACE", "cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space"},
	718:   {"CUDA_ERROR_INVALID_PC", "cudaErrorInvalidPc", "invalid program counter"},
	719:   {"CUDA_ERROR_LAUNCH_FAILED", "cudaErrorLaunchFailure", "unspecified launch failure"},
	720:   {"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
	721:   {"CUDA_ERROR_TENSOR_MEMORY_LEAK", "cudaErrorTensorMemoryLeak", "tensor memory not completely freed"},
	800:   {"CUDA_ERROR_NOT_PERMITTED", "cudaErrorNotPermitted", "operation not permitted"},
	801:   {"CUDA_ERROR_NOT_SUPPORTED", "cudaErrorNotSupported", "operation not supported"},
	802:   {"CUDA_ERROR_SYSTEM_NOT_READY", "cudaErrorSystemNotReady", "system not yet initialized"},
	803:   {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "cudaErrorSystemDriverMismatch", "system has unsupported display driver / cuda driver combination"},
	804:   {"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "cudaErrorCompatNotSupportedOnDevice", "forward compatibility was attempted on non supported HW"},
	805:   {"CUDA_ERROR_MPS_CONNECTION_FAILED", "cudaErrorMpsConnectionFailed", "MPS client failed to connect to the MPS control daemon or the MPS server"},
	806:   {"CUDA_ERROR_MPS_RPC_FAILURE", "cudaErrorMpsRpcFailure", "the remote procedural call between the MPS server and the MPS client failed"},
	807:   {"CUDA_ERROR_MPS_SERVER_NOT_READY", "cudaErrorMpsServerNotReady", "MPS server is not ready to accept new MPS client requests"},
	808:   {"CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "cudaErrorMpsMaxClientsReached", "the hardware resources required to create MPS client have been exhausted"},
	809:   {"CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "cudaErrorMpsMaxConnectionsReached", "the hardware resources required to support device connections have been exhausted"},
	810:   {"CUDA_ERROR_MPS_CLIENT_TERMINATED", "cudaErrorMpsClientTerminated", "the MPS client has been terminated by the server"},
	811:   {"CUDA_ERROR_CDP_NOT_SUPPORTED", "cudaErrorCdpNotSupported", "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it"},
	812:   {"CUDA_ERROR_CDP_VERSION_MISMATCH", "cudaErrorCdpVersionMismatch", "unsupported interaction between different versions of CUDA Dynamic Parallelism"},
	900:   {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
	901:   {"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"},
	902:   {"CUDA_ERROR_STREAM_CAPTURE_MERGE", "cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"},
	903:   {"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"},
	904:   {"CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
	905:   {"CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"},
	906:   {"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "cudaErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream"},
	907:   {"CUDA_ERROR_CAPTURED_EVENT", "cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"},
	908:   {"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "cudaErrorStreamCaptureWrongThread", "attempt to terminate a thread-local capture sequence from another thread"},
	909:   {"CUDA_ERROR_TIMEOUT", "cudaErrorTimeout", "wait operation timed out"},
	910:   {"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "cudaErrorGraphExecUpdateFailure", "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"},
	911:   {"CUDA_ERROR_EXTERNAL_DEVICE", "cudaErrorExternalDevice", "an async error has occured in external entity outside of CUDA"},
	912:   {"CUDA_ERROR_INVALID_CLUSTER_SIZE", "cudaErrorInvalidClusterSize", "a kernel launch error has occurred due to cluster misconfiguration"},
	913:   {"CUDA_ERROR_FUNCTION_NOT_LOADED", "cudaErrorFunctionNotLoaded", "the function handle is not loaded when calling an API that requires a loaded function"},
	914:   {"CUDA_ERROR_INVALID_RESOURCE_TYPE", "cudaErrorInvalidResourceType", "one or more resources passed in are not valid resource types for the operation"},
	915:   {"CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", "cudaErrorInvalidResourceConfiguration", "one or more resources are insufficient or non-applicable for the operation"},
	999:   {"CUDA_ERROR_UNKNOWN", "cudaErrorUnknown", "unknown error"},
	10000: {"", "cudaErrorApiFailureBase", "api failure base"},
}

// DriverName returns the code's name in the driver API, "" for a number that is no code there.
func (c Code) DriverName() string { return codes[c].driver }

// RuntimeName returns the code's name in the runtime API, "" for a number that is no code there.
func (c Code) RuntimeName() string { return codes[c].runtime }

// Text returns CUDA's sentence for the code, "" for a number that is no code.
func (c Code) Text() string { return codes[c].text }

// Codes returns every code, in no particular order.
func Codes() iter.Seq[Code] { return maps.Keys(codes) }

// inDriver gives codes of the runtime API alone their nearest in the driver API.
var inDriver = map[Code]Code{
	InvalidConfiguration:     InvalidValue,
	InvalidPitchValue:        InvalidValue,
	InvalidSymbol:            NotFound,
	InvalidMemcpyDirection:   InvalidValue,
	InvalidChannelDescriptor: InvalidValue,
	InvalidFilterSetting:     InvalidValue,
	InvalidNormSetting:       InvalidValue,
	InvalidDeviceFunction:    InvalidHandle,
}

// Driver returns the code as the driver API has it.
func (c Code) Driver() Code {
	if d, ok := inDriver[c]; ok {
		return d
	}
	return c
}

// codeNamed returns the code with a name of the driver API.
func codeNamed(driverName string) Code {
	for c, names := range codes {
		if names.driver == driverName {
			return c
		}
	}
	return Unknown
}
