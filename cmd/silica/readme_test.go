package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeCommands runs every command of the sh blocks of the documents, from the project's root, as typed.
func TestReadmeCommands(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	build := exec.Command("make", "-C", root, "build", "BIN="+bin)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("make build: %v\n%s", err, out)
	}
	ran := 0
	for _, doc := range []string{"README.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join(root, doc))
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			for _, line := range commandLines(block[1]) {
				t.Run(line, func(t *testing.T) {
					c := exec.Command("bash", "-c", line)
					c.Dir = root
					c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
					if out, err := c.CombinedOutput(); err != nil {
						t.Errorf("%s: %v\n%s", line, err, out)
					}
				})
				ran++
			}
		}
	}
	if ran < 10 {
		t.Fatalf("only %d commands were found", ran)
	}
}

// commandLines joins continued lines and drops the commands that set up and test the project, which would
// run this test again.
func commandLines(block string) []string {
	var out []string
	for _, line := range strings.Split(strings.ReplaceAll(block, "\\\n", " "), "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "make ") && !strings.HasPrefix(line, "export ") {
			out = append(out, line)
		}
	}
	return out
}
