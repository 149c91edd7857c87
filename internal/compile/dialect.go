package compile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"silica/internal/compile/dialect"
)

// sourceFiles are a program's own files, and those of them that the compiler is to see as others.
type sourceFiles struct {
	original, rewritten map[string][]byte // by absolute path
}

// quotedInclude matches what includes a file of the program.
var quotedInclude = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]`)

// dialectOf rewrites what only nvcc accepts in a source file and in what it includes of its own directory and of those that the
// options name. device chooses the half of the compilation.
func dialectOf(file string, o Options, device bool) (sourceFiles, error) {
	original := map[string][]byte{}
	var add func(path string) error
	add = func(path string) error {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		if _, seen := original[absolute]; seen {
			return nil
		}
		text, err := os.ReadFile(absolute)
		if err != nil {
			return err
		}
		original[absolute] = text
		for _, m := range quotedInclude.FindAllSubmatch(text, -1) {
			for _, dir := range append([]string{filepath.Dir(absolute)}, o.Include...) {
				path := filepath.Join(dir, string(m[1]))
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
	if err := add(file); err != nil {
		return sourceFiles{}, err
	}
	return sourceFiles{original, dialect.Rewrite(original, device)}, nil
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
	return dialect.Restore(messages, s.original, func(name string) string {
		absolute, err := filepath.Abs(name)
		if err != nil {
			return name
		}
		return absolute
	})
}
