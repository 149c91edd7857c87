package compile

import (
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// cacheLimit is how many results the cache keeps; the ones unused for longest go first.
const cacheLimit = 400

// A cache keeps results of clang in files, one per key. A key holds everything that is known before clang runs; the
// result lists the files that were read, and is valid as long as their contents are the same. Failing to read or write
// the cache is never an error: the result is made again.
type cache struct{ dir string }

// A dependency is a file that a result was made from.
type dependency struct{ Path, Hash string }

func hashFile(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// key names the result of compiling source with args.
func (c *compiler) key(source string, args []string, inputs map[string][]byte) (string, error) {
	directory, err := os.Getwd()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %q\n", c.clang.Path, c.clang.Banner, directory, source, args)
	for _, variable := range []string{"CPATH", "CPLUS_INCLUDE_PATH"} {
		fmt.Fprintf(sum, "%q\n", os.Getenv(variable))
	}
	for name, contents := range inputs {
		fmt.Fprintf(sum, "%q %d\n", name, len(contents))
		sum.Write(contents)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

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
	now := time.Now()
	os.Chtimes(path, now, now)
	return r, true
}

func (c cache) store(key string, r result) {
	if os.MkdirAll(c.dir, 0o755) != nil {
		return
	}
	file, err := os.CreateTemp(c.dir, "*.part")
	if err != nil {
		return
	}
	defer os.Remove(file.Name())
	err = gob.NewEncoder(file).Encode(r)
	if file.Close() != nil || err != nil {
		return
	}
	if os.Rename(file.Name(), filepath.Join(c.dir, key)) == nil {
		c.evict()
	}
}

// evict removes the results that were not used for longest.
func (c cache) evict() {
	entries, err := os.ReadDir(c.dir)
	if err != nil || len(entries) <= cacheLimit {
		return
	}
	type used struct {
		name string
		at   int64
	}
	var all []used
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !strings.HasSuffix(e.Name(), ".part") {
			all = append(all, used{e.Name(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(all, func(a, b used) int { return int(min(max(a.at-b.at, -1), 1)) })
	for _, e := range all[:max(0, len(all)-cacheLimit)] {
		os.Remove(filepath.Join(c.dir, e.name))
	}
}
