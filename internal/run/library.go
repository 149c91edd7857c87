package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNoLibrary is returned when the runtime library is not found.
var ErrNoLibrary = errors.New("the runtime library is missing")

// libraryName is the file of cmd/libsilica.
const libraryName = "libsilica.so"

// Library returns the path of the runtime library: SILICA_LIB, or the file beside this executable or in ../lib.
func Library() (string, error) {
	if path := os.Getenv("SILICA_LIB"); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("SILICA_LIB: %w: %w", ErrNoLibrary, err)
		}
		return filepath.Abs(path)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", err
	}
	dir := filepath.Dir(self)
	for _, path := range []string{filepath.Join(dir, libraryName), filepath.Join(dir, "..", "lib", libraryName)} {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: no %s in %s; build it there with: go build -buildmode=c-shared -o %s ./cmd/libsilica",
		ErrNoLibrary, libraryName, dir, filepath.Join(dir, libraryName))
}
