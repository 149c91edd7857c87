package sass

import (
	"math/bits"
	"sort"

	"silica/internal/isa"
)

// aligned is how many low bits of a value are known to be zero.
func aligned(v *value, depth int) int {
	const most = 16
	if depth <= 0 {
		return 0
	}
	zeros := func(x uint64) int {
		if x == 0 {
			return most
		}
		return min(bits.TrailingZeros64(x), most)
	}
	switch v.op {
	case opConst, opShared:
		return zeros(v.imm)
	case opAdd, opSub, opOr, opXor:
		return min(aligned(v.args[0], depth-1), aligned(v.args[1], depth-1))
	case opAnd:
		return max(aligned(v.args[0], depth-1), aligned(v.args[1], depth-1))
	case opShl:
		if v.args[1].isConst() {
			return min(aligned(v.args[0], depth-1)+int(v.args[1].imm), most)
		}
	case opMul, opMulWide:
		return min(aligned(v.args[0], depth-1)+aligned(v.args[1], depth-1), most)
	case opExtend, opLow:
		return aligned(v.args[0], depth-1)
	case opSelect:
		return min(aligned(v.args[1], depth-1), aligned(v.args[2], depth-1))
	case opPhi:
		least := most
		for _, a := range v.args {
			switch {
			case a == v:
			case a.op == opAdd && a.args[0] == v: // a step of a loop
				least = min(least, aligned(a.args[1], depth-1))
			default:
				least = min(least, aligned(a, depth-3))
			}
		}
		return least
	}
	return 0
}

// merge makes wide accesses of neighbouring ones where the alignment is known.
func (g *graph) merge() {
	for _, b := range g.blocks {
		m := merger{graph: g, replaced: map[*value]*value{}}
		m.block(b)
	}
}

// merger joins the accesses of one block.
type merger struct {
	*graph
	replaced map[*value]*value
	counts   bool // only, how many fewer accesses there would be
	fewer    int
}

// fewerAccesses is how many accesses of a block would go when others become wide.
func (g *graph) fewerAccesses(b *block) int {
	m := merger{graph: g, counts: true}
	m.block(b)
	return m.fewer
}

// spot is where accesses that may be joined meet: kind and space, base, and a number that changes where others come between.
type spot struct {
	op    op
	space isa.Space
	base  *value
	epoch int
	guard *value
	not   bool
	bytes int
}

// block finds the groups of a block.
func (m *merger) block(b *block) {
	groups := map[spot][]*value{}
	var order []spot
	writes, reads := map[isa.Space]int{}, map[isa.Space]int{}
	fences := 0
	for _, v := range b.values {
		switch v.op {
		case opLoad, opStore:
			space := v.inst.Addr.Space
			if v.op == opLoad {
				reads[space]++
			}
			if m.joins(v) {
				base, _ := (&selector{graph: m.graph}).place(v.args[0], int64(v.imm))
				k := spot{op: v.op, space: space, base: base, epoch: writes[space] + fences, guard: v.guard, not: v.guardNot, bytes: v.bytes()}
				if v.op == opStore {
					k.epoch = reads[space] + fences
				}
				if groups[k] == nil {
					order = append(order, k)
				}
				groups[k] = append(groups[k], v)
			}
			if v.op == opStore {
				writes[space]++
				if space == isa.Generic {
					fences++
				}
			}
		case opOther:
			if v.bits == 0 || !v.pure() {
				fences++
			}
		}
	}
	for _, k := range order {
		m.group(b, k, groups[k])
	}
	if len(m.replaced) == 0 {
		return
	}
	out := b.values[:0]
	for _, v := range b.values {
		if r, gone := m.replaced[v]; !gone {
			out = append(out, v)
		} else if r != nil {
			out = append(out, r)
		}
	}
	b.values = out
}

// joins tells whether an access can be joined with others.
func (m *merger) joins(v *value) bool {
	mem := v.inst.Mem
	space := v.inst.Addr.Space
	return mem.Vector == 1 && mem.Order == "" && len(v.results) == 0 && v.width == 0 && (mem.Type.Bytes() == 4 || mem.Type.Bytes() == 8) &&
		(space == isa.Shared || space == isa.Global || space == isa.Local) && (v.needed)
}

// group joins what lies side by side at one base.
func (m *merger) group(b *block, k spot, list []*value) {
	low := 1 << min(aligned(k.base, 12), 4)
	if low <= k.bytes || len(list) < 2 {
		return
	}
	offset := func(v *value) int64 {
		_, o := (&selector{graph: m.graph}).place(v.args[0], int64(v.imm))
		return o
	}
	at := map[int64]*value{}
	var offsets []int64
	for _, v := range list {
		o := offset(v)
		if at[o] == nil {
			offsets = append(offsets, o)
			at[o] = v
		} else {
			return // the same place twice
		}
	}
	sort.Slice(offsets, func(i, j int) bool { return offsets[i] < offsets[j] })
	for width := int64(low); width > int64(k.bytes); width /= 2 {
		for _, o := range offsets {
			if o%width != 0 {
				continue
			}
			var parts []*value
			for p := o; p < o+width; p += int64(k.bytes) {
				if v := at[p]; v != nil {
					parts = append(parts, v)
				}
			}
			if int64(len(parts)*k.bytes) != width {
				continue
			}
			for p := o; p < o+width; p += int64(k.bytes) {
				at[p] = nil
			}
			if m.counts {
				m.fewer += len(parts) - 1
				continue
			}
			m.join(b, parts, o, int(width))
		}
	}
}

// join makes one access of several, in the order of their addresses.
func (m *merger) join(b *block, parts []*value, offset int64, width int) {
	place := map[*value]int{}
	for i, v := range b.values {
		place[v] = i
	}
	base := parts[0].args[0]
	imm := parts[0].imm
	keep := parts[0]
	for _, v := range parts {
		if v.op == opLoad && place[v] < place[keep] || v.op == opStore && place[v] > place[keep] {
			keep = v
		}
	}
	if keep.op == opStore {
		args := []*value{base}
		for _, v := range parts {
			args = append(args, v.args[1])
			if v != keep {
				m.replaced[v] = nil
			}
		}
		keep.args, keep.imm, keep.width = args, imm, width
		return
	}
	keep.args, keep.imm, keep.width = []*value{base}, imm, width
	_ = offset
	for i, v := range parts {
		if v == keep {
			keep.first = i
			continue
		}
		v.op, v.args, v.imm = opResult, []*value{keep}, uint64(i)
		v.guard = nil
		keep.results = append(keep.results, v)
	}
}

// joinProducts makes one product of 64 bits of the two that give its halves.
func (g *graph) joinProducts() {
	type factors struct{ a, b *value }
	for _, b := range g.blocks {
		low := map[factors]*value{}
		for _, v := range b.values {
			if v.op == opMul && v.bits == 32 && v.needed && v.guard == nil {
				low[factors{v.args[0], v.args[1]}] = v
			}
		}
		before := map[*value]*value{}
		for _, v := range b.values {
			if v.op != opMulHigh || v.bits != 32 || !v.needed || v.guard != nil {
				continue
			}
			x, y := v.args[0], v.args[1]
			l := low[factors{x, y}]
			if l == nil {
				l = low[factors{y, x}]
			}
			if l == nil || l.op != opMul {
				continue
			}
			wide := g.newValue(opMulWide, 64, x, y)
			wide.typ, wide.inst, wide.pc, wide.block = v.typ, v.inst, v.pc, b
			before[v], before[l] = wide, wide
			v.op, v.args = opHigh, []*value{wide}
			l.op, l.args = opLow, []*value{wide}
		}
		if len(before) == 0 {
			continue
		}
		var out []*value
		made := map[*value]bool{}
		for _, v := range b.values {
			if w := before[v]; w != nil && !made[w] {
				made[w] = true
				out = append(out, w)
			}
			out = append(out, v)
		}
		b.values = out
	}
}
