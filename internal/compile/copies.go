package compile

import (
	"fmt"
	"regexp"
)

// The vector types of 16 bytes are structures for clang, and copying one from memory to memory is a memcpy, which it makes two accesses of 8
// bytes of. For NVIDIA's compiler, and for the programs whose tiles are copied so, it is one load and one store.

// quadTypes are the vector types of 16 bytes.
var quadTypes = []string{"float4", "int4", "uint4", "double2", "longlong2", "ulonglong2", "long2", "ulong2"}

var (
	memcpyLine    = regexp.MustCompile(`(?m)^(\s*)(?:(?:tail|musttail|notail) )?call void @llvm\.memcpy\.p\d+\.p\d+\.i\d+\((.*), i\d+ 16, i1 false\)(.*)$`)
	memcpyPointer = regexp.MustCompile(`^ptr( addrspace\(\d+\))? .*?\balign (\d+)\b.*?((?:%|@|getelementptr |addrspacecast |inttoptr ).*)$`)
	secondPointer = regexp.MustCompile(`, ptr (?:addrspace\(\d+\) )?(?:noundef|nonnull|noalias|readonly|writeonly|nocapture|align) `)
	debugLocation = regexp.MustCompile(`, !dbg !\d+`)
)

// copyQuads makes a load and a store of each copy of 16 bytes that are aligned for it, in the intermediate representation.
func copyQuads(ir []byte) []byte {
	count := 0
	return memcpyLine.ReplaceAllFunc(ir, func(line []byte) []byte {
		m := memcpyLine.FindSubmatch(line)
		cut := secondPointer.FindIndex(m[2])
		if cut == nil {
			return line
		}
		to, from := memcpyPointer.FindSubmatch(m[2][:cut[0]]), memcpyPointer.FindSubmatch(m[2][cut[0]+len(", "):])
		if to == nil || from == nil || !quadAligned(to[2]) || !quadAligned(from[2]) {
			return line
		}
		count++
		location := debugLocation.Find(m[3])
		return fmt.Appendf(nil, "%[1]s%%silica.quad.%[2]d = load <4 x i32>, ptr%[3]s %[4]s, align 16%[7]s\n%[1]sstore <4 x i32> %%silica.quad.%[2]d, ptr%[5]s %[6]s, align 16%[7]s",
			m[1], count, from[1], from[3], to[1], to[3], location)
	})
}

// quadAligned tells whether an alignment, a power of two as written, is that of 16 bytes or more.
func quadAligned(text []byte) bool { return len(text) > 1 }
