package cppname

import "testing"

func TestNames(t *testing.T) {
	for _, c := range []struct{ name, short, readable string }{
		{"saxpy", "saxpy", "saxpy"},
		{"_Z4spinPVi", "spin", "spin(int volatile*)"},
		{"_Z12matmul_tiledILi32EEvPKfPfi", "matmul_tiled<32>", "void matmul_tiled<32>(float const*, float*, int)"},
		{"_ZN8__main__3addB2v1B4c8tJE5ArrayIfLi1E1C7mutable7alignedE", "__main__::add", "__main__::add(Array<float, 1, C, mutable, aligned>)"},
		{"_Zebra", "_Zebra", "_Zebra"},
	} {
		if got := Short(c.name); got != c.short {
			t.Errorf("%s: short %q, want %q", c.name, got, c.short)
		}
		want := "a.cu:3:7: illegal address in " + c.readable + ": block (0,0,0)"
		if got := Readable("a.cu:3:7: illegal address in " + c.name + ": block (0,0,0)"); got != want {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
		if exact := `there is no kernel "k"; it has "` + c.name + `"`; Readable(exact) != exact {
			t.Errorf("%s becomes %s", exact, Readable(exact))
		}
	}
}
