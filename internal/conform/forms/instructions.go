package forms

import (
	"strings"

	"silica/internal/isa"
)

// Instructions returns forms of every row up to sm_90, of each row about limit, and the near misses of near of these.
// Rows of textures, of wgmma and of calls are left out: their operands need declarations of their own.
func Instructions(limit, near int) []string {
	var list []string
	seen := map[string]bool{}
	add := func(in Instruction) {
		if text := in.String(); !seen[text] {
			seen[text] = true
			list = append(list, text)
		}
	}
	for _, row := range isa.Rows() {
		if row.Since.SM > 90 || row.Unit == isa.TEX || row.Op == isa.OpCall || strings.HasPrefix(row.Syntax, "wgmma") {
			continue
		}
		spelled := row.Spellings(limit)
		for i := range spelled {
			add(Write(&spelled[i]))
		}
		stride := max(1, len(spelled)/max(near, 1))
		for i := stride / 2; near > 0 && i < len(spelled); i += stride {
			for _, in := range Misses(&spelled[i]) {
				add(in)
			}
		}
	}
	return list
}
