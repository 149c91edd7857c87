package simd

import (
	"encoding/binary"
	"unsafe"

	"silica/internal/amd64"
	"silica/internal/exec"
	"silica/internal/isa"
)

// Accesses of several elements a lane: two or four of 32 bits, or two of 64. The elements of a lane lie side by side, while registers have the same element of
// all lanes: vectors of memory are taken apart, or put together.

// isWide tells whether native code can make an access of several elements.
func (m *memoryOp) isWide() bool {
	return m.elem == 4 && (m.count == 2 || m.count == 4) || m.elem == 8 && m.count == 2
}

// wideAccess marks the number of a wide access among those that native code asks Go for.
const wideAccess = 1 << 40

// wideSite is a wide access in native code that may ask Go: the vector registers of its elements, all parts of the first, then those of the second.
type wideSite struct {
	work      work
	registers []int
}

// serveWide makes a wide access of half a warp for native code.
func (g *gang) serveWide(r *run, s *suspension, number uint64) bool {
	site := &r.wide[number/2]
	w := &site.work
	o, m := &r.code.ops[w.step], w.mem
	g.at = w.step
	half, warp := int(number%2), int(s.registers[warpRegister]/4)
	parts := len(site.registers) / m.count
	for lane := range warpLanes / 2 {
		if s.masks[accessMask]>>lane&1 == 0 {
			continue
		}
		addr := *(*uint64)(unsafe.Pointer(&s.vectors[addressVectors+lane/8][lane%8*8]))
		c, space, fault := g.resolve(m, addr)
		if fault == nil && w.store && space == isa.ParamEntry {
			fault = &exec.Fault{Kind: exec.IllegalAddress, Detail: "the parameters of a kernel can not be written"}
		}
		if fault != nil {
			g.fail(o, warp, half*warpLanes/2+lane, fault)
			return false
		}
		byte := (half*warpLanes/2 + lane) * m.elem
		for i := range m.count {
			at := ptr(&s.vectors[site.registers[i*parts+byte/64]][byte%64])
			g.transfer(m, c, warp, half*warpLanes/2+lane, at, w.store)
			c.address += uint64(m.elem)
			if !c.local {
				c.p = unsafe.Add(c.p, m.elem)
			}
		}
	}
	return true
}

// perVector returns how many lanes have their elements in a vector of memory, and how many such vectors the lanes of a part take.
func (a *access) perVector() (lanes, vectors int) {
	lanes = 64 / a.m.bytes
	return lanes, 64 / a.m.elem / lanes
}

// rowOf returns the register of a part of an element.
func (a *access) rowOf(element, part int) int {
	return a.values[element*len(a.values)/a.m.count+part]
}

// moveWide emits a wide access through the pointers.
func (a *access) moveWide(pointers [2]amd64.Register, slow amd64.Label) {
	c := a.c
	if a.w.store && a.w.guarded && !a.masked { // lanes in between must not be written
		c.DoImmediate32(amd64.Compare, c.warpMasks(true, 0), -1)
		c.JumpIf(amd64.NotEqual, slow)
	}
	parts := len(a.values) / a.m.count
	_, vectors := a.perVector()
	for part := range parts {
		at := amd64.At(pointers[part*2/parts], int32(a.site.distance-a.site.least))
		if a.site.lies == liesUniform {
			for i := range a.m.count {
				a.spread(a.rowOf(i, part), at)
				at.Displacement += int32(a.m.elem)
			}
			continue
		}
		at.Displacement += int32(part % (parts / 2) * vectors * 64)
		if !a.w.store {
			for v := range vectors {
				c.vector("VMOVDQU32", at, z(spare+v))
				at.Displacement += 64
			}
			a.takeApart(part)
			continue
		}
		a.putTogether(part, func(r int) {
			if a.streams() {
				a.stream(r, at)
			} else {
				c.vector("VMOVDQU32", z(r), at)
			}
			at.Displacement += 64
		})
	}
}

// wordsOf returns the operand of a permutation: of words of 32 bits of two vectors, element by element of so many words.
func (a *access) wordsOf(from func(i int) int) amd64.Memory {
	words := a.m.elem / 4
	var data []byte
	for i := range 16 / words {
		for word := range words {
			data = binary.LittleEndian.AppendUint32(data, uint32(from(i)*words+word))
		}
	}
	return a.c.Constant(data)
}

// takeApart brings the elements of a part's lanes from the vectors of memory, in those from spare on, to their registers.
func (a *access) takeApart(part int) {
	c := a.c
	pick := func(first, by, pair, to int) {
		c.vector("VMOVDQU32", a.wordsOf(func(i int) int { return first + i*by }), z(to))
		c.vector("VPERMI2D", z(spare+pair+1), z(spare+pair), z(to))
	}
	if a.m.count == 2 {
		pick(0, 2, 0, a.rowOf(0, part))
		pick(1, 2, 0, a.rowOf(1, part))
		return
	}
	// Two elements each of the lanes of two vectors, then the halves of these.
	var rows [4]amd64.Vector
	for i := range rows {
		rows[i] = z(a.rowOf(i, part))
	}
	for i := range 4 {
		first := i % 2 * 2
		c.vector("VMOVDQU32", a.wordsOf(func(i int) int { return first + i/8 + i%8*4 }), rows[i])
		c.vector("VPERMI2D", z(spare+i/2*2+1), z(spare+i/2*2), rows[i])
	}
	const low, high = 0x44, 0xee
	c.vector("VSHUFI64X2", amd64.Immediate(high), rows[2], rows[0], z(spare))
	c.vector("VSHUFI64X2", amd64.Immediate(low), rows[2], rows[0], rows[0])
	c.vector("VSHUFI64X2", amd64.Immediate(low), rows[3], rows[1], rows[2])
	c.vector("VSHUFI64X2", amd64.Immediate(high), rows[3], rows[1], rows[3])
	c.vector("VMOVDQA64", z(spare), rows[1])
}

// putTogether calls each with a vector for each vector of memory that the elements of a part's lanes make.
func (a *access) putTogether(part int, each func(r int)) {
	c := a.c
	const result = spare + 2
	n := 64 / a.m.elem
	first, second := z(a.rowOf(0, part)), z(a.rowOf(1, part))
	merge := func(from func(i int) int) {
		c.vector("VMOVDQU32", a.wordsOf(from), z(result))
		c.vector("VPERMI2D", second, first, z(result))
		each(result)
	}
	if a.m.count == 2 {
		for v := range 2 {
			merge(func(i int) int { return v*n/2 + i/2 + i%2*n })
		}
		return
	}
	for _, lanes := range []int{0x44, 0xee} {
		first, second = z(spare), z(spare+1)
		c.vector("VSHUFI64X2", amd64.Immediate(lanes), z(a.rowOf(1, part)), z(a.rowOf(0, part)), first)
		c.vector("VSHUFI64X2", amd64.Immediate(lanes), z(a.rowOf(3, part)), z(a.rowOf(2, part)), second)
		for v := range 2 {
			merge(func(i int) int { return v*4 + i/4 + i%4*8 })
		}
	}
}

// lanewiseWide emits a wide access lane by lane, half a warp at a time.
func (a *access) lanewiseWide() {
	c := a.c
	number := uint64(wideAccess + 2*len(*c.wide))
	*c.wide = append(*c.wide, wideSite{*a.w, append([]int(nil), a.values...)})
	for half := range 2 {
		a.formAddresses(half)
		if a.partial() {
			c.LoadMask(16, c.warpMasks(a.w.guarded, 2*half), accessMask)
		} else {
			c.Load64(amd64.RAX, 1<<(warpLanes/2)-1)
			c.LoadMask(16, amd64.RAX, accessMask)
		}
		back := c.NewLabel()
		c.Load64(amd64.RDI, number+uint64(half))
		c.Load64(amd64.RDX, uint64(a.m.region*regionBytes))
		c.AddressOf(amd64.R10, back)
		c.checkAddresses(a.m.bytes)
		if a.w.store {
			a.storeWide(half)
		} else {
			a.loadWide(half)
		}
		c.Place(back)
	}
}

// partsOf returns the parts of half a warp.
func (a *access) partsOf(half int) []int {
	if a.wide() {
		return []int{2 * half, 2*half + 1}
	}
	return []int{half}
}

func lanePlace(lane int) amd64.Memory {
	return suspensionAt(unsafe.Offsetof(suspension{}.lanes) + uintptr(8*lane))
}

// loadWide emits the loads of half a warp at the lanes' addresses.
func (a *access) loadWide(half int) {
	c := a.c
	if a.partial() {
		c.lendAddresses()
	}
	perVector, vectors := a.perVector()
	lane := 0
	for _, part := range a.partsOf(half) {
		for v := range vectors {
			to := spare + v
			for i := range perVector {
				c.Do(amd64.Move, amd64.RDI, lanePlace(lane))
				lane++
				switch quarter, x := i*a.m.bytes/16, amd64.X(spare+4); {
				case a.m.bytes == 8 && i%2 == 0:
					c.LoadLane(64, hostLane, x)
				case a.m.bytes == 8:
					c.InsertLane(64, 1, hostLane, x, x)
					c.vector("VINSERTI32X4", amd64.Immediate(quarter), x, z(to), z(to))
				case i == 0:
					c.vector("VMOVDQU32", hostLane, amd64.X(uint8(to)))
				default:
					c.vector("VINSERTI32X4", amd64.Immediate(quarter), hostLane, z(to), z(to))
				}
			}
		}
		a.takeApart(part)
	}
}

// storeWide emits the stores of half a warp, the lowest lane first.
func (a *access) storeWide(half int) {
	c := a.c
	v := 0
	for _, part := range a.partsOf(half) {
		a.putTogether(part, func(r int) {
			c.vector("VMOVDQU32", z(r), elementsAt(v))
			v++
		})
	}
	element := amd64.X(spare)
	if !a.partial() {
		for lane := range warpLanes / 2 {
			c.Do(amd64.Move, amd64.RDI, lanePlace(lane))
			at := suspensionAt(unsafe.Offsetof(suspension{}.elements) + uintptr(a.m.bytes*lane))
			if a.m.bytes == 8 {
				c.Do(amd64.Move, amd64.RDX, at)
				c.Store(hostLane, amd64.RDX)
				continue
			}
			c.vector("VMOVDQU32", at, element)
			c.vector("VMOVDQU32", element, hostLane)
		}
		return
	}
	c.eachLane(func() {
		c.Do(amd64.Move, amd64.RDI, laneAddress())
		if a.m.bytes == 8 {
			c.Do(amd64.Move, amd64.RDX, laneElement(8))
			c.Store(hostLane, amd64.RDX)
			return
		}
		c.Do(amd64.Add, amd64.RDX, amd64.RDX)
		c.vector("VMOVDQU32", laneElement(8), element)
		c.vector("VMOVDQU32", element, hostLane)
	})
}
