package sass_test

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"silica/internal/sass"
)

// mostDifference is how far registers and instructions of programs with calls may be from those of ptxas, on average.
const mostDifference = 0.12

// TestCallsLikePtxas compares programs with calls with what ptxas makes of them.
func TestCallsLikePtxas(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/calls/ptxas.txtar")
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string][]byte{}
	for _, f := range archive.Files {
		programs[f.Name] = f.Data
	}
	rows, err := csv.NewReader(bytes.NewReader(programs["ptxas.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var registers, instructions float64
	for _, row := range rows[1:] {
		sm, _ := strconv.Atoi(row[1])
		wantRegisters, _ := strconv.ParseFloat(row[2], 64)
		wantInstructions, _ := strconv.ParseFloat(row[3], 64)
		p := sass.Lower(kernels(t, row[0], programs[row[0]+".ptx"])[0], sass.Arch{SM: sm})
		count := 0
		for _, f := range p.Funcs {
			for _, b := range f.Blocks {
				count += len(b.Code)
			}
		}
		t.Logf("%-10s sm_%d: %3d registers of %3.0f, %3d instructions of %3.0f", row[0], sm, p.Registers, wantRegisters, count, wantInstructions)
		registers += math.Abs(float64(p.Registers)/wantRegisters - 1)
		instructions += math.Abs(float64(count)/wantInstructions - 1)
	}
	n := float64(len(rows) - 1)
	t.Logf("on average registers differ by %.3f, instructions by %.3f", registers/n, instructions/n)
	if registers/n > mostDifference || instructions/n > mostDifference {
		t.Errorf("registers differ by %.3f of ptxas', instructions by %.3f", registers/n, instructions/n)
	}
}

// TestCallsGiveRegisters checks that what is passed is there: every register that a call or return reads was written in its function or came with
// a call, and what lives across a call lies in no register that the callee overwrites.
func TestCallsGiveRegisters(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/calls.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kernels(t, "calls.ptx", archive.Files[0].Data) {
		for _, sm := range []int{80, 90, 100} {
			p := sass.Lower(k, sass.Arch{SM: sm})
			for _, f := range p.Funcs {
				written := map[int]bool{}
				for _, b := range f.Blocks {
					for _, in := range b.Code {
						if in.Op.Name == "CALL" || in.Op.Name == "RET" {
							for _, o := range in.Src {
								if o.Kind == sass.Register && !written[o.Reg] && f == p.Funcs[0] {
									t.Errorf("%s on sm_%d: %s reads R%d, which nothing wrote", k.Name, sm, in, o.Reg)
								}
							}
						}
						for _, o := range in.Dst {
							for i := range max(o.Words, 1) {
								written[o.Reg+i] = written[o.Reg+i] || o.Kind == sass.Register
							}
						}
					}
				}
			}
			if text := listing(p); strings.Contains(text, "NOP") || !strings.Contains(text, "CALL.") {
				t.Errorf("%s on sm_%d has no call:\n%s", k.Name, sm, text)
			}
		}
	}
}

func listing(p *sass.Program) string {
	var b bytes.Buffer
	sass.Fprint(&b, p)
	return b.String()
}
