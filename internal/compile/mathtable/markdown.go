package mathtable

import (
	"fmt"
	"strings"
)

// Markdown returns the list of functions with their error bounds.
func Markdown(functions []Function) string {
	var b strings.Builder
	b.WriteString("<!-- Code generated from math.table by mathtable/gen; DO NOT EDIT. -->\n\n# CUDA math functions\n\n")
	b.WriteString("Errors are in units in the last place of the result: `bound` is the largest that the tests allow, `CUDA` the largest that\n" +
		"NVIDIA documents. 0 means that the result is exact. Where an absolute error is given too, either bound is enough.\n" +
		"Where the chip's approximations take part (exp2, 1/x, 1/sqrt(x)), the bound has room for the errors of an H200's.\n\n")
	b.WriteString("| function | bound | CUDA | tested on |\n| --- | --- | --- | --- |\n")
	for _, f := range functions {
		bound := f.Bound
		if f.Abs != "0" {
			bound += ", or " + f.Abs + " absolute"
		}
		var domain []string
		for _, d := range f.Domain {
			domain = append(domain, fmt.Sprintf("[%s, %s]", d.Low, d.High))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.prototype(f.Name), bound, f.CUDA, strings.Join(domain, ", "))
	}
	return b.String()
}
