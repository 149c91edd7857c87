package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A compiler is clang with our headers; cache keeps its results.
type compiler struct {
	clang   Clang
	headers string // directory
	cache   cache
}

func newCompiler(ctx context.Context) (*compiler, error) {
	clang, err := FindClang(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := headerDirectory()
	if err != nil {
		return nil, err
	}
	return &compiler{clang: clang, headers: dir, cache: cache{filepath.Join(cacheRoot(), "objects")}}, nil
}

// A result is what one run of clang made.
type result struct {
	Output       []byte
	Warnings     string
	Dependencies []dependency // the files that were read, without our own headers
}

// compile runs clang on one source file, or finds the result of an earlier run. inputs are further contents that the
// result depends on, such as those of a temporary file named in args; args must not depend on its name otherwise.
func (c *compiler) compile(ctx context.Context, source string, args []string, inputs map[string][]byte) (result, error) {
	if _, err := os.Stat(source); err != nil {
		return result{}, err
	}
	key, err := c.key(source, args, inputs)
	if err != nil {
		return result{}, err
	}
	if r, ok := c.cache.load(key); ok {
		return r, nil
	}
	dir, err := os.MkdirTemp("", "silica-")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	output, dependencies := filepath.Join(dir, "output"), filepath.Join(dir, "dependencies")
	all := append([]string{}, args...)
	for name, contents := range inputs {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, contents, 0o644); err != nil {
			return result{}, err
		}
		for i := range all {
			if all[i] == name {
				all[i] = path
			}
		}
	}
	all = append(all, "-MD", "-MF", dependencies, "-o", output, source)
	warnings, err := c.run(ctx, all)
	if err != nil {
		return result{}, err
	}
	r := result{Warnings: warnings}
	if r.Output, err = os.ReadFile(output); err != nil {
		return result{}, err
	}
	if r.Dependencies, err = c.readDependencies(dependencies); err != nil {
		return result{}, err
	}
	c.cache.store(key, r)
	return r, nil
}

// closingLine is how clang ends its diagnostics; it names the half of the compilation, which is not the user's concern.
var closingLine = regexp.MustCompile(`(?m)^\d+ (warning|error)s?.* generated( when compiling for .*)?\.\n`)

// run runs clang and returns its warnings. A failure is an *Error.
func (c *compiler) run(ctx context.Context, args []string) (warnings string, err error) {
	cmd := exec.CommandContext(ctx, c.clang.Path, args...)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stderr, &stderr
	err = cmd.Run()
	text := closingLine.ReplaceAllString(stderr.String(), "")
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if text == "" {
			text = fmt.Sprintf("%s: %v", c.clang.Path, err)
		}
		return "", &Error{Diagnostics: text}
	}
	return text, err
}

// warn passes warnings on, once each: the two halves of a CUDA source give mostly the same ones.
func warn(w io.Writer, texts ...string) {
	if w == nil {
		return
	}
	seen := map[string]bool{}
	for _, text := range texts {
		if text != "" && !seen[text] {
			seen[text] = true
			io.WriteString(w, text)
		}
	}
}

// readDependencies reads the rule that clang -MD writes: "target: file file \<newline> file".
func (c *compiler) readDependencies(path string) ([]dependency, error) {
	rule, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, files, ok := strings.Cut(string(rule), ": ")
	if !ok {
		return nil, fmt.Errorf("%s: not a dependency rule: %.80q", path, rule)
	}
	var all []dependency
	const space = "\x00"
	files = strings.NewReplacer("\\\n", " ", "\\ ", space, "$$", "$", "\\#", "#").Replace(files)
	for file := range strings.FieldsSeq(files) {
		file = strings.ReplaceAll(file, space, " ")
		if strings.HasPrefix(file, c.headers+string(filepath.Separator)) {
			continue
		}
		hash, err := hashFile(file)
		if err != nil { // a temporary input
			continue
		}
		absolute, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		all = append(all, dependency{absolute, hash})
	}
	return all, nil
}
