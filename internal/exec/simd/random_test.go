package simd

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"silica/internal/exec"
	"silica/internal/exec/ref"
	"silica/internal/ir"
	"silica/internal/mem"
	"silica/ptx"
)

var randomSeed = flag.Uint64("seed", 0, "the one random program to run; all when 0")

// TestRandomProgramsAgree runs random programs without races on the reference engine and on every vector unit: results,
// counts and accesses have to be the same. -seed N runs one program alone.
func TestRandomProgramsAgree(t *testing.T) {
	const programs = 150
	first, last := uint64(1), uint64(programs)
	if *randomSeed != 0 {
		first, last = *randomSeed, *randomSeed
	}
	engines := Units()
	for seed := first; seed <= last; seed++ {
		rng := rand.New(rand.NewPCG(seed, 3))
		source := newRandomProgram(rng).source()
		block, grid := 1+rng.IntN(300), 1+rng.IntN(3)
		want := runRandom(t, ref.New(), source, grid, block)
		for _, e := range engines {
			got := runRandom(t, e, source, grid, block)
			if diff := want.difference(got); diff != "" {
				t.Errorf("seed %d, %d blocks of %d on %s: %s\n%s", seed, grid, block, e.VectorUnit(), diff, source)
				break
			}
		}
	}
}

// outcomeOf is what a run of a random program gives.
type randomOutcome struct {
	err      string
	memory   []byte
	counts   []string
	accesses map[string][]string
}

func (o *randomOutcome) difference(got *randomOutcome) string {
	if o.err != got.err {
		return fmt.Sprintf("error %q, want %q", got.err, o.err)
	}
	for i := range o.memory {
		if o.memory[i] != got.memory[i] {
			return fmt.Sprintf("byte %d of the output (thread %d, word %d) is %x, want %x", i, i/(4*outputWords), i/4%outputWords, got.memory[i], o.memory[i])
		}
	}
	for i := range o.counts {
		if o.counts[i] != got.counts[i] {
			return fmt.Sprintf("%s, want %s", got.counts[i], o.counts[i])
		}
	}
	for warp, list := range o.accesses {
		if !slices.Equal(list, got.accesses[warp]) {
			i := 0
			for i < len(list) && i < len(got.accesses[warp]) && list[i] == got.accesses[warp][i] {
				i++
			}
			return fmt.Sprintf("%s: access %d differs", warp, i)
		}
	}
	return ""
}

// randomWatcher is an Observer that keeps the accesses of each warp.
type randomWatcher map[string][]string

func (randomWatcher) BlockStart(int) {}
func (randomWatcher) BlockEnd(int)   {}

func (w randomWatcher) Access(a *exec.Access) {
	warp := fmt.Sprintf("block %d warp %d", a.Block, a.Warp)
	sum := uint64(14695981039346656037)
	for lane, addr := range a.Addr {
		if a.Mask>>lane&1 != 0 {
			sum = (sum ^ addr) * 1099511628211
		}
	}
	w[warp] = append(w[warp], fmt.Sprintf("%d %s %08x %d %x", a.Inst.Pos.Line, a.Space, a.Mask, a.Bytes, sum))
}

// The memory of a random program: words to read, and words that each thread writes for itself.
const (
	inputWords, outputWords = 1 << 10, 16
	mostThreads             = 1024
)

func runRandom(t *testing.T, e exec.Engine, source string, grid, block int) *randomOutcome {
	t.Helper()
	tree, err := ptx.Load("random.ptx", []byte(source))
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	module, err := ir.NewModule(tree)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := module.Kernel("k")
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	memory, err := mem.New(1 << 24)
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	variables, err := exec.PlaceVariables(module, memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	buffer := func(bytes int) (uint64, []byte) {
		addr, err := memory.Alloc(uint64(bytes), 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := memory.Bytes(addr, uint64(bytes))
		if err != nil {
			t.Fatal(err)
		}
		return addr, b
	}
	in, input := buffer(4 * inputWords)
	rng := rand.New(rand.NewPCG(9, 9))
	for i := 0; i < len(input); i += 4 {
		binary.LittleEndian.PutUint32(input[i:], uint32(randomValue(rng, 32)))
	}
	out, output := buffer(4 * outputWords * mostThreads)
	clear(output)
	watcher := randomWatcher{}
	one := exec.Dim3{X: 1, Y: 1, Z: 1}
	l := &exec.Launch{
		Kernel: kernel, Grid: exec.Dim3{X: grid, Y: 1, Z: 1}, Block: exec.Dim3{X: block, Y: 1, Z: 1}, Cluster: one, Memory: memory,
		Machine: exec.Machine{SMs: 4, BlocksPerSM: 4, WarpsPerSM: 64, SharedPerBlock: 48 << 10, ClockHz: 1e9, LocalPerThread: 16 << 10, ComputeCapability: 90},
		Symbols: variables.Symbols, ConstRegions: variables.ConstRegions, Workers: 1,
		Params: binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in), out), MaxInstructions: 1 << 24,
		Count: true, Observe: func(int) exec.Observer { return watcher },
	}
	stats, err := e.Run(context.Background(), l)
	o := &randomOutcome{accesses: watcher}
	if err != nil {
		o.err = err.Error()
		return o
	}
	o.memory = slices.Clone(output)
	for f := range stats.Funcs {
		for pc, c := range stats.Funcs[f] {
			in := &kernel.Funcs[f].Code[pc]
			o.counts = append(o.counts, fmt.Sprintf("line %d, %s: %+v", in.Pos.Line, in.Form.Name(), c))
		}
	}
	return o
}

// randomProgram writes a program: statements nested in branches and loops, a function that calls itself, and at the end
// the registers to the thread's words.
type randomProgram struct {
	strings.Builder
	rng      *rand.Rand
	labels   int
	depth    int // of branches and loops around
	budget   int // statements to go
	function bool
}

const words, longs, shorts, predicates = 10, 4, 3, 4

func newRandomProgram(rng *rand.Rand) *randomProgram { return &randomProgram{rng: rng, budget: 60} }

func (p *randomProgram) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *randomProgram) pick(list ...string) string { return list[p.rng.IntN(len(list))] }

func (p *randomProgram) register(class string, count int) string {
	return fmt.Sprintf("%%%s%d", class, p.rng.IntN(count))
}
func (p *randomProgram) word() string      { return p.register("r", words) }
func (p *randomProgram) long() string      { return p.register("l", longs) }
func (p *randomProgram) short() string     { return p.register("h", shorts) }
func (p *randomProgram) predicate() string { return p.register("p", predicates) }

// operand returns a register or a constant.
func (p *randomProgram) operand() string {
	if p.rng.IntN(3) == 0 {
		return p.pick("0", "1", "3", "-1", "31", "65535", "0x3f800000", "0x80000000")
	}
	return p.word()
}

const randomRegisters = `.reg .b32 %%r<%d>, %%a<3>, %%n<16>;
.reg .b64 %%l<%d>, %%in, %%out, %%t<3>;
.reg .b16 %%h<%d>;
.reg .pred %%p<%d>, %%q;
`

// source returns the program.
func (p *randomProgram) source() string {
	p.line(".version 8.7\n.target sm_90\n.address_size 64")
	p.line(".func (.reg .b32 %%y) f(.reg .b32 %%x, .reg .b64 %%in, .reg .b64 %%out)\n{")
	p.line(strings.Replace(randomRegisters, ", %%in, %%out", "", 1), words, longs, shorts, predicates)
	p.function = true
	p.start("%x")
	p.statements(6)
	p.line("and.b32 %%a0, %%x, 3;\nsetp.eq.u32 %%q, %%a0, 0;\nmov.u32 %%y, %%r0;\n@%%q ret;")
	p.line("sub.u32 %%a0, %%a0, 1;\n{\n.reg .b32 %%z;\ncall (%%z), f, (%%a0, %%in, %%out);\nadd.u32 %%y, %%r0, %%z;\n}\nret;\n}")
	p.function = false
	p.line(".visible .entry k(.param .u64 pin, .param .u64 pout)\n{")
	p.line(randomRegisters, words, longs, shorts, predicates)
	p.line(".shared .align 16 .b8 own[%d];\n.local .align 16 .b8 array[64];", 4*1024*4)
	p.line("ld.param.u64 %%in, [pin];\nld.param.u64 %%out, [pout];")
	p.line("mov.u32 %%a0, %%ctaid.x;\nmov.u32 %%a1, %%ntid.x;\nmov.u32 %%a2, %%tid.x;\nmad.lo.u32 %%a0, %%a0, %%a1, %%a2;")
	p.line("mad.wide.u32 %%out, %%a0, %d, %%out;", 4*outputWords)
	p.start("%a0")
	p.statements(p.budget)
	for i := range words {
		p.line("st.global.u32 [%%out+%d], %%r%d;", 4*i, i)
	}
	p.line("cvt.u32.u64 %%r0, %%l0;\nst.global.u32 [%%out+%d], %%r0;", 4*words)
	p.line("ret;\n}")
	return p.String()
}

// start gives the registers values that depend on x.
func (p *randomProgram) start(x string) {
	for i := range words {
		p.line("mad.lo.u32 %%r%d, %s, %d, %d;", i, x, p.rng.IntN(5), p.rng.IntN(100))
	}
	for i := range longs {
		p.line("cvt.u64.u32 %%l%d, %%r%d;", i, i)
	}
	for i := range shorts {
		p.line("cvt.u16.u32 %%h%d, %%r%d;", i, i)
	}
	for i := range predicates {
		p.line("setp.lt.u32 %%p%d, %%r%d, %d;", i, i, p.rng.IntN(200))
	}
}

// statements writes up to n statements.
func (p *randomProgram) statements(n int) {
	for range 1 + p.rng.IntN(max(n, 1)) {
		if p.budget--; p.budget < 0 {
			return
		}
		if p.depth < 3 && p.rng.IntN(5) == 0 {
			p.nested()
			continue
		}
		p.simple()
	}
}

func (p *randomProgram) label() string {
	p.labels++
	return fmt.Sprintf("L%d", p.labels)
}

// nested writes a branch or a loop around statements.
func (p *randomProgram) nested() {
	p.depth++
	defer func() { p.depth-- }()
	end := p.label()
	switch p.rng.IntN(5) {
	case 0:
		p.line("@%s bra %s;", p.guard(), end)
		p.statements(6)
	case 1:
		otherwise := p.label()
		p.line("@%s bra %s;", p.guard(), otherwise)
		p.statements(5)
		p.line("bra %s;\n%s:", end, otherwise)
		p.statements(5)
	case 2, 3: // a loop whose trips differ from lane to lane, with a way out of it
		head, counter := p.label(), fmt.Sprintf("%%n%d", p.labels%16)
		p.line("and.b32 %s, %s, %d;\n%s:", counter, p.word(), p.rng.IntN(8), head)
		p.statements(5)
		if p.rng.IntN(3) == 0 {
			p.line("@%s bra %s;", p.guard(), end)
		}
		if p.rng.IntN(4) == 0 {
			p.statements(2)
		}
		p.line("sub.s32 %s, %s, 1;\nsetp.ge.s32 %%q, %s, 0;\n@%%q bra %s;", counter, counter, counter, head)
	default:
		a, b, table := p.label(), p.label(), p.label()
		p.line("and.b32 %%a2, %s, 3;\n%s: .branchtargets %s, %s, %s, %s;\nbrx.idx %%a2, %s;\n%s:", p.word(), table, a, b, end, b, table, a)
		p.statements(4)
		p.line("bra %s;\n%s:", end, b)
		p.statements(4)
	}
	p.line("%s:", end)
}

func (p *randomProgram) guard() string { return p.pick("", "!") + p.predicate() }

// simple writes an instruction, perhaps guarded.
func (p *randomProgram) simple() {
	guard := ""
	if p.rng.IntN(4) == 0 {
		guard = "@" + p.guard() + " "
	}
	w, l, h := p.word, p.long, p.short
	switch p.rng.IntN(30) {
	default:
		p.line("%s%s.%s %s, %s, %s;", guard, p.pick("add", "sub", "mul.lo", "min", "max"), p.pick("u32", "s32"), w(), w(), p.operand())
	case 0:
		p.line("%s%s.b32 %s, %s, %s;", guard, p.pick("and", "or", "xor", "shl"), w(), w(), p.operand())
	case 1:
		p.line("%smad.lo.s32 %s, %s, %s, %s;", guard, w(), w(), p.operand(), w())
	case 2:
		p.line("%s%s.f32 %s, %s, %s;", guard, p.pick("add", "mul", "add.ftz", "mul.rz", "max", "sub.sat"), w(), w(), w())
	case 3:
		p.line("%sfma.%s.f32 %s, %s, %s, %s;", guard, p.pick("rn", "rn.ftz", "rm"), w(), w(), w(), w())
	case 4:
		p.line("%s%s.f32 %s, %s;", guard, p.pick("rcp.approx.ftz", "ex2.approx", "sqrt.rn", "neg", "sin.approx"), w(), w())
	case 5:
		p.line("%ssetp.%s.%s %s, %s, %s;", guard, p.pick("lt", "ge", "eq", "ne"), p.pick("u32", "s32"), p.predicate(), w(), p.operand())
	case 6:
		p.line("%ssetp.%s.%s.s32 %s|%s, %s, %s, %s;", guard, p.pick("lt", "gt"), p.pick("and", "or", "xor"), "%p0", "%p1", w(), w(), p.guard())
	case 7:
		p.line("%s%s.pred %s, %s, %s;", guard, p.pick("and", "or", "xor"), p.predicate(), p.predicate(), p.predicate())
	case 8:
		p.line("%sselp.b32 %s, %s, %s, %s;", guard, w(), w(), p.operand(), p.predicate())
	case 9:
		p.line("%s%s %s, %s;", guard, p.pick("cvt.u64.u32", "cvt.s64.s32"), l(), w())
	case 10:
		p.line("%scvt.u32.u64 %s, %s;", guard, w(), l())
	case 11:
		p.line("%s%s.u64 %s, %s, %s;", guard, p.pick("add", "mul.lo", "min"), l(), l(), l())
	case 12:
		p.line("%smad.wide.u32 %s, %s, %s, %s;", guard, l(), w(), w(), l())
	case 13:
		p.line("%s%s.s16 %s, %s, %s;", guard, p.pick("add", "mul.lo", "max"), h(), h(), h())
	case 14:
		p.line("%scvt.%s %s, %s;", guard, p.pick("u32.u16", "s32.s16"), w(), h())
	case 15:
		p.line("%smov.b64 {%s, %s}, %s;\n%smov.b64 %s, {%s, %s};", guard, "%r1", "%r2", l(), guard, l(), w(), w())
	case 16:
		p.line("%sadd.cc.u32 %s, %s, %s;\n%saddc.u32 %s, %s, %s;", guard, w(), w(), w(), guard, w(), w(), w())
	case 17, 18, 19:
		p.load(guard)
	case 20, 21:
		p.store(guard)
	case 22:
		p.shuffle()
	case 23:
		if !p.function {
			p.line("%scall (%s), f, (%s, %%in, %%out);", guard, w(), w())
		}
	case 24:
		if !p.function && p.depth == 0 {
			p.line("bar.sync 0;")
		}
	case 25:
		if p.depth > 0 && p.rng.IntN(6) == 0 {
			p.line("@%s exit;", p.guard())
		}
	}
}

// load reads words that nobody writes, or the thread's own.
func (p *randomProgram) load(guard string) {
	w := p.word
	index := fmt.Sprintf("and.b32 %%a1, %s, %d;\nmad.wide.u32 %%t0, %%a1, %d, %%in;", w(), inputWords/4-1, p.pickInt(1, 4, 16))
	switch p.rng.IntN(7) {
	case 0, 1:
		p.line("and.b32 %%a1, %s, %d;\nmad.wide.u32 %%t0, %%a1, 4, %%in;\n%sld.global.u32 %s, [%%t0+%d];", w(), inputWords/2-1, guard, w(), 4*p.rng.IntN(4))
	case 2: // the same or neighbouring words
		p.line("and.b32 %%a1, %%a0, 255;\nmad.wide.u32 %%t0, %%a1, %d, %%in;\n%sld.global.u32 %s, [%%t0];\n%sld.global.f32 %s, [%%t0+8];", p.pickInt(0, 4, 8), guard, w(), guard, w())
	case 3:
		p.line("and.b32 %%a1, %s, %d;\nmad.wide.u32 %%t0, %%a1, 16, %%in;\n%sld.global.v%d.u32 %s, [%%t0];", w(), inputWords/4-1, guard, 4, "{%r3, %r4, %r5, %r6}")
	case 4:
		p.line("and.b32 %%a1, %%a0, 127;\nmad.wide.u32 %%t0, %%a1, 8, %%in;\n%sld.global.v2.u32 {%%r7, %%r8}, [%%t0+16];", guard)
	case 5:
		p.line("%s\n%sld.global.%s %s, [%%t0];", index, guard, p.pick("u8", "s8"), w())
	default:
		p.line("%sld.global.u32 %s, [%%out+%d];", guard, w(), 4*p.rng.IntN(outputWords))
	}
}

func (p *randomProgram) pickInt(list ...int) int { return list[p.rng.IntN(len(list))] }

// store writes the thread's own words: in global, shared or local memory, and reads some back.
func (p *randomProgram) store(guard string) {
	w := p.word
	switch p.rng.IntN(5) {
	case 0:
		p.line("%sst.global.u32 [%%out+%d], %s;", guard, 4*p.rng.IntN(outputWords), w())
	case 1:
		p.line("%sst.global.v2.u32 [%%out+%d], {%s, %s};", guard, 8*p.rng.IntN(outputWords/2), w(), w())
	case 2:
		p.line("%sst.global.u16 [%%out+%d], %s;", guard, 2*p.rng.IntN(2*outputWords), p.short())
	case 3:
		if !p.function {
			p.line("mov.u32 %%a1, %%tid.x;\nmov.u32 %%a2, own;\nmad.lo.u32 %%a2, %%a1, 16, %%a2;\n%sst.shared.u32 [%%a2+4], %s;\n%sld.shared.v2.u32 {%%r1, %%r2}, [%%a2];",
				guard, w(), guard)
		}
	default:
		if !p.function {
			p.line("and.b32 %%a1, %s, 15;\nmov.u64 %%t1, array;\nmad.wide.u32 %%t1, %%a1, 4, %%t1;\n%sst.local.u32 [%%t1], %s;\nmov.u64 %%t2, array;\n%sld.local.u32 %s, [%%t2+%d];",
				w(), guard, w(), guard, w(), 4*p.rng.IntN(16))
		}
	}
}

// shuffle exchanges values among the lanes that are at the same place.
func (p *randomProgram) shuffle() {
	p.line("activemask.b32 %%a2;")
	switch p.rng.IntN(3) {
	case 0:
		p.line("shfl.sync.%s.b32 %s|%s, %s, %d, %d, %%a2;", p.pick("up", "down", "bfly", "idx"), p.word(), p.predicate(), p.word(), p.rng.IntN(32), p.pickInt(0, 31, 0x181f))
	case 1:
		p.line("vote.sync.ballot.b32 %s, %s, %%a2;", p.word(), p.guard())
	default:
		p.line("vote.sync.%s.pred %s, %s, %%a2;", p.pick("all", "any", "uni"), p.predicate(), p.guard())
	}
}
