package simd

import (
	"encoding/binary"
	"math"
	"unsafe"

	"silica/internal/amd64"
)

// exchange emits an instruction that moves values between the lanes of a warp that run.
func (c *compiler) exchange(w *work) {
	if w.mode == ballot {
		c.ballot(w)
	} else {
		c.shuffle(w)
	}
	c.values.unlock()
}

// lanesIn puts the lanes that take part in a register.
func (c *compiler) lanesIn(w *work, r amd64.Register) {
	if c.masked || w.guarded {
		c.Do32(amd64.Move, r, c.warpMasks(w.guarded, 0))
		return
	}
	c.Load64(r, allLanes)
}

func (c *compiler) ballot(w *work) {
	c.Do32(amd64.Move, amd64.RAX, c.predicate(w.srcs[0], 0))
	if w.srcs[0].negate {
		c.Not32(amd64.RAX)
	}
	c.lanesIn(w, amd64.RCX)
	c.Do32(amd64.And, amd64.RAX, amd64.RCX)
	for part := range 2 {
		r := c.values.take()
		c.vector("VPBROADCASTGD", amd64.RAX, z(r))
		c.define(w, part, r, false)
	}
}

// vote emits a vote over the predicate of an operation on predicates: RAX has its bits, and gets those of the result.
func (c *compiler) vote(w *work) {
	yes := c.NewLabel()
	c.lanesIn(w, amd64.RCX)
	c.Do32(amd64.And, amd64.RAX, amd64.RCX)
	c.Do32(amd64.Move, amd64.RDX, amd64.RAX)
	c.Load64(amd64.RAX, allLanes)
	compare := func(condition amd64.Condition) {
		c.Do32(amd64.Compare, amd64.RDX, amd64.RCX)
		c.JumpIf(condition, yes)
	}
	if w.control != controlVoteAny {
		compare(amd64.Equal)
	}
	if w.control != controlVoteAll {
		c.Do32(amd64.Xor, amd64.RCX, amd64.RCX)
		if w.control == controlVoteAny {
			compare(amd64.NotEqual)
		} else {
			compare(amd64.Equal)
		}
	}
	c.Do32(amd64.Xor, amd64.RAX, amd64.RAX)
	c.Place(yes)
}

// shuffle emits that lanes get the value of another lane: from those of the first source where the second says and the third allows it. The fourth gets the lanes
// that found one in range; see gen/warp.go.
func (c *compiler) shuffle(w *work) {
	s := &c.values
	var sources [2]int
	for part := range sources {
		r := s.need(c.rowValue(w.srcs[0], part))
		s.canonical(r)
		if c.masked || w.guarded { // lanes that do not take part count as zero
			t := s.take()
			c.vector("VMOVDQA32.Z", z(r), c.laneMask(w.guarded, part, false, 7), z(t))
			r = t
		}
		sources[part] = r
	}
	from, inRange, known := c.sourceLanes(w)
	var results [2]int
	for part := range results {
		r := s.take()
		results[part] = r
		if known {
			c.vector("VMOVDQU32", c.Constant(wordBytes(from[16*part:16*part+16])), z(r))
		} else {
			c.findLanes(w, part, r)
		}
		c.vector("VPERMI2D", z(sources[1]), z(sources[0]), z(r))
	}
	if w.srcs[3].offset != testPredicate {
		if known {
			c.Load64(amd64.RAX, uint64(inRange))
		} else {
			c.JoinMasks(16, 3, 4, 3)
			word := suspensionAt(unsafe.Offsetof(suspension{}.limit))
			c.StoreMask(32, 3, word)
			c.Do32(amd64.Move, amd64.RAX, word)
		}
		c.setPredicate(w, w.srcs[3])
	}
	for part, r := range results {
		c.define(w, part, r, false)
	}
}

// wordBytes returns the bytes of words.
func wordBytes(words []uint32) []byte {
	var data []byte
	for _, v := range words {
		data = binary.LittleEndian.AppendUint32(data, v)
	}
	return data
}

// sourceLanes returns where lanes take their values and which of them are in range, where that is known beforehand.
func (c *compiler) sourceLanes(w *work) (from [warpLanes]uint32, inRange uint32, known bool) {
	b, bKnown := c.plan.values[w.srcs[1].offset]
	clamp, clampKnown := c.plan.values[w.srcs[2].offset]
	if !bKnown || !clampKnown {
		return from, 0, false
	}
	b &= warpLanes - 1
	segment, last := uint32(clamp>>8)&(warpLanes-1), uint32(clamp)&(warpLanes-1)
	for lane := range uint32(warpLanes) {
		most := lane&segment | last&^segment
		source, in := uint32(0), false
		switch w.mode {
		case "up":
			source = lane - uint32(b)
			in = int32(source) >= int32(most)
		case "down":
			source = lane + uint32(b)
			in = source <= most
		case "bfly":
			source = lane ^ uint32(b)
			in = source <= most
		default:
			source = lane&segment | uint32(b)&^segment
			in = source <= most
		}
		if !in {
			source = lane
		} else {
			inRange |= 1 << lane
		}
		from[lane] = source
	}
	return from, inRange, true
}

// findLanes puts where the lanes of a part take their values in a vector, and those in range in K3 or K4.
func (c *compiler) findLanes(w *work, part, to int) {
	s := &c.values
	b, clamp := s.need(c.rowValue(w.srcs[1], part)), s.need(c.rowValue(w.srcs[2], part))
	lane, segment, most, by, ones := z(s.take()), z(s.take()), z(s.take()), z(s.take()), z(s.take())
	mask, from := amd64.Mask(3+part), z(to)
	c.vector("VMOVDQU32", c.Constant(ascending(part*warpLanes/2, warpLanes/2, 4, 1)), lane)
	c.loadConstant("d 31", int(ones.Number))
	c.vector("VPSRLD", amd64.Immediate(8), z(clamp), segment)
	c.vector("VPANDD", ones, segment, segment)
	c.vector("VPANDD", ones, z(clamp), most)
	c.vector("VPANDD", ones, z(b), by)
	c.vector("VMOVDQA32", segment, from)
	c.vector("VPTERNLOGD", amd64.Immediate(0xca), most, lane, from)
	c.vector("VMOVDQA32", from, most)
	relation := 2
	switch w.mode {
	case "up":
		c.vector("VPSUBD", by, lane, from)
		relation = 5
	case "down":
		c.vector("VPADDD", by, lane, from)
	case "bfly":
		c.vector("VPXORD", by, lane, from)
	default:
		c.vector("VMOVDQA32", segment, from)
		c.vector("VPTERNLOGD", amd64.Immediate(0xca), by, lane, from)
	}
	c.vector("VPCMPD", amd64.Immediate(relation), most, from, mask)
	c.vector("VPBLENDMD", from, lane, mask, from)
	for _, v := range []amd64.Vector{lane, segment, most, by, ones} {
		s.release(int(v.Number))
	}
}

// meets emits the way elsewhere unless all lanes of the warp have come that those name that run, at a segment that begins with waiting for them.
// It changes RAX, RCX, RDX and K5 and K6.
func (c *flowCompiler) meets(list []work, elsewhere amd64.Label) {
	if len(list) == 0 || list[0].kind != assembles {
		return
	}
	start := amd64.Memory{Base: amd64.R13, Index: amd64.R14, Scale: 1, Displacement: int32(unsafe.Offsetof(machine{}.start))}
	named, members := uint64(math.MaxUint32), operand{offset: -1}
	if len(list[0].srcs) > 0 {
		members = list[0].srcs[0]
	}
	v, known := c.plan.values[members.offset]
	if known {
		named = v
	}
	switch {
	case !c.masked && (known || members.offset < 0):
	case known || members.offset < 0:
		c.Load64(amd64.RCX, named&math.MaxUint32)
		c.Do32(amd64.And, amd64.RCX, start)
		c.Do32(amd64.Move, amd64.RDX, c.warpMasks(false, 0))
		c.Not32(amd64.RDX)
		c.Do32(amd64.And, amd64.RCX, amd64.RDX)
		c.JumpIf(amd64.NotEqual, elsewhere)
	default:
		c.lanesIn(&work{}, amd64.RAX)
		c.vector("VPBROADCASTGD", amd64.RAX, z(spare))
		for part := range 2 {
			operands := []any{amd64.Immediate(4), c.place(c.rowValue(members, part)), z(spare)}
			if c.masked {
				operands = append(operands, amd64.Mask(1+part))
			}
			c.vector("VPCMPD", append(operands, amd64.Mask(5+part))...)
		}
		c.TestMasks(5, 6)
		c.JumpIf(amd64.NotEqual, elsewhere)
	}
}
