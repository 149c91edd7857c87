package exec_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/mem"
	"silica/ptx"
)

const header = ".version 8.7\n.target sm_90\n.address_size 64\n"

func newModule(t *testing.T, text string) *ir.Module {
	t.Helper()
	tree, err := ptx.Load("m.ptx", []byte(header+text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ir.NewModule(tree)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func newMemory(t *testing.T) *mem.Memory {
	t.Helper()
	m, err := mem.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func TestVariablesHoldTheirInitialValues(t *testing.T) {
	m := newModule(t, `
.func f() { ret; }
.global .align 64 .u32 a[4] = {1, 2};
.const .u16 c = 7;
.global .u64 p[4] = {a+8, generic(a), 5, f};
.global .u8 b[2] = {0xff(a), 0xff00(a)};
.visible .entry k() { ret; }
`)
	memory := newMemory(t)
	v, err := exec.PlaceVariables(m, memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string][]byte{}
	addr := map[string]uint64{}
	for i, g := range m.Globals {
		if at[g.Name], err = memory.Bytes(v.Symbols[i], uint64(g.Size)); err != nil {
			t.Fatal(err)
		}
		addr[g.Name] = v.Symbols[i]
	}
	a := addr["a"]
	if a%64 != 0 {
		t.Errorf("a is at 0x%x", a)
	}
	f, ok := m.FuncIndex("f")
	if !ok {
		t.Fatal("f has no index")
	}
	for i, want := range []uint64{a + 8, a, 5, ir.FuncAddress(f)} {
		if got := binary.LittleEndian.Uint64(at["p"][8*i:]); got != want {
			t.Errorf("p[%d] is 0x%x, want 0x%x", i, got, want)
		}
	}
	for i, want := range []uint32{1, 2, 0, 0} {
		if got := binary.LittleEndian.Uint32(at["a"][4*i:]); got != want {
			t.Errorf("a[%d] is %d, want %d", i, got, want)
		}
	}
	if at["b"][0] != byte(a) || at["b"][1] != byte(a>>8) {
		t.Errorf("bytes of a's address: %x", at["b"])
	}
	if len(v.ConstRegions) != 1 || v.ConstRegions[0].Base != addr["c"] {
		t.Errorf("constant regions %v", v.ConstRegions)
	}
	if err := v.Free(); err != nil {
		t.Error(err)
	}
	if used, _ := memory.Usage(); used != 0 {
		t.Errorf("%d bytes are used after Free", used)
	}
}

func TestVariablesThatDoNotFitAreGivenBack(t *testing.T) {
	m := newModule(t, ".global .u32 a; .global .b8 big[2000000]; .visible .entry k() { ret; }")
	memory := newMemory(t)
	if _, err := exec.PlaceVariables(m, memory, nil); err == nil || !strings.Contains(err.Error(), "variable big: out of memory") {
		t.Error(err)
	}
	if used, _ := memory.Usage(); used != 0 {
		t.Errorf("%d bytes are used", used)
	}
}

// TestAtomicsDoWhatTheirRowSays compares every atom form of one element with the row's Combine.
func TestAtomicsDoWhatTheirRowSays(t *testing.T) {
	var text strings.Builder
	text.WriteString(".visible .entry k(.param .u64 p)\n{\n.reg .u64 %p; .reg .b16 %h; .reg .b32 %w; .reg .f32 %f; .reg .b64 %l; .reg .f64 %d;\nld.param.u64 %p, [p];\n")
	registers := map[string]string{"b16": "%h", "f16": "%h", "bf16": "%h", "b32": "%w", "u32": "%w", "s32": "%w", "f16x2": "%w",
		"bf16x2": "%w", "f32": "%f", "b64": "%l", "u64": "%l", "s64": "%l", "f64": "%d"}
	for _, op := range []struct{ name, types string }{
		{"add", "u32 s32 u64 f32 f64"}, {"min", "u32 s32 u64 s64"}, {"max", "u32 s32 u64 s64"}, {"and", "b32 b64"}, {"or", "b32 b64"},
		{"xor", "b32 b64"}, {"exch", "b32 b64"}, {"cas", "b16 b32 b64"}, {"inc", "u32"}, {"dec", "u32"}, {"add.noftz", "f16 bf16 f16x2 bf16x2"},
	} {
		for _, typ := range strings.Fields(op.types) {
			r := registers[typ]
			operands := r
			if op.name == "cas" {
				operands += ", " + r
			}
			fmt.Fprintf(&text, "atom.global.%s.%s %s, [%%p], %s;\n", op.name, typ, r, operands)
		}
	}
	text.WriteString("ret;\n}\n")
	kernel, err := newModule(t, text.String()).Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	values := []uint64{0, 1, 5, 0x7FFF, 0x8000, 0x3C003C00, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3FF0000000000000, 1 << 63, ^uint64(0)}
	forms := 0
	for _, in := range kernel.Funcs[0].Code {
		if in.Op != isa.OpAtom {
			continue
		}
		forms++
		bits := in.Mem.Type.Bits()
		cut := func(v uint64) uint64 { return v & (1<<(bits-1)<<1 - 1) }
		for _, space := range []isa.Space{isa.Global, isa.Shared} {
			atomic, combine := exec.AtomicOf(in.Form, space), isa.CombineIn(in.Form, space)
			for _, old := range values {
				for _, b := range values {
					c := b ^ 0x55
					memory := old
					got := atomic(unsafe.Pointer(&memory), cut(b), cut(c))
					want := cut(combine(cut(old), cut(b), cut(c))) | old&^cut(^uint64(0))
					if got != cut(old) || memory != want {
						t.Fatalf("%s in %s of 0x%x, 0x%x: old 0x%x, new 0x%x, want 0x%x", in.Form.Name(), space, old, b, got, memory, want)
					}
				}
			}
		}
	}
	if forms != 30 {
		t.Errorf("%d forms", forms)
	}
}
