package isa

import "testing"

func TestSpecial(t *testing.T) {
	for _, test := range []struct {
		name   string
		ok     bool
		typ    Type
		varies Variation
	}{
		{"%tid", true, U32, PerThread},
		{"%tid.z", true, U32, PerThread},
		{"%tid.q", false, NoType, PerLaunch},
		{"%laneid.x", false, NoType, PerLaunch},
		{"%ctaid.y", true, U32, PerBlock},
		{"%clock64", true, U64, Dynamic},
		{"%is_explicit_cluster", true, Pred, PerLaunch},
		{"%envreg31", true, B32, PerLaunch},
		{"%envreg32", false, NoType, PerLaunch},
		{"%pm7_64", true, U64, Dynamic},
		{"tid", false, NoType, PerLaunch},
	} {
		r, ok := Special(test.name)
		if ok != test.ok || ok && (r.Type != test.typ || r.Varies != test.varies) {
			t.Errorf("%s: %v %v %v, want %v %v %v", test.name, ok, r.Type, r.Varies, test.ok, test.typ, test.varies)
		}
	}
}
