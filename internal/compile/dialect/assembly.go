package dialect

import "slices"

// assembly puts the commas between operands of asm statements that nvcc does without: "r"(a) "l"(b) becomes "r"(a), "l"(b).
func assembly(tokens []token) (edits []edit) {
	for i := 0; i < len(tokens); i++ {
		if !slices.Contains([]string{"asm", "__asm__", "__asm"}, tokens[i].text) || tokens[i].kind != word {
			continue
		}
		open := i + 1
		for open < len(tokens) && tokens[open].kind == word {
			open++ // volatile
		}
		if open >= len(tokens) || !tokens[open].is("(") {
			continue
		}
		end, ok := closing(tokens, open)
		if !ok {
			continue
		}
		depth := 0
		for i = open; tokens[i].end < end; i++ {
			switch next := tokens[i+1]; {
			case tokens[i].is("("):
				depth++
			case tokens[i].is(")"):
				depth--
				if depth == 1 && next.kind == literal && next.text[0] == '"' {
					edits = append(edits, edit{tokens[i].end, tokens[i].end, ","})
				}
			}
		}
	}
	return edits
}
