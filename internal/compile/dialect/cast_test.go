package dialect

import "testing"

func TestCasts(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"x = *reinterpret_cast<float4 *>(&a[i]);", "x = *silica$realigned<float4 *>(&a[i]);"},
		{"x = reinterpret_cast<const uint4*>(a)[i];", "x = silica$realigned<const uint4*>(a)[i];"},
		{"x = *reinterpret_cast<std::uint32_t const *const>(p);", "x = *silica$realigned<std::uint32_t const *const>(p);"},
		{"*(float4 *)&a[i] = *(const float4 *)(b + i);", "*(float4 *)(const volatile void *)&a[i] = *(const float4 *)(const volatile void *)(b + i);"},
		{"f((unsigned long long *)p, (int2*)q);", "f((unsigned long long *)(const volatile void *)p, (int2*)(const volatile void *)q);"},
		{"return ((half2 *)s)[t];", "return ((half2 *)(const volatile void *)s)[t];"},
		{
			"#define FLOAT4(p) (reinterpret_cast<float4 *>(&(p))[0])\n#define INT4(p) (*(int4 *)&(p))\n",
			"#define FLOAT4(p) (silica$realigned<float4 *>(&(p))[0])\n#define INT4(p) (*(int4 *)(const volatile void *)&(p))\n",
		},
	} {
		if got := rewrite(t, c.before, true); got != c.after {
			t.Errorf("%q becomes %q, want %q", c.before, got, c.after)
		}
		if got := Rewrite(map[string][]byte{"a.cu": []byte(c.before)}, nil, false); len(got) != 0 {
			t.Errorf("%q becomes %q for the host", c.before, got["a.cu"])
		}
	}
	for _, source := range []string{
		"void f(float4 *);", "void f(int, float4 *p);", "sizeof(float4 *)", "void (*f)(int2 *) = g;", "std::function<void(float4 *)> f;",
		"x = reinterpret_cast<float4 &>(y);", "x = reinterpret_cast<float4 **>(y);", "x = reinterpret_cast<unsigned char *>(y);",
		"x = (char *)y;", "x = (T *)y;", "x = reinterpret_cast<T *>(y);", "auto f = [](float4 *) {};", "x = (a * b);", "x = (int *", "reinterpret_cast<",
		"x = (float4 *)", "// *(float4 *)&a", "\"(float4 *)p\"",
	} {
		if got := Rewrite(map[string][]byte{"a.cu": []byte(source)}, nil, true); len(got) != 0 {
			t.Errorf("%q becomes %q", source, got["a.cu"])
		}
	}
}
