//go:build !amd64

package simd

func units() []*vectorUnit { return []*vectorUnit{portableUnit()} }

// enter leaves the step to Go.
func enter(m *machine, s *step) {}

func resetControl() {}
