package dialect

import "slices"

// Words that may stand before alignas for nvcc, though C++ wants it first: qualifiers of memory, of which there is at least
// one, and the specifiers around them.
var (
	memoryQualifiers = []string{"__shared__", "__device__", "__constant__", "__managed__"}
	specifiers       = append([]string{"static", "extern", "inline", "constexpr", "const", "volatile"}, memoryQualifiers...)
)

// alignments puts alignas before the specifiers that it follows: __shared__ alignas(16) becomes alignas(16) __shared__, of the
// same length.
func alignments(source []byte, tokens []token) (edits []edit) {
	for i, t := range tokens {
		if !t.is("alignas") {
			continue
		}
		first, memory := i, false
		for first > 0 && slices.Contains(specifiers, tokens[first-1].text) {
			first--
			memory = memory || slices.Contains(memoryQualifiers, tokens[first].text)
		}
		end, ok := closing(tokens, i+1)
		if !memory || !ok {
			continue
		}
		start, gap := tokens[first].start, tokens[i-1].end
		text := string(source[t.start:end]) + string(source[gap:t.start]) + string(source[start:gap])
		edits = append(edits, edit{start, end, text})
	}
	return edits
}

// closing returns where the parenthesis ends that opens at token i.
func closing(tokens []token, i int) (end int, ok bool) {
	depth := 0
	for ; i < len(tokens); i++ {
		switch {
		case tokens[i].is("("):
			depth++
		case tokens[i].is(")"):
			depth--
		}
		if depth == 0 {
			return tokens[i].end, tokens[i].is(")")
		}
	}
	return 0, false
}
