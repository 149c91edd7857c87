package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryClientIsComplete(t *testing.T) {
	clients, err := loadClients(".", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range clients {
		if c.Title == "" || c.Version == "" || c.Summary == "" || len(c.Use) == 0 || len(c.Suites) == 0 {
			t.Errorf("%s: title, version, summary, use and suites all have to be there", c.Name)
		}
		if _, err := os.Stat(filepath.Join(c.Name, "requirements.txt")); err != nil {
			t.Error(err)
		}
		failed := 0
		for _, s := range c.Suites {
			if s.Name == "" || s.Summary == "" || len(s.Tests) == 0 || s.Timeout == 0 || s.Measured.Passed == 0 {
				t.Errorf("%s: suite %q: name, summary, tests, timeout and what was measured have to be there", c.Name, s.Name)
			}
			failed += s.Measured.Failed
		}
		if len(c.failures) > failed {
			t.Errorf("%s: %d reasons for %d failed tests", c.Name, len(c.failures), failed)
		}
	}
}

func TestDocumentIsFresh(t *testing.T) {
	clients, err := loadClients(".", nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := markdown(clients); !bytes.Equal(got, want) {
		t.Errorf("docs/clients.md is not what go run ./clients --write writes:\n%s", cmp.Diff(string(got), string(want)))
	}
}

func TestReport(t *testing.T) {
	r, err := parseReport([]byte(`<testsuites><testsuite>
		<testcase classname="a.B" name="good"/>
		<testcase classname="a.B" name="also_good"/>
		<testcase classname="a.B" name="bad[1]"><failure message="1 != 2">text</failure></testcase>
		<testcase classname="a.B" name="broken"><error message="no setup">text</error></testcase>
		<testcase classname="a.B" name="later"><skipped message="not here">text</skipped></testcase>
	</testsuite></testsuites>`))
	if err != nil {
		t.Fatal(err)
	}
	want := counts{Passed: 2, Failed: 2, Skipped: 1}
	if r.counts != want {
		t.Errorf("counts are %+v, want %+v", r.counts, want)
	}
	if diff := cmp.Diff(map[string]string{"a.B.bad[1]": "1 != 2", "a.B.broken": "no setup"}, r.failed); diff != "" {
		t.Error(diff)
	}
}

func TestFailures(t *testing.T) {
	failures, err := parseFailures("# why\n\na.B.bad*: rounding\na.C.*: no SASS\n")
	if err != nil {
		t.Fatal(err)
	}
	c := &client{failures: failures}
	r := &result{counts: counts{Passed: 3}, failed: map[string]string{"a.B.bad[1]": "1 != 2\nmore", "a.D.new": "0 != 1\nmore"}}
	got := append(c.complaints(&suite{Measured: counts{Passed: 4}}, r), c.stale([]*result{r})...)
	want := []string{
		"a.D.new failed: 0 != 1",
		"3 tests passed, and 4 did before",
		"failures.txt expects a.C.* to fail, and it did not",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := parseFailures("a.B.bad\n"); err == nil {
		t.Error("a failure without a reason was accepted")
	}
}
