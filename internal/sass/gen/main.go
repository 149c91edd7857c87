// Gen records what ptxas makes of single instructions, in sequences.txt: every form that package forms writes is compiled with its
// sources from memory and its results to memory, and once more without it; what the first has and the second has not is the sequence.
//
//	go run ./gen [OPCODE ...]
//
// It runs ptxas and nvdisasm of CUDA 13.0 from the path. With opcodes only their forms are recorded anew.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
)

// file is where the sequences are, from package sass.
const file = "sequences.txt"

const header = `# What ptxas 13.0 makes of single instructions for sm_90a: machine instructions, a tab, the forms of PTX that become them.
# Recorded by compiling each form with its operands from memory, and without it.
`

// batch is how many forms one module has.
const batch = 20

func main() {
	if err := record(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// record writes the file anew.
func record(opcodes []string) error {
	chosen := func(name string) bool {
		opcode, _, _ := strings.Cut(name, ".")
		return len(opcodes) == 0 || slices.Contains(opcodes, opcode)
	}
	table := map[string]string{}
	if len(opcodes) > 0 {
		if err := keep(table, chosen); err != nil {
			return err
		}
	}
	var list []form
	for _, f := range all() {
		if chosen(f.name) && !native(f.name) {
			list = append(list, f)
		}
	}
	dir, err := os.MkdirTemp("", "sequences")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	results := make([]map[string]string, (len(list)+batch-1)/batch)
	errs := make([]error, len(results))
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i := range results {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			part := list[i*batch : min(len(list), (i+1)*batch)]
			results[i], errs[i] = compile(filepath.Join(dir, fmt.Sprint(i)), part)
		})
	}
	wg.Wait()
	for i, r := range results {
		if errs[i] != nil {
			return errs[i]
		}
		for name, code := range r {
			shortest(table, name, code)
		}
	}
	return write(table)
}

// keep reads the sequences of the forms that are not recorded anew.
func keep(table map[string]string, chosen func(string) bool) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		code, names, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			continue
		}
		for _, name := range strings.Fields(names) {
			if !chosen(name) {
				table[name] = strings.TrimPrefix(code, "-")
			}
		}
	}
	return lines.Err()
}

// write writes the file: a line for each sequence, in order.
func write(table map[string]string) error {
	by := map[string][]string{}
	for name, code := range table {
		by[code] = append(by[code], name)
	}
	var codes []string
	for code := range by {
		codes = append(codes, code)
	}
	sort.Strings(codes)
	var b strings.Builder
	b.WriteString(header)
	for _, code := range codes {
		sort.Strings(by[code])
		first := code
		if code == "" {
			first = "-"
		}
		fmt.Fprintf(&b, "%s\t%s\n", first, strings.Join(by[code], " "))
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// compile records the forms of one module. Forms that ptxas does not take are left out, and those at which it ends without a word.
func compile(base string, list []form) (map[string]string, error) {
	for len(list) > 0 {
		text, lines := module(list)
		if err := os.WriteFile(base+".ptx", []byte(text), 0o644); err != nil {
			return nil, err
		}
		out, err := exec.Command("ptxas", "-O3", "-arch=sm_90a", base+".ptx", "-o", base+".cubin").CombinedOutput()
		if err == nil {
			break
		}
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			return nil, fmt.Errorf("ptxas: %w", err)
		}
		left := without(list, lines, string(out))
		if len(left) == len(list) {
			return halves(base, list)
		}
		list = left
	}
	if len(list) == 0 {
		return nil, nil
	}
	return disassemble(base, list)
}

// halves records a list of forms of which one makes ptxas fail: each half by itself.
func halves(base string, list []form) (map[string]string, error) {
	table := map[string]string{}
	if len(list) == 1 {
		return table, nil
	}
	for _, half := range [][]form{list[:len(list)/2], list[len(list)/2:]} {
		part, err := compile(base, half)
		if err != nil {
			return nil, err
		}
		for name, code := range part {
			shortest(table, name, code)
		}
	}
	return table, nil
}

// shortest enters the code of a form, of several the shortest: forms differ in operands that their names do not tell.
func shortest(table map[string]string, name, code string) {
	if old, ok := table[name]; !ok || len(strings.Fields(code)) < len(strings.Fields(old)) {
		table[name] = code
	}
}

// disassemble reads the sequences of forms from the compiled module.
func disassemble(base string, list []form) (map[string]string, error) {
	out, err := exec.Command("nvdisasm", "-c", base+".cubin").Output()
	if err != nil {
		return nil, fmt.Errorf("nvdisasm: %w", err)
	}
	kernels := disassembled(string(out))
	table := map[string]string{}
	for i, f := range list {
		with, plain := kernels[fmt.Sprintf("k%d_1", i)], kernels[fmt.Sprintf("k%d_0", i)]
		if with == nil || plain == nil {
			continue
		}
		code := strings.Join(f.sequence(path(with), path(plain)), " ")
		shortest(table, f.name, code)
	}
	return table, nil
}
