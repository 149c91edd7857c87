package pocl

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"silica/bench"
)

// Host is the compiled programs of twins.
type Host struct{ folder, sources string }

// Build compiles the programs, which lie with kernels.cl in sources, into a folder that Close removes.
func Build(sources string) (*Host, error) {
	folder, err := os.MkdirTemp("", "silica-pocl-")
	if err != nil {
		return nil, err
	}
	h := &Host{folder, sources}
	for program, library := range map[string]string{"host": "-lOpenCL", "sgemm": "-lopenblas"} {
		out, err := exec.Command("cc", "-O2", "-o", filepath.Join(folder, program), filepath.Join(sources, program+".c"), library).CombinedOutput()
		if err != nil {
			h.Close()
			return nil, fmt.Errorf("cannot build %s.c; Debian's packages are pocl-opencl-icd, ocl-icd-opencl-dev, opencl-headers, libopenblas-dev: %w\n%s", program, err, out)
		}
	}
	return h, nil
}

// Sgemm returns the time of OpenBLAS's product of two n x n matrices.
func (h *Host) Sgemm(n int) (time.Duration, error) {
	out, err := exec.Command(filepath.Join(h.folder, "sgemm"), strconv.Itoa(n)).Output()
	if err != nil {
		return 0, fmt.Errorf("OpenBLAS: %w", err)
	}
	return nanoseconds(out)
}

// Close removes what Build made.
func (h *Host) Close() { os.RemoveAll(h.folder) }

// Run runs the twin of a case of size n a few times. It returns the median time of a pass, and the last buffer as it is after the first.
func (h *Host) Run(c bench.Case, n, passes int) (time.Duration, []byte, error) {
	var script bytes.Buffer
	for i, b := range c.Buffers(n) {
		name := "-"
		if b.Fill != nil {
			contents := make([]byte, b.Bytes)
			b.Fill(contents)
			name = filepath.Join(h.folder, fmt.Sprintf("%d.bin", i))
			if err := os.WriteFile(name, contents, 0o600); err != nil {
				return 0, nil, err
			}
		}
		fmt.Fprintf(&script, "buffer %s %d\n", name, b.Bytes)
	}
	for _, l := range c.Launches(n) {
		fmt.Fprintf(&script, "launch %s", l.Kernel)
		for _, size := range append(l.Grid[:], l.Block[:]...) {
			fmt.Fprintf(&script, " %d", size)
		}
		for _, a := range l.Args {
			if a.Buffer >= 0 {
				fmt.Fprintf(&script, " b%d", a.Buffer)
			} else {
				fmt.Fprintf(&script, " w%d", a.Word)
			}
		}
		script.WriteByte('\n')
	}
	result := filepath.Join(h.folder, "result.bin")
	fmt.Fprintf(&script, "passes %d %s\n", passes, result)
	cmd := exec.Command(filepath.Join(h.folder, "host"), filepath.Join(h.sources, "kernels.cl"))
	cmd.Stdin = &script
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return 0, nil, fmt.Errorf("%s on PoCL: %w\n%s", c.Name, err, problem.Bytes())
	}
	took, err := nanoseconds(out)
	if err != nil {
		return 0, nil, fmt.Errorf("%s on PoCL: %w", c.Name, err)
	}
	contents, err := os.ReadFile(result)
	return took, contents, err
}

// nanoseconds reads what a program printed.
func nanoseconds(out []byte) (time.Duration, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return time.Duration(n), err
}
