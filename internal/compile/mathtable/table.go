package mathtable

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed math.table
var source string

// A Function is one row of math.table.
type Function struct {
	Name   string
	Result byte   // type letter
	Args   []byte // type letters
	Host   string // std, libm, own, or a glibc version
	CUDA   string // largest error NVIDIA documents, in ulp; "-" where it gives none
	Bound  string // largest error here in ulp; "-" where it is not tested by itself
	Abs    string // absolute error that is allowed as well; "0" for none
	Fast   string // the intrinsic that stands for it under fast maths; "" for none
	Domain []Interval
	Line   int // in math.table
}

// An Interval holds the bounds of one floating-point argument, as written: "-inf" and "inf" for all numbers.
type Interval struct{ Low, High string }

// types gives the C++ spelling of a type letter.
var types = map[byte]string{
	'f': "float", 'd': "double", 'i': "int", 'l': "long", 'L': "long long", 'v': "void", 's': "const char *",
	'F': "float *", 'D': "double *", 'I': "int *", 'P': "const float *", 'Q': "const double *",
}

// Type returns the C++ spelling of a type letter of a signature.
func Type(letter byte) string { return types[letter] }

// Functions returns the rows of math.table in order.
func Functions() ([]Function, error) {
	var functions []Function
	for i, line := range strings.Split(source, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		f, err := parseRow(fields)
		if err != nil {
			return nil, fmt.Errorf("math.table:%d: %w", i+1, err)
		}
		f.Line = i + 1
		functions = append(functions, f)
	}
	return functions, nil
}

// Files returns what is generated from the table: contents by path, relative to the folder of package compile.
func Files(functions []Function) map[string]string {
	return map[string]string{
		"include/silica/math_declarations.h": Declarations(functions),
		"include/silica/math_definitions.h":  Definitions(functions),
		"mathtable/README.md":                Markdown(functions),
	}
}

func parseRow(fields []string) (Function, error) {
	if len(fields) < 6 {
		return Function{}, fmt.Errorf("%d fields, want name, signature, host, cuda, bound, options, domain", len(fields))
	}
	f := Function{Name: fields[0], Host: fields[2], CUDA: fields[3], Bound: fields[4], Abs: "0"}
	result, args, ok := strings.Cut(strings.TrimSuffix(fields[1], ")"), "(")
	if !ok || len(result) != 1 || types[result[0]] == "" {
		return f, fmt.Errorf("signature %q, want RESULT(ARGUMENTS)", fields[1])
	}
	f.Result = result[0]
	for a := range strings.SplitSeq(args, ",") {
		if len(a) != 1 || types[a[0]] == "" {
			return f, fmt.Errorf("signature %q: unknown argument type %q", fields[1], a)
		}
		f.Args = append(f.Args, a[0])
	}
	for _, option := range fields[5 : len(fields)-1] {
		switch kind, value, _ := strings.Cut(option, ":"); kind { // the value may hold further colons
		case "abs":
			f.Abs = value
		case "fast":
			f.Fast = value
		default:
			return f, fmt.Errorf("option %q, want abs:ERROR or fast:INTRINSIC", option)
		}
	}
	for _, number := range []string{f.CUDA, f.Bound, f.Abs} {
		if _, err := strconv.ParseFloat(number, 64); err != nil && number != "-" {
			return f, fmt.Errorf("%q is neither a number nor -", number)
		}
	}
	for d := range strings.SplitSeq(fields[len(fields)-1], ",") {
		if d == "*" {
			d = "-inf:inf"
		}
		low, high, ok := strings.Cut(d, ":")
		if !ok {
			return f, fmt.Errorf("domain %q, want LOW:HIGH or *", d)
		}
		f.Domain = append(f.Domain, Interval{low, high})
	}
	return f, nil
}

// Overload returns the name under which C++ finds the float function f as an overload of its double counterpart (sinf as
// sin), or "" for a double function.
func (f Function) Overload() string {
	for _, t := range append([]byte{f.Result}, f.Args...) {
		if t == 'd' || t == 'D' || t == 'Q' {
			return ""
		}
	}
	return strings.TrimSuffix(f.Name, "f")
}
