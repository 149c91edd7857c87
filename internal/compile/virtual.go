package compile

import "regexp"

// noFunction matches what clang declares for the entry of a virtual function that there is not, in the table of a class with pure or
// deleted ones. On the host it is the C++ library's.
var noFunction = regexp.MustCompile(`(?m)^\.extern \.func (__cxa_(?:pure|deleted)_virtual)\s*\(\)\s*;$`)

// defineVirtual gives the PTX that function, whose call ends the kernel.
func defineVirtual(ptx []byte) []byte {
	return noFunction.ReplaceAll(ptx, []byte(".weak .func $1()\n{\n\ttrap;\n\tret;\n}"))
}
