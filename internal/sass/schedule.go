package sass

import (
	"slices"

	"silica/internal/isa"
)

// steps are the numbers of registers at which one more block or warp fits on a multiprocessor: ptxas spends registers up to one of them
// to hide latency, and goes to the next only when it must. An architecture's begin with those that let all warps be resident.
var steps = []int{32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255}

// reserved is what ptxas adds to the registers that instructions name.
const reserved = 2

// slacks are how much lower than the limit the scheduler tries to stay, for what allocation loses to alignment.
var slacks = []int{0, 1, 2, 4, 6, 8, 12, 16, 20, 24}

// hopeless is by how much a limit is missed when a little slack is of no use.
const hopeless = 16

// freely stands for no limit of registers.
const freely = 1 << 10

// assign orders the instructions of every block and numbers the registers; it returns how many a thread gets. limit is the
// most that a launch allows.
func (fn *Func) assign(limit int, level []int) int {
	o := newOrderer(fn, level)
	free := o.try(freely, freely+reserved)
	if free <= min(fn.steps[0], limit) {
		return free
	}
	quick := o.cycles
	least := o.try(0, limit)
	chosen := attempt{0, least, o.cycles}
	for _, step := range fn.steps {
		step = min(step, limit)
		if free <= step {
			return o.try(freely, step)
		}
		if least > step {
			if n := o.fewer(step); n <= step {
				least = n
				chosen = attempt{0, n, o.cycles}
			}
		}
		if least > step+hopeless {
			continue
		}
		for _, slack := range slacks {
			n := o.try(step-reserved-slack, step)
			if n <= step && (step <= fn.steps[0] || o.cycles <= patience*quick) {
				return n
			}
			if found := (attempt{step - reserved - slack, n, o.cycles}); found.better(chosen, limit) {
				chosen = found
			}
			if slack >= max(16, step/8) {
				break
			}
		}
	}
	return o.try(chosen.limit, chosen.registers)
}

// orderer orders and numbers a function under limits.
type orderer struct {
	fn     *Func
	level  []int
	p      *pressure
	blocks [][]*scheduler
	cycles float64 // that the last order takes, about
}

func newOrderer(fn *Func, level []int) *orderer {
	o := &orderer{fn: fn, level: level}
	o.prepare()
	return o
}

// prepare looks at the code as it is.
func (o *orderer) prepare() {
	o.p = o.fn.live(Register)
	o.blocks = newSchedulers(o.p)
}

// try orders the instructions so that at most limit registers are live, if it can, and numbers them for a step.
func (o *orderer) try(limit, step int) int {
	o.cycles = 0
	for i, b := range o.fn.Blocks {
		b.Code = b.Code[:0:0]
		for _, s := range o.blocks[i] {
			b.Code = append(b.Code, s.order(limit)...)
			o.cycles += float64(s.cycles) * weight(o.level[i])
		}
	}
	o.fn.registers = o.fn.allocate(o.p, step-reserved)
	return o.fn.registers.size + reserved
}

// fewer makes values anew for a step that is not reached otherwise; where it is not reached so either, the code stays as it is.
func (o *orderer) fewer(step int) int {
	before := o.fn.snapshot()
	o.try(0, step)
	if o.fn.rematerialise(step-reserved-1, o.level) {
		o.prepare()
		if n := o.try(0, step); n <= step {
			return n
		}
	}
	for i, b := range o.fn.Blocks {
		b.Code = before[i]
	}
	o.prepare()
	return freely
}

// snapshot copies the code.
func (fn *Func) snapshot() [][]*Inst {
	out := make([][]*Inst, len(fn.Blocks))
	for i, b := range fn.Blocks {
		for _, in := range b.Code {
			c := *in
			c.Src, c.Dst = slices.Clone(in.Src), slices.Clone(in.Dst)
			out[i] = append(out[i], &c)
		}
	}
	return out
}

// patience is how much longer a warp may take with fewer registers than it likes, past the first step.
const patience = 2.3

// attempt is how the instructions lie when at most limit registers may be taken: how many are, and for how many cycles a warp runs.
type attempt struct {
	limit, registers int
	time             float64
}

// better tells whether an attempt is better than another: it can be launched, or a warp is through earlier.
func (a attempt) better(than attempt, limit int) bool {
	if a.registers > limit || than.registers > limit {
		return a.registers < than.registers
	}
	return a.time < than.time
}

// weight is how often a block is run, about, that so many loops are around.
func weight(level int) float64 {
	w := 1.0
	for ; level > 0; level-- {
		w *= 10
	}
	return w
}

// node is an instruction with what has to come before it.
type node struct {
	inst   *Inst
	next   []edge
	before int  // predecessors
	height int  // cycles from here to the end of the block
	place  int  // in the order that keeps few registers alive
	late   bool // reads no register: it is made where it is wanted
	reads  []use
	writes []use

	waits int // predecessors that are not placed
	lazy  int // of these, those that read no register
	start int // the earliest cycle
}

// use is a web of general registers that an instruction names so often.
type use struct{ web, count int }

// usesOf counts how often each web is named.
func usesOf(list []int) []use {
	var out []use
next:
	for _, web := range list {
		for i := range out {
			if out[i].web == web {
				out[i].count++
				continue next
			}
		}
		out = append(out, use{web, 1})
	}
	return out
}

type edge struct {
	to      *node
	latency int
}

// scheduler orders one block: the instruction that the longest chain waits for first, as long as registers last.
type scheduler struct {
	*pressure
	code        []*Inst
	first, last int // what lies between is ordered
	nodes       []*node
	before      set // live at the beginning
	after       set // live at the end

	limit  int
	uses   []int // of each web, in what is not placed; all schedulers of a function share it
	live   set
	taken  int
	length int // of the longest chain, in cycles
	// cycles is how long a warp takes for the block when nothing is in its way.
	cycles int
}

// window is how many instructions are ordered together: longer blocks are ordered piece by piece, so that the time for a function grows with its
// length and not with the square of it.
const window = 2000

// newSchedulers prepares all blocks, each in its pieces.
func newSchedulers(p *pressure) [][]*scheduler {
	out := make([][]*scheduler, len(p.fn.Blocks))
	uses := make([]int, len(p.webs))
	for i, b := range p.fn.Blocks {
		if len(b.Code) > window {
			b.Code = newScheduler(&scheduler{pressure: p, code: b.Code, before: p.in[i], after: p.out[i], uses: uses}).compacted()
		}
		pieces := slices.Collect(slices.Chunk(b.Code, window))
		if len(pieces) == 0 {
			pieces = [][]*Inst{nil}
		}
		out[i] = make([]*scheduler, len(pieces))
		after := p.out[i]
		for j := len(pieces) - 1; j >= 0; j-- {
			before := p.in[i]
			if j > 0 {
				before = slices.Clone(after)
				for _, in := range slices.Backward(pieces[j]) {
					p.back(before, in)
				}
			}
			out[i][j] = newScheduler(&scheduler{pressure: p, code: pieces[j], before: before, after: after, uses: uses})
			after = before
		}
	}
	return out
}

// newScheduler prepares a piece of a block. What begins and ends it stays there.
func newScheduler(s *scheduler) *scheduler {
	code := s.code
	s.last = len(code)
	for s.first < s.last && code[s.first].Op.Name == "BSYNC" {
		s.first++
	}
	for s.last > s.first && pinned(code[s.last-1]) {
		s.last--
	}
	if s.last-s.first >= 2 {
		s.nodes = s.graph(code[s.first:s.last])
		s.compact()
	}
	for _, n := range s.nodes {
		s.length = max(s.length, n.height)
	}
	return s
}

// compact finds the order in which few registers are live, from the end: what frees more than it wants comes last. Where the program has a better
// one, it stays.
func (s *scheduler) compact() {
	c := newCompaction(s)
	order := make([]*node, len(s.nodes))
	for left := len(s.nodes) - 1; left >= 0; left-- {
		n := c.next()
		order[left] = n
		c.place(n)
	}
	if s.peak(order) < s.peak(s.nodes) {
		for i, n := range order {
			n.place = i
		}
	}
}

// compacted is the code in the order that compact found.
func (s *scheduler) compacted() []*Inst {
	out := slices.Clone(s.code)
	for _, n := range s.nodes {
		out[s.first+n.place] = n.inst
	}
	return out
}

// peak is how many registers are live at a time in an order.
func (s *scheduler) peak(order []*node) (most int) {
	s.begin(s.code[s.first:])
	for _, n := range order {
		s.issue(n)
		most = max(most, s.taken)
	}
	return most
}

// order returns the code in a new order, under a limit of registers.
func (s *scheduler) order(limit int) []*Inst {
	if s.nodes == nil {
		return s.code
	}
	s.limit = limit
	s.begin(s.code[s.first:])
	out := append([]*Inst(nil), s.code[:s.first]...)
	out = append(out, s.list()...)
	return append(out, s.code[s.last:]...)
}

// pinned tells whether an instruction stays at the end of its block.
func pinned(in *Inst) bool {
	switch in.Op.Name {
	case "BRA", "EXIT", "RET", "BRX", "BSSY", "CALL":
		return true
	}
	return false
}

// latencyOf is after how many cycles a result can be read, about.
func latencyOf(op *Opcode) int {
	if op.Latency > 0 {
		return op.Latency
	}
	switch op.Name {
	case "LDG", "LD", "ATOMG", "ATOM", "TEX":
		return 300
	case "LDL":
		return 100
	case "LDC", "ULDC":
		return 30
	}
	switch op.Pipe {
	case isa.LSU:
		return 30
	case isa.XU:
		return 20
	case isa.Tensor:
		return 33
	}
	return 10
}

// touches is how an instruction meets memory: 0 not, 1 reads, 2 writes, 3 keeps others from passing.
func touches(in *Inst) (kind int, name string) {
	switch in.Op.Name {
	case "LDG", "LDS", "LDL", "LD":
		return 1, in.Op.Name[2:]
	case "STG", "STS", "STL", "ST":
		return 2, in.Op.Name[2:]
	case "LDC", "ULDC", "SHFL":
		return 0, ""
	}
	switch in.Op.Pipe {
	case isa.LSU, isa.ADU, isa.TMA, isa.CBU:
		return 3, ""
	}
	switch in.Op.Name {
	case "WARPGROUP", "HGMMA", "IGMMA", "BGMMA", "QGMMA":
		return 3, ""
	}
	return 0, ""
}

// regs lists all registers that operands name, of any kind: predicates apart from others.
func (fn *Func) regs(list []Operand, f func(web int)) {
	for _, o := range list {
		switch {
		case o.Kind == NoOperand || o.Kind == Immediate || o.Kind == ConstantBank || o.Kind == SpecialRegister:
			continue
		case o.Reg >= 0:
			f(fn.webs.find(o.Reg))
		}
		if o.Uniform > 0 {
			f(fn.webs.find(o.Uniform))
		}
	}
}

// graph finds what depends on what.
func (s *scheduler) graph(code []*Inst) []*node {
	nodes := make([]*node, len(code))
	writer := map[int]*node{}
	readers := map[int][]*node{}
	var fence *node
	var fences []*node // those of the memory and tensor pipes, and barriers
	var order memoryOrder
	fromLoad := map[*node]bool{} // waits for a load of the block
	var decided []*node          // accesses under predicates that do
	link := func(a, b *node, latency int) {
		if a != nil && a != b {
			a.next = append(a.next, edge{b, latency})
			b.before++
		}
	}
	for i, in := range code {
		n := &node{inst: in, place: i, reads: usesOf(s.named[in].reads), writes: usesOf(s.named[in].writes)}
		n.late = len(n.reads) == 0 && len(n.writes) > 0 && in.Guard.Kind == NoOperand
		nodes[i] = n
		read := func(r int) {
			if w := writer[r]; w != nil {
				link(w, n, latencyOf(w.inst.Op))
				kind, _ := touches(w.inst)
				fromLoad[n] = fromLoad[n] || fromLoad[w] || kind == 1
			}
			readers[r] = append(readers[r], n)
		}
		s.fn.regs(in.Src, read)
		s.fn.regs([]Operand{in.Guard}, read)
		s.fn.regs(in.Dst, func(r int) {
			if in.Guard.Kind != NoOperand || writer[r] != nil {
				link(writer[r], n, 1)
			}
			for _, m := range readers[r] {
				link(m, n, 0)
			}
			writer[r], readers[r] = n, nil
		})
		kind, name := touches(in)
		if kind == 0 {
			if len(fences) > 1 { // it rises over one
				link(fences[len(fences)-2], n, 0)
			}
			continue
		}
		link(fence, n, 1)
		if len(decided) > 1 { // what was a branch is risen over once, as a barrier
			link(decided[len(decided)-2], n, 0)
		}
		if in.Guard.Kind != NoOperand {
			if by := writer[s.fn.webs.find(in.Guard.Reg)]; by != nil && fromLoad[by] {
				decided = append(decided, n)
			}
		}
		order.after(kind, name, func(a *node) { link(a, n, 1) })
		if kind == 3 {
			fence, order = n, memoryOrder{}
			if in.Op.Pipe != isa.CBU {
				fences = append(fences, n)
			}
			continue
		}
		order.add(kind, name, n)
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		for _, e := range nodes[i].next {
			nodes[i].height = max(nodes[i].height, e.to.height+max(e.latency, 1))
		}
	}
	return nodes
}

// memoryOrder is what accesses have to come after that follow in a block: in each window of memory the last store, and the loads since, which
// came after that store themselves. A generic access is in all windows.
type memoryOrder [3]struct {
	store *node
	loads []*node
}

// windows are those that an access of a name is in.
func windows(name string) (first, last int) {
	switch name {
	case "G":
		return 0, 0
	case "S":
		return 1, 1
	case "L":
		return 2, 2
	}
	return 0, 2
}

// after lists what an access comes after.
func (m *memoryOrder) after(kind int, name string, visit func(a *node)) {
	first, last := windows(name)
	if kind == 3 {
		first, last = 0, len(m)-1
	}
	for i := first; i <= last; i++ {
		if m[i].store != nil && (i == first || m[i].store != m[i-1].store) {
			visit(m[i].store)
		}
		if kind > 1 {
			for _, a := range m[i].loads {
				visit(a)
			}
		}
	}
}

// add adds an access.
func (m *memoryOrder) add(kind int, name string, n *node) {
	first, last := windows(name)
	for i := first; i <= last; i++ {
		if kind == 1 {
			m[i].loads = append(m[i].loads, n)
		} else {
			m[i].store, m[i].loads = n, nil
		}
	}
}

// begin counts the uses of registers in the rest of the block.
func (s *scheduler) begin(code []*Inst) {
	for _, c := range code {
		n := s.named[c]
		for _, list := range [][]int{n.reads, n.writes} {
			for _, r := range list {
				s.uses[r] = 0
			}
		}
	}
	for _, c := range code {
		for _, r := range s.named[c].reads {
			s.uses[r]++
		}
	}
	s.live, s.taken = append(s.live[:0], s.before...), 0
	s.live.each(func(r int) { s.taken += s.words[r] })
	for _, n := range s.nodes {
		n.waits, n.lazy, n.start = n.before, 0, 0
	}
	for _, n := range s.nodes {
		if n.late {
			for _, e := range n.next {
				e.to.lazy++
			}
		}
	}
}

// cost is by how many registers an instruction changes what is live.
func (s *scheduler) cost(n *node) int {
	c := 0
	for _, u := range n.writes {
		if !s.live.has(u.web) {
			c += s.words[u.web]
		}
	}
	for _, u := range n.reads {
		if s.uses[u.web] == u.count && !s.after.has(u.web) && s.live.has(u.web) {
			c -= s.words[u.web]
		}
	}
	return c
}

// issue takes an instruction: its sources may end, its results begin.
func (s *scheduler) issue(n *node) {
	for _, u := range n.reads {
		s.uses[u.web] -= u.count
		if s.uses[u.web] == 0 && s.live.has(u.web) && !s.after.has(u.web) {
			s.live.remove(u.web)
			s.taken -= s.words[u.web]
		}
	}
	for _, u := range n.writes {
		if !s.live.has(u.web) && (s.uses[u.web] > 0 || s.after.has(u.web)) {
			s.live.add(u.web)
			s.taken += s.words[u.web]
		}
	}
}

// list places the instructions.
func (s *scheduler) list() []*Inst {
	var out []*Inst
	var ready []*node
	for _, n := range s.nodes {
		if n.before == 0 {
			ready = append(ready, n)
		}
	}
	cycle := 0
	for ; len(ready) > 0; cycle++ {
		at := s.choose(ready, cycle)
		n := ready[at]
		ready = append(ready[:at], ready[at+1:]...)
		cycle = max(cycle, n.start)
		s.issue(n)
		out = append(out, n.inst)
		for _, e := range n.next {
			e.to.start = max(e.to.start, cycle+e.latency)
			if n.late {
				e.to.lazy--
			}
			if e.to.waits--; e.to.waits == 0 {
				ready = append(ready, e.to)
			}
		}
	}
	s.cycles = cycle
	return out
}

// never is later than all cycles.
const never = 1 << 30

// wanted is from which cycle on an instruction is worth its place. What reads no register waits until only such are missing to what reads
// it, and for half of the time that the block leaves it.
func (s *scheduler) wanted(n *node) int {
	if !n.late {
		return n.start
	}
	at := n.start
	if len(n.next) > 0 {
		at = never
	}
	for _, e := range n.next {
		if e.to.waits == e.to.lazy {
			at = min(at, max(n.start, e.to.start-e.latency))
		}
	}
	return max(at, (s.length-n.height)/2)
}

// choose picks the next of the ready instructions.
func (s *scheduler) choose(ready []*node, cycle int) int {
	best := -1
	var bestKey [4]int
	for i, n := range ready {
		start := s.wanted(n)
		if start == never {
			continue
		}
		cost := s.cost(n)
		over := max(0, s.taken+cost-s.limit)
		if cost <= 0 {
			over = 0
		}
		wait := max(0, start-cycle)
		key := [4]int{over, wait, -n.height, n.place}
		if over > 0 { // the order of the program keeps little alive
			key = [4]int{1, n.place, 0, 0}
		}
		if best < 0 || less(key, bestKey) {
			best, bestKey = i, key
		}
	}
	return best
}

func less(a, b [4]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}
