package compile

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// DefaultArch is the architecture that Device and Program compile for when Options names none.
const DefaultArch = "sm_90"

// Options says how to compile. The zero value compiles optimised C++17 for DefaultArch.
type Options struct {
	Arch     string   // as clang names it: sm_70, sm_90, sm_90a
	Also     []string // further architectures that objects and programs have device code for
	Include  []string // directories for #include, in order
	Define   []string // macros: NAME or NAME=VALUE
	Std      string   // language standard: c++14, c++17, c++20
	Opt      string   // optimisation level: 0, 1, 2, 3
	FastMath bool     // approximate division, square root and functions; denormals count as zero (nvcc's --use_fast_math)
	// PerThreadStream makes the default stream that of each thread (nvcc's --default-stream per-thread).
	PerThreadStream bool
	// Relocatable makes device code that the link joins with that of other sources (nvcc's -rdc=true).
	Relocatable bool
	Language    string // of all sources: "cu", "c" or "c++"; "" for what their names say
	NoFusion    bool   // multiplications and additions stay apart (nvcc's -fmad=false)
	Flush       bool   // denormals count as zero (nvcc's -ftz=true)
	// MaxRegisters limits the registers of kernels without launch bounds (nvcc's -maxrregcount); 0 for no limit.
	MaxRegisters int
	Color        bool     // colour clang's diagnostics
	Extra        []string // further arguments of each compilation
	Host         []string // further arguments of what compiles for the host, and of the link (nvcc's -Xcompiler)

	Library string   // Program: path of the runtime library to link
	Link    []string // Program: further arguments of the link

	Warnings io.Writer // where clang's warnings go; nil drops them
}

// architectures are the compute capabilities that the oldest supported clang compiles for, ascending.
var architectures = []int{50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90}

// ArchFor returns the newest architecture whose PTX a GPU of a compute capability runs: sm_86 for 8.6, sm_90 for 12.0.
func ArchFor(major, minor int) (string, error) {
	arch := 0
	for _, a := range architectures {
		if a <= 10*major+minor {
			arch = a
		}
	}
	if arch == 0 {
		return "", fmt.Errorf("clang does not compile for compute capability %d.%d; the oldest is %d.%d", major, minor, architectures[0]/10, architectures[0]%10)
	}
	return fmt.Sprintf("sm_%d", arch), nil
}

func (o Options) arch() string { return orDefault(o.Arch, DefaultArch) }

// archs returns all architectures that there is device code for, the oldest first.
func (o Options) archs() []string {
	all := append([]string{o.arch()}, o.Also...)
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(archNumber(a), archNumber(b)), cmp.Compare(a, b)) })
	return slices.Compact(all)
}

// archNumber returns 90 for sm_90 and sm_90a.
func archNumber(arch string) int {
	n, err := strconv.Atoi(strings.Trim(arch, "smaf_"))
	if err != nil {
		return 0 // clang will say that there is no such architecture
	}
	return n
}

// archMacro is __CUDA_ARCH_LIST__, which tells both halves of a source what there is device code for.
func (o Options) archMacro() string {
	var numbers []string
	for _, a := range o.archs() {
		numbers = append(numbers, strconv.Itoa(10*archNumber(a)))
	}
	return "-D__CUDA_ARCH_LIST__=" + strings.Join(slices.Compact(numbers), ",")
}

// prefixHeader is what every CUDA source includes without saying so.
const prefixHeader = "cuda_runtime.h"

// plain tells whether nothing in the options is likely to change from one compilation to the next.
func (o Options) plain() bool {
	return len(o.Define) == 0 && len(o.Extra) == 0 && len(o.Host) == 0 && !o.Relocatable
}

func orDefault(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

// includeOption is the option that names a folder of headers. NVIDIA's own come behind ours, which they would hide: they ask for
// nvcc's declarations. What is only among them is found all the same.
func includeOption(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, "crt", "host_runtime.h")); err == nil {
		return "-idirafter"
	}
	if _, err := os.Stat(filepath.Join(dir, "cuda_runtime.h")); err == nil {
		return "-idirafter"
	}
	return "-I"
}

// arguments are those of every compilation, device and host, CUDA or not. headers is the directory of our headers.
func (o Options) arguments(headers string) []string {
	args := []string{"-std=" + orDefault(o.Std, "c++17"), "-O" + orDefault(o.Opt, "3")}
	if o.Color {
		args = append(args, "-fcolor-diagnostics")
	}
	for _, dir := range o.Include {
		args = append(args, includeOption(dir), dir)
	}
	for _, macro := range o.Define {
		args = append(args, "-D"+macro)
	}
	args = append(args, "-isystem", headers)
	return append(args, o.Extra...)
}

// cudaArguments are those of both halves of a CUDA source.
func (o Options) cudaArguments(headers string) []string {
	args := []string{
		"-x", "cuda", "--cuda-gpu-arch=" + o.arch(), o.archMacro(),
		"-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.3", // the version decides how a launch is compiled
	}
	if archNumber(o.archs()[0]) < 70 {
		args = append(args, "-DSILICA_BEFORE_VOLTA") // some intrinsics are for older architectures alone
	}
	if o.PerThreadStream {
		args = append(args, "-Xclang", "-fgpu-default-stream=per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1")
	}
	args = append(args,
		"-U__cpp_pack_indexing", "-Wno-builtin-macro-redefined", // nvcc does not have it; clang 19's fails in templates of libcu++
		"-Wno-unknown-cuda-version",                  // of a toolkit in PATH, of which nothing is used
		"-Wno-pass-failed",                           // nvcc says nothing of loops that it does not unroll
		"-Wno-error=register",                        // nvcc takes it with C++17, too
		"-Wno-invalid-constexpr",                     // nvcc takes constexpr functions that call math functions
		"-Xclang", "-fcuda-allow-variadic-functions") // declared, not called: libcu++ tells types apart so
	if o.FastMath {
		args = append(args, "-D__USE_FAST_MATH__") // math.table says what stands for which function
	}
	if o.Relocatable {
		args = append(args, "-fgpu-rdc", "-D__CUDACC_RDC__=1")
	}
	return append(args, o.arguments(headers)...)
}

// deviceArguments are those of the device half.
func (o Options) deviceArguments(headers string) []string {
	// Multiplications and additions fuse as nvcc fuses them, except where our math functions forbid it.
	contract := "-ffp-contract=fast-honor-pragmas"
	if o.NoFusion {
		contract = "-ffp-contract=off"
	}
	args := append(o.cudaArguments(headers), "--cuda-device-only", contract, "-gline-directives-only",
		"-fno-strict-aliasing", // as nvcc: kernels look at halves as words, and at words as vectors
		// A lane may hand over a variable that only the leader of its warp has set; clang would take from that that every lane is the leader.
		"-Xclang", "-no-enable-noundef-analysis")
	if o.NoFusion {
		args = append(args, "-DSILICA_NO_FUSION") // behind our math functions, too
	}
	if o.FastMath || o.Flush {
		args = append(args, "-fgpu-flush-denormals-to-zero")
	}
	return append(args, o.backendArguments()...)
}

// backendArguments are those of the step from intermediate representation to PTX, and of what optimises that.
func (o Options) backendArguments() []string {
	args := slices.Clone(unrolling)
	if !needsNewerPTX(o.arch()) {
		args = append(args, "-Xclang", "-target-feature", "-Xclang", "+ptx83")
	}
	if o.FastMath {
		args = append(args, "-mllvm", "-nvptx-prec-divf32=0")
	}
	return args
}

// needsNewerPTX tells whether arch needs more than PTX 8.3; clang then chooses the version itself.
func needsNewerPTX(arch string) bool { return archNumber(arch) >= 100 }
