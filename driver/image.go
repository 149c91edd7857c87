package driver

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"silica/gpu"
	"silica/internal/fatbin"
	"silica/ptx"
)

// ProgramText returns the PTX of a device program as compilers deliver it: PTX itself, or a fat binary, of which the newest
// PTX that the GPU can run is taken. Machine code alone is NoBinaryForGPU, and so is PTX for other GPUs.
func (d *Device) ProgramText(image []byte) ([]byte, error) { return programText(d.GPU, image) }

// KernelNames returns the kernels of a device program as a GPU would load it; file is the name that messages use.
func KernelNames(g *gpu.GPU, file string, image []byte) ([]string, error) {
	text, err := programText(g, image)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(text, []byte(".version")) {
		return nil, Fail(InvalidImage, "%s: not a device program", file)
	}
	tree, err := ptx.Parse(file, text)
	if err != nil {
		return nil, wrap(codeOfPTX(file, text), ptx.NameSource(text, err))
	}
	var names []string
	for _, d := range tree.Decls {
		if f, ok := d.(*ptx.Function); ok && f.Entry && f.Body != nil {
			names = append(names, f.Name)
		}
	}
	return names, nil
}

func programText(g *gpu.GPU, image []byte) ([]byte, error) {
	if len(image) < 4 {
		return image, nil
	}
	switch binary.LittleEndian.Uint32(image) {
	case fatbin.ELFMagic:
		return nil, notRunnable(g, nil, nil)
	case fatbin.Magic:
		entries, err := fatbin.Parse(image)
		if err != nil {
			return nil, wrap(InvalidImage, err)
		}
		return choose(g, entries)
	}
	text, _, _ := bytes.Cut(image, []byte{0})
	return text, nil
}

// choose returns the PTX of the newest target that runs on the GPU.
func choose(g *gpu.GPU, entries []fatbin.Entry) ([]byte, error) {
	var best []byte
	var bestTarget ptx.Architecture
	var others, code []string // targets of PTX that does not run, and of machine code
	for _, e := range entries {
		if e.Kind != fatbin.PTX {
			code = append(code, fmt.Sprintf("sm_%d", e.SM))
			continue
		}
		text, err := e.Data()
		if err != nil {
			return nil, wrap(InvalidImage, err)
		}
		t := textTarget(text)
		switch {
		case !t.RunsOn(g.Chip.ComputeCapability.SM()):
			others = append(others, t.String())
		case best == nil || t.Compare(bestTarget) > 0:
			best, bestTarget = text, t
		}
	}
	if best == nil {
		return nil, notRunnable(g, others, slices.Compact(code))
	}
	return best, nil
}

// notRunnable is the error of a program that has PTX for some targets and machine code for some, of which the GPU runs none.
func notRunnable(g *gpu.GPU, others, code []string) error {
	c := g.Chip.ComputeCapability
	has := "machine code (SASS) only"
	switch {
	case len(others) > 0:
		has = "PTX for " + strings.Join(others, ", ") + " only"
	case len(code) > 0:
		has = "machine code (SASS) for " + strings.Join(code, ", ") + " only"
	}
	return Fail(NoBinaryForGPU, "the program has %s; %s, of compute capability %s, runs PTX that is for it or for older ones: "+
		"build with nvcc -gencode arch=compute_%d%d,code=compute_%[4]d%[5]d", has, g.Name, c, c.Major, c.Minor)
}

var launchDefined = regexp.MustCompile(`\.visible\s+\.func\s*\([^)]*\)\s*cudaLaunchDeviceV2\b`)

// IsDeviceRuntime tells whether a fat binary is NVIDIA's device runtime (libcudadevrt), which nvcc links to programs with
// separate compilation. Modules have its functions here without it.
func IsDeviceRuntime(image []byte) bool {
	entries, err := fatbin.Parse(image)
	return err == nil && slices.ContainsFunc(entries, func(e fatbin.Entry) bool {
		if e.Kind != fatbin.PTX {
			return false
		}
		text, err := e.Data()
		return err == nil && launchDefined.Match(text)
	})
}

var targetLine = regexp.MustCompile(`(?m)^\s*\.target\s+(sm_\w+)`)

// textTarget returns the target that a PTX text names.
func textTarget(text []byte) ptx.Architecture {
	m := targetLine.FindSubmatch(text)
	if m == nil {
		return ptx.Architecture{}
	}
	a, _ := ptx.ParseArchitecture(string(m[1]))
	return a
}
