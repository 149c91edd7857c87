package simd_test

import (
	"context"
	"testing"

	"silica/internal/conform"
	"silica/internal/exec"
	"silica/internal/exec/ref"
	"silica/internal/exec/simd"
)

// recorded is the suite that an H200 recorded. Tests that need it fail when it is missing.
const recorded = "../../../../shared/conformance"

// TestCasesThatPassOnTheReferenceEngine runs the recorded single instructions: what the reference engine does right,
// every vector unit does right.
func TestCasesThatPassOnTheReferenceEngine(t *testing.T) {
	suite, err := conform.Load(recorded)
	if err != nil {
		t.Fatal(err)
	}
	run := func(e exec.Engine, family string) map[string]string {
		failures := map[string]string{}
		err := suite.Run(context.Background(), e, []string{family}, func(r conform.Result) { failures[r.ID] = r.Failure })
		if err != nil {
			t.Fatal(err)
		}
		return failures
	}
	reference, engines := ref.New(), simd.Units()
	for _, family := range suite.Families {
		t.Run(family, func(t *testing.T) {
			want := run(reference, family)
			for _, e := range engines {
				for id, failure := range run(e, family) {
					if failure != "" && want[id] == "" {
						t.Errorf("%s on %s: %s", id, e.VectorUnit(), failure)
					}
				}
			}
		})
	}
}
