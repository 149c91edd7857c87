package simd

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unsafe"

	"silica/internal/amd64"
)

// vectors is how many vector registers hold values; the others are for code out of line and in between.
const vectors, spare = 25, 25

// value names what a vector register may hold: a vector of a warp's row, or a constant of a body.
type value struct {
	row, part int // the row's place in the frame
	wide      bool
	constant  string
}

// holder is a vector register.
type holder struct {
	used   bool
	value  value
	bound  bool // it holds a value; else something in between
	dirty  bool // its place in the frame does not have it
	saved  bool // its spill slot has it
	raw    bool // NaNs are not canonical yet
	locked bool // in use by the present instruction
}

// values allocates vector registers along the straight line of a run. A value that has to go, goes to a spill slot: the slots lie side by
// side, as the places of a warp's values in a frame do not, which would fall on few sets of a cache. What is left in the end goes to the frame.
type values struct {
	c       *compiler
	at      int // the present work
	holders [vectors]holder
	slots   map[value]int
	spilled map[value]spill // the values that only their slots have, and registers perhaps
}

// spill is what a slot holds.
type spill struct {
	slot int
	raw  bool
}

func newValues(c *compiler) values {
	return values{c: c, slots: map[value]int{}, spilled: map[value]spill{}}
}

// slotAt returns where a spill slot is.
func slotAt(slot int) amd64.Memory {
	return suspensionAt(unsafe.Offsetof(suspension{}.slots) + uintptr(64*slot))
}

// memory returns where a value is when no register holds it.
func (s *values) memory(v value) amd64.Memory {
	if x, ok := s.spilled[v]; ok {
		return slotAt(x.slot)
	}
	return s.c.place(v)
}

// rowValue names a part of a register: of two in a row of 32 bits, of four in one of 64.
func (c *compiler) rowValue(o operand, part int) value {
	if c.plan.constants[o.offset] {
		part = 0
	}
	return value{row: o.offset, part: part, wide: o.bits == 64}
}

// place returns where a value is in the frame.
func (c *compiler) place(v value) amd64.Memory {
	if cell, ok := c.plan.cells[v.row]; ok {
		return cell
	}
	m := amd64.Memory{Base: amd64.R11, Index: amd64.R9, Scale: 1, Displacement: int32(v.row + v.part*64)}
	if v.wide {
		m.Scale = 2
	}
	if c.plan.constants[v.row] { // the same in every warp
		m.Index = amd64.RSP
	}
	return m
}

func z(n int) amd64.Vector { return amd64.Z(uint8(n)) }

// find returns the register that holds a value, -1 when none does.
func (s *values) find(v value) int {
	return slices.IndexFunc(s.holders[:], func(h holder) bool { return h.bound && h.value == v })
}

// need returns a register that holds a value.
func (s *values) need(v value) int {
	r := s.find(v)
	if r < 0 {
		r = s.take()
		h := &s.holders[r]
		h.bound, h.value = true, v
		if v.constant != "" {
			s.c.loadConstant(v.constant, r)
		} else {
			s.c.loadVector(v, s.memory(v), z(r))
			x, ok := s.spilled[v]
			h.dirty, h.saved, h.raw = ok, ok, x.raw
		}
	}
	s.holders[r].locked = true
	return r
}

// loadVector loads a value from a place.
func (c *compiler) loadVector(v value, from amd64.Memory, to amd64.Vector) {
	move := moveOf(v)
	if from.Broadcast {
		move, from.Broadcast = "VPBROADCASTD", false
		if v.wide {
			move = "VPBROADCASTQ"
		}
	}
	c.vector(move, from, to)
}

func moveOf(v value) string {
	if v.wide {
		return "VMOVDQU64"
	}
	return "VMOVDQU32"
}

// take returns a register that is free, locked.
func (s *values) take() int {
	best, far := -1, -1
	for r := range s.holders {
		h := &s.holders[r]
		if !h.used {
			best = r
			break
		}
		if h.locked {
			continue
		}
		next := s.nextUse(h)
		if next > far || next == far && !h.dirty {
			best, far = r, next
		}
	}
	if best < 0 {
		panic("no vector register is left")
	}
	h := &s.holders[best]
	if h.used && h.dirty && !h.saved && !s.dead(h) {
		s.spill(best)
	}
	*h = holder{used: true, locked: true}
	return best
}

// nextUse returns the work that reads what a register holds next, the present one or later.
func (s *values) nextUse(h *holder) int {
	if h.value.constant != "" {
		return never - 1
	}
	return next(s.c.plan.reads[h.value.row], s.at)
}

// dead tells whether what a register holds is overwritten before it is read, by the present work or later.
func (s *values) dead(h *holder) bool {
	if s.c.plan.exact && s.nextUse(h) == never {
		return true
	}
	write := next(s.c.plan.writes[h.value.row], s.at+1)
	return write < never && s.nextUse(h) > write
}

// spill brings a register's value to its slot.
func (s *values) spill(r int) {
	h := &s.holders[r]
	slot, ok := s.slots[h.value]
	if !ok {
		slot = len(s.slots)
		if slot == spillSlots {
			panic("no spill slot is left")
		}
		s.slots[h.value] = slot
	}
	s.spilled[h.value] = spill{slot, h.raw}
	h.saved = true
	s.c.vector("VMOVDQA64", z(r), slotAt(slot))
}

// store brings a register's value to its place in the frame, with canonical NaNs.
func (s *values) store(r int) {
	s.canonical(r)
	h := &s.holders[r]
	delete(s.spilled, h.value)
	h.dirty = false
	s.c.storeVector(moveOf(h.value), z(r), s.c.place(h.value), h.value)
}

// storeVector stores what a vector has for the lanes that run.
func (c *compiler) storeVector(move string, from amd64.Vector, to amd64.Memory, v value) {
	if !c.masked {
		c.vector(move, from, to)
		return
	}
	c.vector(move, from, c.laneMask(false, v.part, v.wide, 7), to)
}

// laneMask returns a mask register with the lanes of a part of a row: those that run, or those with the guard true.
func (c *compiler) laneMask(guarded bool, part int, wide bool, scratch amd64.Mask) amd64.Mask {
	switch {
	case wide:
		c.LoadMask(8, c.warpMasks(guarded, part), scratch)
		return scratch
	case guarded:
		c.LoadMask(16, c.warpMasks(true, 2*part), scratch)
		return scratch
	}
	return amd64.Mask(1 + part)
}

// bind makes a register hold a value that memory does not have.
func (s *values) bind(r int, v value, raw bool) {
	if old := s.find(v); old >= 0 && old != r {
		s.holders[old] = holder{}
	}
	delete(s.spilled, v)
	s.holders[r] = holder{used: true, locked: true, bound: true, value: v, dirty: true, raw: raw}
}

// release frees a register that holds something in between.
func (s *values) release(r int) {
	if !s.holders[r].bound {
		s.holders[r] = holder{}
	}
}

// unlock ends an instruction.
func (s *values) unlock() {
	for r := range s.holders {
		h := &s.holders[r]
		h.locked = false
		if h.used && !h.bound {
			*h = holder{}
		}
	}
}

// detach takes a register away from its value, which is not needed any more, or in memory.
func (s *values) detach(r int) {
	s.holders[r] = holder{used: true, locked: true}
}

// takeover tells whether the present work may have the register of a value that it reads: nobody reads the value after it.
func (s *values) takeover(r int, redefines bool) bool {
	h := &s.holders[r]
	if h.value.constant != "" || s.c.plan.constants[h.value.row] {
		return false
	}
	read, write := next(s.c.plan.reads[h.value.row], s.at+1), next(s.c.plan.writes[h.value.row], s.at+1)
	return redefines || read > write || read == never && (!h.dirty || h.saved || s.c.plan.exact)
}

// canonical makes the NaNs of a register canonical.
func (s *values) canonical(r int) {
	h := &s.holders[r]
	if !h.raw {
		return
	}
	s.c.canonical(r, s.c.loadedConstant(canonicalNaN, spare))
	h.raw, h.dirty, h.saved = false, true, false
}

// canonicalAll makes all NaNs canonical while that leaves small numbers as they are.
func (s *values) canonicalAll() {
	for r := range s.holders {
		s.canonical(r)
	}
	for _, v := range s.spilledValues() {
		x := s.spilled[v]
		if !x.raw || s.find(v) >= 0 {
			continue
		}
		s.c.vector("VMOVDQA64", slotAt(x.slot), z(spare+1))
		s.c.canonical(spare+1, s.c.loadedConstant(canonicalNaN, spare))
		s.c.vector("VMOVDQA64", z(spare+1), slotAt(x.slot))
		s.spilled[v] = spill{slot: x.slot}
	}
}

// spilledValues returns the values that are in slots, by these.
func (s *values) spilledValues() []value {
	return slices.SortedFunc(maps.Keys(s.spilled), func(a, b value) int { return s.spilled[a].slot - s.spilled[b].slot })
}

const canonicalNaN, canonicalTable = "d 0x7fffffff", "d 0x11111100"

// canonical makes the NaNs of a register canonical, with one that holds such NaNs and is changed.
func (c *compiler) canonical(r, nans int) {
	table := c.constantMemory(canonicalTable)
	table.Broadcast = true
	c.vector("VFIXUPIMMPS", amd64.Immediate(0), table, z(r), z(nans))
	c.vector("VMOVDQA64", z(nans), z(r))
}

// loadedConstant loads a constant in a register that holds no value.
func (c *compiler) loadedConstant(constant string, r int) int {
	c.loadConstant(constant, r)
	return r
}

// storeAll brings all values to their places.
func (s *values) storeAll() { s.storeLive(func(int) bool { return true }) }

// storeLive brings the values of live rows to their places, and forgets all.
func (s *values) storeLive(live func(row int) bool) {
	for r := range s.holders {
		h := &s.holders[r]
		if h.bound && h.value.constant == "" && h.dirty && live(h.value.row) {
			s.store(r)
		}
		*h = holder{}
	}
	for _, v := range s.spilledValues() {
		if !live(v.row) {
			continue
		}
		r := s.need(v)
		s.store(r)
		s.holders[r] = holder{}
	}
}

// clone returns a copy, for code out of line.
func (s *values) clone() values {
	c := *s
	c.slots, c.spilled = maps.Clone(s.slots), maps.Clone(s.spilled)
	return c
}

// constantMemory returns where the bytes of a constant are.
func (c *compiler) constantMemory(t string) amd64.Memory {
	data, err := constantData(t)
	if err != nil {
		panic(err)
	}
	return c.Constant(data)
}

func (c *compiler) loadConstant(t string, r int) {
	load := map[byte]string{'d': "VPBROADCASTD", 'q': "VPBROADCASTQ", 'x': "VBROADCASTI32X4"}[t[0]]
	c.vector(load, c.constantMemory(t), z(r))
}

// constantData returns the bytes of a constant as gen writes it.
func constantData(t string) ([]byte, error) {
	switch t[0] {
	case 'x', 'v':
		return hex.DecodeString(t[2:])
	case 'd', 'q', 'm':
		v, err := strconv.ParseUint(t[2:], 0, 64)
		if t[0] == 'q' {
			return binary.LittleEndian.AppendUint64(nil, v), err
		}
		return binary.LittleEndian.AppendUint32(nil, uint32(v)), err
	}
	return nil, fmt.Errorf("constant {%s}", t)
}
