package profile

import "testing"

func TestElapsed(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0 ns", 999.4: "999 ns", 999.6: "1.00 us", 9994: "9.99 us", 9996: "10.0 us", 12345: "12.3 us", 999400: "999 us", 999600: "1.00 ms", 1234567: "1.23 ms",
		999.6e6: "1.00 s", 1234e9: "1234 s",
	} {
		if got := Elapsed(ns); got != want {
			t.Errorf("%v ns: %q, want %q", ns, got, want)
		}
	}
}
