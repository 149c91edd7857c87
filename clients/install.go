package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A place is where a client runs: the variables of its commands.
type place struct {
	root, here, build string
	client            *client
}

func newPlace(root string, c *client) place {
	return place{root: root, here: filepath.Join(root, "clients", c.Name), build: filepath.Join(root, ".build", "clients", c.Name), client: c}
}

// expand replaces $HERE, $BUILD, $ROOT and the environment's variables.
func (p place) expand(s string) string {
	return os.Expand(s, func(name string) string {
		switch name {
		case "ROOT":
			return p.root
		case "HERE":
			return p.here
		case "BUILD":
			return p.build
		}
		return os.Getenv(name)
	})
}

// command is a command of the client, with its Python first in PATH, Silica second, and caches of its own. What it prints goes to
// the log.
func (p place) command(log *os.File, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = p.build
	cmd.Stdout, cmd.Stderr = log, log
	path := filepath.Join(p.build, "python", "bin") + ":" + filepath.Join(p.root, "bin") + ":" + os.Getenv("PATH")
	cmd.Env = append(os.Environ(), "PATH="+path, "XDG_CACHE_HOME="+filepath.Join(p.build, "cache"),
		"PYTHONPYCACHEPREFIX="+filepath.Join(p.build, "pycache"), "HERE="+p.here, "BUILD="+p.build, "ROOT="+p.root)
	for name, value := range p.client.Environment {
		if name == "PATH" {
			value = value + ":" + path
		}
		cmd.Env = append(cmd.Env, name+"="+p.expand(value))
	}
	return cmd
}

// install fetches and builds what the client needs, unless an earlier run did: the stamp names what was installed.
func (p place) install(log *os.File) error {
	requirements, err := os.ReadFile(filepath.Join(p.here, "requirements.txt"))
	if err != nil {
		return err
	}
	stamp := fmt.Sprintf("%x\n", sha256.Sum256([]byte(fmt.Sprint(string(requirements), p.client.Sources, p.client.Setup, p.client.Environment))))
	stampFile := filepath.Join(p.build, "installed")
	if old, err := os.ReadFile(stampFile); err == nil && string(old) == stamp {
		return nil
	}
	if err := os.RemoveAll(p.build); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(p.build, "source"), 0o755); err != nil {
		return err
	}
	python := filepath.Join(p.build, "python", "bin", "python3")
	steps := [][]string{
		{"python3", "-m", "venv", filepath.Join(p.build, "python")},
		{python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "-r", filepath.Join(p.here, "requirements.txt")},
	}
	for _, source := range p.client.Sources {
		steps = append(steps,
			[]string{python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:", "-d", "source", source})
	}
	steps = append(steps, []string{"sh", "-e", "-c", `for f in source/*.tar.gz; do [ ! -e "$f" ] || tar -xzf "$f" -C source; done`})
	for _, line := range p.client.Setup {
		steps = append(steps, []string{"bash", "-e", "-c", line})
	}
	for _, s := range steps {
		if err := p.command(log, s[0], s[1:]...).Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(s, " "), err)
		}
	}
	return os.WriteFile(stampFile, []byte(stamp), 0o644)
}
