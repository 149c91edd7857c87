package isa

import (
	"fmt"
	"slices"
	"strings"
)

// explainMods tells in one line why no row of an opcode has the written modifiers.
func explainMods(patterns []*pattern, opcode string, mods []string) string {
	name := opcode + strings.Join(mods, "")
	known := func(m string) bool {
		return slices.ContainsFunc(patterns, func(p *pattern) bool { return p.known[m] })
	}
	for _, m := range mods {
		switch {
		case known(m):
		case ParseType(m) != NoType:
			return fmt.Sprintf("%s does not take the type %s (%s)", opcode, m, strings.Join(typesOf(patterns), " "))
		default:
			return fmt.Sprintf("unknown modifier %s in %s", m, name)
		}
	}
	types := ""
	for _, m := range mods {
		if ParseType(m) != NoType {
			types += m
		}
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
	best := align(patterns[0], mods)
	for _, p := range patterns[1:] {
		if a := align(p, mods); a.betterThan(best) {
			best = a
		}
	}
	return best.text(opcode, name, types)
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
		if slices.ContainsFunc(patterns, func(p *pattern) bool { _, ok := p.choose(rest, true); return ok }) {
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
	case slices.Contains(n.alts, ".rn") || slices.Contains(n.alts, ".rni"):
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
