package ptx

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Architecture is what PTX is compiled for or to: sm_90, sm_90a, sm_100f.
type Architecture struct {
	SM     int
	Suffix string // "", "a" (this architecture alone) or "f" (its family)
}

func (a Architecture) String() string { return fmt.Sprintf("sm_%d%s", a.SM, a.Suffix) }

// ParseArchitecture reads an architecture as PTX names it; ok tells whether PTX knows it.
func ParseArchitecture(name string) (a Architecture, ok bool) {
	if _, ok = targets[name]; !ok {
		return Architecture{}, false
	}
	number := strings.TrimPrefix(name, "sm_")
	digits := strings.TrimRight(number, "af")
	a.SM, _ = strconv.Atoi(digits)
	a.Suffix = number[len(digits):]
	return a, true
}

// Architecture returns what a checked module is compiled for.
func (m *Module) Architecture() Architecture {
	for _, name := range m.Target {
		if a, ok := ParseArchitecture(name); ok {
			return a
		}
	}
	return Architecture{}
}

// RunsOn tells whether PTX for the architecture can be compiled for a GPU of another; the suffix of that one does not matter.
func (a Architecture) RunsOn(sm int) bool {
	switch a.Suffix {
	case "a":
		return sm == a.SM
	case "f":
		return sm/10 == a.SM/10 && sm >= a.SM
	default:
		return sm >= a.SM
	}
}

// Compare orders architectures by how much of a GPU their PTX can use.
func (a Architecture) Compare(b Architecture) int {
	return cmp.Or(cmp.Compare(a.SM, b.SM), cmp.Compare(generality(b.Suffix), generality(a.Suffix)))
}

// generality orders suffixes: what fewer GPUs run comes first.
func generality(suffix string) int { return slices.Index([]string{"a", "f", ""}, suffix) }
