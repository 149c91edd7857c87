package gpu

import "testing"

func TestEveryGPULoads(t *testing.T) {
	for _, name := range Names() {
		g, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(name, g.Name, g.Chip, len(g.Rows()))
	}
	h, err := History()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range h {
		t.Log(g.Chip.Year, g.Name, g.Cores(), g.Chip.ComputeCapability)
	}
}
