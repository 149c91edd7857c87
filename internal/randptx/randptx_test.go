package randptx

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"silica/internal/isa"
)

// TestEveryRowIsGenerated makes a program around an instruction of every row that runs, for each target that has it.
func TestEveryRowIsGenerated(t *testing.T) {
	covered := map[*isa.Row]bool{}
	for _, target := range targets {
		for _, row := range isa.Rows() {
			if Excluded(row) != "" {
				continue
			}
			random := rand.New(rand.NewPCG(1, 2))
			if form, _ := row.Sample(target.ctx, random); form == nil {
				continue
			}
			p := programWith(random, target, row)
			if p == nil {
				t.Errorf("%s: %s is not generated", target.name, row.Syntax)
				continue
			}
			covered[row] = true
			if _, err := p.Kernel(); err != nil {
				t.Errorf("%s: %s: %v", target.name, row.Syntax, err)
			}
		}
	}
	for _, row := range isa.Rows() {
		if Excluded(row) == "" && !covered[row] {
			t.Errorf("no target has %s", row.Syntax)
		}
	}
}

// programWith returns a program with an instruction of the row, nil when none comes.
func programWith(random *rand.Rand, target target, row *isa.Row) *Program {
	for range 20 {
		p := &Program{Grid: 2, Block: 64, Cluster: 1}
		g := newGenerator(random, Options{}, target)
		g.grid, g.block, g.warps, g.calls = 2, 64, 2, true
		found := false
		g.lines = nil
		p.Source = g.moduleOf(func() {
			for range 8 {
				if g.instruction(row) {
					found = true
					g.flush()
				}
				g.drop()
			}
		})
		if found {
			return p
		}
	}
	return nil
}

func TestEnginesAgreeOnRandomPrograms(t *testing.T) {
	engines := NewEngines()
	for seed := uint64(1); seed <= 100; seed++ {
		p := Generate(seed, Options{})
		difference, _, err := engines.Compare(context.Background(), p)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if difference != "" {
			t.Errorf("seed %d: %s", seed, difference)
		}
	}
}

// TestEnginesAgreeOnFoundPrograms runs what random programs have found.
func TestEnginesAgreeOnFoundPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs in testdata")
	}
	engines := NewEngines()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Parse(string(text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if difference, _, err := engines.Compare(context.Background(), p); err != nil || difference != "" {
			t.Errorf("%s: %s %v", file, difference, err)
		}
	}
}
