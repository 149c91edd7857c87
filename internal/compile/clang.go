package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// oldestClang is the first version that the headers compile with: older ones lack PTX 8.3, sm_90a, or half precision on the
// device.
const oldestClang = 19

// candidates are the compilers that are looked for: the version the headers are tested with, newer ones, the system's.
var candidates = []string{
	"clang++-19", "clang++-20", "clang++-21", "clang++-22", "clang++-23", "clang++-24", "clang++",
}

// ErrNoClang says that no usable clang was found, and how to get one.
var ErrNoClang = errors.New("CUDA C++ needs clang 19 or newer: apt-get install clang-19 (Debian, Ubuntu), dnf install clang (Fedora), " +
	"pacman -S clang (Arch), brew install llvm (macOS); or set SILICA_CLANG to the path of a clang++")

// A Clang is a compiler found on this machine.
type Clang struct {
	Path    string
	Version int    // major version
	Banner  string // first line of --version
}

var versionPattern = regexp.MustCompile(`(?m)^.*?(Apple )?clang version (\d+)\..*$`)

// FindClang returns the compiler that SILICA_CLANG names, or else the first usable candidate in PATH. The error wraps
// ErrNoClang when there is none.
func FindClang(ctx context.Context) (Clang, error) {
	if path := os.Getenv("SILICA_CLANG"); path != "" {
		c, err := probe(ctx, path)
		if err != nil {
			return Clang{}, fmt.Errorf("SILICA_CLANG=%s: %w\n%w", path, err, ErrNoClang)
		}
		return c, nil
	}
	for _, name := range candidates {
		if c, err := probe(ctx, name); err == nil {
			return c, nil
		} else if ctx.Err() != nil {
			return Clang{}, ctx.Err()
		}
	}
	return Clang{}, ErrNoClang
}

// probe asks the compiler for its version.
func probe(ctx context.Context, name string) (Clang, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return Clang{}, err
	}
	out, err := banner(ctx, path)
	if err != nil {
		return Clang{}, err
	}
	m := versionPattern.FindSubmatch(out)
	if m == nil || len(m[1]) > 0 {
		return Clang{}, errors.New("not an LLVM clang (Apple's has no PTX target)")
	}
	version, err := strconv.Atoi(string(m[2]))
	if err != nil {
		return Clang{}, err
	}
	if version < oldestClang {
		return Clang{}, fmt.Errorf("clang %d is older than %d", version, oldestClang)
	}
	return Clang{Path: path, Version: version, Banner: string(m[0])}, nil
}

// banner is what a compiler prints for --version, asked once for each state of its file.
func banner(ctx context.Context, path string) ([]byte, error) {
	stamp, err := stampOf(path)
	if err != nil {
		return nil, err
	}
	banners := cache{filepath.Join(cacheRoot(), "compilers"), 16}
	ask := func() ([]byte, error) { return exec.CommandContext(ctx, path, "--version").Output() }
	kept, err := banners.file(hashOf(stamp), func(to string) error {
		out, err := ask()
		if err != nil {
			return err
		}
		return os.WriteFile(to, out, 0o644)
	})
	if err != nil {
		return ask() // the cache cannot be written, or the compiler does not run
	}
	return os.ReadFile(kept)
}
