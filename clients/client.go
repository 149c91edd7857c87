package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A client is a folder of clients/, as its client.json describes it. In Setup, Environment and Tests, $HERE is that folder,
// $BUILD the folder of what was fetched and built for it, and $ROOT the project; other variables are the environment's.
type client struct {
	Name string `json:"-"`
	// Title is the name that its authors use.
	Title   string `json:"title"`
	Version string `json:"version"`
	// Summary says in a sentence or two what the client is and which way it takes to the GPU.
	Summary string `json:"summary"`
	// Use is the lines a user types to run it on Silica.
	Use []string `json:"use"`
	// Sources are Python source distributions that are unpacked in $BUILD/source.
	Sources []string `json:"sources,omitempty"`
	// Setup is shell commands that follow the installation, run in $BUILD with the client's environment.
	Setup       []string          `json:"setup,omitempty"`
	Environment map[string]string `json:"environment,omitempty"`
	Suites      []*suite          `json:"suites"`
	failures    []failure
}

// A suite is tests that pytest runs.
type suite struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	// Tests is the arguments of pytest.
	Tests []string `json:"tests"`
	// Deselected is tests that do not run, by pytest's name, each with its reason.
	Deselected map[string]string `json:"deselected,omitempty"`
	// Workers is the number of tests that run at once; 0 means one.
	Workers int `json:"workers,omitempty"`
	// Timeout is the seconds that a test may take.
	Timeout int `json:"timeout"`
	// Measured is what the last run with --write counted.
	Measured counts `json:"measured"`
}

// Counts are the outcomes of a suite's tests and the time it took.
type counts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	Seconds int `json:"seconds"`
}

// A failure is tests that are expected to fail: a line "PATTERN: reason" of failures.txt, with "*" for any characters but "/".
type failure struct {
	pattern string
	reason  string
}

func (f failure) matches(test string) bool {
	ok, err := path.Match(f.pattern, test)
	return ok && err == nil
}

// loadClients reads the clients of a folder, all or those named.
func loadClients(folder string, names []string) ([]*client, error) {
	if len(names) == 0 {
		files, err := filepath.Glob(filepath.Join(folder, "*", "client.json"))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			names = append(names, filepath.Base(filepath.Dir(f)))
		}
	}
	var all []*client
	for _, name := range names {
		c, err := loadClient(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func loadClient(folder string) (*client, error) {
	text, err := os.ReadFile(filepath.Join(folder, "client.json"))
	if err != nil {
		return nil, err
	}
	c := &client{Name: filepath.Base(folder)}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("%s/client.json: %w", folder, err)
	}
	list, err := os.ReadFile(filepath.Join(folder, "failures.txt"))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	c.failures, err = parseFailures(string(list))
	if err != nil {
		return nil, fmt.Errorf("%s/failures.txt:%w", folder, err)
	}
	return c, nil
}

func parseFailures(text string) ([]failure, error) {
	var all []failure
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		pattern, reason, ok := strings.Cut(line, ": ")
		if _, err := path.Match(pattern, ""); !ok || err != nil {
			return nil, fmt.Errorf("%d: %q is not \"PATTERN: reason\"", i+1, line)
		}
		all = append(all, failure{pattern: pattern, reason: reason})
	}
	return all, nil
}

// save writes client.json with what was measured.
func (c *client) save(folder string) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, c.Name, "client.json"), text.Bytes(), 0o644)
}
