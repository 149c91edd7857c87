package driver

import (
	"fmt"
	"strconv"
	"strings"

	"silica/gpu"
	"silica/ptx"
)

// target is the architecture that a module is compiled for: sm_90, sm_90a, sm_100f.
type target struct {
	sm     int
	suffix string // "", "a" (this architecture alone) or "f" (its family)
}

func (t target) String() string { return fmt.Sprintf("sm_%d%s", t.sm, t.suffix) }

// targetOf returns the architecture of a checked module.
func targetOf(m *ptx.Module) target {
	for _, name := range m.Target {
		if t := parseTarget(name); t != (target{}) {
			return t
		}
	}
	return target{}
}

// parseTarget reads an architecture as PTX names it; the answer is zero for other names.
func parseTarget(name string) target {
	number, ok := strings.CutPrefix(name, "sm_")
	digits := strings.TrimRight(number, "af")
	sm, err := strconv.Atoi(digits)
	if !ok || err != nil {
		return target{}
	}
	return target{sm, number[len(digits):]}
}

// runsOn tells whether PTX of the target can be compiled for a compute capability.
func (t target) runsOn(c gpu.Capability) bool {
	switch have := c.Major*10 + c.Minor; t.suffix {
	case "a":
		return have == t.sm
	case "f":
		return c.Major == t.sm/10 && have >= t.sm
	default:
		return have >= t.sm
	}
}
