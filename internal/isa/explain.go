package isa

import (
	"fmt"
	"slices"
	"strings"
)

// explainMods tells in one line why no row of an opcode has the written modifiers.
func explainMods(patterns []*pattern, opcode string, mods []string) string {
	name := opcode + strings.Join(mods, "")
	if len(patterns) == 0 {
		return name + " does not exist"
	}
	types := ""
	for _, m := range mods {
		if ParseType(m) != NoType {
			types += m
		}
	}
	for _, m := range mods {
		switch {
		case slices.ContainsFunc(patterns, func(p *pattern) bool { return p.known[m] }):
		case ParseType(m) != NoType:
			return fmt.Sprintf("%s does not take the type %s (%s)", opcode, m, strings.Join(typesOf(patterns), " "))
		case rowIndex().mods[m] && types != "":
			return fmt.Sprintf("modifier %s does not apply to %s in %s", m, types, opcode)
		case rowIndex().mods[m]:
			return fmt.Sprintf("modifier %s does not apply in %s", m, name)
		default:
			return fmt.Sprintf("unknown modifier %s in %s", m, name)
		}
	}
	var alignments []alignment
	for _, p := range patterns {
		alignments = append(alignments, align(p, mods))
	}
	if missing := missingMod(alignments, types != ""); missing.alts != nil {
		return fmt.Sprintf("%s needs %s", name, missing.describe())
	}
	surplus := surplusMods(patterns, mods)
	switch {
	case len(surplus) > 1:
		return fmt.Sprintf("modifiers %s and %s can not be combined in %s", surplus[0], surplus[1], name)
	case len(surplus) == 1 && types != "":
		return fmt.Sprintf("modifier %s does not apply to %s in %s", surplus[0], types, opcode)
	case len(surplus) == 1:
		return fmt.Sprintf("modifier %s does not apply in %s", surplus[0], name)
	}
	best := alignments[0]
	for _, a := range alignments[1:] {
		if a.betterThan(best) {
			best = a
		}
	}
	return best.text(opcode, name, types)
}

// missingMod collects what the written modifiers lack where they lack one only: the alternatives of that
// position, in all rows; types only when none is written. It has no alternatives when there is no such row.
func missingMod(alignments []alignment, typed bool) (missing modNode) {
	for _, a := range alignments {
		if len(a.extra) > 0 || len(a.missing) != 1 {
			continue
		}
		for _, alt := range a.missing[0].alts {
			if !(typed && ParseType(alt) != NoType) && !slices.Contains(missing.alts, alt) {
				missing.alts = append(missing.alts, alt)
			}
		}
	}
	return missing
}

// typesOf lists the types the rows of an opcode take.
func typesOf(patterns []*pattern) []string {
	var types []string
	for _, p := range patterns {
		for _, n := range flatten(p.mods) {
			for _, alt := range n.alts {
				if ParseType(alt) != NoType && !slices.Contains(types, alt) {
					types = append(types, alt)
				}
			}
		}
	}
	return types
}

// surplusMods returns the modifiers (not types) any one of which, when left out, gives a legal combination.
func surplusMods(patterns []*pattern, mods []string) []string {
	var surplus []string
	for i, m := range mods {
		if ParseType(m) != NoType {
			continue
		}
		rest := slices.Delete(slices.Clone(mods), i, i+1)
		if slices.ContainsFunc(patterns, func(p *pattern) bool { _, _, ok := p.choose(rest, true); return ok }) {
			surplus = append(surplus, m)
		}
	}
	return surplus
}

// flatten lists the modifiers of a pattern, those of optional sequences as optional.
func flatten(nodes []modNode) []modNode {
	var flat []modNode
	for _, n := range nodes {
		if n.seq == nil {
			flat = append(flat, n)
			continue
		}
		for _, inner := range flatten(n.seq) {
			inner.optional = true
			flat = append(flat, inner)
		}
	}
	return flat
}

// alignment is the longest common order of a pattern and the written modifiers.
type alignment struct {
	score   int
	extra   []string  // written, with no place in the pattern
	missing []modNode // wanted by the pattern, not written
}

func (a alignment) betterThan(b alignment) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	return len(a.extra)+len(a.missing) < len(b.extra)+len(b.missing)
}

// align finds the alignment with the most matches; a type counts for more than another modifier.
func align(p *pattern, mods []string) alignment {
	nodes := flatten(p.mods)
	weight := func(i, j int) int {
		switch {
		case !slices.Contains(nodes[i].alts, mods[j]):
			return 0
		case ParseType(mods[j]) != NoType:
			return 3
		}
		return 2
	}
	// best[i][j] is the best score of nodes[i:] against mods[j:].
	best := make([][]int, len(nodes)+1)
	for i := range best {
		best[i] = make([]int, len(mods)+1)
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		for j := len(mods) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if w := weight(i, j); w > 0 {
				best[i][j] = max(best[i][j], best[i+1][j+1]+w)
			}
		}
	}
	a := alignment{score: best[0][0]}
	i, j := 0, 0
	for i < len(nodes) || j < len(mods) {
		switch {
		case i < len(nodes) && j < len(mods) && weight(i, j) > 0 && best[i][j] == best[i+1][j+1]+weight(i, j):
			i, j = i+1, j+1
		case i < len(nodes) && (j == len(mods) || best[i][j] == best[i+1][j]):
			if !nodes[i].optional {
				a.missing = append(a.missing, nodes[i])
			}
			i++
		default:
			a.extra = append(a.extra, mods[j])
			j++
		}
	}
	return a
}

// text puts an alignment into words.
func (a alignment) text(opcode, name, types string) string {
	if len(a.extra) > 0 && ParseType(a.extra[0]) != NoType {
		return fmt.Sprintf("%s has no form with %s %s", opcode, plural("type", strings.Count(types, ".")), types)
	}
	needs := ""
	if len(a.missing) > 0 {
		needs = a.missing[0].describe()
	}
	switch {
	case len(a.extra) > 0 && needs != "":
		return fmt.Sprintf("modifier %s does not apply to %s in %s: %s is wanted", a.extra[0], types, opcode, needs)
	case len(a.extra) > 0:
		return fmt.Sprintf("modifier %s does not apply in %s", a.extra[0], name)
	case needs != "":
		return fmt.Sprintf("%s needs %s", name, needs)
	}
	return fmt.Sprintf("the modifiers of %s are not in order", name)
}

// describe names what a modifier position wants.
func (n modNode) describe() string {
	alts := strings.Join(n.alts, " ")
	switch {
	case len(n.alts) == 1:
		return alts
	case !slices.ContainsFunc(n.alts, func(alt string) bool { return !strings.HasPrefix(alt, ".r") || len(alt) > 4 }):
		return "a rounding modifier (" + alts + ")"
	case ParseType(n.alts[0]) != NoType:
		return "a type (" + alts + ")"
	}
	return "one of " + alts
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
