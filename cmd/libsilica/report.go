package main

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"silica/internal/cppname"
)

// reporter tells the user what is wrong, whatever the program does with the error code.
type reporter struct {
	mu   sync.Mutex
	said map[string]bool
}

// reportLimit is how many different lines are remembered. Lines beyond it are not said: a program that gets so much wrong
// learns nothing from more.
const reportLimit = 1000

// report prints a line, the first time that it is to be said.
func (r *reporter) report(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.said[line] || len(r.said) >= reportLimit {
		return
	}
	r.said[line] = true
	r.print(line)
}

// wasSaid tells whether report has printed a line.
func (r *reporter) wasSaid(line string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said[line]
}

// say prints a line, whether or not it was said before.
func (r *reporter) say(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.print(line)
}

// print prints C++ names as they are in the source, and files of the working directory without it.
func (r *reporter) print(line string) {
	if dir, err := os.Getwd(); err == nil && dir != "/" {
		line = strings.ReplaceAll(line, dir+"/", "")
	}
	fmt.Fprintln(os.Stderr, cppname.Readable(line))
}

// reports is the reporter of the process, which has one stderr.
var reports = reporter{said: map[string]bool{}}

func report(line string) { reports.report(line) }
