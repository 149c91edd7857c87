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
	u, err := readUnit(file, o)
	if err != nil {
		return nil, err
	}
	ptx, warnings, err := c.device(ctx, u, o)
	if err != nil {
		return nil, err
	}
	warn(o.Warnings, warnings)
	return ptx, nil
}

func (c *compiler) device(ctx context.Context, u *unit, o Options) (ptx []byte, warnings string, err error) {
	j := job{args: append(o.deviceArguments(c.headers), o.unitArguments(u.file)...), output: []string{"-S"}, prefix: prefixHeader, reuse: o.plain()}
	if !u.mentions(annotationMacros) {
		r, err := c.compileDialect(ctx, j, u, true)
		if err != nil {
			return nil, "", err
		}
		if !usesAnnotations(r.Dependencies, u.rewritten) && !narrowLocals(r.Output) {
			return finish(r.Output), r.Warnings, nil
		}
	}
	j.output = []string{"-S", "-emit-llvm"}
	ir, err := c.compileDialect(ctx, j, u, true)
	if err != nil {
		return nil, "", err
	}
	text, edited := gridConstants(ir.Output)
	if ptx, err = c.assemble(ctx, text, edited, o); err == nil && narrowLocals(ptx) {
		ptx, err = c.assemble(ctx, alignLocals(text), true, o)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", u.file, err)
	}
	ptx, err = annotate(ptx, ir.Output)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", u.file, err)
	}
	return finish(ptx), ir.Warnings, nil
}

// finish makes of clang's PTX what its annotations do not tell of.
func finish(ptx []byte) []byte { return leaveToHost(defineVirtual(ptx)) }

// annotationMacros are the qualifiers of host_defines.h that clang has no attribute for.
var annotationMacros = []string{"__managed__", "__cluster_dims__", "__maxnreg__", "__grid_constant__"}

// usesAnnotations tells whether one of the files mentions a qualifier that annotate has to carry over, or has an annotation that
// was written into it.
func usesAnnotations(files []dependency, rewritten map[string][]byte) bool {
	for _, text := range rewritten {
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
