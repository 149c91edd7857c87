package simd

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"silica/internal/amd64"
	"silica/internal/isa"
)

// What has native code tell of its accesses: see journal.

// together tells whether accesses may be reported together.
func (a *access) together() bool {
	return a.c.program.who.together && a.m.space != isa.SharedCluster && a.m.space != isa.Generic
}

// entersAddresses tells whether the access is entered with the address of each lane before it is made.
func (a *access) entersAddresses() bool {
	switch {
	case !a.w.reported:
		return false
	case !a.together():
		return true
	case a.isParameterLoad():
		return a.partial()
	}
	return !a.grouped || a.site.lies == liesAnyhow
}

// isParameterLoad tells whether the access is that of loadParameter.
func (a *access) isParameterLoad() bool { return a.w.isParameter() && a.c.inParameters(a.m) }

func journalAt() amd64.Memory { return suspensionAt(unsafe.Offsetof(suspension{}.journal)) }

// begin emits the start of an entry at RDX: its note, and the lanes.
func (a *access) beginEntry(n *note) {
	c := a.c
	c.Do(amd64.Move, amd64.RDX, journalAt())
	header := binary.LittleEndian.AppendUint64(nil, uint64(uintptr(unsafe.Pointer(n))))
	header = binary.LittleEndian.AppendUint32(header, allLanes)
	c.vector("VMOVDQU32", c.Constant(binary.LittleEndian.AppendUint32(header, 0)), amd64.X(spare))
	c.vector("VMOVDQU32", amd64.X(spare), amd64.At(amd64.RDX, int32(unsafe.Offsetof(entry{}.note))))
	if a.partial() {
		c.Do32(amd64.Move, amd64.RAX, c.warpMasks(a.w.guarded, 0))
		c.Store32(amd64.At(amd64.RDX, int32(unsafe.Offsetof(entry{}.mask))), amd64.RAX)
	}
}

// enterAddresses emits an entry with the address of each lane. It changes RAX, RDX and the vectors of addresses.
func (a *access) enterAddresses() {
	c := a.c
	if !a.w.reported {
		return
	}
	o := &c.run.code.ops[a.w.step]
	n := noteOf(o)
	n.addressed = true
	a.beginEntry(c.program.notes.add(n, false))
	at := func(field uintptr) amd64.Memory { return amd64.At(amd64.RDX, int32(field)) }
	c.Store32(at(unsafe.Offsetof(entry{}.warp)), amd64.R14)
	c.Do32(amd64.Move, amd64.RAX, suspensionAt(unsafe.Offsetof(suspension{}.place)))
	c.Store32(at(unsafe.Offsetof(entry{}.x)), amd64.RAX)
	for half := range 2 {
		a.formAddresses(half)
		for i := range 2 {
			c.vector("VMOVDQU64", z(addressVectors+i), at(unsafe.Offsetof(addressedEntry{}.addresses)+uintptr(128*half+64*i)))
		}
	}
	c.DoImmediate(amd64.Add, journalAt(), int32(unsafe.Sizeof(addressedEntry{})))
}

// guestAt returns where the address is kept at which the pointer of the group for a half of the warp points.
func (g *group) guestAt(half int) amd64.Memory {
	return suspensionAt(unsafe.Offsetof(suspension{}.guests) + uintptr(g.slot*16+half*8))
}

// counted tells whether it is enough to count the accesses.
func (a *access) counted() bool {
	const word = 4
	return !a.partial() && (a.m.space == isa.Shared || a.m.space == isa.ParamEntry) && a.m.bytes >= word
}

// keepGuest emits that the address in a register is kept, which will be a pointer of the group.
func (a *access) keepGuest(half int, r amd64.Register) {
	if a.w.reported && a.together() && !(a.counted() && a.site.joint) {
		a.c.Store(a.site.guestAt(half), r)
	}
}

// keepSecond is keepGuest for the second half of a warp that makes its accesses where the first does.
func (a *access) keepSecond() {
	if a.w.reported && a.together() && !(a.counted() && a.site.joint) {
		a.c.Do(amd64.Move, amd64.RAX, a.site.guestAt(0))
		a.c.Store(a.site.guestAt(1), amd64.RAX)
	}
}

// tally emits that the accesses of the group are made through its pointers, all those of the segment at the first.
func (a *access) tally() {
	c, g := a.c, a.site.group
	if !a.w.reported || !a.together() || g.noted == c.segment+1 {
		return
	}
	g.noted = c.segment + 1
	n := &note{joint: g.joint, contiguous: g.lies == liesContiguous, counted: a.counted() && g.joint}
	for i := a.at; i < len(c.run.work) && c.run.work[i].kind != leaves; i++ {
		if s, ok := c.plan.sites[i]; ok && s.group == g && c.run.work[i].reported {
			n.sites = append(n.sites, notedOf(&c.run.code.ops[c.run.work[i].step], uint64(s.distance-g.least)))
		}
	}
	c.program.notes.add(n, !a.partial())
	switch {
	case n.slot < 0:
		a.enterSpan(n)
	case n.counted:
		c.countTally(n)
	default:
		a.goOnTally(n)
	}
}

// tallyParameter emits that a parameter is loaded by all lanes.
func (a *access) tallyParameter() {
	if !a.w.reported || a.entersAddresses() {
		return
	}
	c := a.c
	n := noteOf(&c.run.code.ops[a.w.step])
	n.counted, n.joint = a.counted(), true
	c.program.notes.add(n, true)
	if n.slot >= 0 && n.counted {
		c.countTally(n)
		return
	}
	n.counted = false
	a.beginEntry(n)
	c.Load64(amd64.RAX, a.m.offset)
	c.endSpan(n)
}

func tallyAt(n *note, field uintptr) amd64.Memory {
	return suspensionAt(unsafe.Offsetof(suspension{}.tallies) + uintptr(n.slot)*unsafe.Sizeof(tally{}) + field)
}

// The places of what a run has: in a tally and in an entry.
const (
	tallyRun = unsafe.Offsetof(tally{}.run)
	entryRun = unsafe.Offsetof(entry{}.run)
	runFirst = unsafe.Offsetof(spanRun{}.first)
	runStep  = unsafe.Offsetof(spanRun{}.step)
	runTimes = unsafe.Offsetof(spanRun{}.times)
	runApart = unsafe.Offsetof(spanRun{}.apart)
)

// countTally emits that accesses are made wherever.
func (c *compiler) countTally(n *note) { c.DoImmediate(amd64.Add, tallyAt(n, tallyRun+runTimes), 1) }

// enterSpan emits an entry of accesses from the address of the group on.
func (a *access) enterSpan(n *note) {
	n.counted = false
	a.beginEntry(n)
	a.loadGuests(amd64.R10)
	a.c.endSpan(n)
}

// endSpan emits the rest of an entry at RDX: one time from RAX on, with the second half R10 apart.
func (c *compiler) endSpan(n *note) {
	at := func(field uintptr) amd64.Memory { return amd64.At(amd64.RDX, int32(entryRun+field)) }
	c.Store(at(runFirst), amd64.RAX)
	c.StoreImmediate(at(runStep), 0)
	c.StoreImmediate(at(runTimes), 1)
	if !n.joint {
		c.Store(at(runApart), amd64.R10)
	}
	c.DoImmediate(amd64.Add, journalAt(), int32(unsafe.Sizeof(entry{})))
}

// loadGuests emits the address of the group in RAX, and in another register how far apart the second half is where they do not lie together.
func (a *access) loadGuests(apart amd64.Register) {
	c, g := a.c, a.site.group
	c.Do(amd64.Move, amd64.RAX, g.guestAt(0))
	if !g.joint {
		c.Do(amd64.Move, apart, g.guestAt(1))
		c.Do(amd64.Sub, apart, amd64.RAX)
	}
}

// goOnTally emits that a run goes on, or another one begins.
func (a *access) goOnTally(n *note) {
	c := a.c
	missed, back := c.NewLabel(), c.NewLabel()
	a.loadGuests(amd64.RDX)
	at := func(field uintptr) amd64.Memory { return tallyAt(n, tallyRun+field) }
	next := tallyAt(n, unsafe.Offsetof(tally{}.next))
	if !n.joint {
		c.Do(amd64.Compare, amd64.RDX, at(runApart))
		c.JumpIf(amd64.NotEqual, missed)
	}
	c.Do(amd64.Compare, amd64.RAX, next)
	c.JumpIf(amd64.NotEqual, missed)
	c.Do(amd64.Add, amd64.RAX, at(runStep))
	c.Store(next, amd64.RAX)
	c.DoImmediate(amd64.Add, at(runTimes), 1)
	c.Place(back)
	c.slow = append(c.slow, func() {
		enter, begin := c.NewLabel(), c.NewLabel()
		c.Place(missed)
		c.DoImmediate(amd64.Compare, at(runTimes), 1)
		c.JumpIf(amd64.Below, begin)
		c.JumpIf(amd64.NotEqual, enter)
		if !n.joint {
			c.Do(amd64.Compare, amd64.RDX, at(runApart))
			c.JumpIf(amd64.NotEqual, enter)
		}
		c.Do(amd64.Move, amd64.R10, amd64.RAX)
		c.Do(amd64.Sub, amd64.R10, at(runFirst))
		c.Store(at(runStep), amd64.R10)
		c.Do(amd64.Add, amd64.R10, amd64.RAX)
		c.Store(next, amd64.R10)
		c.StoreImmediate(at(runTimes), 2)
		c.Jump(back)
		c.Place(enter)
		c.Do(amd64.Move, amd64.R10, journalAt())
		header := binary.LittleEndian.AppendUint64(nil, uint64(uintptr(unsafe.Pointer(n))))
		header = binary.LittleEndian.AppendUint64(header, allLanes)
		c.vector("VMOVDQU32", c.Constant(header), amd64.X(spare))
		c.vector("VMOVDQU32", amd64.X(spare), amd64.At(amd64.R10, int32(unsafe.Offsetof(entry{}.note))))
		c.vector("VMOVDQU32", at(0), amd64.Y(spare))
		c.vector("VMOVDQU32", amd64.Y(spare), amd64.At(amd64.R10, int32(entryRun)))
		c.DoImmediate(amd64.Add, journalAt(), int32(unsafe.Sizeof(entry{})))
		c.Place(begin)
		c.Store(at(runFirst), amd64.RAX)
		c.Store(next, amd64.RAX)
		c.StoreImmediate(at(runStep), 0)
		c.StoreImmediate(at(runTimes), 1)
		if !n.joint {
			c.Store(at(runApart), amd64.RDX)
		}
		c.Jump(back)
	})
}

// checkJournal emits the way elsewhere when the journal is to be read before so many warps do some work. It changes RDX.
func (c *compiler) checkJournal(list []work, warps int, full amd64.Label) {
	n := 0
	for i := range list {
		if list[i].reported {
			n++
		}
	}
	if n == 0 {
		return
	}
	if n*warps*entryBytesMost > journalSlack {
		panic(fmt.Sprintf("%d accesses are too many for the journal", n))
	}
	c.Do(amd64.Move, amd64.RDX, journalAt())
	c.Do(amd64.Compare, amd64.RDX, suspensionAt(unsafe.Offsetof(suspension{}.journalLimit)))
	c.JumpIf(amd64.Above, full)
}
