package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"silica/profile"
	"silica/report"
)

// What JSON writes is read back whole, so that everything follows from it that follows from the launches.
func TestReadJSON(t *testing.T) {
	launches := sampled(t, "h200", profile.Options{Timing: true})
	var b bytes.Buffer
	if err := report.JSON(&b, launches, nil); err != nil {
		t.Fatal(err)
	}
	again, err := report.ReadJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(launches, again); diff != "" {
		t.Error(diff)
	}
}

// A profile beside itself has no changes, and says so in a line for each kernel; one that failed has its reason.
func TestChanges(t *testing.T) {
	launches := sampled(t, "h200", profile.Options{Timing: true})
	write := func(after []*profile.Launch) string {
		var b bytes.Buffer
		if err := report.Changes(&b, report.Saved{Name: "a", Launches: launches}, report.Saved{Name: "b", Launches: after}, report.Options{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := write(launches); !strings.Contains(got, " is the same: ") || strings.Contains(got, "Cycles of a warp") {
		t.Errorf("the same twice:\n%s", got)
	}
	failed := *launches[0]
	failed.Error = "an illegal access"
	if got := write([]*profile.Launch{&failed}); !strings.Contains(got, "after: an illegal access") {
		t.Errorf("a launch that failed:\n%s", got)
	}
	untimed := *launches[0]
	untimed.Timing, untimed.Untimed = nil, "the model does not cover it"
	if got := write([]*profile.Launch{&untimed}); !strings.Contains(got, "after: the model does not cover it") {
		t.Errorf("a launch without times:\n%s", got)
	}
}
