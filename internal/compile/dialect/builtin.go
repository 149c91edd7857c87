package dialect

import (
	"slices"
	"strings"
)

// builtins are the variables that every kernel has, with their types in the CUDA C++ Programming Guide, "Built-in Variables".
var builtins = map[string]string{"threadIdx": "uint3", "blockIdx": "uint3", "blockDim": "dim3", "gridDim": "dim3", "warpSize": "int"}

// redeclarations drops declarations of built-in variables, which nvcc takes: extern const dim3 blockDim; becomes blanks. The
// compiler has them as types of its own. Headers of cuRAND declare them for the host.
func redeclarations(source []byte, tokens []token) (edits []edit) {
	for i := 0; i+3 < len(tokens); i++ {
		if !tokens[i].is("extern") {
			continue
		}
		end := i + 1
		for end < len(tokens) && slices.Contains([]string{"const", "__device__"}, tokens[end].text) {
			end++
		}
		if end+2 >= len(tokens) || !tokens[end+2].is(";") {
			continue
		}
		if of, known := builtins[tokens[end+1].text]; !known || !tokens[end].is(of) {
			continue
		}
		start, stop := tokens[i].start, tokens[end+1].end // the semicolon stays
		blank := strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return ' '
		}, string(source[start:stop]))
		edits = append(edits, edit{start, stop, blank})
	}
	return edits
}
