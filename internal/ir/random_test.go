package ir

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// program draws PTX of one entry: a few registers of every width, blocks of arithmetic, loads and moves with
// and without guards, and any branches between the blocks.
func program(t *rapid.T) string {
	var b strings.Builder
	b.WriteString(header + ".entry k() {\n.reg .u16 %h<3>;\n.reg .u32 %r<12>;\n.reg .u64 %d<4>;\n.reg .b128 %q<2>;\n.reg .pred %p<3>;\n")
	blocks := rapid.IntRange(1, 9).Draw(t, "blocks")
	label := func(name string) string { return fmt.Sprintf("L%d", rapid.IntRange(0, blocks).Draw(t, name)) }
	register := func(class string, count int) string {
		return fmt.Sprintf("%%%s%d", class, rapid.IntRange(0, count-1).Draw(t, class))
	}
	r := func() string { return register("r", 12) }
	d := func() string { return register("d", 4) }
	p := func() string { return register("p", 3) }
	operand := func() string {
		return rapid.OneOf(rapid.Just(""), rapid.Just("7"), rapid.Just("%tid.x")).Draw(t, "operand")
	}
	value := func() string {
		if o := operand(); o != "" && o != "%tid.x" {
			return o
		}
		return r()
	}
	instructions := []func() string{
		func() string { return fmt.Sprintf("add.u32 %s, %s, %s;", r(), r(), value()) },
		func() string { return fmt.Sprintf("mov.u32 %s, %s;", r(), value()) },
		func() string { return fmt.Sprintf("mov.u32 %s, %%tid.x;", r()) },
		func() string { return fmt.Sprintf("mov.u64 %s, %s;", d(), d()) },
		func() string { return fmt.Sprintf("mad.wide.u32 %s, %s, %s, %s;", d(), r(), value(), d()) },
		func() string { return fmt.Sprintf("mul.wide.u16 %s, %s, 3;", r(), register("h", 3)) },
		func() string { return fmt.Sprintf("cvt.u16.u32 %s, %s;", register("h", 3), r()) },
		func() string { return fmt.Sprintf("mov.b64 %s, {%s, %s};", d(), r(), r()) },
		func() string { return fmt.Sprintf("mov.b128 %s, {%s, %s};", register("q", 2), d(), d()) },
		func() string { return fmt.Sprintf("mov.b128 {_, %s}, %s;", d(), register("q", 2)) },
		func() string {
			return fmt.Sprintf("ld.global.v2.u32 {%%r0, %%r%d}, [%s+8];", rapid.IntRange(1, 11).Draw(t, "second"), d())
		},
		func() string { return fmt.Sprintf("ld.shared.u32 %s, [%s+4];", r(), r()) },
		func() string { return fmt.Sprintf("st.global.u32 [%s], %s;", d(), value()) },
		func() string { return fmt.Sprintf("setp.lt.u32 %s, %s, %s;", p(), r(), value()) },
		func() string { return fmt.Sprintf("setp.lt.and.u32 %%p0|%%p1, %s, %s, !%s;", r(), r(), p()) },
		func() string { return fmt.Sprintf("add.cc.u32 %s, %s, %s;", r(), r(), r()) },
		func() string { return fmt.Sprintf("addc.u32 %s, %s, %s;", r(), r(), r()) },
		func() string { return fmt.Sprintf("selp.u32 %s, %s, %s, %s;", r(), r(), value(), p()) },
	}
	ends := []func() string{
		func() string { return "" },
		func() string { return fmt.Sprintf("bra %s;", label("target")) },
		func() string { return fmt.Sprintf("@%s bra %s;", p(), label("target")) },
		func() string { return fmt.Sprintf("@!%s bra %s;", p(), label("target")) },
		func() string { return "ret;" },
		func() string { return fmt.Sprintf("@%s exit;", p()) },
	}
	for i := range blocks {
		fmt.Fprintf(&b, "L%d:\n", i)
		for range rapid.IntRange(0, 6).Draw(t, "length") {
			if rapid.IntRange(0, 4).Draw(t, "guarded") == 0 {
				fmt.Fprintf(&b, "@%s ", p())
			}
			b.WriteString(rapid.SampledFrom(instructions).Draw(t, "instruction")() + "\n")
		}
		if rapid.IntRange(0, 9).Draw(t, "table") == 0 {
			fmt.Fprintf(&b, "T%d: .branchtargets %s, %s, %s;\nbrx.idx %s, T%d;\n", i, label("a"), label("b"), label("c"), r(), i)
			continue
		}
		b.WriteString(rapid.SampledFrom(ends).Draw(t, "end")() + "\n")
	}
	fmt.Fprintf(&b, "L%d:\nst.global.u32 [%%d0], %%r0;\n}\n", blocks)
	return b.String()
}

// Any program means the same after lowering, and its layout holds what layout promises.
func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := program(t)
		m, err := load("random.ptx", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		k, _, err := checkKernel(m, "k")
		if err != nil {
			t.Fatalf("%v\n%s%s", err, text, k)
		}
		if err := checkLayout(k.Funcs[0]); err != nil {
			t.Fatalf("%v\n%s%s", err, text, k)
		}
		if err := checkTrees(k.Funcs[0]); err != nil {
			t.Fatalf("%v\n%s%s", err, text, k)
		}
	})
}

// checkLayout checks that loops are contiguous: an edge backward leads to the header of a loop which is
// all blocks from there to the edge and some more, each reached from the header and reaching it; and
// that it is the only one to the header, or those to it come from the last block.
func checkLayout(fn *Func) error {
	latch := map[int]int{}
	for b, block := range fn.Blocks {
		for _, h := range block.Succs {
			if h > b {
				continue
			}
			if other, ok := latch[h]; ok {
				return fmt.Errorf("blocks %d and %d go back to block %d", other, b, h)
			}
			latch[h] = b
			for inner := h; inner <= b; inner++ {
				if !reaches(fn, h, inner, -1) || !reaches(fn, inner, h, -1) {
					return fmt.Errorf("block %d is not in the loop of blocks %d to %d", inner, h, b)
				}
			}
		}
	}
	for h, l := range latch {
		for other, m := range latch {
			if h < other && other <= l && m > l {
				return fmt.Errorf("loops %d to %d and %d to %d overlap", h, l, other, m)
			}
		}
	}
	return nil
}

// reaches tells whether a path leads from one block to another, or to the exit (len(fn.Blocks)), that does
// not pass through a third.
func reaches(fn *Func, from, to, without int) bool {
	seen := make([]bool, len(fn.Blocks)+1)
	var visit func(int)
	succs := withExit(fn)
	visit = func(b int) {
		if !seen[b] && b != without {
			seen[b] = true
			for _, s := range succs[b] {
				visit(s)
			}
		}
	}
	visit(from)
	return seen[to]
}

// checkTrees compares both trees with their definition.
func checkTrees(fn *Func) error {
	t := newTrees(fn)
	n := len(fn.Blocks)
	for a := range n {
		for b := range n {
			if want := a == b || !reaches(fn, 0, b, a); t.dominates(a, b) != want {
				return fmt.Errorf("block %d dominates block %d: %v", a, b, !want)
			}
		}
	}
	for b := range n {
		// The immediate post-dominator is the one that all others post-dominate.
		p := fn.Blocks[b].PostDominator
		if p < n && reaches(fn, b, n, p) {
			return fmt.Errorf("block %d does not post-dominate block %d", p, b)
		}
		for other := range n {
			if other != b && other != p && !reaches(fn, b, n, other) && (p == n || reaches(fn, p, n, other)) {
				return fmt.Errorf("block %d post-dominates block %d before block %d does", other, b, p)
			}
		}
	}
	return nil
}
