package profile

import "github.com/ianlancetaylor/demangle"

// readableName returns the C++ name of a mangled one, without parameters: "matmul_tiled<32>". Names that are not mangled
// stay as they are.
func readableName(mangled string) string {
	return demangle.Filter(mangled, demangle.NoParams, demangle.NoEnclosingParams)
}
