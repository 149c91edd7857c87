package compile

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed include
var headers embed.FS

// cacheRoot is the directory for what can be made again: the headers as files, and compiled code.
func cacheRoot() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "silica")
}

// headerHash identifies the contents of the embedded headers.
func headerHash() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(headers, "include", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := headers.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n", path, len(text))
		sum.Write(text)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil))[:32], err
}

// headerDirectory returns a directory that holds the embedded headers as files, writing those that are not there: caches are cleaned
// file by file. The name holds the hash of the contents, so several versions and processes can share the cache.
func headerDirectory() (string, error) {
	hash, err := headerHash()
	if err != nil {
		return "", fmt.Errorf("reading embedded headers: %w", err)
	}
	dir := filepath.Join(cacheRoot(), "include-"+hash)
	if err = writeHeaders(dir); err != nil { // the cache cannot be written; the temporary directory can
		dir = filepath.Join(os.TempDir(), fmt.Sprintf("silica-%d", os.Getuid()), "include-"+hash)
		err = writeHeaders(dir)
	}
	if err != nil {
		return "", fmt.Errorf("writing CUDA headers: %w", err)
	}
	return dir, nil
}

// writeHeaders writes the headers that dir lacks, or has in another size, so that nobody sees half of one.
func writeHeaders(dir string) error {
	return fs.WalkDir(headers, "include", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := headers.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel("include", path)
		if err != nil {
			return err
		}
		name = filepath.Join(dir, name)
		if info, err := os.Stat(name); err == nil && info.Size() == int64(len(text)) {
			return nil
		}
		return writeFile(name, text)
	})
}

// writeFile writes a file next to its place and renames it there.
func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "*.part")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
