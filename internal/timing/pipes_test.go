package timing

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"silica/gpu"
	"silica/internal/sass"
)

// TestParts compares where instructions are counted, and for how long an H200's multiprocessor is busy with one, with what its counters
// sm__inst_executed_pipe_* say of the recorded kernels: they are the solution of 189 sums of opcodes.
func TestParts(t *testing.T) {
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(g, 0)
	type use struct {
		Part   Part
		Cycles float64
	}
	want := map[string]use{
		"FFMA": {PartFMA, .25}, "FADD": {PartFMA, .25}, "IMAD": {PartFMA, .25}, "VIADD": {PartFMA, .25}, "IADD3": {PartALU, .5}, "LOP3": {PartALU, .5},
		"ISETP": {PartALU, .5}, "MOV": {PartALU, .5}, "SEL": {PartALU, .5}, "R2UR": {PartALU, .5}, "DFMA": {PartFP64, .5}, "MUFU": {PartXU, 2},
		"UIADD3": {PartUniform, .5}, "ULEA": {PartUniform, .5}, "UMOV": {}, "ULDC": {}, "BRA": {}, "BSSY": {PartCBU, .25},
		"EXIT": {PartCBU, .25}, "LDG": {PartLSU, 1}, "STG": {PartLSU, 1}, "LDS": {PartLSU, 1}, "SHFL": {PartLSU, 1}, "LDSM": {PartLSU, 1},
		"MOVM": {PartLSU, 1}, "LDC": {PartADU, 2}, "BAR": {PartADU, 2}, "S2UR": {PartADU, 2}, "TEX": {PartTEX, 2}, "LDGDEPBAR": {}, "HMMA": {},
	}
	got := map[string]use{}
	for name := range want {
		op := m.operation(&sass.Inst{Op: sass.Lookup(name), PC: -1, Target: -1})
		var u use
		u.Part, u.Cycles = m.part(&op)
		got[name] = u
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the chip's, and ours: %s", d)
	}
	for register, part := range map[string]Part{"%tid.x": PartLSU, "%laneid": PartLSU, "%ctaid.x": PartADU} {
		op := m.operation(&sass.Inst{Op: sass.Lookup("S2R"), Src: []sass.Operand{{Kind: sass.SpecialRegister, Name: register}}, PC: -1})
		if got, _ := m.part(&op); got != part {
			t.Errorf("%s is read through %q, the chip's through %q", register, got, part)
		}
	}
}
