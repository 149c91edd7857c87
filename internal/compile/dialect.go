package compile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"silica/internal/compile/dialect"
)

// A unit is a source file and what it includes of its own directory and of those that the options name.
type unit struct {
	file      string
	texts     map[string][]byte  // by absolute path
	refused   []dialect.Variable // what clang has complained of
	rewritten map[string][]byte  // what the compiler saw last in place of some of the texts
}

// sourceFiles are a program's own files, and those of them that the compiler is to see as others.
type sourceFiles struct {
	original, rewritten map[string][]byte // by absolute path
}

func readUnit(file string, o Options) (*unit, error) {
	all := map[string][]byte{}
	var add func(path string) error
	add = func(path string) error {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		if _, seen := all[absolute]; seen {
			return nil
		}
		text, err := os.ReadFile(absolute)
		if err != nil {
			return err
		}
		all[absolute] = text
		for _, name := range included(text) {
			for _, dir := range append([]string{filepath.Dir(absolute)}, o.Include...) {
				path := filepath.Join(dir, name)
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					if err := add(path); err != nil {
						return err
					}
					break
				}
			}
		}
		return nil
	}
	return &unit{file: file, texts: all}, add(file)
}

// included returns the names in a text's #include lines.
func included(text []byte) (names []string) {
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
		if !ok {
			continue
		}
		if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte("include")); !ok {
			continue
		}
		rest = bytes.TrimLeft(rest, " \t")
		if end := bytes.LastIndexAny(rest, ">\""); end > 1 && (rest[0] == '<' || rest[0] == '"') {
			names = append(names, string(rest[1:end]))
		}
	}
	return names
}

// mentions tells whether one of the files has one of the words.
func (u *unit) mentions(words []string) bool {
	for _, text := range u.texts {
		for _, w := range words {
			if bytes.Contains(text, []byte(w)) {
				return true
			}
		}
	}
	return false
}

// compileDialect does a job on what a unit is in clang's dialect. Which variables it has to write otherwise it learns by clang's
// refusal; the unit and the cache keep that.
func (c *compiler) compileDialect(ctx context.Context, j job, u *unit, device bool) (result, error) {
	j.source = u.file
	key, err := c.key(j)
	if err != nil {
		return result{}, err
	}
	key = hashOf("refused variables", key)
	known, _ := c.results.load(key)
	learn := func(variables []dialect.Variable) (news bool) {
		for _, v := range variables {
			if !slices.Contains(u.refused, v) {
				u.refused, news = append(u.refused, v), true
			}
		}
		return news
	}
	learn(known.Refused)
	for {
		u.rewritten = dialect.Rewrite(u.texts, u.refused, device)
		j.files = sourceFiles{u.texts, u.rewritten}
		r, err := c.compile(ctx, j)
		failure := (*Error)(nil)
		if !errors.As(err, &failure) || !learn(dialect.Refused(failure.Diagnostics, absolute)) {
			return r, err
		}
		c.results.store(key, result{Refused: u.refused})
	}
}

func absolute(name string) string {
	path, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	return path
}

// overlay writes the rewritten files and the description by which clang sees them in place of the user's. It returns clang's
// arguments: none when nothing was rewritten.
func (s sourceFiles) overlay(dir string) ([]string, error) {
	if len(s.rewritten) == 0 {
		return nil, nil
	}
	type root struct {
		Name     string `json:"name"`
		Type     string `json:"type"`
		External string `json:"external-contents"`
	}
	description := struct {
		Version  int    `json:"version"`
		External bool   `json:"use-external-names"`
		Roots    []root `json:"roots"`
	}{Roots: []root{}}
	for name, text := range s.rewritten {
		path := filepath.Join(dir, fmt.Sprintf("source-%d", len(description.Roots)))
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return nil, err
		}
		description.Roots = append(description.Roots, root{name, "file", path})
	}
	text, err := json.Marshal(description)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "overlay.json")
	return []string{"-ivfsoverlay", path}, os.WriteFile(path, text, 0o644)
}

// restore puts the user's text back into clang's messages.
func (s sourceFiles) restore(messages string) string {
	if len(s.rewritten) == 0 {
		return messages
	}
	return dialect.Restore(messages, s.original, absolute)
}
