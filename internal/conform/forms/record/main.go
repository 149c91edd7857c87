// Command record asks ptxas which of the instructions that package forms writes it accepts for a target and a PTX
// version, and prints the answers: "+" or "-", a tab, the instruction, and for those refused a tab and the reason.
package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"silica/internal/conform/forms"
)

func main() {
	var a assembler
	flag.StringVar(&a.path, "ptxas", "ptxas", "the assembler")
	flag.StringVar(&a.target, "target", "sm_90a", "the target of the modules")
	flag.IntVar(&a.version, "version", 87, "the PTX version of the modules, 87 for 8.7")
	limit := flag.Int("limit", 12, "about how many forms of each row to ask for")
	near := flag.Int("near", 1, "of how many of these the near misses too")
	workers := flag.Int("j", 2, "how many assemblers run at once")
	flag.Parse()
	dir, err := os.MkdirTemp("", "forms")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer os.RemoveAll(dir)
	a.dir = dir
	list := forms.Instructions(*limit, *near)
	answers := make([]string, len(list))
	work := make(chan int)
	var wait sync.WaitGroup
	const batch = 500
	for range *workers {
		wait.Go(func() {
			for at := range work {
				end := min(at+batch, len(list))
				a.ask(at, list[at:end], answers[at:end])
			}
		})
	}
	for at := 0; at < len(list); at += batch {
		work <- at
	}
	close(work)
	wait.Wait()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for i, in := range list {
		switch answers[i] {
		case "":
			fmt.Fprintf(out, "+\t%s\n", in)
		case crashed: // neither yes nor no
		default:
			fmt.Fprintf(out, "-\t%s\t%s\n", in, answers[i])
		}
	}
}

// assembler is how ptxas is run.
type assembler struct {
	path, target, dir string
	version           int
}

// crashed is the answer where ptxas fell over.
const crashed = "crashed"

var complaint = regexp.MustCompile(`line (\d+); (error|fatal)\s*: (.*)`)

// ask fills in the answers to a list of instructions: "" where ptxas accepts one, else its reason. A syntax error ends
// a run, so it goes on after it; a run that crashes is halved.
func (a *assembler) ask(id int, list, answers []string) {
	head := forms.Header(a.target, a.version)
	first := strings.Count(head, "\n") + 1
	for start := 0; start < len(list); {
		next, whole := len(list), false
		for line := range bytes.SplitSeq(a.run(id, head+strings.Join(list[start:], "\n")+"\n"+forms.Footer, &whole), []byte("\n")) {
			m := complaint.FindSubmatch(line)
			if m == nil {
				continue
			}
			n, _ := strconv.Atoi(string(m[1]))
			i := n - first + start
			if i < 0 || i >= len(list) {
				continue
			}
			if answers[i] == "" {
				answers[i] = string(m[3])
			}
			if string(m[2]) == "fatal" {
				next = i + 1
			}
		}
		if !whole {
			if len(list)-start == 1 {
				answers[start] = crashed
				return
			}
			clear(answers[start:])
			mid := start + (len(list)-start)/2
			a.ask(id, list[start:mid], answers[start:mid])
			a.ask(id, list[mid:], answers[mid:])
			return
		}
		start = next
	}
}

// run assembles a module, without generating code, and returns what ptxas says; whole tells that it came to its end.
func (a *assembler) run(id int, source string, whole *bool) []byte {
	file := filepath.Join(a.dir, fmt.Sprintf("%d.ptx", id))
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	arch := strings.Replace(a.target, "sm_", "compute_", 1)
	if arch == "compute_70" { // the oldest that ptxas of CUDA 13 knows
		arch = "compute_75"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, a.path, "-arch", arch, file, "-o", file+".out").CombinedOutput()
	*whole = err == nil || bytes.Contains(out, []byte("aborted due to errors"))
	return out
}
