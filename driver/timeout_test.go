package driver

import (
	"testing"
	"time"
)

func TestParseTimeout(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"10s": 10 * time.Second, "1m30s": 90 * time.Second, "300ms": 300 * time.Millisecond,
		"5": 5 * time.Second, "0.25": 250 * time.Millisecond,
	} {
		if got, err := ParseTimeout(text); got != want || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "-1s", "soon", "5 s", "inf", "nan", "1e99", "0x10"} {
		if got, err := ParseTimeout(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}
