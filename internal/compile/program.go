package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Program compiles files and links them with the runtime library o.Library into the executable out, or into a shared library where
// o.Link has -shared. Relocatable device code is joined. Files that end in .cu
// are CUDA sources, whose PTX becomes part of the program; .c, .cc, .cpp and .cxx are plain sources; anything else goes to
// the linker. A source that does not compile or link gives an *Error; a missing compiler an error that wraps ErrNoClang.
func Program(ctx context.Context, files []string, o Options, out string) error {
	c, err := newCompiler(ctx)
	if err != nil {
		return err
	}
	if o.Library == "" {
		return fmt.Errorf("linking %s: no runtime library given", out)
	}
	library, err := filepath.Abs(o.Library)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "silica-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	var linked []string
	var objects [][]byte
	sources := map[string]string{} // by their objects
	for i, file := range files {
		object, warnings, err := c.object(ctx, file, o)
		if err != nil {
			return err
		}
		warn(o.Warnings, warnings...)
		if object != nil {
			objects = append(objects, object)
			path := filepath.Join(dir, fmt.Sprintf("%d-%s.o", i, filepath.Base(file)))
			if err := os.WriteFile(path, object, 0o644); err != nil {
				return err
			}
			sources[path] = file
			file = path
		}
		linked = append(linked, file)
	}
	joined, err := c.deviceLink(ctx, slices.Concat(linked, o.archives()), sources)
	if err != nil {
		return err
	}
	if joined != nil {
		path := filepath.Join(dir, "device-link.o")
		if err := os.WriteFile(path, joined, 0o644); err != nil {
			return err
		}
		linked = append([]string{path}, linked...) // before the archives, of which it needs members
	}
	link := append(linked, library, "-Wl,-rpath,"+filepath.Dir(library), "-pthread", "-lm")
	run := func(path string) error {
		warnings, err := c.run(ctx, slices.Concat([]string{"-o", path}, o.Host, link, o.Link))
		warn(o.Warnings, warnings)
		return err
	}
	if len(objects) < len(files) || len(o.Link) > 0 {
		return run(out) // the linker may read any file then
	}
	stamp, err := stampOf(library)
	if err != nil {
		return err
	}
	program, err := c.programs.file(hashOf(c.clang.Path, c.clang.Banner, stamp, o.Host, objects), run)
	if failed := (*Error)(nil); errors.As(err, &failed) {
		return err
	}
	if err != nil || copyProgram(program, out) != nil {
		return run(out) // the cache cannot be used
	}
	return nil
}

// stampOf tells a large file's state without reading it.
func stampOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(path, info.Size(), info.ModTime().UnixNano()), nil
}

// copyProgram copies an executable.
func copyProgram(from, to string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	os.Remove(to) // a program that runs cannot be written to, and a link is not followed
	return os.WriteFile(to, program, 0o755)
}

// Object compiles a source of a program, as Program does, and returns the object file. Errors are those of Program.
func Object(ctx context.Context, file string, o Options) ([]byte, error) {
	c, err := newCompiler(ctx)
	if err != nil {
		return nil, err
	}
	object, warnings, err := c.object(ctx, file, o)
	if err != nil {
		return nil, err
	}
	if object == nil {
		return nil, &Error{Diagnostics: file + " is no source: want .cu, .c, .cc, .cpp or .cxx"}
	}
	warn(o.Warnings, warnings...)
	return object, nil
}

// hostLanguage lets host code do what it may with nvcc, which does not optimise it unless it is asked to: let sums and products of
// signed numbers wrap, and look at one type's memory as another's.
var hostLanguage = []string{"-fwrapv", "-fno-strict-aliasing"}

// object compiles one file of a program. It returns nil for a file that is for the linker.
func (c *compiler) object(ctx context.Context, file string, o Options) (object []byte, warnings []string, err error) {
	switch o.language(file) {
	case "cu":
		return c.cudaObject(ctx, file, o)
	case "c":
		o.Std = "c17" // o.Std is of C++
		o.Extra = append([]string{"-x", "c"}, o.Extra...)
	case "c++":
		o.Extra = append([]string{"-x", "c++"}, o.Extra...)
	default:
		return nil, nil, nil
	}
	r, err := c.compile(ctx, job{source: file, args: slices.Concat(o.arguments(c.headers), hostLanguage, o.Host), output: []string{"-fPIC", "-c"}})
	return r.Output, []string{r.Warnings}, err
}

// cudaObject compiles both halves of a CUDA source: the PTX, and the host code that carries it.
func (c *compiler) cudaObject(ctx context.Context, file string, o Options) (object []byte, warnings []string, err error) {
	u, err := readUnit(file, o)
	if err != nil {
		return nil, nil, err
	}
	code, deviceWarnings, err := c.deviceCode(ctx, u, o)
	if err != nil {
		return nil, nil, err
	}
	const embedded = "device.code"
	r, err := c.compileDialect(ctx, job{
		args:   slices.Concat(o.cudaArguments(c.headers), []string{"--cuda-host-only", "-fPIC", "-gline-tables-only"}, hostLanguage, o.unitArguments(file), o.Host),
		output: []string{"-c", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", embedded},
		prefix: prefixHeader,
		reuse:  o.plain(),
		inputs: map[string][]byte{embedded: code},
	}, u, false)
	return r.Output, []string{deviceWarnings, r.Warnings}, err
}

// IsSource tells whether Object compiles a file.
func IsSource(file string, o Options) bool { return o.language(file) != "" }

// language returns what a file is written in: "cu", "c", "c++", or "" for what goes to the linker.
func (o Options) language(file string) string {
	extension := strings.ToLower(filepath.Ext(file))
	if slices.Contains([]string{".o", ".obj", ".a", ".so"}, extension) {
		return ""
	}
	if o.Language != "" {
		return o.Language
	}
	switch extension {
	case ".cu":
		return "cu"
	case ".c":
		return "c"
	case ".cc", ".cpp", ".cxx", ".c++":
		return "c++"
	}
	return ""
}

// archives returns the libraries that the arguments of the link name (-l) and that are archives in the folders that they name (-L).
func (o Options) archives() (all []string) {
	for _, l := range o.Link {
		name, ok := strings.CutPrefix(l, "-l")
		if !ok {
			continue
		}
		for _, d := range o.Link {
			dir, ok := strings.CutPrefix(d, "-L")
			path := filepath.Join(dir, "lib"+name+".a")
			if info, err := os.Stat(path); ok && err == nil && info.Mode().IsRegular() {
				all = append(all, path)
				break
			}
		}
	}
	return all
}
