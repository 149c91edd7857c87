package sass_test

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"silica/internal/ir"
	"silica/internal/sass"
)

// TestCourse compares kernels as courses have them with what ptxas 13.0 makes of the same PTX, which nvcc 13.0 wrote with -O3 -arch=sm_80. The
// instructions are those up to the last EXIT, behind which slow paths lie.
func TestCourse(t *testing.T) {
	file, err := os.Open("testdata/course/ptxas.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]map[string]*ir.Kernel{}
	type sum struct{ kernels, registers, instructions float64 }
	sums := map[string]*sum{}
	for _, row := range rows[1:] {
		module, kernel, arch := row[0], row[1], row[2]
		if modules[module] == nil {
			modules[module] = load(t, module)
		}
		sm, _ := strconv.Atoi(arch[len("sm_"):])
		registers, _ := strconv.ParseFloat(row[3], 64)
		instructions, _ := strconv.ParseFloat(row[4], 64)
		p := sass.Lower(modules[module][kernel], sass.Arch{SM: sm})
		if sums[arch] == nil {
			sums[arch] = &sum{}
		}
		s := sums[arch]
		s.kernels++
		s.registers += math.Abs(float64(p.Registers)/registers - 1)
		s.instructions += math.Abs(float64(length(p))/instructions - 1)
	}
	for _, arch := range []string{"sm_80", "sm_89", "sm_90"} {
		s := sums[arch]
		if s == nil || s.kernels < 36 {
			t.Fatalf("too few kernels for %s", arch)
		}
		r, n := 100*s.registers/s.kernels, 100*s.instructions/s.kernels
		t.Logf("%s: registers differ by %.1f %% on average of %.0f kernels, instructions by %.1f %%", arch, r, s.kernels, n)
		if r > 9 || n > 8.5 {
			t.Errorf("%s: registers differ by %.1f %% on average, instructions by %.1f %%: more than they did", arch, r, n)
		}
	}
}

// load reads a module of the course.
func load(t *testing.T, name string) map[string]*ir.Kernel {
	text, err := os.ReadFile(filepath.Join("testdata/course", name+".ptx"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*ir.Kernel{}
	for _, k := range kernels(t, name+".ptx", text) {
		out[k.Name] = k
	}
	return out
}

// length is how many instructions the kernel's own code has.
func length(p *sass.Program) (n int) {
	for _, b := range p.Funcs[0].Blocks {
		for _, in := range b.Code {
			if !in.Away {
				n++
			}
		}
	}
	return n
}
