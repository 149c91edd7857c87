package isa

import (
	"strings"
	"testing"
)

// TestCombineRecorded replays every recorded atomic operation through its form's semantics: the first buffer
// holds the old values, the second and third the operands, and the last output of the memory what was stored.
func TestCombineRecorded(t *testing.T) {
	families := []string{
		"atom_global", "atom_shared", "atom_generic", "atom_vector", "atom_cluster",
		"red_global", "red_shared", "red_generic", "red_cluster",
	}
	for _, family := range families {
		t.Run(family, func(t *testing.T) {
			ran := 0
			for _, c := range readFamily(t, family) {
				replayAtomic(t, c)
				ran++
			}
			if ran < 15 {
				t.Errorf("only %d cases ran", ran)
			}
		})
	}
}

func replayAtomic(t *testing.T, c *recordedCase) {
	var f *Form
	for _, in := range c.source.insts {
		if in.opcode != "atom" && in.opcode != "red" {
			continue
		}
		form, err := Match(c.source.ctx, in.opcode, in.mods, in.operands)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			return
		}
		f = form
	}
	if f == nil {
		t.Errorf("%s: no atomic instruction", c.ID)
		return
	}
	a := AccessOf(f)
	space := a.Space
	if strings.HasSuffix(c.ID, " to shared") {
		space = Shared
	}
	old, b, x := c.Params[0].data, c.Params[1].data, []byte(nil)
	if CombineOp(f) == ".cas" {
		x = c.Params[2].data
	}
	want := c.Params[0].expect
	for i := range c.Params {
		if want == nil && c.Params[len(c.Params)-1-i].expect != nil {
			want = c.Params[len(c.Params)-1-i].expect
		}
	}
	got := append([]byte(nil), old...)
	if a.Type == B128 {
		replay128(Combine128(f), got, b, x)
	} else {
		replay(CombineIn(f, space), a.Type.Bytes(), got, b, x)
	}
	if string(got) != string(want) {
		w := a.Type.Bytes() / a.Type.Pack()
		for i := 0; i < len(want)/w; i++ {
			if g, e := element(got, w, i), element(want, w, i); g != e {
				t.Errorf("%s: element %d: %#x with %#x gives %#x, want %#x", c.ID, i, element(old, w, i), element(b, w, i%(len(b)/w)), g, e)
				return
			}
		}
	}
}

// replay applies one operation for each element of b; more operations than places wrap around.
func replay(combine CombineFunc, width int, memory, b, c []byte) {
	places := len(memory) / width
	for i := 0; i < len(b)/width; i++ {
		var third uint64
		if c != nil {
			third = element(c, width, i)
		}
		r := combine(element(memory, width, i%places), element(b, width, i), third)
		for j := range width {
			memory[i%places*width+j] = byte(r >> (8 * j))
		}
	}
}

func replay128(combine Combine128Func, memory, b, c []byte) {
	pair := func(buffer []byte, i int) [2]uint64 {
		if buffer == nil {
			return [2]uint64{}
		}
		return [2]uint64{element(buffer, 8, 2*i), element(buffer, 8, 2*i+1)}
	}
	for i := 0; i < len(memory)/16; i++ {
		r := combine(pair(memory, i), pair(b, i), pair(c, i))
		for j := range 16 {
			memory[16*i+j] = byte(r[j/8] >> (8 * (j % 8)))
		}
	}
}
