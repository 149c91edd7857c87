package simd

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"unsafe"

	"silica/internal/amd64"
	"silica/internal/ir"
	"silica/internal/isa"
)

// plan is what is known of a run before code is made of it.
type plan struct {
	// reads and writes are the works that read a row, and that write it in all lanes.
	reads, writes map[int][]int
	constants     map[int]bool // rows that have the same value in every lane
	values        map[int]uint64
	sites         map[int]site
	quads         map[int]*quad // by each of its sites
	groups        []*group
	slots         int // in use before
	scattered     int // groups whose addresses lie anyhow
	// cells are where rows of special registers really are, that are the same in all lanes.
	cells map[int]amd64.Memory
	// exact tells that what is not among reads is not read, behind the run either.
	exact bool
}

// group is the accesses whose addresses are so many bytes apart in every lane, and that are made for the same lanes. Where the
// addresses of a half of the warp lie as expected and in one region, all follow from one pointer for the half.
type group struct {
	mem         *memoryOp // of the first
	region      int
	slot        int
	least, most int64 // distances of the first byte, and behind the last element's first
	guard       int
	lies        lies
	joint       bool // both halves of the warp lie together
	origin      int  // value that all are apart from
	sites       int
	loads       bool // some of them
	home        int  // of the pointers: a pair of registers, or -1 for memory
	done        bool // the pointers have been found, in the present code
	noted       int  // segment in the code of a flow, plus 1, whose accesses are told of
}

// site is an access in a group.
type site struct {
	*group
	distance int64 // from the group's origin
}

// next returns the first of ascending numbers that is not below at, never when there is none.
func next(list []int, at int) int {
	if i := sort.SearchInts(list, at); i < len(list) {
		return list[i]
	}
	return never
}

func (p *plan) reset() {
	for _, g := range p.groups {
		g.done, g.noted = false, 0
	}
}

// origin is a value of a register and how far from it another is.
type origin struct {
	number   int
	distance uint64
}

// makePlan looks at the run.
func (c *compiler) makePlan() error {
	p := plan{reads: map[int][]int{}, writes: map[int][]int{}, constants: map[int]bool{}, values: map[int]uint64{}, sites: map[int]site{}, quads: map[int]*quad{}, slots: c.slots}
	for _, k := range c.run.fn.consts {
		if k.Kind == ir.ConstLocal || k.row.bits > 64 || k.row.bits == 1 {
			continue
		}
		p.constants[k.row.offset] = true
		if k.Kind == ir.ConstValue {
			p.values[k.row.offset] = k.Value
		}
	}
	if f := c.flow; f != nil {
		p.exact, p.cells = true, map[int]amd64.Memory{}
		cell := func(row int, at amd64.Memory) {
			at.Broadcast = true
			p.constants[row], p.cells[row] = true, at
		}
		for row, axis := range f.cells {
			cell(row, suspensionAt(unsafe.Offsetof(suspension{}.place)+uintptr(4*axis)))
		}
		for _, at := range f.derivation.cells {
			cell(firstCell+at, cellAt(at))
		}
		for _, row := range f.uniform {
			p.constants[row] = true
		}
	}
	bits := map[int]int{}
	rows := func(list ...operand) bool {
		for _, o := range list {
			if o.bits == 1 || o.offset < 0 {
				continue
			}
			if o.bits > 64 || bits[o.offset] != 0 && (bits[o.offset] == 64) != (o.bits == 64) {
				return false
			}
			bits[o.offset] = o.bits
		}
		return true
	}
	origins, numbers, guard := map[int]origin{}, 1, 0
	known := map[string]int{}
	loaded := map[int]bool{} // rows with what follows from a load of the run
	for i := range c.run.work {
		w := &c.run.work[i]
		if !rows(w.srcs...) || !rows(w.dst) || !rows(w.rows...) || w.mem != nil && !rows(w.base()) {
			return errUncompiled
		}
		if w.kind == guards {
			guard++
		}
		read := func(o operand) {
			if o.bits != 1 && o.offset >= 0 {
				p.reads[o.offset] = append(p.reads[o.offset], i)
			}
		}
		write := func(o operand) {
			if o.bits == 1 {
				return
			}
			if w.guarded {
				read(o)
			} else {
				p.writes[o.offset] = append(p.writes[o.offset], i)
			}
			origins[o.offset] = origin{number: numbers}
			numbers++
		}
		switch w.kind {
		case computes:
			for _, s := range w.srcs {
				read(s)
			}
			loaded[w.dst.offset] = slices.ContainsFunc(w.srcs, func(s operand) bool { return s.bits != 1 && loaded[s.offset] })
			from, known := p.moved(w, origins, &numbers)
			write(w.dst)
			if known {
				origins[w.dst.offset] = from
			}
		case assembles:
			for _, s := range w.srcs {
				read(s)
			}
		case exchanges:
			for _, s := range w.srcs {
				read(s)
			}
			write(w.dst)
		case calls:
			for _, s := range w.srcs {
				read(s)
			}
			for _, o := range w.rows {
				if o.offset >= 0 {
					write(o)
				}
			}
		case accesses:
			if c.flow == nil && w.scattered && !w.store && w.mem.space != isa.Shared && loaded[w.mem.base.offset] {
				// One warp after the other would wait for its own loads twice; the kernels ask for those of all warps at a time.
				return errUncompiled
			}
			if !w.store {
				for _, o := range w.rows {
					loaded[o.offset] = true
				}
			}
			o := origin{number: -1 - w.mem.region}
			if base := w.base(); base.offset >= 0 {
				read(base)
				if _, ok := origins[base.offset]; !ok {
					origins[base.offset] = origin{number: numbers}
					numbers++
				}
				o = origins[base.offset]
			}
			if x := w.address; x != nil {
				key := fmt.Sprint(o, x.unsigned, x.factor, x.cells)
				if known[key] == 0 {
					known[key] = numbers
					numbers++
				}
				o = origin{known[key], x.constant}
			}
			p.group(c, i, w, o, guard)
			for _, o := range w.rows {
				if w.store {
					read(o)
				} else {
					write(o)
				}
			}
		case leaves:
			for row := range w.live {
				p.reads[row] = append(p.reads[row], i)
			}
		}
	}
	p.findQuads(c.run.work)
	p.gather(c.run.work)
	for _, list := range p.reads {
		sort.Ints(list)
	}
	// The groups with the most accesses keep their pointers in registers.
	ranked := slices.Clone(p.groups)
	slices.SortStableFunc(ranked, func(a, b *group) int { return b.sites - a.sites })
	home := 0
	for _, g := range ranked {
		g.home = -1
		if home < len(pointerRegisters) && g.sites > 1 && g.lies != liesAnyhow {
			g.home = home
			home++
		}
	}
	c.plan, c.slots = p, p.slots+len(p.groups)
	return nil
}

// moved tells whether an instruction adds a constant to a value, and where that leads.
func (p *plan) moved(w *work, origins map[int]origin, numbers *int) (o origin, ok bool) {
	if w.guarded || w.kernel.body != "VPADDQ b, a, d" && w.kernel.body != "VPADDD b, a, d" {
		return o, false
	}
	for i := range 2 {
		v, constant := p.values[w.srcs[1-i].offset]
		if constant {
			o, known := origins[w.srcs[i].offset]
			if !known {
				o = origin{number: *numbers}
				*numbers++
				origins[w.srcs[i].offset] = o
			}
			if w.dst.bits == 32 {
				v = uint64(int64(int32(v)))
			}
			return origin{o.number, o.distance + v}, true
		}
	}
	return o, false
}

// group puts an access in a group.
func (p *plan) group(c *compiler, i int, w *work, o origin, guard int) {
	if !w.guarded {
		guard = 0
	}
	m := w.mem
	if w.isParameter() {
		return
	}
	if m.base.offset < 0 {
		w.lies = liesUniform
	}
	if w.address != nil && w.lies == liesAnyhow && (w.store || m.elem < 4) {
		w.lies = liesContiguous // if not, there are instructions for that
	}
	if w.store && w.lies != liesContiguous || w.lies == liesAnyhow && (c.flow == nil || m.elem < 4 || m.count > 1) {
		return
	}
	distance := int64(o.distance + m.offset)
	if m.narrow {
		distance = int64(int32(distance))
	}
	if m.base.offset >= 0 && int64(int32(w.distance())) != int64(w.distance()) {
		return
	}
	for _, g := range p.groups {
		least, most := min(g.least, distance), max(g.most, distance)
		if g.origin == o.number && g.guard == guard && g.mem.bytes == m.bytes && g.mem.space == m.space && g.lies == w.lies && g.joint == w.joint &&
			(distance-g.least)%int64(m.bytes) == 0 && most-least < math.MaxInt32/2 {
			g.least, g.most = least, most
			g.sites++
			g.loads = g.loads || !w.store
			if m.writes { // what is to be written has to be in a region for that, and may be read as well
				g.region = m.region
			}
			p.sites[i] = site{g, distance}
			return
		}
	}
	slot := p.slots + len(p.groups)
	if w.lies == liesAnyhow {
		slot = p.scattered
		p.scattered++
	}
	if slot >= pointerSlots || w.lies == liesAnyhow && slot >= scatteredSlots {
		return
	}
	g := &group{mem: m, slot: slot, region: m.region, least: distance, most: distance, guard: guard, lies: w.lies, joint: w.joint, origin: o.number, sites: 1, loads: !w.store}
	p.groups = append(p.groups, g)
	p.sites[i] = site{g, distance}
}

// gather has the groups whose addresses lie anyhow, but are made of registers of 32 bits, look whether they lie side by side: there are instructions
// for where they do not.
func (p *plan) gather(list []work) {
	anyhow := map[*group]bool{}
	for _, g := range p.groups {
		anyhow[g] = g.lies == liesAnyhow
	}
	for i, s := range p.sites {
		if list[i].address == nil || p.quads[i] != nil {
			delete(anyhow, s.group)
		}
	}
	for n, g := range p.groups {
		if slot := p.slots + n; anyhow[g] && slot < pointerSlots {
			g.lies, g.slot = liesContiguous, slot
		}
	}
}

// base returns the register that the addresses follow from.
func (w *work) base() operand {
	if w.address != nil {
		return w.address.lane
	}
	return w.mem.base
}

// distance returns what is added to that.
func (w *work) distance() uint64 {
	if w.address != nil {
		return w.mem.offset + w.address.constant
	}
	return w.mem.offset
}
