package compile

import (
	"context"
)

// Preprocess returns a CUDA source with its includes and macros replaced, as the device half sees it. Errors are those of Device.
func Preprocess(ctx context.Context, file string, o Options) ([]byte, error) {
	c, err := newCompiler(ctx)
	if err != nil {
		return nil, err
	}
	args := append(o.cudaArguments(c.headers), "--cuda-device-only")
	r, err := c.compile(ctx, job{source: file, args: args, output: []string{"-E", "-P"}, prefix: prefixHeader})
	return r.Output, err
}
