package ptx

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
)

// The folder with the recorded programs. These tests fail when it is missing.
const shared = "../../shared"

// TestRecordedSources loads every PTX source recorded with results: the conformance suite and the
// kernels as nvcc wrote them.
func TestRecordedSources(t *testing.T) {
	for _, pattern := range []string{"conformance/*.ptx", "truth/h200/ptx/*.ptx"} {
		for _, file := range glob(t, filepath.Join(shared, pattern)) {
			t.Run(filepath.Base(file), func(t *testing.T) {
				if err := Check(roundTrip(t, file, readFile(t, file))); err != nil {
					t.Errorf("check:\n%v", err)
				}
			})
		}
	}
}

// TestRejectedForms loads what ptxas refuses: each module must be refused, at the line ptxas names.
func TestRejectedForms(t *testing.T) {
	var cases []struct {
		ID   string   `json:"id"`
		PTX  string   `json:"ptx"`
		Line *int     `json:"line"`
		Tags []string `json:"tags"`
	}
	if err := json.Unmarshal(readFile(t, filepath.Join(shared, "conformance/rejected.json")), &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	refused := 0
	for _, c := range cases {
		_, err := Load(c.ID, []byte(c.PTX))
		var errs Errors
		switch {
		case !errors.As(err, &errs):
			t.Errorf("%s: accepted", c.ID)
		case c.Line != nil && errs[0].Pos.Line != *c.Line:
			t.Errorf("%v: ptxas names line %d", errs[0], *c.Line)
		default:
			refused++
		}
	}
	t.Logf("%d of %d refused at the right line", refused, len(cases))
}
