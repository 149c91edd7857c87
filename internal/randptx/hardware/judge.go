package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"silica/internal/exec/ref"
	"silica/internal/randptx"
)

// kind is what came of a program.
type kind int

const (
	equal     kind = iota // every byte
	different             // from the oracle, and the same with and without optimisation
	faulted               // on the chip
	unsettled             // different with and without optimisation
	refused               // by ptxas
	illegal               // the oracle refuses it, or faults
)

var kindNames = [...]string{"equal", "different", "faulted", "unsettled", "refused", "illegal"}

func (k kind) String() string { return kindNames[k] }

// verdict is a kind with its reasons.
type verdict struct {
	kind  kind
	texts []string
}

// mostDifferences is how many words of a program are told.
const mostDifferences = 6

// judge runs programs here and on the chip, one after the other.
type judge struct {
	settings
	base     string // of the names of its files
	launcher *launcher
}

func newJudge(dir string, number int, s settings) (*judge, error) {
	j := &judge{settings: s, base: filepath.Join(dir, fmt.Sprint(number))}
	return j, os.WriteFile(j.base+".in", randptx.Input(), 0o644)
}

func (j *judge) close() {
	if j.launcher != nil {
		j.launcher.stop()
	}
}

// judge tells what comes of a program.
func (j *judge) judge(p *randptx.Program) verdict {
	kernel, err := p.Kernel()
	if err != nil {
		return verdict{illegal, []string{err.Error()}}
	}
	want, err := p.Run(context.Background(), ref.New(), kernel)
	if err != nil {
		return verdict{illegal, []string{err.Error()}}
	}
	if want.Err != "" {
		return verdict{illegal, []string{want.Err}}
	}
	if err := os.WriteFile(j.base+".ptx", []byte(p.Text()), 0o644); err != nil {
		return verdict{illegal, []string{err.Error()}}
	}
	var outputs [2][]byte
	for i, level := range []string{"-O0", "-O3"} {
		if message := j.assemble(level, p.Text()); message != "" {
			return verdict{refused, []string{level + ": " + message}}
		}
		if outputs[i], err = j.launch(p); err != nil {
			return verdict{faulted, []string{level + ": " + err.Error()}}
		}
	}
	plain, optimised := p.Differences(want, outputs[0], mostDifferences), p.Differences(want, outputs[1], mostDifferences)
	switch {
	case plain == nil && optimised == nil:
		return verdict{equal, nil}
	case strings.Join(plain, "") == strings.Join(optimised, ""):
		return verdict{different, plain}
	}
	return verdict{unsettled, append(append([]string{"-O0"}, plain...), append([]string{"-O3"}, optimised...)...)}
}

var complaint = regexp.MustCompile(`line (\d+); (?:error|fatal)\s*: (.*)`)

// assemble makes the cubin of the program; it returns what ptxas has against it.
func (j *judge) assemble(level, text string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	arguments := slices.Concat(j.ptxas[1:], []string{level, "-arch", j.target, j.base + ".ptx", "-o", j.base + ".cubin"})
	output, err := exec.CommandContext(ctx, j.ptxas[0], arguments...).CombinedOutput()
	if err == nil {
		return ""
	}
	m := complaint.FindSubmatch(output)
	if m == nil {
		return fmt.Sprintf("%v: %s", err, bytes.TrimSpace(output))
	}
	n, _ := strconv.Atoi(string(m[1]))
	lines := strings.Split(text, "\n")
	return fmt.Sprintf("%s, in: %s", m[2], lines[min(max(n, 1), len(lines))-1])
}

// launch runs the cubin and returns its output.
func (j *judge) launch(p *randptx.Program) ([]byte, error) {
	if j.launcher == nil {
		l, err := startLauncher(j.base + ".in")
		if err != nil {
			return nil, err
		}
		j.launcher = l
	}
	if err := j.launcher.launch(j.base+".cubin", j.base+".out", p); err != nil {
		j.launcher.stop()
		j.launcher = nil
		return nil, err
	}
	return os.ReadFile(j.base + ".out")
}

// minimize removes what does not matter for the kind of verdict, until the context ends.
func (j *judge) minimize(ctx context.Context, p *randptx.Program, k kind) *randptx.Program {
	return p.Minimize(func(smaller *randptx.Program) bool { return ctx.Err() == nil && j.judge(smaller).kind == k })
}
