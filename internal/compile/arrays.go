package compile

import (
	"regexp"
	"strconv"
)

// Arrays of small elements that are accessed in wide words lie well in a GPU's shared memory, whatever their elements ask for.
var (
	arrayLine  = regexp.MustCompile(`(?m)^((?:\s*\.\w+(?:\([^)]*\))?)*?\s*\.shared\b.*? \.align )([1248])( \.b8 \S+\[(\d+)\])`)
	sharedWord = regexp.MustCompile(`(?m)^\s*(?:@!?%p\d+ )?(?:ld|st)\.(?:volatile\.)?shared(?:::\w+)?(?:\.v([24]))?\.\w(\d+)`)
)

// alignArrays aligns arrays of shared memory for the widest words in which the module accesses it. An array that is shorter stays as it is.
func alignArrays(ptx []byte) []byte {
	widest := 0
	for _, m := range sharedWord.FindAllSubmatch(ptx, -1) {
		words, _ := strconv.Atoi(string(m[1]))
		width, _ := strconv.Atoi(string(m[2]))
		widest = max(widest, max(words, 1)*width/8)
	}
	return arrayLine.ReplaceAllFunc(ptx, func(line []byte) []byte {
		m := arrayLine.FindSubmatch(line)
		align, _ := strconv.Atoi(string(m[2]))
		size, _ := strconv.Atoi(string(m[4]))
		if widest <= align || size < widest {
			return line
		}
		return append(strconv.AppendInt(m[1][:len(m[1]):len(m[1])], int64(widest), 10), m[3]...)
	})
}
