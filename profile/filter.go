package profile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"silica/internal/cppname"
)

// Filter chooses launches of kernels, as the options of Nsight Compute of these names do. The zero Filter chooses all.
type Filter struct {
	Kernel KernelName
	Skip   int // launches of those kernels that are left out first
	Count  int // launches that are chosen then; 0 for all
}

// KernelName chooses kernels: by a name, or, behind "regex:", by an expression for a part of it. The name is the function's, with or
// without the arguments of its template, or the mangled one.
type KernelName struct {
	text       string
	expression *regexp.Regexp // nil for a name
}

// regexPrefix stands before an expression.
const regexPrefix = "regex:"

// String is the text that it was read from.
func (n KernelName) String() string { return n.text }

// MarshalText returns the text that it was read from.
func (n KernelName) MarshalText() ([]byte, error) { return []byte(n.text), nil }

// UnmarshalText reads NAME or regex:EXPRESSION.
func (n *KernelName) UnmarshalText(text []byte) (err error) {
	*n = KernelName{text: string(text)}
	if pattern, ok := strings.CutPrefix(n.text, regexPrefix); ok {
		if n.expression, err = regexp.Compile(pattern); err != nil {
			return fmt.Errorf("%q: %w", n.text, err)
		}
	}
	return nil
}

// matches tells whether a kernel of that mangled name is chosen.
func (n KernelName) matches(mangled string) bool {
	whole := cppname.Short(mangled)
	function, _, _ := strings.Cut(whole, "<")
	for _, name := range []string{function, whole, mangled} {
		if n.text == "" || n.text == name || n.expression != nil && n.expression.MatchString(name) {
			return true
		}
	}
	return false
}

// Select returns what Options.Select asks, nil for the zero Filter. It counts, so that each collector needs its own.
func (f Filter) Select() func(kernel string, launch int) bool {
	if f == (Filter{}) {
		return nil
	}
	seen := 0
	return func(kernel string, _ int) bool {
		if !f.Kernel.matches(kernel) {
			return false
		}
		seen++
		return seen > f.Skip && (f.Count == 0 || seen <= f.Skip+f.Count)
	}
}

// String is SKIP,COUNT,NAME; "" for the zero Filter.
func (f Filter) String() string {
	if f == (Filter{}) {
		return ""
	}
	return fmt.Sprintf("%d,%d,%s", f.Skip, f.Count, f.Kernel)
}

// UnmarshalText reads what String writes.
func (f *Filter) UnmarshalText(text []byte) error {
	parts := strings.SplitN(string(text), ",", 3)
	if len(parts) != 3 {
		return fmt.Errorf("%q: want SKIP,COUNT,NAME", text)
	}
	*f = Filter{}
	for i, into := range []*int{&f.Skip, &f.Count} {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 {
			return fmt.Errorf("%q: want SKIP,COUNT,NAME", text)
		}
		*into = n
	}
	return f.Kernel.UnmarshalText([]byte(parts[2]))
}
