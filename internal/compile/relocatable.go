package compile

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"silica/internal/fatbin"
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
	code    []byte // or, of what objects returns, the file itself
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
	var waiting []relocatable
	for _, p := range parts {
		for _, id := range p.pending {
			if defined[id] {
				continue
			}
			if slices.Contains(pending, id) {
				return nil, &Error{Diagnostics: p.name + ": a source of the same path is linked already: relocatable device code tells sources apart by the path that the compiler was given"}
			}
			pending = append(pending, id)
			waiting = append(waiting, p)
		}
	}
	if len(pending) == 0 {
		return nil, nil
	}
	if err := checkLinked(waiting); err != nil {
		return nil, err
	}
	return c.linkage(ctx, pending)
}

// objects returns the object files in data, the contents of file: those of an archive, itself, or none.
func objects(file string, data []byte) (all []relocatable, err error) {
	const magic, header = "!<arch>\n", 60
	if bytes.HasPrefix(data, []byte(elf.ELFMAG)) {
		return []relocatable{{name: file, code: data}}, nil
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
			all = append(all, relocatable{name: file + "(" + name + ")", code: member})
		}
		rest = rest[min(len(rest), header+size+size%2):]
	}
	return all, nil
}

// readRelocatable reads the object file that is an object's text, and adds to defined what it defines of device links.
func readRelocatable(object relocatable, defined map[string]bool) (relocatable, error) {
	r := relocatable{name: object.name}
	f, err := elf.NewFile(bytes.NewReader(object.code))
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
		if r.code, err = io.ReadAll(section.Open()); err != nil {
			return r, fmt.Errorf("%s: %w", object.name, err)
		}
	}
	return r, nil
}

// checkLinked refuses device code that does not fit together: for each architecture that one of the parts is for, what a GPU of it would link.
func checkLinked(parts []relocatable) error {
	texts := make([][]fatbin.Text, len(parts))
	var archs []int
	for i, p := range parts {
		var err error
		if texts[i], err = textsOf(p.code); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		for _, t := range texts[i] {
			archs = append(archs, t.SM)
		}
	}
	slices.Sort(archs)
	for _, arch := range slices.Compact(archs) {
		var modules []*ptx.Module
		for i, p := range parts {
			text := newest(texts[i], arch)
			if text == nil {
				break // a GPU of the architecture does not run the program
			}
			m, err := ptx.Parse(p.name, text)
			if err != nil {
				return &Error{Diagnostics: err.Error()}
			}
			modules = append(modules, m)
		}
		if len(modules) < len(parts) {
			continue
		}
		m, err := ptx.Link(modules...)
		if err == nil {
			err = ptx.Check(m)
		}
		if err != nil {
			return &Error{Diagnostics: "device link: " + err.Error()}
		}
	}
	return nil
}

// textsOf returns the texts that an object carries. One alone is not in a fat binary, and for architecture 0 here.
func textsOf(code []byte) ([]fatbin.Text, error) {
	if len(code) < fatbin.HeaderBytes || binary.LittleEndian.Uint32(code) != fatbin.Magic {
		text, _, _ := bytes.Cut(code, []byte{0})
		return []fatbin.Text{{PTX: text}}, nil
	}
	entries, err := fatbin.Parse(code)
	if err != nil {
		return nil, err
	}
	var all []fatbin.Text
	for _, e := range entries {
		if e.Kind != fatbin.PTX {
			continue
		}
		text, err := e.Data()
		if err != nil {
			return nil, err
		}
		all = append(all, fatbin.Text{SM: e.SM, PTX: text})
	}
	return all, nil
}

// newest returns the PTX for the newest architecture up to one, nil when there is none.
func newest(texts []fatbin.Text, arch int) (text []byte) {
	best := -1
	for _, t := range texts {
		if t.SM <= arch && t.SM > best {
			best, text = t.SM, t.PTX
		}
	}
	return text
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
	name := "-cuid=" + hashOf(file, o.Define, o.Include, o.Extra, o.Host)[:16]
	return []string{name, "-Xclang", name} // clang passes its own to the device half, and none to the host's
}
