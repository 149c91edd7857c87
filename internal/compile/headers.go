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

// headerDirectory returns a directory that holds the embedded headers as files, writing it if it is not there yet. The
// name holds the hash of the contents, so several versions and processes can share the cache.
func headerDirectory() (string, error) {
	hash, err := headerHash()
	if err != nil {
		return "", fmt.Errorf("reading embedded headers: %w", err)
	}
	dir := filepath.Join(cacheRoot(), "include-"+hash)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	dir, err = writeHeaders(dir)
	if err != nil { // the cache cannot be written; the temporary directory can
		dir, err = writeHeaders(filepath.Join(os.TempDir(), fmt.Sprintf("silica-%d", os.Getuid()), "include-"+hash))
	}
	if err != nil {
		return "", fmt.Errorf("writing CUDA headers: %w", err)
	}
	return dir, nil
}

// writeHeaders writes the headers next to dir and renames them into place, so that nobody sees half of them.
func writeHeaders(dir string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	temporary, err := os.MkdirTemp(filepath.Dir(dir), "include-*.part")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary)
	root, err := fs.Sub(headers, "include")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(temporary, root); err != nil {
		return "", err
	}
	if err := os.Chmod(temporary, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(temporary, dir); err != nil {
		if _, there := os.Stat(dir); there == nil { // another process was first
			return dir, nil
		}
		return "", err
	}
	return dir, nil
}
