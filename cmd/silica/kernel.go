package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"silica/driver"
	"silica/gpu"
	"silica/internal/cppname"
	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/kernelarg"
)

// kernelRun is one launch of a kernel of a .ptx file.
type kernelRun struct {
	device  *driver.Device
	args    []kernelarg.Arg
	buffers []uint64 // address of each argument that is a buffer
}

// runKernel loads file and launches the kernel that the flags name.
func runKernel(ctx context.Context, file string, g *gpu.GPU, k kernelFlags, o driver.Options) (*kernelRun, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, failure{exitLoad, unreadable(err)}
	}
	d, err := driver.Open(g, o)
	if err != nil {
		return nil, err
	}
	r := &kernelRun{device: d}
	if err := r.launch(ctx, file, text, k); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return r, nil
}

func (r *kernelRun) launch(ctx context.Context, file string, text []byte, k kernelFlags) error {
	m, err := r.device.LoadPTX(file, text)
	if err != nil {
		return failure{exitLoad, err}
	}
	if k.Kernel == "" {
		names := m.Kernels()
		if len(names) == 0 {
			return failure{exitLoad, fmt.Errorf("%s: there is no kernel (.entry) in it", file)}
		}
		if len(names) != 1 {
			return usage("%s has %d kernels; choose one with --kernel: %s", file, len(names), strings.Join(shortNames(names), ", "))
		}
		k.Kernel = names[0]
	}
	name, err := kernelNamed(file, m.Kernels(), k.Kernel)
	if err != nil {
		return err
	}
	f, err := m.Function(name)
	if err != nil {
		return failure{exitLoad, err}
	}
	params, err := r.params(f.Kernel, k.Arg)
	if err != nil {
		return err
	}
	if k.Shared > 0 {
		if err := f.SetMaxDynamicShared(k.Shared); err != nil {
			return failure{exitUsage, err}
		}
	}
	f.SetNonPortableClusters(true)
	err = f.Launch(ctx, driver.Launch{Grid: k.Grid.Dim3, Block: k.Block.Dim3, Cluster: k.Cluster.Dim3, Shared: k.Shared, Params: params})
	var e *driver.Error
	if errors.As(err, &e) && (e.Code == driver.InvalidValue || e.Code == driver.InvalidClusterSize) {
		return failure{exitUsage, err}
	}
	return err
}

// shortNames returns the C++ names of kernels where they tell the kernels apart, the mangled ones elsewhere.
func shortNames(names []string) []string {
	count := map[string]int{}
	for _, n := range names {
		count[cppname.Short(n)]++
	}
	var out []string
	for _, n := range names {
		if short := cppname.Short(n); count[short] == 1 {
			n = short
		}
		out = append(out, n)
	}
	return out
}

// kernelNamed finds a kernel by its entry, or by its C++ name with or without template arguments and parameters.
func kernelNamed(file string, names []string, want string) (string, error) {
	if slices.Contains(names, want) {
		return want, nil
	}
	var found, readable []string
	for _, n := range names {
		full := cppname.Short(n)
		plain := demangle.Filter(n, demangle.NoParams, demangle.NoEnclosingParams, demangle.NoTemplateParams)
		switch want {
		case full, plain, cppname.Readable(n):
			found, readable = append(found, n), append(readable, full)
		}
	}
	switch len(found) {
	case 0:
		return "", usage("there is no kernel %s in %s; it has %s", want, file, strings.Join(shortNames(names), ", "))
	case 1:
		return found[0], nil
	}
	return "", usage("%q may be one of several kernels: %s", want, strings.Join(readable, ", "))
}

// params reads the arguments, allocates buffers and returns the parameter buffer.
func (r *kernelRun) params(k *ir.Kernel, texts []string) ([]byte, error) {
	if len(texts) != len(k.Params) {
		return nil, usage("%s takes %d arguments, --arg gives %d", k.Name, len(k.Params), len(texts))
	}
	out := make([]byte, k.ParamBytes)
	for i, text := range texts {
		a, err := kernelarg.Parse(text)
		if err != nil {
			return nil, failure{exitUsage, err}
		}
		p := k.Params[i]
		if problem := mismatch(a, p); problem != "" {
			return nil, usage("argument %d of %s, %q: %s", i+1, k.Name, text, problem)
		}
		value := a.Bits()
		if a.IsBuffer() {
			if value, err = r.buffer(a); err != nil {
				return nil, err
			}
		}
		r.args, r.buffers = append(r.args, a), append(r.buffers, value)
		var field [8]byte
		binary.LittleEndian.PutUint64(field[:], value)
		copy(out[p.Offset:p.Offset+p.Size], field[:])
	}
	return out, nil
}

// mismatch tells why an argument can not be passed as a parameter, "" when it can.
func mismatch(a kernelarg.Arg, p ir.Param) string {
	switch {
	case a.IsBuffer() && p.Size != 8:
		return fmt.Sprintf("a buffer is passed as a 64-bit address; the parameter is .%s of %d bytes", p.Type, p.Size)
	case !a.IsBuffer() && a.Bytes() != p.Size:
		return fmt.Sprintf("%s has %d bytes; the parameter is .%s of %d bytes", a.Type, a.Bytes(), p.Type, p.Size)
	case !a.IsBuffer() && p.Type.Kind() == isa.Float && !strings.Contains(a.Type, "f"):
		return fmt.Sprintf("%s is an integer; the parameter is .%s", a.Type, p.Type)
	case !a.IsBuffer() && (p.Type.Kind() == isa.Signed || p.Type.Kind() == isa.Unsigned) && strings.Contains(a.Type, "f"):
		return fmt.Sprintf("%s is a float; the parameter is .%s", a.Type, p.Type)
	}
	return ""
}

func (r *kernelRun) buffer(a kernelarg.Arg) (uint64, error) {
	addr, err := r.device.Alloc(uint64(a.Bytes()))
	if err != nil || a.Zero() {
		return addr, err
	}
	contents, err := a.Contents()
	if err != nil {
		return 0, failure{exitUsage, err}
	}
	return addr, r.device.Write(addr, contents)
}

// shown is how many elements of an output are printed.
const shown = 8

// outputs prints the first elements of each buffer marked out or inout.
func (r *kernelRun) outputs(io streams) error {
	for i, a := range r.args {
		if !a.Out {
			continue
		}
		b, err := r.device.Bytes(r.buffers[i], uint64(a.Bytes()))
		if err != nil {
			return err
		}
		more := ""
		if a.Count > shown {
			more = fmt.Sprintf(" ... (%d elements)", a.Count)
		}
		fmt.Fprintf(io.out, "argument %d: %s%s\n", i+1, strings.Join(a.Format(b, shown), " "), more)
	}
	return nil
}
