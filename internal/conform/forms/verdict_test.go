package forms

import (
	"bufio"
	"compress/gzip"
	"os"
	"strings"
	"testing"
)

// readLines calls yield with the lines of a file of testdata, which may be compressed.
func readLines(t *testing.T, name string, yield func(line string)) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		s = bufio.NewScanner(z)
	}
	for s.Scan() {
		yield(s.Text())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

// readSet returns the lines of a file of testdata.
func readSet(t *testing.T, name string) map[string]bool {
	set := map[string]bool{}
	readLines(t, name, func(line string) { set[line] = true })
	return set
}

// TestVerdictsOfPtxas asks our checker about the instructions that ptxas of CUDA 13.0 was asked about (with
// the command record). differ.txt lists those where the two disagree: mostly texts that ptxas takes although
// they are no PTX.
func TestVerdictsOfPtxas(t *testing.T) {
	differ := readSet(t, "differ.txt")
	asked, accepted := 0, 0
	for _, module := range []struct {
		file, target string
		version      int
	}{
		{"sm_90a_8.7.txt.gz", "sm_90a", 87},
		{"sm_80_7.0.txt.gz", "sm_80", 70},
		{"sm_70_6.0.txt.gz", "sm_70", 60},
	} {
		readLines(t, module.file, func(line string) {
			verdict, instruction, _ := strings.Cut(line, "\t")
			ok, reason := Accepts(module.target, module.version, instruction)
			asked++
			if ok {
				accepted++
			}
			if agree := ok == (verdict == "+"); agree == differ[module.target+"\t"+instruction] {
				t.Errorf("%s: %s: ptxas says %s, we say %v %s; it is in differ.txt: %v", module.target, instruction, verdict, ok, reason, agree)
			}
		})
	}
	if asked < 30000 || accepted < 5000 {
		t.Errorf("%d instructions, %d accepted", asked, accepted)
	}
}
