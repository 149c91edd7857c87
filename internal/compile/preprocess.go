package compile

import (
	"context"
)

// Preprocess returns a CUDA source with its includes and macros replaced, as the device half sees it. Errors are those of Device.
func Preprocess(ctx context.Context, file string, o Options) ([]byte, error) {
	r, err := preprocess(ctx, file, o)
	return r.Output, err
}

// Dependencies returns the files that a source is made of, itself and what it includes, without Silica's headers: as absolute
// paths. Errors are those of Device.
func Dependencies(ctx context.Context, file string, o Options) (files []string, err error) {
	r, err := preprocess(ctx, file, o)
	for _, d := range r.Dependencies {
		files = append(files, d.Path)
	}
	return files, err
}

func preprocess(ctx context.Context, file string, o Options) (result, error) {
	c, err := newCompiler(ctx)
	if err != nil {
		return result{}, err
	}
	j := job{source: file, output: []string{"-E", "-P"}}
	switch o.language(file) {
	case "c++":
		j.args = append(o.arguments(c.headers), "-x", "c++")
	case "c":
		o.Std = "c17" // o.Std is of C++
		j.args = append(o.arguments(c.headers), "-x", "c")
	default:
		j.args, j.prefix = append(o.cudaArguments(c.headers), "--cuda-device-only"), prefixHeader
	}
	return c.compile(ctx, j)
}
