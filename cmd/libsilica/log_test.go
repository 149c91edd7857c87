package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"silica/internal/run/runtest"
)

var addresses64 = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// Every mistake is answered with its code, and with SILICA_LOG=info explained: mistakes.txt has both.
func TestMistakesAreExplained(t *testing.T) {
	program := runtest.Compile(t, "testdata/programs/mistakes.cu")
	var got strings.Builder
	for _, api := range []string{"driver", "runtime"} {
		cmd := exec.Command(program, api)
		cmd.Env = append(os.Environ(), "SILICA_LOG=info")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v", api, err)
		}
		got.WriteString("== " + api + "\n" + addresses64.ReplaceAllString(string(out), "ADDRESS"))
	}
	const golden = "testdata/mistakes.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(readFile(t, golden), got.String()); diff != "" {
		t.Errorf("-%s +got\n%s", golden, diff)
	}
}

// Each level says what those before it say, and more.
func TestLogLevels(t *testing.T) {
	program := runtest.Compile(t, "testdata/programs/levels.cu")
	for _, c := range []struct {
		level string
		lines []string // what stderr's lines contain
	}{
		{"error", []string{"the block (2000,1,1) has 2000 threads in x"}},
		{"", []string{"silica: cudaEGLStreamConsumerDisconnect is not supported", "silica: cudaFreeAsync: cudaErrorInvalidValue: ", "the block (2000,1,1) has 2000 threads in x",
			"silica: a call failed, and the program did not ask for the error: cudaFree: cudaErrorInvalidValue: "}},
		{"warning", []string{"silica: cudaEGLStreamConsumerDisconnect is not supported", "silica: cudaFreeAsync: cudaErrorInvalidValue: ", "the block (2000,1,1) has 2000 threads in x",
			"silica: a call failed, and the program did not ask for the error: cudaFree: cudaErrorInvalidValue: "}},
		{"info", []string{"silica: cudaEGLStreamConsumerDisconnect is not supported", "silica: cudaFree: cudaErrorInvalidValue: ",
			"silica: cudaFreeAsync: cudaErrorInvalidValue: ", "silica: cudaFreeAsync: cudaErrorInvalidValue: ", "silica: cudaLaunchKernel: cudaErrorInvalidConfiguration: "}},
		{"debug", []string{"] cudaMalloc(devPtr=", "silica: cudaEGLStreamConsumerDisconnect is not supported", "] cudaEGLStreamConsumerDisconnect(",
			"silica: cudaFree: cudaErrorInvalidValue: ", "] cudaFree(", "silica: cudaFreeAsync: cudaErrorInvalidValue: ", "] cudaFreeAsync(",
			"silica: cudaFreeAsync: cudaErrorInvalidValue: ", "] cudaFreeAsync(", "silica: cudaLaunchKernel: cudaErrorInvalidConfiguration: ", "] cudaLaunchKernel("}},
		{"loud", []string{"SILICA_LOG=loud: want one of error, warning, info, debug", "silica: cudaEGLStreamConsumerDisconnect is not supported",
			"silica: cudaFreeAsync: cudaErrorInvalidValue: ", "the block (2000,1,1) has 2000 threads in x",
			"silica: a call failed, and the program did not ask for the error: cudaFree: cudaErrorInvalidValue: "}},
	} {
		r := runtest.Run(t, []string{"SILICA_LOG=" + c.level}, program)
		lines := strings.Split(strings.TrimSuffix(r.Stderr, "\n"), "\n")
		if len(lines) != len(c.lines) {
			t.Errorf("%s: %d lines, want %d:\n%s", c.level, len(lines), len(c.lines), r.Stderr)
			continue
		}
		for i, line := range lines {
			if !strings.Contains(line, c.lines[i]) {
				t.Errorf("%s: line %q, want %q", c.level, line, c.lines[i])
			}
		}
	}
}

// A trace has every call of both APIs, in order, with readable arguments.
func TestTrace(t *testing.T) {
	program := runtest.Compile(t, "testdata/programs/traced.cu")
	file := t.TempDir() + "/trace"
	runtest.Run(t, []string{"SILICA_TRACE_API=" + file}, program)
	number := regexp.MustCompile(`^\d+\.\d{6} \[\d+\] (.*) \d+\.\d\d us$`)
	var got []string
	for line := range strings.Lines(readFile(t, file)) {
		m := number.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Fatalf("line %q", line)
		}
		got = append(got, addresses64.ReplaceAllString(m[1], "ADDRESS"))
	}
	want := strings.Split(strings.TrimSpace(readFile(t, "testdata/traced.txt")), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-testdata/traced.txt +got\n%s", diff)
	}
}
