// Package cppname writes the mangled names of C++ as people know them. Names of kernels stay mangled where programs look them up;
// whatever a user sees goes through here.
package cppname

import (
	"regexp"

	"github.com/ianlancetaylor/demangle"
)

var (
	mangled = regexp.MustCompile(`"?\b_Z\w+`)
	// abiTags stand behind names for the linker alone; Numba puts a hash there.
	abiTags = regexp.MustCompile(`\[abi:\w+\]`)
)

// Short returns the C++ name of a mangled one, without parameters: "matmul_tiled<32>". Names that are not mangled stay as they
// are.
func Short(name string) string {
	return abiTags.ReplaceAllString(demangle.Filter(name, demangle.NoParams, demangle.NoEnclosingParams), "")
}

// Readable returns a text with each mangled name in it as it is declared: matmul_tiled<32>(float*, int). A name in quotes stays:
// it is one to look up.
func Readable(text string) string {
	return mangled.ReplaceAllStringFunc(text, func(name string) string {
		if name[0] == '"' {
			return name
		}
		return abiTags.ReplaceAllString(demangle.Filter(name), "")
	})
}
