package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"

	"silica/internal/compile/dialect"
	"silica/internal/fatbin"
	"silica/ptx"
)

// Device compiles the device half of a CUDA source file to PTX for o.Arch. A source that does not compile gives an *Error; a missing
// compiler an error that wraps ErrNoClang.
func Device(ctx context.Context, file string, o Options) (ptx []byte, err error) {
	o.Also = nil
	texts, err := Texts(ctx, file, o)
	if err != nil {
		return nil, err
	}
	return texts[0].PTX, nil
}

// Texts is Device for each of the architectures, the oldest first.
func Texts(ctx context.Context, file string, o Options) ([]fatbin.Text, error) {
	c, err := newCompiler(ctx)
	if err != nil {
		return nil, err
	}
	u, err := readUnit(file, o)
	if err != nil {
		return nil, err
	}
	texts, warnings, err := c.texts(ctx, u, o)
	if err != nil {
		return nil, err
	}
	warn(o.Warnings, warnings)
	return texts, nil
}

// deviceCode returns what the host half of a source carries: PTX that ends with a zero byte, as the registration call hands the runtime
// a pointer without a length, or a fat binary when it is for several architectures.
func (c *compiler) deviceCode(ctx context.Context, u *unit, o Options) (code []byte, warnings string, err error) {
	texts, warnings, err := c.texts(ctx, u, o)
	if err != nil || len(texts) > 1 {
		return fatbin.Pack(texts...), warnings, err
	}
	return append(slices.Clip(texts[0].PTX), 0), warnings, nil
}

// texts returns the PTX for each architecture, and what the compiler said of the first.
func (c *compiler) texts(ctx context.Context, u *unit, o Options) (texts []fatbin.Text, warnings string, err error) {
	archs := o.archs()
	for i, arch := range archs {
		one := o
		one.Arch, one.Also = arch, archs
		ptx, said, err := c.device(ctx, u, one)
		if err != nil {
			return nil, "", err
		}
		if i == 0 {
			warnings = said
		}
		texts = append(texts, fatbin.Text{SM: archNumber(arch), PTX: ptx})
	}
	return texts, warnings, nil
}

func (c *compiler) device(ctx context.Context, u *unit, o Options) (ptx []byte, warnings string, err error) {
	j := job{args: append(o.deviceArguments(c.headers), o.unitArguments(u.file)...), output: []string{"-S"}, prefix: prefixHeader, reuse: o.plain()}
	if !u.mentions(annotationMacros) && !u.mentions(quadTypes) {
		r, err := c.compileDialect(ctx, j, u, true)
		if err != nil {
			return nil, "", err
		}
		if !usesAnnotations(r.Dependencies, u.rewritten) && !narrowLocals(r.Output) {
			ptx, err = finish(u.file, r.Output, o)
			return ptx, r.Warnings, err
		}
	}
	j.output = []string{"-S", "-emit-llvm"}
	ir, err := c.compileDialect(ctx, j, u, true)
	if err != nil {
		return nil, "", err
	}
	text, edited := gridConstants(copyQuads(ir.Output))
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
	ptx, err = finish(u.file, ptx, o)
	return ptx, ir.Warnings, err
}

// finish makes of clang's PTX what its annotations do not tell of.
func finish(file string, text []byte, o Options) ([]byte, error) {
	text = straighten(alignArrays(leaveToHost(defineVirtual(text))))
	if o.MaxRegisters == 0 {
		return text, nil
	}
	m, err := ptx.Parse(file, text)
	if err != nil {
		return nil, err
	}
	ptx.LimitRegisters(m, o.MaxRegisters)
	return ptx.Format(m), nil
}

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
