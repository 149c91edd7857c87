package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"silica/internal/compile/dialect"
)

// Device compiles the device half of a CUDA source file to PTX. A source that does not compile gives an *Error; a missing
// compiler an error that wraps ErrNoClang.
func Device(ctx context.Context, file string, o Options) (ptx []byte, err error) {
	c, err := newCompiler(ctx)
	if err != nil {
		return nil, err
	}
	ptx, warnings, err := c.device(ctx, file, o)
	if err != nil {
		return nil, err
	}
	warn(o.Warnings, warnings)
	return ptx, nil
}

func (c *compiler) device(ctx context.Context, file string, o Options) (ptx []byte, warnings string, err error) {
	files, err := dialectOf(file, o, true)
	if err != nil {
		return nil, "", err
	}
	j := job{source: file, args: o.deviceArguments(c.headers), output: []string{"-S"}, prefix: prefixHeader, reuse: o.plain(), files: files}
	r, err := c.compile(ctx, j)
	if err != nil {
		return nil, "", err
	}
	if !usesAnnotations(r.Dependencies, files) {
		return r.Output, r.Warnings, nil
	}
	j.output = []string{"-S", "-emit-llvm"}
	ir, err := c.compile(ctx, j)
	if err != nil {
		return nil, "", err
	}
	if constant, found := gridConstants(ir.Output); found {
		if r.Output, err = c.assemble(ctx, constant, o); err != nil {
			return nil, "", fmt.Errorf("%s: %w", file, err)
		}
	}
	ptx, err = annotate(r.Output, ir.Output)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	return ptx, r.Warnings, nil
}

// annotationMacros are the qualifiers of host_defines.h that clang has no attribute for.
var annotationMacros = []string{"__managed__", "__cluster_dims__", "__maxnreg__", "__grid_constant__"}

// usesAnnotations tells whether one of the files mentions a qualifier that annotate has to carry over, or has an annotation that
// was written into it.
func usesAnnotations(files []dependency, changed sourceFiles) bool {
	for _, text := range changed.rewritten {
		if bytes.Contains(text, []byte(dialect.UndefinedKernel)) {
			return true
		}
	}
	for _, f := range files {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			continue
		}
		for _, macro := range annotationMacros {
			if bytes.Contains(text, []byte(macro)) {
				return true
			}
		}
	}
	return false
}
