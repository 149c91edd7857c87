package dialect

import "testing"

func TestAssembly(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{`asm volatile("st.u8 [%1], %0;" ::"r"(v) "l"(p) : "memory");`, `asm volatile("st.u8 [%1], %0;" ::"r"(v), "l"(p) : "memory");`},
		{`asm("add.u32 %0, %1, %2;" : "=r"(f(a, (b))) : "r"(x[1]) "r"((y)));`, `asm("add.u32 %0, %1, %2;" : "=r"(f(a, (b))) : "r"(x[1]), "r"((y)));`},
		{"#define ADD(x) asm(\"mov.u32 %0, %1;\" : \"=r\"(x) \"=r\"(x));\n", "#define ADD(x) asm(\"mov.u32 %0, %1;\" : \"=r\"(x), \"=r\"(x));\n"},
		{`__asm__ __volatile__("a" : "=r"(x) /* both */ "=r"(y)); asm("b" :: "r"(z) "n"(1));`, `__asm__ __volatile__("a" : "=r"(x), /* both */ "=r"(y)); asm("b" :: "r"(z), "n"(1));`},
	} {
		for _, device := range []bool{true, false} {
			if got := rewrite(t, c.before, device); got != c.after {
				t.Errorf("%q becomes %q, want %q", c.before, got, c.after)
			}
		}
	}
	for _, source := range []string{
		`asm("a" : "=r"(x), "=r"(y) : "r"(z) : "memory");`, `asm("a" "b" : "=r"(x) : "r"(f("s")));`, `print("a"(x) "b"(y));`, `asm("a" : "=r"(x) "r"(y`, "asm", "asm volatile",
	} {
		if got := Rewrite(map[string][]byte{"a.cu": []byte(source)}, nil, true); len(got) != 0 {
			t.Errorf("%q becomes %q", source, got["a.cu"])
		}
	}
}
