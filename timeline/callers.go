package timeline

import (
	"bufio"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"silica/internal/cppname"
	"silica/profile"
)

// Callers are where a call in this process comes from.
type Callers struct {
	// Addresses are the return addresses, the innermost first; 0 for none.
	Addresses [4]uint64
	// Script is the place in a script whose interpreter makes the call; empty for none.
	Script Source
}

// Source is where in the program's source a call stands.
type Source struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// resolver finds the places of addresses of this process, as far as its programs and libraries have tables of lines.
type resolver struct {
	maps    []mapping
	modules map[string]*module
}

// mapping is a file in the memory of the process.
type mapping struct {
	begin, end, offset uint64
	path               string
}

// module is a program or library; nil tables for one that has none.
type module struct {
	file   *elf.File
	tables *dwarf.Data
	// interprets marks an interpreter, whose own lines say nothing of the script that it runs.
	interprets bool
	// stubs names the kernels for which the compiler made functions of the same names that launch them, and code is where those are.
	stubs map[string]bool
	code  [][2]uint64
}

// launches tells whether an address is in a function that launches a kernel for a call of it.
func (m *module) launches(pc uint64) bool {
	return slices.ContainsFunc(m.code, func(r [2]uint64) bool { return pc >= r[0] && pc < r[1] })
}

// interpreter matches the files of Python.
var interpreter = regexp.MustCompile(`/(lib)?python[0-9.]*[a-z]*(\.so[0-9.]*)?$`)

const stubPrefix = "__device_stub__"

// bare is a function's name without arguments of its template.
func bare(name string) string {
	name, _, _ = strings.Cut(name, "<")
	return name
}

func newResolver() *resolver {
	r := &resolver{modules: map[string]*module{}}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return r // nothing can be found
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var m mapping
		var mode, device string
		var inode uint64
		if n, _ := fmt.Sscanf(s.Text(), "%x-%x %s %x %s %d", &m.begin, &m.end, &mode, &m.offset, &device, &inode); n != 6 || inode == 0 {
			continue
		}
		if _, path, ok := strings.Cut(s.Text(), "/"); ok {
			m.path = "/" + path
			r.maps = append(r.maps, m)
		}
	}
	return r
}

// close gives up the files.
func (r *resolver) close() {
	for _, m := range r.modules {
		if m.file != nil {
			m.file.Close()
		}
	}
}

// place returns the innermost place of a call that is the program's own: no header of CUDA, and not what the compiler puts around a
// launch; nil when none is known.
func (r *resolver) place(c Callers) *Source {
	if c.Script.Line > 0 {
		return &c.Script
	}
	for _, address := range c.Addresses {
		if address == 0 {
			break
		}
		m, pc := r.module(address - 1) // of the call, not of what follows it
		if m == nil || m.tables == nil || m.launches(pc) || m.interprets {
			continue
		}
		for _, f := range m.frames(pc) {
			if f.Line > 0 && !profile.OfToolkit(f.File) && !m.stubs[bare(f.function)] {
				return &f.Source
			}
		}
	}
	return nil
}

// module returns what an address is in, and the address as the file has it.
func (r *resolver) module(address uint64) (*module, uint64) {
	for _, m := range r.maps {
		if address < m.begin || address >= m.end {
			continue
		}
		found, known := r.modules[m.path]
		if !known {
			found = openModule(m.path)
			r.modules[m.path] = found
		}
		if found.file == nil {
			return nil, 0
		}
		offset := address - m.begin + m.offset
		for _, p := range found.file.Progs {
			if p.Type == elf.PT_LOAD && offset >= p.Off && offset < p.Off+p.Filesz {
				return found, offset - p.Off + p.Vaddr
			}
		}
	}
	return nil, 0
}

func openModule(path string) *module {
	m := &module{stubs: map[string]bool{}, interprets: interpreter.MatchString(path)}
	file, err := elf.Open(path)
	if err != nil {
		return m
	}
	m.file = file
	if file.Section(".debug_line") != nil {
		if tables, err := file.DWARF(); err == nil {
			m.tables = tables
		}
	}
	symbols, _ := file.Symbols() // a stripped program has none
	for _, s := range symbols {
		if !strings.Contains(s.Name, stubPrefix) {
			continue
		}
		_, kernel, _ := strings.Cut(cppname.Short(s.Name), stubPrefix)
		m.stubs[bare(kernel)] = true
		m.code = append(m.code, [2]uint64{s.Value, s.Value + s.Size})
	}
	return m
}

// frame is a place with the function that it is in.
type frame struct {
	Source
	function string
}

// frames are the place of an address, and those into which its function was inlined, the innermost first.
func (m *module) frames(pc uint64) []frame {
	entries := m.tables.Reader()
	unit, err := entries.SeekPC(pc)
	if err != nil {
		return nil
	}
	lines, err := m.tables.LineReader(unit)
	if err != nil || lines == nil {
		return nil
	}
	var at dwarf.LineEntry
	if lines.SeekPC(pc, &at) != nil || at.File == nil {
		return nil
	}
	files := lines.Files()
	out := []frame{{Source{at.File.Name, at.Line}, ""}}
	for depth := 0; ; {
		e, err := entries.Next()
		if err != nil || e == nil || e.Tag == 0 && depth == 0 {
			return out
		}
		if e.Tag == 0 {
			depth--
			continue
		}
		inside := false
		if e.Tag == dwarf.TagSubprogram || e.Tag == dwarf.TagInlinedSubroutine {
			inside = m.contains(e, pc)
		}
		switch {
		case !inside && e.Children && e.Tag != dwarf.TagLexDwarfBlock && e.Tag != dwarf.TagNamespace:
			entries.SkipChildren()
		case e.Children:
			depth++
		}
		if !inside {
			continue
		}
		out[0].function = m.name(e)
		if e.Tag == dwarf.TagInlinedSubroutine {
			number, _ := e.Val(dwarf.AttrCallFile).(int64)
			line, _ := e.Val(dwarf.AttrCallLine).(int64)
			outer := frame{Source{"", int(line)}, ""}
			if number >= 0 && int(number) < len(files) && files[number] != nil {
				outer.File = files[number].Name
			}
			// The place of the call is in the function around this one.
			out = append(out[:1], append([]frame{outer}, out[1:]...)...)
		}
	}
}

func (m *module) contains(e *dwarf.Entry, pc uint64) bool {
	ranges, err := m.tables.Ranges(e)
	if err != nil {
		return false
	}
	for _, r := range ranges {
		if pc >= r[0] && pc < r[1] {
			return true
		}
	}
	return false
}

// name is a function's, without its scope.
func (m *module) name(e *dwarf.Entry) string {
	for range 4 { // an instance refers to what it is one of
		if name, ok := e.Val(dwarf.AttrName).(string); ok {
			return name
		}
		offset, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if offset, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				return ""
			}
		}
		entries := m.tables.Reader()
		entries.Seek(offset)
		next, err := entries.Next()
		if err != nil || next == nil {
			return ""
		}
		e = next
	}
	return ""
}
