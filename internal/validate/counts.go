package validate

import (
	"context"
	"errors"

	"silica/driver"
	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/truth"
)

// counter is a tracer that asks for the counts of instructions and nothing else.
type counter struct {
	kernel *ir.Kernel
	stats  *exec.Stats
}

// Launch asks for counts.
func (c *counter) Launch(_ *driver.Function, l *exec.Launch) func(*exec.Stats, error) {
	l.Count = true
	return func(stats *exec.Stats, err error) {
		if err == nil {
			c.kernel, c.stats = l.Kernel, stats
		}
	}
}

// count runs a case and returns how often each instruction of its kernel was executed.
func count(ctx context.Context, c *truth.Case, o Options) (*ir.Kernel, *exec.Stats, error) {
	var t counter
	problem, err := run(ctx, c, o, &t)
	switch {
	case err != nil:
		return nil, nil, err
	case problem != "":
		return nil, nil, errors.New(problem)
	case t.stats == nil:
		return nil, nil, errors.New("the launch gave no counts")
	}
	return t.kernel, t.stats, nil
}
