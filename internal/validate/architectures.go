package validate

import (
	"fmt"
	"io"
	"math"
	"os"

	"silica/internal/ir"
	"silica/internal/sass"
	"silica/internal/truth"
	"silica/ptx"
)

// Architecture tells how far the registers of kernels are from those that ptxas gave them for an architecture.
type Architecture struct {
	SM      int
	Kernels int
	// Error is the mean of the relative errors without sign, Bias with it; Within10 and Within20 are shares of kernels.
	Error, Bias, Within10, Within20 float64
}

// Architectures lowers the recorded kernels for each architecture that ptxas assembled them for, in ascending order.
func Architectures(s *truth.Suite) ([]Architecture, error) {
	assembled, err := s.Assembled()
	if err != nil {
		return nil, err
	}
	modules := map[string]*ir.Module{}
	var out []Architecture
	for _, a := range assembled {
		if modules[a.PTX] == nil {
			if modules[a.PTX], err = readModule(a.PTX); err != nil {
				return nil, err
			}
		}
		kernel, err := modules[a.PTX].Kernel(a.Kernel)
		if err != nil {
			return nil, err
		}
		arch, err := sass.ArchFor(a.SM)
		if err != nil {
			return nil, err
		}
		if len(out) == 0 || out[len(out)-1].SM != a.SM {
			out = append(out, Architecture{SM: a.SM})
		}
		out[len(out)-1].add(Pair{float64(sass.Lower(kernel, arch).Registers), float64(a.Registers)})
	}
	for i := range out {
		n := float64(out[i].Kernels)
		for _, sum := range []*float64{&out[i].Error, &out[i].Bias, &out[i].Within10, &out[i].Within20} {
			*sum /= n
		}
	}
	return out, nil
}

func (a *Architecture) add(registers Pair) {
	e := registers.Error()
	a.Kernels++
	a.Bias += e
	a.Error += math.Abs(e)
	if math.Abs(e) <= 0.1 {
		a.Within10++
	}
	if math.Abs(e) <= 0.2 {
		a.Within20++
	}
}

func readModule(path string) (*ir.Module, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := ptx.Load(path, text)
	if err != nil {
		return nil, err
	}
	return ir.NewModule(m)
}

// ArchitecturesText prints an architecture a line.
func ArchitecturesText(w io.Writer, all []Architecture) {
	for _, a := range all {
		fmt.Fprintf(w, "registers on sm_%d differ by %.1f %% on average of %d kernels (%+.1f %%), within 10 %% in %.0f %% of them, within 20 %% in %.0f %%\n",
			a.SM, 100*a.Error, a.Kernels, 100*a.Bias, 100*a.Within10, 100*a.Within20)
	}
}

// SassMarkdown writes the part of docs/accuracy.md about machine code.
func SassMarkdown(w io.Writer, results []MachineCode, all []Architecture) {
	s := Summarise(results)
	fmt.Fprintf(w, `
## Machine code

What the recorded kernels become beside what ptxas 13.0 made of them. Counts are of the instructions that the H200 executed.

| | |
|---|---|
| executed warp instructions, mean error of %d launches | %.1f %% |
| within 10 %%, 20 %% | %.0f %%, %.0f %% |
| accesses to global and shared memory of which each width is as often | %.0f %% |
| kernels in which all are | %.0f %% |

Registers of a thread, on each architecture that the kernels were assembled for:

| architecture | kernels | mean error | with its sign | within 10 %% | within 20 %% |
|---|--:|--:|--:|--:|--:|
`, s.Cases, 100*s.Executed, 100*s.Within10, 100*s.Within20, 100*s.Accesses, 100*s.AllAccesses)
	for _, a := range all {
		fmt.Fprintf(w, "| sm_%d | %d | %.1f %% | %+.1f %% | %.0f %% | %.0f %% |\n", a.SM, a.Kernels, 100*a.Error, 100*a.Bias, 100*a.Within10, 100*a.Within20)
	}
}
