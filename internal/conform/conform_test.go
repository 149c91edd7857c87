package conform

import (
	"context"
	"testing"

	"silica/internal/exec"
	"silica/internal/exec/ref"
	"silica/internal/exec/simd"
)

// recorded is the suite that an H200 recorded. Tests that need it fail when it is missing.
const recorded = "../../../shared/conformance"

func TestFamiliesPassOnBothEngines(t *testing.T) {
	suite, err := Load(recorded)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []exec.Engine{ref.New(), simd.New()} {
		for _, family := range suite.Families {
			t.Run(engine.Name()+"/"+family, func(t *testing.T) {
				cases := 0
				err := suite.Run(context.Background(), engine, []string{family}, func(r Result) {
					cases++
					if r.Failure != "" {
						t.Errorf("%s: %s", r.ID, r.Failure)
					}
				})
				if err != nil || cases == 0 {
					t.Fatalf("%d cases: %v", cases, err)
				}
			})
		}
	}
}
