package ptx

import (
	"fmt"
	"strings"
	"testing"
)

func TestLink(t *testing.T) {
	parse := func(name, text string) *Module {
		t.Helper()
		m, err := Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const header = ".target sm_80\n.address_size 64\n"
	a := ".version 7.0\n" + header + ".extern .func (.param .b32 r) twice(.param .b32 a);\n.extern .global .u32 g;\n.weak .global .u32 w = 1;\n.common .global .u64 c;\n" +
		".visible .entry k() { .param .b32 a, r; .reg .b32 %x; .loc 1 2 3\nst.param.b32 [a], 1; call (r), twice, (a); ld.param.b32 %x, [r]; ret; }\n.file 1 \"a.cu\"\n"
	b := ".version 7.8\n" + header + ".visible .global .u32 g = 3;\n.weak .global .u32 w = 2;\n.common .global .u64 c;\n" +
		".visible .func (.param .b32 r) twice(.param .b32 a) { .loc 1 5 0\nret; }\n.file 1 \"b.cu\"\n.section .debug_str { .b8 1\n}\n"
	m, err := Link(parse("a.ptx", a), parse("b.ptx", b))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := Print(&text, m); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".version 7.8", ".loc 1 2 3", ".loc 2 5 0", "2 \"b.cu\"", "w = 1"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	if strings.Contains(text.String(), "w = 2") || strings.Contains(text.String(), ".debug_str") {
		t.Errorf("%s", &text)
	}
	if _, err := Load("linked.ptx", []byte(text.String())); err != nil {
		t.Errorf("%v\n%s", err, &text)
	}
	if _, err := Link(parse("a.ptx", a), parse("b.ptx", strings.Replace(b, "size 64", "size 32", 1))); err == nil || !strings.HasPrefix(err.Error(), "b.ptx: ") {
		t.Errorf("%v", err)
	}
	if _, err := Link(); err == nil {
		t.Error("nothing was linked")
	}
}

func TestLinkedTarget(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"sm_50", "sm_90a", "sm_90a"},
		{"sm_90a", "sm_90", "sm_90a"},
		{"sm_100f", "sm_90a", "sm_100f"},
		{"sm_80, debug", "sm_90", "sm_90, debug"},
		{"sm_75, texmode_independent", "sm_75, texmode_independent", "sm_75, texmode_independent"},
	} {
		a, b := strings.Split(test.a, ", "), strings.Split(test.b, ", ")
		if got := strings.Join(laterTarget(a, b), ", "); got != test.want {
			t.Errorf("%s and %s: %s, want %s", test.a, test.b, got, test.want)
		}
	}
}

// What belongs to one module has a name of its own afterwards, wherever it is used, but not what a scope inside calls the same.
func TestLinkSeparatesNames(t *testing.T) {
	const header = ".version 7.0\n.target sm_80\n.address_size 64\n"
	module := func(kernel string, value int) *Module {
		text := header + fmt.Sprintf(`
.global .u32 table[2] = {%[2]d, 9};
.global .u64 pointer = generic(table);
.func (.param .u32 r) helper(.param .u64 table) { .reg .u64 %%a; ld.param.u64 %%a, [table]; st.param.u32 [r], %[2]d; ret; }
.entry %[1]s() {
	.param .u32 r; .param .u64 x; .reg .u32 %%v, %%t; .reg .u64 %%p;
	mov.u64 %%p, table; ld.global.u32 %%v, [table+4]; mov.u64 %%p, helper;
	st.param.u64 [x], %%p; call (r), helper, (x);
	{ .reg .u32 helper; mov.u32 helper, 1; }
	ret;
}`, kernel, value)
		m, err := Parse(kernel+".ptx", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m, err := Link(module("a", 1), module("b", 2))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := Print(&text, m); err != nil {
		t.Fatal(err)
	}
	if _, err := Load("linked.ptx", []byte(text.String())); err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	for _, want := range []string{"table_0[2]", "table_1[2]", "generic(table_1)", "[table_0+4]", "helper_1", ".param .u64 table", "mov.u32 helper, 1", ".entry a", ".entry b"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}

// What NVIDIA's linker (nvlink 13.0) answers when a function is declared otherwise than it is defined: it takes only what has the
// same results and parameters, and a kernel for what is declared as one.
func TestLinkComparesDeclarations(t *testing.T) {
	const header = ".version 8.0\n.target sm_90\n.address_size 64\n"
	declarations := map[string]string{
		"void":   ".extern .func f(.param .b32 x);",
		"b32":    ".extern .func (.param .b32 r) f(.param .b32 x);",
		"b64":    ".extern .func (.param .b64 r) f(.param .b32 x);",
		"wide":   ".extern .func (.param .b32 r) f(.param .b64 x);",
		"two":    ".extern .func (.param .b32 r) f(.param .b32 x, .param .b32 y);",
		"kernel": ".extern .entry f(.param .b32 x);",
	}
	definitions := map[string]string{
		"void":   ".visible .func f(.param .b32 x) { ret; }",
		"b32":    ".visible .func (.param .b32 r) f(.param .b32 x) { st.param.b32 [r], 1; ret; }",
		"none":   ".visible .func (.param .b32 r) f() { st.param.b32 [r], 1; ret; }",
		"kernel": ".visible .entry f(.param .b32 x) { ret; }",
	}
	for declared, declaration := range declarations {
		for defined, definition := range definitions {
			parts := []string{declaration + ".visible .entry k() { .reg .b64 %a; mov.u64 %a, f; ret; }", definition}
			for order := range 2 {
				var modules []*Module
				for i := range parts {
					m, err := Parse("part.ptx", []byte(header+parts[i^order]))
					if err != nil {
						t.Fatal(err)
					}
					modules = append(modules, m)
				}
				linked, err := Link(modules...)
				if err == nil {
					err = Check(linked)
				}
				if ok := err == nil; ok != (declared == defined) {
					t.Errorf("%s, defined as %s (order %d): %v", declared, defined, order, err)
				}
			}
		}
	}
}

// What nvlink 13.5 answers: of a parameter, a result and a variable declared in one module and defined in another.
func TestLinkComparesTypes(t *testing.T) {
	const header = ".version 8.0\n.target sm_90\n.address_size 64\n"
	link := func(a, b string) error {
		var modules []*Module
		for i, text := range []string{a, b} {
			m, err := Parse(fmt.Sprintf("%c.ptx", 'a'+i), []byte(header+text))
			if err != nil {
				t.Fatal(err)
			}
			modules = append(modules, m)
		}
		linked, err := Link(modules...)
		if err != nil {
			return err
		}
		return Check(linked)
	}
	for _, test := range []struct {
		declared, defined string
		ok                bool
	}{
		{".param .b32 x", ".param .u32 x", true},
		{".param .u32 x", ".param .s32 y", true},
		{".param .b32 x", ".param .f32 x", false},
		{".param .f32 x", ".param .u32 x", false},
		{".param .f64 x", ".param .b64 x", false},
		{".param .f16x2 x", ".param .b32 x", true},
		{".param .b32 x", ".param .b64 x", false},
		{".param .align 4 .b8 x[4]", ".param .b32 x", false},
		{".param .align 4 .b8 x[4]", ".param .align 4 .b8 x[8]", false},
		{".param .align 4 .b8 x[8]", ".param .align 8 .b8 x[8]", true},
		{".param .b32 x[1]", ".param .b32 x", true},
		{".reg .b32 x", ".param .b32 x", true},
	} {
		const use = "\n.visible .entry k() { .reg .b64 %a; mov.u64 %a, f; ret; }"
		for place, form := range map[string]string{"parameter": "f(%s)", "result": "(%s) f()"} {
			err := link(".extern .func "+fmt.Sprintf(form, test.declared)+";"+use, ".visible .func "+fmt.Sprintf(form, test.defined)+" { ret; }")
			if (err == nil) != test.ok {
				t.Errorf("%s %s, defined as %s: %v", place, test.declared, test.defined, err)
			}
		}
	}
	for _, test := range []struct {
		declared, defined string
		ok                bool
	}{
		{".global .u32 g", ".global .f32 g", true},
		{".global .u32 g", ".global .u64 g", false},
		{".global .u32 g[4]", ".global .u32 g[8]", false},
		{".global .u32 g[]", ".global .u32 g[8]", true},
		{".global .align 4 .u32 g[4]", ".global .align 16 .u32 g[4]", true},
		{".global .align 16 .u32 g[4]", ".global .align 4 .u32 g[4]", true},
		{".global .u32 g", ".const .u32 g", false},
		{".const .u32 g", ".const .f32 g", true},
		{".global .align 4 .b8 g[4]", ".global .u32 g", true},
	} {
		err := link(".extern "+test.declared+";\n.visible .entry k() { .reg .b64 %a; mov.u64 %a, g; ret; }", ".visible "+test.defined+";")
		if (err == nil) != test.ok {
			t.Errorf("%s, defined as %s: %v", test.declared, test.defined, err)
		}
	}
	for _, definition := range []string{".visible .func f() { ret; }", ".visible .global .u32 f;"} {
		if err := link(definition, definition); err == nil || !strings.HasSuffix(err.Error(), ": f is defined in a.ptx, too") {
			t.Errorf("%s twice: %v", definition, err)
		}
	}
}
