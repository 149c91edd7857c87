package simd

import "silica/internal/exec"

// textureLanes samples textures and accesses surfaces for lanes.
func textureLanes(g *gang, o *op, lanes *masks) bool {
	for w, active := range lanes {
		if active != 0 && !g.texture(o, w, active) {
			return false
		}
	}
	return true
}

func (g *gang) texture(o *op, w int, active uint32) bool {
	t := &g.worker.textureIO
	t.Launch, t.Warp.Active, t.Space, t.Memory = g.worker.Launch, active, o.mem.space, asyncMemory{g}
	for i, s := range o.srcs {
		g.readLanes(s, w, active, &t.Warp.Src[i])
	}
	g.addresses(o.mem, w, active, &t.Addr)
	t.Reached = nil
	if g.observed() {
		t.Reached = &g.worker.reached
	}
	if lane, fault := o.texture(t); fault != nil {
		g.fail(o, w, lane, fault)
		return false
	}
	for i, d := range o.dst {
		g.writeLanes(d, w, active, &t.Warp.Dst[i])
	}
	if t.Reached != nil {
		t.Reached.Each(&exec.Access{Func: o.fn.index, PC: o.pc, Block: g.block.number, Warp: g.firstWarp + w, Inst: o.inst}, g.listen)
	}
	return true
}
