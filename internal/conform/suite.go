package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"silica/internal/exec"
)

// Suite is a conformance folder.
type Suite struct {
	dir      string
	Families []string // sorted
	rejected []rejected
}

// Result is the outcome of one case.
type Result struct {
	ID, Family string
	// Failure is empty when the case passed, else one line that says what was wrong.
	Failure string
}

// Load reads the index of the suite in a folder.
func Load(dir string) (*Suite, error) {
	var index struct {
		Families map[string]int
	}
	if err := readJSON(filepath.Join(dir, "index.json"), &index); err != nil {
		return nil, err
	}
	s := &Suite{dir: dir}
	for f := range index.Families {
		s.Families = append(s.Families, f)
	}
	slices.Sort(s.Families)
	if err := readJSON(filepath.Join(dir, "rejected.json"), &s.rejected); err != nil {
		return nil, err
	}
	return s, nil
}

// Run runs the cases of the families (of all families when there are none) on an engine, and checks the
// forms of these families that must be refused. It calls report after each.
func (s *Suite) Run(ctx context.Context, engine exec.Engine, families []string, report func(Result)) error {
	for _, f := range families {
		if !slices.Contains(s.Families, f) {
			return fmt.Errorf("family %q is not in %s, which has %s", f, s.dir, strings.Join(s.Families, " "))
		}
	}
	if len(families) == 0 {
		families = s.Families
	}
	for _, name := range families {
		f, err := s.family(name)
		if err != nil {
			return err
		}
		for _, c := range f.cases {
			if err := ctx.Err(); err != nil {
				return err
			}
			report(Result{c.ID, name, failure(f.run(ctx, engine, c))})
		}
	}
	for i := range s.rejected {
		if r := &s.rejected[i]; slices.Contains(families, r.Family) {
			report(Result{r.ID, r.Family, failure(r.check())})
		}
	}
	return nil
}

func failure(err error) string {
	if err == nil {
		return ""
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// family holds the cases of one family, with their source and data.
type family struct {
	name   string
	file   string // of the source, for messages
	source []byte
	data   []byte
	cases  []*testCase
}

func (s *Suite) family(name string) (*family, error) {
	f := &family{name: name, file: filepath.Join(s.dir, name+".ptx")}
	var err error
	if f.source, err = os.ReadFile(f.file); err != nil {
		return nil, err
	}
	if f.data, err = os.ReadFile(filepath.Join(s.dir, name+".bin")); err != nil {
		return nil, err
	}
	return f, readJSON(filepath.Join(s.dir, name+".json"), &f.cases)
}

// module returns the source of one case as a module: the header of the family and what stands between
// the case's marks, on the lines where they are in the family's file.
func (f *family) module(entry string) ([]byte, error) {
	begin := bytes.Index(f.source, []byte("// @begin "+entry+"\n"))
	end := bytes.Index(f.source, []byte("// @end "+entry+"\n"))
	header := bytes.Index(f.source, []byte("// @begin "))
	if begin < 0 || end < begin {
		return nil, fmt.Errorf("%s: entry %s is not marked", f.file, entry)
	}
	lines := bytes.Count(f.source[header:begin], []byte("\n"))
	return slices.Concat(f.source[:header], bytes.Repeat([]byte("\n"), lines), f.source[begin:end]), nil
}

// bytes returns what a reference refers to.
func (f *family) bytes(r *reference) ([]byte, error) {
	if r.File != f.name+".bin" || r.Offset < 0 || r.Bytes < 0 || r.Offset+r.Bytes > len(f.data) {
		return nil, fmt.Errorf("%d bytes at %d of %s are not in the suite", r.Bytes, r.Offset, r.File)
	}
	return f.data[r.Offset : r.Offset+r.Bytes], nil
}

func readJSON(file string, v any) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
