package compile

import (
	"regexp"
	"strconv"
)

// Programs look at arrays of small elements in wide words: halves as uint4. Such an array that stays in local memory has the alignment
// of its elements, and where NVIDIA's compiler happens to place it well, LLVM may not; what the program reads and writes faults
// then, here as on a GPU.
var (
	localLine  = regexp.MustCompile(`(?m)^\t\.local \.align (\d+) \.b8 \t__local_depot|^(?:\.\w+ )*\.(?:func|entry) |^\s*(?:@!?%p\d+ )?(?:ld|st)\.local(?:\.volatile)?(?:\.v([24]))?\.\w(\d+)`)
	allocation = regexp.MustCompile(`(?m)^(\s*%[\w.]+ = alloca [\[%<{].*?, align )[1248]\b`)
)

// narrowLocals tells whether a function of the PTX accesses its local memory in words that are wider than that is aligned.
func narrowLocals(ptx []byte) bool {
	align := 0 // of the function's local memory; 0 when it has none
	for _, m := range localLine.FindAllSubmatch(ptx, -1) {
		number := func(i int) int { n, _ := strconv.Atoi(string(m[i])); return n }
		switch {
		case m[1] != nil:
			align = number(1)
		case m[3] == nil:
			align = 0
		case align > 0 && max(number(2), 1)*number(3)/8 > align:
			return true
		}
	}
	return false
}

// alignLocals aligns the arrays and structures of functions, in the intermediate representation, for all words.
func alignLocals(ir []byte) []byte { return allocation.ReplaceAll(ir, []byte("${1}16")) }
