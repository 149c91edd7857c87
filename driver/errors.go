package driver

import "fmt"

// Code is a CUDA error number. The driver API (CUresult) and the runtime API (cudaError_t) number their
// common errors alike.
type Code int

// The codes that Silica gives.
const (
	Success                     Code = 0
	InvalidValue                Code = 1
	OutOfMemory                 Code = 2
	NotInitialized              Code = 3
	Deinitialized               Code = 4
	InvalidConfiguration        Code = 9
	InvalidPitchValue           Code = 12
	InvalidSymbol               Code = 13
	InvalidMemcpyDirection      Code = 21
	InvalidDeviceFunction       Code = 98
	NoDevice                    Code = 100
	InvalidDevice               Code = 101
	InvalidImage                Code = 200
	InvalidContext              Code = 201
	NoBinaryForGPU              Code = 209
	InvalidPTX                  Code = 218
	UnsupportedPTXVersion       Code = 222
	InvalidHandle               Code = 400
	NotFound                    Code = 500
	NotReady                    Code = 600
	IllegalAddress              Code = 700
	LaunchOutOfResources        Code = 701
	LaunchTimeout               Code = 702
	PeerAccessAlreadyEnabled    Code = 704
	PeerAccessNotEnabled        Code = 705
	Assert                      Code = 710
	HostMemoryAlreadyRegistered Code = 712
	HostMemoryNotRegistered     Code = 713
	HardwareStackError          Code = 714
	IllegalInstruction          Code = 715
	MisalignedAddress           Code = 716
	InvalidAddressSpace         Code = 717
	InvalidPC                   Code = 718
	LaunchFailed                Code = 719
	NotSupported                Code = 801
	InvalidClusterSize          Code = 912
	Unknown                     Code = 999
)

// codeNames gives each code's name in the driver API, in the runtime API, and CUDA's sentence for it. A
// code that one API lacks has its nearest there.
var codeNames = map[Code]struct{ driver, runtime, text string }{
	Success:                     {"CUDA_SUCCESS", "cudaSuccess", "no error"},
	InvalidValue:                {"CUDA_ERROR_INVALID_VALUE", "cudaErrorInvalidValue", "invalid argument"},
	OutOfMemory:                 {"CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation", "out of memory"},
	NotInitialized:              {"CUDA_ERROR_NOT_INITIALIZED", "cudaErrorInitializationError", "initialization error"},
	Deinitialized:               {"CUDA_ERROR_DEINITIALIZED", "cudaErrorCudartUnloading", "driver shutting down"},
	InvalidConfiguration:        {"CUDA_ERROR_INVALID_VALUE", "cudaErrorInvalidConfiguration", "invalid configuration argument"},
	InvalidPitchValue:           {"CUDA_ERROR_INVALID_VALUE", "cudaErrorInvalidPitchValue", "invalid pitch argument"},
	InvalidSymbol:               {"CUDA_ERROR_NOT_FOUND", "cudaErrorInvalidSymbol", "invalid device symbol"},
	InvalidMemcpyDirection:      {"CUDA_ERROR_INVALID_VALUE", "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
	InvalidDeviceFunction:       {"CUDA_ERROR_INVALID_HANDLE", "cudaErrorInvalidDeviceFunction", "invalid device function"},
	NoDevice:                    {"CUDA_ERROR_NO_DEVICE", "cudaErrorNoDevice", "no CUDA-capable device is detected"},
	InvalidDevice:               {"CUDA_ERROR_INVALID_DEVICE", "cudaErrorInvalidDevice", "invalid device ordinal"},
	InvalidImage:                {"CUDA_ERROR_INVALID_IMAGE", "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
	InvalidContext:              {"CUDA_ERROR_INVALID_CONTEXT", "cudaErrorDeviceUninitialized", "invalid device context"},
	NoBinaryForGPU:              {"CUDA_ERROR_NO_BINARY_FOR_GPU", "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
	InvalidPTX:                  {"CUDA_ERROR_INVALID_PTX", "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
	UnsupportedPTXVersion:       {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "cudaErrorUnsupportedPtxVersion", "the provided PTX was compiled with an unsupported toolchain."},
	InvalidHandle:               {"CUDA_ERROR_INVALID_HANDLE", "cudaErrorInvalidResourceHandle", "invalid resource handle"},
	NotFound:                    {"CUDA_ERROR_NOT_FOUND", "cudaErrorSymbolNotFound", "named symbol not found"},
	NotReady:                    {"CUDA_ERROR_NOT_READY", "cudaErrorNotReady", "device not ready"},
	IllegalAddress:              {"CUDA_ERROR_ILLEGAL_ADDRESS", "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
	LaunchOutOfResources:        {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
	LaunchTimeout:               {"CUDA_ERROR_LAUNCH_TIMEOUT", "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
	PeerAccessAlreadyEnabled:    {"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
	PeerAccessNotEnabled:        {"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
	Assert:                      {"CUDA_ERROR_ASSERT", "cudaErrorAssert", "device-side assert triggered"},
	HostMemoryAlreadyRegistered: {"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "cudaErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"},
	HostMemoryNotRegistered:     {"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
	HardwareStackError:          {"CUDA_ERROR_HARDWARE_STACK_ERROR", "cudaErrorHardwareStackError", "hardware stack error"},
	IllegalInstruction:          {"CUDA_ERROR_ILLEGAL_INSTRUCTION", "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
	MisalignedAddress:           {"CUDA_ERROR_MISALIGNED_ADDRESS", "cudaErrorMisalignedAddress", "misaligned address"},
	InvalidAddressSpace:         {"CUDA_ERROR_INVALID_ADDRESS_SPACE", "cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space"},
	InvalidPC:                   {"CUDA_ERROR_INVALID_PC", "cudaErrorInvalidPc", "invalid program counter"},
	LaunchFailed:                {"CUDA_ERROR_LAUNCH_FAILED", "cudaErrorLaunchFailure", "unspecified launch failure"},
	NotSupported:                {"CUDA_ERROR_NOT_SUPPORTED", "cudaErrorNotSupported", "operation not supported"},
	InvalidClusterSize:          {"CUDA_ERROR_INVALID_CLUSTER_SIZE", "cudaErrorInvalidClusterSize", "cluster misconfiguration"},
	Unknown:                     {"CUDA_ERROR_UNKNOWN", "cudaErrorUnknown", "unknown error"},
}

// DriverName returns the code's name in the driver API, "" for a number that is no code.
func (c Code) DriverName() string { return codeNames[c].driver }

// RuntimeName returns the code's name in the runtime API, "" for a number that is no code.
func (c Code) RuntimeName() string { return codeNames[c].runtime }

// Text returns CUDA's sentence for the code, "" for a number that is no code.
func (c Code) Text() string { return codeNames[c].text }

// codeNamed returns the code with a name of the driver API.
func codeNamed(driverName string) Code {
	for c, n := range codeNames {
		if n.driver == driverName && n.driver != "" && c != InvalidConfiguration && c != InvalidPitchValue &&
			c != InvalidSymbol && c != InvalidMemcpyDirection && c != InvalidDeviceFunction {
			return c
		}
	}
	return Unknown
}

// Error is a call that CUDA answers with an error code.
type Error struct {
	Code Code
	// Msg says in one line what was wrong; it starts with a source position when there is one.
	Msg string
	err error
}

func (e *Error) Error() string {
	if e.Msg == "" {
		return e.Code.Text()
	}
	return e.Msg
}

// Unwrap returns the cause, such as the engine's fault.
func (e *Error) Unwrap() error { return e.err }

func fail(c Code, format string, args ...any) *Error {
	return &Error{Code: c, Msg: fmt.Sprintf(format, args...)}
}
