package isa

import "testing"

func TestCombine(t *testing.T) {
	for _, test := range []struct {
		name         string
		reg          Type
		space        Space
		old, b, want uint64
	}{
		{"atom.inc.u32", B32, Global, 4, 5, 5},
		{"atom.inc.u32", B32, Global, 5, 5, 0},
		{"atom.inc.u32", B32, Shared, 0xFFFFFFFF, 5, 0},
		{"atom.dec.u32", B32, Global, 0, 5, 5},
		{"atom.dec.u32", B32, Global, 6, 5, 5},
		{"atom.dec.u32", B32, Global, 5, 5, 4},
		{"atom.add.u32", B32, Global, 0xFFFFFFFF, 2, 1},
		{"atom.add.s32", B32, Shared, 0x7FFFFFFF, 1, 0x80000000},
		{"atom.add.u64", B64, Global, 1<<64 - 1, 2, 1},
		{"atom.min.s32", B32, Global, 0xFFFFFFFF, 1, 0xFFFFFFFF},
		{"atom.min.u32", B32, Global, 0xFFFFFFFF, 1, 1},
		{"atom.max.s64", B64, Global, 1 << 63, 0, 0},
		{"atom.max.u64", B64, Global, 1 << 63, 0, 1 << 63},
		{"atom.exch.b64", B64, Global, 1, 2, 2},
		{"atom.xor.b32", B32, Global, 0xFF, 0x0F, 0xF0},
		// Global memory flushes f32 denormals, shared memory keeps them.
		{"atom.add.f32", F32, Global, 0x00000001, 0, 0},
		{"atom.add.f32", F32, Shared, 0x00000001, 0, 0x00000001},
		{"atom.add.f32", F32, SharedCluster, 0x00000001, 0, 0x00000001},
		{"atom.add.f32", F32, Generic, 0x00000001, 0, 0},
		{"atom.add.f32", F32, Global, 0x3F800000, 0x7FC00005, 0x7FFFFFFF},
		// Global memory passes a signalling f64 NaN on, shared memory quiets it.
		{"atom.add.f64", F64, Global, 0, 0x7FF0000000000001, 0x7FF0000000000001},
		{"atom.add.f64", F64, Shared, 0, 0x7FF0000000000001, 0x7FF8000000000001},
		{"atom.add.noftz.f16", B16, Global, 0x0001, 0x0001, 0x0002},
		{"atom.add.noftz.bf16x2", B32, Global, 0x3F803F80, 0x3F804000, 0x40004040},
		{"atom.add.noftz.f16x2", B32, SharedCluster, 0x00013C00, 0x00018000, 0x0002BC00},
	} {
		f := form(t, test.name, reg(test.reg), address(), reg(test.reg))
		if got := CombineIn(f, test.space)(test.old, test.b, 0); got != test.want {
			t.Errorf("%s in %s: %#x with %#x gives %#x, want %#x", test.name, test.space, test.old, test.b, got, test.want)
		}
	}
}

func TestCompareAndSwap(t *testing.T) {
	for _, name := range []string{"atom.cas.b16", "atom.cas.b32", "atom.cas.b64"} {
		r := reg(map[string]Type{"atom.cas.b16": B16, "atom.cas.b32": B32, "atom.cas.b64": B64}[name])
		combine := CombineIn(form(t, name, r, address(), r, r), Global)
		if got := combine(7, 7, 9); got != 9 {
			t.Errorf("%s of equal values stores %d", name, got)
		}
		if got := combine(7, 8, 9); got != 7 {
			t.Errorf("%s of different values stores %d", name, got)
		}
	}
	r := reg(B128)
	swap := form(t, "atom.global.cas.b128", r, address(), r, r)
	if CombineIn(swap, Global) != nil {
		t.Error("a 128-bit compare-and-swap has no 64-bit semantics")
	}
	old, other, c := [2]uint64{1, 2}, [2]uint64{1, 3}, [2]uint64{5, 6}
	if got := Combine128(swap)(old, old, c); got != c {
		t.Errorf("atom.cas.b128 of equal values stores %v", got)
	}
	if got := Combine128(swap)(old, other, c); got != old {
		t.Errorf("atom.cas.b128 of values that differ in the high half stores %v", got)
	}
	if got := Combine128(form(t, "atom.shared.exch.b128", r, address(), r))(old, c, other); got != c {
		t.Errorf("atom.exch.b128 stores %v", got)
	}
	if Combine128(form(t, "atom.add.u32", reg(B32), address(), reg(B32))) != nil {
		t.Error("atom.add.u32 has 128-bit semantics")
	}
}
