package randptx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"silica/internal/exec"
	"silica/internal/exec/ref"
	"silica/internal/exec/simd"
)

// Engines are compared with each other: the outcome of every one has to be that of the oracle.
type Engines struct {
	oracle  exec.Engine
	engines []*simd.Engine
}

// NewEngines returns the reference engine as the oracle, and the default engine with each vector unit of this CPU.
func NewEngines() *Engines { return &Engines{oracle: ref.New(), engines: simd.Units()} }

// Compare runs the program on all engines and returns the first difference, "" when there is none, and the outcome on the oracle. A
// program that does not load, or that faults on the oracle and on the others alike, is an error.
func (es *Engines) Compare(ctx context.Context, p *Program) (difference string, want *Outcome, err error) {
	difference, want, err = es.compare(ctx, p)
	if err == nil && difference == "" && want.Err != "" {
		err = fmt.Errorf("the program is not legal: %s", want.Err)
	}
	return difference, want, err
}

func (es *Engines) compare(ctx context.Context, p *Program) (difference string, want *Outcome, err error) {
	kernel, err := p.Kernel()
	if err != nil {
		return "", nil, err
	}
	if want, err = p.Run(ctx, es.oracle, kernel); err != nil {
		return "", nil, err
	}
	for _, e := range es.engines {
		got, err := p.Run(ctx, e, kernel)
		if err != nil {
			return "", nil, err
		}
		if d := p.Difference(want, got); d != "" {
			return e.VectorUnit() + ": " + d, want, nil
		}
	}
	return "", want, nil
}

// Minimize removes lines from a program as long as the engines differ, and returns what is left.
func (es *Engines) Minimize(ctx context.Context, p *Program) *Program {
	return p.Minimize(func(smaller *Program) bool {
		difference, _, err := es.compare(ctx, smaller)
		return err == nil && difference != ""
	})
}

// Minimize removes lines from a program as long as what is left is still interesting, and returns it: functions, then halves of what
// may go between the marks, quarters, and so on to single lines, until nothing can go.
func (p *Program) Minimize(interesting func(*Program) bool) *Program {
	lines := strings.Split(p.Source, "\n")
	with := func(lines []string) *Program {
		smaller := *p
		smaller.Source = strings.Join(lines, "\n")
		return &smaller
	}
	try := func(rest []string) bool {
		if !interesting(with(rest)) {
			return false
		}
		lines = rest
		return true
	}
	for removed := true; removed; {
		removed = false
		for at := 0; at < len(lines); {
			end := endOfFunction(lines, at)
			if end == at || !try(slices.Delete(slices.Clone(lines), at, end)) {
				at++
			}
		}
		for size := len(lines) / 2; size >= 1; size /= 2 {
			for at := 0; at+size <= len(lines); {
				rest := without(lines, at, size)
				if len(rest) < len(lines) && try(rest) {
					removed = true
				} else {
					at += size
				}
			}
		}
	}
	return with(lines)
}

// endOfFunction returns where the device function ends that begins at a line, at itself when none does.
func endOfFunction(lines []string, at int) int {
	if !strings.HasPrefix(lines[at], ".func") {
		return at
	}
	end := at
	for ; end < len(lines) && !strings.HasSuffix(lines[end], "}"); end++ {
	}
	return min(end+1, len(lines))
}

// without returns the lines but for those of a range that stand between the marks.
func without(lines []string, at, size int) []string {
	var rest []string
	inside := false
	for i, line := range lines {
		inside = (inside || line == beginMark) && line != endMark
		if inside && line != beginMark && at <= i && i < at+size {
			continue
		}
		rest = append(rest, line)
	}
	return rest
}
