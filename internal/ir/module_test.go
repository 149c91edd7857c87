package ir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"silica/internal/isa"
	"silica/ptx"
)

func TestGlobals(t *testing.T) {
	tests := []struct {
		name, text string
		want       []Global
	}{
		{"a scalar", ".global .u32 g = 0x12345678;", []Global{
			{Name: "g", Space: isa.Global, Size: 4, Align: 4, Type: isa.U32, Init: []byte{0x78, 0x56, 0x34, 0x12}},
		}},
		{"no initialiser", ".visible .global .align 16 .b8 g[10];", []Global{
			{Name: "g", Space: isa.Global, Linkage: ptx.Visible, Size: 10, Align: 16, Type: isa.B8},
		}},
		{"an array that is partly given", ".const .s16 g[4] = {-1, 2};", []Global{
			{Name: "g", Space: isa.Const, Size: 8, Align: 2, Type: isa.S16, Init: []byte{255, 255, 2, 0}},
		}},
		{"braces only group", ".global .u8 g[2][3] = {{1}, {2, 3}};", []Global{
			{Name: "g", Space: isa.Global, Size: 6, Align: 1, Type: isa.U8, Init: []byte{1, 2, 3}},
		}},
		{"an open dimension", ".global .u16 g[] = {1, 2, 3};", []Global{
			{Name: "g", Space: isa.Global, Size: 6, Align: 2, Type: isa.U16, Init: []byte{1, 0, 2, 0, 3, 0}},
		}},
		{"vectors", ".global .v2 .u8 g[2] = {{1, 2}, {3, 4}};", []Global{
			{Name: "g", Space: isa.Global, Size: 4, Align: 2, Type: isa.U8, Init: []byte{1, 2, 3, 4}},
		}},
		{"floating point", ".global .f32 g[2] = {1.5, 0f7fc00001}; .global .f64 h = -2.0;", []Global{
			{Name: "g", Space: isa.Global, Size: 8, Align: 4, Type: isa.F32, Init: []byte{0, 0, 0xc0, 0x3f, 1, 0, 0xc0, 0x7f}},
			{Name: "h", Space: isa.Global, Size: 8, Align: 8, Type: isa.F64, Init: []byte{0, 0, 0, 0, 0, 0, 0, 0xc0}},
		}},
		{"addresses", ".global .u32 a[4]; .global .u64 g[3] = {0, a+8, generic(a)};", []Global{
			{Name: "a", Space: isa.Global, Size: 16, Align: 4, Type: isa.U32},
			{Name: "g", Space: isa.Global, Size: 24, Align: 8, Type: isa.U64, Init: make([]byte, 24), Relocs: []Reloc{
				{Offset: 8, Bytes: 8, Addend: 8, Shift: -1}, {Offset: 16, Bytes: 8, Shift: -1},
			}},
		}},
		{"bytes of an address", ".global .u32 a; .global .u8 g[2] = {0xff(a), 0xff00(a)};", []Global{
			{Name: "a", Space: isa.Global, Size: 4, Align: 4, Type: isa.U32},
			{Name: "g", Space: isa.Global, Size: 2, Align: 1, Type: isa.U8, Init: make([]byte, 2), Relocs: []Reloc{
				{Offset: 0, Bytes: 1, Shift: 0}, {Offset: 1, Bytes: 1, Shift: 8},
			}},
		}},
		{"functions", ".func f() { ret; } .func h(); .alias h, f; .global .u64 g[2] = {f, h};", []Global{
			{Name: "g", Space: isa.Global, Size: 16, Align: 8, Type: isa.U64, Init: make([]byte, 16), Relocs: []Reloc{
				{Offset: 0, Bytes: 8, Symbol: SymbolRef{Global: -1, Func: "f"}, Shift: -1},
				{Offset: 8, Bytes: 8, Symbol: SymbolRef{Global: -1, Func: "f"}, Shift: -1},
			}},
		}},
		{"a definition takes the place of its declarations", ".extern .global .u32 g; .visible .global .u32 g = 7;", []Global{
			{Name: "g", Space: isa.Global, Linkage: ptx.Visible, Size: 4, Align: 4, Type: isa.U32, Init: []byte{7, 0, 0, 0}},
		}},
		{"an extern variable", ".extern .global .align 8 .b8 g[];", []Global{
			{Name: "g", Space: isa.Global, Linkage: ptx.Extern, Align: 8, Type: isa.B8},
		}},
		{"managed", ".global .attribute(.managed) .u32 g;", []Global{
			{Name: "g", Space: isa.Global, Size: 4, Align: 4, Type: isa.U32, Managed: true},
		}},
		{"texture references", ".global .texref t; .global .samplerref s; .global .surfref f;", []Global{
			{Name: "t", Space: isa.Global, Size: 8, Align: 8, Type: isa.TexRef},
			{Name: "s", Space: isa.Global, Size: 8, Align: 8, Type: isa.SamplerRef},
			{Name: "f", Space: isa.Global, Size: 8, Align: 8, Type: isa.SurfRef},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := load("globals.ptx", header+tt.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []Global
			for _, g := range m.Globals {
				got = append(got, *g)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Every kernel that has a function whose address is taken has it at the same place.
func TestFuncIndex(t *testing.T) {
	m, err := load("functions.ptx", header+`
.func direct() { ret; }
.func a() { ret; }
.func b() { call direct; ret; }
.global .u64 table[1] = {b};
.entry first() { .reg .u64 %t; mov.u64 %t, a; P: .callprototype _ (); call %t, P; ret; }
.entry second() { .reg .u64 %t; call direct; ld.global.u64 %t, [table]; P: .callprototype _ (); call %t, P; ret; }
.entry third() { call direct; ret; }`)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range m.Entries {
		k, err := m.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i, f := range k.Funcs[1:] {
			names = append(names, f.Name)
			if index, ok := m.FuncIndex(f.Name); ok && index != i+1 {
				t.Errorf("%s: %s is at %d, want %d", name, f.Name, i+1, index)
			}
			if back, ok := FuncOfAddress(FuncAddress(i+1), len(k.Funcs)); !ok || back != i+1 {
				t.Errorf("address of function %d leads to %d", i+1, back)
			}
		}
		got[name] = strings.Join(names, " ")
	}
	want := map[string]string{"first": "a b direct", "second": "a b direct", "third": "direct"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if i, ok := m.FuncIndex("direct"); ok {
		t.Errorf("direct is at %d though nobody takes its address", i)
	}
}

func TestFuncOfAddressRefuses(t *testing.T) {
	for _, a := range []uint64{0, 0x7ff0, 0x8004, FuncAddress(3), 1 << 63} {
		if i, ok := FuncOfAddress(a, 3); ok {
			t.Errorf("%#x leads to function %d", a, i)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"too many initialisers", ".global .u32 g[2] = {1, 2, 3};", "bad.ptx:4:"},
		{"an address in shared memory", ".shared .u32 s; .global .u64 g = s;", "bad.ptx:4:"},
		{"an integer where a float is wanted", ".global .f32 g[1] = {1};", "bad.ptx:4:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := load("bad.ptx", header+tt.text); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %s...", err, tt.want)
			}
		})
	}
	m, err := load("kernels.ptx", header+".entry a() { ret; }\n.entry b() { ret; }\n.func f() { ret; }")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"c", "f", ""} {
		want := fmt.Sprintf("no kernel %q in kernels.ptx, which has a, b", name)
		if _, err := m.Kernel(name); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// A variable may be small enough where all together are not.
func TestKernelsOfTooMuchMemory(t *testing.T) {
	m, err := load("large.ptx", header+`
.shared .b8 s1[40000], s2[9153];
.entry shared() { .reg .b32 %r<2>; mov.u32 %r0, s1; mov.u32 %r1, s2; ret; }
.entry half() { .reg .b32 %r; mov.u32 %r, s1; ret; }
.entry local() { .local .b8 l1[300000], l2[300000]; .reg .b64 %r<2>; mov.u64 %r0, l1; mov.u64 %r1, l2; ret; }
.func callee() { .local .b8 l1[300000], l2[300000]; .reg .b64 %r<2>; mov.u64 %r0, l1; mov.u64 %r1, l2; ret; }
.entry caller() { call callee; ret; }`)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"shared": "large.ptx:6:1: the static shared variables of shared have 49153 bytes: at most 49152 are possible",
		"half":   "<nil>",
		"local":  "large.ptx:8:1: the local variables of local have 600000 bytes: at most 524288 are possible",
		"caller": "large.ptx:9:1: the local variables of callee have 600000 bytes: at most 524288 are possible",
	} {
		if _, err := m.Kernel(name); fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
