package simd

import (
	"encoding/binary"
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
	back := a.m.offset + uint64(g.least-a.site.distance)
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
