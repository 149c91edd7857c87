package sass

import (
	"container/heap"
	"slices"
	"sort"
)

// allocator gives webs of general registers their numbers: those of a pair even, those of four a multiple of four; wide ones
// first, then in the order of the code, always the lowest that is free.
type allocator struct {
	*pressure
	meets [][]int // the webs that are live when each is, or the other way round
	order []int
	// slow are the webs that an instruction of no fixed latency still read shortly before a web is written: a register taken over
	// from one would have to wait.
	slow  [][]int
	at    []int   // -1 for none
	group [][]int // the webs that lie side by side with a web, itself among them
	// beside are the webs that instructions read together with a web, and heirs those that an instruction writes which reads
	// a web, and the other way round.
	beside, heirs [][]int
	classes       webs // of heirs
	wishes        [][]int
	inBank        map[int][2]int
	most          int   // registers that are live at a time
	busy          []set // registers taken, for each of the webs that are placed
}

// numbers are the registers of the webs of one kind, by the register that stands for each, and how many there are.
type numbers struct {
	at   map[int]int
	size int
}

// coloring is what registers webs have.
type coloring struct {
	at   []int
	size int
}

// allocate numbers the registers of a kind, with at most limit of them if it can.
func (fn *Func) allocate(p *pressure, limit int) numbers {
	n := len(p.webs)
	a := allocator{pressure: p, meets: make([][]int, n), slow: make([][]int, n), group: make([][]int, n), beside: make([][]int, n),
		heirs: make([][]int, n), wishes: make([][]int, n), classes: *newWebs()}
	best := a.best(limit)
	out := numbers{make(map[int]int, n), best.size}
	for r, at := range best.at {
		if at >= 0 {
			out.at[p.webs[r]] = at
		}
	}
	return out
}

// best numbers the webs in several orders until there are no more than limit registers.
func (a *allocator) best(limit int) coloring {
	a.interference()
	a.groups()
	a.company()
	size := func(r int) int { return a.words[r] * max(1, len(a.group[r])) }
	plain := slices.Clone(a.order)
	sort.SliceStable(a.order, func(i, j int) bool { return size(a.order[i]) > size(a.order[j]) })
	best := a.color(a.order)
	if best.size <= limit || best.size > limit+2*hopeless {
		return best
	}
	other := a.leastLast(size)
	try := func(order []int) {
		if n := a.color(order); n.size < best.size {
			best = n
		}
	}
	try(other)
	if best.size > limit {
		a.slow = nil
		try(a.order)
		try(other)
		if best.size > limit {
			try(plain)
		}
	}
	return best
}

// color numbers webs in an order.
func (a *allocator) color(order []int) coloring {
	a.at, a.inBank = make([]int, len(a.webs)), map[int][2]int{}
	most := firstFree[a.kind]
	for i, web := range a.webs {
		a.at[i] = -1
		if n, ok := fixedNumber(web); ok {
			a.at[i], most = n, max(most, n+1)
		}
	}
	for _, r := range order {
		if at, ok := a.wish(r); ok {
			a.settle(r, at)
			most = max(most, at+a.words[r])
		}
	}
	for _, r := range order {
		if a.at[r] >= 0 {
			continue
		}
		list := a.group[r]
		if list == nil {
			list = []int{r}
		}
		most = max(most, a.place(list))
	}
	return coloring{a.at, most}
}

// leastLast orders the webs of each width so that those that the fewest registers meet come last, by Chaitin et al., "Register allocation
// via coloring" (1981).
func (a *allocator) leastLast(size func(web int) int) []int {
	queue := fewest{size: make([]int, len(a.webs)), degree: make([]int, len(a.webs)), place: make([]int, len(a.webs))}
	for i, r := range a.order {
		queue.size[r] = size(r)
		for _, o := range a.meets[r] {
			queue.degree[r] += a.words[o]
		}
		queue.webs = append(queue.webs, r)
		queue.place[r] = i
	}
	heap.Init(&queue)
	order := make([]int, len(a.order))
	for n := len(order) - 1; n >= 0; n-- {
		r := heap.Pop(&queue).(int)
		order[n] = r
		for _, o := range a.meets[r] {
			queue.degree[o] -= a.words[r]
			if at := queue.place[o]; at >= 0 {
				heap.Fix(&queue, at)
			}
		}
	}
	return order
}

// fewest is a heap of webs: the smallest first, of these those that meet the fewest registers.
type fewest struct {
	webs         []int
	size, degree []int // of each web
	place        []int // of each web in the heap, -1 when it has left
}

func (f *fewest) Len() int { return len(f.webs) }

func (f *fewest) Less(i, j int) bool {
	x, y := f.webs[i], f.webs[j]
	if f.size[x] != f.size[y] {
		return f.size[x] < f.size[y]
	}
	if f.degree[x] != f.degree[y] {
		return f.degree[x] < f.degree[y]
	}
	return x < y
}

func (f *fewest) Swap(i, j int) {
	f.webs[i], f.webs[j] = f.webs[j], f.webs[i]
	f.place[f.webs[i]], f.place[f.webs[j]] = i, j
}

func (f *fewest) Push(x any) { f.webs = append(f.webs, x.(int)) }

func (f *fewest) Pop() any {
	last := len(f.webs) - 1
	r := f.webs[last]
	f.webs, f.place[r] = f.webs[:last], -1
	return r
}

// firstFree is how many registers of a kind are taken at least: R1 is the stack pointer.
var firstFree = map[OperandKind]int{Register: 2}

// interference finds which webs are live when another is written.
func (a *allocator) interference() {
	seen, live := newSet(len(a.webs)), newCrowd(a.words)
	note := func(list []int) {
		for _, r := range list {
			if !seen.has(r) {
				seen.add(r)
				a.order = append(a.order, r)
			}
		}
	}
	for i, b := range a.fn.Blocks {
		for _, in := range b.Code {
			note(a.named[in].writes)
			note(a.named[in].reads)
		}
		a.hazards(b.Code)
		live.clear()
		a.out[i].each(live.add)
		for _, in := range slices.Backward(b.Code) {
			n := a.named[in]
			for i, r := range n.writes {
				for _, o := range live.list {
					a.meet(r, o)
				}
				for _, o := range n.writes[:i] {
					a.meet(r, o)
				}
			}
			for _, r := range n.writes {
				if in.keeps {
					live.add(r)
				} else {
					live.remove(r)
				}
			}
			for _, r := range n.reads {
				live.add(r)
			}
			a.most = max(a.most, live.taken)
		}
	}
	for r := range a.meets {
		slices.Sort(a.meets[r])
		a.meets[r] = slices.Compact(a.meets[r])
	}
}

// crowd is a set of webs of which the members are listed, and how many registers they take.
type crowd struct {
	words []int
	list  []int
	place []int // of each member in list, plus one; 0 for others
	taken int
}

func newCrowd(words []int) *crowd { return &crowd{words: words, place: make([]int, len(words))} }

func (c *crowd) add(r int) {
	if c.place[r] == 0 {
		c.list = append(c.list, r)
		c.place[r] = len(c.list)
		c.taken += c.words[r]
	}
}

func (c *crowd) remove(r int) {
	at := c.place[r]
	if at == 0 {
		return
	}
	last := c.list[len(c.list)-1]
	c.list[at-1], c.place[last] = last, at
	c.list, c.place[r] = c.list[:len(c.list)-1], 0
	c.taken -= c.words[r]
}

func (c *crowd) clear() {
	for _, r := range c.list {
		c.place[r] = 0
	}
	c.list, c.taken = c.list[:0], 0
}

// How far back a reader makes a hazard, in instructions, and how many registers more than are live are spent to avoid them.
const (
	hazardReach = 8
	hazardSpare = 6
)

// roomy is up to which register hazards are avoided: as long as warps fill the multiprocessor.
func (a *allocator) roomy() int { return min(a.most+hazardSpare, a.fn.steps[0]-reserved) }

// hazards finds what was read shortly before something is written.
func (a *allocator) hazards(code []*Inst) {
	for i, in := range code {
		for _, r := range a.named[in].writes {
			for j := max(0, i-hazardReach); j < i; j++ {
				if code[j].Op.Latency == 0 {
					a.slow[r] = append(a.slow[r], a.named[code[j]].reads...)
				}
			}
		}
	}
}

func (a *allocator) meet(r, o int) {
	if r != o {
		a.meets[r] = append(a.meets[r], o)
		a.meets[o] = append(a.meets[o], r)
	}
}

// meeting tells whether two webs are live together.
func (a *allocator) meeting(r, o int) bool {
	if len(a.meets[o]) < len(a.meets[r]) {
		r, o = o, r
	}
	_, found := slices.BinarySearch(a.meets[r], o)
	return found
}

// groups finds the elements of vector accesses, and of pairs of constants.
func (a *allocator) groups() {
	add := func(list []int) {
		for i, r := range list {
			if a.group[r] != nil || a.words[r] != a.words[list[0]] {
				return
			}
			for _, o := range list[:i] {
				if o == r {
					return
				}
			}
		}
		for _, r := range list {
			a.group[r] = list
		}
	}
	for _, b := range a.fn.Blocks {
		for _, in := range b.Code {
			if kind, _ := touches(in); kind != 1 && kind != 2 && in.Op.Name != "ULDC" {
				continue
			}
			list := a.named[in].writes
			if len(list) == 0 && len(in.Src) > 1 {
				list = a.named[in].reads
				if o := in.Src[0]; len(list) > 0 && a.kind == Register && o.Reg >= 0 {
					list = list[1:] // the address
				}
			}
			if len(list) == 2 || len(list) == 4 {
				add(list)
			}
		}
	}
}

// company finds what is read together, which wants to lie in different banks, and what is written where something is read for
// the last time, which wants its register.
func (a *allocator) company() {
	for _, b := range a.fn.Blocks {
		for _, in := range b.Code {
			n := a.named[in]
			a.wishFor(in, n)
			for i, r := range n.reads {
				for j, o := range n.reads {
					if i != j && r != o {
						a.beside[r] = append(a.beside[r], o)
					}
				}
			}
			for _, d := range n.writes {
				for _, r := range n.reads {
					if r != d && a.words[r] == a.words[d] && !a.meeting(r, d) {
						a.heirs[d] = append(a.heirs[d], r)
						a.heirs[r] = append(a.heirs[r], d)
						a.classes.union(r, d)
					}
				}
			}
		}
	}
}

// wish is where a web lies best: in a register that is handed over in a call, as a move from or to it is then none. ok is false when there is none, or
// something else is there.
func (a *allocator) wish(r int) (at int, ok bool) {
	if len(a.wishes[r]) == 0 || a.at[r] >= 0 || a.group[r] != nil {
		return 0, false
	}
next:
	for _, at := range a.wishes[r] {
		if at < 0 || a.words[r] > 1 && at%2 != 0 {
			continue
		}
		for _, o := range a.meets[r] {
			if p := a.at[o]; p >= 0 && p < at+a.words[r] && at < p+a.words[o] {
				continue next
			}
		}
		return at, true
	}
	return 0, false
}

// wishFor notes moves from and to registers that are handed over.
func (a *allocator) wishFor(in *Inst, n names) {
	if in.Op.Name != "MOV" || len(n.reads) != 1 || len(n.writes) != 1 {
		return
	}
	x, y := n.writes[0], n.reads[0]
	if at, ok := fixedNumber(a.webs[y]); ok {
		a.wishes[x] = append(a.wishes[x], at-in.Dst[0].Part)
	}
	if at, ok := fixedNumber(a.webs[x]); ok {
		a.wishes[y] = append(a.wishes[y], at-in.Src[0].Part)
	}
}

// bank is the bank of registers that a web prefers: the one with fewer of the registers that are read with it or, when they are as
// many, with its heirs; -1 for none. A pair counts for the first.
func (a *allocator) bank(r int) int {
	var in [2]int
	for _, o := range a.beside[r] {
		if at := a.at[o]; at >= 0 {
			in[at%2]++
		}
	}
	if in[0] == in[1] {
		in = a.inBank[a.classes.find(r)]
	}
	switch {
	case in[0] > in[1]:
		return 1
	case in[1] > in[0]:
		return 0
	}
	return -1
}

// settle notes that a web has its number, for those that are read with it.
func (a *allocator) settle(r, at int) {
	a.at[r] = at
	for _, o := range a.beside[r] {
		c := a.classes.find(o)
		in := a.inBank[c]
		in[at%2]++
		a.inBank[c] = in
	}
}

// place finds the lowest registers for webs that lie side by side.
func (a *allocator) place(list []int) (end int) {
	words := a.words[list[0]]
	total := words * len(list)
	align := 1
	for align < total && align < 4 {
		align *= 2
	}
	for len(a.busy) < len(list) {
		a.busy = append(a.busy, nil)
	}
	for i, r := range list {
		clear(a.busy[i])
		for _, o := range a.meets[r] {
			if at := a.at[o]; at >= 0 {
				for n := range a.words[o] {
					a.busy[i] = a.busy[i].with(at + n)
				}
			}
		}
	}
	free := func(at int) bool {
		if a.kind == Register && at <= 1 && at+total > 1 {
			return false // R1
		}
		for _, busy := range a.busy[:len(list)] {
			for range words {
				if at/64 < len(busy) && busy.has(at) {
					return false
				}
				at++
			}
		}
		return true
	}
	hazard := func(at int) bool {
		if a.slow == nil {
			return false
		}
		for _, r := range list {
			for _, o := range a.slow[r] {
				if p := a.at[o]; p >= 0 && o != r && p < at+total && at < p+a.words[o] {
					return true
				}
			}
		}
		return false
	}
	at := 0
	if a.kind == UniformRegister {
		at = descriptorRegister + 2
	}
	first := at
	if total == 1 && a.kind == Register && a.slow != nil {
		bank := a.bank(list[0])
		for _, o := range a.heirs[list[0]] {
			if p := a.at[o]; p >= 0 && free(p) && !hazard(p) && (bank < 0 || p%2 == bank) {
				a.settle(list[0], p)
				return p + 1
			}
		}
		if bank >= 0 {
			at, align = bank, 2
		}
	}
	for !free(at) || hazard(at) {
		if at += align; at+total > a.roomy() {
			break
		}
	}
	if at+total > a.roomy() {
		align = min(align, total)
		for at = first; !free(at); {
			at += align
		}
	}
	for i, r := range list {
		a.settle(r, at+i*words)
	}
	return at + total
}

// number writes the numbers of registers into the operands of the function.
func (fn *Func) number() {
	uniform := fn.allocate(fn.live(UniformRegister), 63)
	predicates := fn.allocate(fn.live(Predicate), 7)
	set := func(o *Operand) {
		from := map[OperandKind]numbers{Register: fn.registers, Address: fn.registers, UniformRegister: uniform, Predicate: predicates}[o.Kind]
		if o.Uniform > 0 {
			o.Uniform = uniform.at[fn.webs.find(o.Uniform)] + 1
		}
		if o.Reg >= 0 && from.at != nil {
			o.Reg = from.at[fn.webs.find(o.Reg)]
			if o.Words == 1 { // the half alone is named: what is handed over in calls
				o.Reg, o.Part = o.Reg+o.Part, 0
			}
		}
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Code {
			set(&in.Guard)
			for _, list := range [][]Operand{in.Dst, in.Src} {
				for i := range list {
					set(&list[i])
				}
			}
		}
	}
}
