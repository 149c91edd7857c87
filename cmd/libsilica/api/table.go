// Package api lists the functions of CUDA's driver and runtime APIs and the versions that have them, as text files. What the library
// has of them is cmd/libsilica's.
package api

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed *.txt
var files embed.FS

// A Symbol is a function as the libraries export it.
type Symbol struct {
	Name   string
	Since  int    // the CUDA version that has it first, such as 11040
	Until  int    // the first that has it no more, 0 when all later ones have it
	Suffix string // of its form for per-thread default streams: "_ptsz", "_ptds", or ""
}

// An Entry is a function of the driver API as programs look it up: the n-th of Forms is what it is from a version on.
type Entry struct {
	Name  string
	Forms []Symbol
}

// Tables are the functions of both APIs.
type Tables struct {
	Driver  []Entry
	Runtime []Symbol
	Partly  map[string]string // what is missing of a function that is there in part, by symbol
}

// PerThreadVersion is the CUDA version that brought default streams of threads: forms that later ones replaced before it have none.
const PerThreadVersion = 7000

// Read reads the tables.
func Read() (*Tables, error) {
	t := &Tables{Partly: map[string]string{}}
	err := eachLine("driver.txt", func(fields []string) error {
		e := Entry{Name: fields[0]}
		suffix := ""
		for _, f := range fields[1:] {
			since, err := strconv.Atoi(f)
			if err != nil {
				suffix = "_" + f
				continue
			}
			name := e.Name
			if n := len(e.Forms) + 1; n > 1 {
				name = fmt.Sprintf("%s_v%d", name, n)
			}
			e.Forms = append(e.Forms, Symbol{Name: name, Since: since})
		}
		for i := range e.Forms {
			if i+1 == len(e.Forms) || e.Forms[i+1].Since > PerThreadVersion {
				e.Forms[i].Suffix = suffix
			}
		}
		t.Driver = append(t.Driver, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachLine("runtime.txt", func(fields []string) error {
		s := Symbol{Name: fields[0]}
		for _, f := range fields[1:] {
			switch n, err := strconv.Atoi(f); {
			case err != nil:
				s.Suffix = "_" + f
			case n < 0:
				s.Until = -n
			default:
				s.Since = n
			}
		}
		t.Runtime = append(t.Runtime, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, eachLine("partly.txt", func(fields []string) error {
		t.Partly[fields[0]] = strings.Join(fields[1:], " ")
		return nil
	})
}

// eachLine calls f with the words of each line that is no comment.
func eachLine(file string, f func(fields []string) error) error {
	text, err := files.ReadFile(file)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		if fields := strings.Fields(lines.Text()); len(fields) > 1 && fields[0] != "#" {
			if err := f(fields); err != nil {
				return fmt.Errorf("%s:%d: %w", file, n, err)
			}
		}
	}
	return lines.Err()
}

// Symbols returns those of both APIs.
func (t *Tables) Symbols() []Symbol {
	var all []Symbol
	for _, e := range t.Driver {
		all = append(all, e.Forms...)
	}
	return append(all, t.Runtime...)
}

// Suffix returns that of a symbol's form for per-thread default streams, "" when it has none.
func (t *Tables) Suffix(name string) string {
	all := t.Symbols()
	if i := slices.IndexFunc(all, func(s Symbol) bool { return s.Name == name }); i >= 0 {
		return all[i].Suffix
	}
	return ""
}
