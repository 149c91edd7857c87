package exec

import "testing"

func TestStandings(t *testing.T) {
	for _, c := range []struct {
		all  []Standing
		want string
	}{
		{nil, ""},
		{[]Standing{{Warp: 3, Where: "at a"}}, "warp 3 runs at a"},
		{[]Standing{{Warp: 2, Where: "at a"}, {Warp: 0, Where: "at a"}, {Warp: 1, Where: "at a"}}, "warps 0 to 2 run at a"},
		{[]Standing{{Warp: 0, Waits: true, Where: "at b"}, {Warp: 2, Waits: true, Where: "at b"}, {Warp: 1, Where: "at b"}}, "warps 0, 2 wait at b; warp 1 runs at b"},
		{[]Standing{{Warp: 1, Lanes: 0xF, Waits: true, Where: "at b"}}, "lanes 0x0000000f of warp 1 wait at b"},
		{[]Standing{{Warp: 1, Lanes: 0xF, Where: "at b"}, {Warp: 4, Where: "at b"}}, "warp 4, lanes 0x0000000f of warp 1 run at b"},
		{[]Standing{{Where: "1"}, {Where: "2"}, {Where: "3"}, {Where: "4"}, {Where: "5"}, {Where: "6"}},
			"warp 0 runs 1; warp 0 runs 2; warp 0 runs 3; warp 0 runs 4; and 2 more places"},
		{[]Standing{{Warp: 0, Where: "x"}, {Warp: 2, Where: "x"}, {Warp: 4, Where: "x"}, {Warp: 6, Where: "x"}, {Warp: 8, Where: "x"}},
			"warps 0, 2, 4, 6 and others run x"},
	} {
		if got := Standings(c.all); got != c.want {
			t.Errorf("%+v: %q, want %q", c.all, got, c.want)
		}
	}
}
