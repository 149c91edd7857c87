package validate

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProgramsAreComparedLaunchByLaunch(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, RecordedPrograms), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("program,kernel,cycles,l1_hits,l2_hits,dram_read,dram_write,stall\na.cu,first,1000,40,50,64,32,wait\na.cu,second,2000,0,0,0,0,barrier\nb.cu,third,1,0,0,0,0,wait\n")
	programs, err := LoadPrograms(dir)
	if err != nil || len(programs) != 2 || programs[0].Path != filepath.Join(dir, "a.cu") {
		t.Fatalf("%+v, %v", programs, err)
	}
	report := `{"launches": [
		{"timing": {"cycles": 1100, "states": {"selected": 9, "wait": 3, "barrier": 2}, "l2_read_hits": 1, "l2_writes": 2, "l1_hits": 1, "l1_store_misses": 1, "l2_read_misses": 1, "dram_reads": 2, "dram_writes": 1}},
		{"name": "second"}]}`
	got, err := programs[0].Compare(strings.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	if r := got[0]; r.Case != "first" || r.Cycles != (Pair{1100, 1000}) || r.L1Hits != (Pair{50, 40}) || r.L2Hits != (Pair{75, 50}) || r.DRAMBytes != (Pair{96, 96}) || r.Stall != "wait" || r.HardwareStall != "wait" {
		t.Errorf("%+v", r)
	}
	if got[1].Error == "" {
		t.Errorf("a launch without timing was compared: %+v", got[1])
	}
	if _, err := programs[1].Compare(strings.NewReader(report)); err == nil || !strings.Contains(err.Error(), "launched 2 kernels, 1 were recorded") {
		t.Errorf("another number of launches: %v", err)
	}
	var text bytes.Buffer
	ProgramsMarkdown(&text, got)
	for _, want := range []string{"| first | 1100 | 1000 | +10 % | 50.0 | 40.0 | 75.0 | 50.0 | wait | wait |", "| second | was not timed |"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"program,kernel,cycles,l1_hits,l2_hits,dram_read,dram_write,stall\na.cu,first,many,0,50,0,0,wait\n", RecordedPrograms + ":2: "},
		{"program,kernel,cycles,l1_hits,l2_hits,dram_read,dram_write\na.cu,first,1,0,50,0,0\n", RecordedPrograms + ":1: there is no column stall"},
		{"program,kernel,cycles,l1_hits,l2_hits,dram_read,dram_write,stall\n", RecordedPrograms + ": want a line with the names"},
		{"", RecordedPrograms + ": want a line with the names"},
	} {
		write(c.text)
		if _, err := LoadPrograms(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestProgramsOfTheRepository reads what was recorded of them.
func TestProgramsOfTheRepository(t *testing.T) {
	programs, err := LoadPrograms("programs")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("programs/*.cu")
	if err != nil || len(sources) != len(programs) {
		t.Errorf("%d programs were recorded, there are %d (%v)", len(programs), len(sources), err)
	}
}
