package driver

import (
	_ "embed"
	"slices"
	"sync"

	"silica/internal/ir"
	"silica/ptx"
)

// libraryText defines the functions of CUDA's device runtime library that are PTX here.
//
//go:embed library.ptx
var libraryText []byte

// libraryFunctions names the functions of the library.
var libraryFunctions = sync.OnceValue(func() (names []string) {
	library, err := parseLibrary()
	if err != nil {
		return nil // a test parses it
	}
	for _, d := range library.Decls {
		if f, ok := d.(*ptx.Function); ok {
			names = append(names, f.Name)
		}
	}
	return names
})

// Unresolved names the functions that a module declares and that nothing defines: not the module, nor the engines, nor the
// device runtime.
func Unresolved(m *ptx.Module) (names []string) {
	for _, name := range ptx.Undefined(m) {
		if ir.SystemFunction(name) == "" && !slices.Contains(libraryFunctions(), name) {
			names = append(names, name)
		}
	}
	return names
}

// resolve links a parsed module with the library when the module declares a function of it.
func resolve(m *ptx.Module) (*ptx.Module, error) {
	functions := libraryFunctions()
	if !slices.ContainsFunc(ptx.Undefined(m), func(name string) bool { return slices.Contains(functions, name) }) {
		return m, nil
	}
	library, err := parseLibrary()
	if err != nil {
		return nil, err
	}
	return ptx.Link(m, library)
}

func parseLibrary() (*ptx.Module, error) { return ptx.Parse("library.ptx", libraryText) }
