package compile

import (
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A cache keeps files that can be made again, at most limit of them; the ones unused for longest go first. A key holds
// everything that is known before a file is made. Several processes may share a cache: files appear whole, by renaming.
type cache struct {
	dir   string
	limit int
}

// A dependency is a file that a result was made from.
type dependency struct{ Path, Hash string }

func hashFile(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return hashOf(text), nil
}

func hashOf(parts ...any) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%q\n", part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// key names the result of a job.
func (c *compiler) key(j job) (string, error) {
	directory, err := os.Getwd()
	if err != nil {
		return "", err
	}
	inputs := []any{}
	for _, name := range slices.Sorted(maps.Keys(j.inputs)) {
		inputs = append(inputs, name, j.inputs[name])
	}
	return hashOf(c.clang.Path, c.clang.Banner, directory, j.source, j.args, j.output, j.prefix,
		j.files.rewritten, os.Getenv("CPATH"), os.Getenv("CPLUS_INCLUDE_PATH"), hashOf(inputs...)), nil
}

// load returns a result if the files it was made from have not changed.
func (c cache) load(key string) (result, bool) {
	path := filepath.Join(c.dir, key)
	file, err := os.Open(path)
	if err != nil {
		return result{}, false
	}
	defer file.Close()
	var r result
	if err := gob.NewDecoder(file).Decode(&r); err != nil {
		return result{}, false
	}
	for _, d := range r.Dependencies {
		if hash, err := hashFile(d.Path); err != nil || hash != d.Hash {
			return result{}, false
		}
	}
	touch(path)
	return r, true
}

// store keeps a result. That it cannot be kept is no error: it will be made again.
func (c cache) store(key string, r result) {
	os.Remove(filepath.Join(c.dir, key))
	_, _ = c.file(key, func(path string) error {
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		defer file.Close()
		return gob.NewEncoder(file).Encode(r)
	})
}

// file returns the path of the file of a key, made by create where it is not there yet.
func (c cache) file(key string, create func(path string) error) (string, error) {
	path := filepath.Join(c.dir, key)
	if _, err := os.Stat(path); err == nil {
		touch(path)
		return path, nil
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return "", err
	}
	part, err := os.CreateTemp(c.dir, "*.part")
	if err != nil {
		return "", err
	}
	part.Close()
	defer os.Remove(part.Name())
	if err := create(part.Name()); err != nil {
		return "", err
	}
	if err := os.Rename(part.Name(), path); err != nil {
		return "", err
	}
	c.evict()
	return path, nil
}

// touch marks a file as used.
func touch(path string) {
	now := time.Now()
	os.Chtimes(path, now, now)
}

// evict removes the files that were not used for longest.
func (c cache) evict() {
	entries, err := os.ReadDir(c.dir)
	if err != nil || len(entries) <= c.limit {
		return
	}
	type used struct {
		name string
		at   time.Time
	}
	var all []used
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !strings.HasSuffix(e.Name(), ".part") {
			all = append(all, used{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b used) int { return a.at.Compare(b.at) })
	for _, e := range all[:max(0, len(all)-c.limit)] {
		os.Remove(filepath.Join(c.dir, e.name))
	}
}
