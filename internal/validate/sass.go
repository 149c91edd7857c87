package validate

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/sass"
	"silica/internal/truth"
)

// MachineCode is one case's machine code beside the chip's.
type MachineCode struct {
	Case   string `json:"case"`
	Kernel string `json:"kernel"` // mangled; several cases may launch one
	Error  string `json:"error,omitempty"`
	// Executed are warp instructions; Registers those of a thread.
	Executed  Pair `json:"executed"`
	Registers Pair `json:"registers"`
	// Accesses are executed accesses to global and shared memory by opcode and width in bits: "LDS.128".
	Accesses map[string]Pair `json:"accesses"`
}

// Pair is our figure and the chip's.
type Pair struct {
	Silica   float64 `json:"silica"`
	Hardware float64 `json:"hardware"`
}

// Error is the relative error.
func (p Pair) Error() float64 {
	if p.Hardware == 0 {
		return 0
	}
	return (p.Silica - p.Hardware) / p.Hardware
}

// equal allows for counts that depend on time, such as those of spin loops.
func (p Pair) equal() bool { return math.Abs(p.Silica-p.Hardware) <= 0.005*p.Hardware }

// Sass runs a case for the counts of its PTX and compares what its machine code would execute with what the chip did.
func Sass(ctx context.Context, c *truth.Case, o Options) MachineCode {
	r := MachineCode{Case: c.ID, Kernel: c.Kernel, Accesses: map[string]Pair{}}
	kernel, stats, err := count(ctx, c, o)
	if err == nil {
		err = r.compare(c, o, kernel, stats)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

func (r *MachineCode) compare(c *truth.Case, o Options, kernel *ir.Kernel, stats *exec.Stats) error {
	arch, err := sass.ArchOf(o.GPU)
	if err != nil {
		return err
	}
	recorded, err := c.Opcodes()
	if err != nil {
		return err
	}
	program := sass.Lower(kernel, arch)
	r.Registers = Pair{float64(program.Registers), float64(c.Compiled.Registers)}
	for name, n := range program.Executed(stats) {
		r.Executed.Silica += n
		if key := accessKey(name); key != "" {
			p := r.Accesses[key]
			r.Accesses[key] = Pair{p.Silica + n, p.Hardware}
		}
	}
	for name, n := range recorded {
		r.Executed.Hardware += n
		if key := accessKey(name); key != "" {
			p := r.Accesses[key]
			r.Accesses[key] = Pair{p.Silica, p.Hardware + n}
		}
	}
	return nil
}

// accessKey is the opcode and width in bits of an access to global or shared memory, "" for other instructions.
func accessKey(name string) string {
	opcode, mods, _ := strings.Cut(name, ".")
	if !slices.Contains([]string{"LDG", "STG", "LDS", "STS"}, opcode) {
		return ""
	}
	width := "32"
	for _, m := range strings.Split(mods, ".") {
		switch m {
		case "64", "128":
			width = m
		case "U8", "S8", "U16", "S16":
			width = m[1:]
		}
	}
	return opcode + "." + width
}

// SassText prints the results a line each, then their summary.
func SassText(w io.Writer, results []MachineCode) {
	fmt.Fprintf(w, "%-28s %14s %14s %8s %12s  %s\n", "case", "executed", "chip", "error", "registers", "accesses that differ")
	for _, r := range results {
		if r.Error != "" {
			fmt.Fprintf(w, "%-28s %s\n", r.Case, r.Error)
			continue
		}
		fmt.Fprintf(w, "%-28s %14.0f %14.0f %+7.1f%% %5.0f of %3.0f  %s\n", r.Case, r.Executed.Silica, r.Executed.Hardware, 100*r.Executed.Error(),
			r.Registers.Silica, r.Registers.Hardware, strings.Join(r.different(), ", "))
	}
	s := Summarise(results)
	fmt.Fprintf(w, "\n%d launches: executed warp instructions differ by %.1f %% on average, within 10 %% in %.0f %% of them, within 20 %% in %.0f %%\n",
		s.Cases, 100*s.Executed, 100*s.Within10, 100*s.Within20)
	fmt.Fprintf(w, "registers differ by %.1f %% on average of the launches, by %.1f %% of the %d kernels that they launch\n",
		100*s.Registers, 100*s.KernelRegisters, s.Kernels)
	fmt.Fprintf(w, "accesses to global and shared memory by width: %.0f %% of the counts are equal, and all of them in %.0f %% of the kernels\n",
		100*s.Accesses, 100*s.AllAccesses)
}

// different describes the accesses that are not equal.
func (r *MachineCode) different() []string {
	var out []string
	for key, p := range r.Accesses {
		if !p.equal() {
			out = append(out, fmt.Sprintf("%s %.0f of %.0f", key, p.Silica, p.Hardware))
		}
	}
	slices.Sort(out)
	return out
}

// SassSummary holds means over cases; errors are relative and without sign.
type SassSummary struct {
	Cases, Kernels               int // launches, and kernels that they launch
	Executed, Within10, Within20 float64
	Registers, KernelRegisters   float64 // means of the launches, and of the kernels
	Accesses, AllAccesses        float64 // shares
}

// Summarise adds up results.
func Summarise(results []MachineCode) SassSummary {
	var s SassSummary
	var counts, equal float64
	kernels := map[string]bool{}
	for _, r := range results {
		if r.Error != "" {
			continue
		}
		s.Cases++
		e := math.Abs(r.Executed.Error())
		s.Executed += e
		if e <= 0.1 {
			s.Within10++
		}
		if e <= 0.2 {
			s.Within20++
		}
		s.Registers += math.Abs(r.Registers.Error())
		if !kernels[r.Kernel] {
			kernels[r.Kernel] = true
			s.KernelRegisters += math.Abs(r.Registers.Error())
		}
		all := 1.0
		for _, p := range r.Accesses {
			counts++
			if p.equal() {
				equal++
			} else {
				all = 0
			}
		}
		s.AllAccesses += all
	}
	n := float64(max(s.Cases, 1))
	s.Executed, s.Within10, s.Within20, s.Registers, s.AllAccesses = s.Executed/n, s.Within10/n, s.Within20/n, s.Registers/n, s.AllAccesses/n
	s.Accesses = equal / max(counts, 1)
	s.Kernels = len(kernels)
	s.KernelRegisters /= float64(max(s.Kernels, 1))
	return s
}
