package simd

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"silica/internal/isa"
)

// run is a straight line of steps that native code can do at once: it begins with a step that at first does nothing and, once the
// run has proven hot, is the native code. A second step goes on where native code had to ask Go.
type run struct {
	fn      *function
	code    *code
	first   int // step that is the native code
	end     int // step to go on at
	work    []work
	control uint64 // MXCSR at the start
	wide    []wideSite

	arrivals atomic.Int64
	mu       sync.Mutex
	tried    bool // to compile
}

// work is what native code does for a step.
type work struct {
	kind    workKind
	step    int
	kernel  kernel // computes
	dst     operand
	srcs    []operand
	control int    // combines: of predicates
	mode    string // exchanges: how lanes find each other
	call    int    // calls: its number; srcs and rows are what the step reads and writes
	imm     uint64 // setsControl
	counter int    // guards
	guarded bool
	number  int // in the run

	mem     *memoryOp // accesses
	store   bool
	rows    []operand
	pattern int
	lies    lies
	joint   bool // both halves together
	// reported tells that somebody listens to the access.
	reported bool
	// scattered tells that the addresses were seen to lie in no way that is known.
	scattered bool
	address   *address // what the address is made of, nil for what the base has

	live    map[int]bool // leaves: rows that are read where lanes go
	segment int
}

type workKind uint8

const (
	stepped     workKind = iota // is left to the step
	describes                   // finds patterns of addresses: native code has its own way
	computes                    // an elementwise kernel
	combines                    // predicates
	guards                      // finds the lanes of a guard
	setsControl                 // sets MXCSR
	accesses                    // loads or stores
	leaves                      // ends a segment of a flow
	// What native code of whole kernels does besides:
	assembles // waits for lanes of the warp, those that the source names or all: a segment begins with it
	exchanges // moves values between the lanes of a warp
	polls     // notes that lanes may be waiting
	calls     // runs the step for the warp
)

// lies tells how the addresses of an access are expected to lie, in each half of a warp.
type lies uint8

const (
	liesAnyhow lies = iota
	liesUniform
	liesContiguous
)

// native appends a step that native code can do, to the run of the steps before it.
func (b *builder) native(w work, s step, o op) *op {
	if !b.joins(w) {
		x := b.add(s, o)
		if w.kind != stepped {
			w.step, w.guarded = x.index, b.guarded
			b.loose[x.index] = w
		}
		return x
	}
	if b.run == nil {
		b.run = &run{fn: b.function, code: b.code, first: len(b.steps), control: b.control}
		if w.kind == setsControl {
			b.run.control = b.before
		}
		b.append(step{code: b.unit.controls[controlNative]}, op{run: runNative, native: b.run})
		b.append(step{code: b.unit.controls[controlResume]}, op{run: runNative, native: b.run})
	}
	w.step, w.guarded, w.number = len(b.steps), b.guarded, len(b.run.work)
	b.flow = append(b.flow, flowWork{b.run, w.number})
	b.run.work = append(b.run.work, w)
	return b.append(s, o)
}

// joins tells whether native code can do something.
func (b *builder) joins(w work) bool {
	if !b.compiles {
		return false
	}
	switch w.kind {
	case stepped, assembles, exchanges:
		return false
	case computes:
		return w.kernel.body != ""
	case combines:
		return w.control < controlVoteAll
	case accesses:
		return w.mem != nil && (w.mem.count == 1 || w.mem.isWide()) && len(w.rows) == w.mem.count && (b.inst.Op == isa.OpLoad || b.inst.Op == isa.OpStore)
	}
	return true
}

// endRun ends the run of native steps: the next step is none. What the run finds out of addresses is its own.
func (b *builder) endRun() {
	if b.run == nil {
		return
	}
	b.run.end = len(b.steps)
	if b.run.length() >= b.unit.shortestRun() {
		b.runs = append(b.runs, b.run)
	}
	b.run = nil
	clear(b.shared.known)
	clear(b.shared.inside)
}

// length returns the number of instructions of the run, about.
func (r *run) length() int {
	n := 0
	for _, w := range r.work {
		if w.kind != describes && w.kind != setsControl {
			n++
		}
	}
	return n
}

// shortestRun is the number of instructions from which on native code pays.
func (u *vectorUnit) shortestRun() int {
	if u.eager {
		return 1
	}
	return 3
}

const (
	// hotInstructions is how many warp instructions a program runs before its runs are looked at, for each of its steps as well.
	hotInstructions, hotStep = 1 << 18, 1 << 8
	// hotArrivals is how often a hot program then comes to a run before native code is made of it.
	hotArrivals = 8
)

// heat notes that the program has run instructions, and has its runs come to Go once there were many.
func (p *program) heat(instructions uint64) {
	if p.threshold == 0 || p.hot.Load() {
		return
	}
	if p.executed.Add(instructions) < p.threshold || p.hot.Swap(true) {
		return
	}
	p.watchRuns()
}

// expectHeat sets the threshold.
func (p *program) expectHeat() {
	runs := 0
	for _, fn := range p.funcs {
		runs += len(fn.plain.runs)
		p.threshold += uint64(len(fn.plain.steps)) * hotStep
	}
	p.threshold += hotInstructions
	if runs == 0 {
		p.threshold = 0
	}
	if p.unit.eager {
		p.threshold = 0
		p.watchRuns()
	}
}

// watchRuns has the runs come to Go.
func (p *program) watchRuns() {
	for _, fn := range p.funcs {
		for _, r := range fn.plain.runs {
			r.setCode(p.unit.controls[controlExit])
		}
	}
}

// setCode sets the machine code of the run, which other workers may be about to jump to.
func (r *run) setCode(code uintptr) { atomic.StoreUintptr(&r.code.steps[r.first].code, code) }

// runNative is called when native code needs Go, or when a hot run has none yet.
func runNative(g *gang, f *fragment, o *op) int {
	r := o.native
	s := g.worker.suspension
	if s.suspended != 0 {
		s.suspended = 0
		if !g.serve(r, s) {
			return stop
		}
		return r.first + 1
	}
	if r.compiled(g) { // the journal was full
		return r.first
	}
	if g.program.unit.eager {
		if r.compile(g) {
			return r.first
		}
		return r.first + 2
	}
	if r.arrivals.Add(1) < hotArrivals {
		return r.first + 2
	}
	next := r.watch(g, f)
	if next == r.end {
		r.compile(g)
	}
	return next
}

// watch runs the steps of the run one by one through a copy that ends with Go, and returns the step to go on at.
func (r *run) watch(g *gang, f *fragment) int {
	first := r.first + 2
	steps := append([]step(nil), r.code.steps[first:r.end]...)
	steps = append(steps, step{code: g.program.unit.controls[controlExit]})
	start, end := uintptr(unsafe.Pointer(&r.code.steps[first])), uintptr(unsafe.Pointer(&r.code.steps[first]))+uintptr(r.end-first)*unsafe.Sizeof(step{})
	base := uintptr(unsafe.Pointer(&steps[0]))
	for i := range steps {
		if t := steps[i].target; t != 0 { // behind the run where its last guard is that of a step that native code can not do
			steps[i].target = base + min(t, end) - start
		}
	}
	m := &g.machine
	for at := first; at < r.end; {
		s := &steps[at-first]
		m.stopped = uintptr(unsafe.Pointer(s))
		enter(m, s)
		at = first + int(m.stopped-base)/int(unsafe.Sizeof(step{}))
		if at >= r.end {
			break
		}
		g.at = at
		o := &r.code.ops[at]
		at = o.run(g, f, o)
		m.warp, m.rest = 0, 0
		if at == stop || at < first || at > r.end {
			return at
		}
	}
	return r.end
}

// expect notes how the accesses of the run are expected to lie: as those of the gang that has just run it did.
func (r *run) expect(g *gang) {
	for i := range r.work {
		w := &r.work[i]
		if w.kind != accesses {
			continue
		}
		// Where they do not lie alike now they may later, which costs little to see.
		w.lies = liesContiguous
		votes, scattered := [3]int{liesContiguous: 1}, 0
		w.joint = true
		for warp := range g.warps {
			if g.machine.masks[warp] == 0 {
				continue
			}
			kind := g.patterns[w.pattern][warp].kind
			w.joint = w.joint && kind < halves
			switch kind {
			case uniform, halves:
				votes[liesUniform]++
			case contiguous, halves + 3:
				votes[liesContiguous]++
			default:
				scattered++
			}
		}
		w.scattered = scattered > votes[liesUniform] && scattered >= votes[liesContiguous]
		for l, n := range votes {
			if n > votes[w.lies] {
				w.lies = lies(l)
			}
		}
	}
}

// compiled tells whether the run has native code.
func (r *run) compiled(g *gang) bool {
	code, c := atomic.LoadUintptr(&r.code.steps[r.first].code), g.program.unit.controls
	return code != c[controlNative] && code != c[controlExit]
}

// compile makes native code of the run, once; false when there is none.
func (r *run) compile(g *gang) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tried {
		return r.compiled(g)
	}
	r.tried = true
	if g.program.unit.eager {
		for i := range r.work {
			r.work[i].lies, r.work[i].joint = lies(i*7%3), i%2 == 0
		}
	} else {
		r.expect(g)
	}
	r.setCode(g.program.unit.controls[controlNative])
	text, err := newCompiler(g.program, r).compile()
	if err != nil {
		return false
	}
	at, err := g.program.text.add(text)
	if err != nil {
		return false
	}
	r.setCode(at)
	return true
}
