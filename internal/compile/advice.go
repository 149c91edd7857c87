package compile

import (
	"path"
	"regexp"
	"strings"
)

// missingHeader matches clang's line about a header that is not there.
var missingHeader = regexp.MustCompile(`fatal error: .*'([^']+)' file not found`)

// A source of headers that programs for CUDA include and Silica does not bring.
type headerSource struct {
	names  []string // headers, folders of headers ("thrust/"), or beginnings of their names ("cudnn*")
	advice string
}

const (
	notThere = "Silica does not have it: its code is for GPUs of NVIDIA alone"
	cccl     = "pip install nvidia-cuda-cccl, and give -I .../site-packages/nvidia/cu13/include/cccl"
)

var headerSources = []headerSource{
	{[]string{"thrust/", "cub/", "cuda/", "nv/"}, "it is of NVIDIA's CCCL: " + cccl},
	{[]string{"curand_*", "curand.h"}, "it is of cuRAND, whose device functions run here: pip install nvidia-curand, and give -I .../site-packages/nvidia/cu13/include; " +
		"it needs CCCL, too: " + cccl},
	{[]string{"nvtx3/", "nvToolsExt*"}, "Silica has nvToolsExt.h and nvtx3.hpp; it is of NVTX: pip install nvidia-nvtx, and give -I .../site-packages/nvidia/cu13/include"},
	{[]string{"helper_*", "exception.h", "drvapi_error_string.h", "rendercheck_*", "nvrtc_helper.h"},
		"it is of NVIDIA's samples, in their folder Common: give that with -I"},
	{[]string{"mpi.h"}, "it is of MPI: apt-get install libopenmpi-dev, and give what mpicxx --showme:compile prints"},
	{[]string{"omp.h"}, "it is of clang's OpenMP, which -Xcompiler -fopenmp links: apt-get install libomp-19-dev, of the version of clang"},
	{[]string{"cublas*"}, "it is of cuBLAS; " + notThere},
	{[]string{"cufft*"}, "it is of cuFFT; " + notThere},
	{[]string{"cudnn*"}, "it is of cuDNN; " + notThere},
	{[]string{"cusparse*"}, "it is of cuSPARSE; " + notThere},
	{[]string{"cusolver*"}, "it is of cuSOLVER; " + notThere},
	{[]string{"nccl*"}, "it is of NCCL; " + notThere},
	{[]string{"npp*"}, "it is of NPP; " + notThere},
	{[]string{"cutlass/", "cute/"}, "it is of CUTLASS: give its folder include with -I"},
}

// removed are what CUDA had once, as clang complains of it, and what is there instead.
var removed = []struct {
	complaint *regexp.Regexp
	advice    string
}{
	{regexp.MustCompile(`(?:no template named|unknown type name) '(texture)'`),
		"texture references left CUDA with its version 12: make an object with cudaCreateTextureObject, and read it as tex2D<float>(object, x, y)"},
	{regexp.MustCompile(`use of undeclared identifier '(__(?:shfl|shfl_up|shfl_down|shfl_xor|all|any|ballot))'`),
		"it is there for compute capabilities up to 6.2 (-arch=sm_60); newer ones have it with _sync and a mask of lanes, 0xffffffff for all"},
}

// advise adds to clang's diagnostics where a missing header comes from, or what has taken the place of what is gone.
func advise(diagnostics string) string {
	for _, r := range removed {
		if m := r.complaint.FindStringSubmatch(looks.ReplaceAllString(diagnostics, "")); m != nil {
			return strings.TrimRight(diagnostics, "\n") + "\nnote: '" + m[1] + "': " + r.advice + "\n"
		}
	}
	m := missingHeader.FindStringSubmatch(diagnostics)
	if m == nil {
		return diagnostics
	}
	for _, s := range headerSources {
		for _, name := range s.names {
			if matches(name, m[1]) {
				return strings.TrimRight(diagnostics, "\n") + "\nnote: '" + m[1] + "': " + s.advice + "\n"
			}
		}
	}
	return diagnostics
}

// matches tells whether a header is one of those that a name of headerSources stands for.
func matches(name, header string) bool {
	switch {
	case strings.HasSuffix(name, "/"):
		return strings.HasPrefix(header, name)
	case strings.HasSuffix(name, "*"):
		return strings.HasPrefix(path.Base(header), strings.TrimSuffix(name, "*"))
	}
	return header == name
}

// looks are the codes of a terminal's colours.
var looks = regexp.MustCompile(`\x1b\[[0-9;]*[mK]`)

// place begins one of clang's messages.
var place = regexp.MustCompile(`^(.+?):\d+:\d+: (\w+)`)

// withoutOwnNotes drops the notes that lead into our own headers, folder: how those are made is not the user's concern.
func withoutOwnNotes(diagnostics, folder string) string {
	var out strings.Builder
	drop := false
	for line := range strings.Lines(diagnostics) {
		plain := looks.ReplaceAllString(line, "")
		if m := place.FindStringSubmatch(plain); m != nil {
			drop = m[2] == "note" && (strings.HasPrefix(m[1], folder) || m[1] == "<scratch space>")
		} else if strings.HasPrefix(plain, "In file included from ") {
			drop = false
		}
		if !drop {
			out.WriteString(line)
		}
	}
	return out.String()
}
