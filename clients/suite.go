package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A result is what a suite's run gave.
type result struct {
	counts
	// failed is the tests that failed, with what they said.
	failed map[string]string
}

// run runs a suite under "silica run".
func (p place) run(s *suite, log *os.File) (*result, error) {
	report := filepath.Join(p.build, s.Name+".xml")
	if err := os.RemoveAll(report); err != nil {
		return nil, err
	}
	args := []string{"run", "python3", "--", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml", report, "--timeout", strconv.Itoa(s.Timeout)}
	if s.Workers > 1 {
		args = append(args, "-n", strconv.Itoa(s.Workers))
	}
	for test := range s.Deselected {
		args = append(args, "--deselect", test)
	}
	for _, t := range s.Tests {
		args = append(args, p.expand(t))
	}
	start := time.Now()
	failure := p.command(log, filepath.Join(p.root, "bin", "silica"), args...).Run()
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, errors.Join(failure, err)
	}
	r, err := parseReport(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", report, err)
	}
	// A suite of which tests failed, status 1, is judged by its report; any other status means that pytest did not end well.
	var status *exec.ExitError
	if failure != nil && !(errors.As(failure, &status) && status.ExitCode() == 1) {
		return nil, fmt.Errorf("pytest: %w", failure)
	}
	r.Seconds = int(time.Since(start).Round(time.Second).Seconds())
	return r, nil
}

// parseReport reads a report of the form that JUnit made common.
func parseReport(text []byte) (*result, error) {
	type said struct {
		Message string `xml:"message,attr"`
	}
	var suites struct {
		Suites []struct {
			Cases []struct {
				Class    string  `xml:"classname,attr"`
				Name     string  `xml:"name,attr"`
				Failures []said  `xml:"failure"`
				Errors   []said  `xml:"error"`
				Skipped  []said  `xml:"skipped"`
				Time     float64 `xml:"time,attr"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text, &suites); err != nil {
		return nil, err
	}
	r := &result{failed: map[string]string{}}
	for _, s := range suites.Suites {
		for _, c := range s.Cases {
			name := c.Class + "." + c.Name
			if bad := slices.Concat(c.Failures, c.Errors); len(bad) > 0 {
				r.failed[name] = bad[0].Message
			} else if len(c.Skipped) > 0 {
				r.Skipped++
			} else {
				r.Passed++
			}
		}
	}
	r.Failed = len(r.failed)
	return r, nil
}

// complaints compares a run with what is expected: unexpected failures, and fewer passed tests than were measured.
func (c *client) complaints(s *suite, r *result) []string {
	var all []string
	for test, message := range r.failed {
		if !slices.ContainsFunc(c.failures, func(f failure) bool { return f.matches(test) }) {
			message, _, _ = strings.Cut(message, "\n")
			all = append(all, fmt.Sprintf("%s failed: %s", test, message))
		}
	}
	slices.Sort(all)
	if r.Passed < s.Measured.Passed {
		all = append(all, fmt.Sprintf("%d tests passed, and %d did before", r.Passed, s.Measured.Passed))
	}
	return all
}

// stale lists the expected failures that did not happen in any suite.
func (c *client) stale(results []*result) []string {
	var all []string
	for _, f := range c.failures {
		happened := slices.ContainsFunc(results, func(r *result) bool {
			for test := range r.failed {
				if f.matches(test) {
					return true
				}
			}
			return false
		})
		if !happened {
			all = append(all, fmt.Sprintf("failures.txt expects %s to fail, and it did not", f.pattern))
		}
	}
	return all
}
