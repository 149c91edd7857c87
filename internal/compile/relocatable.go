package compile

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"silica/ptx"
)

// Relocatable device code is joined as NVIDIA's tools join it. The object of a source keeps its PTX in a section of its own, and
// calls, before main, __cudaRegisterLinkedBinary with an identifier of the source in its name, which nothing defines. The device link
// defines these functions for all sources of a program or shared library: when all have called, it registers one
// program, the parts of which are the texts of the sources, and lets each register its kernels and variables in it.
// The runtime library links the parts when it loads the program.
const (
	linkedBinary     = "__cudaRegisterLinkedBinary"
	binaryWrapper    = "__fatbinwrap"
	relocatableTexts = "__nv_relfatbin"
)

// relocatable is what an object waits for in a device link, and its device code.
type relocatable struct {
	name    string // of the file
	pending []string
	text    []byte
}

// DeviceLink joins the relocatable device code of object files and archives, and returns the object file that a link of the same
// files needs beside them; nil when they have no such code, or an earlier device link has joined it. Code that does not fit
// together gives an *Error.
func DeviceLink(ctx context.Context, files []string) ([]byte, error) {
	c, err := newCompiler(ctx)
	if err != nil {
		return nil, err
	}
	return c.deviceLink(ctx, files, nil)
}

// deviceLink is DeviceLink; messages name the sources of object files that are known.
func (c *compiler) deviceLink(ctx context.Context, files []string, sources map[string]string) ([]byte, error) {
	var parts []relocatable
	defined := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		members, err := objects(orDefault(sources[file], file), data)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			p, err := readRelocatable(m, defined)
			if err != nil {
				return nil, err
			}
			parts = append(parts, p)
		}
	}
	var pending []string
	var modules []*ptx.Module
	for _, p := range parts {
		for _, id := range p.pending {
			if defined[id] {
				continue
			}
			if slices.Contains(pending, id) {
				return nil, &Error{Diagnostics: p.name + ": a source of the same path is linked already: relocatable device code tells sources apart by the path that the compiler was given"}
			}
			pending = append(pending, id)
			m, err := ptx.Parse(p.name, p.text)
			if err != nil {
				return nil, &Error{Diagnostics: err.Error()}
			}
			modules = append(modules, m)
		}
	}
	if len(pending) == 0 {
		return nil, nil
	}
	m, err := ptx.Link(modules...)
	if err == nil {
		err = ptx.Check(m)
	}
	if err != nil {
		return nil, &Error{Diagnostics: "device link: " + err.Error()}
	}
	return c.linkage(ctx, pending)
}

// objects returns the object files in data, the contents of file: those of an archive, itself, or none.
func objects(file string, data []byte) (all []relocatable, err error) {
	const magic, header = "!<arch>\n", 60
	if bytes.HasPrefix(data, []byte(elf.ELFMAG)) {
		return []relocatable{{name: file, text: data}}, nil
	}
	if !bytes.HasPrefix(data, []byte(magic)) {
		return nil, nil
	}
	for rest := data[len(magic):]; len(rest) >= header; {
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || size < 0 || size > len(rest)-header {
			return nil, fmt.Errorf("%s: the archive is damaged", file)
		}
		member := rest[header : header+size]
		if bytes.HasPrefix(member, []byte(elf.ELFMAG)) {
			name := strings.TrimRight(strings.TrimSpace(string(rest[:16])), "/")
			all = append(all, relocatable{name: file + "(" + name + ")", text: member})
		}
		rest = rest[min(len(rest), header+size+size%2):]
	}
	return all, nil
}

// readRelocatable reads the object file that is an object's text, and adds to defined what it defines of device links.
func readRelocatable(object relocatable, defined map[string]bool) (relocatable, error) {
	r := relocatable{name: object.name}
	f, err := elf.NewFile(bytes.NewReader(object.text))
	if err != nil {
		return r, fmt.Errorf("%s: %w", object.name, err)
	}
	if f.Type != elf.ET_REL { // a shared library has done with it
		return r, nil
	}
	symbols, err := f.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return r, fmt.Errorf("%s: %w", object.name, err)
	}
	for _, s := range symbols {
		id, ok := strings.CutPrefix(s.Name, linkedBinary)
		if !ok {
			continue
		}
		if s.Section == elf.SHN_UNDEF {
			r.pending = append(r.pending, id)
		} else {
			defined[id] = true
		}
	}
	if section := f.Section(relocatableTexts); section != nil && len(r.pending) > 0 {
		if r.text, err = io.ReadAll(section.Open()); err != nil {
			return r, fmt.Errorf("%s: %w", object.name, err)
		}
		r.text, _, _ = bytes.Cut(r.text, []byte{0})
	}
	return r, nil
}

// linkage compiles what joins the device code of the sources with the identifiers.
func (c *compiler) linkage(ctx context.Context, ids []string) ([]byte, error) {
	var text strings.Builder
	fmt.Fprintf(&text, `extern void **__cudaRegisterFatBinary(void *);
extern void __cudaRegisterFatBinaryEnd(void **), __cudaUnregisterFatBinary(void **);
extern int atexit(void (*)(void));
extern char %[1]s%[2]s;
static void *parts[] = {%[3]s0};
static struct { int magic, version; void *data; void **parts; } program = {0x466243b1, 2, &%[1]s%[4]s, parts};
static void **handle;
static void (*sources[%[5]d])(void **);
static int called;
static void leave(void) { __cudaUnregisterFatBinary(handle); }
static void enter(void (*source)(void **)) {
    sources[called++] = source;
    if (called < %[5]d) return;
    handle = __cudaRegisterFatBinary(&program);
    for (int i = 0; i < %[5]d; i++) sources[i](handle);
    __cudaRegisterFatBinaryEnd(handle);
    atexit(leave);
}
`, binaryWrapper, strings.Join(ids, "[], "+binaryWrapper)+"[]", "&"+binaryWrapper+strings.Join(ids, ", &"+binaryWrapper)+", ", ids[0], len(ids))
	for _, id := range ids {
		fmt.Fprintf(&text, "__attribute__((visibility(\"hidden\"))) void %s%s(void (*source)(void **), void *w, void *m, void *f) { enter(source); }\n", linkedBinary, id)
	}
	dir, err := os.MkdirTemp("", "silica-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source, object := filepath.Join(dir, "link.c"), filepath.Join(dir, "link.o")
	if err := os.WriteFile(source, []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	if _, err := c.run(ctx, []string{"-x", "c", "-O2", "-fPIC", "-w", "-c", "-o", object, source}); err != nil {
		return nil, err
	}
	return os.ReadFile(object)
}

// unitArguments are those of both halves of a CUDA source alone: the name that sets its static kernels and variables apart from others.
func (o Options) unitArguments(file string) []string {
	if !o.Relocatable {
		return nil
	}
	if absolute, err := filepath.Abs(file); err == nil {
		file = absolute
	}
	name := "-cuid=" + hashOf(file, o.Define)[:16]
	return []string{name, "-Xclang", name} // clang passes its own to the device half, and none to the host's
}
