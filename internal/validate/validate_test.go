package validate

import (
	"os"
	"strings"
	"testing"

	"silica/gpu"
	"silica/internal/truth"
)

// TestRecordedOutputs runs the recorded kernels and compares their outputs. SILICA_CASES limits it to the
// cases whose names it holds, separated by commas.
func TestRecordedOutputs(t *testing.T) {
	suite, err := truth.Load("../../../shared/truth/h200")
	if err != nil {
		t.Fatal(err)
	}
	h200, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	only := os.Getenv("SILICA_CASES")
	engine := os.Getenv("SILICA_ENGINE")
	for _, c := range suite.Cases {
		if c.Large && only == "" || only != "" && !strings.Contains(","+only+",", ","+c.ID+",") {
			continue
		}
		r := Run(t.Context(), c, Options{GPU: h200, Engine: engine})
		t.Logf("%-28s %-6s %7.3fs %s", r.Case, r.Outputs, r.WallS, r.Error)
	}
}
