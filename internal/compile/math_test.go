package compile

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"silica/internal/compile/mathtable"
)

var mathPoints = flag.Int("math-points", 4000, "arguments to test each math function with")

// The functions are compiled as plain C++ and compared with 113-bit references. What the device computes differs from this
// only through its approximations of exp2, 1/x and 1/sqrt(x), which are exact here.
func TestMathAccuracy(t *testing.T) {
	functions, err := mathtable.Functions()
	if err != nil {
		t.Fatal(err)
	}
	errors := runHarness(t, functions)
	for _, f := range functions {
		if f.Bound == "-" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			bound, err := strconv.ParseFloat(f.Bound, 64)
			if err != nil {
				t.Fatal(err)
			}
			measured, ok := errors[f.Name]
			if !ok {
				t.Fatal("not measured")
			}
			t.Logf("error %.3f ulp", measured.ulps)
			if !(measured.ulps <= bound) {
				t.Errorf("error %.3f ulp, bound %s\nerror, arguments, got, want:\n%s", measured.ulps, f.Bound, measured.worst)
			}
		})
	}
}

func TestGeneratedFilesAreFresh(t *testing.T) {
	functions, err := mathtable.Functions()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range mathtable.Files(functions) {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not what math.table gives: run go generate in internal/compile (%v)", path, err)
		}
	}
}

// NVIDIA's documented errors are what programs expect; a larger bound here has to be a decision.
func TestBoundsAreAtMostThoseOfCUDA(t *testing.T) {
	functions, err := mathtable.Functions()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range functions {
		bound, err1 := strconv.ParseFloat(f.Bound, 64)
		documented, err2 := strconv.ParseFloat(f.CUDA, 64)
		if err1 == nil && err2 == nil && bound > documented+0.4 { // the documented figures are whole numbers
			t.Errorf("math.table:%d: %s may have %s ulp, CUDA's has %s", f.Line, f.Name, f.Bound, f.CUDA)
		}
	}
}

type mathError struct {
	ulps  float64
	worst string // the comment lines of the harness
}

// runHarness measures the largest error of every function.
func runHarness(t *testing.T, functions []mathtable.Function) map[string]mathError {
	t.Helper()
	clang, err := FindClang(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "accuracy.cc"), filepath.Join(dir, "accuracy")
	if err := os.WriteFile(source, []byte(harnessSource(functions)), 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command(clang.Path, "-std=c++17", "-O1", "-march=native", "-ffp-contract=off", "-I", "include", "-I", "testdata",
		source, "-o", program, "-lquadmath", "-lm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	measured, comments := map[string]mathError{}, map[string]string{}
	for line := range bytes.Lines(out) {
		fields := strings.Fields(string(line))
		if fields[0] == "#" {
			comments[fields[1]] += string(line)
			continue
		}
		e, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			t.Fatalf("harness printed %q", line)
		}
		measured[fields[0]] = mathError{e, comments[fields[0]]}
	}
	return measured
}

// harnessSource is a program that checks every function of the table.
func harnessSource(functions []mathtable.Function) string {
	var b strings.Builder
	b.WriteString("#include \"math_harness.h\"\n\nint main()\n{\n")
	for _, f := range functions {
		if f.Bound == "-" {
			continue
		}
		b.WriteString("    {\n        const interval domain[] = {")
		for i := range 4 { // the last interval is that of all further arguments
			d := f.Domain[min(i, len(f.Domain)-1)]
			fmt.Fprintf(&b, "{%s, %s}, ", cNumber(d.Low), cNumber(d.High))
		}
		b.WriteString("};\n")
		for _, c := range checks(f) {
			fmt.Fprintf(&b, "        %s\n", c)
		}
		b.WriteString("    }\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// cNumber spells a bound of an interval in C++.
func cNumber(s string) string {
	return strings.NewReplacer("inf", "INFINITY").Replace(s)
}

// checks are the calls of the harness for one function. Output arguments become functions of their own.
func checks(f mathtable.Function) []string {
	base := f.Name
	if o := f.Overload(); o != "" {
		base = o
	}
	signature := string(f.Args)
	ours, number := "silica::"+f.Name, mathtable.Type(f.Result)
	switch {
	case strings.HasPrefix(base, "sincos"): // void(x, *sin, *cos)
		pi := strings.TrimPrefix(base, "sincos")
		number = mathtable.Type(f.Args[0])
		return []string{
			fmt.Sprintf("check(%q, +[](%s x) { %s s, c; %s(x, &s, &c); return s; }, reference::sin%s, domain, %s, %d);", f.Name, number, number, ours, pi, f.Abs, *mathPoints),
			fmt.Sprintf("check(%q, +[](%s x) { %s s, c; %s(x, &s, &c); return c; }, reference::cos%s, domain, %s, %d);", f.Name, number, number, ours, pi, f.Abs, *mathPoints),
		}
	case signature == "iP" || signature == "iQ": // norms of vectors: four numbers stand for the vector
		return []string{fmt.Sprintf("check(%q, +[](%[2]s a, %[2]s b, %[2]s c, %[2]s d) { %[2]s v[] = {a, b, c, d}; return %s(4, v); }, reference::%s4d, domain, %s, %d);",
			f.Name, number, ours, base, f.Abs, *mathPoints)}
	case f.Bound == "0" && strings.ContainsAny(signature, "FDI"): // compare the result and what the pointer gets
		var params, args []string
		for i, t := range f.Args[:len(f.Args)-1] {
			params = append(params, fmt.Sprintf("%s a%d", mathtable.Type(t), i))
			args = append(args, fmt.Sprintf("a%d", i))
		}
		out := strings.TrimSuffix(mathtable.Type(f.Args[len(f.Args)-1]), " *")
		low := ""
		if base == "remquo" {
			low = " % 8" // the C library promises three bits of the quotient
		}
		call := func(function, result string) string {
			return fmt.Sprintf("+[](%s) { %s p = 0; %s r = %s(%s, &p); return %s; }", strings.Join(params, ", "), out, number, function, strings.Join(args, ", "), result)
		}
		return []string{
			fmt.Sprintf("exact(%q, %s, %s, domain, %d);", f.Name, call(ours, "r"), call("::"+f.Name, "r"), *mathPoints),
			fmt.Sprintf("exact(%q, %s, %s, domain, %d);", f.Name, call(ours, "p"+low), call("::"+f.Name, "p"+low), *mathPoints),
		}
	case f.Bound == "0":
		return []string{fmt.Sprintf("exact(%q, %s, ::%s, domain, %d);", f.Name, typed(f, ours), f.Name, *mathPoints)}
	}
	return []string{fmt.Sprintf("check(%q, %s, reference::%s, domain, %s, %d);", f.Name, typed(f, ours), base, f.Abs, *mathPoints)}
}

// typed casts a function's name to its type, which picks one of its overloads.
func typed(f mathtable.Function, name string) string {
	var args []string
	for _, t := range f.Args {
		args = append(args, mathtable.Type(t))
	}
	return fmt.Sprintf("(%s (*)(%s))%s", mathtable.Type(f.Result), strings.Join(args, ", "), name)
}
