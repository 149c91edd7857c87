package ir

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// The estimate stays as close to what ptxas allocated for sm_90 as its comment says.
func TestRegisterEstimate(t *testing.T) {
	const file = "../../../shared/truth/h200/kernels.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string]struct {
		Resources map[string]struct {
			Registers    int
			StaticShared int `json:"static_shared"`
			Barriers     int
			SpillStores  int `json:"spill_stores"`
		}
	}
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	seen := map[string]bool{} // instances of a template that come out alike
	count, registers, relative := 0, 0.0, 0.0
	sharedModules(t, "truth/h200/ptx", func(t testing.TB, m *Module) {
		if !strings.Contains(m.Source.File, "compute_90") {
			return
		}
		for _, name := range m.Entries {
			k, err := m.Kernel(name)
			if err != nil {
				t.Fatal(err)
			}
			want := recorded[name].Resources["sm_90"]
			if k.StaticShared != want.StaticShared {
				t.Errorf("%s: %d bytes of static shared memory, want %d", name, k.StaticShared, want.StaticShared)
			}
			if k.Barriers != want.Barriers {
				t.Errorf("%s: %d barriers, want %d", name, k.Barriers, want.Barriers)
			}
			template, _, _ := strings.Cut(name, "ILi")
			alike := fmt.Sprint(template, len(k.Funcs[0].Code), k.LiveRegisters)
			if want.SpillStores > 0 || seen[alike] {
				continue
			}
			seen[alike] = true
			off := math.Abs(float64(k.LiveRegisters - want.Registers))
			count++
			registers += off
			relative += off / float64(want.Registers)
		}
	})
	registers, relative = registers/float64(count), relative/float64(count)
	t.Logf("%d kernels: mean error %.2f registers, %.1f %%", count, registers, 100*relative)
	if count < 75 || registers > 5.5 || relative > 0.19 {
		t.Errorf("%d kernels: mean error %.2f registers, %.1f %%", count, registers, 100*relative)
	}
}
