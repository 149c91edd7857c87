package run

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrStaticRuntime is returned for a program that contains NVIDIA's runtime library.
var ErrStaticRuntime = errors.New("the program contains NVIDIA's runtime library (cudart), which works with NVIDIA's driver only")

// staticRuntime begins the name of a shared memory that the static runtime libraries of CUDA 12 and 13 make.
var staticRuntime = []byte("/cudart.shm.")

// checkLinkage refuses an executable that no library of ours can stand in for. Files that are no ELF files pass.
func checkLinkage(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return nil // a script
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil || slices.ContainsFunc(libraries, func(name string) bool { return strings.HasPrefix(name, "libcudart.so") }) {
		return nil
	}
	constants := f.Section(".rodata")
	if constants == nil {
		return nil
	}
	data, err := constants.Data()
	if err != nil || !bytes.Contains(data, staticRuntime) {
		return nil
	}
	return fmt.Errorf("%s: %w; link the shared one: nvcc -cudart shared", path, ErrStaticRuntime)
}

// IsStatic tells whether a file is an executable that the system's loader adds no library to.
func IsStatic(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}
