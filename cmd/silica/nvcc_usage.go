package main

import (
	"context"
	"fmt"

	"silica/internal/compile"
	"silica/internal/cppname"
	"silica/internal/ir"
	"silica/internal/sass"
	"silica/ptx"
)

// reportUsage writes what the kernels of the sources take of a multiprocessor, where ptxas -v would.
func (j *nvccJob) reportUsage(ctx context.Context, io streams) error {
	o := j.options
	o.Warnings = nil // the compilation itself has said them
	for _, file := range j.files {
		if !compile.IsSource(file, o) {
			continue
		}
		texts, err := compile.Texts(ctx, file, o)
		if err != nil {
			return err
		}
		for _, t := range texts {
			if err := reportKernels(io, file, t.SM, t.PTX); err != nil {
				return err
			}
		}
	}
	return nil
}

// reportKernels writes a line for each kernel of a PTX text.
func reportKernels(io streams, file string, sm int, text []byte) error {
	tree, err := ptx.Load(file, text)
	if err != nil {
		return err
	}
	module, err := ir.NewModule(tree)
	if err != nil {
		return err
	}
	for _, d := range tree.Decls {
		f, ok := d.(*ptx.Function)
		if !ok || !f.Entry || f.Body == nil {
			continue
		}
		k, err := module.Kernel(f.Name)
		if err != nil {
			return err
		}
		registers := k.LiveRegisters
		if arch, err := sass.ArchFor(sm); err == nil {
			registers = sass.Lower(k, arch).Registers
		}
		fmt.Fprintf(io.err, "%s for sm_%d: about %d registers, %d bytes of shared memory, %d of local memory a thread, %d of parameters\n",
			cppname.Readable(k.Name), sm, registers, k.StaticShared, k.Funcs[0].Frame.Local, k.ParamBytes)
	}
	return nil
}
