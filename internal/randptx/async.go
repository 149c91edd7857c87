package randptx

import (
	"fmt"
	"strings"

	"silica/internal/isa"
)

// async writes an instruction of barrier objects or an asynchronous copy, with what it needs to have ended
// before the statement ends.
func (g *generator) async(form *isa.Form, operands []isa.Operand) bool {
	if strings.HasPrefix(form.Name(), "mbarrier.") || strings.HasPrefix(form.Name(), "cp.async.mbarrier.") {
		return g.barrierObject(form, operands)
	}
	if strings.HasPrefix(form.Name(), "st.bulk") {
		at := g.at(slot, 16)
		if !form.Has(".shared::cta") {
			at = g.generic("shared", slot, 16)
		}
		return g.write(g.guard(), form, operands, values{"a": at, "size": "16"})
	}
	given := values{}
	spaces := spacesOf(form)
	bytes, waits := 16, false
	if len(spaces) == 2 || form.Row.Unit == isa.TMA {
		bytes = 16 * (1 + g.random.IntN(2))
	}
	for i := range operands {
		switch o := &operands[i]; o.Name {
		case "size":
			if o.Rule.Imm {
				bytes = int(o.Rule.SampleConstant(g.random))
				for try := 0; bytes > 16 && try < 100; try++ {
					bytes = int(o.Rule.SampleConstant(g.random))
				}
			}
			given[o.Name] = fmt.Sprint(bytes)
		case "b":
			bytes = o.Type.Bytes() * max(o.Vector, 1)
		case "mbar":
			given[o.Name], waits = "%bar", true
		case "ctaMask":
			g.do("mov.u32 %%w2, %%cluster_ctarank; shl.b32 %%w2, 1, %%w2; cvt.u16.u32 %%h0, %%w2;")
			given[o.Name] = "%h0"
		}
	}
	if form.Has(".multicast::cluster") && g.cluster {
		return false // the barrier object of another thread would complete
	}
	if g.options.Hardware && !g.cluster && waits && spaces[len(spaces)-1] != isa.Global {
		return false // an H200 copies from one shared memory to another in launches of clusters only
	}
	for i := range operands {
		switch o := &operands[i]; o.Name {
		case "src-size":
			given[o.Name] = fmt.Sprint(g.random.IntN(bytes + 1))
		case "src":
			if spaces[1] == isa.Global {
				given[o.Name] = g.within(input, bytes)
			} else {
				given[o.Name] = "%sh"
			}
		case "dst", "a":
			switch {
			case spaces[0] == isa.Global:
				given[o.Name] = g.at(scratch, max(bytes, 16))
			case len(spaces) > 1 && spaces[1] != isa.Global:
				given[o.Name] = "%sh+32"
			default:
				given[o.Name] = g.at(slot, bytes)
			}
		}
	}
	if form.Row.Unit == isa.TMA || waits {
		g.do("fence.proxy.async;")
	}
	if !waits {
		guard := g.guard()
		if !g.write(guard, form, operands, given) {
			return false
		}
		if form.Row.Unit == isa.TMA {
			g.do("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; fence.proxy.async;")
		} else {
			g.do("cp.async.wait_all;")
		}
		return true
	}
	g.do("mbarrier.init.shared.b64 [%%bar], 1; fence.proxy.async; mbarrier.arrive.expect_tx.shared.b64 _, [%%bar], %d;", bytes)
	if !g.write("", form, operands, given) {
		return false
	}
	g.waitBarrier()
	g.do("fence.proxy.async;")
	return true
}

// at returns a constant address in a place for an access of so many bytes.
func (g *generator) at(p place, bytes int) string {
	return p.at(alignment(bytes) * g.random.IntN(p.size/alignment(bytes)))
}

// waitBarrier waits for the first phase of the thread's barrier object and ends the object.
func (g *generator) waitBarrier() {
	wait := g.label()
	g.do("%s: mbarrier.try_wait.parity.shared.b64 %%q, [%%bar], 0; @!%%q bra %s; mbarrier.inval.shared.b64 [%%bar];", wait, wait)
}

// spacesOf returns the state spaces that a form names, in order.
func spacesOf(f *isa.Form) (list []isa.Space) {
	for _, m := range f.Mods {
		switch m {
		case ".global":
			list = append(list, isa.Global)
		case ".shared", ".shared::cta":
			list = append(list, isa.Shared)
		case ".shared::cluster":
			list = append(list, isa.SharedCluster)
		}
	}
	if len(list) == 0 {
		list = append(list, isa.Shared)
	}
	return list
}

// barrierObject writes a whole life of the thread's barrier object, with the form in it.
func (g *generator) barrierObject(form *isa.Form, operands []isa.Operand) bool {
	const expected = 8
	name := form.Name()
	// Without a space the address is generic.
	at := "%bar"
	if len(form.Mods) > 0 && !form.Has(".shared") && !form.Has(".shared::cta") && !form.Has(".shared::cluster") {
		g.do("cvt.u64.u32 %%t3, %%bar; cvta.shared.u64 %%t3, %%t3;")
		at = "%t3"
	}
	given := values{"a": at, "count": "1", "txCount": "16", "state": "%t2", "hint": "100", "parity": "0"}
	do := func() bool { return g.write("", form, operands, given) }
	begin := func(n int) { g.do("mbarrier.init.shared.b64 [%%bar], %d;", n) }
	end := func() { g.do("mbarrier.inval.shared.b64 [%%bar];") }
	ok := true
	switch {
	case strings.HasPrefix(name, "mbarrier.init"):
		given["count"] = fmt.Sprint(1 + g.random.IntN(20))
		ok = do()
		end()
	case strings.HasPrefix(name, "mbarrier.inval"):
		begin(1)
		ok = do()
	case strings.HasPrefix(name, "mbarrier.expect_tx"):
		begin(1)
		ok = do()
		g.do("mbarrier.complete_tx.shared.b64 [%%bar], 16; mbarrier.arrive.shared.b64 %%t2, [%%bar];")
		g.waitBarrier()
	case strings.HasPrefix(name, "mbarrier.complete_tx"):
		begin(1)
		g.do("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%%bar], 16;")
		ok = do()
		g.do("mbarrier.arrive.shared.b64 %%t2, [%%bar];")
		g.waitBarrier()
	case strings.HasPrefix(name, "mbarrier.arrive"):
		begin(expected)
		given["count"] = fmt.Sprint(1 + g.random.IntN(expected/2))
		g.do("mov.u64 %%t2, 0;")
		ok = do()
		if form.Has(".expect_tx") {
			g.do("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%%bar], 16;")
		}
		if strings.Contains(g.line.String(), name+" %t2") {
			g.do("mbarrier.pending_count.b64 %s, %%t2;", g.b32())
		}
		end()
	case strings.Contains(name, "_wait"):
		begin(1 + g.random.IntN(2)*g.random.IntN(2)*bit(strings.Contains(name, ".test_wait") && !form.Has(".parity")))
		g.do("mbarrier.arrive.shared.b64 %%t2, [%%bar];")
		ok = do()
		end()
	case strings.HasPrefix(name, "mbarrier.pending_count"):
		begin(expected)
		g.do("mbarrier.arrive.noComplete.shared.b64 %%t2, [%%bar], %d;", 1+g.random.IntN(expected-1))
		delete(given, "count")
		ok = do()
		end()
	default: // cp.async.mbarrier.arrive
		begin(1 + bit(form.Has(".noinc")))
		ok = do()
		g.do("cp.async.wait_all; mbarrier.arrive.shared.b64 %%t2, [%%bar];")
		g.waitBarrier()
	}
	return ok
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// matrix writes a move of matrices between registers and memory.
func (g *generator) matrix(form *isa.Form, operands []isa.Operand) bool {
	end, ok := g.together()
	if !ok {
		return false
	}
	given := values{}
	if form.Opcode == "wmma" {
		if !g.fragmentMove(form, given) {
			return false
		}
	} else if len(form.Mods) > 0 && (form.Has(".shared") || form.Has(".shared::cta")) {
		given["p"] = g.at(slot, 16)
	} else {
		given["p"] = g.generic("shared", slot, 16)
	}
	if !g.write("", form, operands, given) {
		return false
	}
	end()
	return true
}

// fragmentMove gives a wmma.load or store its address and stride: of the input, or of the warp's slots or scratch memory.
func (g *generator) fragmentMove(form *isa.Form, given values) bool {
	m := isa.FragmentMoveOf(form)
	length, lines := m.Fragment.Length, m.Fragment.Rows
	if !m.Along {
		length, lines = lines, length
	}
	stride := m.Stride
	if stride == 0 {
		if stride = length; m.Bits == 1 {
			stride *= 32 // elements of a fragment are words of bits
		}
		given["stride"] = fmt.Sprint(stride)
	}
	bytes := stride * lines * m.Bits / 8
	space := isa.Generic
	if list := spacesOf(form); form.Has(".global") || form.Has(".shared") || form.Has(".shared::cta") {
		space = list[0]
	}
	switch {
	case space == isa.Shared || space == isa.Generic && g.one(2):
		if bytes > 32*slotBytes {
			return false
		}
		g.do("mov.u32 %%w0, %%laneid; mul.lo.u32 %%w0, %%w0, %d; sub.u32 %%w0, %%sh, %%w0;", slotBytes)
		given["p"] = "%w0"
		if space == isa.Generic {
			g.do("cvt.u64.u32 %%t0, %%w0; cvta.shared.u64 %%t0, %%t0;")
			given["p"] = "%t0"
		}
	case m.Store:
		if bytes > warpBytes {
			return false
		}
		first := commonBytes + g.grid*g.block*threadBytes
		g.do("mov.u32 %%w0, %%ctaid.x; mov.u32 %%w1, %%tid.x; shr.u32 %%w1, %%w1, 5; mad.lo.u32 %%w0, %%w0, %d, %%w1; ld.param.u64 %%t0, [pout]; mad.wide.u32 %%t0, %%w0, %d, %%t0;", g.warps, warpBytes)
		given["p"] = fmt.Sprintf("%%t0+%d", first)
	default:
		if bytes > InputBytes {
			return false
		}
		given["p"] = fmt.Sprintf("%%in+%d", 32*g.random.IntN((InputBytes-bytes)/32+1))
	}
	return true
}
