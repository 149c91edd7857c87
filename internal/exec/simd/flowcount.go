package simd

import (
	"unsafe"

	"silica/internal/amd64"
)

// What counts instructions in native code of a whole kernel: as steps do, warps and threads that begin a segment, lanes with a true guard, and
// warps that part at a branch.

// countersIn points R10 at the counters.
func (c *compiler) countersIn() {
	c.Do(amd64.Move, amd64.R10, machineAt(unsafe.Offsetof(machine{}.counters)))
}

// countLanes adds the number of lanes in a mask to a counter. It changes R10 and RCX.
func (c *compiler) countLanes(counter int, mask amd64.Register) {
	c.countersIn()
	c.CountBits32(amd64.RCX, mask)
	c.AddTo(amd64.At(amd64.R10, int32(counter)), amd64.RCX)
}

// countWarp counts a warp all lanes of which begin a segment.
func (c *flowCompiler) countWarp(segment int) {
	if !c.counts {
		return
	}
	c.countersIn()
	at := int32(c.flow.segments[segment].counter)
	c.DoImmediate(amd64.Add, amd64.At(amd64.R10, at), 1)
	c.DoImmediate(amd64.Add, amd64.At(amd64.R10, at+8), warpLanes)
}

// countSome counts the lanes that begin a segment. It changes RAX.
func (c *flowCompiler) countSome(segment int) {
	if !c.counts {
		return
	}
	at := c.flow.segments[segment].counter
	c.Do32(amd64.Move, amd64.RAX, c.warpMasks(false, 0))
	c.countLanes(at+8, amd64.RAX)
	c.DoImmediate(amd64.Add, amd64.At(amd64.R10, int32(at)), 1)
}

// countAll counts that the guard at the end of a segment is true in all lanes.
func (c *flowCompiler) countAll(x *flowSegment) {
	if c.counts {
		c.countersIn()
		c.DoImmediate(amd64.Add, amd64.At(amd64.R10, int32(x.ons)), warpLanes)
	}
}

// countParting counts the lanes in RAX, in which the guard at the end of a segment is true, while it is false in others.
func (c *flowCompiler) countParting(x *flowSegment) {
	if !c.counts {
		return
	}
	c.countLanes(x.ons, amd64.RAX)
	if x.ending == branches {
		c.DoImmediate(amd64.Add, amd64.At(amd64.R10, int32(x.ons)+8), 1)
	}
}

// countTaken counts the lanes in RAX, in which the guard at the end of a segment is true; those in RDX have it false.
func (c *flowCompiler) countTaken(x *flowSegment) {
	if !c.counts {
		return
	}
	c.countLanes(x.ons, amd64.RAX)
	if x.ending != branches {
		return
	}
	together := c.NewLabel()
	for _, lanes := range []amd64.Register{amd64.RAX, amd64.RDX} {
		c.Test(lanes, lanes)
		c.JumpIf(amd64.Equal, together)
	}
	c.DoImmediate(amd64.Add, amd64.At(amd64.R10, int32(x.ons)+8), 1)
	c.Place(together)
}
