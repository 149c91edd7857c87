package isa

import "testing"

// TestEnumsAreNamed checks that no Op, Unit, Class, Space or Type is without a name.
func TestEnumsAreNamed(t *testing.T) {
	for o := OpNone; o < opCount; o++ {
		if o.String() == "" {
			t.Errorf("Op %d has no name", o)
		}
	}
	for u := NoUnit; u < unitCount; u++ {
		if u.String() == "" {
			t.Errorf("Unit %d has no name", u)
		}
	}
	for c := ClassMisc; c < classCount; c++ {
		if c.String() == "" {
			t.Errorf("Class %d has no name", c)
		}
	}
	for s := Generic; s < spaceCount; s++ {
		if s.String() == "" {
			t.Errorf("Space %d has no name", s)
		}
	}
	for x := B8; x < typeCount; x++ {
		if ParseType(x.String()) != x {
			t.Errorf("type %d (%q) does not parse back", x, x)
		}
	}
}

// TestEveryOpHasARow checks that no Op is left that no instruction uses, and that atomics have their semantics.
func TestEveryOpHasARow(t *testing.T) {
	used := map[Op]bool{OpNone: true}
	for _, r := range Rows() {
		used[r.Op] = true
		if (r.Op == OpAtom || r.Op == OpRed) != (r.Combine != nil) {
			t.Errorf("%s: Combine is for OpAtom and OpRed", r.Syntax)
		}
	}
	for o := OpNone; o < opCount; o++ {
		if !used[o] {
			t.Errorf("no row has Op %s", o)
		}
	}
}
