package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A prototype is a function of a header.
type prototype struct {
	result, name string
	symbol       string // the name after macros, such as that of a version
	parameters   []parameter
	byHand       bool   // it is written in C
	perThread    string // the suffix of its form for per-thread default streams, "" when it has none
}

type parameter struct{ declaration, typ, name string }

// declaration is the list of parameters as in C.
func (p prototype) declaration() string {
	if len(p.parameters) == 0 {
		return "void"
	}
	list := make([]string, len(p.parameters))
	for i, q := range p.parameters {
		list[i] = q.declaration
	}
	return strings.Join(list, ", ")
}

var (
	comment   = regexp.MustCompile(`//[^\n]*`)
	directive = regexp.MustCompile(`(?m)^#.*(\\\n.*)*$`)
	fallback  = regexp.MustCompile(`SILICA_DEFAULT\([^()]*\)`)
	braces    = regexp.MustCompile(`\{[^{}]*\}`)
	function  = regexp.MustCompile(`(?s)([\w][\w\s]*?[\s*]+)(\w+)\(([^()]*)\)\s*;`)
	renaming  = regexp.MustCompile(`(?m)^#define (cu\w+) (cu\w+)$`)
	last      = regexp.MustCompile(`^(.*?)(\w+)$`)
	defined   = regexp.MustCompile(`(?m)^\w[\w *]*\b(_*cu\w+)\([^;]*\)[ \n]*\{`)
	oneEnum   = regexp.MustCompile(`(?s)\benum (\w+)\s*\{([^{}]*)\}\s*(\w*)`)
)

// withoutNoise returns a header without comments, directives and default arguments.
func withoutNoise(text string) string {
	for _, noise := range []*regexp.Regexp{comment, directive, fallback} {
		text = noise.ReplaceAllString(text, "")
	}
	return text
}

// prototypes returns the functions that a header declares, in its order.
func prototypes(text string) []prototype {
	text = strings.ReplaceAll(withoutNoise(text), `extern "C" {`, "")
	for braces.MatchString(text) { // the members of types
		text = braces.ReplaceAllString(text, "")
	}
	var all []prototype
	for declaration := range strings.SplitAfterSeq(text, ";") {
		m := function.FindStringSubmatch(declaration)
		if m == nil || strings.Contains(declaration, "typedef") {
			continue
		}
		p := prototype{result: strings.Join(strings.Fields(m[1]), " "), name: m[2]}
		for part := range strings.SplitSeq(m[3], ",") {
			part = strings.Join(strings.Fields(part), " ")
			if part == "" || part == "void" {
				continue
			}
			n := last.FindStringSubmatch(part)
			p.parameters = append(p.parameters, parameter{part, strings.TrimSpace(n[1]), n[2]})
		}
		all = append(all, p)
	}
	return all
}

// handWritten returns the API functions that the C files of the library define.
func handWritten() (map[string]bool, error) {
	files, err := filepath.Glob("*.c")
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_gen.c") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range defined.FindAllStringSubmatch(string(text), -1) {
			if !strings.HasSuffix(m[1], "_13") { // a version of a function, not one by itself
				all[m[1]] = true
			}
		}
	}
	return all, nil
}

// An enum is the names of an enumeration's values.
type enum map[int64]string

// readEnums adds the enumerations of the headers, by their names in C.
func readEnums(all map[string]enum) error {
	files, err := filepath.Glob(include + "/*.h")
	if err != nil {
		return err
	}
	for _, file := range append(files, include+"/silica/device_attributes.h", include+"/silica/runtime_errors.h") {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range oneEnum.FindAllStringSubmatch(withoutNoise(string(text)), -1) {
			values, next := enum{}, int64(0)
			for part := range strings.SplitSeq(m[2], ",") {
				name, value, given := strings.Cut(strings.TrimSpace(part), "=")
				if n, err := strconv.ParseInt(strings.TrimSpace(value), 0, 64); err == nil {
					next = n
				} else if given || name == "" {
					continue // another name of a value before it
				}
				if values[next] == "" {
					values[next] = strings.TrimSpace(name)
				}
				next++
			}
			all[m[1]] = values
			if m[3] != "" {
				all[m[3]] = values
				delete(all, m[1])
			}
		}
	}
	return nil
}

// keepUsed leaves the enumerations that are types of parameters.
func keepUsed(enums map[string]enum, all []prototype) {
	used := map[string]bool{}
	for _, p := range all {
		for _, q := range p.parameters {
			for _, word := range strings.Fields(q.typ) {
				used[word] = true
			}
		}
	}
	for name := range enums {
		if !used[name] {
			delete(enums, name)
		}
	}
}
