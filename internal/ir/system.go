package ir

import "strings"

// systemFunctions are the functions that CUDA's device library provides and compilers call by name.
var systemFunctions = map[string]bool{"vprintf": true, "malloc": true, "free": true, "__assertfail": true}

// deviceRuntime are the calls of CUDA's device runtime (CUDA Programming Guide, section CUDA Dynamic Parallelism), without
// what their names begin and end with. Those that CUDA 13 compiles to begin with cdp2Prefix; sources and older compilers
// write cudaPrefix. An ending perThread asks for the default stream of the thread, which on a device is that of the block.
var deviceRuntime = map[string]bool{
	"GetParameterBuffer": true, "GetParameterBufferV2": true, "LaunchDevice": true, "LaunchDeviceV2": true,
	"GetLastError": true, "PeekAtLastError": true, "GetErrorString": true, "GetErrorName": true,
	"GetDevice": true, "GetDeviceCount": true, "RuntimeGetVersion": true,
	"DeviceGetAttribute": true, "DeviceGetLimit": true, "DeviceGetCacheConfig": true, "DeviceGetSharedMemConfig": true,
	"StreamCreateWithFlags": true, "StreamDestroy": true, "StreamWaitEvent": true,
	"EventCreateWithFlags": true, "EventDestroy": true, "EventRecord": true, "EventRecordWithFlags": true,
	"Malloc": true, "Free": true,
	"MemcpyAsync": true, "Memcpy2DAsync": true, "Memcpy3DAsync": true,
	"MemsetAsync": true, "Memset2DAsync": true, "Memset3DAsync": true,
	"FuncGetAttributes": true, "OccupancyMaxActiveBlocksPerMultiprocessor": true,
	"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags": true, "GraphSetConditional": true,
}

const (
	cudaPrefix, cdp2Prefix = "cuda", "__cudaCDP2"
	perThread              = "_ptsz"
)

// SystemFunction returns what the engines provide for the external function that PTX calls name: name itself for
// functions of the device library, the name with cudaPrefix for calls of the device runtime, however they are spelled. It
// is empty when there is nothing.
func SystemFunction(name string) string {
	if systemFunctions[name] {
		return name
	}
	call := strings.TrimSuffix(name, perThread)
	for _, prefix := range []string{cdp2Prefix, cudaPrefix} {
		if base, ok := strings.CutPrefix(call, prefix); ok && deviceRuntime[base] {
			return cudaPrefix + base
		}
	}
	return ""
}

// SystemFunctions lists every function that SystemFunction can return.
func SystemFunctions() (names []string) {
	for name := range systemFunctions {
		names = append(names, name)
	}
	for base := range deviceRuntime {
		names = append(names, cudaPrefix+base)
	}
	return names
}
