package randptx

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"silica/internal/isa"
)

// Options choose what programs may use.
type Options struct {
	// Hardware keeps to what has one result on an H200 too: no values of special registers that only Silica's machine has, no masks
	// that depend on scheduling.
	Hardware bool
}

// target is what a module is for.
type target struct {
	version, name string
	ctx           isa.Context
	weight        int
}

// targets are those whose rows together are all rows.
var targets = [...]target{
	{"9.0", "sm_90a", isa.Context{PTX: 90, SM: 90, Arch: "a"}, 6},
	{"9.0", "sm_120a", isa.Context{PTX: 90, SM: 120, Arch: "a"}, 2},
	{"9.0", "sm_103a", isa.Context{PTX: 90, SM: 103, Arch: "a"}, 1},
	{"6.2", "sm_70", isa.Context{PTX: 62, SM: 70}, 1},
}

// Generate returns the program of a seed.
func Generate(seed uint64, o Options) *Program {
	random := rand.New(rand.NewPCG(seed, 0x51ca))
	g := newGenerator(random, o, chooseTarget(random, o))
	p := &Program{Seed: seed, Grid: 1 + random.IntN(3), Block: g.blockSize(), Cluster: 1}
	if g.ctx.SM >= 90 && random.IntN(8) == 0 {
		p.Grid, p.Cluster = 2, 2
	}
	g.grid, g.block, g.cluster = p.Grid, p.Block, p.Cluster > 1
	g.warps = (p.Block + 31) / 32
	p.Source = g.module(4 + random.IntN(24))
	return p
}

func chooseTarget(random *rand.Rand, o Options) target {
	if o.Hardware {
		return targets[0]
	}
	total := 0
	for _, t := range targets {
		total += t.weight
	}
	n := random.IntN(total)
	for _, t := range targets {
		if n -= t.weight; n < 0 {
			return t
		}
	}
	return targets[0]
}

// generator writes one module.
type generator struct {
	random  *rand.Rand
	options Options
	target  target
	ctx     isa.Context
	rows    *catalog

	lines              []string
	line               strings.Builder // the statement being written
	budget             int             // statements to go
	labels             int
	depth              int  // of branches and loops around
	function           bool // in a device function
	exited             bool // lanes may have exited
	loose              bool // which lanes are here is not known: nothing may wait for others
	cluster            bool
	calls              bool // the module has functions
	grid, block, warps int
}

func newGenerator(random *rand.Rand, o Options, t target) *generator {
	return &generator{random: random, options: o, target: t, ctx: t.ctx, rows: catalogs()[catalogKey{t.ctx, o.Hardware}]}
}

func (g *generator) blockSize() int {
	switch g.random.IntN(4) {
	case 0:
		return 1 + g.random.IntN(32)
	case 1:
		return 32 * (1 + g.random.IntN(3))
	case 2:
		return 32
	}
	return 1 + g.random.IntN(110)
}

// do adds instructions to the statement being written.
func (g *generator) do(format string, args ...any) { fmt.Fprintf(&g.line, format+" ", args...) }

// flush ends the statement: it becomes one line.
func (g *generator) flush() {
	if g.line.Len() > 0 {
		g.lines = append(g.lines, strings.TrimSpace(g.line.String()))
		g.line.Reset()
	}
}

// drop forgets the statement.
func (g *generator) drop() { g.line.Reset() }

// put adds a line.
func (g *generator) put(format string, args ...any) {
	g.do(format, args...)
	g.flush()
}

func (g *generator) pick(list ...string) string { return list[g.random.IntN(len(list))] }

// one tells, once in n times, true.
func (g *generator) one(n int) bool { return g.random.IntN(n) == 0 }

func (g *generator) label() string {
	g.labels++
	return fmt.Sprintf("L%d", g.labels)
}

// The lines between these marks may be removed without a new race or access out of bounds.
const (
	beginMark = "// begin"
	endMark   = "// end"
)

// module returns a module whose kernel has some statements.
func (g *generator) module(statements int) string {
	g.calls = !g.one(3)
	return g.moduleOf(func() {
		g.budget = statements
		for g.budget > 0 {
			g.statements(g.budget)
		}
	})
}

// moduleOf returns a module whose kernel does what body writes.
func (g *generator) moduleOf(body func()) string {
	g.put(".version %s", g.target.version)
	g.put(".target %s", g.target.name)
	g.put(".address_size 64")
	g.data()
	if g.calls {
		g.functions()
	}
	g.kernel(body)
	return strings.Join(g.lines, "\n") + "\n"
}

// data writes the tables of the module.
func (g *generator) data() {
	for _, table := range []string{".const .align 16 .b32 table", ".global .align 16 .b32 fixed"} {
		words := make([]string, tableBytes/4)
		for i := range words {
			words[i] = fmt.Sprintf("0x%x", uint32(randomBits(g.random, 32)))
		}
		g.put("%s[%d] = {%s};", table, len(words), strings.Join(words, ", "))
	}
	g.put(".shared .align 16 .b8 slots[%d];", mostThreads*slotBytes)
	g.put(".shared .align 16 .b8 bars[%d];", mostThreads*8)
	g.put(".shared .align 16 .b8 sums[32];")
}

// kernel writes the entry around its body.
func (g *generator) kernel(body func()) {
	g.put(".visible .entry k(.param .u64 pin, .param .u64 pout, .param .align 16 .b8 blob[%d])", blobBytes)
	if g.cluster {
		g.put(".reqnctapercluster 2")
	}
	g.put("{")
	g.declare()
	g.put("ld.param.u64 %%in, [pin];")
	g.put("ld.param.u64 %%out, [pout];")
	g.put("mov.u32 %%x, %%ctaid.x; mov.u32 %%w0, %%ntid.x; mov.u32 %%w1, %%tid.x; mad.lo.u32 %%x, %%x, %%w0, %%w1;")
	g.put("mad.wide.u32 %%out, %%x, %d, %%out; add.u64 %%out, %%out, %d;", threadBytes, commonBytes)
	g.put("add.u32 %%count, %%w0, 31; and.b32 %%count, %%count, -32;")
	g.prologue()
	g.put("vote.sync.ballot.b32 %%m0, !%%never, 0xffffffff;")
	g.put("mov.u32 %%w1, sums; st.shared.v4.b32 [%%w1], {%%z, %%z, %%z, %%z}; st.shared.v4.b32 [%%w1+16], {%%z, %%z, %%z, %%z}; bar.sync 0;")
	g.put(beginMark)
	g.initialize()
	body()
	g.results()
	g.put(endMark)
	g.put("ret;")
	g.put("}")
}

// prologue finds what a thread owns; %in and %out are known.
func (g *generator) prologue() {
	g.put("mov.u32 %%w1, %%tid.x; mov.u32 %%w2, slots; mad.lo.u32 %%sh, %%w1, %d, %%w2; mov.u32 %%w2, bars; mad.lo.u32 %%bar, %%w1, 8, %%w2;", slotBytes)
	g.put("add.u64 %%own, %%out, %d; setp.gt.u32 %%never, %%w1, %d; mov.u32 %%z, 0; mov.u64 %%pol, 0;", scratchAt, mostThreads)
	if g.ctx.SM >= 80 {
		g.put("createpolicy.fractional.L2::evict_last.b64 %%pol, 0f3F800000;")
	}
	if g.options.Hardware {
		g.define()
	}
}

// define gives the registers a value that is left to them where minimizing has removed the line that gave them one.
func (g *generator) define() {
	for name, at := range layout(g.classes()) {
		if t := name.class.typ; t == isa.Pred {
			g.do("setp.ne.u32 %s, %%z, 0;", name)
		} else {
			g.do("ld.global.%s %s, [%%in+%d];", memoryType(t), name, 16*at)
		}
	}
	for i := 1; i < mostDepth+2; i++ {
		g.do("mov.b32 %%m%d, 0; mov.b32 %%n%d, 0;", i, i)
	}
	g.flush()
	if !g.function {
		for at := 0; at < slotBytes; at += 16 {
			g.do("st.shared.v4.b32 [%%sh+%d], {%%z, %%z, %%z, %%z};", at)
		}
	}
	for at := 0; at < localBytes; at += 16 {
		g.do("st.local.v4.b32 [array+%d], {%%z, %%z, %%z, %%z};", at)
	}
	g.flush()
}

// initialize gives the registers values of the input that depend on %x, and the memory of the thread values of registers.
func (g *generator) initialize() {
	for _, c := range g.classes() {
		for i := range c.count {
			name := fmt.Sprintf("%%%s%d", c.prefix, i)
			if c.typ == isa.Pred {
				g.put("setp.lt.s32 %s, %%r%d, %d;", name, i%3, g.random.Int32())
				continue
			}
			if !g.function || g.one(3) {
				g.do("mad.lo.u32 %%w0, %%x, %d, %d; and.b32 %%w0, %%w0, %d; cvt.u64.u32 %%t0, %%w0; add.u64 %%t0, %%t0, %%in;", 16*g.random.IntN(64), 16*g.random.IntN(256), InputBytes-16)
				g.put("ld.global.%s %s, [%%t0];", memoryType(c.typ), name)
			} else {
				g.put("ld.global.%s %s, [%%in+%d];", memoryType(c.typ), name, 16*g.random.IntN(256))
			}
		}
	}
	if !g.function {
		for at := 0; at < slotBytes; at += 16 {
			g.put("st.shared.v4.b32 [%%sh+%d], {%%r0, %%r%d, %%r2, %%r%d};", at, g.random.IntN(8), g.random.IntN(8))
		}
	}
	for at := 0; at < localBytes; at += 16 {
		g.put("st.local.v4.b32 [array+%d], {%%r1, %%r%d, %%r3, %%r%d};", at, g.random.IntN(8), g.random.IntN(8))
	}
}

// results writes the registers, and the thread's shared memory once nobody uses it any more.
func (g *generator) results() {
	for name, at := range layout(g.classes()) {
		switch c := name.class; c.typ {
		case isa.Pred:
			g.put("selp.b32 %%w0, 1, 0, %s; st.global.b8 [%%out+%d], %%w0;", name, at)
		default:
			g.put("st.global.%s [%%out+%d], %s;", memoryType(c.typ), at, name)
		}
	}
	g.do("bar.sync 0;")
	for i := 0; i < slotBytes; i += 16 {
		g.do("ld.shared.v4.b32 {%%w0, %%w1, %%w2, %%w3}, [%%sh+%d]; st.global.v4.b32 [%%out+%d], {%%w0, %%w1, %%w2, %%w3};", i, registerBytes+i)
	}
	g.do("mov.u32 %%w2, sums; mov.u32 %%w1, %%ctaid.x; and.b32 %%w1, %%w1, 3; mul.wide.u32 %%t0, %%w1, 32; ld.param.u64 %%t1, [pout]; add.u64 %%t0, %%t0, %%t1;")
	for i := 0; i < 32; i += 4 {
		g.do("ld.shared.b32 %%w0, [%%w2+%d]; st.global.b32 [%%t0+%d], %%w0;", i, commonBytes/2+i)
	}
	g.flush()
}
