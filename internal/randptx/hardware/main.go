// Command hardware runs random programs on the GPU of this machine and compares their outputs with our oracle's. It needs ptxas,
// and Python for the calls of the driver.
//
// Each program is compiled without and with optimisation. Where the two disagree on the chip itself the program is not judged, as either
// ptxas or the program is at fault. The report, on standard output, has one line for each program that is not equal, and then their
// minimized texts:
//
//	go run ./internal/randptx/hardware -random 1000 -seed 1
//	go run ./internal/randptx/hardware FILE.ptx...
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"silica/internal/randptx"
)

func main() {
	count := flag.Int("random", 0, "how many random programs")
	seed := flag.Uint64("seed", 1, "the seed of the first one; the others follow")
	ptxas := flag.String("ptxas", "ptxas -fmad=false", "the assembler and its options")
	target := flag.String("target", "sm_90a", "the chip that it assembles for")
	workers := flag.Int("j", 16, "how many programs at once")
	minimize := flag.Duration("minimize", 0, "for how long to minimize programs that differ")
	flag.Parse()
	if err := run(*count, *seed, flag.Args(), settings{strings.Fields(*ptxas), *target, *workers, *minimize}); err != nil {
		fmt.Fprintln(os.Stderr, "hardware:", err)
		os.Exit(1)
	}
}

// settings are what the flags say.
type settings struct {
	ptxas    []string
	target   string
	workers  int
	minimize time.Duration
}

// result is a program and what came of it.
type result struct {
	name    string
	program *randptx.Program
	verdict verdict
}

func run(count int, seed uint64, files []string, s settings) error {
	var results []*result
	for i := range uint64(count) {
		p := randptx.Generate(seed+i, randptx.Options{Hardware: true})
		results = append(results, &result{name: fmt.Sprint("seed ", p.Seed), program: p})
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		p, err := randptx.Parse(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		results = append(results, &result{name: file, program: p})
	}
	dir, err := os.MkdirTemp("", "hardware")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	judges := make([]*judge, s.workers)
	for i := range judges {
		if judges[i], err = newJudge(dir, i, s); err != nil {
			return err
		}
		defer judges[i].close()
	}
	each(judges, results, func(j *judge, r *result) { r.verdict = j.judge(r.program) })
	counts := map[kind]int{}
	var left []*result
	for _, r := range results {
		counts[r.verdict.kind]++
		if r.verdict.kind != equal {
			fmt.Printf("%s: %s: %s\n", r.name, r.verdict.kind, strings.Join(r.verdict.texts, "; "))
		}
		if slices.Contains([]kind{different, faulted, unsettled}, r.verdict.kind) {
			left = append(left, r)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("%d %s\n", counts[k], k)
	}
	slices.SortStableFunc(left, func(a, b *result) int { return int(a.verdict.kind - b.verdict.kind) })
	ctx, cancel := context.WithTimeout(context.Background(), s.minimize)
	defer cancel()
	var printing sync.Mutex
	each(judges, left, func(j *judge, r *result) {
		small := j.minimize(ctx, r.program, r.verdict.kind)
		if ctx.Err() != nil {
			return
		}
		v := j.judge(small)
		printing.Lock()
		defer printing.Unlock()
		fmt.Printf("=== %s minimized: %s: %s\n%s", r.name, v.kind, strings.Join(v.texts, "; "), small.Text())
	})
	return nil
}

// each gives every result to one of the judges, which work at once.
func each(judges []*judge, results []*result, do func(*judge, *result)) {
	work := make(chan *result)
	var wait sync.WaitGroup
	for _, j := range judges {
		wait.Go(func() {
			for r := range work {
				do(j, r)
			}
		})
	}
	for _, r := range results {
		work <- r
	}
	close(work)
	wait.Wait()
}
