package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"silica/internal/randptx"
)

//go:embed launch.py
var script string

// patience is how long a launch may take.
const patience = 10 * time.Second

// launcher is a process that launches kernels, until one of them faults.
type launcher struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startLauncher(input string) (*launcher, error) {
	command := exec.Command("python3", "-c", script, input)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &launcher{command, in, bufio.NewReader(out)}, command.Start()
}

// launch launches a program; the launcher is of no use after an error.
func (l *launcher) launch(cubin, output string, p *randptx.Program) error {
	if _, err := fmt.Fprintln(l.in, cubin, p.Grid, p.Block, p.OutputBytes(), output); err != nil {
		return err
	}
	tooLong := time.AfterFunc(patience, func() { l.command.Process.Kill() })
	defer tooLong.Stop()
	line, err := l.out.ReadString('\n')
	switch code := strings.TrimSpace(line); {
	case err != nil:
		return fmt.Errorf("the launch does not end")
	case code != "0":
		return fmt.Errorf("result %s of the driver", code)
	}
	return nil
}

func (l *launcher) stop() {
	l.in.Close()
	l.command.Process.Kill()
	l.command.Wait()
}
