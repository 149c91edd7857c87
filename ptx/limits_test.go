package ptx

import (
	"strings"
	"testing"
)

// TestLimits gives the parser and the checker sources that are large or deep in one way. The messages
// are those of the first error, or "" when there is none.
func TestLimits(t *testing.T) {
	const n = 50_000
	body := func(text string) string {
		return ".version 8.7\n.target sm_90\n.entry k()\n{\n.reg .u32 %r<4000000000>; .reg .b64 d;\n" + text + "\nret;\n}\n"
	}
	global := func(text string) string { return ".version 8.7\n.target sm_90\n" + text + "\n" }
	repeat := strings.Repeat
	tests := []struct {
		name, src, want string
	}{
		{"last register", body("mov.u32 %r3999999999, 1;"), ""},
		{"blocks", body(repeat("{", n)), "nested too deeply"},
		{"closing braces", global(repeat("}", n)), "\"}\" closes nothing"},
		{"parentheses", body("mov.u32 %r1, " + repeat("(", n)), "nested too deeply"},
		{"minus signs", body("mov.u32 %r1, " + repeat("-", n)), "nested too deeply"},
		{"conditions", body("mov.u32 %r1, " + repeat("1?1:", n) + "1;"), "nested too deeply"},
		{"sum", body("mov.u32 %r1, " + repeat("1+", n) + "1;"), ""},
		{"digits", body("mov.u32 %r1, " + repeat("1", n) + ";"), ""},
		{"index", body("mov.u32 %r" + repeat("1", n) + ", 1;"), "is not declared"},
		{"vectors", body("mov.b64 d, " + repeat("{", n)), "nested too deeply"},
		{"addresses", body("mov.b64 d, " + repeat("[", n)), "expected an address"},
		{"pairs", body("mov.b64 d, " + repeat("d|", n) + "d;"), "expected \";\""},
		{"elements", body("mov.b64 d, {" + repeat("%r1,", n) + "%r1};"), "a vector of 50001"},
		{"modifiers", body("add" + repeat(".sat", n) + ".s32 %r1, %r1, %r1;"), "too many modifiers"},
		{"modifiers repeated", body("add" + repeat(".sat", 31) + ".s32 %r1, %r1, %r1;"), ""},
		{"initial lists", global(".global .u32 x[] = " + repeat("{", n)), "nested too deeply"},
		{"initial values", global(".global .u32 x[] = {" + repeat("1,", n) + "1};"), ""},
		{"generic", global(".global .u64 x = " + repeat("generic(", n)), "nested too deeply"},
		{"dimensions", global(".global .u32 x" + repeat("[2]", n) + ";"), "x is too large"},
		{"open dimensions", global(".global .u32 x" + repeat("[]", n) + " = {1};"), "a list of values in braces is wanted"},
		{"parameters", global(".entry k(" + repeat(".param .u32 a, ", n) + ".param .u32 b);"), "the parameters of k have 200004 bytes"},
		{"errors", body(repeat("mov.u32 %r1 1;\n", n)), "expected \";\""},
		{"long name", body("mov.u32 " + repeat("a", n) + ", 1;"), "aaaa"},
		{"open comment", body(repeat("/* */", n) + "/*"), "comment is not closed"},
		{"scopes", body(repeat("{ .reg .u32 z<3>;", 190) + repeat("mov.u32 %r1, 1;", n) + repeat("}", 190)), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Load("in.ptx", []byte(test.src))
			if test.want == "" {
				if err != nil {
					t.Errorf("%.300s", err.Error())
				}
				return
			}
			errs, ok := err.(Errors)
			if !ok {
				t.Fatal("accepted")
			}
			if len(errs) > maxErrors || !strings.Contains(errs[0].Msg, test.want) || len(errs[0].Msg) > longestMessage+3 {
				t.Errorf("%d errors, the first is %.300s; want ...%s", len(errs), errs[0], test.want)
			}
		})
	}
}
