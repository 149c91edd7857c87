package mathtable

import (
	"fmt"
	"strings"
)

const generated = "// Code generated from math.table by mathtable/gen; DO NOT EDIT.\n"

// Declarations returns the header that declares every function for device code. It is included before the C++ library,
// whose constexpr functions then stay host-only instead of becoming callable, but not compilable, on the device.
func Declarations(functions []Function) string {
	var b strings.Builder
	b.WriteString(generated + "#ifndef SILICA_MATH_DECLARATIONS_H\n#define SILICA_MATH_DECLARATIONS_H\n\n")
	for _, f := range functions {
		for _, name := range f.names() {
			fmt.Fprintf(&b, "static __device__ __forceinline__ %s;\n", f.prototype(name))
		}
	}
	b.WriteString("\nnamespace std {\n")
	for _, name := range standardNames(functions) {
		fmt.Fprintf(&b, "using ::%s;\n", name)
	}
	b.WriteString("} // namespace std\n\n#endif\n")
	return b.String()
}

// Definitions returns the header that defines every function by its implementation in namespace silica: for the device,
// and for the host where libm has none. Integer arguments convert to double, as <cmath> says.
func Definitions(functions []Function) string {
	var b strings.Builder
	b.WriteString(generated + "#ifndef SILICA_MATH_DEFINITIONS_H\n#define SILICA_MATH_DEFINITIONS_H\n\n")
	for _, f := range functions {
		for _, name := range f.names() {
			f.define(&b, "__device__", name)
		}
	}
	b.WriteString("\n// Host code finds these in no library, or only in a newer one.\n")
	for _, f := range functions {
		if f.Host == "std" || f.Host == "libm" {
			continue
		}
		if f.Host != "own" {
			major, minor, _ := strings.Cut(f.Host, ".")
			fmt.Fprintf(&b, "#if !defined(__GLIBC__) || !__GLIBC_PREREQ(%s, %s)\n", major, minor)
		}
		for _, name := range f.names() {
			f.define(&b, "__host__", name)
		}
		if f.Host != "own" {
			b.WriteString("#endif\n")
		}
	}
	b.WriteString("\n// Integer arguments.\n")
	for _, f := range functions {
		switch args := string(f.Args); {
		case args == "d" && f.Result != 'v':
			fmt.Fprintf(&b, "template <class T> static __device__ __forceinline__ silica::if_integer<T, %s> %s(T x) { return ::%s((double)x); }\n",
				Type(f.Result), f.Name, f.Name)
		case args == "dd":
			fmt.Fprintf(&b, "template <class T, class U> static __device__ __forceinline__ silica::if_mixed<T, U, %s> %s(T x, U y) { return ::%s((double)x, (double)y); }\n",
				Type(f.Result), f.Name, f.Name)
		}
	}
	b.WriteString("\nnamespace std {\n")
	for _, name := range standardNames(functions) {
		fmt.Fprintf(&b, "using ::%s;\n", name)
	}
	b.WriteString("} // namespace std\n\n#endif\n")
	return b.String()
}

// names lists the names under which f is declared: its own, and for a float function the overload's.
func (f Function) names() []string {
	if o := f.Overload(); o != "" && o != f.Name && !strings.HasPrefix(f.Name, "nan") {
		return []string{f.Name, o}
	}
	return []string{f.Name}
}

func (f Function) prototype(name string) string {
	args := make([]string, len(f.Args))
	for i, t := range f.Args {
		args[i] = fmt.Sprintf("%s a%d", Type(t), i)
	}
	return fmt.Sprintf("%s %s(%s)", Type(f.Result), name, strings.Join(args, ", "))
}

func (f Function) define(b *strings.Builder, target, name string) {
	args := make([]string, len(f.Args))
	for i := range f.Args {
		args[i] = fmt.Sprintf("a%d", i)
	}
	head, call := fmt.Sprintf("static %s __forceinline__ %s", target, f.prototype(name)), strings.Join(args, ", ")
	if f.Fast != "" {
		fmt.Fprintf(b, "#ifdef __USE_FAST_MATH__\n%s { return %s(%s); }\n#else\n", head, f.Fast, call)
	}
	fmt.Fprintf(b, "%s { return silica::%s(%s); }\n", head, f.Name, call)
	if f.Fast != "" {
		b.WriteString("#endif\n")
	}
}

// standardNames lists the names that <cmath> has in namespace std.
func standardNames(functions []Function) []string {
	var names []string
	seen := map[string]bool{}
	for _, f := range functions {
		for _, name := range f.names() {
			if f.Host == "std" && !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}
