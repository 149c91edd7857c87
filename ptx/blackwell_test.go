package ptx

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// recordedInstruction is an instruction with what ptxas says of it for each target.
type recordedInstruction struct {
	text     string
	verdicts string // a '1' where it is taken
}

// readBlackwell reads what ptxas takes and refuses of instructions of compute capability 10 to 12.
func readBlackwell(t *testing.T) (targets []string, list []recordedInstruction) {
	t.Helper()
	file, err := os.Open("testdata/blackwell.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := ""
	lines := bufio.NewScanner(unpacked)
	for lines.Scan() {
		kind, rest, _ := strings.Cut(lines.Text(), " ")
		switch kind {
		case "#":
		case "@":
			targets = strings.Split(rest, ", ")
		case "=":
			verdicts = rest
		default:
			if strings.Contains(lines.Text(), ".kind::i8") && strings.HasSuffix(lines.Text(), ", 16") {
				continue // ptxas does not look at the scale of sums of integers
			}
			list = append(list, recordedInstruction{vectors.ReplaceAllStringFunc(lines.Text(), spellVector), verdicts})
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return targets, list
}

var vectors = regexp.MustCompile(`\{r\*\d+\}`)

// spellVector writes {r*2} as {%r0, %r1}.
func spellVector(s string) string {
	n, _ := strconv.Atoi(s[3 : len(s)-1])
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%%r%d", i)
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// TestAsPtxas checks that the checker takes and refuses the same instructions as ptxas, for each version and target.
func TestAsPtxas(t *testing.T) {
	targets, list := readBlackwell(t)
	if len(targets) < 19 || len(list) < 6000 {
		t.Fatalf("%d instructions for %d targets", len(list), len(targets))
	}
	for i, target := range targets {
		var taken, refused []string
		for _, r := range list {
			if r.verdicts[i] == '1' {
				taken = append(taken, r.text)
			} else {
				refused = append(refused, r.text)
			}
		}
		for j, message := range checkLines(t, target, taken) {
			t.Errorf("%s: %s: %s; ptxas takes it", target, taken[j], message)
		}
		const batch = maxErrors / 2
		for len(refused) > 0 {
			some := refused[:min(batch, len(refused))]
			refused = refused[len(some):]
			messages := checkLines(t, target, some)
			for j, text := range some {
				// A batch may have more errors than are reported.
				if messages[j] == "" && len(checkLines(t, target, some[j:j+1])) == 0 {
					t.Errorf("%s: %s is taken; ptxas refuses it", target, text)
				}
			}
		}
	}
}

// checkLines loads a module of instructions, one a line, and returns what is wrong with which.
func checkLines(t *testing.T, target string, instructions []string) map[int]string {
	t.Helper()
	version, name, _ := strings.Cut(target, " ")
	source := fmt.Sprintf(`.version %s .target %s .address_size 64
.shared .align 128 .b8 sm[8192]; .visible .entry k() {
.reg .b8 %%b<10>; .reg .b16 %%h<20>; .reg .b32 %%r<140>; .reg .f32 %%f<20>;
.reg .f64 %%fd<20>; .reg .b64 %%rd<30>; .reg .b128 %%q<10>; .reg .pred %%p<4>;
`, version, name)
	const before = 4 // lines
	source += strings.Join(instructions, ";\n") + ";\n}\n"
	_, err := Load("k.ptx", []byte(source))
	wrong := map[int]string{}
	var list Errors
	if errors.As(err, &list) {
		for _, e := range list {
			wrong[e.Pos.Line-before-1] = e.Msg
		}
	} else if err != nil {
		t.Fatal(err)
	}
	return wrong
}
