package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
)

// calls measures calls of the library through its C ABI, beside a system call of the same run.
func (m *measurer) calls(out *bytes.Buffer) error {
	var problem bytes.Buffer
	cmd := exec.Command("bin/silica", "run", "bench/calls/calls.cu")
	cmd.Stderr = &problem
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("bench/calls/calls.cu: %w\n%s", err, &problem)
	}
	out.WriteString("\n## Calls\n\n| call | ns | times getpid() |\n|---|---|---|\n")
	var yardstick float64
	for line := range strings.Lines(string(text)) {
		var name string
		var took float64
		if _, err := fmt.Sscan(line, &name, &took); err != nil {
			return fmt.Errorf("bench/calls/calls.cu: %q: %w", line, err)
		}
		if yardstick == 0 { // the first is the system call
			yardstick = took
		}
		fmt.Fprintf(out, "| %s | %.0f | %.2f |\n", name, took, took/yardstick)
	}
	return nil
}
