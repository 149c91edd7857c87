package ptx

import (
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
	a := ".version 7.0\n" + header + ".extern .func (.param .b32 r) twice(.param .b32 a);\n.extern .global .u32 g;\n.weak .global .u32 w = 1;\n" +
		".visible .entry k() { .param .b32 a, r; .reg .b32 %x; .loc 1 2 3\nst.param.b32 [a], 1; call (r), twice, (a); ld.param.b32 %x, [r]; ret; }\n.file 1 \"a.cu\"\n"
	b := ".version 7.8\n" + header + ".visible .global .u32 g = 3;\n.weak .global .u32 w = 2;\n" +
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
	for _, other := range []string{strings.Replace(b, "sm_80", "sm_90", 1), strings.Replace(b, "size 64", "size 32", 1)} {
		if _, err := Link(parse("a.ptx", a), parse("b.ptx", other)); err == nil || !strings.HasPrefix(err.Error(), "b.ptx: ") {
			t.Errorf("%v", err)
		}
	}
	if _, err := Link(); err == nil {
		t.Error("nothing was linked")
	}
}
