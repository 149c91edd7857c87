package simd

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"silica/internal/exec"
	"silica/internal/exec/ref"
	"silica/internal/ir"
	"silica/internal/mem"
	"silica/ptx"
)

// A randomKernel writes a kernel with loops, branches within branches, barriers and early exits, whose threads store what they come to in places of
// their own, and load from there, from shared memory and from a table, at addresses that lie side by side, at one place and anywhere.
type randomKernel struct {
	*rand.Rand
	text   strings.Builder
	labels int
	all    bool // instructions that native code has none of as well
	local  bool // memory of the thread, too
}

const randomHeader = `.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 table, .param .u64 below, .param .u32 rounds)
{
	.reg .u32 r<8>; .reg .f32 f<4>; .reg .u64 w<3>; .reg .pred p<4>; .reg .pred q; .reg .b16 h; .reg .f64 v;
	.reg .u32 tid, gid, n, i, j, x, y, own; .reg .u64 d, tab, low, mine, side, cross, look, at, t;
	.shared .align 16 .b8 s[8192];
	ld.param.u64 d, [out]; ld.param.u64 tab, [table]; ld.param.u64 low, [below]; ld.param.u32 n, [rounds];
	mov.u32 tid, %tid.x; mov.u32 x, %ctaid.x; mov.u32 y, %ntid.x; mad.lo.u32 gid, x, y, tid;
	mov.u32 x, %ctaid.y; mov.u32 y, %nctaid.x; mul.lo.u32 x, x, y; mov.u32 y, %ntid.x; mad.lo.u32 gid, x, y, gid;
	mul.wide.u32 t, gid, 64; add.s64 mine, d, t; mul.wide.u32 t, gid, 8; add.s64 side, d, t; add.s64 side, side, 131072;
	xor.b32 x, gid, 5; mul.wide.s32 t, x, 8; add.s64 cross, d, t; add.s64 cross, cross, 147456; mov.u64 look, tab;
	mul.lo.u32 own, tid, 8; mov.u32 x, s; add.u32 own, own, x; mov.u64 t, 0;
	st.shared.u64 [own], t; mov.u32 i, 0; mov.u32 j, 0;
	mov.u32 r0, gid; mul.lo.u32 r1, gid, 77777; mov.u32 r2, 0x7f800001; mov.u32 r3, 5; mov.u32 r4, 0x80000001; xor.b32 r5, r1, 255; mov.u32 r6, n; mov.u32 r7, tid;
	mov.b32 f0, 0f3f800001; mov.b32 f1, 0fff800000; cvt.rn.f32.u32 f2, gid; mov.b32 f3, r1; mov.u64 w0, 12345; cvt.u64.u32 w1, r1; mov.u64 w2, -1;
	setp.lt.u32 p0, tid, 9; setp.eq.u32 p1, r0, 3; setp.ne.u32 p2, r1, r0; setp.gt.f32 p3, f2, f0; mov.b16 h, 1; mov.f64 v, 0d3FF0000000000000;
`

const randomFooter = `
	st.global.u32 [mine], r0; st.global.u32 [mine+4], r1; st.global.u32 [mine+8], r2; st.global.u32 [mine+12], r3;
	st.global.u32 [mine+16], r4; st.global.u32 [mine+20], r5; st.global.u32 [mine+24], r6; st.global.u32 [mine+28], r7;
	st.global.f32 [mine+32], f0; st.global.f32 [mine+36], f1; st.global.f32 [mine+40], f2; st.global.f32 [mine+44], f3;
	st.global.u64 [mine+48], w0; st.global.u64 [mine+56], w1;
	st.global.u64 [side], w2;
	ret;
}
`

func (k *randomKernel) pick(list ...string) string { return list[k.IntN(len(list))] }

func (k *randomKernel) register(kind string) string {
	return kind + strconv.Itoa(k.IntN(map[string]int{"r": 8, "f": 4, "w": 3, "p": 4}[kind]))
}

// fill replaces each $kind of a pattern by a register of the kind, and $i by a number.
func (k *randomKernel) fill(pattern string) string {
	for _, kind := range []string{"r", "f", "w", "p"} {
		for strings.Contains(pattern, "$"+kind) {
			pattern = strings.Replace(pattern, "$"+kind, k.register(kind), 1)
		}
	}
	for strings.Contains(pattern, "$i") {
		pattern = strings.Replace(pattern, "$i", k.pick("1", "2", "7", "31", "-1", "2147483647", strconv.Itoa(k.IntN(1<<30))), 1)
	}
	return pattern
}

var randomPatterns = []string{
	"add.s32 $r, $r, $r;", "add.s32 $r, $r, $i;", "sub.s32 $r, $r, $r;", "mul.lo.u32 $r, $r, $r;", "mad.lo.s32 $r, $r, $r, $r;", "min.s32 $r, $r, $r;",
	"shl.b32 $r, $r, $r;", "shr.s32 $r, $r, $r;", "and.b32 $r, $r, $i;", "xor.b32 $r, $r, $r;", "or.b32 $r, $r, $r;", "not.b32 $r, $r;",
	"fma.rn.f32 $f, $f, $f, $f;", "add.f32 $f, $f, $f;", "mul.ftz.f32 $f, $f, $f;", "max.f32 $f, $f, $f;", "sub.rz.f32 $f, $f, $f;", "neg.f32 $f, $f;",
	"abs.f32 $f, $f;", "div.rn.f32 $f, $f, $f;", "sqrt.rn.f32 $f, $f;", "mov.b32 $r, $f;", "mov.b32 $f, $r;", "cvt.rn.f32.s32 $f, $r;",
	"cvt.rzi.s32.f32 $r, $f;", "mad.wide.s32 $w, $r, $r, $w;", "add.s64 $w, $w, $w;", "cvt.u32.u64 $r, $w;", "cvt.s64.s32 $w, $r;", "mul.lo.s64 $w, $w, $w;",
	"setp.lt.s32 $p, $r, $r;", "setp.ge.u32 $p, $r, $i;", "setp.eq.u32 $p, $r, $r;", "setp.lt.f32 $p, $f, $f;", "setp.neu.f32 $p, $f, $f;",
	"setp.gt.and.s32 $p, $r, $r, $p;", "selp.b32 $r, $r, $r, $p;", "selp.f32 $f, $f, $f, $p;", "and.pred $p, $p, $p;", "or.pred $p, $p, $p;",
	"xor.pred $p, $p, $p;", "not.pred $p, $p;", "mov.pred $p, $p;", "bfe.u32 $r, $r, 3, 9;", "popc.b32 $r, $r;", "clz.b32 $r, $r;", "brev.b32 $r, $r;",
	"prmt.b32 $r, $r, $r, 12816;", "shf.l.wrap.b32 $r, $r, $r, 7;", "mov.u32 $r, $r;", "mov.f32 $f, $f;", "mov.u64 $w, $w;",
	"cvt.rn.f16.f32 h, $f;", "cvt.f32.f16 $f, h;", "mul.hi.u32 $r, $r, $r;", "abs.s32 $r, $r;", "set.lt.u32.s32 $r, $r, $r;",
	"slct.s32.s32 $r, $r, $r, $r;", "ex2.approx.ftz.f32 $f, $f;", "ex2.approx.f32 $f, $f;", "rcp.approx.f32 $f, $f;", "lg2.approx.ftz.f32 $f, $f;", "sin.approx.f32 $f, $f;",
	"rsqrt.approx.f32 $f, $f;", "sqrt.approx.ftz.f32 $f, $f;", "div.full.f32 $f, $f, $f;", "tanh.approx.f32 $f, $f;",
}

// steppedPatterns are instructions that runs of native code end at.
var steppedPatterns = []string{
	"tanh.approx.f16 h, h;", "membar.gl;", "lop3.b32 $r, $r, $r, $r, 150;", "div.u32 $r, $r, $r;", "rem.s32 $r, $r, $r;",
	"mov.b64 v, $w; atom.shared.add.f64 v, [own], v; mov.b64 $w, v;", "atom.shared.add.u32 $r, [own], $r;", "red.shared.xor.b32 [own+4], $r;", "atom.global.exch.b32 $r, [mine+4], $r;", "ld.u32 $r, [mine+8];", "st.u32 [mine+12], $r;",
}

// instruction writes an instruction, or a few that access memory.
func (k *randomKernel) instruction() {
	guard := k.pick("", "", "", "@"+k.register("p")+" ", "@!"+k.register("p")+" ")
	if k.IntN(4) > 0 {
		list := randomPatterns
		if k.all {
			list = slices.Concat(list, steppedPatterns)
		}
		k.line(guard + k.fill(list[k.IntN(len(list))]))
		return
	}
	if k.IntN(8) == 0 {
		k.wide(guard)
		return
	}
	size := k.pick("u8", "u16", "u32", "u64", "s8", "f32", "v2")
	bytes := map[string]int{"u8": 1, "u16": 2, "u32": 4, "u64": 8, "s8": 1, "f32": 4, "v2": 8}[size]
	kind := map[string]string{"u64": "w", "f32": "f"}[size]
	if kind == "" {
		kind = "r"
	}
	value, kindOf := k.register(kind), "."+size
	if size == "v2" {
		value, kindOf = k.pick("{r0, r1}", "{r2, r5}", "{r7, r3}"), ".v2.u32"
	}
	if k.local && size != "v2" && k.IntN(3) == 0 { // where the round, the thread or its values say
		k.line("and.b32 x, " + k.pick("i", "tid", "r1") + ", 7; mul.wide.u32 t, x, 8; mov.u64 at, frame; add.s64 t, t, at;")
		space := k.pick(".local", "")
		if space == "" {
			k.line(k.fill(k.pick("cvta.local.u64 t, t;", "cvta.local.u64 at, at; mul.wide.u32 t, x, 8; add.s64 t, at, t;", "cvta.local.u64 t, t; @$p cvta.local.u64 t, at;")))
		}
		k.line(fmt.Sprintf("%s%s%s%s %s;", guard, k.pick("ld", "st"), space, kindOf, k.access("t", value)))
		k.flip()
		return
	}
	switch k.IntN(12) {
	case 8: // words side by side, anywhere
		k.line(k.fill("and.b32 x, $r, 2044; cvt.u64.u32 t, x; add.s64 t, t, tab;"))
		guard := k.pick("", "", guard)
		for n, word := range k.Perm(4 + k.IntN(3)) {
			k.line(fmt.Sprintf("%sld.global.u32 r%d, [t+%d];", guard, (n+k.IntN(2))%8, 4*word))
			if k.IntN(3) == 0 {
				k.line(k.fill(k.pick("add.s32 $r, $r, $r;", "st.shared.u32 [own], $r;", "@$p xor.b32 $r, $r, $r;", "mad.wide.s32 $w, $r, $r, $w;")))
			}
		}
		return
	case 9: // at lanes in another order
		k.line(fmt.Sprintf("%s%s.global%s %s;", guard, k.pick("ld", "st"), kindOf, k.access("cross", value)))
		k.flip()
		return
	case 10: // anywhere in the table, there and later
		k.line(k.fill(k.pick("and.b32 x, $r, 511;", "and.b32 x, tid, 511;")))
		if k.IntN(3) > 0 {
			k.line("sub.s32 x, x, 256; " + k.pick("mul.wide.s32 t, x, 8;", "cvt.s64.s32 t, x; shl.b64 t, t, 3;") + " add.s64 look, t, tab; add.s64 look, look, 2048;")
		} else { // indices that are no signed numbers
			k.line("or.b32 x, x, 2147483648; mul.wide.u32 t, x, 8; add.s64 look, t, low;")
		}
		fallthrough
	case 11:
		k.line(fmt.Sprintf("%sld.global%s %s, [look];", guard, kindOf, value))
		return
	case 0: // anywhere in the table
		k.line(k.fill("and.b32 x, $r, 2040; cvt.u64.u32 t, x; add.s64 t, t, tab;"))
	case 1: // one place
		k.line(fmt.Sprintf("add.s64 t, tab, %d;", 8*k.IntN(256)))
	case 2: // side by side
		k.line(fmt.Sprintf("mul.wide.u32 t, tid, %d; add.s64 t, t, tab; add.s64 t, t, %d;", bytes, 8*k.IntN(64)))
	case 3: // of the round
		k.line("and.b32 x, i, 255; mul.wide.u32 t, x, 8; add.s64 t, t, tab;")
	case 4:
		k.line(fmt.Sprintf("%s%s.global%s %s;", guard, k.pick("ld", "st"), kindOf, k.access("mine+"+strconv.Itoa(8*k.IntN(8)), value)))
		k.flip()
		return
	case 5:
		k.line(fmt.Sprintf("%s%s.global%s %s;", guard, k.pick("ld", "st"), kindOf, k.access("side", value)))
		k.flip()
		return
	default:
		k.line(fmt.Sprintf("%s%s.shared%s %s;", guard, k.pick("ld", "st"), kindOf, k.access("own", value)))
		k.flip()
		return
	}
	k.line(fmt.Sprintf("%sld.global%s %s, [t];", guard, kindOf, value))
}

// wide accesses several registers, of up to 16 bytes.
func (k *randomKernel) wide(guard string) {
	value, kind := k.pick("{r0, r1, r2, r3}", "{r7, r5, r3, r1}", "{r2, r6, r4, r0}"), ".v4.u32"
	switch k.IntN(4) {
	case 0, 1:
		value, kind = k.pick("{w0, w1}", "{w2, w0}", "{w1, w2}"), ".v2.u64"
	case 2:
		kind = k.pick(".v4.u8", ".v4.s8", ".v4.u16", ".v4.s16")
	}
	stores := k.pick("ld", "st")
	if stores == "st" {
		kind = strings.Replace(kind, ".s", ".u", 1)
	}
	switch k.IntN(6) {
	case 0: // anywhere in the table
		k.line(k.fill("and.b32 x, $r, 2032; cvt.u64.u32 t, x; add.s64 t, t, tab;"))
		stores = "ld"
	case 1: // side by side
		k.line(fmt.Sprintf("and.b32 x, tid, 127; mul.wide.u32 t, x, 16; add.s64 t, t, tab; add.s64 t, t, %d;", 16*k.IntN(64)))
		stores = "ld"
	case 2: // one place
		k.line(fmt.Sprintf("add.s64 t, tab, %d;", 16*k.IntN(256)))
		stores = "ld"
	case 3: // two lanes at each place of shared memory
		k.line("and.b32 x, own, -16;")
		k.line(fmt.Sprintf("%s%s.shared%s %s;", guard, stores, kind, k.access("x", value)))
		k.flip()
		return
	case 4: // a piece of each 64 bytes
		k.line(fmt.Sprintf("%s%s.global%s %s;", guard, stores, kind, k.access("mine+"+strconv.Itoa(16*k.IntN(4)), value)))
		k.flip()
		return
	default: // side by side, every thread's own
		k.line("mul.wide.u32 t, gid, 16; add.s64 t, t, d; add.s64 t, t, 163840;")
	}
	k.line(fmt.Sprintf("%s%s.global%s %s;", guard, stores, kind, k.access("t", value)))
	k.flip()
}

// access is written as that of a load; flip turns the operands of a store.
func (k *randomKernel) access(at, value string) string { return value + "|[" + at + "]" }

func (k *randomKernel) flip() {
	text := k.text.String()
	start := strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n") + 1
	line := text[start:]
	first, rest, _ := strings.Cut(line, "|")
	at, _, _ := strings.Cut(rest, ";")
	cut := strings.IndexAny(first, ".") // behind the guard and the opcode
	head, value := first, ""
	if i := strings.Index(first, "{"); i >= 0 {
		head, value = first[:i], first[i:]
	} else {
		i := strings.LastIndex(first, " ")
		head, value = first[:i+1], first[i+1:]
	}
	operands := value + ", " + at
	if strings.HasSuffix(first[:cut], "st") {
		operands = at + ", " + value
		head = strings.Replace(head, ".s8", ".u8", 1)
	}
	k.text.Reset()
	k.text.WriteString(text[:start] + head + operands + ";\n")
}

func (k *randomKernel) line(s string) { k.text.WriteString("\t" + s + "\n") }

func (k *randomKernel) label() string {
	k.labels++
	return "L" + strconv.Itoa(k.labels)
}

// statements writes a few instructions, branches and loops; barriers where all threads come.
func (k *randomKernel) statements(n, depth int, counter string, together bool) {
	for range n {
		switch r := k.IntN(20); {
		case r == 0 && depth < 3:
			end := k.label()
			k.line(k.pick("@", "@!") + k.register("p") + " bra " + end + ";")
			k.statements(1+k.IntN(5), depth+1, counter, false)
			k.line(end + ":")
		case r == 1 && depth < 3:
			other, end := k.label(), k.label()
			k.line(k.pick("@", "@!") + k.register("p") + " bra " + other + ";")
			k.statements(1+k.IntN(4), depth+1, counter, false)
			k.line("bra " + end + ";\n" + other + ":")
			k.statements(1+k.IntN(4), depth+1, counter, false)
			k.line(end + ":")
		case r == 2 && depth < 2 && counter == "i":
			start := k.label()
			k.line(k.fill("and.b32 j, $r, 7;") + "\n" + start + ":")
			k.statements(1+k.IntN(6), depth+1, "j", false)
			k.line("sub.u32 j, j, 1; setp.gt.s32 q, j, 0; @q bra " + start + ";")
		case r == 3 && together:
			k.line("bar.sync 0;")
			if k.all {
				k.line(k.fill(k.pick("shfl.sync.bfly.b32 $r, $r, 5, 31, -1;", "shfl.sync.idx.b32 $r|$p, $r, $r, 7199, -1;", "vote.sync.ballot.b32 $r, $p, -1;",
					"shfl.sync.down.b32 $r|$p, $r, 3, 6175, -1;", "shfl.sync.up.b32 $r, $r, $r, 0, -1;", "vote.sync.all.pred $p, $p, -1;", "vote.sync.uni.pred $p, !$p, -1;",
					"activemask.b32 x; shfl.sync.bfly.b32 $r|$p, $r, 16, 31, x;", "activemask.b32 x; vote.sync.any.pred $p, $p, x;", "bar.warp.sync -1;",
					"redux.sync.add.u32 $r, $r, -1;", "activemask.b32 x; match.any.sync.b32 $r, $r, x;")))
			}
			if k.IntN(2) == 0 {
				k.line("xor.b32 x, own, 8; ld.shared.u32 r2, [x]; bar.sync 0;")
			}
		case r == 4 && k.IntN(4) == 0 && depth == 0 && !together:
			k.line(k.fill("setp.eq.u32 q, $r, 77; @q exit;"))
		default:
			k.instruction()
		}
	}
}

func newRandomKernel(seed uint64) string {
	k := &randomKernel{Rand: rand.New(rand.NewPCG(seed, 9))}
	k.text.WriteString(randomHeader)
	k.all, k.local = k.IntN(2) == 0, k.IntN(4) == 0
	if k.local {
		k.line(".local .align 8 .b8 frame[64];")
		k.line("st.local.u64 [frame], t; st.local.u64 [frame+8], t; st.local.u64 [frame+16], t; st.local.u64 [frame+24], t;")
		k.line("st.local.u64 [frame+32], t; st.local.u64 [frame+40], t; st.local.u64 [frame+48], t; st.local.u64 [frame+56], t;")
	}
	together := k.IntN(2) == 0
	if !together && k.IntN(2) == 0 {
		k.line("setp.ge.u32 q, gid, 150; @q bra END;")
	}
	k.statements(2+k.IntN(20), 0, "", together)
	if k.IntN(3) > 0 {
		rounds := "n"
		if !together && k.IntN(2) == 0 {
			k.line("and.b32 n, r1, 15; add.u32 n, n, 1;")
		}
		k.line("AGAIN:")
		k.statements(2+k.IntN(25), 0, "i", together)
		k.line("add.u32 i, i, 1; setp.lt.u32 q, i, " + rounds + "; @q bra AGAIN;")
	}
	k.statements(1+k.IntN(10), 0, "", together)
	k.line("END:")
	return k.text.String() + randomFooter
}

// TestRandomKernels compares kernels that native code runs with exec/ref; SEEDS in the environment is a range of others, from-to.
func TestRandomKernels(t *testing.T) {
	from, to := uint64(1), uint64(400)
	if seeds := os.Getenv("SEEDS"); seeds != "" {
		if _, err := fmt.Sscanf(seeds, "%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
	}
	var whole [2]int
	for seed := from; seed <= to; seed++ {
		text := newRandomKernel(seed)
		tree, err := ptx.Load("random.ptx", []byte(text))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		module, err := ir.NewModule(tree)
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := module.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		want := runRandom(t, ref.New(), kernel, seed, observing)
		for _, e := range Units() {
			if e.unit.encoder == nil {
				continue
			}
			kind := watching(seed % uint64(watchings))
			if seed%3 > 0 { // after a launch that leaves its blocks to this one: of the same shape, or another
				runRandom(t, e, kernel, seed+42*(seed%3-1), kind)
			}
			if text := runRandom(t, e, kernel, seed, kind).difference(kernel, kind, want); text != "" {
				t.Errorf("seed %d, watched as %d: %s: %s, grid %d", seed, kind, e.VectorUnit(), text, seed%3)
			}
			for _, p := range e.programs {
				for i := range p.wholes {
					if p.wholes[i].code.Load() != nil {
						whole[i]++
					}
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d kernels ran as a whole without counts, %d with", whole[0], whole[1])
	if os.Getenv("SEEDS") == "" && (whole[0] == 0 || whole[1] == 0) && units()[0].encoder != nil {
		t.Error("none ran as a whole")
	}
}

// outcomeOf is what came of a launch, and what was seen of it where it was watched.
type outcomeOf struct {
	out   []byte
	stats *exec.Stats
	seen  *witness
	err   error
}

// difference tells how the outcome of a launch that was watched differs from one that was observed and counted; "" when it does not.
func (o *outcomeOf) difference(k *ir.Kernel, kind watching, want *outcomeOf) string {
	if fmt.Sprint(o.err) != fmt.Sprint(want.err) {
		return fmt.Sprintf("%v, want %v", o.err, want.err)
	}
	if o.err != nil {
		return ""
	}
	for at := range want.out {
		if o.out[at] != want.out[at] {
			return fmt.Sprintf("byte %#x differs: %x, want %x", at, o.out[at&^15:at&^15+16], want.out[at&^15:at&^15+16])
		}
	}
	if o.stats != nil {
		if text := statsDifference(k, o.stats, want.stats); text != "" {
			return text
		}
	}
	if o.seen != nil {
		return o.seen.difference(kind, want.seen)
	}
	return ""
}

func runRandom(t *testing.T, e exec.Engine, kernel *ir.Kernel, seed uint64, kind watching) *outcomeOf {
	t.Helper()
	memory, err := mem.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	grid, block := exec.Dim3{X: 1 + int(seed%3), Y: 1 + int(seed/7%2), Z: 1}, exec.Dim3{X: 32 + int(seed*37%290), Y: 1, Z: 1}
	if seed%3 == 0 {
		block.X = 32 * (1 + int(seed/3%9))
	}
	const table = 4096
	alloc := func(n uint64) uint64 {
		at, err := memory.Alloc(n, 256)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	const bytesOut = 131072 + 32*2048
	out, tab := alloc(bytesOut), alloc(table)
	contents, err := memory.Bytes(tab, table)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 3))
	for i := 0; i < table; i += 4 {
		binary.LittleEndian.PutUint32(contents[i:], r.Uint32()>>r.IntN(28))
	}
	params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, out), tab)
	params = binary.LittleEndian.AppendUint64(params, tab-8<<31)
	l := &exec.Launch{
		Kernel: kernel, Grid: grid, Block: block, Cluster: exec.Dim3{X: 1, Y: 1, Z: 1}, Memory: memory,
		Params:  binary.LittleEndian.AppendUint32(params, 9),
		Machine: exec.Machine{SMs: 4, BlocksPerSM: 1, WarpsPerSM: 64, SharedPerBlock: 1 << 16, ClockHz: 1e9, LocalPerThread: 1 << 10, ComputeCapability: 90},
		Stdout:  io.Discard, Workers: 1, Count: kind != unwatched, Together: kind >= grouping, AcrossBlocks: kind == collecting,
	}
	o := &outcomeOf{}
	if kind >= observing {
		o.seen = newWitness(out, kind)
		l.Observe = func(int) exec.Observer { return o.seen }
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	o.stats, o.err = e.Run(ctx, l)
	result, bytesErr := memory.Bytes(out, bytesOut)
	if bytesErr != nil {
		t.Fatal(bytesErr)
	}
	o.out = bytes.Clone(result)
	clear(o.out[147456:163840])
	return o
}
