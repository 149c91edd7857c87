package simd

import (
	"encoding/binary"
	"unsafe"

	"silica/internal/amd64"
	"silica/internal/isa"
)

// pointerRegisters hold the pointers of groups, one for each half of a warp; those of the others are in the suspension.
var pointerRegisters = [...][2]amd64.Register{{amd64.RSI, amd64.R8}, {amd64.R15, amd64.R12}}

// access is the state of writing a load or store.
type access struct {
	c       *compiler
	w       *work
	m       *memoryOp
	number  int // in what asks Go
	at      int // in the run
	site    site
	grouped bool
	masked  bool
	bases   []any // the addresses, less the offset, by parts: a vector register or memory
	values  []int // the registers of the parts that are stored, or loaded
	early   []int // those for what is loaded for three works to come
}

// access emits a load or store.
func (c *compiler) access(i int, w *work) {
	a := &access{c: c, w: w, m: w.mem, number: w.number, at: i, masked: c.masked}
	a.site, a.grouped = c.plan.sites[i]
	a.findBases()
	a.findValues()
	if a.entersAddresses() {
		a.enterAddresses()
	}
	if a.isParameterLoad() {
		a.tallyParameter()
		a.loadParameter()
		c.finishLoad(a)
		return
	}
	slow, join := c.NewLabel(), c.NewLabel()
	switch {
	case a.grouped && a.w.store && a.masked && a.m.count > 1: // lanes in between must not be written
		if !a.entersAddresses() {
			a.enterAddresses()
		}
		a.lanewise()
	case !a.grouped:
		a.lanewise()
	case a.site.lies == liesAnyhow:
		a.scatter(slow)
		c.Place(join)
		c.slow = append(c.slow, func() {
			c.Place(slow)
			a.lanewise()
			c.Jump(join)
		})
	default:
		first := !a.site.done
		pointers := a.pointers(slow)
		if a.m.count > 1 {
			a.moveWide(pointers, slow)
			a.tally()
		} else {
			a.tally()
			a.move(pointers)
		}
		c.Place(join)
		c.slow = append(c.slow, func() {
			c.Place(slow)
			if first {
				a.forgetPointers()
			}
			if !a.entersAddresses() {
				a.enterAddresses()
			}
			if a.gathers() {
				a.gather(join)
			}
			a.lanewise()
			c.Jump(join)
		})
	}
	c.finishLoad(a)
}

// finishLoad makes what is loaded the value of its row.
func (c *compiler) finishLoad(a *access) {
	if !a.w.store {
		parts := len(a.values) / len(a.w.rows)
		for i, r := range a.values {
			c.define(&work{dst: a.w.rows[i/parts], guarded: a.w.guarded}, i%parts, r, false)
		}
	}
	c.values.unlock()
}

// isParameter tells whether the work loads a parameter of the kernel.
func (w *work) isParameter() bool {
	return w.kind == accesses && !w.store && w.mem.space == isa.ParamEntry && w.mem.base.offset < 0 && w.mem.count == 1
}

// inParameters tells whether an access of an address is aligned and within the parameters, of which every launch has all.
func (c *compiler) inParameters(m *memoryOp) bool {
	at, bytes := m.offset, uint64(m.bytes)
	return at%bytes == 0 && at < 1<<20 && at+bytes <= uint64(c.program.kernel.ParamBytes)
}

// loadParameter emits the load of a parameter, which needs no check.
func (a *access) loadParameter() {
	c := a.c
	c.Do(amd64.Move, amd64.RCX, machineAt(unsafe.Offsetof(machine{}.regions)))
	c.Do(amd64.Move, amd64.RCX, amd64.At(amd64.RCX, int32(paramRegion*regionBytes)+int32(unsafe.Offsetof(region{}.host))))
	for part, r := range a.values {
		if part > 0 {
			c.vector("VMOVDQA64", z(a.values[0]), z(r))
			continue
		}
		a.spread(r, amd64.At(amd64.RCX, int32(a.m.offset)))
	}
}

// guardedMask tells whether the access is made for the lanes of a guard, partial whether not for all lanes.
func (a *access) partial() bool { return a.masked || a.w.guarded }

// wide tells whether elements have 64 bits.
func (a *access) wide() bool { return a.m.elem == 8 }

// findBases finds where the addresses are.
func (a *access) findBases() {
	c, s := a.c, &a.c.values
	base := a.w.base()
	if base.offset < 0 {
		return
	}
	parts := 4
	if a.short() {
		parts = 2
	}
	for part := range parts {
		v := c.rowValue(base, part)
		r := s.find(v)
		if r < 0 && s.spilled[v].raw {
			r = s.need(v)
		}
		if r < 0 {
			a.bases = append(a.bases, s.memory(v))
			continue
		}
		s.canonical(r)
		s.holders[r].locked = true
		a.bases = append(a.bases, z(r))
	}
}

// short tells whether the addresses follow from a register of 32 bits.
func (a *access) short() bool { return a.m.narrow || a.w.address != nil }

// findValues finds the registers of what is stored, or takes some for what is loaded.
func (a *access) findValues() {
	c, s := a.c, &a.c.values
	parts := 2
	if a.wide() {
		parts = 4
	}
	for i := range parts * a.m.count {
		if !a.w.store {
			a.values = append(a.values, a.loadRegister(i))
			continue
		}
		r := s.need(c.rowValue(a.w.rows[i/parts], i%parts))
		s.canonical(r)
		a.values = append(a.values, r)
	}
	if q := c.plan.quads[a.at]; q != nil && q.sites[0] == a.at {
		for range 6 {
			a.early = append(a.early, s.take())
		}
	}
}

// pointerAt returns where a pointer of the group is in memory.
func (g *group) pointerAt(half int) amd64.Memory {
	return suspensionAt(unsafe.Offsetof(suspension{}.pointers) + uintptr(g.slot*16+half*8))
}

// pointers emits the pointers of the group, and goes elsewhere where there are none.
func (a *access) pointers(slow amd64.Label) [2]amd64.Register {
	c, g := a.c, a.site.group
	registers := [2]amd64.Register{amd64.RDI, amd64.RCX}
	if g.home >= 0 {
		registers = pointerRegisters[g.home]
	}
	if !g.done {
		g.done = true
		a.findPointers(registers, slow)
		return registers
	}
	if g.home < 0 {
		c.Do(amd64.Move, registers[0], g.pointerAt(0))
		c.Do(amd64.Move, registers[1], g.pointerAt(1))
	}
	c.Test(registers[0], registers[0])
	c.JumpIf(amd64.Equal, slow)
	return registers
}

// forgetPointers has the later accesses of the group go the slow way too.
func (a *access) forgetPointers() {
	g := a.site.group
	switch {
	case g.home >= 0:
		r := pointerRegisters[g.home][0]
		a.c.Do32(amd64.Xor, r, r)
	case g.sites > 1:
		a.c.StoreImmediate(g.pointerAt(0), 0)
	}
}

// regionAt returns a field of the region of the access, of which RDX points to the first.
func (a *access) regionAt(field uintptr) amd64.Memory {
	return amd64.At(amd64.RDX, int32(a.site.region*regionBytes)+int32(field))
}

// findPointers emits the pointers to the first byte that the group accesses in each half of the warp, when the addresses lie as expected
// and all is in the region.
func (a *access) findPointers(registers [2]amd64.Register, slow amd64.Label) {
	c, g := a.c, a.site.group
	size := a.m.bytes
	half := int32(0) // how far the second half is behind the first, where they lie together
	if g.lies == liesContiguous {
		half = int32(size * warpLanes / 2)
		size *= warpLanes / 2
	}
	if g.joint {
		size += int(half)
	}
	c.Do(amd64.Move, amd64.RDX, machineAt(unsafe.Offsetof(machine{}.regions)))
	c.Do(amd64.Move, amd64.R10, a.regionAt(unsafe.Offsetof(region{}.size)))
	c.DoImmediate(amd64.Sub, amd64.R10, int32(g.most-g.least)+int32(size))
	c.JumpIf(amd64.Below, slow)
	back := int64(a.w.distance()) + g.least - a.site.distance
	for i, pointer := range registers {
		switch {
		case i > 0 && g.joint:
			c.Address(pointer, amd64.At(registers[0], half))
			continue
		case a.bases == nil && i > 0:
			a.keepSecond()
			c.Do(amd64.Move, pointer, registers[0])
			continue
		case a.bases == nil:
			c.Load64(pointer, uint64(back))
		default:
			a.checkLanes(i, slow)
			first := amd64.At(amd64.RAX, int32(back))
			switch {
			case a.w.address != nil:
				a.firstAddress(pointer, int32(back), slow)
			case a.m.narrow:
				c.Address32(pointer, first)
			default:
				c.Address(pointer, first)
			}
		}
		a.keepGuest(i, pointer)
		if a.m.bytes > 1 {
			c.TestImmediate32(pointer, int32(a.m.bytes-1))
			c.JumpIf(amd64.NotEqual, slow)
		}
		c.Do(amd64.Sub, pointer, a.regionAt(unsafe.Offsetof(region{}.start)))
		c.Do(amd64.Compare, pointer, amd64.R10)
		c.JumpIf(amd64.Above, slow)
		c.Do(amd64.Add, pointer, a.regionAt(unsafe.Offsetof(region{}.host)))
		if g.mem.space != isa.Shared {
			a.unlessStreamed(func() { a.prefetch(pointer, i) })
		}
	}
	if g.home < 0 && g.sites > 1 {
		c.Store(g.pointerAt(0), registers[0])
		c.Store(g.pointerAt(1), registers[1])
	}
}

// prefetch asks for what warps to come will access, if the pointers of warps are as far apart as those of this one and the one before. A warp's
// loads would otherwise wait for those of the one before: there are too many instructions in between for the CPU to see both. Where a warp comes
// from elsewhere, as in a loop, the next warp most likely accesses what lies behind, when it comes here.
func (a *access) prefetch(pointer amd64.Register, half int) {
	c := a.c
	before := suspensionAt(unsafe.Offsetof(suspension{}.before) + uintptr(a.site.slot*16+half*8))
	c.Do(amd64.Move, amd64.RAX, pointer)
	c.Do(amd64.Sub, amd64.RAX, before)
	c.Store(before, pointer)
	width := int32(a.m.bytes * warpLanes)
	together := a.site.joint && a.site.lies == liesContiguous
	far := func(ahead int) {
		c.Prefetch(amd64.Memory{Base: pointer, Index: amd64.RAX, Scale: ahead})
		if together {
			c.Prefetch(amd64.Memory{Base: pointer, Index: amd64.RAX, Scale: ahead, Displacement: width / 2})
		}
	}
	if !together {
		far(2)
		far(4)
		return
	}
	apart, end := c.NewLabel(), c.NewLabel()
	far(4)
	c.DoImmediate(amd64.Compare, amd64.RAX, width)
	c.JumpIf(amd64.NotEqual, apart)
	far(2)
	c.Place(end)
	c.slow = append(c.slow, func() {
		c.Place(apart)
		for line := int32(0); line < width; line += cacheLine {
			c.Prefetch(amd64.At(pointer, width+line))
			if line%(width/2) != 0 {
				c.Prefetch(amd64.Memory{Base: pointer, Index: amd64.RAX, Scale: 4, Displacement: line})
			}
		}
		c.Jump(end)
	})
}

const cacheLine = 64

// checkLanes puts the address of the first lane of a half in RAX and goes elsewhere when the others do not lie as expected.
func (a *access) checkLanes(half int, slow amd64.Label) {
	c := a.c
	parts, bits, suffix, apart := 2, 64, "Q", a.m.bytes
	if a.short() {
		parts, bits, suffix = 1, 32, "D"
	}
	if x := a.w.address; x != nil && a.site.lies == liesContiguous {
		apart /= int(x.factor)
		if apart*int(x.factor) != a.m.bytes {
			c.Jump(slow)
			return
		}
	}
	switch first := a.bases[half*parts].(type) {
	case amd64.Vector:
		c.FirstLane(bits, first, amd64.RAX)
	case amd64.Memory:
		if a.short() {
			c.Do32(amd64.Move, amd64.RAX, first)
		} else {
			c.Do(amd64.Move, amd64.RAX, first)
		}
	}
	c.vector("VPBROADCASTG"+suffix, amd64.RAX, z(spare))
	first := half * parts
	if a.site.joint {
		parts *= 2
	}
	masks := []amd64.Mask{5, 6, 4, 3}[:parts]
	for part, mask := range masks {
		of := z(spare)
		if a.site.lies == liesContiguous {
			of = z(spare + 1)
			c.vector("VPADD"+suffix, c.Constant(ascending(part*512/bits, 512/bits, bits/8, apart)), z(spare), of)
		}
		operands := []any{amd64.Immediate(4), a.bases[first+part], of}
		if a.partial() {
			operands = append(operands, c.laneMask(a.w.guarded, first+part, !a.short(), 7))
		}
		c.vector("VPCMP"+suffix, append(operands, mask)...)
	}
	if parts > 2 {
		c.vector("KORW", amd64.Mask(6), amd64.Mask(5), amd64.Mask(5))
		c.vector("KORW", amd64.Mask(3), amd64.Mask(4), amd64.Mask(6))
	}
	c.TestMasks(5, masks[min(parts, 2)-1])
	c.JumpIf(amd64.NotEqual, slow)
}

// ascending returns n numbers of so many bytes, a step apart.
func ascending(from, n, bytes, step int) []byte {
	var data []byte
	for i := range n {
		v := binary.LittleEndian.AppendUint64(nil, uint64((from+i)*step))
		data = append(data, v[:bytes]...)
	}
	return data
}

// move emits the access through the pointers.
func (a *access) move(pointers [2]amd64.Register) {
	c := a.c
	perHalf := len(a.values) / 2
	for part, r := range a.values {
		at := amd64.At(pointers[part/perHalf], int32(a.site.distance-a.site.least))
		switch {
		case a.site.lies == liesContiguous:
			at.Displacement += int32(part % perHalf * 64)
			a.moveContiguous(part, r, at)
		case a.m.elem == 8 && part%2 > 0:
			c.vector("VMOVDQA64", z(a.values[part-1]), z(r))
		default:
			a.spread(r, at)
		}
	}
}

// spread emits the load of one element for all lanes of a part.
func (a *access) spread(r int, at amd64.Memory) {
	c := a.c
	switch a.m.elem {
	case 8:
		c.vector("VPBROADCASTQ", at, z(r))
	case 4:
		c.vector("VPBROADCASTD", at, z(r))
	case 2:
		c.Load16(amd64.RAX, at)
		c.vector("VPBROADCASTGD", amd64.RAX, z(r))
	default:
		c.Load8(amd64.RAX, at)
		c.vector("VPBROADCASTGD", amd64.RAX, z(r))
	}
}

// moveContiguous emits the access of the lanes of a part, side by side.
func (a *access) moveContiguous(part, r int, at amd64.Memory) {
	c := a.c
	if !a.w.store {
		c.vector(map[int]string{1: "VPMOVZXBD", 2: "VPMOVZXWD", 4: "VMOVDQU32", 8: "VMOVDQU64"}[a.m.elem], at, z(r))
		return
	}
	operands := []any{z(r)}
	if a.partial() {
		operands = append(operands, c.laneMask(a.w.guarded, part, a.wide(), 7))
	}
	if a.streams() {
		a.stream(r, at)
		return
	}
	c.vector(map[int]string{1: "VPMOVDB", 2: "VPMOVDW", 4: "VMOVDQU32", 8: "VMOVDQU64"}[a.m.elem], append(operands, at)...)
}

// lanewise emits the access lane by lane: what the code of moveCode expects, and what it leaves behind.
func (a *access) lanewise() {
	if a.m.count > 1 {
		a.lanewiseWide()
		return
	}
	c := a.c
	perHalf := len(a.values) / 2
	for half := range 2 {
		a.formAddresses(half)
		if a.partial() {
			c.LoadMask(16, c.warpMasks(a.w.guarded, 2*half), accessMask)
		} else {
			c.Load64(amd64.RAX, 1<<(warpLanes/2)-1)
			c.LoadMask(16, amd64.RAX, accessMask)
		}
		elements := a.values[half*perHalf:][:perHalf]
		if a.w.store {
			for i, r := range elements {
				c.vector("VMOVDQA64", z(r), z(elementVectors-i))
			}
		}
		kind := move{a.m.elem, a.w.store}
		if _, ok := c.moves[kind]; !ok {
			c.moves[kind] = c.NewLabel()
		}
		back := c.NewLabel()
		c.Load64(amd64.RDI, uint64(2*a.number+half))
		c.Load64(amd64.RDX, uint64(a.m.region*regionBytes))
		c.AddressOf(amd64.R10, back)
		c.Jump(c.moves[kind])
		c.Place(back)
		if !a.w.store {
			for i, r := range elements {
				c.vector("VMOVDQA64", z(elementVectors-i), z(r))
			}
		}
	}
}

// formAddresses puts the addresses of a half in the vectors for them, formAddressesFrom those at a distance from the base.
func (a *access) formAddresses(half int) { a.formAddressesFrom(half, a.w.distance()) }

func (a *access) formAddressesFrom(half int, distance uint64) {
	c := a.c
	low, high := z(addressVectors), z(addressVectors+1)
	offset := c.Constant(binary.LittleEndian.AppendUint64(nil, distance))
	switch {
	case a.w.address != nil:
		a.extendLanes(half, distance)
	case a.bases == nil:
		c.vector("VPBROADCASTQ", offset, low)
		c.vector("VMOVDQA64", low, high)
	case a.m.narrow:
		offset := c.Constant(binary.LittleEndian.AppendUint32(nil, uint32(distance)))
		c.vector("VPBROADCASTD", offset, z(spare))
		c.vector("VPADDD", a.bases[half], z(spare), z(spare))
		c.vector("VPMOVZXDQ", amd64.Y(spare), low)
		c.vector("VEXTRACTI64X4", amd64.Immediate(1), z(spare), amd64.Y(addressVectors+1))
		c.vector("VPMOVZXDQ", amd64.Y(addressVectors+1), high)
	default:
		c.vector("VPBROADCASTQ", offset, z(spare))
		c.vector("VPADDQ", a.bases[2*half], z(spare), low)
		c.vector("VPADDQ", a.bases[2*half+1], z(spare), high)
	}
}

// moveCode emits the code that makes accesses lane by lane. It finds the addresses of the lanes of K7 in Z30 and Z31, the region's place in RDX, the
// number of the access in RDI and where to go on in R10. Elements are in Z29, and Z28 when they have 64 bits.
func (c *compiler) moveCode() {
	for _, store := range []bool{false, true} {
		for _, elem := range []int{1, 2, 4, 8} {
			if l, ok := c.moves[move{elem, store}]; ok {
				c.Place(l)
				c.checkAddresses(elem)
				if store {
					c.storeLanes(elem)
				} else {
					c.loadLanes(elem)
				}
			}
		}
	}
}

// checkAddresses asks Go unless the addresses are aligned and in the region. RCX is then what leads from an address to the host's.
func (c *compiler) checkAddresses(elem int) {
	c.Do(amd64.Add, amd64.RDX, machineAt(unsafe.Offsetof(machine{}.regions)))
	field := func(offset uintptr) amd64.Memory { return amd64.At(amd64.RDX, int32(offset)) }
	limit := suspensionAt(unsafe.Offsetof(suspension{}.limit))
	c.Do(amd64.Move, amd64.RAX, field(unsafe.Offsetof(region{}.size)))
	c.DoImmediate(amd64.Sub, amd64.RAX, int32(elem))
	c.JumpIf(amd64.Below, c.suspends)
	c.Store(limit, amd64.RAX)
	start := field(unsafe.Offsetof(region{}.start))
	start.Broadcast, limit.Broadcast = true, true
	alignment := c.Constant(binary.LittleEndian.AppendUint64(nil, uint64(elem-1)))
	alignment.Broadcast = true
	c.ShiftMask(8, accessMask, 6)
	for i, lanes := range []amd64.Mask{accessMask, 6} {
		c.vector("VPSUBQ", start, z(addressVectors+i), z(spare))
		c.vector("VPCMPUQ", amd64.Immediate(6), limit, z(spare), lanes, amd64.Mask(4))
		c.TestMasks(4, 4)
		c.JumpIf(amd64.NotEqual, c.suspends)
		if elem > 1 {
			c.vector("VPTESTMQ", alignment, z(addressVectors+i), lanes, amd64.Mask(4))
			c.TestMasks(4, 4)
			c.JumpIf(amd64.NotEqual, c.suspends)
		}
		c.vector("VMOVDQU64", z(addressVectors+i), suspensionAt(unsafe.Offsetof(suspension{}.lanes)+uintptr(64*i)))
	}
	c.Do(amd64.Move, amd64.RCX, field(unsafe.Offsetof(region{}.host)))
	c.Do(amd64.Sub, amd64.RCX, field(unsafe.Offsetof(region{}.start)))
	c.StoreMask(16, accessMask, amd64.RAX)
}

// eachLane emits a loop over the lanes in RAX, lowest first: RDX is the lane.
func (c *compiler) eachLane(body func()) {
	loop, end := c.NewLabel(), c.NewLabel()
	c.Place(loop)
	c.Do32(amd64.And, amd64.RAX, amd64.RAX)
	c.JumpIf(amd64.Equal, end)
	c.LowestBit32(amd64.RDX, amd64.RAX)
	body()
	c.Address32(amd64.RDX, amd64.At(amd64.RAX, -1))
	c.Do32(amd64.And, amd64.RAX, amd64.RDX)
	c.Jump(loop)
	c.Place(end)
}

// laneAddress returns where the address of lane RDX is, element where its element is.
func laneAddress() amd64.Memory {
	return amd64.Memory{Base: amd64.RBX, Index: amd64.RDX, Scale: 8, Displacement: int32(unsafe.Offsetof(suspension{}.lanes))}
}

func laneElement(elem int) amd64.Memory {
	return amd64.Memory{Base: amd64.RBX, Index: amd64.RDX, Scale: max(elem, 4), Displacement: int32(unsafe.Offsetof(suspension{}.elements))}
}

// hostLane is the memory of the lane whose address is in RDI.
var hostLane = amd64.Memory{Base: amd64.RCX, Index: amd64.RDI, Scale: 1}

// elementsAt returns where the elements of a vector are.
func elementsAt(i int) amd64.Memory {
	return suspensionAt(unsafe.Offsetof(suspension{}.elements) + uintptr(64*i))
}

// elementVectorsOf returns how many vectors the elements of half a warp take.
func elementVectorsOf(elem int) int {
	if elem == 8 {
		return 2
	}
	return 1
}

func (c *compiler) storeLanes(elem int) {
	for i := range elementVectorsOf(elem) {
		c.vector("VMOVDQU64", z(elementVectors-i), elementsAt(i))
	}
	some := c.NewLabel()
	c.DoImmediate32(amd64.Compare, amd64.RAX, 1<<(warpLanes/2)-1)
	c.JumpIf(amd64.NotEqual, some)
	for i := range warpLanes / 2 {
		c.Do(amd64.Move, amd64.RDI, suspensionAt(unsafe.Offsetof(suspension{}.lanes)+uintptr(8*i)))
		c.storeLane(elem, suspensionAt(unsafe.Offsetof(suspension{}.elements)+uintptr(max(elem, 4)*i)))
	}
	c.JumpTo(amd64.R10)
	c.Place(some)
	c.eachLane(func() {
		c.Do(amd64.Move, amd64.RDI, laneAddress())
		c.storeLane(elem, laneElement(elem))
	})
	c.JumpTo(amd64.R10)
}

// storeLane emits the store of an element at the address in RDI.
func (c *compiler) storeLane(elem int, from amd64.Memory) {
	if elem == 8 {
		c.Do(amd64.Move, amd64.RDX, from)
		c.Store(hostLane, amd64.RDX)
		return
	}
	c.Do32(amd64.Move, amd64.RDX, from)
	map[int]func(amd64.Memory, amd64.Register){1: c.Store8, 2: c.Store16, 4: c.Store32}[elem](hostLane, amd64.RDX)
}

func (c *compiler) loadLanes(elem int) {
	if elem >= 4 {
		c.lendAddresses()
		c.gather(elem)
		c.JumpTo(amd64.R10)
		return
	}
	c.eachLane(func() {
		c.Do(amd64.Move, amd64.RDI, laneAddress())
		switch elem {
		case 1:
			c.Load8(amd64.RDI, hostLane)
		case 2:
			c.Load16(amd64.RDI, hostLane)
		}
		c.Store32(laneElement(elem), amd64.RDI)
	})
	c.vector("VMOVDQU64", elementsAt(0), z(elementVectors))
	c.JumpTo(amd64.R10)
}

// lendAddresses gives the lanes that do not load the address of the first that does, so that all can: how many do is no branch then.
func (c *compiler) lendAddresses() {
	all, some := c.NewLabel(), c.NewLabel()
	c.DoImmediate32(amd64.Compare, amd64.RAX, 1<<(warpLanes/2)-1)
	c.JumpIf(amd64.Equal, all)
	c.Do32(amd64.And, amd64.RAX, amd64.RAX)
	c.JumpIf(amd64.NotEqual, some)
	c.JumpTo(amd64.R10)
	c.Place(some)
	c.LowestBit32(amd64.RDX, amd64.RAX)
	c.vector("VPBROADCASTQ", laneAddress(), z(spare))
	c.ShiftMask(8, accessMask, 6)
	for i, lanes := range []amd64.Mask{accessMask, 6} {
		own := z(addressVectors + i)
		c.vector("VPBLENDMQ", own, z(spare), lanes, own)
		c.vector("VMOVDQU64", own, suspensionAt(unsafe.Offsetof(suspension{}.lanes)+uintptr(64*i)))
	}
	c.Place(all)
}

// gather emits the loads of all lanes: gather instructions take longer since they were mended.
func (c *compiler) gather(elem int) {
	perQuarter := 16 / elem
	for i := range warpLanes / 2 {
		c.Do(amd64.Move, amd64.RDI, suspensionAt(unsafe.Offsetof(suspension{}.lanes)+uintptr(8*i)))
		quarter := amd64.X(spare)
		if i%perQuarter == 0 {
			c.LoadLane(8*elem, hostLane, quarter)
		} else {
			c.InsertLane(8*elem, uint8(i%perQuarter), hostLane, quarter, quarter)
		}
		if i%perQuarter < perQuarter-1 {
			continue
		}
		dst := z(elementVectors - i*elem/64)
		c.vector("VINSERTI32X4", amd64.Immediate(i*elem/16%4), quarter, dst, dst)
	}
}
