package simd

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"silica/internal/amd64"
)

// hostAt returns where the place of a lane's element is kept, for a group of accesses whose addresses lie anyhow.
func (g *group) hostAt(lane int) amd64.Memory {
	return suspensionAt(unsafe.Offsetof(suspension{}.hosts) + uintptr((g.slot*warpLanes+lane)*8))
}

// scatter emits a load lane by lane, from where the first of its group has found the elements; elsewhere when it has not.
func (a *access) scatter(slow amd64.Label) {
	c, g := a.c, a.site.group
	if !g.done {
		g.done = true
		a.findHosts(slow)
	} else {
		c.DoImmediate(amd64.Compare, g.hostAt(0), 0)
		c.JumpIf(amd64.Equal, slow)
	}
	if q := c.plan.quads[a.at]; q != nil {
		if q.sites[0] == a.at {
			a.loadQuad(q)
		}
		return
	}
	perQuarter, quarter := 16/a.m.elem, amd64.X(spare)
	at := amd64.At(amd64.RDI, int32(a.site.distance-a.site.least))
	for lane := range warpLanes {
		c.Do(amd64.Move, amd64.RDI, g.hostAt(lane))
		in := lane % perQuarter
		if in == 0 {
			c.LoadLane(8*a.m.elem, at, quarter)
		} else {
			c.InsertLane(8*a.m.elem, uint8(in), at, quarter, quarter)
		}
		if in < perQuarter-1 {
			continue
		}
		byte := lane * a.m.elem
		dst := z(a.values[byte/64])
		c.vector("VINSERTI32X4", amd64.Immediate(byte/16%4), quarter, dst, dst)
	}
}

// findHosts finds where the elements of the lanes are that the access of the group at the lowest address loads, when those of all its
// accesses are in the region. Lanes that do not load get the start of the region.
func (a *access) findHosts(slow amd64.Label) {
	c, g := a.c, a.site.group
	none := c.NewLabel()
	const limit, toHost, safe = spare + 1, spare + 2, spare + 3
	c.Do(amd64.Move, amd64.RDX, machineAt(unsafe.Offsetof(machine{}.regions)))
	c.Do(amd64.Move, amd64.RAX, a.regionAt(unsafe.Offsetof(region{}.size)))
	c.DoImmediate(amd64.Sub, amd64.RAX, int32(g.most-g.least)+int32(a.m.bytes))
	c.JumpIf(amd64.Below, none)
	c.vector("VPBROADCASTGQ", amd64.RAX, z(limit))
	c.Do(amd64.Move, amd64.RCX, a.regionAt(unsafe.Offsetof(region{}.host)))
	if a.partial() {
		c.vector("VPBROADCASTGQ", amd64.RCX, z(safe))
	}
	c.Do(amd64.Sub, amd64.RCX, a.regionAt(unsafe.Offsetof(region{}.start)))
	c.vector("VPBROADCASTGQ", amd64.RCX, z(toHost))
	start := a.regionAt(unsafe.Offsetof(region{}.start))
	start.Broadcast = true
	alignment := c.Constant(binary.LittleEndian.AppendUint64(nil, uint64(a.m.bytes-1)))
	alignment.Broadcast = true
	back := a.w.distance() + uint64(g.least-a.site.distance)
	for half := range 2 {
		a.formAddressesFrom(half, back)
		for i := range 2 {
			part, address := 2*half+i, z(addressVectors+i)
			masked := func(operands ...any) []any {
				if a.partial() {
					operands = append(operands, amd64.Mask(7))
				}
				return operands
			}
			if a.partial() {
				c.laneMask(a.w.guarded, part, true, 7)
			}
			c.vector("VPSUBQ", start, address, z(spare))
			c.vector("VPCMPUQ", append(masked(amd64.Immediate(6), z(limit), z(spare)), amd64.Mask(5))...)
			c.vector("VPTESTMQ", append(masked(alignment, address), amd64.Mask(6))...)
			c.TestMasks(5, 6)
			c.JumpIf(amd64.NotEqual, none)
			c.vector("VPADDQ", z(toHost), address, address)
			if a.partial() {
				c.vector("VPBLENDMQ", address, z(safe), amd64.Mask(7), address)
			}
			c.vector("VMOVDQU64", address, g.hostAt(8*part))
		}
	}
	c.slow = append(c.slow, func() {
		c.Place(none)
		c.StoreImmediate(g.hostAt(0), 0)
		c.Jump(slow)
	})
}

// quad is four loads of 32 bits, at addresses that lie side by side in each lane: the first loads for all.
type quad struct {
	sites [4]int // works, in the order of the run
	words [4]int // of the 16 bytes, by site
}

// findQuads finds loads of groups whose addresses lie anyhow that can be made together: nothing in between stores, or lets lanes go.
func (p *plan) findQuads(list []work) {
	for first := range list {
		s, ok := p.sites[first]
		if !ok || s.lies != liesAnyhow || list[first].mem.elem != 4 || p.quads[first] != nil {
			continue
		}
		q, found := &quad{}, map[int64]int{}
		for i := first; i < len(list) && list[i].kind != leaves && !list[i].store; i++ {
			if t, ok := p.sites[i]; ok && t.group == s.group && p.quads[i] == nil {
				if _, again := found[t.distance]; !again {
					found[t.distance] = i
				}
			}
		}
		for start := s.distance - 12; start <= s.distance && p.quads[first] == nil; start += 4 {
			n := 0
			for word := range 4 {
				if i, ok := found[start+int64(4*word)]; ok {
					q.sites[n], q.words[n] = i, word
					n++
				}
			}
			if n == 4 {
				p.takeQuad(q)
			}
		}
	}
}

// takeQuad has the sites of a quad load together.
func (p *plan) takeQuad(q *quad) {
	order := []int{0, 1, 2, 3}
	slices.SortFunc(order, func(a, b int) int { return q.sites[a] - q.sites[b] })
	sorted := &quad{}
	for n, from := range order {
		sorted.sites[n], sorted.words[n] = q.sites[from], q.words[from]
		p.quads[q.sites[from]] = sorted
		p.reads[early(q.sites[from])] = []int{q.sites[from]}
	}
}

// early names what is loaded for a work before it comes, like a row.
func early(work int) int { return -2 - work }

// loadRegister returns the register that a part of a load goes to.
func (a *access) loadRegister(part int) int {
	s := &a.c.values
	q := a.c.plan.quads[a.at]
	if q == nil || q.sites[0] == a.at {
		return s.take()
	}
	r := s.need(value{row: early(a.at), part: part})
	s.detach(r)
	return r
}

// loadQuad emits the loads of a quad; those of other sites than the first are kept until these come.
func (a *access) loadQuad(q *quad) {
	c, s := a.c, &a.c.values
	from := min(a.c.plan.sites[q.sites[0]].distance, a.c.plan.sites[q.sites[1]].distance, a.c.plan.sites[q.sites[2]].distance, a.c.plan.sites[q.sites[3]].distance)
	at := amd64.At(amd64.RDI, int32(from-a.site.least))
	for part := range 2 {
		var words [4]int
		for n, site := range q.sites {
			words[q.words[n]] = a.values[part]
			if n > 0 {
				r := a.early[2*(n-1)+part]
				s.bind(r, value{row: early(site), part: part}, false)
				words[q.words[n]] = r
			}
		}
		// Lane 4b+j is block b of vector j: a transposition within blocks then has the lanes in order.
		rows := [4]int{spare, spare + 1, spare + 2, spare + 3}
		for lane := range warpLanes / 2 {
			row := rows[lane%4]
			c.Do(amd64.Move, amd64.RDI, a.site.hostAt(part*warpLanes/2+lane))
			if lane < 4 {
				c.vector("VMOVDQU32", at, amd64.X(uint8(row)))
			} else {
				c.vector("VINSERTI32X4", amd64.Immediate(lane/4), at, z(row), z(row))
			}
		}
		low, high := z(spare+4), z(spare+5)
		c.vector("VPUNPCKLDQ", z(rows[1]), z(rows[0]), low)
		c.vector("VPUNPCKHDQ", z(rows[1]), z(rows[0]), high)
		c.vector("VPUNPCKLDQ", z(rows[3]), z(rows[2]), z(rows[0]))
		c.vector("VPUNPCKHDQ", z(rows[3]), z(rows[2]), z(rows[1]))
		c.vector("VPUNPCKLQDQ", z(rows[0]), low, z(words[0]))
		c.vector("VPUNPCKHQDQ", z(rows[0]), low, z(words[1]))
		c.vector("VPUNPCKLQDQ", z(rows[1]), high, z(words[2]))
		c.vector("VPUNPCKHQDQ", z(rows[1]), high, z(words[3]))
	}
}
