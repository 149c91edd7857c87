package main

// #include <cuda.h>
// #include <cuda_runtime_api.h>
import "C"

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"silica/driver"
	"silica/internal/cppname"
)

// A tracer writes every call of the API: when it began, in seconds since the first; its thread; the function with its arguments, and
// what it wrote to where they point; its answer; how long it took.
type tracer struct {
	file       *os.File
	start      time.Time
	parameters [][]traced // of the functions of rows

	mu   sync.Mutex
	line []byte
}

// traced is a parameter and how its value is written.
type traced struct {
	name  string
	write func(b []byte, word uint64, ok bool) []byte // ok tells that the call succeeded
}

// tracing returns the tracer of the process: where SILICA_TRACE_API says, a file or - for stderr; nil without.
var tracing = sync.OnceValue(func() *tracer {
	name := environment("SILICA_TRACE_API")
	if name == "" && logLevel() >= logDebug {
		name = "-"
	}
	t := &tracer{file: os.Stderr, start: time.Now()}
	switch name {
	case "":
		return nil
	case "-":
	default:
		// A process that this one starts appends to the same file.
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		if err != nil {
			report(fmt.Sprintf("SILICA_TRACE_API: %v", err))
			return nil
		}
		t.file = f
	}
	for _, d := range declared {
		var list []traced
		if d.parameters != "" {
			for p := range strings.SplitSeq(d.parameters, ", ") {
				cut := strings.LastIndexAny(p, " *") + 1
				list = append(list, traced{p[cut:], writerOf(strings.TrimSpace(p[:cut]), p[cut:])})
			}
		}
		t.parameters = append(t.parameters, list)
	}
	return t
})

// record writes a call that began at a time and has ended.
func (t *tracer) record(function int, a args, code driver.Code, begin time.Time) {
	took := time.Since(begin)
	r := &rows[function]
	if strings.HasPrefix(r.name, "__") {
		return // the compiler's, with arguments of its own
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	b := strconv.AppendFloat(t.line[:0], begin.Sub(t.start).Seconds(), 'f', 6, 64)
	b = strconv.AppendInt(append(b, " ["...), int64(syscall.Gettid()), 10)
	b = append(append(append(b, "] "...), r.name...), '(')
	if function < len(t.parameters) {
		for i, p := range t.parameters[function] {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(append(b, p.name...), '=')
			b = p.write(b, a.size(i), code == driver.Success)
		}
	}
	b = append(append(append(b, ") = "...), r.codeName(code)...), ' ')
	b = strconv.AppendFloat(b, float64(took.Nanoseconds())/1e3, 'f', 2, 64)
	b = append(b, " us\n"...)
	_, _ = t.file.Write(b) // a trace that can not be written changes nothing
	t.line = b
}

// inputs are parameters that point to what the caller gives.
var inputs = map[string]bool{"args": true, "parameters": true, "kernelParams": true, "extra": true, "options": true, "values": true, "optionValues": true}

// writerOf returns how values of a type in C are written.
func writerOf(typ, name string) func(b []byte, word uint64, ok bool) []byte {
	constant := strings.HasPrefix(typ, "const ")
	base := strings.TrimPrefix(strings.TrimPrefix(typ, "const "), "enum ")
	if structure := structures[base]; structure != nil {
		return func(b []byte, word uint64, _ bool) []byte {
			if word < lowestAddress {
				return appendHex(b, word)
			}
			return structure(b, pointer(word))
		}
	}
	pointee, isPointer := strings.CutSuffix(base, "*")
	pointee = strings.TrimSpace(strings.TrimPrefix(pointee, "enum "))
	switch {
	case base == "char *" && constant:
		return appendText
	case isPointer && !constant && !inputs[name] && pointee != "void" && pointee != "char":
		size := valueBytes(pointee)
		if size == 0 {
			break
		}
		value := valueOf(pointee, name)
		return func(b []byte, word uint64, ok bool) []byte {
			b = appendHex(b, word)
			if !ok || word < lowestAddress {
				return b
			}
			b = append(b, " -> "...)
			if size == 4 {
				return value(b, uint64(*(*uint32)(pointer(word))))
			}
			return value(b, *(*uint64)(pointer(word)))
		}
	}
	value := valueOf(base, name)
	return func(b []byte, word uint64, _ bool) []byte { return value(b, word) }
}

// valueBytes is the size of what an output points to, 0 for what is not shown.
func valueBytes(typ string) int {
	switch {
	case strings.HasSuffix(typ, "*"), typ == "size_t", typ == "CUdeviceptr", typ == "unsigned long long", typ == "cuuint64_t":
		return 8
	case typ == "int", typ == "unsigned int", typ == "float", typ == "CUdevice", enumNames[typ] != nil:
		return 4
	case handleNames[typ]:
		return 8
	}
	return 0
}

// handleNames are the types of handles.
var handleNames = map[string]bool{
	"CUcontext": true, "CUmodule": true, "CUfunction": true, "CUstream": true, "CUevent": true, "CUlibrary": true, "CUkernel": true,
	"CUarray": true, "CUmipmappedArray": true, "CUgraph": true, "CUgraphNode": true, "CUgraphExec": true, "CUmemoryPool": true, "CUlinkState": true,
	"CUtexObject": true, "CUsurfObject": true, "CUtexref": true, "CUsurfref": true,
	"cudaStream_t": true, "cudaEvent_t": true, "cudaArray_t": true, "cudaMipmappedArray_t": true, "cudaGraph_t": true, "cudaGraphNode_t": true,
	"cudaGraphExec_t": true, "cudaMemPool_t": true, "cudaTextureObject_t": true, "cudaSurfaceObject_t": true, "cudaFunction_t": true, "cudaKernel_t": true,
	"CUmemGenericAllocationHandle": true,
}

// valueOf returns how a value that is no pointer, or a pointer alone, is written.
func valueOf(typ, name string) func(b []byte, word uint64) []byte {
	if names := enumNames[typ]; names != nil {
		return func(b []byte, word uint64) []byte {
			if text := names[int64(int32(word))]; text != "" {
				return append(b, text...)
			}
			return strconv.AppendInt(b, int64(int32(word)), 10)
		}
	}
	switch typ {
	case "int", "CUdevice":
		return func(b []byte, word uint64) []byte { return strconv.AppendInt(b, int64(int32(word)), 10) }
	case "float":
		return func(b []byte, word uint64) []byte {
			bits := uint32(word)
			return strconv.AppendFloat(b, float64(*(*float32)(unsafe.Pointer(&bits))), 'g', -1, 32)
		}
	case "unsigned int", "size_t", "unsigned long long", "cuuint64_t", "unsigned char", "unsigned short":
		if strings.Contains(strings.ToLower(name), "flags") {
			return appendHex
		}
		return func(b []byte, word uint64) []byte { return strconv.AppendUint(b, word, 10) }
	case "CUfunction", "CUkernel":
		return appendFunction
	case "void *":
		if name == "func" || name == "function" {
			return appendSymbol
		}
	}
	return appendHex
}

func appendHex(b []byte, word uint64) []byte { return strconv.AppendUint(append(b, "0x"...), word, 16) }

// longest is how much of a text the trace shows, in bytes.
const longest = 80

func appendText(b []byte, word uint64, _ bool) []byte {
	if word < lowestAddress {
		return appendHex(b, word)
	}
	text := textAt(word)
	if len(text) <= longest {
		return strconv.AppendQuote(b, string(text))
	}
	return append(strconv.AppendQuote(b, string(text[:longest])), "..."...)
}

// appendFunction writes a handle with the name of its kernel.
func appendFunction(b []byte, word uint64) []byte {
	b = appendHex(b, word)
	process.eachContext(func(c *context) {
		if k, err := get[*kernel](c, word); err == nil {
			b = append(append(b, ' '), cppname.Short(k.Kernel.Name)...)
		}
	})
	return b
}

// appendSymbol writes the address of the host's function of a kernel with the kernel's name.
func appendSymbol(b []byte, word uint64) []byte {
	b = appendHex(b, word)
	if s, ok := process.images.kernel(word); ok {
		b = append(append(b, ' '), cppname.Short(s.name)...)
	}
	return b
}

// structures write the main fields of structures that are passed by value or by address.
var structures = map[string]func(b []byte, p unsafe.Pointer) []byte{
	"dim3": func(b []byte, p unsafe.Pointer) []byte {
		d := (*C.dim3)(p)
		return fmt.Appendf(b, "{%d, %d, %d}", d.x, d.y, d.z)
	},
	"struct cudaExtent": func(b []byte, p unsafe.Pointer) []byte {
		e := (*C.struct_cudaExtent)(p)
		return fmt.Appendf(b, "{%d, %d, %d}", e.width, e.height, e.depth)
	},
	"struct cudaPitchedPtr": func(b []byte, p unsafe.Pointer) []byte { return appendPitched(b, (*C.struct_cudaPitchedPtr)(p)) },
	"struct cudaMemcpy3DParms *": func(b []byte, p unsafe.Pointer) []byte {
		m := (*C.struct_cudaMemcpy3DParms)(p)
		b = fmt.Appendf(b, "{srcArray=%p, srcPtr=", m.srcArray)
		b = fmt.Appendf(appendPitched(b, &m.srcPtr), ", dstArray=%p, dstPtr=", m.dstArray)
		b = appendPitched(b, &m.dstPtr)
		return fmt.Appendf(b, ", extent={%d, %d, %d}, kind=%s}", m.extent.width, m.extent.height, m.extent.depth, enumNames["cudaMemcpyKind"][int64(m.kind)])
	},
	"cudaLaunchConfig_t *": func(b []byte, p unsafe.Pointer) []byte {
		l := (*C.cudaLaunchConfig_t)(p)
		return fmt.Appendf(b, "{grid={%d, %d, %d}, block={%d, %d, %d}, shared=%d, stream=%p, attributes=%d}",
			l.gridDim.x, l.gridDim.y, l.gridDim.z, l.blockDim.x, l.blockDim.y, l.blockDim.z, l.dynamicSmemBytes, l.stream, l.numAttrs)
	},
	"CUlaunchConfig *": func(b []byte, p unsafe.Pointer) []byte {
		l := (*C.CUlaunchConfig)(p)
		return fmt.Appendf(b, "{grid={%d, %d, %d}, block={%d, %d, %d}, shared=%d, stream=%p, attributes=%d}",
			l.gridDimX, l.gridDimY, l.gridDimZ, l.blockDimX, l.blockDimY, l.blockDimZ, l.sharedMemBytes, l.hStream, l.numAttrs)
	},
	"CUDA_MEMCPY2D *": func(b []byte, p unsafe.Pointer) []byte {
		m := (*C.CUDA_MEMCPY2D)(p)
		return fmt.Appendf(b, "{src={type=%d, host=%p, device=0x%x, array=%p, pitch=%d}, dst={type=%d, host=%p, device=0x%x, array=%p, pitch=%d}, %d bytes by %d}",
			m.srcMemoryType, m.srcHost, m.srcDevice, m.srcArray, m.srcPitch, m.dstMemoryType, m.dstHost, m.dstDevice, m.dstArray, m.dstPitch, m.WidthInBytes, m.Height)
	},
}

func appendPitched(b []byte, p *C.struct_cudaPitchedPtr) []byte {
	return fmt.Appendf(b, "{%p, pitch=%d, %d x %d}", p.ptr, p.pitch, p.xsize, p.ysize)
}
