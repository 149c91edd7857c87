package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"silica/cmd/libsilica/api"
)

// without returns the symbols that have neither a prototype nor a function written in C, with those of per-thread streams.
func without(t *api.Tables, all []prototype, byHand map[string]bool) []string {
	there := map[string]bool{}
	for _, p := range all {
		there[p.symbol] = true
		if p.perThread != "" && !p.byHand {
			there[p.symbol+p.perThread] = true
		}
	}
	var list []string
	for _, s := range t.Symbols() {
		names := []string{s.Name}
		if s.Suffix != "" {
			names = append(names, s.Name+s.Suffix)
		}
		for _, name := range names {
			if !there[name] && !byHand[name] {
				list = append(list, name)
			}
		}
	}
	return list
}

// absentFunctions returns the C file of functions that the library does not have: they answer that they are not supported.
func absentFunctions(list []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n#include \"call.h\"\n#include \"functions_gen.h\"\n\n", notice)
	for _, name := range list {
		enter := "silica_driver"
		if strings.Contains(name, "cuda") {
			enter = "silica_runtime"
		}
		fmt.Fprintf(&b, "int %s(void) { return %s(FUNCTION_%s, 0); }\n", name, enter, name)
	}
	return b.Bytes()
}

// procAddresses returns the C table of cuGetProcAddress, by name and version.
func procAddresses(t *api.Tables) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n#include \"procaddress.h\"\n\n", notice)
	entries := slices.Clone(t.Driver)
	slices.SortFunc(entries, func(a, b api.Entry) int { return strings.Compare(a.Name, b.Name) })
	for _, e := range entries {
		for _, s := range e.Forms {
			fmt.Fprintf(&b, "void %s(void);\n", s.Name)
			if s.Suffix != "" {
				fmt.Fprintf(&b, "void %s%s(void);\n", s.Name, s.Suffix)
			}
		}
	}
	b.WriteString("\nconst struct silica_procedure silica_procedures[] = {\n")
	n := 0
	for _, e := range entries {
		for _, s := range e.Forms {
			perThread := "{0, 0}"
			switch {
			case s.Suffix != "":
				perThread = fmt.Sprintf("{%s%s, %d}", s.Name, s.Suffix, max(s.Since, api.PerThreadVersion))
			case e.Forms[len(e.Forms)-1].Suffix == "":
				perThread = fmt.Sprintf("{%s, %d}", s.Name, s.Since)
			}
			fmt.Fprintf(&b, "\t{%q, {%s, %d}, %s},\n", e.Name, s.Name, s.Since, perThread)
			n++
		}
	}
	fmt.Fprintf(&b, "};\n\nconst int silica_procedure_count = %d;\n", n)
	return b.Bytes()
}

// perThreadHeader returns the header that gives the functions of per-thread default streams their usual names.
func perThreadHeader(all []prototype) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s// The default stream of a program with CUDA_API_PER_THREAD_DEFAULT_STREAM is that of each thread.\n", notice)
	b.WriteString("#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM\n")
	for _, p := range all {
		if p.perThread != "" {
			fmt.Fprintf(&b, "#define %s %s%s\n", p.symbol, p.symbol, p.perThread)
		}
	}
	b.WriteString("#endif\n")
	return b.Bytes()
}

// pointerTypes returns the header of the types of pointers to the functions of the driver API: PFN_NAME_vSINCE, and PFN_NAME for the
// form that the header declares under the name.
func pointerTypes(t *api.Tables, list []prototype) []byte {
	type form struct {
		name  string
		since int
	}
	forms := map[string]form{}
	for _, e := range t.Driver {
		for _, s := range e.Forms {
			forms[s.Name] = form{e.Name, s.Since}
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s// Types of pointers to functions of the driver API, for what cudaGetDriverEntryPoint and cuGetProcAddress find.\n", notice)
	b.WriteString("#ifndef SILICA_CUDA_TYPEDEFS_H\n#define SILICA_CUDA_TYPEDEFS_H\n\n#include \"cuda.h\"\n\n")
	for _, p := range list {
		f, ok := forms[p.symbol]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "typedef %s(CUDAAPI *PFN_%s_v%d)(%s);\n", p.result, f.name, f.since, p.declaration())
		if p.name == f.name {
			fmt.Fprintf(&b, "#define PFN_%s PFN_%s_v%d\n", f.name, f.name, f.since)
		}
	}
	b.WriteString("\n#endif\n")
	return b.Bytes()
}
