package ptxas

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ErrMissing is returned, wrapped, when there is no ptxas on this machine.
var ErrMissing = errors.New("ptxas is not on this machine")

// Tools are the programs that were found.
type Tools struct {
	Assembler    string
	Disassembler string // nvdisasm, or else cuobjdump; "" for none
	Version      string // of the assembler: "13.0.88"
}

// String tells the version, and which programs they are.
func (t *Tools) String() string {
	text := fmt.Sprintf("ptxas %s, %s", t.Version, t.Assembler)
	if t.Disassembler != "" {
		text += ", and " + t.Disassembler
	}
	return text
}

// Find looks for the programs in $CUDA_HOME/bin, $CUDA_PATH/bin, PATH, /usr/local/cuda/bin, and where packages of Python bring them.
func Find(ctx context.Context) (*Tools, error) {
	dirs := folders(ctx)
	for _, path := range programs(dirs, "ptxas") {
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		if err != nil {
			return nil, fmt.Errorf("%s --version: %w", path, err)
		}
		if bytes.Contains(out, []byte("Silica")) {
			continue // our own stand-in, which makes no machine code
		}
		t := &Tools{Assembler: path}
		if m := regexp.MustCompile(`V(\d+\.\d+\.\d+)`).FindSubmatch(out); m != nil {
			t.Version = string(m[1])
		}
		if all := slices.Concat(programs(dirs, "nvdisasm"), programs(dirs, "cuobjdump")); len(all) > 0 {
			t.Disassembler = all[0]
		}
		return t, nil
	}
	return nil, fmt.Errorf("%w: put it in PATH, or set CUDA_HOME; pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm brings it without a toolkit", ErrMissing)
}

// folders lists where the programs may be, the ones that the user has chosen first.
func folders(ctx context.Context) []string {
	var out []string
	for _, root := range []string{os.Getenv("CUDA_HOME"), os.Getenv("CUDA_PATH")} {
		if root != "" {
			out = append(out, filepath.Join(root, "bin"))
		}
	}
	out = append(out, filepath.SplitList(os.Getenv("PATH"))...)
	out = append(out, "/usr/local/cuda/bin")
	paths, err := exec.CommandContext(ctx, "python3", "-c", `import sys; print("\n".join(sys.path[1:]))`).Output()
	if err != nil {
		return out // there is no Python, or none that works
	}
	for packages := range strings.Lines(string(paths)) {
		packages = strings.TrimSpace(packages)
		for _, pattern := range []string{"nvidia/*/bin", "triton/backends/nvidia/bin"} { // the packages nvidia-cuda-nvcc and triton
			found, _ := filepath.Glob(filepath.Join(packages, pattern)) // the pattern is right
			slices.Reverse(found)                                       // cu13 before cu12
			out = append(out, found...)
		}
	}
	return out
}

// programs returns the paths of the programs of that name, by folder.
func programs(dirs []string, name string) []string {
	var out []string
	for _, dir := range dirs {
		if path := filepath.Join(dir, name); dir != "" && isProgram(path) {
			out = append(out, path)
		}
	}
	return out
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// Kernel is what became of a kernel.
type Kernel struct {
	Name        string
	Registers   int // of a thread
	Barriers    int
	Stack       int // bytes of a thread, as all below
	SpillStores int
	SpillLoads  int
	Shared      int // bytes of a block, but for dynamic ones
	// Code is the machine code, without what fills it up; empty without a disassembler.
	Code []Line
}

// Instructions counts the kernel's.
func (k *Kernel) Instructions() (n int) {
	for _, l := range k.Code {
		if !l.Label {
			n++
		}
	}
	return n
}

// Line is an instruction as the disassembler writes it, or a label with its colon.
type Line struct {
	Text  string
	Label bool
	// File and Line are the place in the source, "" and 0 when that is not known.
	File string
	Line int
}

// Assemble makes machine code of PTX for an architecture such as "sm_90". The errors of the assembler are those of the file.
func (t *Tools) Assemble(ctx context.Context, file string, text []byte, arch string) ([]Kernel, error) {
	dir, err := os.MkdirTemp("", "silica-ptxas-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source, object := filepath.Join(dir, "kernel.ptx"), filepath.Join(dir, "kernel.cubin")
	if err := os.WriteFile(source, text, 0o600); err != nil {
		return nil, err
	}
	assembly := []string{"-v", "-lineinfo", "-arch=" + arch, "-o", object, source}
	said, err := output(exec.CommandContext(ctx, t.Assembler, assembly...))
	if err != nil && strings.Contains(said, unresolved) {
		said, err = output(exec.CommandContext(ctx, t.Assembler, append(assembly, "-c")...))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s", file, strings.ReplaceAll(firstProblem(said, err), source, file))
	}
	kernels := parseInfo(said)
	if t.Disassembler == "" {
		return kernels, nil
	}
	args := []string{"-c", "-g", object}
	if filepath.Base(t.Disassembler) == "cuobjdump" {
		args = []string{"-sass", object}
	}
	listing, err := output(exec.CommandContext(ctx, t.Disassembler, args...))
	if err != nil {
		return nil, fmt.Errorf("%s: %s", filepath.Base(t.Disassembler), firstProblem(listing, err))
	}
	code := parseListing(listing)
	for i := range kernels {
		kernels[i].Code = code[kernels[i].Name]
	}
	return kernels, nil
}

// unresolved begins what ptxas says of functions that only a link brings, like those of the device runtime, by which kernels launch kernels.
const unresolved = "Unresolved extern function"

// output runs a command and returns all that it writes.
func output(c *exec.Cmd) (string, error) {
	var b bytes.Buffer
	c.Stdout, c.Stderr = &b, &b
	err := c.Run()
	return b.String(), err
}

// firstProblem is the first error of the assembler, or else the failure.
func firstProblem(said string, err error) string {
	for line := range strings.Lines(said) {
		if strings.Contains(line, "error") || strings.Contains(line, "fatal") {
			return strings.TrimSpace(line)
		}
	}
	return err.Error()
}
