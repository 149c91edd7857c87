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

	"silica/internal/compile/dialect"
)

// A compiler is clang with our headers; results, prefixes and programs keep what it made.
type compiler struct {
	clang    Clang
	headers  string // directory
	results  cache
	prefixes cache
	programs cache
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
	return &compiler{
		clang:    clang,
		headers:  dir,
		results:  cache{filepath.Join(cacheRoot(), "results"), 400},
		prefixes: cache{filepath.Join(cacheRoot(), "prefixes"), 16},
		programs: cache{filepath.Join(cacheRoot(), "programs"), 64},
	}, nil
}

// A job is one run of clang on one source file.
type job struct {
	source string
	args   []string          // what also decides how the prefix header is understood
	output []string          // what is made: -S, -c and their options
	prefix string            // header that is included first; "" for none
	reuse  bool              // keep the prefix header precompiled for other jobs with the same args
	inputs map[string][]byte // contents of files that output names
	files  sourceFiles       // what the compiler sees in place of the user's files
}

// A result is what a job made, or the variables that have to be others to make it.
type result struct {
	Output       []byte
	Warnings     string
	Dependencies []dependency // the files that were read, without our own headers
	Refused      []dialect.Variable
}

// compile does a job, or finds the result of an earlier one.
func (c *compiler) compile(ctx context.Context, j job) (result, error) {
	if _, err := os.Stat(j.source); err != nil {
		return result{}, err
	}
	key, err := c.key(j)
	if err != nil {
		return result{}, err
	}
	if r, ok := c.results.load(key); ok {
		return r, nil
	}
	dir, err := os.MkdirTemp("", "silica-")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	output := append([]string{}, j.output...)
	for name, contents := range j.inputs {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, contents, 0o644); err != nil {
			return result{}, err
		}
		for i := range output {
			if output[i] == name {
				output[i] = path
			}
		}
	}
	overlay, err := j.files.overlay(dir)
	if err != nil {
		return result{}, err
	}
	output = append(overlay, output...)
	r, err := c.attempt(ctx, j, c.includePrecompiled(ctx, j), output, dir)
	if compileError := (*Error)(nil); errors.As(err, &compileError) && j.prefix != "" {
		// A precompiled header also fails when a header of the system has changed since; the plain one tells.
		r, err = c.attempt(ctx, j, []string{"-include", j.prefix}, output, dir)
	}
	if compileError := (*Error)(nil); errors.As(err, &compileError) {
		return r, &Error{Diagnostics: advise(withoutOwnNotes(j.files.restore(compileError.Diagnostics), c.headers))}
	}
	if err == nil {
		r.Warnings = j.files.restore(r.Warnings)
		c.results.store(key, r)
	}
	return r, err
}

// attempt runs clang for a job, in a directory for temporary files.
func (c *compiler) attempt(ctx context.Context, j job, prefix, output []string, dir string) (result, error) {
	out, dependencies := filepath.Join(dir, "output"), filepath.Join(dir, "dependencies")
	args := append(append(append([]string{}, j.args...), prefix...), output...)
	warnings, err := c.run(ctx, append(args, "-MD", "-MF", dependencies, "-o", out, j.source))
	if err != nil {
		return result{}, err
	}
	r := result{Warnings: warnings}
	if r.Output, err = os.ReadFile(out); err != nil {
		return result{}, err
	}
	r.Dependencies, err = c.readDependencies(dependencies)
	return r, err
}

// includePrecompiled returns the arguments that include the prefix header of a job: precompiled where that can be had.
func (c *compiler) includePrecompiled(ctx context.Context, j job) []string {
	if j.prefix == "" {
		return nil
	}
	if j.reuse {
		header := filepath.Join(c.headers, j.prefix)
		path, err := c.prefixes.file(hashOf(c.clang.Banner, header, j.args), func(path string) error {
			_, err := c.run(ctx, append(append([]string{}, j.args...), "-fsyntax-only", "-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang", path, header))
			return err
		})
		if err == nil {
			return []string{"-Xclang", "-include-pch", "-Xclang", path}
		}
	}
	return []string{"-include", j.prefix}
}

// closingLine is how clang ends its diagnostics; it names the half of the compilation, which is not the user's concern.
var closingLine = regexp.MustCompile(`(?m)^(?:\x1b\[[0-9;]*[mK])*\d+ (warning|error)s?.* generated( when compiling for .*)?\.\n`)

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
		if c.ours(file) {
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

// ours tells whether a file is one of our headers, whose contents the key holds.
func (c *compiler) ours(file string) bool {
	for _, dir := range []string{c.headers, c.prefixes.dir} {
		if strings.HasPrefix(file, dir+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
