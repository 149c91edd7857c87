package validate

import (
	"os"
	"slices"
	"strings"
	"testing"

	"silica/gpu"
	"silica/internal/truth"
)

// TestTiming compares the cycles of the model with those of the H200. It needs ../shared.
func TestTiming(t *testing.T) {
	suite, err := truth.Load("../../../shared/truth/h200")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../../docs/accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	var results []Timing
	for _, c := range suite.Cases {
		if slices.Contains(modelled, c.ID) {
			r := Time(t.Context(), c, Options{GPU: g, Engine: "simd"})
			if !strings.Contains(string(document), r.Row()) {
				t.Errorf("docs/accuracy.md has another row for %s (make accuracy): %s", c.ID, r.Row())
			}
			results = append(results, r)
		}
	}
	s := SummariseTiming(results)
	if s.Cases != len(modelled) || s.Cycles > 0.2 || s.Correlation < 0.95 || s.Stalls < 0.6 {
		var text strings.Builder
		TimingText(&text, results)
		t.Errorf("the model is farther from the chip than it was:\n%s", text.String())
	}
}
