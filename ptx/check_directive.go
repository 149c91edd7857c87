package ptx

import (
	"fmt"
	"math"
	"slices"
)

// functionDirectives checks the directives between the head and the body of a function.
func (c *checker) functionDirectives(f *Function) {
	seen := make(map[string]bool)
	for _, d := range f.Directives {
		rule, ok := functionRules[d.Name]
		switch {
		case !ok: // .pragma
			continue
		case seen[d.Name]:
			c.errs.add(d.Pos, "%s is given twice", d.Name)
		case rule.entry != f.Entry:
			c.errs.add(d.Pos, "%s is for %s", d.Name, functionKind(rule.entry))
		case len(d.Args) < rule.least || len(d.Args) > rule.most:
			c.errs.add(d.Pos, "%s takes %s", d.Name, countText(rule.least, rule.most))
		case slices.Contains(d.Args, 0) && rule.entry && d.Name != ".minnctapersm":
			c.errs.add(d.Pos, "%s must not be 0", d.Name)
		case (d.Name == ".maxntid" || d.Name == ".reqntid") && product(d.Args) > c.maxThreads():
			c.errs.add(d.Pos, "%s asks for %d threads: a block has at most %d", d.Name, product(d.Args), c.maxThreads())
		default:
			c.need(d.Pos, d.Name, rule.ptx, rule.sm)
		}
		seen[d.Name] = true
	}
	switch {
	case seen[".maxntid"] && seen[".reqntid"]:
		c.errs.add(f.Pos, ".maxntid and .reqntid exclude each other")
	case seen[".blocksareclusters"] && !(seen[".reqntid"] && seen[".reqnctapercluster"]):
		c.errs.add(f.Pos, ".blocksareclusters needs .reqntid and .reqnctapercluster")
	case seen[".reqnctapercluster"] && seen[".maxclusterrank"]:
		c.errs.add(f.Pos, ".reqnctapercluster and .maxclusterrank exclude each other")
	}
	if f.Noreturn {
		c.need(f.Pos, ".noreturn", 64, 30)
		if len(f.Returns) > 0 {
			c.errs.add(f.Pos, "a .noreturn function has no results")
		}
		if f.Entry {
			c.errs.add(f.Pos, ".noreturn is for %s", functionKind(false))
		}
	}
}

// functionRule tells where a directive may stand and how many arguments it takes.
type functionRule struct {
	entry       bool
	least, most int
	ptx, sm     int
}

var functionRules = map[string]functionRule{
	".maxnreg":              {true, 1, 1, 13, 0},
	".maxntid":              {true, 1, 3, 13, 0},
	".reqntid":              {true, 1, 3, 21, 0},
	".minnctapersm":         {true, 1, 1, 20, 0},
	".maxnctapersm":         {true, 1, 1, 13, 0},
	".maxclusterrank":       {true, 1, 1, 78, 90},
	".reqnctapercluster":    {true, 1, 3, 78, 90},
	".explicitcluster":      {true, 0, 0, 78, 90},
	".blocksareclusters":    {true, 0, 0, 90, 90},
	".abi_preserve":         {false, 1, 1, 90, 80},
	".abi_preserve_control": {false, 1, 1, 90, 80},
}

func functionKind(entry bool) string {
	if entry {
		return "an .entry"
	}
	return "a .func"
}

func countText(least, most int) string {
	switch {
	case most == 0:
		return "no argument"
	case least == most:
		return fmt.Sprintf("%d argument%s", least, plural(least))
	}
	return fmt.Sprintf("%d to %d arguments", least, most)
}

// product returns the product of block dimensions, or a number beyond all limits.
func product(args []int) int {
	n := 1
	for _, a := range args {
		if a > math.MaxInt32 || n > math.MaxInt32 {
			return math.MaxInt32
		}
		n *= a
	}
	return n
}

// maxThreads returns how many threads a block of the target may have.
func (c *checker) maxThreads() int {
	if c.ctx.SM > 0 && c.ctx.SM < 20 {
		return 512
	}
	return 1024
}
