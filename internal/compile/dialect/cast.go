package dialect

import "slices"

// wideTypes are the types of more than a byte whose pointers programs make of others: of one word, or built in.
var wideTypes = func() []string {
	types := []string{
		"short", "int", "long", "unsigned", "signed", "float", "double", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
		"half", "__half", "half2", "__half2", "nv_bfloat16", "__nv_bfloat16", "nv_bfloat162", "__nv_bfloat162", "uint", "ushort", "ulong",
	}
	for _, t := range []string{"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong", "ulonglong", "float", "double"} {
		types = append(types, t+"2", t+"4")
	}
	return types
}()

// realigned is the template that stands for reinterpret_cast, of the same length; see include/silica/realigned.h.
const realigned = "silica$realigned"

// throughVoid stands behind a cast.
const throughVoid = "(const volatile void *)"

// casts lets pointers that are made of others have the alignment of what they point to, as nvcc takes them to: clang knows that an array of
// halves is aligned for halves, and would access it in halves.
//
//	*reinterpret_cast<float4 *>(&a[i])   *silica$realigned<float4 *>(&a[i])
//	*(float4 *)&a[i]                     *(float4 *)(const volatile void *)&a[i]
func casts(tokens []token) (edits []edit) {
	for i, t := range tokens {
		switch {
		case t.is("reinterpret_cast") && i+1 < len(tokens) && tokens[i+1].is("<"):
			if end, ok := widePointer(tokens, i+2); ok && tokens[end].is(">") {
				edits = append(edits, edit{t.start, t.end, realigned})
			}
		case t.is("(") && (i == 0 || mayPrecede(tokens[i-1])):
			if end, ok := widePointer(tokens, i+1); ok && tokens[end].is(")") && end+1 < len(tokens) && isOperand(tokens[end+1]) {
				edits = append(edits, edit{tokens[end].end, tokens[end].end, throughVoid})
			}
		}
	}
	return edits
}

// widePointer tells whether a pointer to one of wideTypes is written at token i, with qualifiers, and where the token behind it is.
func widePointer(tokens []token, i int) (end int, ok bool) {
	named := false
	for ; i < len(tokens) && tokens[i].kind == word; i++ {
		switch w := tokens[i].text; {
		case w == "const" || w == "volatile":
		case slices.Contains(wideTypes, w):
			named = true
		case w == "std" && i+1 < len(tokens) && tokens[i+1].is("::"):
			i++
		default:
			return 0, false
		}
	}
	if !named || i >= len(tokens) || !tokens[i].is("*") {
		return 0, false
	}
	for i++; i < len(tokens) && (tokens[i].is("const") || tokens[i].is("__restrict__")); i++ {
	}
	return i, i < len(tokens)
}

// mayPrecede tells whether a cast may stand behind a token: behind names and closing brackets, parentheses hold parameters or arguments.
func mayPrecede(t token) bool {
	if t.kind == word {
		return slices.Contains([]string{"return", "case", "else", "do"}, t.text)
	}
	return t.kind == punctuation && slices.Contains([]string{"*", "=", "(", ",", "&", "{", ";", "}", "+", "-", "?", ":", "!", "[", "&&", "||"}, t.text)
}

// isOperand tells whether what is cast begins with a token.
func isOperand(t token) bool {
	switch t.kind {
	case word:
		return !slices.Contains([]string{"const", "volatile", "noexcept", "override", "final", "requires"}, t.text)
	case literal:
		return true
	}
	return t.is("&") || t.is("*") || t.is("(") || t.is("::")
}
