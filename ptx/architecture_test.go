package ptx

import "testing"

func TestArchitectures(t *testing.T) {
	for _, c := range []struct {
		target string
		on     int
		runs   bool
	}{
		{"sm_70", 90, true},
		{"sm_90", 89, false},
		{"sm_90a", 90, true},
		{"sm_90a", 100, false},
		{"sm_100f", 103, true},
		{"sm_100f", 120, false},
		{"sm_103f", 100, false},
	} {
		a, ok := ParseArchitecture(c.target)
		if !ok || a.String() != c.target || a.RunsOn(c.on) != c.runs {
			t.Errorf("%s is %v, %v; on %d: %v", c.target, a, ok, c.on, a.RunsOn(c.on))
		}
	}
	for _, name := range []string{"", "sm_", "sm_91", "sm_90b", "compute_90", "90", "debug"} {
		if a, ok := ParseArchitecture(name); ok || a != (Architecture{}) {
			t.Errorf("%q is %v", name, a)
		}
	}
}
