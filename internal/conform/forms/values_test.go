package forms

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"testing"

	"silica/internal/exec"
	"silica/internal/exec/ref"
	"silica/internal/exec/simd"
	"silica/internal/ir"
	"silica/internal/mem"
	"silica/ptx"
)

// formsEach is the number of forms of a row whose values were recorded.
const formsEach = 400

// TestValues runs the value kernels on both engines and compares their outputs, by hash, with those recorded on an
// H200 (driver 580, CUDA 13.0). values_differ.txt lists the instructions whose values differ.
func TestValues(t *testing.T) {
	want := map[string]string{}
	readLines(t, "values.txt.gz", func(line string) {
		hash, instruction, _ := strings.Cut(line, "\t")
		want[instruction] = hash
	})
	differ := readSet(t, "values_differ.txt")
	kernels, inputs := ValueKernels(formsEach), Inputs()
	for name, engine := range map[string]exec.Engine{"ref": ref.New(), "simd": simd.New()} {
		t.Run(name, func(t *testing.T) {
			ran := 0
			for batch := range slices.Chunk(kernels, 100) {
				module := loadKernels(t, batch)
				for _, k := range batch {
					hash, recorded := want[k.Instruction]
					if !recorded {
						continue
					}
					ran++
					got, err := runKernel(engine, module, &k, inputs)
					if err != nil {
						t.Errorf("%s: %v", k.Instruction, err)
					} else if (got == hash) == differ[k.Instruction] {
						t.Errorf("%s: values differ from the H200's: %v; values_differ.txt has it: %v", k.Instruction, got != hash, differ[k.Instruction])
					}
				}
			}
			if ran != len(want) {
				t.Errorf("%d kernels of the %d recorded", ran, len(want))
			}
		})
	}
}

func loadKernels(t *testing.T, kernels []ValueKernel) *ir.Module {
	t.Helper()
	source := ValueHeader
	for _, k := range kernels {
		source += k.Source
	}
	tree, err := ptx.Load("values.ptx", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	module, err := ir.NewModule(tree)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// runKernel runs a kernel and returns the hash of its outputs.
func runKernel(engine exec.Engine, module *ir.Module, k *ValueKernel, inputs []byte) (string, error) {
	kernel, err := module.Kernel(k.Name)
	if err != nil {
		return "", err
	}
	memory, err := mem.New(1 << 24)
	if err != nil {
		return "", err
	}
	defer memory.Close()
	place := func(size int) (addr uint64, b []byte) {
		if addr, err = memory.Alloc(uint64(size), 0); err == nil {
			b, err = memory.Bytes(addr, uint64(size))
		}
		return addr, b
	}
	in, b := place(len(inputs))
	copy(b, inputs)
	out, outputs := place(k.Outputs * Lanes * 8)
	clear(outputs)
	if err != nil {
		return "", err
	}
	launch := &exec.Launch{
		Kernel: kernel, Grid: exec.Dim3{X: 1, Y: 1, Z: 1}, Block: exec.Dim3{X: Lanes, Y: 1, Z: 1}, Cluster: exec.Dim3{X: 1, Y: 1, Z: 1},
		Params: make([]byte, kernel.ParamBytes), Memory: memory, Stdout: io.Discard, MaxInstructions: 1 << 26,
		Machine: exec.Machine{SMs: 1, BlocksPerSM: 1, WarpsPerSM: 64, SharedPerBlock: 227 << 10, LocalPerThread: 1 << 10, ComputeCapability: 90},
	}
	binary.LittleEndian.PutUint64(launch.Params, in)
	binary.LittleEndian.PutUint64(launch.Params[8:], out)
	if _, err := engine.Run(context.Background(), launch); err != nil {
		return "", err
	}
	h := fnv.New64a()
	h.Write(outputs)
	return fmt.Sprintf("%016x", h.Sum64()), nil
}
